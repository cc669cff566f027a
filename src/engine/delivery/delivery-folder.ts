/** The folder that a delivery goes to: what it contains, and new files under names that are free in it. */
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, realpath, rm, rmdir, stat, writeFile, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { DATA_PACKAGE, readDataPackage, type DataPackage } from '../../shared/domain/delivery/data-package.ts';
import { TIMELINE } from '../../shared/domain/delivery/timeline-text.ts';
import { foldPath, type RenderedPath } from '../../shared/domain/files/naming.ts';
import { diskErrorCode, EscapingFolderError, NotFolderError, NotPlainFileError } from '../media-folder/disk-failure.ts';
import { isLeftOver, ownMark } from '../own-mark.ts';
import { makeFolder } from '../make-folder.ts';
import { candidateNames, isTaken, moveWithoutReplacing } from '../media-folder/place-file.ts';
import { fileMatches, hashFile, openIfThere, openPlainFile, syncPlainFile } from '../media-folder/plain-file.ts';

/** Where files are until they are whole. */
const PARTS = '.nocturne-delivery';
/** Larger than anybody's package. */
const MAX_PACKAGE_BYTES = 256 << 20;

/** A whole file that does not have its name yet. */
export interface WholeFile {
  readonly part: string;
  readonly sha256: string;
  readonly bytes: number;
}

/** A folder that takes delivered files. All methods throw errors of the disk. */
export class DeliveryFolder {
  /** Its real path. */
  readonly path: string;
  readonly earlier: DataPackage | undefined;
  /** The disk that it is on: after it is unplugged, there may be a folder of the same name. */
  readonly #disk: bigint;
  /** Paths that were given to files, folded: names that differ only in case are the same on some systems. */
  readonly #given: Set<string>;
  readonly #parts: string;

  constructor(path: string, disk: bigint, earlier: DataPackage | undefined) {
    this.path = path;
    this.#disk = disk;
    this.earlier = earlier;
    this.#parts = join(path, PARTS);
    const listed = (earlier?.resources ?? []).flatMap(({ path: file, sidecar }) => [
      file,
      ...(sidecar ? [sidecar] : []),
    ]);
    this.#given = new Set([DATA_PACKAGE, TIMELINE, ...listed].map(foldPath));
  }

  /** Frees the name of a delivered file that is gone. */
  release({ path, sidecar }: { readonly path: string; readonly sidecar?: string | undefined }): void {
    for (const name of [path, sidecar ?? path]) this.#given.delete(foldPath(name));
  }

  /** A name for a file that is being made, on the same disk as its place. */
  newPart(): string {
    return join(this.#parts, ownMark());
  }

  /** Where a delivered file is. */
  fileAt(path: string): string {
    return join(this.path, ...path.split('/'));
  }

  /**
   * Opens a delivered file. Undefined if it is gone, is not a plain file, or is reached by a link out of the folder.
   */
  async open(path: string): Promise<FileHandle | undefined> {
    const file = this.fileAt(path);
    return (await isTaken(file)) && this.#holds(await realpath(dirname(file))) ? openIfThere(file) : undefined;
  }

  /** Whether a delivered file is there: `changed` if its size is different now, or a link leads elsewhere. */
  async stateOf({
    path,
    bytes,
  }: {
    readonly path: string;
    readonly bytes: number;
  }): Promise<'there' | 'changed' | 'gone'> {
    try {
      const file = this.fileAt(path);
      const found = await lstat(file);
      if (!this.#holds(await realpath(dirname(file)))) return 'changed';
      return found.isFile() && found.size === bytes ? 'there' : 'changed';
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '')) return 'gone';
      throw error;
    }
  }

  /**
   * Gives a whole file the first of its names that is free, with its sidecar beside it, and returns its path. If a
   * killed export left a file with the same content before noting it, that file is used.
   */
  async place(
    { folders, stem }: RenderedPath,
    extension: string,
    whole: WholeFile,
    sidecar: string | undefined,
  ): Promise<string> {
    const folder = await this.#openFolder(folders);
    for (const candidate of candidateNames(stem, extension.slice(1) || 'bin')) {
      const path = [...folders, candidate].join('/');
      const names = sidecar === undefined ? [path] : [path, sidecarOf(path)];
      if (names.some((name) => this.#given.has(foldPath(name)))) continue;
      if (await isAnothers(folder, candidate, whole)) continue;
      // The sidecar comes first, so that a file that is there is complete.
      if (sidecar !== undefined && !(await this.#putText(folder, sidecarOf(candidate), sidecar))) continue;
      if (!(await putOrFind(folder, candidate, whole))) continue;
      for (const name of names) this.#given.add(foldPath(name));
      return path;
    }
    throw new Error(`No free name for ${stem}`);
  }

  /** Whether a plain file of the folder has this name. */
  async hasFile(path: string): Promise<boolean> {
    const file = this.fileAt(path);
    return (await isTaken(file)) && (await lstat(file)).isFile() && this.#holds(await realpath(dirname(file)));
  }

  /** Writes a sidecar beside a delivered file; false if its name is another file's. */
  async putSidecar(path: string, text: string): Promise<boolean> {
    const name = sidecarOf(path);
    if (this.#given.has(foldPath(name))) return false;
    const isPut = await this.#putText(await realpath(dirname(this.fileAt(path))), sidecarOf(basename(path)), text);
    if (isPut) this.#given.add(foldPath(name));
    return isPut;
  }

  async #putText(folder: string, name: string, text: string): Promise<boolean> {
    const part = this.newPart();
    try {
      await writeFile(part, text, { flag: 'wx' });
      await syncPlainFile(part);
      return await putOrFind(folder, name, await lookAtPart(part));
    } finally {
      await rm(part, { force: true });
    }
  }

  /** False once the folder is gone, or its disk was unplugged. */
  async #isThere(): Promise<boolean> {
    try {
      return (await stat(this.path, { bigint: true })).dev === this.#disk;
    } catch (error) {
      if (['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '')) return false;
      throw error;
    }
  }

  /**
   * Creates the folder for parts again if another export has removed it at its end; throws if the delivery folder is
   * gone.
   */
  async makeRoom(): Promise<void> {
    if (!(await this.#isThere())) throw gone(this.path);
    try {
      await mkdir(this.#parts);
    } catch (error) {
      if (diskErrorCode(error) !== 'EEXIST') throw error;
    }
  }

  /** Removes what no export needs any more. */
  async end(): Promise<void> {
    try {
      await rmdir(this.#parts);
    } catch {
      // Another export is at work in it.
    }
  }

  #holds(real: string): boolean {
    return real === this.path || real.startsWith(this.path.endsWith(sep) ? this.path : this.path + sep);
  }

  /** Makes the folders of a path. Links that lead out of the delivery are not followed. */
  async #openFolder(folders: readonly string[]): Promise<string> {
    const folder = join(this.path, ...folders);
    try {
      await mkdir(folder, { recursive: true });
    } catch (error) {
      const isInTheWay = ['EEXIST', 'ENOTDIR', 'ENOENT'].includes(diskErrorCode(error) ?? '');
      throw isInTheWay && (await this.#isThere()) ? new NotFolderError(await this.#inTheWay(folders)) : error;
    }
    const real = await realpath(folder);
    if (this.#holds(real)) return real;
    throw new EscapingFolderError(folder, 'delivery');
  }

  /** The first of the folders of a path that is something else. */
  async #inTheWay(folders: readonly string[]): Promise<string> {
    const paths = folders.map((_, at) => join(this.path, ...folders.slice(0, at + 1)));
    for (const path of paths) if (!(await isFolder(path))) return path;
    return paths.at(-1) ?? this.path;
  }

  /** Creates the folder for parts, and removes parts whose writer was killed; or says why it cannot. */
  async begin(): Promise<Failure | undefined> {
    await mkdir(this.#parts, { recursive: true });
    const own = await lstat(this.#parts);
    // Through a link, old files would be removed wherever it leads.
    if (!own.isDirectory() || own.uid !== (process.getuid?.() ?? own.uid))
      return failure('INPUT_INVALID', reason('partsNotOurs', this.#parts));
    for (const name of await readdir(this.#parts)) {
      const path = join(this.#parts, name);
      // What cannot be removed, such as a folder, is not in the way of new parts.
      if (await isLeftOver(path, name)) await rm(path, { force: true }).catch(() => undefined);
    }
    return undefined;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    return false;
  }
}

function gone(path: string): Error {
  return Object.assign(new Error(`${path} is gone`), { code: 'ENOENT', syscall: 'stat' });
}

/** The name of the sidecar of a file. */
export function sidecarOf(path: string): string {
  return `${path}.xmp`;
}

/**
 * Opens a folder for a delivery, and makes it if it is missing. Refuses one that contains another program's package.
 * Throws errors of the disk.
 */
export async function openDelivery(folder: string): Promise<Result<DeliveryFolder, Failure>> {
  await makeFolder(folder);
  const path = await realpath(folder);
  const earlier = await readPackage(path);
  if (!earlier.ok) return err(failure('INPUT_INVALID', earlier.error));
  const opened = new DeliveryFolder(path, (await stat(path, { bigint: true })).dev, earlier.value);
  const noRoom = await opened.begin();
  return noRoom === undefined ? ok(opened) : err(noRoom);
}

/** The package of a folder, if it has one; an error if Nocturne did not write it. */
export async function readPackage(folder: string): Promise<Result<DataPackage | undefined, Reason>> {
  const path = join(folder, DATA_PACKAGE);
  if (!(await isTaken(path))) return ok(undefined);
  const file = await openPlainFile(path);
  try {
    const { size } = await file.stat();
    const read = size > MAX_PACKAGE_BYTES ? undefined : readDataPackage(await file.readFile('utf8'));
    return read === undefined ? err(reason('foreignPackage', path)) : ok(read);
  } finally {
    await file.close();
  }
}

/** The length and sha256 of a whole file. */
export async function lookAtPart(part: string): Promise<WholeFile> {
  const file = await openPlainFile(part);
  try {
    const { size } = await file.stat();
    const hash = createHash('sha256');
    await hashFile(file, hash, size);
    return { part, sha256: hash.digest('hex'), bytes: size };
  } finally {
    await file.close();
  }
}

/** True if a plain file has content with this hash, or if nothing has the name. */
export async function isStillAsWritten(path: string, hash: string): Promise<boolean> {
  try {
    return `sha256:${(await lookAtPart(path)).sha256}` === hash;
  } catch (error) {
    if (error instanceof NotPlainFileError) return false;
    if (diskErrorCode(error) === 'ENOENT') return true;
    throw error;
  }
}

async function isAnothers(folder: string, name: string, { sha256, bytes }: WholeFile): Promise<boolean> {
  const path = join(folder, name);
  return (await isTaken(path)) && !(await fileMatches(path, sha256, bytes));
}

/** False if the name is another file's. */
async function putOrFind(folder: string, name: string, whole: WholeFile): Promise<boolean> {
  const path = join(folder, name);
  if (await isTaken(path)) return fileMatches(path, whole.sha256, whole.bytes);
  return moveWithoutReplacing(whole.part, folder, name);
}
