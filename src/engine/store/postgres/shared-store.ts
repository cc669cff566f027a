/** The parts of a store to which several processes write: each call is a transaction that sees what is committed now. */
import { isDeepStrictEqual } from 'node:util';
import type { LeaseStore } from '../../fleet-ports.ts';
import type { AtOnce, CommitOutcome, TaskChange, TaskStore } from '../../ports.ts';
import type { SheetStore } from '../../sheet-ports.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { OpenStore } from '../open/store-on.ts';
import type { PostgresDatabase } from './postgres-database.ts';

type Parts = Pick<OpenStore, 'store' | 'views' | 'ledger' | 'sheets' | 'leases'>;

/** What writes; everything else only reads, and the server refuses it anything else. */
const WRITES: ReadonlySet<string> = new Set([
  ...([
    'commit',
    'createBatch',
    'setBatchState',
    'updateBatchSettings',
    'keepForecast',
    'makeDue',
    'setTurn',
    'setSpendingLimits',
  ] satisfies readonly (keyof TaskStore)[]),
  ...(['renew', 'take', 'release', 'leave'] satisfies readonly (keyof LeaseStore)[]),
  ...(['change', 'spreadPositions', 'noteParts', 'clearParts'] satisfies readonly (keyof SheetStore)[]),
]);

/** Each of its items is as it is when the caller comes to it. */
const AT_ITS_TURN = 'tasksByStatus' satisfies keyof TaskStore;
/** Of everything else, so many are of one moment: a transaction for each would take longer than what it reads. */
const ITEMS_AT_A_TIME = 200;
/** So many rows change how the server had better look for some of them; by itself it counts them a minute later. */
const MANY_ROWS = 1_000;

type Commit = AtOnce<TaskStore>['commit'];
type Method = (...args: readonly unknown[]) => unknown;

/** @param writing Turns errors of the server into those of a store's writes. */
export function inTransactions(
  { store, views, ledger, sheets, leases }: Parts,
  db: PostgresDatabase,
  writing: <T>(write: () => T) => T,
): Parts {
  const wrapped = <Part extends object>(part: Part): Part =>
    Object.fromEntries(
      Object.entries(part as Readonly<Record<string, Method>>).map(([name, method]): [string, Method] => {
        if (name === 'createBatch') {
          // Its rows come but once.
          return [
            name,
            (...args) => {
              const batch = writing(() => db.transactionOnce(() => method(...args))) as BatchRecord;
              if (batch.rowCount >= MANY_ROWS) db.countAnew();
              return batch;
            },
          ];
        }
        if (WRITES.has(name)) return [name, (...args) => writing(() => db.transaction(() => method(...args)))];
        const atATime = name === AT_ITS_TURN ? 1 : ITEMS_AT_A_TIME;
        return [name, (...args) => answered(db, () => method(...args), atATime)];
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

/** An answer of one moment; of one that comes piece by piece, each piece is. */
function answered(db: PostgresDatabase, ask: () => unknown, atATime: number): unknown {
  const answer = db.snapshot(ask);
  return isIterator(answer) ? inSnapshots(db, answer, atATime) : answer;
}

function* inSnapshots(db: PostgresDatabase, items: Iterator<unknown>, atATime: number): Generator {
  for (;;) {
    const piece = db.snapshot(() => nextOf(items, atATime));
    yield* piece;
    if (piece.length < atATime) return;
  }
}

function nextOf(items: Iterator<unknown>, most: number): readonly unknown[] {
  const piece: unknown[] = [];
  while (piece.length < most) {
    const next = items.next();
    if (next.done === true) break;
    piece.push(next.value);
  }
  return piece;
}

function isIterator(value: unknown): value is Iterator<unknown> {
  return typeof value === 'object' && value !== null && 'next' in value && typeof value.next === 'function';
}

/**
 * A commit whose end nobody knew when the server went away: it is asked for again, and what was done then is not done again.
 */
function openDoubtfulCommit(commit: Commit, db: PostgresDatabase, writing: <T>(write: () => T) => T): Commit {
  /** What the transaction in doubt has written, if it was committed. */
  let doubtful: readonly TaskChange[] = [];
  /** What was found to be committed, and was not asked for again yet. */
  let done: readonly TaskChange[] = [];
  return (changes) => {
    if (db.isInDoubt && writing(() => db.settled()) === 'committed') done = [...done, ...doubtful];
    doubtful = [];
    const isDone = changes.map((change) => done.some((one) => isDeepStrictEqual(one, change)));
    const left = changes.filter((_, i) => isDone[i] !== true);
    let written: readonly CommitOutcome[] = [];
    try {
      written = writing(() => db.transaction(() => (written = commit(left))));
    } catch (error) {
      if (db.isInDoubt) doubtful = left.filter((_, i) => written[i] === 'committed');
      throw error;
    }
    done = done.filter((one) => !changes.some((change) => isDeepStrictEqual(one, change)));
    const outcomes = written.values();
    return isDone.map((was) => (was ? 'committed' : (outcomes.next().value ?? 'stale')));
  };
}
