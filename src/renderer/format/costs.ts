import { assertNever, present } from '../../shared/domain/base/result.ts';
import { addMoney, amountsOf, moneyText, type Money } from '../../shared/domain/base/money.ts';
import { keptBackWords, unpricedWords } from '../../shared/domain/task/forecast/forecast-words.ts';
import { pauseRemedy } from '../../shared/domain/task/spending.ts';
import type { BatchView, Retried, ShownTakes, UnknownSummary } from '../../shared/ipc/batches.ts';
import type { NightView } from '../../shared/ipc/ledger.ts';
import type { ForecastView, ReleaseCostView } from '../../shared/ipc/forecast.ts';
import type { RequestCounts, RowDetail } from '../../shared/ipc/rows.ts';
import { words } from '../../shared/words/words.ts';
import { formatNearby } from './times.ts';
import { statusTotals } from '../state/batch/batch-progress.ts';

/** What is known of takes with an unknown outcome. In a rehearsal, nothing is charged. */
export function unknownWords(takes: number, isRehearsal: boolean): string {
  const { rehearsalIsFree, unknown } = words.costs;
  return words.common.sentences([isRehearsal ? rehearsalIsFree : unknown.mayBeCharged(takes), unknown.untilYouDecide]);
}

/** The possible cost of resubmitting takes with an unknown outcome, and when that happens. */
export function resubmitCost(
  summary: UnknownSummary | undefined,
  batch: Pick<BatchView, 'rehearsal' | 'state'>,
): string {
  const shown = summary?.shown ?? [];
  const isForNow = shown.length === 0 || shown.some(({ isHeld }) => isHeld !== true);
  const cost = batch.rehearsal ? words.costs.rehearsalIsFree : isForNow ? paidAgain(summary) : '';
  return words.common.sentences([cost, heldText(shown), waitText(batch)]);
}

/**
 * For takes whose unknown outcome settles itself: when, and that the user need do nothing; undefined if there are none.
 */
export function askingAgainWords(
  tasks: readonly Pick<RowDetail['tasks'][number], 'take' | 'sentAgain' | 'dueAt'>[],
  now: number,
): string | undefined {
  const asking = tasks.filter(({ sentAgain }) => sentAgain !== undefined);
  if (asking.length === 0) return undefined;
  const dueAt = Math.min(...asking.map((task) => task.dueAt ?? now));
  const soon = dueAt <= now ? 'now' : { at: formatNearby(dueAt, now) };
  const isHeld = asking.some(({ sentAgain }) => sentAgain === 'once-resumed');
  const takes = tasks.length === 1 ? undefined : asking.map(({ take }) => take);
  return words.costs.unknown.asksAgain(takes, isHeld ? 'once-resumed' : soon);
}

function paidAgain(summary: UnknownSummary | undefined): string {
  const { unknown } = words.costs;
  if (summary === undefined || summary.cost.length === 0) return unknown.payAgain;
  return unknown.newRequest(summary.cost.map(moneyText), summary.takesWithoutPrice);
}

/** What was sent in a night, and what that cost. */
export function nightCost({ rehearsal, requests, costs }: NightView): string {
  if (rehearsal) return words.costs.aRehearsal;
  return words.common.list([words.common.paidRequests(requests), ...costs.map(moneyText)]);
}

/** Names requests by whether they cost money: `1 paid request`, in a rehearsal `1 request`. */
export function requestsOf(submits: number, isRehearsal: boolean): string {
  return words.costs.requests(submits, !isRehearsal);
}

/** `20 of 54 paid requests`; of all of them, `54 paid requests`. */
export function someOf(some: number, all: number, isRehearsal: boolean): string {
  return some < all ? words.costs.someOf(some, all, !isRehearsal) : requestsOf(all, isRehearsal);
}

/** The end of “12 paid requests from 9 rows…”: their cost, as far as it is known. */
export function sumText(isRehearsal: boolean, submits: number, cost: UnknownSummary['cost'], withoutPrice = 0): string {
  const { sum } = words.costs;
  if (submits === 0) return sum.nothing;
  if (isRehearsal) return sum.free;
  return cost.length === 0 ? sum.mayBeCharged(submits) : sum.byPrices(cost.map(moneyText), withoutPrice);
}

type Spending = Pick<BatchView, 'rehearsal' | 'submitsUsed' | 'maxSubmits'>;

/**
 * The cost of running the new and changed rows of a batch, and what its limits leave. Running them resumes a paused
 * batch, and with it whatever else waits there.
 * @param known What that comes to; undefined while nobody knows.
 */
export function releaseCost(
  batch: Spending & Pick<BatchView, 'state' | 'counts' | 'draftSubmits'>,
  known: ReleaseCostView | undefined,
): string {
  const { costs } = words;
  const { draftSubmits: submits, rehearsal } = batch;
  const waiting = batch.state === 'paused' ? statusTotals(batch.counts).queued : 0;
  const { cost = [], unpriced = [], following = 0 } = rehearsal ? {} : (known ?? {});
  const all = submits + waiting + following;
  const withoutPrice = unpriced.reduce((sum, { requests }) => sum + requests, 0);
  const sum = cost.length === 0 ? costs.sum.nothing : sumText(false, all, cost, withoutPrice);
  const isBlocked = known?.stop !== undefined && known.beyondLimit >= all;
  if (isBlocked && !rehearsal) {
    const { of, lacks } = known.stop;
    const remedy = pauseRemedy(lacks === 'price' ? 'PRICE_UNKNOWN' : 'CAP_REACHED', of);
    return words.common.sentences([...beyondWords(known, all), remedy]);
  }
  const made = waiting === 0 ? costs.makes(all, !rehearsal, sum) : costs.resumesToo(waiting, all, !rehearsal, sum);
  if (rehearsal) return words.common.sentences([made, costs.rehearsalIsFree]);
  return words.common.sentences([
    made,
    following === 0 ? '' : costs.followingToo(following),
    cost.length > 0 || unpriced.length === 0
      ? ''
      : words.start.sentence(words.start.forecast.costUnknown(unpricedWords({ unpriced }))),
    costs.chargesEarlier,
    limitText(batch),
    ...beyondWords(known, all),
  ]);
}

/** Which limit keeps how many of these requests back. */
function beyondWords(known: ReleaseCostView | undefined, all: number): readonly string[] {
  if (known === undefined) return [];
  const beyondLimit = Math.min(known.beyondLimit, all);
  const kept = { ...known, beyondLimit, unsent: 0, held: { rows: 0 } };
  return keptBackWords(kept, 'paid request', beyondLimit === all).map((text) => words.start.sentence(text));
}

/** The possible cost of retrying these takes. A take that was never sent has no result to fetch. */
export function retryCost(
  shown: ShownTakes,
  batch: Spending & Pick<BatchView, 'state'>,
  { following = 0, cost = [], takesWithoutPrice = 0, inferred = 0, fetched = 0 }: Partial<Omit<Retried, 'shown'>> = {},
): string {
  const takes = shown.filter(({ isHeld }) => isHeld !== true);
  const { costs } = words;
  if (takes.length === 0 && shown.length > 0) return words.common.sentences([heldText(shown), waitText(batch)]);
  const free = inferred + fetched;
  const anew = takes.length - free + following;
  const asked = [
    free === 0 ? '' : costs.onlyAsked(free, anew === 0),
    inferred === 0 ? '' : words.nights.retryInferred,
    fetched === 0 ? '' : costs.fetchedAgain,
  ];
  if (free > 0 && anew === 0) return words.common.sentences([...asked, heldText(shown), waitText(batch)]);
  // Those that follow are sent only if the others come to something.
  const areUnsent = following === 0 && takes.every(({ attempts }) => attempts === 0);
  const sum = cost.length === 0 ? costs.sum.nothing : sumText(false, anew, cost, takesWithoutPrice);
  return words.common.sentences([
    costs.retryMakes(anew, !areUnsent, sum),
    following === 0 ? '' : costs.followingToo(following),
    areUnsent ? costs.neverAccepted : '',
    costs.chargesEach,
    ...asked,
    heldText(shown),
    limitText(batch),
    waitText(batch),
  ]);
}

/** Both sums as one. */
export function retriedTogether(some: Retried, others: Retried): Retried {
  const sums = new Map<string, number>();
  for (const money of [...some.cost, ...others.cost]) addMoney(sums, money);
  return {
    shown: [...some.shown, ...others.shown],
    following: some.following + others.following,
    cost: amountsOf(sums).map(({ amount, currency }) => ({ amount, currency })),
    takesWithoutPrice: some.takesWithoutPrice + others.takesWithoutPrice,
    inferred: some.inferred + others.inferred,
    fetched: some.fetched + others.fetched,
  };
}

/** No decision about a take releases its row. */
function heldText(takes: ShownTakes): string {
  const held = takes.filter(({ isHeld }) => isHeld === true).length;
  return held === 0 ? '' : words.costs.held(held, held === takes.length);
}

/** A held batch sends nothing because of some takes: the rest of it would go out as well. */
function waitText({ state }: Pick<BatchView, 'state'>): string {
  switch (state) {
    case 'paused':
      return words.costs.notResumed;
    case 'ready':
      return words.costs.notStarted;
    case 'running':
    case 'finished':
      return '';
    default:
      return assertNever(state);
  }
}

function limitText({ submitsUsed, maxSubmits }: Spending): string {
  return maxSubmits === undefined ? '' : words.costs.limitUsed(submitsUsed, maxSubmits);
}

/** The requests of one take: `1 paid request, and 5 that were refused`. A rehearsal pays for nothing. */
export function requestWords({ paid, refused }: RequestCounts, isRehearsal: boolean): string {
  const { costs } = words;
  if (paid === 0) return refused === 0 ? costs.nothingSent : costs.refused(refused);
  return refused === 0 ? requestsOf(paid, isRehearsal) : costs.sentAndRefused(paid, !isRehearsal, refused);
}

/** What was paid for a row that waits for its turn; empty in a rehearsal. */
export function queuedCost({ tasks, earlierTakes }: RowDetail, isRehearsal: boolean): string | undefined {
  if (isRehearsal) return undefined;
  const paid = tasks.reduce((sum, { requests }) => sum + requests.paid, 0);
  const { costs } = words;
  if (paid > 0) return costs.soFar(paid);
  return earlierTakes.paidRequests > 0 ? costs.nothingPaidForVersion : costs.nothingPaid;
}

/** What happens to requests beyond the limit. */
export function limitHint(limit: number | undefined, submits: number): string {
  const { costs } = words;
  return limit !== undefined && limit < submits ? costs.pausesAfter(limit, submits - limit) : costs.pausesAtLimit;
}

export const NOTHING_TO_START = words.costs.nothingToStart;

/** What a start sends according to its forecast: of `all`, those that fit into every limit and into its hours. */
export interface Sent {
  readonly submits: number;
  readonly all: number;
  readonly cost: UnknownSummary['cost'];
  readonly withoutPrice: number;
  /** If nothing is sent, and only another answer or another price would change that: why, as a sentence. */
  readonly problem?: string;
}

/**
 * What a start sends: all that waits, or less according to a forecast.
 * @param waiting All of it, by the profile's prices.
 * @param forecast Absent while there is none for the question as it is now.
 */
export function sentBy(waiting: Omit<Sent, 'all' | 'problem'>, forecast: ForecastView | undefined): Sent {
  const all = waiting.submits;
  if (forecast === undefined || forecast.beyondLimit === 0) return { ...waiting, all };
  const { requests, cost, unpriced, stop, unsent } = forecast;
  // That some of it comes too late is only a forecast: a quicker gateway would be paid for it, too.
  if (unsent > 0) return { ...waiting, all, submits: Math.min(requests + unsent, all) };
  const withoutPrice = unpriced.reduce((sum, one) => sum + one.requests, 0);
  const isUnheld = requests === 0 && stop?.lacks === 'price';
  const [problem] = isUnheld ? keptBackWords(forecast, 'paid request') : [];
  return { submits: Math.min(requests, all), all, cost, withoutPrice, ...present({ problem }) };
}

/**
 * The label of the start button: the most that is paid.
 * @param again The most that comes on top if gates have files rendered again.
 */
export function startLabel(isRehearsal: boolean, sent: Sent, limit: number | undefined, again = 0): string {
  if (isRehearsal) return words.costs.startRehearsal;
  const { submits, all } = sent;
  const most = Math.min(submits + again, limit ?? Number.POSITIVE_INFINITY);
  return words.costs.start(startedBy(submits, all, limit), most > submits ? most : undefined);
}

function startedBy(submits: number, all: number, limit: number | undefined): Parameters<typeof words.costs.start>[0] {
  if (submits === 0) return undefined;
  if (submits < Math.min(all, limit ?? all)) return { requests: someOf(submits, all, false) };
  return limit !== undefined && limit < all ? { upTo: limit } : { requests: requestsOf(all, false) };
}

/** A limit as texts, one for each part of it. */
export function limitTexts({
  requests,
  cost,
}: {
  readonly requests?: number | undefined;
  readonly cost?: Money | undefined;
}): readonly string[] {
  return [...(requests === undefined ? [] : [words.common.requests(requests)]), ...(cost ? [moneyText(cost)] : [])];
}
