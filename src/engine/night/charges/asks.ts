/** Which requests are sent again under their keys, and when. */
import { failure } from '../../../shared/domain/base/failure.ts';
import { keptUntil, nextAsk, type NextAsk } from '../../../shared/domain/gateway/charges/asked-again.ts';
import type { SubmitOutcome } from '../../../shared/domain/gateway/submit-outcome.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { Attempt } from '../../ports.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Night } from '../night.ts';

/** The attempt that is sent again, and when its request was sent first. */
export interface Asked extends Attempt {
  readonly idempotency: NonNullable<Attempt['idempotency']>;
  readonly firstAt: number;
}

/** The last request of a task, if it was sent under a key. */
export function askedOf(attempts: readonly Attempt[]): Asked | undefined {
  const last = attempts.at(-1);
  const { idempotency } = last ?? {};
  if (last === undefined || idempotency === undefined) return undefined;
  const first = attempts.find((attempt) => attempt.idempotency?.key === idempotency.key) ?? last;
  return { ...last, idempotency, firstAt: first.startedAt };
}

/** When a request is sent again whose outcome is unknown for the first time; undefined if it must not be. */
export function firstAsk(
  { keyTrust, clock, random }: Pick<Night, 'keyTrust' | 'clock' | 'random'>,
  batch: NightBatch,
  firstAt: number,
  asks = 0,
): NextAsk | undefined {
  const { idempotency } = batch.profile;
  if (idempotency === undefined || keyTrust.isRefuted(batch)) return undefined;
  return nextAsk({ asks, until: keptUntil(firstAt, idempotency.keepHours) }, clock.now(), random.next());
}

/**
 * What an accepted answer counts as in a batch that tries the keys of its gateway: as lost, so that its request is sent
 * again at once, and its task code has to come back.
 */
export function keptOpen(
  night: Pick<Night, 'keyTrust' | 'clock' | 'random'>,
  batch: NightBatch,
  outcome: SubmitOutcome,
  firstAt: number,
): { readonly outcome: SubmitOutcome; readonly again: NextAsk } | undefined {
  if (batch.record.settings.probe !== true || outcome.kind !== 'accepted') return undefined;
  const again = firstAsk(night, batch, firstAt);
  if (again === undefined) return undefined;
  const { taskCode } = outcome;
  const words = `The gateway accepted it as ${taskCode}. To try its keys, it is sent once more under the same one.`;
  const failed = failure('SUBMIT_OUTCOME_UNKNOWN', words, { isCharged: true });
  return { outcome: { kind: 'unknown', failure: failed, taskCode }, again: { ...again, dueAt: night.clock.now() } };
}

/** For a submit that was under way when an earlier night ended: it is sent again if it has a key. */
export async function interruptedAsk(
  night: Pick<Night, 'keyTrust' | 'clock' | 'random' | 'store'>,
  batch: NightBatch,
  task: Task,
): Promise<NextAsk | undefined> {
  if (batch.profile.idempotency === undefined) return undefined;
  const asked = askedOf(await night.store.attempts(task.id));
  const asks = task.again === undefined ? 0 : task.again.asks + 1;
  return asked && firstAsk(night, batch, asked.firstAt, asks);
}
