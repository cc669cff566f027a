/** A delivery as one ZIP: made as a folder first. */
import { createReadStream, type Dirent } from 'node:fs';
import { mkdir, open, readdir, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import { Zip, ZipDeflate, ZipPassThrough } from 'fflate/browser';
import { failure, type Failure } from '../../shared/domain/base/failure.ts';
import { reason } from '../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import {
  emptyReport,
  type DeliveryProgress,
  type DeliveryReport,
} from '../../shared/domain/delivery/delivery-report.ts';
import { shorten } from '../../shared/domain/base/name-text.ts';
import { formatBytes } from '../../shared/domain/base/text.ts';
import { diskFailure } from '../media-folder/disk-failure.ts';
import { isTaken, moveWithoutReplacing } from '../media-folder/place-file.ts';
import { isLeftOver, ownMark } from '../own-mark.ts';
import { makeFolder } from '../make-folder.ts';

/** More bytes need another kind of ZIP, which the library does not write. */
const MOST_BYTES = 0xffff_ffff;
const MOST_FILES = 0xffff;
/** What the names and headers of a file take besides its content, at most. */
const OVERHEAD_BYTES = 2048;
/** How much of its name is in that of the folder that it is made in, which says whose that is, too. */
const MOST_OF_NAME_BYTES = 150;
/** Texts become smaller; sound, films and pictures do not. */
const TEXTS = /\.(?:json|otio|xmp)$/iu;

/** How the caller of a delivery follows and cancels it. */
export interface DeliveryWatch {
  /** Ends the delivery after the current file: what was delivered stays, and the next delivery goes on from there. */
  readonly signal?: AbortSignal | undefined;
  /** Called at the beginning, and after each file. */
  readonly onProgress?: ((progress: DeliveryProgress) => void) | undefined;
}

/**
 * Delivers into a folder beside the ZIP by `deliver`, packs the folder, and removes it. This temporarily takes twice
 * the space. The ZIP is whole or not there, even if the delivery is cancelled; an existing one is not touched.
 */
export async function deliverZip(
  zip: string,
  deliver: (folder: string) => Promise<Result<DeliveryReport, Failure>>,
  { signal, onProgress }: DeliveryWatch = {},
): Promise<Result<DeliveryReport, Failure>> {
  const [folder, name] = [dirname(zip), basename(zip)];
  let made: string | undefined;
  try {
    if (await isTaken(zip)) {
      return err(failure('INPUT_INVALID', reason('zipExists', zip)));
    }
    await makeFolder(folder);
    const stem = `.${shorten(name, MOST_OF_NAME_BYTES, MOST_OF_NAME_BYTES)}.nocturne-`;
    await removeLeftOvers(folder, stem);
    // A new folder each time, and nobody else's: what another run has left is not delivered.
    const temporary = join(folder, `${stem}${ownMark()}`);
    await mkdir(temporary);
    made = temporary;
    const [inside, part] = [join(made, 'files'), join(made, 'zip')];
    await mkdir(inside);
    const delivered = await deliver(inside);
    if (!delivered.ok) return delivered;
    const { added, left, unkept, gone } = delivered.value;
    const cancelled = emptyReport({ unkept, gone, left: added.length + left });
    // No file is kept by the user any more: an empty ZIP is of no use.
    if (left > 0 || added.length === 0) return ok(cancelled);
    const files = await filesIn(inside);
    const problem = zipProblem(files.map((file) => file.bytes));
    if (problem !== undefined) return err(problem);
    if (!(await pack(inside, files, part, { signal, onProgress }))) return ok(cancelled);
    if (!(await moveWithoutReplacing(part, folder, name))) {
      return err(failure('INPUT_INVALID', reason('zipExists', zip)));
    }
    return ok(delivered.value);
  } catch (error) {
    return err(diskFailure(error, zip));
  } finally {
    if (made !== undefined) await rm(made, { recursive: true, force: true });
  }
}

/** Removes what a process left that was killed while it made this ZIP: this may take twice the ZIP's space. */
async function removeLeftOvers(folder: string, stem: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory() || !entry.name.startsWith(stem)) continue;
    if (!(await isLeftOver(path, entry.name.slice(stem.length)))) continue;
    // What cannot be removed takes space, and no more.
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

/** Why files of these lengths do not go into one ZIP; undefined if they do. */
export function zipProblem(lengths: readonly number[]): Failure | undefined {
  const bytes = lengths.reduce((sum, length) => sum + length + OVERHEAD_BYTES, 0);
  if (bytes <= MOST_BYTES && lengths.length <= MOST_FILES) return undefined;
  return failure('INPUT_INVALID', reason('zipTooLarge', lengths.length, formatBytes(bytes)));
}

interface PackedFile {
  /** Inside the ZIP, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
}

async function filesIn(folder: string): Promise<readonly PackedFile[]> {
  const files: PackedFile[] = [];
  const visit = async (path: string): Promise<void> => {
    const entries: readonly Dirent[] = await readdir(join(folder, path), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const inner = posix.join(path, entry.name);
      if (entry.isDirectory()) await visit(inner);
      else if (entry.isFile()) {
        const { size, mtimeMs } = await stat(join(folder, inner));
        files.push({ path: inner, bytes: size, changedAt: mtimeMs });
      }
    }
  };
  await visit('');
  return files;
}

/**
 * Packs one file after the other, each in pieces: no more than a piece is in memory. False if it was cancelled: the ZIP
 * is not whole.
 */
async function pack(
  folder: string,
  files: readonly PackedFile[],
  to: string,
  { signal, onProgress }: DeliveryWatch,
): Promise<boolean> {
  const out = await open(to, 'wx');
  const ofBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  let [done, packed] = [0, 0];
  const tell = (): void =>
    onProgress?.({ step: 'packing', files: done, ofFiles: files.length, bytes: packed, ofBytes });
  try {
    const written: Uint8Array[] = [];
    const zip = new Zip((problem, chunk) => {
      if (problem !== null) throw problem;
      written.push(chunk);
    });
    tell();
    for (const { path, changedAt, bytes } of files) {
      const entry = TEXTS.test(path) ? new ZipDeflate(path) : new ZipPassThrough(path);
      entry.mtime = changedAt;
      zip.add(entry);
      for await (const chunk of createReadStream(join(folder, path), { highWaterMark: 1 << 20 })) {
        if (signal?.aborted === true) return false;
        entry.push(chunk as Buffer);
        await flush(out, written);
      }
      entry.push(new Uint8Array(0), true);
      await flush(out, written);
      done += 1;
      packed += bytes;
      tell();
    }
    zip.end();
    await flush(out, written);
    await out.sync();
    return signal?.aborted !== true;
  } finally {
    await out.close();
  }
}

async function flush(out: FileHandle, written: Uint8Array[]): Promise<void> {
  for (const chunk of written.splice(0)) await out.writeFile(chunk);
}
