/**
 * Places in the protocols where a crash would hurt most, by name: a crash test ends the process there. Listed in the
 * order in which a batch passes them, except for short files: their generation and place are committed together, before
 * the first byte is written.
 */
export const CRASH_POINTS = [
  /** A row of a new batch is written, its transaction is open. */
  'import.row-written',
  'import.committed',
  /** The identity of a media folder is durable, but does not have its name yet. */
  'folder.identity-written',
  'folder.identity-placed',
  /** A group of changes is written, its transaction is open. */
  'commit.written',
  /** The effects on the rows that refer to an ended row are known, but none of them is written. */
  'link.before-commit',
  'link.committed',
  'submit.before-intent',
  'submit.intent-committed',
  'submit.answered',
  'submit.answer-committed',
  /** The same for a request that is sent again under its key. */
  'again.before-intent',
  'again.intent-committed',
  'again.answered',
  'again.answer-committed',
  'poll.answered',
  'poll.committed',
  'download.generation-committed',
  'download.bytes-written',
  /** All bytes are written, but not yet on the medium. */
  'download.part-complete',
  'download.part-synced',
  'place.committed',
  /** The file has both names. */
  'place.linked',
  /** The file has only its final name, which is not yet durable in the folder. */
  'place.part-removed',
  /** Only the commit of the file is missing. */
  'place.folder-synced',
] as const;

/** The same for a file that goes into a bucket, after `place.committed`. */
export const BUCKET_CRASH_POINTS = [
  /** The file is durable on this machine's disk, and none of it has been sent. */
  'bucket.part-written',
  /** The bucket has it, and it is still here, too. */
  'bucket.put',
  /** Only the commit of the file is missing. */
  'bucket.part-removed',
] as const;

/** The same for a file on this computer that is put where a gateway can read it. */
export const FILE_CRASH_POINTS = [
  /** Its place has it, but nothing here says so. */
  'file.put',
  /** This is recorded, but no row has its address. */
  'file.recorded',
] as const;

/** The same for a file that is deleted there again, because its batch is over. */
export const FILE_DELETION_CRASH_POINTS = [
  /** The deletion is noted, but its place has heard nothing of it. */
  'file.deleting',
  /** Its place has deleted it, or has refused to, but nothing here says so. */
  'file.deleted',
] as const;

/** The same for an edit of a sheet, or its removal with its batch; no night passes these by itself. */
export const SHEET_CRASH_POINTS = [
  /** A row and its tasks are written, the transaction of the edit is open. */
  'sheet.row-written',
  /** The whole edit is written, its transaction is open. */
  'sheet.written',
  'sheet.committed',
  /** The rows of a deleted batch are gone, its transaction is open. */
  'sheet.half-removed',
  'sheet.removed',
] as const;

/** The same for a backup that takes the place of a store. */
export const RESTORE_CRASH_POINTS = [
  /** The backup is copied beside the store, but does not say yet that it is being restored. */
  'restore.copied',
  'restore.made',
  /** The log of the store that is to be replaced is merged into it. */
  'restore.log-merged',
  /** One of the files and folders to be replaced is kept under another name. */
  'restore.kept',
  /** The log of a damaged store has another name. */
  'restore.log-moved',
  /** The backup is now the store, but what belongs to it is not in its place. */
  'restore.replaced',
  /** One of the lists is in its place. */
  'restore.list-put',
  /** Only the settings are missing. */
  'restore.lists-put',
  'restore.settings-put',
] as const;

/** The same for a store that moves to another place. */
export const MOVE_CRASH_POINTS = [
  /** The new place says that a store is on its way. */
  'move.marked',
  /** Some rows of a table are in the new place. */
  'move.rows-written',
  /** Everything is there, but nothing has been compared. */
  'move.copied',
  /** The old place says where the store is now; the new one still says that its store is not whole. */
  'move.left',
] as const;

export type CrashPointName =
  | (typeof CRASH_POINTS)[number]
  | (typeof BUCKET_CRASH_POINTS)[number]
  | (typeof FILE_CRASH_POINTS)[number]
  | (typeof FILE_DELETION_CRASH_POINTS)[number]
  | (typeof SHEET_CRASH_POINTS)[number]
  | (typeof RESTORE_CRASH_POINTS)[number]
  | (typeof MOVE_CRASH_POINTS)[number]
  /** The file being checked is noted; quick checks end before this. */
  | 'check.noted';

let hook: ((name: CrashPointName) => void) | undefined;

/** Passes a crash point: nothing happens unless a crash test watches. */
export function crashPoint(name: CrashPointName): void {
  hook?.(name);
}

/** True if a crash test watches: a thread must then pass its crash points on to this one. */
export function isCrashPointWatched(): boolean {
  return hook !== undefined;
}

/** Calls `watch` at every crash point until the returned function is called; only tests do so. */
export function watchCrashPoints(watch: (name: CrashPointName) => void): () => void {
  hook = watch;
  return () => {
    if (hook === watch) hook = undefined;
  };
}

/**
 * In a thread: reports its crash points by `tell` to the thread that watches, and blocks at each until that thread has
 * passed it ({@link passFor}).
 */
export function passCrashPointsOn(passed: SharedArrayBuffer, tell: (name: CrashPointName) => void): void {
  const count = new Int32Array(passed);
  watchCrashPoints((name) => {
    const before = Atomics.load(count, 0);
    tell(name);
    Atomics.wait(count, 0, before);
  });
}

/** Lets a thread that is blocked at a crash point continue. */
export function passFor(passed: SharedArrayBuffer): void {
  const count = new Int32Array(passed);
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}
