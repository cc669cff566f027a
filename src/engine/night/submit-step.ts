import { createHash, randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { failure, saidBy } from '../../shared/domain/base/failure.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { moneyText } from '../../shared/domain/base/money.ts';
import { FAMILIES, operationOf } from '../../shared/domain/operations/operations.ts';
import { nextPollDelayMs } from '../../shared/domain/gateway/poll-schedule.ts';
import type { SubmitOutcome } from '../../shared/domain/gateway/submit-outcome.ts';
import { assertNever, present } from '../../shared/domain/base/result.ts';
import {
  backoffMs,
  countedRefusal,
  refusalsInWords,
  refusedWaitMs,
  retryDelayMs,
} from '../../shared/domain/gateway/retry.ts';
import type { NextAsk } from '../../shared/domain/gateway/charges/asked-again.ts';
import { canaryRuleOf } from '../../shared/domain/task/canary.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { AnswerEvent } from '../../shared/domain/task/task-event.ts';
import { crashPoint } from '../crash-point.ts';
import type { Fence } from '../fleet-ports.ts';
import type { AttemptAnswer, AttemptIntent, MediaGateway, QueuedTask, QueuedWanted, SubmitReport } from '../ports.ts';
import { firstAsk, keptOpen } from './charges/asks.ts';
import { countSubmit } from './polls/count-answer.ts';
import { noLongerAwaits, traitsOf, type IntentTraits, type Lane, type LaneRight } from './lanes.ts';
import { noteLate } from './charges/late-answer.ts';
import type { Night } from './night.ts';
import { UNKNOWN_FUSE, type NightAccount } from './batches/night-account.ts';
import type { NightBatch } from './batches/night-batch.ts';
import { pauseIfStuck } from './batches/stuck.ts';
import { doneInTime } from './batches/finish-by.ts';
import { takeTurns } from './batches/turns.ts';
import { Caps } from './spending/caps.ts';
import { chooseTasks, FreePlaces, mayPay, waitsForTurn, wantedOf, type Chosen } from './choose-submits.ts';
import { lookAtCanaries } from './batches/canary.ts';
import { prepareBody, type PreparedBody } from './prepare-body.ts';
import type { Entry, Recorded } from './task-journal.ts';

/** By then, a file that is being deleted is gone, or has been left in place. */
const FILE_GOES_MS = 5_000;

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

/** A task chosen for a submit, with what is committed for it. */
interface Prepared {
  readonly batch: NightBatch;
  readonly account: NightAccount;
  readonly lane: Lane;
  readonly gateway: MediaGateway;
  readonly right: LaneRight;
  readonly task: Task;
  readonly body: Uint8Array | undefined;
  readonly entry: Entry;
  /** The fingerprint of the key that its intent names. */
  readonly keyFingerprint: string;
  /** How long other tasks of its kind took, once the store has said so. */
  readonly completions: Promise<readonly number[]>;
}

/**
 * Starts as many submits as limits, caps and budget allow: their intents are committed as one group before the first
 * byte of any of them leaves (submit protocol, steps 2 to 4).
 */
export async function startSubmits(night: Night): Promise<void> {
  if (night.ending.aborted || night.journal.isStoreFailed) return;
  const all = [...night.batches.all.values()];
  const now = night.clock.now();
  const { work, rest } = night.batches;
  const places = new FreePlaces(night);
  const askedOf = (batches: readonly NightBatch[], caps?: Caps): readonly QueuedWanted[] => {
    // All checks of folders begin before anything is asked for: otherwise a batch would be passed by the others.
    for (const batch of batches) caught(night, batch, () => [mayPayAndSubmit(night, batch)]);
    return batches.flatMap((batch) => caught(night, batch, () => wantedIn(night, batch, places, caps)));
  };
  const capped = all.filter((batch) => isCapped(night, batch, places));
  const counted = all.filter((batch) => capped.includes(batch) || rest.needsWorkLeft(batch.id));
  const learned = work.learn(
    counted.map(({ id }) => id),
    now,
  );
  // Asked with what was known before: mostly that is still right, and both questions are then one message.
  const [guessed, caps] = await Promise.all([nextOf(night, askedOf(all), now), Caps.read(night, capped), learned]);
  // Leaves out a batch with a limit that had no free place before: its use was not asked for. The next look does that.
  const wanted = askedOf(
    all.filter((batch) => !night.limits.areFor(batch) || caps.knows(batch)),
    caps,
  );
  const { found } = isCovered(wanted, guessed.wanted) ? guessed : await nextOf(night, wanted, now);
  const wantedOfAll = wanted.map((one) => ({ ...one, tasks: found.filter((queued) => isOf(queued, one)) }));
  // Fewer came than were wanted: the queue is shorter than was known.
  for (const { batchId, tasks, limit } of wantedOfAll) if (tasks.length < limit) work.outdate(batchId);
  for (const batch of all) {
    const asked = wantedOfAll.filter(({ batchId }) => batchId === batch.id);
    const count = asked.flatMap(({ tasks }) => tasks).length;
    await lookAtCanaries(night, batch, { wanted: asked, found: count });
    if (count === 0) await pauseIfStuck(night, batch);
  }
  if (found.length === 0) return;
  const inTime = new Set(await doneInTime(night, found));
  const offers = new Map<NightBatch, Iterator<Chosen>>();
  for (const batch of all) {
    const queued = wantedOfAll.flatMap(({ batchId, tasks }) =>
      batchId === batch.id ? tasks.filter((task) => inTime.has(task)) : [],
    );
    // Tasks asked for under another rule may belong to the rest of a kind, which has to wait.
    const rule = canaryRuleOf(batch.record);
    const isAsAsked = wantedOfAll.every(({ batchId, canary }) => batchId !== batch.id || isSameRule(canary, rule));
    if (queued.length > 0 && isAsAsked) offers.set(batch, offersOf(night, batch, queued, places, caps));
  }
  const { taken, order, turn } = takeTurns(offers, night.batches.lastTurn);
  night.batches.lastTurn = turn;
  // Until the requests leave, however long their commit takes.
  const held = order.map(({ account: { lane } }) => lane.budget.hold(1));
  try {
    // All at once: from here on, each batch compares its settings with those by which its tasks were chosen.
    const byBatch = (await Promise.all([...taken].map((one) => prepareAll(night, caps, ...one)))).flat();
    // As they were chosen: a batch with few places got one in its turn, before a batch with more places took the next.
    const turnOf = new Map(order.map(({ queued }, place) => [queued.task.id, place]));
    const inTurn = ({ task }: Prepared): number => turnOf.get(task.id) ?? 0;
    const prepared = byBatch.toSorted((a, b) => inTurn(a) - inTurn(b));
    await commitAndSend(night, prepared);
  } finally {
    for (const leave of held) leave(night.clock.monotonic());
  }
}

/** What a batch submits next, as long as there is room; an error in one batch does not stop the others. */
function* offersOf(
  night: Night,
  batch: NightBatch,
  queued: readonly QueuedTask[],
  places: FreePlaces,
  caps: Caps,
): Generator<Chosen, undefined> {
  try {
    // While the store was asked, the user may have paused, started or changed the batch.
    if (mayPayAndSubmit(night, batch)) yield* chooseTasks(night, batch, queued, places, caps);
  } catch (error) {
    night.batches.stumble([batch], error);
  }
  return undefined;
}

interface Found {
  readonly wanted: readonly QueuedWanted[];
  readonly found: readonly QueuedTask[];
}

async function nextOf(night: Night, wanted: readonly QueuedWanted[], now: number): Promise<Found> {
  return { wanted, found: wanted.length === 0 ? [] : await night.store.nextToSubmit(wanted, now) };
}

function isCovered(wanted: readonly QueuedWanted[], asked: readonly QueuedWanted[]): boolean {
  return wanted.every(({ batchId, account, family, limit, canary, without }) =>
    asked.some(
      (one) =>
        one.batchId === batchId &&
        one.account === account &&
        one.family === family &&
        one.limit >= limit &&
        isSameRule(one.canary, canary) &&
        isDeepStrictEqual(one.without, without),
    ),
  );
}

/** Tasks asked for under another rule may belong to the rest of a kind, which has to wait. */
function isSameRule(a: QueuedWanted['canary'], b: QueuedWanted['canary']): boolean {
  return a?.since === b?.since && a?.released.length === b?.released.length;
}

function isOf({ task, account }: QueuedTask, wanted: QueuedWanted): boolean {
  return task.batchId === wanted.batchId && task.family === wanted.family && account === wanted.account;
}

/** Whether a batch may submit something, but only up to a limit: the store has to count first. */
function isCapped(night: Night, batch: NightBatch, places: FreePlaces): boolean {
  const hasPlace = (account: NightAccount): boolean => FAMILIES.some((family) => places.left(account, family) > 0);
  return night.limits.areFor(batch) && batch.allowed.submit && batch.accounts.some(hasPlace);
}

/** An error in one batch does not stop the others. */
function caught<T>(night: Night, batch: NightBatch, work: () => readonly T[]): readonly T[] {
  try {
    return work();
  } catch (error) {
    night.batches.stumble([batch], error);
    return [];
  }
}

function wantedIn(night: Night, batch: NightBatch, places: FreePlaces, caps?: Caps): readonly QueuedWanted[] {
  return mayPayAndSubmit(night, batch) ? wantedOf(night, batch, places, caps) : [];
}

/** Whether a batch may send a new paid request now. */
function mayPayAndSubmit(night: Night, batch: NightBatch): boolean {
  return batch.allowed.submit && mayPay(night, batch) && maySubmit(night, batch) && !waitsForTurn(night, batch);
}

function maySubmit(night: Night, batch: NightBatch): boolean {
  if (night.ending.aborted || !batch.allowed.submit) return false;
  return !batch.isDiskDoubted || night.active.downloading(batch.id) === 0;
}

async function prepareAll(
  night: Night,
  caps: Caps,
  batch: NightBatch,
  chosen: readonly Chosen[],
): Promise<readonly Prepared[]> {
  const { folderCheckedUntil } = batch;
  const { settings } = batch.record;
  const limits = night.limits.current;
  // Until the commit begins, the user may pause or restart the batch, or change its limit, its gateway or its key.
  const isWanted = (account: NightAccount, keyFingerprint: string): boolean =>
    maySubmit(night, batch) &&
    batch.allowedAt(account).submit &&
    batch.record.settings === settings &&
    night.limits.current === limits &&
    batch.folderCheckedUntil === folderCheckedUntil &&
    night.keyFingerprint(account.account) === keyFingerprint;
  // As it is now: where a request goes must not change while bodies are prepared.
  const placed = chosen.flatMap(({ queued, account }) => {
    const { lane, gateway, right } = account;
    const keyFingerprint = night.keyFingerprint(account.account);
    if (right !== undefined) return { queued, keyFingerprint, place: { batch, account, lane, gateway, right } };
    lane.budget.spare();
    return [];
  });
  const prepared: Prepared[] = [];
  const rights = placed.map(({ place }) => place.lane);
  try {
    for (const { queued, keyFingerprint, place } of placed) {
      const { account, right } = place;
      const outcome = await preparedBody(night, batch, queued, account);
      if (outcome.kind === 'asking' || keyFingerprint === undefined) {
        rights.splice(rights.indexOf(place.lane), 1);
        place.lane.budget.spare();
        // The only right left to ask with may have been this one, which is free now.
        if (outcome.kind === 'asking') await prepareBody(night, batch, queued, account);
        continue;
      }
      const { task } = queued;
      const change = { taskId: task.id, asRead: task, ...present({ under: right.fence }) };
      const completions = night.times.of(batch, account, task);
      if (outcome.kind === 'not-ready') {
        const entry: Entry = { ...change, event: outcome.event };
        prepared.push({ ...place, task, body: undefined, entry, keyFingerprint, completions });
        continue;
      }
      crashPoint('submit.before-intent');
      const { body, basis } = outcome;
      const price = caps.reservedFor(batch, account, task.operation);
      const idempotency = newKey(night, batch, account);
      const intent = intentOf(night, place.gateway, keyFingerprint, body);
      const charges = caps.chargesOf(batch, account);
      const named = present({ account: account.name });
      const openAttempt = { ...intent, ...named, ...present({ price, idempotency }), ...(charges > 1 && { charges }) };
      const event = { kind: 'submit-started', ...named } as const;
      const isStillWanted = (): boolean => right.isHeld() && isWanted(account, keyFingerprint);
      const entry: Entry = { ...change, event, openAttempt, basis, isWanted: isStillWanted, ...termsOf(batch, right) };
      prepared.push({ ...place, task, body, entry, keyFingerprint, completions });
    }
  } catch (error) {
    for (const lane of rights) lane.budget.spare();
    night.batches.stumble([batch], error);
    return [];
  }
  return prepared;
}

/** A body whose files stay where they are from now on, until its batch is over. */
async function preparedBody(
  night: Night,
  batch: NightBatch,
  queued: QueuedTask,
  account: NightAccount,
): Promise<PreparedBody> {
  const outcome = await prepareBody(night, batch, queued, account);
  if (outcome.kind !== 'ready' || night.files === undefined || batch.record.settings.filesPlace === undefined)
    return outcome;
  if (await night.files.noteUse(batch.id, outcome.body)) return outcome;
  return { kind: 'not-ready', event: { kind: 'file-awaited', dueAt: night.clock.now() + FILE_GOES_MS } };
}

/** What the store checks once more if other processes share it. */
function termsOf({ record: { revision } }: NightBatch, { fence }: LaneRight): Pick<Entry, 'terms'> {
  return fence === undefined ? {} : { terms: { revision } };
}

async function commitAndSend(night: Night, prepared: readonly Prepared[]): Promise<void> {
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

function intentOf(night: Night, gateway: MediaGateway, keyFingerprint: string, body: Uint8Array): AttemptIntent {
  const bodySha256 = createHash('sha256').update(body).digest('hex');
  return { startedAt: night.clock.now(), origin: gateway.origin, keyFingerprint, body, bodySha256 };
}

/** A key for one paid request, at a gateway that charges only once for a key. */
function newKey({ keyTrust }: Night, batch: NightBatch, account: NightAccount): AttemptIntent['idempotency'] {
  const { idempotency, baseUrl } = account.profile;
  if (idempotency === undefined || keyTrust.isRefuted(batch, account)) return undefined;
  return { header: idempotency.header, key: randomUUID(), baseUrl };
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

/** What an answer showed besides its outcome; committed with it. */
interface Shown extends Pick<Entry, 'learned' | 'proof' | 'under'>, Pick<AttemptAnswer, 'isChargedAgain' | 'doubted'> {
  /** The task had never been sent before, with any account. */
  readonly isFirst?: true;
  /** The request, if another process may have taken its account in the meantime. */
  readonly sent?: IntentTraits;
}

/** What an answer names if several processes share the store. */
export function fencedTraits({ fence }: LaneRight, intent: AttemptIntent | undefined): Pick<Shown, 'under' | 'sent'> {
  if (fence === undefined) return {};
  return { under: fence, ...present({ sent: intent && traitsOf(intent) }) };
}

/**
 * Returns what the outcome counts as: a task code that another task already has leaves it unknown.
 * @param again When the request is sent again, if the outcome is unknown.
 */
export async function recordAnswer(
  night: Night,
  task: Task,
  report: SubmitReport,
  completions: readonly number[],
  shown: Shown,
  again?: NextAsk,
): Promise<SubmitOutcome> {
  const { isChargedAgain, doubted, isFirst, sent, ...learned } = shown;
  let { under } = shown;
  const eventFor = (outcome: SubmitOutcome, then?: NextAsk): AnswerEvent =>
    eventOf(night, task, outcome, completions, then, isFirst);
  const answerFor = (outcome: SubmitOutcome): AttemptAnswer => ({
    ...answerOf(night, report, outcome),
    ...present({ isChargedAgain, doubted }),
  });
  const record = (outcome: SubmitOutcome, then?: NextAsk): ReturnType<Night['journal']['record']> =>
    night.journal.record({
      taskId: task.id,
      event: eventFor(outcome, then),
      closeAttempt: answerFor(outcome),
      ...learned,
      ...present({ under }),
      // Whoever had the account between the two rights may have settled the task and sent another request.
      ...(under !== shown.under && { shown: task }),
    });
  const { outcome } = report;
  let recorded = await record(outcome, again);
  while (under !== undefined) {
    const kind: Recorded['kind'] = recorded.kind;
    // Only this process settles the task, but others may have recorded the user's word in the meantime. If it cannot be
    // read now, the next commit waits for it.
    if (kind === 'stale') await night.takeNewest(task.id).catch(() => undefined);
    else {
      const newer: Fence | undefined = kind === 'lease-lost' ? await newerRight(night, task, under) : undefined;
      if (newer === undefined) break;
      under = newer;
    }
    recorded = await record(outcome, again);
  }
  if (recorded.kind === 'code-taken') {
    const duplicate = asDuplicate(outcome);
    await record(duplicate);
    return duplicate;
  }
  if (recorded.kind !== 'committed' && sent !== undefined) {
    const { under: _, ...rest } = learned;
    await noteLate(night, task, { sent, event: eventFor(outcome), answer: answerFor(outcome), ...rest });
  }
  return outcome;
}

/** The right to the same account that this process has now, if it has lost the account and taken it again meanwhile. */
async function newerRight(night: Night, task: Task, { account, epoch }: Fence): Promise<Fence | undefined> {
  // A request that is sent again is the same attempt each time: nothing tells this answer from another process's.
  if (task.again !== undefined) return undefined;
  const lane = night.batches.all.get(task.batchId)?.accountOf(task).lane;
  await lane?.taking;
  const fence = lane?.right?.fence;
  return fence?.account === account && fence.epoch > epoch ? fence : undefined;
}

function answerOf(night: Night, report: SubmitReport, outcome: SubmitOutcome): NonNullable<Entry['closeAttempt']> {
  const { raw, cost } = report;
  // What a gateway charges for was not free, whatever else it says.
  const isCharged = outcome.kind === 'rejected' && cost !== undefined && cost.amount > 0;
  return { answeredAt: night.clock.now(), outcome: isCharged ? 'charged' : outcome.kind, ...present({ raw, cost }) };
}

/** A task code that another task already has cannot be this task's: nobody knows whose it is. */
function asDuplicate(outcome: SubmitOutcome): SubmitOutcome {
  const taskCode = 'taskCode' in outcome ? outcome.taskCode : undefined;
  return {
    kind: 'unknown',
    failure: failure('SUBMIT_OUTCOME_UNKNOWN', reason('duplicateCode', taskCode ?? ''), { duplicateTaskCode: true }),
  };
}

function eventOf(
  night: Night,
  task: Task,
  outcome: SubmitOutcome,
  completions: readonly number[],
  again: NextAsk | undefined,
  isFirst: true | undefined,
): AnswerEvent {
  const now = night.clock.now();
  switch (outcome.kind) {
    case 'accepted':
      return {
        kind: 'accepted',
        taskCode: outcome.taskCode,
        dueAt: now + firstPollDelayMs(night, task, completions),
      };
    case 'not-sent': {
      const dueAt = now + backoffMs(task.setbacks + 1, night.random.next());
      const unbinds = task.account === undefined ? undefined : isFirst;
      return { kind: 'not-sent', failure: outcome.failure, dueAt, ...present({ unbinds }) };
    }
    case 'rate-limited': {
      const retryMs = retryDelayMs(outcome.retryAfterMs, task.setbacks + 1, night.random.next());
      const dueAt = now + Math.max(retryMs, refusedWaitMs(refusalsInWords(outcome.failure)));
      return { kind: 'rate-limited', failure: outcome.failure, dueAt };
    }
    case 'held':
      return { kind: 'held', failure: outcome.failure };
    case 'rejected':
      return { kind: 'rejected', failure: outcome.failure };
    case 'unknown': {
      const { failure: why, taskCode } = outcome;
      return { kind: 'outcome-unknown', failure: why, ...present({ taskCode, again }) };
    }
    default:
      return assertNever(outcome);
  }
}

function firstPollDelayMs(night: Night, task: Task, completions: readonly number[]): number {
  const longestMs = night.fronts.longestMs(task);
  if (longestMs !== undefined) return longestMs;
  return nextPollDelayMs({
    operation: operationOf(task.operation),
    completions,
    submittedAgoMs: 0,
    polls: 0,
    setbacks: 0,
    random: night.random.next(),
  });
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
