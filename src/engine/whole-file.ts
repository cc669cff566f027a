/** Files that are whole or missing, whenever the machine stops: written beside their place, made durable, renamed. */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readdir, rename, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';

/** On systems that cannot open folders (Windows), the system makes names durable by itself. */
const NO_FOLDER_OPENS: ReadonlySet<unknown> = new Set(['EPERM', 'EISDIR', 'EACCES']);
/** Some network disks cannot do it for a folder; there is nothing better to fall back to. */
const NO_FOLDER_SYNCS: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EBADF']);

/**
 * Writes a whole file: the previous one stays until then, and for good if this throws. `mode` says who may read and
 * write it; without a mode it is like any new file.
 */
export function writeWhole(file: string, content: string | Uint8Array, mode?: number): Promise<void> {
  return putInPlace(file, async (part) => {
    // Synced through this handle: a file that nobody may write, not even its owner, cannot be opened again.
    const written = await open(part, 'wx', mode);
    try {
      await written.writeFile(content);
      await written.sync();
    } finally {
      await written.close();
    }
  });
}

/** The same for what writes its file by itself, under the name that it is given. */
export function replaceWhole(file: string, write: (part: string) => Promise<void>, mode: number): Promise<void> {
  return putInPlace(file, async (part) => {
    await write(part);
    const written = await open(part, 'r+');
    try {
      await written.chmod(mode);
      await written.sync();
    } finally {
      await written.close();
    }
  });
}

/** Has a file made durable under another name beside its own, and gives it its own. */
async function putInPlace(file: string, make: (part: string) => Promise<void>): Promise<void> {
  const folder = dirname(file);
  await clearParts(folder);
  // Short, and of no other writer's: the file's own name may be as long as names can be.
  const part = join(folder, `.${MACHINE}-${process.pid}-${randomUUID()}.nocturne-part`);
  try {
    await make(part);
    await rename(part, file);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
}

/** Tells this machine's processes from others that write to the same folder. */
const MACHINE = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** A part, or what SQLite writes beside one. */
const PART = /^\.([0-9a-f]{8})-(\d{1,10})-[0-9a-f-]{36}\.nocturne-part(?:-journal|-wal|-shm)?$/u;

/** Removes what processes of this machine that were killed have left of their files in a folder. */
async function clearParts(folder: string): Promise<void> {
  // A folder that cannot be read, or keeps such a file, may still take a new one.
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const [, machine, pid] = PART.exec(name) ?? [];
    if (machine !== MACHINE || isAlive(Number(pid))) continue;
    await rm(join(folder, name), { force: true }).catch(() => undefined);
  }
}

/** True unless the system is sure that there is no such process. */
function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

/**
 * Writes a whole note of the application's own, for its user alone. Its folder has one writer, so the temporary name is
 * always the same: a machine that stops leaves at most one such file, and the next note replaces it.
 */
export function writeNoteSync(file: string, text: string): void {
  const part = `${file}.new`;
  rmSync(part, { force: true });
  const written = openSync(part, 'wx', 0o600);
  try {
    writeFileSync(written, text);
    fsyncSync(written);
  } finally {
    closeSync(written);
  }
  renameSync(part, file);
  syncFolderSync(dirname(file));
}

/** Makes the names in a folder durable. */
export async function syncFolder(path: string): Promise<void> {
  let folder;
  try {
    folder = await open(path, 'r');
  } catch (error) {
    if (NO_FOLDER_OPENS.has(codeOf(error))) return;
    throw error;
  }
  try {
    await folder.sync();
  } catch (error) {
    if (!NO_FOLDER_SYNCS.has(codeOf(error))) throw error;
  } finally {
    await folder.close();
  }
}

function syncFolderSync(path: string): void {
  let folder;
  try {
    folder = openSync(path, 'r');
  } catch (error) {
    if (NO_FOLDER_OPENS.has(codeOf(error))) return;
    throw error;
  }
  try {
    fsyncSync(folder);
  } catch (error) {
    if (!NO_FOLDER_SYNCS.has(codeOf(error))) throw error;
  } finally {
    closeSync(folder);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
