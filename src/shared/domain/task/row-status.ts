import { domainWords } from '../../words/domain-words.ts';
import type { SheetProblem } from '../sheet/problems.ts';
import type { Row } from '../sheet/row.ts';
import { isBlank } from '../base/text.ts';
import { TASK_STATUSES, TERMINAL_STATUSES, type Task, type TaskStatus } from './task.ts';
import { assertNever } from '../base/result.ts';

/** The status of a row with nothing to do. A draft runs only at the user's word. */
export const IDLE_STATUSES = ['draft', 'invalid', 'skipped'] as const;
export type IdleStatus = (typeof IDLE_STATUSES)[number];

/** What a line of the grid shows: the status of its tasks, or why it has none. */
export const ROW_VIEW_STATUSES = [...TASK_STATUSES, ...IDLE_STATUSES] as const;
export type RowViewStatus = (typeof ROW_VIEW_STATUSES)[number];

/**
 * The status of a row with several takes, strongest first: what waits for the user, then what is in progress (the take
 * that has come furthest), then what still waits, then how the takes ended, exceptions before successes.
 */
export const STRONGEST_FIRST: readonly TaskStatus[] = [
  'submit-unknown',
  'downloading',
  'rendering',
  'submitting',
  'queued',
  'failed',
  'cancelled',
  'done',
];

/** The one status that a row shows for the statuses of its takes; undefined if it has none. */
export function strongestStatus(statuses: readonly TaskStatus[]): TaskStatus | undefined {
  if (statuses.length <= 1) return statuses[0];
  return STRONGEST_FIRST.find((status) => statuses.includes(status));
}

/** The status of a row whose tasks, if any, have all ended. A line without any text is skipped. */
export function idleStatus(row: Row, problems: readonly SheetProblem[], isDraft: boolean): IdleStatus {
  if (isDraft) return 'draft';
  const isRight = problems.every((problem) => problem.severity !== 'error');
  return row.skip || (isRight && isBlankRow(row)) ? 'skipped' : 'invalid';
}

/** An id alone asks for nothing. */
function isBlankRow({ id, cells }: Row): boolean {
  return Object.values(cells).every((cell) => isBlank(cell) || cell.trim() === id);
}

/** How long takes took together, in milliseconds: what ran at the same time counts once. */
function tookMs(tasks: readonly Pick<Task, 'submittedAt' | 'finishedAt'>[]): number {
  const runs = tasks
    .flatMap(({ submittedAt: from, finishedAt: to }) => (from === undefined || to === undefined ? [] : [{ from, to }]))
    .toSorted((a, b) => a.from - b.from);
  let [sum, counted] = [0, Number.NEGATIVE_INFINITY];
  for (const { from, to } of runs) {
    sum += Math.max(0, to - Math.max(from, counted));
    counted = Math.max(counted, to);
  }
  return sum;
}

/** The status, the first submit, the end and the length of a row whose tasks are `tasks`. */
export function rowProgress(
  tasks: readonly Pick<Task, 'status' | 'submittedAt' | 'finishedAt'>[],
  idle: IdleStatus,
): {
  readonly status: RowViewStatus;
  readonly submittedAt?: number;
  readonly finishedAt?: number;
  readonly tookMs?: number;
} {
  const hasEnded = tasks.every((task) => TERMINAL_STATUSES.has(task.status));
  // A draft may have finished takes: what counts is that the user has to decide.
  const status = idle === 'draft' && hasEnded ? idle : (strongestStatus(tasks.map((task) => task.status)) ?? idle);
  const submitted = tasks.flatMap((task) => task.submittedAt ?? []);
  const finished = tasks.flatMap((task) => task.finishedAt ?? []);
  const isOver = hasEnded && finished.length > 0;
  return {
    status,
    ...(submitted.length > 0 ? { submittedAt: Math.min(...submitted) } : {}),
    ...(isOver ? { finishedAt: Math.max(...finished), tookMs: tookMs(tasks) } : {}),
  };
}

/**
 * Why the cells of a row with these takes cannot be edited now, as a sentence for the user; undefined if they can. A
 * take that is at the gateway must end with the content it was sent with. A failure that was only inferred locks
 * nothing: its take stays watched, whatever happens to the row. The row's own status can stand in for its takes: it is
 * that of a take in flight if there is one.
 */
export function whyLocked(takes: readonly { readonly status: RowViewStatus }[]): string | undefined {
  for (const take of takes) {
    const reason = saidBy(take.status);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function saidBy(status: RowViewStatus): string | undefined {
  switch (status) {
    case 'submitting':
    case 'submit-unknown':
    case 'rendering':
    case 'downloading':
      return domainWords.nights.locked[status];
    case 'failed':
    case 'queued':
    case 'done':
    case 'cancelled':
    case 'draft':
    case 'invalid':
    case 'skipped':
      return undefined;
    default:
      return assertNever(status);
  }
}
