/**
 * Corrects what an earlier process recorded by a clock that was ahead and has been set right since. Within one process,
 * the night's clock never goes back; the next process begins at the system's time, and would wait for times that were
 * never meant.
 */
import type { PollMemory } from '../../../shared/domain/gateway/poll-answer.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';

/** Nothing waits longer than this in the queue: a gateway that asks for a wait is heeded for 15 minutes. */
const LONGEST_QUEUED_MS = 30 * 60_000;
/** A rendering that takes many hours is then asked about once more than necessary. */
const LONGEST_RENDERING_MS = 20 * 60_000;
/** Files and suspicions wait for an hour. */
const LONGEST_IN_FLIGHT_MS = 2 * 3_600_000;
/** Since when something has been true of a task, and when the task was last tried. */
const NOTED = ['filesSince', 'countSince', 'emptySince', 'refusedSince', 'triedAt', 'lookedAt', 'unseenSince'] as const;

/** Makes due what waits longer in the queue of a batch than anything can by a clock that is right. */
export async function heedClock(
  store: Pick<TaskStore, 'nextQueuedDueAt' | 'makeDue'>,
  batchId: string,
  now: number,
): Promise<void> {
  const latest = now + LONGEST_QUEUED_MS;
  // Nearly always there is no such task, and nothing to write.
  if ((await store.nextQueuedDueAt(batchId, latest)) !== undefined) await store.makeDue(batchId, latest, now);
}

/**
 * A task that was left in flight, without times that are still to come: due now if it was submitted by such a clock, or
 * waits longer than any task does.
 */
export function heedingClock(task: Task, now: number): Task {
  const { submittedAt = now, poll, status } = task;
  const isOfClockAhead = submittedAt > now;
  const longestMs = status === 'rendering' ? LONGEST_RENDERING_MS : LONGEST_IN_FLIGHT_MS;
  const latest = isOfClockAhead ? now : now + longestMs;
  const heeding = (dueAt: number): number => (dueAt > latest ? now : dueAt);
  const outputs = task.outputs.map((output) =>
    output.dueAt === undefined ? output : { ...output, dueAt: heeding(output.dueAt) },
  );
  const seen = notAfter<PollMemory, (typeof NOTED)[number]>(poll, NOTED, now);
  return {
    ...notAfter<Task, 'submittedAt' | 'renderedAt'>(task, ['submittedAt', 'renderedAt'], now),
    dueAt: heeding(task.dueAt),
    outputs,
    // How long it has been rendering is no longer known.
    poll: isOfClockAhead ? { ...seen, late: true } : seen,
  };
}

function notAfter<T extends { readonly [Name in K]?: number }, K extends string>(
  record: T,
  names: readonly K[],
  now: number,
): T {
  const toCome = names.filter((name) => (record[name] ?? now) > now);
  return { ...record, ...Object.fromEntries(toCome.map((name) => [name, now])) };
}
