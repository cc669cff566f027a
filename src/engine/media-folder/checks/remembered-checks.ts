/** Remembers on the disk what is being checked, so that a file whose check ends the whole engine does not do so for ever. */
import { open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { crashPoint } from '../../crash-point.ts';
import { diskErrorCode } from '../disk-failure.ts';
import { FOLDER_FILE_MODE, openIfThere } from '../plain-file.ts';
import type { MediaChecker } from './media-checker.ts';
import { partName } from '../fetch/part-file.ts';
import type { MediaCheck } from './verify-media.ts';

/** So many checks of one content that were never ended are enough. */
const MOST_UNENDED = 2;
/**
 * A check that ends sooner is not noted: it costs nothing then, and an engine that is killed for another reason does not
 * leave it in a bad light. What exhausts a machine takes longer.
 */
const NOTED_AFTER_MS = 100;
/** No note is longer. */
const NOTE_BYTES = 80;

/** A part that is whole. */
export interface CheckedPart {
  readonly path: string;
  readonly outputId: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** Checks parts one after the other: what is noted is what was looked into, and nothing that only waited. */
export interface RememberedChecks {
  /** As {@link MediaChecker.check}; unchecked where the engine has ended twice while it was at this content. */
  check(part: CheckedPart): Promise<MediaCheck>;
  close(): Promise<void>;
}

/** Makes `checker` remember. */
export function rememberChecks(checker: MediaChecker, notedAfterMs = NOTED_AFTER_MS): RememberedChecks {
  let last: Promise<unknown> = Promise.resolve();

  async function checkNoted({ path, outputId, bytes, sha256 }: CheckedPart): Promise<MediaCheck> {
    // Beside the part, and named like one of generation 0, which no download has: it is swept with them.
    const note = join(dirname(path), partName(outputId, 0));
    const unended = await countUnended(note, sha256);
    // The note stays until its output is done with: the same content is not looked into when it is fetched again.
    if (unended >= MOST_UNENDED) {
      return { kind: 'unchecked', reason: 'could not be checked: the engine stopped twice while it was at this' };
    }
    let noted = unended > 0 ? Promise.resolve() : undefined;
    const timer = setTimeout(() => {
      noted = writeNote(note, `${sha256} ${unended + 1}`);
    }, notedAfterMs);
    try {
      return await checker.check(path, bytes);
    } finally {
      clearTimeout(timer);
      await noted;
      if (noted !== undefined) await removeNote(note);
    }
  }

  return {
    check(part) {
      const checked = last.then(() => checkNoted(part));
      last = checked.catch(() => undefined);
      return checked;
    },
    async close() {
      await checker.close();
      await last;
    },
  };
}

/** How many checks of this content were begun and not ended. */
async function countUnended(note: string, sha256: string): Promise<number> {
  const file = await openIfThere(note);
  if (file === undefined) return 0;
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(NOTE_BYTES), 0, NOTE_BYTES, 0);
    const [content, count] = buffer.toString('latin1', 0, bytesRead).split(' ');
    return content === sha256 && Number.isSafeInteger(Number(count)) ? Number(count) : 0;
  } finally {
    await file.close();
  }
}

/** Not synced: it is for an end of this process, not of the machine. A disk that takes no note keeps no check from being made. */
async function writeNote(note: string, text: string): Promise<void> {
  try {
    await removeNote(note);
    const file = await open(note, 'wx', FOLDER_FILE_MODE);
    try {
      await file.write(text);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
  }
  crashPoint('check.noted');
}

async function removeNote(note: string): Promise<void> {
  try {
    await unlink(note);
  } catch (error) {
    if (diskErrorCode(error) === undefined) throw error;
  }
}
