/** What an undo or a redo must bring back of takes: what was paid for, and what was to be rendered once more. */
import type { Database } from '../../src/engine/store/open/database.ts';
import { assertNever } from '../../src/shared/domain/base/result.ts';
import type { SeenRow, SeenTake } from './sight.ts';
import { versionOf } from './watch.ts';

/** A row that is to be as it was. */
export interface RowBack {
  readonly key: number;
  readonly wanted: SeenRow;
  readonly found: SeenRow;
  /** The newest task when it was as it is wanted. */
  readonly lastTask: number;
  /** The batch was not started: what waits may be made anew. */
  readonly isReady: boolean;
}

/** What is wrong with a take of a row that is to be as it was; undefined if nothing is. */
export function wrongTake(db: Database, row: RowBack): string | undefined {
  for (const take of new Set([...row.wanted.takes.keys(), ...row.found.takes.keys()])) {
    const [wanted, found] = [row.wanted.takes.get(take), row.found.takes.get(take)];
    if (!isRight(wanted, found, row)) return `take ${take} was ${saying(wanted)}, and is ${saying(found)}`;
    const since = found?.is === 'lacking' ? paidSince(db, row, take) : undefined;
    if (since !== undefined) return `take ${take} is to be paid for, although task ${since} was since`;
  }
  return undefined;
}

function isRight(wanted: SeenTake | undefined, found: SeenTake | undefined, { lastTask, isReady }: RowBack): boolean {
  const isNewer = found?.is === 'ended' && found.task > lastTask;
  // What has ended stays, if fewer takes are asked for.
  if (wanted === undefined) return found === undefined || found.is === 'ended';
  switch (wanted.is) {
    case 'ended':
      return found?.is === 'ended' && found.task === wanted.task;
    case 'waiting':
      // In a batch that was started, what is taken back waits for a word.
      return found?.is === 'waiting' || (!isReady && (isNewer || found?.is === 'lacking' || found?.is === 'under way'));
    case 'lacking':
      return found?.is === 'lacking' || isNewer;
    case 'under way':
      return true;
    default:
      return assertNever(wanted);
  }
}

function saying(take: SeenTake | undefined): string {
  if (take === undefined) return 'not there';
  return take.is === 'ended' ? `task ${take.task}, ${take.status}` : take.is;
}

/** A task that was paid for since, for what the row asks for; what other rows give may have changed. */
function paidSince(db: Database, { key, found, lastTask }: RowBack, take: number): number | undefined {
  const prompt = found.cells['prompt'] ?? '';
  if (prompt.includes('{{')) return undefined;
  return db
    .prepare<{ readonly id: number; readonly body: Uint8Array }>(
      `SELECT t.id, a.body FROM tasks t JOIN attempts a ON a.task = t.id AND a.outcome = 'accepted'
       WHERE t.row = ? AND t.take = ? AND t.superseded = 1 AND t.status = 'done' AND t.id > ?`,
    )
    .all(key, take, lastTask)
    .find(({ body }) => versionOf(Buffer.from(body).toString()) === prompt)?.id;
}
