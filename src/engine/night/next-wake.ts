import { allowedIn, type Night } from './night.ts';
import { DISK_RECHECK_MS, isDiskPause } from './night-batches.ts';

/** The scheduler looks around at least this often, so that a clock that jumped is noticed. */
const LONGEST_SLEEP_MS = 60_000;

/**
 * How long there is nothing to do, in milliseconds; `dueAt` is when the first task in flight is due. What is held back
 * has no due time: the budget says when it may go on, and a slot wakes the night by itself when it frees.
 */
export function nextWakeMs({ clock, store, batches }: Night, dueAt: number | undefined): number {
  const now = clock.now();
  const monotonic = clock.monotonic();
  let wake = LONGEST_SLEEP_MS;
  if (dueAt !== undefined) wake = Math.min(wake, Math.max(dueAt - now, 0));
  for (const { record, lane } of batches.values()) {
    const retryMs = lane.budget.takeRetryMs(monotonic);
    if (isDiskPause(record)) wake = Math.min(wake, DISK_RECHECK_MS);
    if (retryMs !== undefined) wake = Math.min(wake, retryMs);
    if (!allowedIn(record).submit) continue;
    const queuedAt = store.nextQueuedDueAt(record.id, now);
    if (queuedAt !== undefined) wake = Math.min(wake, Math.max(queuedAt - now, 1));
  }
  return wake;
}
