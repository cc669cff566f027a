/**
 * Places in the protocols where the end of the process would hurt most, by name: a crash test ends the process there.
 * They are listed in the order in which a batch passes them.
 */
export const CRASH_POINTS = [
  /** A row of a new batch is written, its transaction is open. */
  'import.row-written',
  'import.committed',
  /** A group of changes is written, its transaction is open. */
  'commit.written',
  /** What follows for the rows that refer to a row that has ended is known, and nothing of it is written. */
  'link.before-commit',
  'link.committed',
  'submit.before-intent',
  'submit.intent-committed',
  'submit.answered',
  'submit.answer-committed',
  'poll.answered',
  'poll.committed',
  'download.generation-committed',
  'download.bytes-written',
  /** All bytes are written and not yet on the medium. */
  'download.part-complete',
  'download.part-synced',
  'place.committed',
  /** The file has both names. */
  'place.linked',
  /** The file has its name alone, and the folder does not yet hold it for good. */
  'place.part-removed',
  /** All that is missing is the commit that says so. */
  'place.folder-synced',
] as const;

/** The same for an edit of a sheet, which no night passes by itself. */
export const SHEET_CRASH_POINTS = [
  /** A row is written with its tasks, the transaction of the edit is open. */
  'sheet.row-written',
  /** All of the edit is written, its transaction is open. */
  'sheet.written',
  'sheet.committed',
] as const;

export type CrashPointName =
  | (typeof CRASH_POINTS)[number]
  | (typeof SHEET_CRASH_POINTS)[number]
  /** It is noted which file is being checked; checks of common files are over before. */
  | 'check.noted';

let hook: ((name: CrashPointName) => void) | undefined;

/** Passes a crash point: nothing happens, unless a crash test watches. */
export function crashPoint(name: CrashPointName): void {
  hook?.(name);
}

/** Calls `watch` at every crash point from now on; only a crash test's own entry does so. */
export function watchCrashPoints(watch: (name: CrashPointName) => void): void {
  hook = watch;
}
