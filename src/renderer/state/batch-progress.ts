import { FAMILIES, type Family } from '../../shared/domain/operations.ts';
import { TASK_STATUSES, TERMINAL_STATUSES, type TaskStatus } from '../../shared/domain/task.ts';
import type { BatchView } from '../../shared/ipc/views.ts';

export type StatusTotals = Readonly<Record<TaskStatus, number>>;

/** The order of a bar from left to right: what is safe, what moves, what waits, what fell out. */
export const BAR_ORDER: readonly TaskStatus[] = [
  'done',
  'downloading',
  'rendering',
  'submitting',
  'queued',
  'submit-unknown',
  'failed',
  'cancelled',
];

/** Tasks by status over all families, or of one. */
export function statusTotals(counts: BatchView['counts'], family?: Family): StatusTotals {
  const families = family === undefined ? FAMILIES : [family];
  const totals = TASK_STATUSES.map((status) => [status, sum(families.map((name) => counts[name][status]))] as const);
  return Object.fromEntries(totals) as Record<TaskStatus, number>;
}

export function tasksInTotal(totals: StatusTotals): number {
  return sum(TASK_STATUSES.map((status) => totals[status]));
}

/** Tasks with which nothing more happens by itself. */
export function endedTasks(totals: StatusTotals): number {
  return sum(TASK_STATUSES.filter((status) => TERMINAL_STATUSES.has(status)).map((status) => totals[status]));
}

/** Tasks that a cancel would stop. */
export function openTasks(totals: StatusTotals): number {
  return tasksInTotal(totals) - endedTasks(totals);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
