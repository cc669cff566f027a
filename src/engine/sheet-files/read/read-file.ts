import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { domainWords } from '../../../shared/words/domain-words.ts';

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
    return err(unreadable(domainWords.problems.file.isFolder(path)));
  }
  if (!before.isFile()) return err(unreadable(domainWords.problems.file.notFile(path)));
  if (before.size > LARGEST_FILE_BYTES) {
    return err({
      severity: 'error',
      code: 'too-large',
      ...domainWords.problems.file.tooLarge(
        path,
        Math.ceil(before.size / 1024 / 1024),
        LARGEST_FILE_BYTES / 1024 / 1024,
      ),
    });
  }
  const bytes = await handle.readFile();
  const after = await handle.stat();
  if (after.size !== before.size || after.mtimeMs !== before.mtimeMs || bytes.length !== before.size) {
    return err(unreadable(domainWords.problems.file.changed(path)));
  }
  return ok(bytes);
}

function explain(path: string, error: unknown): SheetProblem {
  if (!(error instanceof Error) || !('code' in error)) throw error;
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return unreadable(domainWords.problems.file.noFile(path));
    case 'EISDIR':
      return unreadable(domainWords.problems.file.isFolder(path));
    case 'EACCES':
    case 'EPERM':
      return unreadable(domainWords.problems.file.mayNot(path));
    case 'EBUSY':
      return unreadable(domainWords.problems.file.isBusy(path));
    default:
      return unreadable(domainWords.problems.file.cannotRead(path, error.message));
  }
}

function unreadable(words: Pick<SheetProblem, 'message' | 'remedy'>): SheetProblem {
  return { severity: 'error', code: 'unreadable', ...words };
}
