import { assertNever, present } from '../../shared/domain/base/result.ts';
import { addMoney, amountsOf, moneyText } from '../../shared/domain/base/money.ts';
import { keptBackWords } from '../../shared/domain/task/forecast/forecast-words.ts';
import type { BatchView, Retried, ShownTakes, UnknownSummary } from '../../shared/ipc/batches.ts';
import type { NightView } from '../../shared/ipc/ledger.ts';
import type { ForecastView } from '../../shared/ipc/forecast.ts';
import type { RequestCounts, RowDetail } from '../../shared/ipc/rows.ts';
import { countOf, countText } from '../../shared/domain/base/text.ts';
import { formatNearby } from './times.ts';
import { statusTotals } from '../state/batch/batch-progress.ts';

/** What is known of takes with an unknown outcome. In a rehearsal, nothing is charged. */
export function unknownWords(takes: number, isRehearsal: boolean): string {
  const charge = isRehearsal
    ? 'This is a rehearsal: nothing is paid.'
    : `${takes === 1 ? 'It' : 'They'} may have been charged.`;
  return `${charge} Nothing is paid for again until you decide.`;
}

/** The possible cost of resubmitting takes with an unknown outcome, and when that happens. */
export function resubmitCost(
  summary: UnknownSummary | undefined,
  batch: Pick<BatchView, 'rehearsal' | 'state'>,
): string {
  const shown = summary?.shown ?? [];
  const isForNow = shown.length === 0 || shown.some(({ isHeld }) => isHeld !== true);
  const cost = batch.rehearsal ? 'This is a rehearsal: nothing is paid.' : isForNow ? paidAgain(summary) : '';
  return `${cost}${heldText(shown)}${waitText(batch)}`.trim();
}

/** Of takes whose unknown outcome settles itself: when, and that the user need not do anything; undefined without any. */
export function askingAgainWords(
  tasks: readonly Pick<RowDetail['tasks'][number], 'take' | 'sentAgain' | 'dueAt'>[],
  now: number,
): string | undefined {
  const asking = tasks.filter(({ sentAgain }) => sentAgain !== undefined);
  if (asking.length === 0) return undefined;
  const dueAt = Math.min(...asking.map((task) => task.dueAt ?? now));
  const soon = dueAt <= now ? 'now' : `at ${formatNearby(dueAt, now)}`;
  const isHeld = asking.some(({ sentAgain }) => sentAgain === 'once-resumed');
  const when = isHeld ? 'Once the batch is resumed,' : `Nothing need be done: ${soon}`;
  const which = tasks.length === 1 ? 'the request' : `the request of ${listOfTakes(asking)}`;
  return `${when} Nocturne sends ${which} again under its key, and the answer settles it without a second charge. A resubmit would be a new request, and pay again.`;
}

function listOfTakes(tasks: readonly { readonly take: number }[]): string {
  return tasks.map(({ take }) => `take ${countText(take)}`).join(' and ');
}

function paidAgain(summary: UnknownSummary | undefined): string {
  if (summary === undefined || summary.cost.length === 0) {
    return 'If the first request went through, you pay again. No price is set.';
  }
  const sums = summary.cost.map(moneyText).join(' and ');
  const others = summary.takesWithoutPrice;
  const rest = others === 0 ? '' : `, and ${countOf(others, 'take')} more without a price`;
  return `A new paid request costs ${sums}${rest}. If the first one went through, you pay again.`;
}

/** What was sent in a night, and what that cost. */
export function nightCost({ rehearsal, requests, costs }: NightView): string {
  if (rehearsal) return 'a rehearsal';
  return [countOf(requests, 'paid request'), ...costs.map(moneyText)].join(', ');
}

/** Names requests by whether they cost money: `1 paid request`, in a rehearsal `1 request`. */
export function requestsOf(submits: number, isRehearsal: boolean): string {
  return countOf(submits, isRehearsal ? 'request' : 'paid request');
}

/** `20 of 54 paid requests`; of all of them, `54 paid requests`. */
export function someOf(some: number, all: number, isRehearsal: boolean): string {
  return `${some < all ? `${countText(some)} of ` : ''}${requestsOf(all, isRehearsal)}`;
}

/** The end of “12 paid requests from 9 rows…”: their cost, as far as it is known. */
export function sumText(isRehearsal: boolean, submits: number, cost: UnknownSummary['cost'], withoutPrice = 0): string {
  if (submits === 0) return '.';
  if (isRehearsal) return ', free of charge.';
  if (cost.length === 0) return submits === 1 ? ', which may be charged.' : ', each may be charged.';
  const sums = cost.map(moneyText).join(' and ');
  const rest = withoutPrice === 0 ? '' : `, and ${countOf(withoutPrice, 'paid request')} more without a price`;
  return `: ${sums} by the profile’s prices${rest}.`;
}

type Spending = Pick<BatchView, 'rehearsal' | 'submitsUsed' | 'maxSubmits'>;

/**
 * The cost of running the new and changed rows of a batch, and what its limit leaves. Running them resumes a paused
 * batch, and with it whatever else waits there.
 */
export function releaseCost(batch: Spending & Pick<BatchView, 'state' | 'counts' | 'draftSubmits'>): string {
  const submits = batch.draftSubmits;
  const waiting = batch.state === 'paused' ? statusTotals(batch.counts).queued : 0;
  const made =
    waiting === 0
      ? `This makes ${requestsOf(submits, batch.rehearsal)}.`
      : `This also resumes the batch: ${countOf(waiting, 'take')} ${waiting === 1 ? 'is' : 'are'} waiting, so it makes up to ${requestsOf(submits + waiting, batch.rehearsal)}.`;
  if (batch.rehearsal) return `${made} This is a rehearsal: nothing is paid.`;
  return `${made} The gateway charges each that it accepts, also for rows that were rendered before.${limitText(batch)}`;
}

/** The possible cost of retrying these takes. A take that was never sent has no result to fetch. */
export function retryCost(
  shown: ShownTakes,
  batch: Spending & Pick<BatchView, 'state'>,
  { cost = [], takesWithoutPrice = 0 }: Partial<Omit<Retried, 'shown'>> = {},
): string {
  const takes = shown.filter(({ isHeld }) => isHeld !== true);
  if (takes.length === 0 && shown.length > 0) return `${heldText(shown)}${waitText(batch)}`.trim();
  const unsent = takes.filter(({ attempts }) => attempts === 0).length;
  const makes = unsent === takes.length ? 'This makes' : 'This makes up to';
  const free =
    unsent === takes.length
      ? 'Nothing was accepted for them before.'
      : 'If the gateway still has a result, Nocturne fetches it again free of charge.';
  const sum = cost.length === 0 ? '.' : sumText(false, takes.length, cost, takesWithoutPrice);
  return `${makes} ${countOf(takes.length, 'paid request')}${sum} ${free} The gateway charges each that it accepts.${heldText(shown)}${limitText(batch)}${waitText(batch)}`;
}

/** Both as one. */
export function retriedTogether(some: Retried, others: Retried): Retried {
  const sums = new Map<string, number>();
  for (const money of [...some.cost, ...others.cost]) addMoney(sums, money);
  return {
    shown: [...some.shown, ...others.shown],
    cost: amountsOf(sums).map(({ amount, currency }) => ({ amount, currency })),
    takesWithoutPrice: some.takesWithoutPrice + others.takesWithoutPrice,
  };
}

/** No decision about a take releases its row. */
function heldText(takes: ShownTakes): string {
  const held = takes.filter(({ isHeld }) => isHeld === true).length;
  if (held === 0) return '';
  const be = held === 1 ? 'is' : 'are';
  const which = held < takes.length ? `${countOf(held, 'take')} ${be}` : held === 1 ? 'It is' : 'All of them are';
  return ` ${which} held by you: nothing new is sent for ${held === 1 ? 'it' : 'them'} before you release ${held === 1 ? 'the row' : 'the rows'}.`;
}

/** Nothing of a batch that is held is sent because of some takes: the rest of it would go out as well. */
function waitText({ state }: Pick<BatchView, 'state'>): string {
  switch (state) {
    case 'paused':
      return ' The batch is paused: nothing is sent before you resume it.';
    case 'ready':
      return ' The batch has not been started: nothing is sent before you start it.';
    case 'running':
    case 'finished':
      return '';
    default:
      return assertNever(state);
  }
}

function limitText({ submitsUsed, maxSubmits }: Spending): string {
  if (maxSubmits === undefined) return '';
  return ` ${countText(submitsUsed)} of ${countOf(maxSubmits, 'paid request')} are used; the batch pauses at that limit.`;
}

/** The requests of one take: `1 paid request, and 5 that were refused`. A rehearsal pays for nothing. */
export function requestWords({ paid, refused }: RequestCounts, isRehearsal: boolean): string {
  if (paid === 0) return refused === 0 ? 'nothing sent' : countOf(refused, 'refused request');
  const words = countOf(paid, isRehearsal ? 'request' : 'paid request');
  return refused === 0 ? words : `${words}, and ${countText(refused)} that ${refused === 1 ? 'was' : 'were'} refused`;
}

/** What was paid for a row that waits for its turn; empty in a rehearsal. */
export function queuedCost({ tasks, earlierTakes }: RowDetail, isRehearsal: boolean): string | undefined {
  if (isRehearsal) return undefined;
  const paid = tasks.reduce((sum, { requests }) => sum + requests.paid, 0);
  if (paid > 0) return `${countOf(paid, 'paid request')} so far.`;
  return earlierTakes.paidRequests > 0 ? 'Nothing has been paid for this version.' : 'Nothing has been paid.';
}

/** What happens to requests beyond the limit. */
export function limitHint(limit: number | undefined, submits: number): string {
  if (limit !== undefined && limit < submits) {
    const left = submits - limit;
    return `Rendering pauses after ${countText(limit)}; ${countText(left)} ${left === 1 ? 'waits' : 'wait'} until you raise the limit.`;
  }
  return 'Rendering pauses at this number. Retries count.';
}

export const NOTHING_TO_START = 'There is nothing to start yet.';

/** What a start sends by its forecast: of `all`, those that fit into every limit and into its hours. */
export interface Sent {
  readonly submits: number;
  readonly all: number;
  readonly cost: UnknownSummary['cost'];
  readonly withoutPrice: number;
  /** Nothing is sent, and nothing but another answer or another price changes that: why, as a sentence. */
  readonly problem?: string;
}

/**
 * What a start sends: all that waits, or less by a forecast.
 * @param waiting All of it, by the profile's prices.
 * @param forecast Absent while none is there that answers the question as it is by now.
 */
export function sentBy(waiting: Omit<Sent, 'all' | 'problem'>, forecast: ForecastView | undefined): Sent {
  const all = waiting.submits;
  if (forecast === undefined || forecast.beyondLimit === 0) return { ...waiting, all };
  const { requests, cost, unpriced, stop, unsent } = forecast;
  // That some of it comes too late is only foretold: a quicker gateway is paid for it, too.
  if (unsent > 0) return { ...waiting, all, submits: Math.min(requests + unsent, all) };
  const withoutPrice = unpriced.reduce((sum, one) => sum + one.requests, 0);
  const isUnheld = requests === 0 && stop?.lacks === 'price';
  const [problem] = isUnheld ? keptBackWords(forecast, 'paid request') : [];
  return { submits: Math.min(requests, all), all, cost, withoutPrice, ...present({ problem }) };
}

/**
 * The label of the start button: the most that is paid.
 * @param again What comes on top at most where gates have files rendered again.
 */
export function startWords(isRehearsal: boolean, sent: Sent, limit: number | undefined, again = 0): string {
  const words = firstWords(isRehearsal, sent, limit);
  const most = Math.min(sent.submits + again, limit ?? Number.POSITIVE_INFINITY);
  return isRehearsal || most <= sent.submits ? words : `${words}, ${countText(most)} with what is rendered again`;
}

function firstWords(isRehearsal: boolean, { submits, all }: Sent, limit: number | undefined): string {
  if (isRehearsal) return 'Start rehearsal';
  if (submits === 0) return 'Start';
  if (submits < Math.min(all, limit ?? all)) return `Start ${someOf(submits, all, false)}`;
  return limit !== undefined && limit < all
    ? `Start (up to ${countOf(limit, 'paid request')})`
    : `Start ${countOf(all, 'paid request')}`;
}
