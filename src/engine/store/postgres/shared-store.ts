/**
 * The parts of a store to which several processes write: each call is a transaction that sees what is committed now.
 */
import { reason } from '../../../shared/domain/base/reason.ts';
import { isDeepStrictEqual } from 'node:util';
import type { LeaseStore } from '../../ports/fleet.ts';
import type { AtOnce } from '../../ports/base.ts';
import type { CommitOutcome, TaskChange } from '../../ports/task-change.ts';
import type { NewBatch, TaskStore } from '../../ports/task-store.ts';
import type { SheetStore } from '../../ports/sheet-store.ts';
import type { BatchRecord, BatchSettings } from '../../../shared/domain/task/batch.ts';
import type { OpenStore } from '../open/store-on.ts';
import type { StoreParts } from '../tasks/store-parts.ts';
import { storeProblem, StoreWriteError } from '../open/store-problem.ts';
import { InDoubtError, isLost, type Doubt } from './doubt.ts';
import type { PostgresDatabase } from './postgres-database.ts';

type Parts = Pick<OpenStore, 'store' | 'views' | 'ledger' | 'sheets' | 'leases'>;

/** The methods that write; all others only read, and the server refuses any write by them. */
const WRITES: ReadonlySet<string> = new Set([
  ...([
    'commit',
    'setBatchState',
    'updateBatchSettings',
    'removeBatch',
    'keepForecast',
    'makeDue',
    'setTurn',
    'setSpendingLimits',
    'markDocuments',
    'countDocuments',
  ] satisfies readonly (keyof TaskStore)[]),
  ...([
    'renew',
    'take',
    'release',
    'takeDownload',
    'renewDownloads',
    'releaseDownloads',
    'leave',
  ] satisfies readonly (keyof LeaseStore)[]),
  ...(['change', 'spreadPositions', 'noteParts', 'replaceParts', 'clearParts'] satisfies readonly (keyof SheetStore)[]),
]);

/** This many new rows change which plans are good; by itself, the server gathers statistics only a minute later. */
const MANY_ROWS = 1_000;

type Commit = AtOnce<TaskStore>['commit'];
type Method = (...args: readonly unknown[]) => unknown;

export function inTransactions(
  { store, views, ledger, sheets, leases }: Parts,
  db: PostgresDatabase,
  parts: Pick<StoreParts, 'writing' | 'freshKeys' | 'batchRecords'>,
): Parts {
  const { writing } = parts;
  const wrapped = <Part extends object>(part: Part): Part =>
    Object.fromEntries(
      Object.entries(part as Readonly<Record<string, Method>>).map(([name, method]): [string, Method] => {
        if (name === 'createBatch') {
          return [
            name,
            (...args) => {
              const { settings } = args[0] as NewBatch;
              const batch = writing(() => createApart(db, parts, settings, () => method(...args) as BatchRecord));
              if (batch.rowCount >= MANY_ROWS) db.countAnew();
              return batch;
            },
          ];
        }
        if (WRITES.has(name)) return [name, (...args) => writing(() => db.transaction(() => method(...args)))];
        // An answer that comes page by page shows one moment per page.
        return [name, (...args) => db.snapshot(() => method(...args))];
      }),
    ) as unknown as Part;
  const transactional = wrapped(store);
  return {
    store: { ...transactional, commit: openDoubtfulCommit(store.commit, db, writing) },
    views: wrapped(views),
    ledger: wrapped(ledger),
    sheets: wrapped(sheets),
    leases: wrapped(leases),
  };
}

/**
 * Others write while the rows of a new batch arrive: otherwise, workers would lose their accounts during a long import.
 * Nobody sees the batch until it is committed. What could collide with others is settled quickly beforehand: the keys
 * of its rows and tasks, and its folder, which another import would have to wait for.
 */
function createApart(
  db: PostgresDatabase,
  { freshKeys: { rows, tasks }, batchRecords }: Pick<StoreParts, 'freshKeys' | 'batchRecords'>,
  { folder }: BatchSettings,
  create: () => BatchRecord,
): BatchRecord {
  try {
    db.transaction(() => {
      batchRecords.folderSeq(folder);
      rows.setAside();
      tasks.setAside();
    });
    return createOnce(db, create, () => {
      rows.giveBack();
      tasks.giveBack();
    });
  } finally {
    rows.endAside();
    tasks.endAside();
  }
}

/**
 * The rows of an import come only once. If its COMMIT was not answered, the batch is looked up, and the server waited
 * for once more: repeating the import would create its rows twice, and both would be paid for.
 */
function createOnce(db: PostgresDatabase, create: () => BatchRecord, end: () => void): BatchRecord {
  let made: BatchRecord | undefined;
  try {
    return db.transactionApart(() => (made = create()), end);
  } catch (error) {
    if (!(error instanceof InDoubtError) || made === undefined) throw error;
    settleIfThere(db);
    if (error.doubt.ending === 'committed') return made;
    if (error.doubt.ending === 'aborted') throw error.cause;
    const said = reason('store.wentAway', db.place, JSON.stringify(made.name));
    throw new StoreWriteError(storeProblem('away', said, reason('storeRemedy.lookAfterwards')), error);
  }
}

function settleIfThere(db: PostgresDatabase): void {
  try {
    db.settle(true);
  } catch (error) {
    if (!isLost(error)) throw error;
  }
}

/**
 * Handles a commit with an unknown outcome after the server went away: its changes are asked for again, and those that
 * were committed are not repeated.
 */
function openDoubtfulCommit(commit: Commit, db: PostgresDatabase, writing: <T>(write: () => T) => T): Commit {
  /** What transactions in doubt have written, if they were committed, and has not been asked for again yet. */
  let doubtful: readonly Doubtful[] = [];
  return (changes) => {
    if (doubtful.length > 0) writing(() => db.settle());
    doubtful = doubtful.filter(({ doubt }) => doubt.ending !== 'aborted');
    const done = doubtful.flatMap((one) => one.changes);
    const isDone = changes.map((change) => done.some((one) => isSame(one, change)));
    const left = changes.filter((_, i) => isDone[i] !== true);
    let written: readonly CommitOutcome[] = [];
    try {
      written = writing(() => db.transaction(() => (written = commit(left))));
    } catch (error) {
      const { cause } = error as { readonly cause?: unknown };
      if (cause instanceof InDoubtError) {
        doubtful = [...doubtful, { doubt: cause.doubt, changes: left.filter((_, i) => written[i] === 'committed') }];
      }
      throw error;
    }
    doubtful = doubtful
      .map((one) => ({ ...one, changes: one.changes.filter((was) => !changes.some((change) => isSame(was, change))) }))
      .filter((one) => one.changes.length > 0);
    const outcomes = written.values();
    return isDone.map((was) => (was ? 'committed' : (outcomes.next().value ?? 'stale')));
  };
}

interface Doubtful {
  readonly doubt: Doubt;
  readonly changes: readonly TaskChange[];
}

/** Whether two changes are the same apart from their times, which are those of the request. */
function isSame(one: TaskChange, other: TaskChange): boolean {
  return isDeepStrictEqual(withoutTimes(one), withoutTimes(other));
}

function withoutTimes(change: TaskChange): unknown {
  const { id, revision, status, taskCode } = change.next;
  return { ...change, at: undefined, completionMs: undefined, next: { id, revision, status, taskCode } };
}
