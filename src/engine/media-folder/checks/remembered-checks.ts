/** Notes on the disk what is being checked, so that a file does not kill the whole engine again and again. */
import { open, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { reason } from '../../../shared/domain/base/reason.ts';
import { crashPoint } from '../../crash-point.ts';
import { diskErrorCode } from '../disk-failure.ts';
import { FOLDER_FILE_MODE, openIfThere } from '../plain-file.ts';
import type { MediaChecker } from './media-checker.ts';
import { partName, returnBlock } from '../fetch/part-file.ts';
import type { MediaCheck } from './verify-media.ts';

/** After this many unfinished checks of one content, it is not checked again. */
const MOST_UNENDED = 2;
/**
 * A shorter check is not noted: it then costs nothing, and an engine killed for another reason does not cast suspicion
 * on the file. What exhausts a machine takes longer.
 */
const NOTED_AFTER_MS = 100;
/** How long the next check, and the end, wait for a note to be removed from a disk that does not answer. */
const PATIENCE_MS = 5_000;
/** No note is longer. */
const NOTE_BYTES = 80;

/** A complete part. */
export interface CheckedPart {
  readonly path: string;
  readonly outputId: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The whole part, if it is in memory: it is handed over to the check. */
  readonly content?: Buffer<ArrayBuffer>;
  /** Whether it is the first part that its output ever had: no check can have begun before. */
  readonly isFirst?: boolean;
  /**
   * Commits that there is such a part, if that is not committed yet: once there is a note, no part counts as its
   * output's first.
   */
  readonly beforeNoted?: () => Promise<void>;
}

/** Checks parts one after the other: only a part that is being checked is noted, never one that waits. */
export interface RememberedChecks {
  /** Like {@link MediaChecker.check}; unchecked if the engine has ended twice while it was checking this content. */
  check(part: CheckedPart): Promise<MediaCheck>;
  /** Ends the checker and removes its notes, but does not wait for a disk that does not answer. */
  close(): Promise<void>;
}

/** Adds this memory to `checker`; a check is noted once it has taken `notedAfterMs`, with 0 at once. */
export function rememberChecks(
  checker: MediaChecker,
  notedAfterMs = NOTED_AFTER_MS,
  patienceMs = PATIENCE_MS,
): RememberedChecks {
  let last: Promise<unknown> = Promise.resolve();
  /** By note, the last check that may use it: the next check of the same output must not find what this one leaves. */
  const checks = new Map<string, Promise<unknown>>();

  /** Work that hangs does not keep the process alive. */
  const patient = (work: Promise<unknown>): Promise<unknown> =>
    Promise.race([work, passed(patienceMs, undefined, { ref: false })]);

  async function checkNoted(part: CheckedPart, note: string): Promise<MediaCheck> {
    const { path, bytes, sha256, content, isFirst, beforeNoted } = part;
    const unended = isFirst === true ? 0 : await countUnended(note, sha256);
    // The note stays until its output is settled: if the same content is fetched again, it is not checked again.
    if (unended >= MOST_UNENDED) {
      returnBlock(content);
      return { kind: 'unchecked', reason: reason('media.stoppedTwice') };
    }
    let noted = unended > 0 ? Promise.resolve() : undefined;
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    // Timed from when a thread begins the check: on a busy machine, starting a thread takes as long as a long check.
    const onBegin = () => {
      const takeNote = () => {
        // A commit may take as long as the disk refuses, or never end: the check does not wait for it.
        void (beforeNoted?.() ?? Promise.resolve()).then(
          () => {
            if (!isOver) noted = writeNote(note, `${sha256} ${unended + 1}`);
            noted?.catch(() => undefined);
          },
          // Whoever places or keeps the part gets the error.
          () => undefined,
        );
      };
      if (notedAfterMs === 0) takeNote();
      else timer = setTimeout(takeNote, notedAfterMs);
    };
    const verdict = last.then(() => checker.check(path, bytes, content, onBegin));
    const judged = verdict.catch(() => undefined);
    const isGone = judged.then(async () => {
      isOver = true;
      clearTimeout(timer);
      await noted;
      if (noted !== undefined) await removeNote(note);
    });
    last = judged.then(() => (noted === undefined ? undefined : patient(isGone))).catch(() => undefined);
    await isGone;
    return verdict;
  }

  return {
    check(part) {
      // The note is beside the part, and named like a part of generation 0, which no download has: the sweep removes
      // both.
      const note = join(dirname(part.path), partName(part.outputId, 0));
      const checked = (checks.get(note) ?? Promise.resolve()).then(() => checkNoted(part, note));
      const over = checked
        .catch(() => undefined)
        .then(() => {
          if (checks.get(note) === over) checks.delete(note);
        });
      checks.set(note, over);
      return checked;
    },
    async close() {
      await patient(checker.close().then(() => Promise.all(checks.values())));
    },
  };
}

/** How many checks of this content were begun and not finished. */
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

/**
 * Not synced: this guards against the end of the process, not of the machine. If the disk does not accept a note, the
 * check goes on.
 */
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
