/** Which requests are sent again under their keys, and when. */
import { failure, saidBy } from '../../../shared/domain/base/failure.ts';
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { listOf } from '../../../shared/domain/base/result.ts';
import { keptUntil, marginMs, nextAsk, type NextAsk } from '../../../shared/domain/gateway/charges/asked-again.ts';
import type { SubmitOutcome } from '../../../shared/domain/gateway/submit-outcome.ts';
import { settlesItself, type Task } from '../../../shared/domain/task/task.ts';
import { accountsOf } from '../../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Attempt } from '../../ports/task-change.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import { interruptedEntry } from '../night-end.ts';
import type { Night } from '../night.ts';
import type { Entry } from '../task-journal.ts';

/** The attempt whose request is sent again, and when that request was first sent. */
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

/** When a request whose outcome has just become unknown is sent again; undefined if it must not be. */
export function firstAsk(
  { keyTrust, clock, random }: Pick<Night, 'keyTrust' | 'clock' | 'random'>,
  batch: NightBatch,
  account: NightAccount,
  firstAt: number,
  asks = 0,
): NextAsk | undefined {
  const { idempotency } = account.profile;
  if (idempotency === undefined || keyTrust.isRefuted(batch, account)) return undefined;
  return nextAsk({ asks, until: keptUntil(firstAt, idempotency.keepHours) }, clock.now(), random.next());
}

/**
 * What an accepted answer counts as in a batch that tries the keys of its gateway: as lost, so that its request is sent
 * again at once and must return the same task code. Only one request does, until it has shown something.
 */
export function keptOpen(
  night: Pick<Night, 'keyTrust' | 'clock' | 'random' | 'active'>,
  batch: NightBatch,
  account: NightAccount,
  outcome: SubmitOutcome,
  firstAt: number,
): { readonly outcome: SubmitOutcome; readonly again: NextAsk } | undefined {
  if (outcome.kind !== 'accepted' || !night.keyTrust.isProbing(batch, account)) return undefined;
  if (night.active.isAskingAgain(batch.id)) return undefined;
  const again = firstAsk(night, batch, account, firstAt);
  if (again === undefined) return undefined;
  const { taskCode } = outcome;
  const failed = failure('SUBMIT_OUTCOME_UNKNOWN', reason('toTryKeys', taskCode), { isCharged: true });
  const now: NextAsk = { ...again, isAccepted: true, dueAt: night.clock.now() };
  return { outcome: { kind: 'unknown', failure: failed, taskCode }, again: now };
}

/**
 * Whether a batch tries the keys of its gateway: no request of it is sent more than twice, and each time may be
 * charged.
 */
export function isTrying({ settings }: Pick<BatchRecord, 'settings'>): boolean {
  return settings.probe === true;
}

/**
 * For a submit that was under way when an earlier night ended: it is sent again if it has a key. The interruption says
 * nothing about the gateway, so the submit does not wait longer than it would have.
 */
export async function interruptedAsk(
  night: Pick<Night, 'keyTrust' | 'clock' | 'random' | 'store'>,
  batch: NightBatch,
  task: Task,
): Promise<NextAsk | undefined> {
  const account = batch.accountOf(task);
  if (account.profile.idempotency === undefined || (isTrying(batch.record) && task.again !== undefined))
    return undefined;
  const asked = askedOf(await night.store.attempts(task.id));
  return asked && firstAsk(night, batch, account, asked.firstAt, task.again?.asks);
}

/**
 * The request is no longer sent again: if it was accepted, the gateway is asked about it; otherwise the user decides.
 */
export function noMoreAsks({ id: taskId, again, taskCode, failure: known }: Task, why: Reason): Entry {
  if (again?.isAccepted === true && taskCode !== undefined) return { taskId, event: { kind: 'adopted', taskCode } };
  const ends = reason('notAgain', why);
  const said = known ? reason('both', saidBy(known), ends) : ends;
  return { taskId, event: { kind: 'still-unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', said, known?.data) } };
}

/**
 * At the first look into a store: if the clock was set back since something was last recorded, nobody knows how long
 * ago requests were sent and whether their gateways still know the keys. So none of them is sent again, in any batch.
 */
export async function endForgottenAsks({
  store,
  clock,
  journal,
}: Pick<Night, 'store' | 'clock' | 'journal'>): Promise<void> {
  const now = clock.now();
  const backMs = ((await store.lastNotedAt()) ?? now) - now;
  if (backMs <= 0) return;
  for (const batch of await store.batches()) {
    const { id, settings } = batch;
    const least = Math.min(...accountsOf(settings).map(({ profile }) => marginMs(profile.idempotency?.keepHours ?? 0)));
    if (backMs < least) continue;
    const left = await listOf(store.tasksByStatus(['submitting', 'submit-unknown'], id));
    const entries = left.flatMap((task) => {
      if (task.status === 'submitting') return [interruptedEntry(task, now, isTrying(batch))];
      return settlesItself(task) ? [noMoreAsks(task, reason('clockSetBack'))] : [];
    });
    if (entries.length > 0) await journal.recordNow(entries);
  }
}
