/** The time by which a batch is to finish: nothing is submitted that would not be done by then, and then it pauses. */
import { failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import { mostlyWithinMs } from '../../../shared/domain/gateway/poll-schedule.ts';
import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import { momentReason } from '../../../shared/domain/task/schedule-text.ts';
import { kindOf } from '../../../shared/domain/task/task.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { QueuedTask } from '../../ports/task-store.ts';
import type { Night } from '../night.ts';
import type { NightBatch } from './night-batch.ts';

/** The tasks that are expected to be done by the time by which their batch is to finish. */
export async function doneInTime(night: Night, found: readonly QueuedTask[]): Promise<readonly QueuedTask[]> {
  const isInTime = await Promise.all(
    found.map(async ({ task, account }) => {
      const batch = night.batches.all.get(task.batchId);
      if (batch?.record.settings.schedule?.finishBy === undefined) return true;
      const times = await night.times.of(batch, batch.accountOf({ ...present({ account }) }), task);
      const ms = mostlyWithinMs(task.operation, times);
      // The settings may have changed in the meantime.
      const { finishBy = Number.POSITIVE_INFINITY } = batch.record.settings.schedule ?? {};
      if (night.wallNow() + ms <= finishBy) return true;
      batch.tooLong.add(kindOf(task));
      // Others may still be in time.
      night.wake();
      return false;
    }),
  );
  return found.filter((_, i) => isInTime[i]);
}

/**
 * Pauses batches that have reached the time by which they are to finish, or have nothing left that would be done by
 * then.
 */
export async function pauseInTime(night: Night): Promise<void> {
  for (const batch of night.batches.all.values()) if (isEnding(night, batch)) await pauseIfLeft(night, batch);
}

/** Whether its time has come, or nothing of it is under way and some of it would take too long. */
function isEnding(night: Night, batch: NightBatch): boolean {
  if (batch.record.settings.schedule?.finishBy === undefined || batch.record.state !== 'running') return false;
  return batch.gate.now.kind === 'over' || (batch.tooLong.size > 0 && !night.active.isBusy(batch.id));
}

async function pauseIfLeft(night: Night, batch: NightBatch): Promise<void> {
  const now = night.clock.now();
  await night.batches.work.learn([batch.id], now);
  const left = night.batches.work.of(batch.id);
  const queued = left === undefined ? 0 : FAMILIES.reduce((sum, family) => sum + left.counts[family].queued, 0);
  if (left === undefined || queued === 0) return;
  const isOver = batch.gate.now.kind === 'over';
  if (!isOver && (left.nextDueAt !== undefined || (await isSomeInTime(night, batch)))) return;
  // In the meantime, something may have been submitted, or the user may have changed the schedule.
  if (!isEnding(night, batch)) return;
  const { schedule } = batch.record.settings;
  if (schedule?.finishBy === undefined) return;
  const by = momentReason(schedule.finishBy, schedule.zone, night.wallNow());
  const words = reason('notFinishedBy', by, queued, isOver);
  night.batches.pause(batch, failure('FINISH_BY', words, { left: queued }));
}

async function isSomeInTime(night: Night, batch: NightBatch): Promise<boolean> {
  const wanted = FAMILIES.map((family) => ({ batchId: batch.id, family, limit: 1, without: [...batch.tooLong] }));
  return (await night.store.nextToSubmit(wanted, night.clock.now())).length > 0;
}
