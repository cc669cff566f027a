import { present } from '../../../shared/domain/base/result.ts';
import type { DocumentMark } from '../../ports/task-store.ts';
import { openProblemRecords } from '../sheets/problem-records.ts';
import { openRowRecords } from '../sheets/row-records.ts';
import type { Database } from '../open/database.ts';
import { problemOfError, StoreTakenError, StoreWriteError } from '../open/store-problem.ts';
import { openBatchCounters } from './batch-counters.ts';
import { openBatchRecords } from './batch-records.ts';
import { openEvidenceRecords } from './evidence-records.ts';
import { openGatewayRecords } from './gateway-records.ts';
import { openKeptCharges } from './kept-charges.ts';
import { openLeaseRecords } from '../leases/lease-records.ts';
import { openNightRecords, zoneHere } from './night-records.ts';
import { openSpendingRecords } from './spending-records.ts';
import { openTaskRecords } from './task-records.ts';

/** What the store consists of, table by table; a transaction writes to several tables. */
export type StoreParts = ReturnType<typeof openStoreParts>;

/**
 * @param opening The number of the owner's opening: only while it is the last one may anything be paid for.
 * @param zone The name of the time zone whose calendar separates nights and months.
 * @param now The only clock by which leases end, in milliseconds since the epoch.
 */
export function openStoreParts(
  db: Database,
  opening?: number,
  zone: () => string = zoneHere,
  now: () => number = Date.now,
) {
  const batchRecords = openBatchRecords(db);
  return {
    db,
    batchRecords,
    counters: openBatchCounters(db),
    rowRecords: openRowRecords(db, batchRecords),
    taskRecords: openTaskRecords(db, batchRecords),
    evidenceRecords: openEvidenceRecords(db),
    gatewayRecords: openGatewayRecords(db),
    leaseRecords: openLeaseRecords(db, now),
    nightRecords: openNightRecords(db, zone),
    keptCharges: openKeptCharges(db),
    spendingRecords: openSpendingRecords(db, batchRecords),
    zone,
    /** Functions that forget what is remembered elsewhere from an earlier state of the database. */
    forgetting: new Set<() => void>(),
    problemRecords: openProblemRecords(db),
    documentMarks: openDocumentMarks(db),
    freshKeys: { rows: openFreshKeys(db, 'rows', 'seq'), tasks: openFreshKeys(db, 'tasks', 'id') },
    writing: writeGuard(db),
    /** Throws if another process has become the owner. Inside the transaction of a paid request, none can become it. */
    assertOwned: opening === undefined ? () => undefined : takenGuard(db, opening),
  };
}

/** How the keys begin under which documents are marked as out of date; after them, nothing sorts before {@link AFTER_MARKS}. */
const MARK = 'documents ';
const AFTER_MARKS = 'documents!';
const WRITTEN = 'written documents ';

/**
 * One small row for each batch and process while its documents are out of date, and one that counts how often they were
 * written.
 */
function openDocumentMarks(db: Database) {
  const select = db.prepareColumn<string>('SELECT key FROM meta WHERE key >= ? AND key < ? ORDER BY key');
  const insert = db.prepare("INSERT INTO meta (key, value) VALUES (?, '1') ON CONFLICT DO NOTHING");
  const remove = db.prepare('DELETE FROM meta WHERE key = ?');
  const add = db.prepare<{ readonly value: string }>(`
    INSERT INTO meta (key, value) SELECT ?, ? WHERE EXISTS (SELECT 1 FROM batches WHERE id = ?)
    ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(meta.value AS BIGINT) + CAST(excluded.value AS BIGINT) AS TEXT)
    RETURNING value`);
  const outdated = (): readonly DocumentMark[] => select(MARK, AFTER_MARKS).map(markIn);
  const mark = (batchId: string, isOutdated: boolean, by?: string): void =>
    void (isOutdated ? insert : remove).run(MARK + batchId + (by === undefined ? '' : ` ${by}`));
  return {
    outdated,
    mark,
    count: (batchId: string, more: 0 | 1): number =>
      Number(add.get(WRITTEN + batchId, String(more), batchId)?.value ?? more),
    /** Removes all that is said of the documents of a batch that is gone. */
    drop: (batchId: string): void => {
      for (const one of outdated()) if (one.batchId === batchId) mark(batchId, false, one.by);
      remove.run(WRITTEN + batchId);
    },
  };
}

/** Ids of batches have no spaces. */
function markIn(key: string): DocumentMark {
  const [batchId = '', ...by] = key.slice(MARK.length).split(' ');
  return { batchId, ...present({ by: by.length === 0 ? undefined : by.join(' ') }) };
}

/** Two owners would not know about each other's requests, and would exceed every limit. */
function takenGuard(db: Database, opening: number): () => void {
  const select = db.prepareColumn<string>("SELECT value FROM meta WHERE key = 'opening'");
  return () => {
    if (Number(select()[0]) !== opening) throw new StoreTakenError(db.place);
  };
}

/** Runs a write and reports an error of the disk. */
function writeGuard(db: Database): <T>(write: () => T) => T {
  return (write) => {
    try {
      return write();
    } catch (error) {
      const problem = problemOfError(error, db.place);
      throw problem === undefined ? error : new StoreWriteError(problem, error);
    }
  };
}

/** More keys than a sheet can need. A failed import loses its keys, and there are enough for two million failures. */
const SET_ASIDE = 2 ** 32;

/**
 * Keys of rows and tasks. Both may be deleted, and SQLite would reuse the last key: whoever still had that key (an
 * undo, a window, an event on its way) would then mean another row or task. `key` is the rowid of the table.
 */
function openFreshKeys(db: Database, table: 'rows' | 'tasks', key: 'seq' | 'id') {
  const selectLast = db.prepare<{ readonly last: number }>(`
    SELECT max(coalesce((SELECT max(${key}) FROM ${table}), 0),
    coalesce((SELECT CAST(value AS BIGINT) FROM meta WHERE key = 'last ${table}'), 0)) AS last`);
  const write = db.prepare(`INSERT INTO meta (key, value) VALUES ('last ${table}', ?)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  let last: number | undefined;
  let aside: { last: number; readonly end: number } | undefined;
  // Read when first needed: a store opened only for reading has another writer.
  const lastGiven = (): number => (last ??= selectLast.get()?.last ?? 0);
  return {
    /** A key that nothing has ever had. */
    next() {
      if (aside !== undefined) {
        aside.last += 1;
        return aside.last;
      }
      last = lastGiven() + 1;
      return last;
    },
    /** False for a key that nothing ever had. */
    wasGiven: (key: number) => key <= lastGiven(),
    /** Reads which keys were given, before a transaction deletes the last of them. */
    learn: () => void lastGiven(),
    /** Another process may have given some. */
    forget: () => void (last = undefined),
    /** Records which keys were given, in a transaction that deletes. */
    keep: () => void write.run(String(lastGiven())),
    /**
     * Sets keys aside, in a transaction before the one that needs them: nobody else gives them out. `next` does, until
     * `endAside`.
     */
    setAside() {
      aside = { last: lastGiven(), end: lastGiven() + SET_ASIDE };
      last = aside.end;
      write.run(String(last));
    },
    /**
     * Gives back keys that were not needed, unless later ones have been given out; called at the end of the transaction
     * that needed them.
     */
    giveBack() {
      if (lastGiven() !== aside?.end) return;
      ({ last } = aside);
      write.run(String(last));
    },
    /** Whether the keys were needed or not, the next ones come from where everybody's do. */
    endAside: () => void (aside = undefined),
  };
}
