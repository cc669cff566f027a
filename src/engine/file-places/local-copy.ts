/**
 * A file from this computer in the form in which it is put: a private copy whose bytes nobody changes any more, with
 * its digest and its kind. The original may be replaced, written to or removed at any moment.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { MediaType } from '../../shared/domain/files/media-type.ts';
import type { AddressedMedia } from '../../shared/domain/operations/operations.ts';
import { mostBytes, type FilesPlace } from '../../shared/domain/places/files-place.ts';
import { verifyMedia } from '../media-folder/checks/verify-media.ts';
import { diskErrorCode, NotPlainFileError } from '../media-folder/disk-failure.ts';
import { openPlainFile } from '../media-folder/plain-file.ts';
import { absolutePathOf, nearestFile, type PathContext } from './local-path.ts';

/** A file that exists, as it is at this moment. */
export interface SeenFile {
  /** With links resolved. */
  readonly path: string;
  readonly bytes: number;
  /** Different after each change that the disk notes. */
  readonly signature: string;
}

/** A copy that is ready to be put. */
export interface LocalCopy {
  readonly path: string;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  readonly type: MediaType;
}

/**
 * Why a file is not put; the message follows the file's name. `passes`: it was changed meanwhile, so another look may
 * help.
 */
export interface FileProblem {
  readonly said: Reason;
  readonly passes?: true;
}

/** What a file has to be. */
export interface FileTerms extends Pick<FilesPlace, 'folders' | 'maxMegabytes'> {
  readonly media: AddressedMedia;
}

const BLOCK_BYTES = 1 << 20;
const KINDS: Readonly<Record<AddressedMedia, MediaType['kind']>> = { image: 'image', audio: 'music' };

/** Looks at the file that a cell means, without reading it. */
export async function seeFile(
  written: string,
  context: PathContext,
  terms: FileTerms,
): Promise<Result<SeenFile, FileProblem>> {
  const meant = absolutePathOf(written, context);
  if (!meant.ok) return err({ said: meant.error });
  try {
    // A link is followed: its target counts.
    const real = await realpath(meant.value);
    const found = await stat(real, { bigint: true });
    const wrong = kindProblem(found) ?? sizeProblem(found.size, terms) ?? (await folderProblem(real, terms));
    if (wrong !== undefined) return err({ said: wrong });
    return ok({ path: real, bytes: Number(found.size), signature: signatureOf(found) });
  } catch (error) {
    return err({ said: await wordsOf(error, meant.value) });
  }
}

/** Whether the file is the media that it should be: reads it, and copies nothing. */
export async function checkFile(seen: SeenFile, terms: FileTerms): Promise<Result<MediaType, FileProblem>> {
  try {
    const file = await openPlainFile(seen.path);
    try {
      return await mediaOf(file, seen.bytes, terms);
    } finally {
      await file.close();
    }
  } catch (error) {
    return err({ said: await wordsOf(error, seen.path) });
  }
}

/** Copies a file into a folder of our own, and says what the copy is. */
export async function copyFile(
  seen: SeenFile,
  terms: FileTerms,
  spool: string,
  signal: AbortSignal,
): Promise<Result<LocalCopy, FileProblem>> {
  await mkdir(spool, { recursive: true, mode: 0o700 });
  const copy = path.join(spool, randomUUID());
  let isKept = false;
  try {
    const from = await openPlainFile(seen.path);
    try {
      const to = await open(copy, 'wx+', 0o600);
      try {
        const read = await copyBytes(from, to, mostBytes(terms), signal);
        const now = await from.stat({ bigint: true });
        if (read === undefined) return err({ said: sizeProblem(now.size, terms) ?? reason('file.grows') });
        if (signatureOf(now) !== seen.signature || read.bytes !== seen.bytes)
          return err({ said: reason('file.changed'), passes: true });
        const type = await mediaOf(to, read.bytes, terms);
        if (!type.ok) return type;
        // A command may rely on the extension.
        const named = `${copy}.${type.value.extension}`;
        await rename(copy, named);
        isKept = true;
        return ok({ path: named, ...read, type: type.value });
      } finally {
        await to.close();
      }
    } finally {
      await from.close();
    }
  } catch (error) {
    return err({ said: await wordsOf(error, seen.path) });
  } finally {
    if (!isKept) await rm(copy, { force: true });
  }
}

/** Such a copy of a picture, which `make` writes to the path that it is given. */
export async function copyPicture(
  make: (to: string) => Promise<Result<void, Reason>>,
  { media, maxMegabytes }: FileTerms,
  spool: string,
  signal: AbortSignal,
): Promise<Result<LocalCopy, FileProblem>> {
  await mkdir(spool, { recursive: true, mode: 0o700 });
  const made = path.join(spool, randomUUID());
  try {
    const outcome = await make(made);
    if (!outcome.ok) return err({ said: outcome.error });
    // The folders are those that the user's own files may come from.
    const terms = { media, maxMegabytes };
    const seen = await seeFile(made, { folder: undefined }, terms);
    return seen.ok ? await copyFile(seen.value, terms, spool, signal) : seen;
  } finally {
    await rm(made, { force: true });
  }
}

/** Removes the copies of an earlier, killed process. */
export async function sweepCopies(spool: string): Promise<void> {
  const names = await readdir(spool).catch(() => []);
  await Promise.all(names.map((name) => rm(path.join(spool, name), { force: true }).catch(() => undefined)));
}

/** Undefined if there are more bytes than are allowed. */
async function copyBytes(
  from: FileHandle,
  to: FileHandle,
  most: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string } | undefined> {
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  let bytes = 0;
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await from.read(block, 0, block.length, bytes);
    if (bytesRead === 0) return { bytes, sha256: hash.digest('hex') };
    bytes += bytesRead;
    if (bytes > most) return undefined;
    const piece = block.subarray(0, bytesRead);
    hash.update(piece);
    // Not `write`, which may take less than it is given.
    await to.writeFile(piece);
  }
}

async function mediaOf(
  file: FileHandle,
  bytes: number,
  { media }: Pick<FileTerms, 'media'>,
): Promise<Result<MediaType, FileProblem>> {
  const check = await verifyMedia(file, bytes);
  switch (check.kind) {
    case 'media':
      if (check.type.kind === KINDS[media]) return ok(check.type);
      return err({ said: reason('file.otherType', media, check.type.mediaType) });
    case 'broken':
      return err({ said: reason('file.broken', check.type.mediaType, check.reason) });
    case 'unknown':
      // The message does not quote it: it may be any text on this computer.
      return err({ said: reason('file.otherKind', media, check.isText ? reason('media.text') : check.reason) });
    case 'unchecked':
      return err({ said: reason('file.unchecked', check.reason) });
  }
}

function signatureOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [dev, ino, size, mtimeNs, ctimeNs].join(':');
}

function kindProblem(found: BigIntStats): Reason | undefined {
  if (found.isFile()) return undefined;
  if (found.isDirectory()) return reason('file.folder');
  if (found.isFIFO()) return reason('file.pipe');
  if (found.isSocket()) return reason('file.socket');
  return reason('file.device');
}

function sizeProblem(bytes: bigint, terms: Pick<FileTerms, 'maxMegabytes'>): Reason | undefined {
  if (bytes === 0n) return reason('file.empty');
  if (bytes <= BigInt(mostBytes(terms))) return undefined;
  return reason('file.tooLarge', megabytes(Number(bytes)), megabytes(mostBytes(terms)));
}

/** `4.2 MB`. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(bytes < 100_000 ? 3 : 1)} MB`;
}

async function folderProblem(real: string, { folders }: Pick<FileTerms, 'folders'>): Promise<Reason | undefined> {
  if (folders === undefined) return undefined;
  for (const folder of folders) {
    const within = path.relative(await realpath(folder).catch(() => folder), real);
    if (within !== '' && within !== '..' && !within.startsWith(`..${path.sep}`) && !path.isAbsolute(within))
      return undefined;
  }
  return reason('file.otherFolder');
}

/** Any error but one of the disk is a bug. */
async function wordsOf(error: unknown, missing: string): Promise<Reason> {
  if (error instanceof NotPlainFileError) return reason('file.notPlain');
  const code = diskErrorCode(error);
  if (code === undefined) throw error;
  if (code === 'ENOENT') {
    const nearest = await nearestFile(missing);
    return nearest === undefined ? reason('file.ENOENT') : reason('both', reason('file.ENOENT'), nearest);
  }
  return isNamed(code) ? reason(`file.${code}`) : reason('file.unreadable', code);
}

const NAMED_CODES = ['EACCES', 'EPERM', 'ELOOP', 'ENOTDIR', 'ENAMETOOLONG', 'EIO', 'ENOSPC', 'EDQUOT'] as const;

function isNamed(code: string): code is (typeof NAMED_CODES)[number] {
  return NAMED_CODES.some((named) => named === code);
}
