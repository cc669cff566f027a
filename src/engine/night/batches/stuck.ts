/**
 * A batch with several accounts, some of which stand still: once everything that is left waits for those, the batch
 * pauses with their reason. Otherwise it would run through the morning with nothing to do, and nobody would be told.
 */
import type { Failure } from '../../../shared/domain/base/failure.ts';
import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { isAskHeld, settlesItself } from '../../../shared/domain/task/task.ts';
import type { Night } from '../night.ts';
import type { NightBatch } from './night-batch.ts';

/**
 * Pauses the batch if nothing of it is under way, and nothing that waits may go to an account that goes on. A batch
 * with one account pauses when that account does.
 */
export async function pauseIfStuck(night: Night, batch: NightBatch): Promise<void> {
  if (batch.accounts.length === 1) return;
  if (!isStuck(night, batch) || (await hasMore(night, batch))) return;
  // The user may have resumed or changed it in the meantime.
  const [why] = whyStill(batch);
  if (why !== undefined && isStuck(night, batch)) night.batches.pauseWhole(batch, why);
}

/**
 * Why its accounts stand still: stopped, or nothing that waits fits into what is left for them. If there is no such
 * reason, what holds up part of the rest: each account may have room only for what another one has to render.
 */
function whyStill({ accounts, record }: NightBatch): readonly Failure[] {
  const still = accounts.flatMap(({ name = '', noRoom }) => record.stops?.[name] ?? noRoom ?? []);
  return still.length > 0 ? still : accounts.flatMap(({ whyDear }) => whyDear ?? []);
}

function isStuck(night: Night, batch: NightBatch): boolean {
  const { record, allowed, id } = batch;
  if (whyStill(batch).length === 0 || record.state !== 'running' || !allowed.submit) return false;
  // Work at an account of another process goes on there.
  if (batch.accounts.some(({ name = '', right }) => right === undefined && record.stops?.[name] === undefined))
    return false;
  if (night.journal.isCommitting || !night.batches.rest.isInFlightStill(batch)) return false;
  const left = night.batches.work.of(id);
  // A request that would be sent again keeps the batch from ending, just as waiting tasks do.
  const isAsking = night.active.ofBatch(id).some((task) => settlesItself(task) && !isAskHeld(task));
  return left?.firstDueAt !== undefined || night.active.isBusy(id) || isAsking;
}

/** Whether anything waits, due or not, for an account that goes on and may take it. */
async function hasMore(night: Night, batch: NightBatch): Promise<boolean> {
  const open = batch.accounts.filter((one) => one.noRoom === undefined && batch.allowedAt(one).submit);
  const wanted = open.flatMap((one) => {
    const rules = { ...present({ account: one.name }), ...batch.rulesAt(one) };
    return FAMILIES.map((family) => ({ batchId: batch.id, family, limit: 1, ...rules }));
  });
  return (await night.store.nextToSubmit(wanted, Number.MAX_SAFE_INTEGER)).length > 0;
}
