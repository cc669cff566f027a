/**
 * Files that are whole or missing, whenever the machine stops: they are written beside their place, made durable, and
 * renamed.
 */
import {
  closeSync,
  constants,
  copyFileSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { clearParts, ownPartName } from './own-mark.ts';

/** On systems that cannot open folders (Windows), the system makes names durable by itself. */
const NO_FOLDER_OPENS: ReadonlySet<unknown> = new Set(['EPERM', 'EISDIR', 'EACCES']);
/** Some network disks cannot sync a folder; there is nothing better to fall back on. */
const NO_FOLDER_SYNCS: ReadonlySet<unknown> = new Set(['EINVAL', 'ENOTSUP', 'EPERM', 'EBADF']);

/**
 * Writes a whole file: the previous one stays until the new one is complete, and for good if this throws. `mode` says
 * who may read and write it; without a mode it is like any new file.
 */
export function writeWhole(file: string, content: string | Uint8Array, mode?: number): Promise<void> {
  return putInPlace(file, (part) => writePart(part, content, mode));
}

/** The same for a name that is still free: of several writers, the first gets the name. The others throw EEXIST. */
export function writeWholeOnce(file: string, content: string, mode: number): Promise<void> {
  return putInPlace(
    file,
    (part) => writePart(part, content, mode),
    async (part) => {
      nameWhole(part, file);
      await rm(part, { force: true });
    },
  );
}

/**
 * Synced through the handle that wrote it: a file that nobody may write to, not even its owner, cannot be opened again.
 */
async function writePart(part: string, content: string | Uint8Array, mode: number | undefined): Promise<void> {
  const written = await open(part, 'wx', mode);
  try {
    await written.writeFile(content);
    await written.sync();
  } finally {
    await written.close();
  }
}

/** The same for code that writes its file itself, under the name that it is given. */
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

/** Has a file written and made durable under a temporary name beside its own, then gives it its own. */
async function putInPlace(
  file: string,
  make: (part: string) => Promise<void>,
  name: (part: string) => Promise<void> = (part) => rename(part, file),
): Promise<void> {
  const folder = dirname(file);
  // Short, and no other writer's: the file's own name may be as long as names can be.
  const part = join(folder, ownPartName());
  try {
    await make(part);
    await name(part);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(folder);
  await clearParts(folder);
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

/**
 * Copies a whole file to a name that is still free; `part`, in the same folder, is its name until then, and may be left
 * over from a kill. Throws EEXIST if the name is taken.
 */
export function copyWholeSync(from: string, to: string, part: string): void {
  try {
    copyFileSync(from, part, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    syncFileSync(part);
    nameWhole(part, to);
  } finally {
    rmSync(part, { force: true });
  }
  syncFolderSync(dirname(to));
}

/** Uses a hard link, which never replaces another file. */
function nameWhole(part: string, to: string): void {
  try {
    linkSync(part, to);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error;
    // A disk without links: claim the name first, as a rename alone would replace another file.
    closeSync(openSync(to, 'wx', 0o600));
    renameSync(part, to);
  }
}

/**
 * Keeps the newest `count` files with matching names in the folder of `newest`: by age, because numbers in their names
 * may start over. Throws if the folder cannot be read.
 */
export function keepNewestSync(newest: string, names: RegExp, count: number): void {
  const folder = dirname(newest);
  const others = readdirSync(folder)
    .filter((name) => names.test(name) && name !== basename(newest))
    .map((name) => join(folder, name))
    .map((file) => ({ file, at: lstatSync(file).mtimeMs }))
    .toSorted((a, b) => b.at - a.at);
  for (const { file } of others.slice(count - 1)) rmSync(file, { force: true });
}

/** Makes what was written to a file durable. */
export function syncFileSync(file: string): void {
  const handle = openSync(file, 'r+');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
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

/**
 * Shares one run of some work among all callers that ask for it at about the same time. Each caller gets a run that
 * begins after its call: the run under way may have passed what the caller wants it to see.
 */
export function shareRuns(work: () => Promise<void>): () => Promise<void> {
  let last: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  function run(): Promise<void> {
    next = undefined;
    const own = work().finally(() => {
      if (last === own) last = undefined;
    });
    last = own;
    return own;
  }

  return () => {
    if (last === undefined) return run();
    next ??= last.then(run, run);
    return next;
  };
}

/** One for each folder that files were placed in; a night has a handful. */
const folders = new Map<string, () => Promise<void>>();

/** Makes the names in a folder durable: with one sync for all files that got their names while the last sync ran. */
export function syncFolderOnce(path: string): Promise<void> {
  let sync = folders.get(path);
  if (sync === undefined) {
    sync = shareRuns(() => syncFolder(path));
    folders.set(path, sync);
  }
  return sync();
}

/** The same, but synchronous, for a thread that may wait. */
export function syncFolderSync(path: string): void {
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
