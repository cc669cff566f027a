/**
 * Sends a paid request whose outcome is unknown once more: the bytes that were frozen for it, under the key that it was
 * sent with, to the same origin with the same account. At a gateway that keeps such keys that is never a second charge.
 */
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import {
  keptUntil,
  nextAsk,
  type AskingAgain,
  type NextAsk,
} from '../../../shared/domain/gateway/charges/asked-again.ts';
import { MAX_RETRY_AFTER_MS } from '../../../shared/domain/gateway/retry.ts';
import type { SubmitOutcome } from '../../../shared/domain/gateway/submit-outcome.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { crashPoint } from '../../crash-point.ts';
import type { SubmitReport } from '../../ports.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import { adopt } from '../decisions.ts';
import type { Night } from '../night.ts';
import { askedOf, type Asked } from './asks.ts';
import { recordAnswer } from '../submit-step.ts';

/** So many times in succession without any answer, and the batch pauses: the gateway is down, or loses every answer. */
const UNANSWERED_FUSE = 3;

/** Stands in for the answer to a request that was no longer wanted when its turn came. */
const NOT_WANTED: SubmitReport = {
  outcome: { kind: 'not-sent', failure: failure('NETWORK_NOT_SENT', 'Nothing was sent: the batch was paused.') },
};

/** Sends it once more, and records the answer. The caller has taken the request from the budget. */
export async function askAgain(night: Night, batch: NightBatch, task: Task): Promise<void> {
  const { again } = task;
  const asked = askedOf(await night.store.attempts(task.id));
  if (again === undefined) return;
  const reason = asked === undefined ? 'its key is not known' : whyNotAgain(night, batch, asked, again);
  if (asked === undefined || reason !== undefined) {
    batch.lane.budget.giveBack();
    await endAsking(night, task, `It is not sent again under its key: ${reason}.`);
    return;
  }
  if (again.isTaken === true && task.taskCode !== undefined) await proveCode(night, batch, task, task.taskCode, again);
  else await sendAgain(night, batch, task, asked, again);
}

/** Why it must not be sent again, to end a sentence with: it could be charged once more. */
function whyNotAgain(night: Night, batch: NightBatch, asked: Asked, again: AskingAgain): string | undefined {
  const { profile, gateway } = batch;
  const { idempotency } = profile;
  if (idempotency === undefined) return 'the profile no longer says that the gateway keeps such keys';
  if (night.keyTrust.isRefuted(batch)) return 'the gateway was found to charge twice for one key';
  if (idempotency.header.toLowerCase() !== asked.idempotency.header.toLowerCase()) {
    return `it was sent in the header ${asked.idempotency.header}, and the profile has another one now`;
  }
  if (asked.origin !== gateway.origin) return `it was sent to ${asked.origin}`;
  if (asked.keyFingerprint !== night.keyFingerprint(profile)) return 'it was sent with another account key';
  const until = Math.min(again.until, keptUntil(asked.firstAt, idempotency.keepHours));
  return night.clock.now() >= until ? 'the gateway no longer knows the key' : undefined;
}

/** The same for a task that is past its time, or whose gateway is not asked any more. */
async function endAsking(night: Night, task: Task, why: string): Promise<void> {
  const known = task.failure?.message ?? '';
  const said = failure('SUBMIT_OUTCOME_UNKNOWN', `${known} ${why}`.trim(), task.failure?.data);
  await night.journal.record({ taskId: task.id, event: { kind: 'still-unknown', failure: said } });
  night.wake();
}

async function sendAgain(night: Night, batch: NightBatch, task: Task, asked: Asked, again: AskingAgain): Promise<void> {
  const { lane, gateway: chosen } = batch;
  const { origin, keyFingerprint, body, bodySha256, idempotency } = asked;
  const isWanted = (): boolean =>
    !night.ending.aborted && batch.allowed.submit && night.keyFingerprint(batch.profile) === keyFingerprint;
  crashPoint('again.before-intent');
  const intent = { startedAt: night.clock.now(), origin, keyFingerprint, body, bodySha256, idempotency };
  const [recorded] = await night.journal.recordNow([
    { taskId: task.id, event: { kind: 'asked-again' }, openAttempt: { ...intent, isAgain: true }, isWanted },
  ]);
  if (recorded?.kind !== 'committed' || night.journal.isClosed) {
    lane.budget.giveBack();
    return;
  }
  crashPoint('again.intent-committed');
  // While the intent was committed, the user may have paused the batch or replaced the key.
  const report = isWanted()
    ? await chosen.submit({ operation: task.operation, body, idempotency, again: { until: again.until } })
    : NOT_WANTED;
  crashPoint('again.answered');
  const next = nextOf(night, again, report.retryAfterMs);
  const { outcome, next: then } = outcomeOfAgain(batch, task, report, next);
  const counted = await recordAnswer(night, recorded.task, { ...report, outcome }, [], {}, then);
  crashPoint('again.answer-committed');
  await takeNote(night, batch, report, counted, isSameTask(task, report));
  night.wake();
}

function nextOf(night: Night, { asks, until }: AskingAgain, retryAfterMs = 0): NextAsk | undefined {
  const waitMs = Math.min(retryAfterMs, MAX_RETRY_AFTER_MS);
  return nextAsk({ asks: asks + 1, until }, night.clock.now(), night.random.next(), waitMs);
}

/** What the answer settles, and when to ask once more if it does not. Never that nothing was charged, unless that is proved. */
function outcomeOfAgain(
  { profile }: NightBatch,
  task: Task,
  { outcome, again = 'nothing', seenTaskCode }: SubmitReport,
  next: NextAsk | undefined,
): { readonly outcome: SubmitOutcome; readonly next?: NextAsk | undefined } {
  const named = outcome.kind === 'accepted' ? outcome.taskCode : seenTaskCode;
  if (task.taskCode !== undefined && named !== undefined && named !== task.taskCode) {
    return { outcome: unknown(twoCodes(task.taskCode, named)) };
  }
  // One that was accepted once is not refused any more.
  if (again === 'settles' && (outcome.kind === 'accepted' || task.taskCode === undefined)) return { outcome };
  const said = outcome.kind === 'accepted' ? '' : outcome.failure.message;
  const code = named ?? task.taskCode;
  if (again === 'duplicate' && (code !== undefined || profile.idempotency?.onDuplicate === 'reject')) {
    const taken = `The gateway refused it as a duplicate of the first: that one was accepted and charged. ${said}`;
    const why = failure('SUBMIT_OUTCOME_UNKNOWN', taken, { isCharged: true });
    if (code === undefined) return { outcome: unknown(why) };
    return { outcome: { ...unknown(why), taskCode: code }, next: next && { ...next, isTaken: true } };
  }
  const why = failure('SUBMIT_OUTCOME_UNKNOWN', `Sent again under its key, it is still unknown: ${said}`);
  return { outcome: { ...unknown(why), ...present({ taskCode: named }) }, next };
}

function unknown(why: Failure): Extract<SubmitOutcome, { kind: 'unknown' }> {
  return { kind: 'unknown', failure: why };
}

function twoCodes(first: string, second: string): Failure {
  const message = `The gateway gave two task codes for one key, ${first} and ${second}: it charges twice, whatever its profile says. Nocturne sends nothing again under a key there.`;
  return failure('SUBMIT_OUTCOME_UNKNOWN', message, { twoTaskCodes: [first, second] });
}

/** The gateway named this code for the request: one poll proves it, as when the user adopts it. */
async function proveCode(
  night: Night,
  batch: NightBatch,
  task: Task,
  taskCode: string,
  again: AskingAgain,
): Promise<void> {
  const adopted = await adopt(night, batch, task, taskCode);
  if (adopted.ok) return;
  const { failure: before } = task;
  const why = `It named ${taskCode}, which the gateway did not confirm: ${adopted.error.message}`;
  const next = nextOf(night, again);
  // However often it is asked, only the last answer is told.
  const [taken = ''] = (before?.message ?? '').split(' It named ');
  const kept = failure('SUBMIT_OUTCOME_UNKNOWN', `${taken} ${why}`.trim(), before?.data);
  const then: NextAsk | undefined = next && { ...next, isTaken: true };
  const event = { kind: 'still-unknown', failure: kept, ...present({ again: then }) } as const;
  await night.journal.record({ taskId: task.id, event });
  night.wake();
}

/** The answer is about the task whose code an earlier answer under the key named: the gateway keeps its word. */
function isSameTask({ taskCode }: Task, { outcome, again, seenTaskCode }: SubmitReport): boolean {
  if (taskCode === undefined) return false;
  if (outcome.kind === 'accepted') return outcome.taskCode === taskCode;
  return again === 'duplicate' && (seenTaskCode ?? taskCode) === taskCode;
}

/** What an answer means beyond its task: the pace, the fuse, the pause. */
async function takeNote(
  night: Night,
  batch: NightBatch,
  { outcome, again }: SubmitReport,
  counted: SubmitOutcome,
  isSame: boolean,
): Promise<void> {
  const { lane } = batch;
  const monotonic = night.clock.monotonic();
  const isUnanswered = outcome.kind === 'not-sent' || (outcome.kind === 'unknown' && again !== 'duplicate');
  if (!isUnanswered) batch.unknownInARow = batch.asksInVain = 0;
  night.batches.noteTrouble(lane, outcome.kind === 'not-sent' ? outcome.failure : undefined);
  if (counted.kind === 'unknown' && counted.failure.data?.['twoTaskCodes'] !== undefined) {
    night.batches.pause(batch, failure('GATEWAY_PROTOCOL', counted.failure.message));
    await night.keyTrust.note(batch, 'refuted');
    return;
  }
  if (counted.kind === 'unknown' && counted.failure.data?.['duplicateTaskCode'] === true) {
    night.batches.pause(batch, failure('GATEWAY_PROTOCOL', counted.failure.message));
    return;
  }
  if (isSame) await night.keyTrust.note(batch, 'passed');
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      lane.budget.calm(monotonic);
      return;
    case 'not-sent':
      lane.budget.slowDown(monotonic, undefined, night.random.next());
      return;
    case 'rate-limited':
      lane.budget.slowDown(monotonic, outcome.retryAfterMs, night.random.next());
      night.batches.noteHold(lane, night.clock.now() + lane.budget.waitMs(monotonic));
      return;
    case 'held':
      night.batches.pause(batch, outcome.failure);
      return;
    case 'unknown':
      if (isUnanswered) blowIfInVain(night, batch, outcome.failure);
      return;
    default:
      assertNever(outcome);
  }
}

/** Unknown outcomes that settle themselves pause nothing; but if nothing is answered, no more is paid for. */
function blowIfInVain(night: Night, batch: NightBatch, why: Failure): void {
  batch.asksInVain += 1;
  if (batch.asksInVain < UNANSWERED_FUSE) return;
  batch.unknownInARow = batch.asksInVain = 0;
  const words = `${UNANSWERED_FUSE} requests that were sent again under their keys one after another got no answer either`;
  night.batches.pause(batch, failure('FUSE_BLOWN', `${words}: ${why.message}`));
}
