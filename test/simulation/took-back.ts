/** What edits do to takes: what was paid for, and what was to be rendered once more, comes back. */
import { isDeepStrictEqual } from 'node:util';
import type { Database } from '../../src/engine/store/open/database.ts';
import { assertNever } from '../../src/shared/domain/base/result.ts';
import type { SeenRow, SeenTake, Sight } from './sight.ts';
import { nameIn } from './sim-sheet.ts';
import { versionOf } from './watch.ts';

/** A row that is to be as it was. */
export interface RowBack {
  readonly key: number;
  readonly wanted: SeenRow;
  readonly found: SeenRow;
  /** The newest task when the row was as it is to be again. */
  readonly lastTask: number;
  /** The batch was not started: waiting takes may be made again. */
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

/**
 * Whether an edit that the user has ended left the takes of rows alone. In a batch that was started, the night goes on.
 */
export function areLeftAlone(before: Sight, after: Sight, isReady: boolean): boolean {
  return [...before].every(([key, { takes }]) =>
    [...takes].every(([take, wanted]) => {
      const found = after.get(key)?.takes.get(take);
      if (wanted.is !== 'waiting') return !isReady || isDeepStrictEqual(found, wanted);
      // What waits need not be the same task.
      if (isReady) return isDeepStrictEqual(found, found?.is === 'waiting' ? { ...wanted, task: found.task } : wanted);
      return found !== undefined && found.is !== 'lacking';
    }),
  );
}

function isRight(wanted: SeenTake | undefined, found: SeenTake | undefined, { lastTask, isReady }: RowBack): boolean {
  const isNewer = found?.is === 'ended' && found.task > lastTask;
  // What has ended stays if fewer takes are asked for.
  if (wanted === undefined) return found === undefined || found.is === 'ended';
  switch (wanted.is) {
    case 'ended':
      // What waits again since the other row may still give something fails again only in its turn.
      if (wanted.isOfAnother && found?.is === 'waiting') return found.task === wanted.task;
      return found?.is === 'ended' && found.task === wanted.task;
    case 'waiting':
      if (found?.is === 'waiting') return true;
      // The take that a gate has flagged is there again, and the gate goes on counting from it.
      if (wanted.isAgain) return found !== undefined && found.is !== 'lacking';
      // In a batch that was started, what is taken back may wait for the user's word, and the night goes on.
      return !isReady && found !== undefined && (found.is !== 'ended' || isNewer || found.task === wanted.task);
    case 'lacking':
      return found?.is === 'lacking' || isNewer;
    case 'under way':
      return true;
    default:
      return assertNever(wanted);
  }
}

/** What is wrong with a row that is to keep what it had, not to render it once more; undefined if nothing is. */
export function wrongKept(db: Database, key: number, before: SeenRow, after: SeenRow): string | undefined {
  const isUnderWay = [before, after].some(({ takes }) => [...takes.values()].some(({ is }) => is === 'under way'));
  for (const take of new Set([...before.takes.keys(), ...after.takes.keys()])) {
    const [was, found] = [before.takes.get(take), after.takes.get(take)];
    const says = `take ${take} was ${saying(was)}, and is ${saying(found)}`;
    if (found === undefined || (found.is === 'lacking' && was?.is !== 'lacking')) return says;
    if (was?.is === 'ended' && was.status === 'done') {
      if (!isDeepStrictEqual(found, was)) return says;
      continue;
    }
    // A row cannot keep an earlier take in place of one that was sent.
    const aside = isUnderWay ? undefined : newestAside(db, key, take, after);
    const isKept = found.is === 'ended' && found.status === 'done';
    if (aside !== undefined && (!isKept || found.task < aside)) return `${says}, and not task ${aside}`;
  }
  return undefined;
}

/**
 * The last task of a take that gave its row files, if it was for what the row asks for now, and was set aside at the
 * user’s wish.
 */
function newestAside(db: Database, key: number, take: number, { cells }: SeenRow): number | undefined {
  const newest = db
    .prepare<{ readonly id: number; readonly isWish: 0 | 1; readonly body: Uint8Array }>(
      `SELECT t.id, t.state -> '$.askedAnew' IS NOT NULL AS isWish, a.body
       FROM tasks t JOIN attempts a ON a.task = t.id AND a.outcome = 'accepted'
       WHERE t.row = ? AND t.take = ? AND t.superseded = 1 AND t.status = 'done' ORDER BY t.id DESC`,
    )
    .get(key, take);
  const [words] = /^\S+ v\d+/u.exec(cells['prompt'] ?? '') ?? [];
  const isSame = newest !== undefined && versionOf(Buffer.from(newest.body).toString()) === words;
  return isSame && newest.isWish === 1 ? newest.id : undefined;
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

/** How many takes of rows were there and have since come to be paid for again, by the rows' names. */
export function wishesIn(before: Sight, after: Sight): ReadonlyMap<string, number> {
  const count = ({ cells, takes }: SeenRow, now: SeenRow | undefined): number => {
    if (now === undefined || !isDeepStrictEqual(cells, now.cells)) return 0;
    // What was under way has ended before the edit came to its turn.
    const hadEnded = ({ is }: SeenTake): boolean => is === 'ended' || is === 'under way';
    return [...takes].filter(([take, was]) => hadEnded(was) && now.takes.get(take)?.is === 'lacking').length;
  };
  const counts = new Map<string, number>();
  for (const [key, row] of before) {
    const takes = count(row, after.get(key));
    const name = nameIn(row.cells);
    if (takes > 0) counts.set(name, (counts.get(name) ?? 0) + takes);
  }
  return counts;
}
