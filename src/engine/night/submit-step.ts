import { isDeepStrictEqual } from 'node:util';
import { FAMILIES } from '../../shared/domain/operations/operations.ts';
import { canaryRuleOf } from '../../shared/domain/task/canary.ts';
import type { QueuedTask, QueuedWanted } from '../ports/task-store.ts';
import type { Night } from './night.ts';
import type { NightAccount } from './batches/night-account.ts';
import type { NightBatch } from './batches/night-batch.ts';
import { pauseIfStuck } from './batches/stuck.ts';
import { doneInTime } from './batches/finish-by.ts';
import { takeTurns } from './batches/turns.ts';
import { Caps } from './spending/caps.ts';
import { chooseTasks, FreePlaces, mayPay, waitsForTurn, wantedOf, type Chosen } from './submits/choose-submits.ts';
import { lookAtCanaries } from './batches/canary-look.ts';
import { type Prepared, maySubmit, prepareAll } from './submits/prepare-submits.ts';
import { commitAndSend } from './submits/send-submits.ts';

/**
 * Starts as many submits as limits, caps and budget allow: their intents are committed as one group before the first
 * byte of any of them leaves (submit protocol, steps 2 to 4).
 */
export async function startSubmits(night: Night): Promise<void> {
  if (night.ending.aborted || night.journal.isStoreFailed) return;
  const all = [...night.batches.all.values()];
  const now = night.clock.now();
  const { work, rest } = night.batches;
  const askedOf = (batches: readonly NightBatch[], places: FreePlaces, caps?: Caps): readonly QueuedWanted[] => {
    // All checks of folders begin before anything is asked for: otherwise a batch would be passed by the others.
    for (const batch of batches) caught(night, batch, () => [mayPayAndSubmit(night, batch)]);
    return batches.flatMap((batch) => caught(night, batch, () => wantedIn(night, batch, places, caps)));
  };
  const before = new FreePlaces(night);
  const capped = all.filter((batch) => isCapped(night, batch, before));
  const counted = all.filter((batch) => capped.includes(batch) || rest.needsWorkLeft(batch.id));
  const learned = work.learn(
    counted.map(({ id }) => id),
    now,
  );
  // Asked with what was known before: mostly that is still right, and both questions are then one message.
  const [guessed, caps] = await Promise.all([
    nextOf(night, askedOf(all, before), now),
    Caps.read(night, capped),
    learned,
  ]);
  // Leaves out a batch with a limit that had no free place before: its use was not asked for. The next look does that.
  const places = new FreePlaces(night);
  const wanted = askedOf(
    all.filter((batch) => !night.limits.areFor(batch) || caps.knows(batch)),
    places,
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
