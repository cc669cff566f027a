import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';

export const LARGEST_FILE_BYTES = 512 * 1024 * 1024;

/** All bytes of a sheet's file as they were at one moment, or why it cannot be read. */
export async function readSheetFile(path: string): Promise<Result<Buffer, SheetProblem>> {
  let handle: FileHandle;
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for somebody to write to it.
    handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return err(explain(path, error));
  }
  try {
    return await readWhole(path, handle);
  } catch (error) {
    return err(explain(path, error));
  } finally {
    await handle.close();
  }
}

async function readWhole(path: string, handle: FileHandle): Promise<Result<Buffer, SheetProblem>> {
  const before = await handle.stat();
  if (before.isDirectory()) {
    return err(unreadable(`${path} is a folder, not a sheet.`, 'Choose the sheet’s file inside it.'));
  }
  if (!before.isFile()) return err(unreadable(`${path} is not a file.`, 'Choose the file of a sheet.'));
  if (before.size > LARGEST_FILE_BYTES) {
    return err({
      severity: 'error',
      code: 'too-large',
      message: `${path} has ${Math.ceil(before.size / 1024 / 1024)} MiB; Nocturne reads at most ${LARGEST_FILE_BYTES / 1024 / 1024} MiB.`,
      remedy: 'Split the sheet into several sheets.',
    });
  }
  const bytes = await handle.readFile();
  const after = await handle.stat();
  if (after.size !== before.size || after.mtimeMs !== before.mtimeMs || bytes.length !== before.size) {
    return err(unreadable(`${path} changed while Nocturne was reading it.`, 'Save it, wait a moment and try again.'));
  }
  return ok(bytes);
}

function explain(path: string, error: unknown): SheetProblem {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return unreadable(`There is no file ${path}.`, 'Check its name and its folder.');
    case 'EISDIR':
      return unreadable(`${path} is a folder, not a sheet.`, 'Choose the sheet’s file inside it.');
    case 'EACCES':
    case 'EPERM':
      return unreadable(`You may not read ${path}.`, 'Give yourself permission to read it, or copy it somewhere else.');
    case 'EBUSY':
      return unreadable(`${path} is open in another program.`, 'Close it there and try again.');
    default:
      return unreadable(`${path} cannot be read: ${error.message}.`, 'Check the file and its disk.');
  }
}

function unreadable(message: string, remedy: string): SheetProblem {
  return { severity: 'error', code: 'unreadable', message, remedy };
}
