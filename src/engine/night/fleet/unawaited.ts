import { failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { isSent, type Lane, type LaneRight } from '../lanes.ts';
import { interrupted } from '../left-in-flight.ts';
import type { Night } from '../night.ts';
import type { Entry } from '../task-journal.ts';

/**
 * Settles paid requests at this process's accounts whose answers nobody waits for any more: their commit was not
 * confirmed, or whoever sent them has ended since the account was looked into.
 * @param isInterrupted Whether no other process may be waiting for the answer.
 */
export async function settleUnawaited(
  night: Night,
  isInterrupted: (lane: Lane, task: Task) => Promise<boolean>,
): Promise<void> {
  const entries: Entry[] = [];
  const sending = night.active.all().filter(({ status }) => status === 'submitting');
  for (const task of sending) {
    const batch = night.batches.all.get(task.batchId);
    const lane = batch?.accountOf(task).lane;
    const right = lane?.right;
    if (batch === undefined || lane === undefined || right === undefined) continue;
    const isUnawaited = (): boolean => right.isHeld() && lane.unanswered.get(task.id) !== task.attempts;
    if (!isUnawaited()) continue;
    const entry =
      (await unsentEntry(night, task, lane, right)) ??
      ((await isInterrupted(lane, task)) ? await interrupted(night, batch, task, right.fence) : undefined);
    if (entry !== undefined) entries.push({ ...entry, isWanted: isUnawaited });
  }
  if (entries.length > 0) await night.journal.recordNow(entries);
}

/** For a request that this process certainly has not sent, because it did not learn that its intent was committed. */
async function unsentEntry(
  { clock, store }: Night,
  { id: taskId, again }: Task,
  { unsent }: Lane,
  { fence }: LaneRight,
): Promise<Entry | undefined> {
  const intent = unsent.get(taskId);
  const sent = intent === undefined ? undefined : (await store.attempts(taskId)).at(-1);
  if (intent === undefined || sent === undefined || again !== undefined || !isSent(sent, intent)) return undefined;
  const now = clock.now();
  const why = failure('NETWORK_NOT_SENT', reason('heldBack.notNoted'));
  const event = { kind: 'not-sent', failure: why, dueAt: now } as const;
  return { taskId, event, closeAttempt: { answeredAt: now, outcome: 'not-sent' }, ...present({ under: fence }) };
}
