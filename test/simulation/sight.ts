/** What a user sees of the rows of a sheet: their cells, and the state of their takes. */
import { lackingTasks } from '../../src/shared/domain/task/plan-tasks.ts';
import { TERMINAL_STATUSES } from '../../src/shared/domain/task/task.ts';
import type { Database } from '../../src/engine/store/open/database.ts';
import type { StoredRow } from '../../src/engine/ports/sheet-store.ts';
import type { Life } from './life.ts';

/** A task that there is for a take. */
interface Seen {
  /** A gate has flagged an earlier one. */
  readonly isAgain: boolean;
}

/** A take: ended as this task, on its way, or to be paid for once the user says so. */
export type SeenTake =
  | (Seen & {
      readonly is: 'ended';
      readonly task: number;
      readonly status: string;
      /** It failed with a row that it refers to. Nothing was sent for it. */
      readonly isOfAnother: boolean;
    })
  | (Seen & { readonly is: 'waiting'; readonly task: number; readonly isHeld: boolean; readonly priority: number })
  | (Seen & { readonly is: 'under way' })
  | { readonly is: 'lacking' };

export interface SeenRow {
  readonly id: string;
  /** The codes of what keeps it from running. */
  readonly errors: readonly string[];
  /** Blank cells are left out: a row that is written again has one for each column, even if it had none before. */
  readonly cells: Readonly<Record<string, string>>;
  /** By take number. */
  readonly takes: ReadonlyMap<number, SeenTake>;
}

/** By the keys of the rows, in order. */
export type Sight = ReadonlyMap<number, SeenRow>;

/** The newest task of all. */
export function newestTask(db: Database): number {
  return db.prepare<{ readonly id: number | null }>('SELECT max(id) AS id FROM tasks').get()?.id ?? 0;
}

export function sightOf({ sheets }: Life['now'], batchId: string): Sight {
  return new Map(Array.from(sheets.allRows(batchId), (stored) => [stored.key, seenRow(stored)]));
}

function seenRow({ row, position, problems, tasks, isDraft }: StoredRow): SeenRow {
  const cells = Object.fromEntries(Object.entries(row.cells).filter(([, text]) => text !== ''));
  const errors = problems.flatMap(({ severity, code }) => (severity === 'error' ? code : []));
  const isBlocked = errors.length > 0;
  const lacking = isDraft ? lackingTasks({ row, position, isBlocked }, tasks, { batchId: '', now: 0 }) : [];
  const takes = new Map<number, SeenTake>(lacking.map(({ take }) => [take, { is: 'lacking' }]));
  for (const { id, take, status, onHold, priority, madeAgain, failure } of tasks) {
    const isAgain = madeAgain !== undefined;
    const isOfAnother = failure?.code === 'DEPENDENCY_FAILED';
    if (TERMINAL_STATUSES.has(status)) takes.set(take, { is: 'ended', task: id, status, isOfAnother, isAgain });
    else if (status === 'queued')
      takes.set(take, { is: 'waiting', task: id, isHeld: onHold === true, priority, isAgain });
    else takes.set(take, { is: 'under way', isAgain });
  }
  return { id: row.id, errors, cells, takes: new Map([...takes].toSorted(([a], [b]) => a - b)) };
}
