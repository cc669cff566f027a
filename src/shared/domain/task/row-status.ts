import type { TaskStatus } from './task.ts';

/** What a line of the grid shows: the status of its tasks, or why it has none. A draft runs at the user's word only. */
export type RowViewStatus = TaskStatus | 'draft' | 'invalid' | 'skipped';

/**
 * What a row with several takes is said to be, strongest first: what waits for the user, then what is being worked on
 * (the take that is furthest), then what still waits, then how the takes ended, the exceptions before the successes.
 */
const STRONGEST_FIRST: readonly TaskStatus[] = [
  'submit-unknown',
  'downloading',
  'rendering',
  'submitting',
  'queued',
  'failed',
  'cancelled',
  'done',
];

export const ROW_VIEW_STATUSES: readonly RowViewStatus[] = [...STRONGEST_FIRST, 'draft', 'invalid', 'skipped'];

/** The one status that a row shows for the statuses of its takes; undefined where there is no take. */
export function rowStatus(statuses: readonly TaskStatus[]): TaskStatus | undefined {
  if (statuses.length <= 1) return statuses[0];
  return STRONGEST_FIRST.find((status) => statuses.includes(status));
}
