/** Commits what was prepared, sends each request once, and notes what its answer means beyond its task. */
import { failure, saidBy } from '../../../shared/domain/base/failure.ts';
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { moneyText } from '../../../shared/domain/base/money.ts';
import type { SubmitOutcome } from '../../../shared/domain/gateway/submit-outcome.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import { countedRefusal, refusalsInWords } from '../../../shared/domain/gateway/retry.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { UNKNOWN_FUSE } from '../../../shared/domain/task/fuse.ts';
import { crashPoint } from '../../crash-point.ts';
import type { MediaGateway, SubmitReport } from '../../ports/media-gateway.ts';
import { firstAsk, keptOpen } from '../charges/asks.ts';
import { countSubmit } from '../polls/count-answer.ts';
import { noLongerAwaits, traitsOf, type Lane, type LaneRight } from '../lanes.ts';
import type { Night } from '../night.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Recorded } from '../task-journal.ts';
import type { Prepared } from './prepare-submits.ts';
import { fencedTraits, recordAnswer } from './record-answer.ts';

/** Stands in for a gateway whose key was replaced before a paid request left; sends nothing. */
const KEY_REPLACED: Pick<MediaGateway, 'submit'> = {
  submit: () => {
    const why = failure('NETWORK_NOT_SENT', reason('keyReplaced'));
    return Promise.resolve({ outcome: { kind: 'not-sent', failure: why } });
  },
};

/** Stands in for the answer to a request that waited to leave until it was no longer wanted. */
function heldBack(why: Reason): SubmitReport {
  return { outcome: { kind: 'not-sent', failure: failure('NETWORK_NOT_SENT', why) } };
}

/** Why a request that was chosen must no longer leave: looking up a name, a socket or a sleep may have taken long. */
function whyHeldBack(
  night: Night,
  { gate, record: { state, pause } }: NightBatch,
  right: LaneRight,
): Reason | undefined {
  if (!right.isHeld()) return reason('heldBack.account');
  if (!night.isAwake()) return reason('heldBack.sleep');
  if (!gate.isOpen) return reason('heldBack.window');
  if (state === 'paused' && pause?.by === 'user') return reason('heldBack.paused');
  return undefined;
}

/** Commits the intents as one group, and sends those that were committed (submit protocol, steps 3 and 4). */
export async function commitAndSend(night: Night, prepared: readonly Prepared[]): Promise<void> {
  if (prepared.length === 0) return;
  // From here on, no account is given back between the commit and the request.
  for (const { lane, task, entry } of prepared) {
    if (entry.openAttempt === undefined) continue;
    lane.unanswered.set(task.id, task.attempts);
    if (entry.under !== undefined) lane.unsent.set(task.id, traitsOf(entry.openAttempt));
  }
  let recorded;
  try {
    recorded = await night.journal.recordNow(prepared.map(({ entry }) => entry));
  } catch (error) {
    // Nothing is sent, even if the store has committed it after all.
    for (const { lane, task } of prepared) noLongerAwaits(lane, task);
    const batches = new Set(prepared.map(({ batch }) => batch));
    const [first] = batches;
    if (batches.size > 1 && !night.journal.isStoreFailed) {
      // The bug lies in one of the batches: each is tried by itself.
      for (const batch of batches)
        await commitAndSend(
          night,
          prepared.filter((one) => one.batch === batch),
        );
      return;
    }
    for (const { lane } of prepared) lane.budget.spare();
    if (first !== undefined) night.batches.stumble(batches, error);
    return;
  }
  // No await from here on: what was committed is sent, unless its answer can no longer be recorded.
  const { isClosed } = night.journal;
  recorded.forEach((outcome, i) => {
    const made = prepared[i];
    if (made === undefined) return;
    if (outcome.kind === 'committed' && made.body !== undefined && !isClosed) {
      const { lane } = made;
      lane.unsent.delete(made.task.id);
      night.track(
        made.batch,
        send(night, made, outcome.task, made.body).finally(() => noLongerAwaits(lane, made.task)),
      );
    } else {
      noLongerAwaits(made.lane, made.task);
      made.lane.budget.spare();
    }
  });
  const changed = new Set(prepared.flatMap(({ batch }, i) => (recorded[i]?.kind === 'batch-changed' ? batch : [])));
  for (const batch of changed) night.track(batch, night.batches.readAgain(batch));
  // A task that was not ready has freed its slot for others; what has changed in the meantime is looked at again.
  const isChanged = ({ kind }: Recorded): boolean => kind === 'stale' || kind === 'refused' || kind === 'over-limit';
  if (recorded.some((one, i) => isChanged(one) || prepared[i]?.body === undefined)) night.wake();
}

async function send(
  night: Night,
  { batch, account, lane, gateway: chosen, right, task: before, entry, keyFingerprint, completions }: Prepared,
  task: Task,
  body: Uint8Array,
): Promise<void> {
  crashPoint('submit.intent-committed');
  // The intent names the key that pays. The user may have replaced that key while the intent was being committed.
  const gateway = night.keyFingerprint(account.account) === keyFingerprint ? chosen : KEY_REPLACED;
  const sentAt = night.clock.now();
  const { idempotency, startedAt = night.clock.now() } = entry.openAttempt ?? {};
  let notNow = whyHeldBack(night, batch, right);
  const mayLeave = (): boolean => (notNow = whyHeldBack(night, batch, right)) === undefined;
  const call = { operation: task.operation, body, mayLeave, ...present({ idempotency }) };
  const came = notNow === undefined ? await gateway.submit(call) : undefined;
  const isHeldBack = notNow !== undefined && (came === undefined || came.outcome.kind === 'not-sent');
  const report = came === undefined || isHeldBack ? heldBack(notNow ?? reason('words', '')) : came;
  crashPoint('submit.answered');
  const refusals = refusalsInWords(before.failure);
  const told = openIfCharged(report);
  const counted = { ...report, outcome: countedRefusal(told, refusals) };
  const isDoubted = counted.outcome.kind === 'unknown' && told.kind !== 'unknown';
  // An answer that was paid for is recorded without waiting for the store.
  const known = await Promise.race([completions, Promise.resolve([])]);
  const learned = countSubmit(night, batch, account, task, counted, sentAt);
  // If words may have been wrong several times, nobody knows which of these requests was accepted.
  const isLost = report.outcome.kind === 'unknown' && idempotency !== undefined;
  const tried = idempotency && keptOpen(night, batch, account, report.outcome, startedAt);
  const again = tried?.again ?? (isLost ? firstAsk(night, batch, account, startedAt) : undefined);
  const outcome = await recordAnswer(
    night,
    task,
    { ...counted, outcome: tried?.outcome ?? counted.outcome },
    known,
    {
      ...learned,
      ...(isDoubted && { doubted: refusals }),
      ...(before.account === undefined && { isFirst: true as const }),
      ...fencedTraits(right, entry.openAttempt),
    },
    again,
  );
  crashPoint('submit.answer-committed');
  // The gateway was not involved.
  if (isHeldBack) lane.budget.giveBack();
  else takeNote(night, batch, account, lane, outcome, again !== undefined);
  night.wake();
}

/**
 * A request that is only refused for now is sent again by itself. One that costs something, by the gateway's own words,
 * would be paid for each time: the user decides what has become of it.
 */
function openIfCharged({ outcome, cost }: SubmitReport): SubmitOutcome {
  if ((outcome.kind !== 'rate-limited' && outcome.kind !== 'held') || cost === undefined || cost.amount === 0) {
    return outcome;
  }
  const words = reason('costsAlready', moneyText(cost), saidBy(outcome.failure));
  return { kind: 'unknown', failure: failure('SUBMIT_OUTCOME_UNKNOWN', words, { isCharged: true }) };
}

/** What an outcome means beyond its task: for the pace, the fuse and the pause. */
function takeNote(
  night: Night,
  batch: NightBatch,
  account: NightAccount,
  lane: Lane,
  outcome: SubmitOutcome,
  settlesItself: boolean,
): void {
  const { budget } = lane;
  const monotonic = night.clock.monotonic();
  if (outcome.kind !== 'unknown') account.unknownInARow = 0;
  if (outcome.kind !== 'unknown' && outcome.kind !== 'not-sent') account.asksInVain.clear();
  night.batches.noteTrouble(lane, outcome.kind === 'not-sent' ? outcome.failure : undefined);
  switch (outcome.kind) {
    case 'accepted':
    case 'rejected':
      budget.calm(monotonic);
      return;
    case 'not-sent':
      budget.slowDown(monotonic, undefined, night.random.next());
      return;
    case 'rate-limited':
      budget.slowDown(monotonic, outcome.retryAfterMs, night.random.next());
      night.batches.noteHold(lane, night.clock.now() + budget.waitMs(monotonic));
      return;
    case 'held':
      night.batches.pause(batch, outcome.failure, account);
      return;
    case 'unknown':
      account.unknownInARow += 1;
      if (outcome.failure.data?.['duplicateTaskCode'] === true) {
        night.batches.pause(batch, failure('GATEWAY_PROTOCOL', saidBy(outcome.failure)), account);
      } else if (!settlesItself && account.unknownInARow >= UNKNOWN_FUSE) {
        account.unknownInARow = 0;
        night.batches.pause(
          batch,
          failure('FUSE_BLOWN', reason('unknownInARow', UNKNOWN_FUSE, saidBy(outcome.failure))),
          account,
        );
      }
      return;
    default:
      return assertNever(outcome);
  }
}
