/**
 * One of each kind of request first: if the gateway refuses a column or a model, finding that out costs one row of its
 * kind, not all. Which tasks may start is the store's answer to one query (`QueuedWanted.canary`); this is what the
 * user is told when a kind is held.
 */
import { failure, saidBy, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason, inEnglish } from '../../../shared/domain/base/reason.ts';
import { canaryRuleOf } from '../../../shared/domain/task/canary.ts';
import { kindWords } from '../../../shared/domain/task/canary.ts';
import type { HeldKind, QueuedWanted } from '../../ports/task-store.ts';
import type { Night } from '../night.ts';
import type { NightBatch } from './night-batch.ts';

/** What a batch was asked for, and what came. */
export interface AskedFor {
  readonly wanted: readonly QueuedWanted[];
  readonly found: number;
}

/**
 * Pauses a batch if the first of a kind has failed, or if everything that is left is held up by an unknown outcome
 * alone.
 */
export async function lookAtCanaries(night: Night, batch: NightBatch, { wanted, found }: AskedFor): Promise<void> {
  const rule = canaryRuleOf(batch.record);
  const isShort = found < wanted.reduce((sum, { limit }) => sum + limit, 0);
  if (rule === undefined || !batch.allowed.submit || !(batch.isCanaryDoubted || (wanted.length > 0 && isShort))) return;
  batch.isCanaryDoubted = false;
  const held = await night.store.heldKinds(batch.id, rule, night.clock.now());
  const failed = held.find(({ why }) => why === 'failed');
  const isStuck = wanted.length > 0 && found === 0 && !night.active.isBusy(batch.id) && !hasMoreToCome(night, batch);
  const first = failed ?? (isStuck ? held[0] : undefined);
  if (first === undefined) return;
  const why = await heldFailure(night, batch, first);
  // While the store was asked, the user may have changed or resumed the batch.
  if (isSame(batch, rule)) night.batches.pause(batch, why);
  else batch.isCanaryDoubted = true;
}

/** Whether something of the queue becomes due later: it may be of another kind. */
function hasMoreToCome(night: Night, batch: NightBatch): boolean {
  return night.batches.work.of(batch.id)?.nextDueAt !== undefined;
}

function isSame(batch: NightBatch, asked: ReturnType<typeof canaryRuleOf>): boolean {
  const now = canaryRuleOf(batch.record);
  return batch.allowed.submit && now?.since === asked?.since && now?.released.length === asked?.released.length;
}

async function heldFailure(night: Night, batch: NightBatch, held: HeldKind): Promise<Failure> {
  const { requestKind, why, taskId, waiting } = held;
  const task = await night.store.task(taskId);
  const rowId = task?.rowId ?? '';
  const row = await night.store.row(batch.id, rowId);
  const kind = row === undefined ? '' : kindWords(row);
  const because = task?.failure;
  const words = because && reason('titled', reason('failureTitle', because.code), saidBy(because));
  const became =
    why === 'unknown' ? reason('canaryUnknown', kind, rowId) : reason('canaryFailed', kind, rowId, words ?? '');
  return failure('CANARY_FAILED', reason('both', became, reason('canaryWaits', waiting)), {
    requestKind,
    why,
    row: rowId,
    kind: inEnglish(kind),
    waiting,
  });
}
