/**
 * Sends a paid request with an unknown outcome once more: the bytes that were frozen for it, under the key that it was
 * sent with, to the same origin and with the same account. At a gateway that honours such keys, this is never a second
 * charge.
 */
import { failure, saidBy, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import {
  keptUntil,
  nextAsk,
  nextTry,
  type AskingAgain,
  type NextAsk,
} from '../../../shared/domain/gateway/charges/asked-again.ts';
import type { IdempotencyProof } from '../../../shared/domain/task/key-probe.ts';
import { MAX_RETRY_AFTER_MS } from '../../../shared/domain/gateway/retry.ts';
import type { SubmitOutcome } from '../../../shared/domain/gateway/submit-outcome.ts';
import { isAskHeld, type Task } from '../../../shared/domain/task/task.ts';
import { UNANSWERED_FUSE } from '../../../shared/domain/task/fuse.ts';
import { crashPoint } from '../../crash-point.ts';
import type { SubmitReport } from '../../ports/media-gateway.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import { mayPay } from '../submits/choose-submits.ts';
import { adopt } from '../adopt.ts';
import { noLongerAwaits, type LaneRight } from '../lanes.ts';
import type { Night } from '../night.ts';
import { askedOf, isTrying, noMoreAsks, type Asked } from './asks.ts';
import { fencedTraits, recordAnswer } from '../submits/record-answer.ts';

/**
 * Whether what settles a task's unknown outcome may be done now: asking about its code, or sending its request once
 * more. While the user holds it, the request is not sent: if it never arrived the first time, it would be charged now.
 * It waits for as long as its key is known.
 */
export function mayAsk(night: Night, batch: NightBatch, task: Task): boolean {
  const { again } = task;
  const { ask, poll } = batch.allowedAt(batch.accountOf(task));
  if (night.ending.aborted || night.journal.isStoreFailed) return false;
  if (again?.isTaken === true) return poll;
  const isHeld = isAskHeld(task) && night.clock.now() < (again?.until ?? 0);
  return ask && !isHeld && mayPay(night, batch) && night.isAwake();
}

/** Sends the request once more and records the answer. The caller has taken the request from the budget. */
export async function askAgain(night: Night, batch: NightBatch, task: Task): Promise<void> {
  const { budget } = batch.accountOf(task).lane;
  const held = budget.hold(1);
  const leave = (): void => held(night.clock.monotonic());
  await askWith(night, batch, task, leave).finally(leave);
}

async function askWith(night: Night, batch: NightBatch, task: Task, leave: () => void): Promise<void> {
  const { again } = task;
  const account = batch.accountOf(task);
  const { right } = account;
  const asked = askedOf(await night.store.attempts(task.id));
  if (again === undefined || right === undefined) return;
  const whyNot = asked && whyNotAgain(night, batch, account, asked, again);
  if (asked === undefined || whyNot !== undefined) {
    account.lane.budget.spare();
    const ended = noMoreAsks(task, whyNot ?? reason('notAgainNow.noKey'));
    await night.journal.record({ ...ended, ...present({ under: right.fence }) });
    night.wake();
    return;
  }
  if (again.isTaken === true && task.taskCode !== undefined) {
    // The request leaves now, and nobody waits for its answer here.
    leave();
    await proveCode(night, batch, task, task.taskCode, again);
  } else {
    const { lane } = account;
    lane.unanswered.set(task.id, task.attempts);
    await sendAgain(night, batch, task, { right, leave }, asked, again).finally(() => noLongerAwaits(lane, task));
  }
}

/** Why the request must not be sent again, as the end of a sentence: it could be charged once more. */
function whyNotAgain(
  night: Night,
  batch: NightBatch,
  account: NightAccount,
  asked: Asked,
  again: AskingAgain,
): Reason | undefined {
  const { profile, gateway } = account;
  const { idempotency } = profile;
  const { header, baseUrl } = asked.idempotency;
  if (idempotency === undefined) return reason('notAgainNow.notKept');
  if (night.keyTrust.isRefuted(batch, account)) return reason('notAgainNow.chargesTwice');
  if (idempotency.header.toLowerCase() !== header.toLowerCase()) {
    return reason('sentInHeader', header);
  }
  if (asked.origin !== gateway.origin) return reason('sentTo', asked.origin);
  if (baseUrl !== profile.baseUrl)
    return baseUrl === undefined ? reason('notAgainNow.sentSomewhere') : reason('sentTo', baseUrl);
  if (asked.keyFingerprint !== night.keyFingerprint(account.account)) return reason('notAgainNow.otherKey');
  const until = Math.min(again.until, keptUntil(asked.firstAt, idempotency.keepHours));
  return night.clock.now() >= until ? reason('notAgainNow.forgotten') : undefined;
}

async function sendAgain(
  night: Night,
  batch: NightBatch,
  task: Task,
  { right, leave }: { readonly right: LaneRight; readonly leave: () => void },
  asked: Asked,
  again: AskingAgain,
): Promise<void> {
  const under = present({ under: right.fence });
  const terms = right.fence && { terms: { revision: batch.record.revision } };
  const account = batch.accountOf(task);
  const { lane, gateway: chosen } = account;
  const { origin, keyFingerprint, body, bodySha256, idempotency } = asked;
  const isWanted = (): boolean =>
    !night.ending.aborted &&
    right.isHeld() &&
    batch.allowedAt(account).ask &&
    night.active.get(task.id)?.onHold !== true &&
    night.isAwake() &&
    whyNotAgain(night, batch, account, asked, again) === undefined;
  crashPoint('again.before-intent');
  const intent = {
    startedAt: night.clock.now(),
    origin,
    keyFingerprint,
    body,
    bodySha256,
    idempotency,
    ...present({ account: account.name }),
  };
  const [recorded] = await night.journal.recordNow([
    {
      taskId: task.id,
      event: { kind: 'asked-again' },
      openAttempt: { ...intent, isAgain: true },
      isWanted,
      ...under,
      ...terms,
    },
  ]);
  if (recorded?.kind !== 'committed' || night.journal.isClosed) {
    lane.budget.giveBack();
    if (recorded?.kind === 'batch-changed') await night.batches.readAgain(batch);
    if (recorded?.kind === 'key-refuted') {
      await night.keyTrust.learn();
      night.wake();
    }
    return;
  }
  leave();
  crashPoint('again.intent-committed');
  // While the intent was committed or a connection was made, the user may have paused the batch or replaced the key,
  // another answer may have shown that the gateway charges twice, or the computer may have gone to sleep.
  let isWantedNow = isWanted();
  const mayLeave = (): boolean => (isWantedNow = isWanted());
  const call = { operation: task.operation, body, idempotency, again: { until: again.until }, mayLeave };
  const report = isWantedNow ? await chosen.submit(call) : undefined;
  if (report === undefined || (!isWantedNow && report.outcome.kind === 'not-sent')) {
    lane.budget.giveBack();
    const asBefore: SubmitOutcome = {
      ...unknown(task.failure ?? NOTHING_SENT),
      ...present({ taskCode: task.taskCode }),
    };
    await recordAnswer(night, recorded.task, { outcome: asBefore }, [], fencedTraits(right, intent), {
      ...again,
      dueAt: night.clock.now(),
    });
    night.wake();
    return;
  }
  crashPoint('again.answered');
  const { outcome, next, verdict, brokenWord } = settledBy(account, task, report, nextOf(night, batch, again, report));
  // It holds at once, before it is committed: no other request is sent again in the meantime.
  const proof = verdict && night.keyTrust.note(batch, account, verdict);
  const isOpen = isTrying(batch.record)
    ? verdict !== 'passed'
    : night.keyTrust.isRefuted(batch, account) && report.outcome.kind === 'unknown';
  const isMore = brokenWord !== undefined || (isOpen && !isUncharged(report));
  const shown = {
    ...fencedTraits(right, intent),
    ...present({ proof }),
    ...(isMore ? { isChargedAgain: true as const } : {}),
  };
  const counted = await recordAnswer(night, recorded.task, { ...report, outcome }, [], shown, next);
  crashPoint('again.answer-committed');
  takeNote(night, batch, account, task, report, brokenWord ?? (isOfOther(counted) ? counted.failure : undefined));
  night.wake();
}

const NOTHING_SENT = failure('SUBMIT_OUTCOME_UNKNOWN', reason('sentAgain'));

function nextOf(night: Night, batch: NightBatch, again: AskingAgain, report?: SubmitReport): NextAsk | undefined {
  const now = night.clock.now();
  if (report?.outcome.kind === 'not-sent') return nextTry(again, now, night.random.next());
  // Each sending may be a charge, and no more than two are reserved.
  if (report !== undefined && isTrying(batch.record) && !isUncharged(report)) return undefined;
  const waitMs = Math.min(report?.retryAfterMs ?? 0, MAX_RETRY_AFTER_MS);
  return nextAsk({ asks: again.asks + 1, until: again.until }, now, night.random.next(), waitMs);
}

/** What an answer to a request that was sent again means for its task, and what it shows about the gateway. */
interface Settled {
  readonly outcome: SubmitOutcome;
  /** When to send the request once more, if the answer settles nothing. */
  readonly next?: NextAsk | undefined;
  readonly verdict?: IdempotencyProof['verdict'];
  /** The gateway charged twice for one key. */
  readonly brokenWord?: Failure;
}

/**
 * What the answer settles, and when to ask once more if it settles nothing. Never that nothing was charged, unless that
 * is proved.
 */
function settledBy(account: NightAccount, task: Task, report: SubmitReport, next: NextAsk | undefined): Settled {
  const { outcome, seenTaskCode } = report;
  const { taskCode, again } = task;
  const named = outcome.kind === 'accepted' ? outcome.taskCode : seenTaskCode;
  // The request was sent again only to try the keys: what is paid for is fetched, whatever comes of the trial.
  const tried: SubmitOutcome | undefined =
    again?.isAccepted === true && taskCode !== undefined ? { kind: 'accepted', taskCode } : undefined;
  if (taskCode !== undefined && named !== undefined && named !== taskCode) {
    const brokenWord = twoCodes(taskCode, named);
    return { outcome: tried ?? unknown(brokenWord), verdict: 'refuted', brokenWord };
  }
  const shown = isSameTask(task, report) ? ({ verdict: 'passed' } as const) : {};
  if (tried !== undefined && (outcome.kind !== 'not-sent' || next === undefined)) return { outcome: tried, ...shown };
  return { ...outcomeOfAgain(account, task, report, named, next), ...shown };
}

function outcomeOfAgain(
  { profile }: NightAccount,
  task: Task,
  { outcome, again = 'nothing' }: SubmitReport,
  named: string | undefined,
  next: NextAsk | undefined,
): Pick<Settled, 'outcome' | 'next'> {
  // A request that was accepted once is no longer refused.
  if (again === 'settles' && (outcome.kind === 'accepted' || task.taskCode === undefined)) return { outcome };
  const said = outcome.kind === 'accepted' ? '' : saidBy(outcome.failure);
  const code = named ?? task.taskCode;
  if (again === 'duplicate' && (code !== undefined || profile.idempotency?.onDuplicate === 'reject')) {
    const why = failure('SUBMIT_OUTCOME_UNKNOWN', reason('asDuplicate', said), { isCharged: true });
    if (code === undefined) return { outcome: unknown(why) };
    return { outcome: { ...unknown(why), taskCode: code }, next: next && { ...next, isTaken: true } };
  }
  const why = failure('SUBMIT_OUTCOME_UNKNOWN', reason('stillUnknown', said));
  return { outcome: { ...unknown(why), ...present({ taskCode: named }) }, next };
}

function unknown(why: Failure): Extract<SubmitOutcome, { kind: 'unknown' }> {
  return { kind: 'unknown', failure: why };
}

function twoCodes(first: string, second: string): Failure {
  return failure('SUBMIT_OUTCOME_UNKNOWN', reason('twoCodes', first, second), { twoTaskCodes: [first, second] });
}

/** The task code of the answer belongs to another task. */
function isOfOther(counted: SubmitOutcome): counted is Extract<SubmitOutcome, { kind: 'unknown' }> {
  return counted.kind === 'unknown' && counted.failure.data?.['duplicateTaskCode'] === true;
}

/** The gateway gave this code for the request: one poll proves it, as when the user adopts a code. */
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
  const named = reason('unconfirmed', taskCode, adopted.error.message);
  const next = nextOf(night, batch, again);
  // However often the gateway is asked, only the last answer is reported.
  const kept = failure('SUBMIT_OUTCOME_UNKNOWN', before ? withLast(before, named) : named, before?.data);
  const then: NextAsk | undefined = next && { ...next, isTaken: true };
  const event = { kind: 'still-unknown', failure: kept, ...present({ again: then }) } as const;
  const { right } = batch.accountOf(task);
  await night.journal.record({ taskId: task.id, event, ...present({ under: right?.fence }) });
  night.wake();
}

/** What was said before, but with what is now said about the code in place of any earlier remark about one. */
function withLast(before: Failure, named: Reason): Reason {
  const { text, facts: [first, last] = [] } = before.reason ?? {};
  if (text === 'unconfirmed') return named;
  const isSaidAgain = text === 'both' && typeof last === 'object' && last.text === 'unconfirmed';
  if (isSaidAgain && typeof first === 'object') return reason('both', first, named);
  // As recorded by a version that did not name its texts.
  const [taken = ''] = before.message.split(' It named ');
  return reason('both', before.reason ?? taken, named);
}

/** The answer is about the task whose code an earlier answer under the key named: the gateway keeps its word. */
function isSameTask({ taskCode }: Task, { outcome, again, seenTaskCode }: SubmitReport): boolean {
  if (taskCode === undefined) return false;
  if (outcome.kind === 'accepted') return outcome.taskCode === taskCode;
  return again === 'duplicate' && (seenTaskCode ?? taskCode) === taskCode;
}

/** By its own answer, the gateway did not charge for the repeated request, whatever it does with keys. */
function isUncharged({ outcome: { kind }, again }: SubmitReport): boolean {
  return again === 'duplicate' || (kind !== 'accepted' && kind !== 'unknown');
}

/**
 * Nobody has answered: not the gateway, and whatever is in front of it says at most that the gateway does not answer.
 */
function isSilence({ outcome, raw, again }: SubmitReport): boolean {
  return outcome.kind === 'unknown' && again !== 'duplicate' && (raw === undefined || raw.httpStatus >= 500);
}

/**
 * What an answer means beyond its task: for the pace, the fuse and the pause.
 * @param broken Why the gateway cannot be paid without somebody's word.
 */
function takeNote(
  night: Night,
  batch: NightBatch,
  account: NightAccount,
  task: Task,
  report: SubmitReport,
  broken: Failure | undefined,
): void {
  const { outcome } = report;
  const { lane } = account;
  const monotonic = night.clock.monotonic();
  if (outcome.kind !== 'not-sent' && !isSilence(report)) {
    account.unknownInARow = 0;
    account.asksInVain.clear();
  }
  night.batches.noteTrouble(lane, outcome.kind === 'not-sent' ? outcome.failure : undefined);
  if (broken !== undefined) {
    night.batches.pause(batch, failure('GATEWAY_PROTOCOL', saidBy(broken)), account);
    return;
  }
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
      night.batches.pause(batch, outcome.failure, account);
      return;
    case 'unknown':
      if (isSilence(report)) blowIfInVain(night, batch, account, task, outcome.failure);
      return;
    default:
      assertNever(outcome);
  }
}

/**
 * Unknown outcomes that settle themselves pause nothing; but if nothing is answered, nothing more is paid for, and
 * nothing is sent again before the user goes on.
 */
function blowIfInVain(night: Night, batch: NightBatch, account: NightAccount, { id }: Task, why: Failure): void {
  account.asksInVain.add(id);
  if (account.asksInVain.size < UNANSWERED_FUSE) return;
  account.unknownInARow = 0;
  const words = reason('inVainAgain', UNANSWERED_FUSE, saidBy(why));
  night.batches.pause(batch, failure('FUSE_BLOWN', words, { asksInVain: true }), account);
}
