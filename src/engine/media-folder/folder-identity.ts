/** What a media folder is known by wherever it is mounted: a random id in a small file inside it. */
import { randomUUID } from 'node:crypto';
import { link, lstat, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { failure, saidBy, type Failure } from '../../shared/domain/base/failure.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { FOLDER_IDENTITY_FILE } from '../../shared/domain/files/naming.ts';
import type { BatchSettings } from '../../shared/domain/task/batch.ts';
import { crashPoint } from '../crash-point.ts';
import type { FolderKnown, RecordedFile } from '../ports/media-folder.ts';
import { syncFolder } from '../whole-file.ts';
import { diskErrorCode, diskFailure, NotPlainFileError } from './disk-failure.ts';
import { FOLDER_FILE_MODE, openPlainFile } from './plain-file.ts';
import { NO_HARD_LINKS } from './thread/file-steps.ts';

const MAX_BYTES = 4096;

/** Later versions may add to it; this field identifies a folder for all of them. */
const identitySchema = z.object({ folder: z.uuid() });

/** What to do with a folder: it is the batch's, or becomes the batch's by a mark, or only the user can decide. */
type Verdict =
  /** It has this identity, and is the batch's. */
  | { readonly kind: 'known'; readonly identity: string }
  /** It has no identity, and gets this one, or a new one. */
  | { readonly kind: 'mark'; readonly identity?: string }
  | { readonly kind: 'another'; readonly why: Reason };

/** What is seen in a folder and known about it, as a basis for the verdict. */
export interface FolderSeen extends FolderKnown {
  /** The identity that it has. */
  readonly found: string | undefined;
  /** Whether it has the same number as before in this process: nothing was mounted or unmounted here. */
  readonly isSamePlace: boolean;
  readonly mayReplace: boolean;
  /** Whether a file of the batch is there. */
  readonly isThere: (file: RecordedFile) => Promise<boolean>;
}

/**
 * Whether a folder is the batch's. An empty mount point, another disk or a wrong mount is not: it has no identity or
 * another one. A folder without an identity, because it is older than identities or somebody has removed it, is
 * recognised by files of the batch.
 */
export async function judgeFolder(seen: FolderSeen): Promise<Verdict> {
  const { identity, found, isSamePlace, mayReplace } = seen;
  const known: Verdict = found === undefined ? { kind: 'mark' } : { kind: 'known', identity: found };
  if (identity !== undefined) {
    if (found === identity) return known;
    if (found === undefined && (isSamePlace || (await holdsFiles(seen)) === 'some')) return { kind: 'mark', identity };
    if (mayReplace) return known;
    const why = reason(found === undefined ? 'another.noMark' : 'another.otherMark');
    return { kind: 'another', why };
  }
  if (mayReplace || isSamePlace || (await holdsFiles(seen)) !== 'none') return known;
  return { kind: 'another', why: reason('another.noFiles') };
}

/**
 * Whether a batch's files are in a folder: some of those that are looked for, none of them, or there are none to look
 * for.
 */
async function holdsFiles({ files, isThere }: FolderSeen): Promise<'some' | 'none' | 'nothing-to-look-for'> {
  const recorded = (await files?.()) ?? [];
  if (recorded.length === 0) return 'nothing-to-look-for';
  for (const file of recorded) if (await isThere(file)) return 'some';
  return 'none';
}

/** Whether a file that was placed is in a folder. */
export async function isFileThere(folder: string, { path, bytes }: RecordedFile): Promise<boolean> {
  try {
    const found = await lstat(join(folder, ...path.split('/')));
    return found.isFile() && found.size === bytes;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(diskErrorCode(error) ?? '')) return false;
    throw error;
  }
}

/**
 * Why a known folder must not be read or written as the batch's, found without changing anything in it; undefined if it
 * is the batch's, or was never known.
 */
export async function folderProblem(folder: string, known: FolderKnown): Promise<Failure | undefined> {
  if (known.identity === undefined) return undefined;
  try {
    // A missing folder has no mark either, but that says less.
    await stat(folder);
    const found = await readIdentity(folder);
    if (!found.ok) return found.error;
    const isThere = (file: RecordedFile): Promise<boolean> => isFileThere(folder, file);
    const seen = { ...known, found: found.value, isSamePlace: false, mayReplace: false, isThere };
    const verdict = await judgeFolder(seen);
    return verdict.kind === 'another' ? anotherFolder(folder, verdict.why) : undefined;
  } catch (error) {
    return diskFailure(error, folder);
  }
}

/**
 * Why a batch's folder must not be opened or written to on this computer, in words for the user; undefined if the
 * folder has the mark of this very batch. Needed for a store on a server: whoever may write to the store chooses the
 * path.
 */
export async function whyNotOwnFolder({
  folder,
  folderIdentity,
}: Pick<BatchSettings, 'folder' | 'folderIdentity'>): Promise<Reason | undefined> {
  if (folderIdentity === undefined) return reason('folderUnknown', folder);
  try {
    const isFolder = isAbsolute(folder) && (await lstat(folder)).isDirectory();
    const found = isFolder ? await readIdentity(folder) : undefined;
    if (found?.ok === true && found.value === folderIdentity) return undefined;
  } catch {
    // A missing or unreadable folder gets the same words.
  }
  return reason('folderElsewhere', folder);
}

/**
 * Reads the identity of a folder; undefined if it has none. The failure says that the identity's file is there but
 * empty or unreadable: on a disk without hard links, this is so for a moment while another machine writes it. Throws
 * errors of the disk.
 */
export async function readIdentity(folder: string): Promise<Result<string | undefined, Failure>> {
  const path = join(folder, FOLDER_IDENTITY_FILE);
  let text;
  try {
    const file = await openPlainFile(path);
    try {
      const content = Buffer.alloc(MAX_BYTES);
      const { bytesRead } = await file.read(content, 0, MAX_BYTES, 0);
      text = content.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (diskErrorCode(error) === 'ENOENT') return ok(undefined);
    if (error instanceof NotPlainFileError) return err(diskFailure(error, path));
    throw error;
  }
  return identityIn(text, path);
}

/** The identity in the content of its file; `path` is for the words of the failure. */
export function identityIn(text: string, path: string): Result<string, Failure> {
  const parsed = identitySchema.safeParse(jsonOf(text));
  if (parsed.success) return ok(parsed.data.folder);
  return err(failure('DISK_DENIED', reason('identityDamaged', path)));
}

/** What the file of an identity says. */
export function identityText(identity: string): string {
  return `${JSON.stringify({ version: 1, folder: identity })}\n`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Gives a folder an identity, durably and without ever replacing one: if several machines do this at once, one wins,
 * and all get its identity. Throws errors of the disk.
 */
export async function writeIdentity(folder: string, identity: string = randomUUID()): Promise<Result<string, Failure>> {
  const base = await realpath(folder);
  const path = join(base, FOLDER_IDENTITY_FILE);
  const part = join(base, `.nocturne-${randomUUID()}.tmp`);
  try {
    await writeDurably(part, identityText(identity));
    crashPoint('folder.identity-written');
    await nameWithoutReplacing(part, path);
  } finally {
    await rm(part, { force: true });
  }
  await syncFolder(base);
  crashPoint('folder.identity-placed');
  const written = await readIdentity(base);
  if (!written.ok) return written;
  return ok(written.value ?? identity);
}

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', FOLDER_FILE_MODE);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function nameWithoutReplacing(part: string, path: string): Promise<void> {
  try {
    await link(part, path);
  } catch (error) {
    const code = diskErrorCode(error) ?? '';
    if (code === 'EEXIST') return;
    if (!NO_HARD_LINKS.has(code)) throw error;
    await claimAndRename(part, path);
  }
}

/** Without hard links: whoever creates the empty file with that name owns it, and may give it its content. */
async function claimAndRename(part: string, path: string): Promise<void> {
  try {
    await (await open(path, 'wx', FOLDER_FILE_MODE)).close();
  } catch (error) {
    if (diskErrorCode(error) === 'EEXIST') return;
    throw error;
  }
  await rename(part, path);
}

const NOT_MOUNTED = reason('notMounted');

/** The failure for another folder in the place of a batch's own; `question` is what the user may check. */
export function anotherFolder(folder: string, why: Reason, question = NOT_MOUNTED): Failure {
  return failure('DISK_DENIED', reason('both', reason('otherFolder', folder, why), question));
}

/** The same for a batch at work. `data.replaced` marks what the user may take for the batch's folder from now on. */
export function replacedFolder(folder: string, why: Reason, question = NOT_MOUNTED): Failure {
  const another = anotherFolder(folder, why, question);
  return failure(another.code, reason('both', saidBy(another), reason('replaced')), { replaced: true });
}
