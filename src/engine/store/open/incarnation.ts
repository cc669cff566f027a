/** Which opening of a store this is, so that an older copy that somebody restored does not continue on its own. */
import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { refusalOfDisk } from '../../../shared/domain/task/batch.ts';
import type { AtOnce, Random } from '../../ports/base.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { makeFolderSync } from '../../make-folder.ts';
import { writeNoteSync } from '../../whole-file.ts';
import { randomText } from '../tasks/batch-records.ts';
import { incarnationFileOfStore } from './data-dir.ts';
import type { Database } from './database.ts';

/** Distinguishes one store from another, and a store from an older copy of itself. Keep the latest beside the key. */
export interface Incarnation {
  readonly storeId: string;
  /** Counts how often an owner has opened the store. */
  readonly opening: number;
  /** The number of the last paid request that the store knows; requests are numbered in order. */
  readonly lastAttempt: number;
}

/** Where openings are noted, outside the store's folder; and the time of this one, in milliseconds since the epoch. */
export interface Noted {
  /**
   * For the folder that the store is in; beside this file, there is one for the store itself (see `incarnationFileOf`).
   */
  readonly file: string;
  readonly now: number;
}

/**
 * True when `found` is not the store that `kept` describes, or is a copy from before that note: it does not know what
 * was submitted since then, and would pay for it again.
 */
export function isOlderCopy(kept: Incarnation, found: Incarnation): boolean {
  return kept.storeId !== found.storeId || found.opening <= kept.opening || found.lastAttempt < kept.lastAttempt;
}

/** A new store that replaces a removed one has no batches either, but is not a copy. */
function isFromBeforeAnyBatch(kept: Incarnation, found: Incarnation): boolean {
  return kept.storeId === found.storeId && kept.lastAttempt > 0;
}

/**
 * The notes by which a store was last recognised as an older copy: kept in the store, because the note files may never
 * be writable again.
 */
function openAcknowledged(db: Database) {
  const select = db.prepareColumn<string>("SELECT value FROM meta WHERE key = 'older than'");
  const write = db.prepare(`
    INSERT INTO meta (key, value) VALUES ('older than', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  return {
    has: (kept: Incarnation) => select()[0]?.split('\n').includes(noteText(kept)) === true,
    keep: (kept: readonly Incarnation[]) => void write.run(kept.map(noteText).join('\n')),
  };
}

/** Marks a store that is put back from a backup: on another machine, no note could say so. */
export function markRestored(db: Database): void {
  db.exec("INSERT INTO meta (key, value) VALUES ('restored', '1') ON CONFLICT DO NOTHING");
}

/**
 * Batches of an older copy that could send what was paid for since: those that were started, unless they are at rest
 * and a retry would send nothing. Their columns are in every version of the schema.
 */
const COULD_SEND = `
  state IN ('running', 'paused') OR (state = 'finished' AND EXISTS (
    SELECT 1 FROM rows WHERE rows.batch = batches.seq AND rows.status NOT IN ('done', 'skipped', 'invalid')))`;

/** The ids of the batches that are paused if their store is an older copy. */
export function couldSend(db: Database): ReadonlySet<string> {
  return new Set(db.prepareColumn<string>(`SELECT id FROM batches WHERE ${COULD_SEND}`)());
}

/** What is noted about an open store. */
interface Counted {
  readonly store: AtOnce<TaskStore>;
  readonly incarnation: () => Incarnation;
  close(): void;
}

/** Counts this opening by the owner. */
export function startIncarnation(db: Database, random: Random): void {
  const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const count = db.prepare(`
    UPDATE meta SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE key = 'opening'`);
  db.transaction(() => {
    insert.run('store-id', randomText(20, random));
    insert.run('opening', '0');
    count.run();
  });
}

/** Returns a function that reads which opening of which store this is. */
export function openIncarnation(db: Database): () => Incarnation {
  const select = db.prepare<Incarnation>(`
    SELECT coalesce((SELECT value FROM meta WHERE key = 'store-id'), '') AS storeId,
      coalesce((SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'opening'), 0) AS opening,
      coalesce((SELECT max(id) FROM attempts), 0) AS lastAttempt`);
  return () => select.get() ?? { storeId: '', opening: 0, lastAttempt: 0 };
}

/**
 * Pauses the batches of a store that was restored from a backup: it does not know what was submitted since, and must
 * not continue on its own. Notes this opening, and from now on each paid request before it leaves, so that even a copy
 * of this very opening is noticed. The note is never ahead of what is on the store's disk.
 * @param before What was noted before this opening was counted; given if others may note their openings at the same
 * time.
 */
export function withNote<Opened extends Counted>(
  opened: Opened,
  db: Database,
  { file, now }: Noted,
  dataDir: string,
  before?: readonly Incarnation[],
): Opened & { readonly isOlderCopy: boolean } {
  const { store } = opened;
  const found = opened.incarnation();
  const files = [file, incarnationFileOfStore(file, found.storeId)];
  const notes = before ?? readIncarnationNotes(files);
  const acknowledged = openAcknowledged(db);
  const isRestored = db.prepare("SELECT 1 FROM meta WHERE key = 'restored'").get() !== undefined;
  const isOlder =
    (isRestored && store.batches().length > 0) ||
    notes.some(
      (kept) =>
        isOlderCopy(kept, found) &&
        !acknowledged.has(kept) &&
        (store.batches().length > 0 || isFromBeforeAnyBatch(kept, found)),
    );
  if (isOlder) {
    const why = failure('STORE_RESTORED', reason(isRestored ? 'restored' : 'olderCopy', dataDir));
    const held = couldSend(db);
    for (const batch of store.batches()) {
      const isReady = batch.state === 'ready';
      if (!isReady && !held.has(batch.id)) continue;
      // This replaces any other pause, which might end by itself, or be ended by a user who does not know.
      const pause = { by: 'failure', failure: why, ...present({ disk: refusalOfDisk(batch) }) } as const;
      // A batch that was never started sends nothing by itself, and shows this when it is started.
      store.setBatchState(batch.id, isReady ? 'ready' : 'paused', pause, now);
    }
    // Only now: if anything interrupts this earlier, the next opening repeats it.
    acknowledged.keep(notes);
  }
  if (isRestored) db.exec("DELETE FROM meta WHERE key = 'restored'");
  const written = files.map((one) => new IncarnationNote(one, found));
  const close = (): void => {
    opened.close();
    for (const note of written) note.close();
  };
  return {
    ...opened,
    isOlderCopy: isOlder,
    store: {
      ...store,
      commit(changes) {
        const outcomes = store.commit(changes);
        if (changes.some(({ openAttempt }) => openAttempt !== undefined)) {
          for (const note of written) note.follow(opened.incarnation);
        }
        return outcomes;
      },
      close,
    },
    close,
  };
}

/** The notes in these files, without files that cannot be read. */
export function readIncarnationNotes(files: readonly string[]): readonly Incarnation[] {
  return files.flatMap((file) => readIncarnationNote(file) ?? []);
}

/** The incarnation noted at the last opening; undefined if there is no note or it cannot be read. */
function readIncarnationNote(file: string): Incarnation | undefined {
  try {
    // Not with zod, which the store's threads need for nothing else: it would be half of what they load.
    const note = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    // Earlier versions did not note the requests.
    const { storeId, opening, lastAttempt = 0 } = note;
    return typeof storeId === 'string' && Number.isFinite(opening) && Number.isFinite(lastAttempt)
      ? { storeId, opening: Number(opening), lastAttempt: Number(lastAttempt) }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The note of an opening. If it cannot be written, an older copy of the store goes unnoticed next time; nothing else
 * happens.
 */
class IncarnationNote {
  #file: number | undefined;

  constructor(file: string, incarnation: Incarnation) {
    try {
      makeFolderSync(path.dirname(file), 0o700);
      writeNoteSync(file, noteText(incarnation));
      this.#file = openSync(file, 'r+');
    } catch {
      // See above.
    }
  }

  /**
   * Writes the note after a commit: no error may make the commit look undone. Writes in place and without a sync, so
   * that it costs next to nothing; after a power cut, an earlier note is there.
   */
  follow(incarnation: () => Incarnation): void {
    if (this.#file === undefined) return;
    try {
      writeSync(this.#file, noteText(incarnation()), 0);
    } catch {
      // See above.
    }
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }
}

/** The text keeps its length throughout an opening, because it is written in place. */
function noteText({ storeId, opening, lastAttempt }: Incarnation): string {
  const padded = String(lastAttempt).padStart(String(Number.MAX_SAFE_INTEGER).length);
  return `{"storeId":${JSON.stringify(storeId)},"opening":${opening},"lastAttempt":${padded}}`;
}
