/**
 * Spending limits: what fits into them, and what to say if nothing does. Money is counted in millionths, see
 * `money.ts`. A request counts from the commit of its intent, at the most that it may cost.
 */
import { domainWords } from '../../words/domain-words.ts';
import { FAILURE_POLICIES, failure, type Failure, type FailureCode } from '../base/failure.ts';
import { reason, type Reason } from '../base/reason.ts';
import { amountOf, microsOf, moneyText, type Money } from '../base/money.ts';
import { present } from '../base/result.ts';
import type { Prices } from '../sheet/row.ts';
import { OPERATION_PATHS, type OperationPath } from '../operations/operations.ts';

/** At most this many paid requests, and this much money. */
export interface Limit {
  readonly requests?: number;
  readonly cost?: Money;
}

/** The user's limits for all batches together, rehearsals excepted. */
export interface SpendingLimits {
  /** From noon to noon, see `NightRecord`. */
  readonly night?: Limit;
  /** A calendar month. */
  readonly month?: Limit;
}

/** A change of a limit; null lifts it, and what is absent stays. */
export interface LimitChange {
  readonly requests?: number | null | undefined;
  readonly cost?: Money | null | undefined;
}

/** The limits after changes, without those that limit nothing. */
export function withLimits(
  limits: SpendingLimits,
  changes: { readonly night?: LimitChange; readonly month?: LimitChange },
): SpendingLimits {
  const changed = (before: Limit = {}, { requests = before.requests, cost = before.cost }: LimitChange = {}) => {
    const limit: Limit = present({ requests, cost });
    return Object.keys(limit).length === 0 ? undefined : limit;
  };
  return present({ night: changed(limits.night, changes.night), month: changed(limits.month, changes.month) });
}

/** Operations whose price is not known in the currency of a limit. */
export function unpricedFor(
  cost: Money,
  operations: Iterable<OperationPath>,
  prices: Prices,
): readonly OperationPath[] {
  return [...new Set(operations)].filter((operation) => prices[operation]?.currency !== cost.currency);
}

/** The requests that were or may have been charged. */
export interface SpentSum {
  readonly requests: number;
  /** In millionths, by currency. */
  readonly micros: Readonly<Record<string, number>>;
  /** How many of the requests have no price, and so are in no sum. */
  readonly unpriced: number;
  /** The same by operation; absent if there are none. */
  readonly unpricedOf?: Readonly<Partial<Record<OperationPath, number>>>;
}

export const NOTHING_SPENT: SpentSum = { requests: 0, micros: {}, unpriced: 0 };

/**
 * What a request counts for: the most that it may cost, or what the gateway says it has cost, if that is more and in
 * the same currency.
 */
export function chargeOf(price: Money | undefined, cost: Money | undefined): Money | undefined {
  if (price === undefined || cost?.currency !== price.currency) return price ?? cost;
  return cost.amount > price.amount ? cost : price;
}

/** How long a gateway is believed to charge as much as it once said. */
export const STATED_FOR_MS = 30 * 24 * 60 * 60_000;

/**
 * What is reserved for a request: its price, or what its gateway has said such a request cost, if that is more.
 * @param stated See `BatchSpending`.
 */
export function reservedFor(price: Money | undefined, stated: readonly Money[] = []): Money | undefined {
  const cost = stated.find(({ currency }) => currency === price?.currency);
  const most = price && chargeOf(price, cost);
  return most && { ...most, amount: amountOf(microsOf(most.amount)) };
}

/** The same with one more request, or with several at once. */
export function withMore(spent: SpentSum, operation: OperationPath, price: Money | undefined, n = 1): SpentSum {
  if (price === undefined) return withUnpriced(spent, operation, n);
  const { requests, micros } = spent;
  const sum = (micros[price.currency] ?? 0) + n * microsOf(price.amount);
  return { ...spent, requests: requests + n, micros: { ...micros, [price.currency]: sum } };
}

/** The same with this many more requests that have no price. */
export function withUnpriced(spent: SpentSum, operation: OperationPath, n: number): SpentSum {
  const { requests, unpriced, unpricedOf = {} } = spent;
  const ofThis = (unpricedOf[operation] ?? 0) + n;
  return {
    ...spent,
    requests: requests + n,
    unpriced: unpriced + n,
    unpricedOf: { ...unpricedOf, [operation]: ofThis },
  };
}

/**
 * What counts towards a limit in money: requests that had no price when they were sent count at today's price of their
 * operation, so that a limit set later does not begin at nothing. Requests whose operation has no price today stay
 * without one.
 */
export function atTodaysPrices(
  spent: SpentSum,
  { currency }: Money,
  priceOf: (operation: OperationPath) => Money | undefined,
): SpentSum {
  let { unpriced } = spent;
  let sum = spent.micros[currency] ?? 0;
  for (const operation of OPERATION_PATHS) {
    const n = spent.unpricedOf?.[operation] ?? 0;
    const price = priceOf(operation);
    if (n === 0 || price?.currency !== currency) continue;
    sum += n * microsOf(price.amount);
    unpriced -= n;
  }
  return { ...spent, micros: { ...spent.micros, [currency]: sum }, unpriced };
}

/** The limit that a batch has of its own. */
export function ownLimit({ maxSubmits, maxCost }: { readonly maxSubmits?: number; readonly maxCost?: Money }): Limit {
  return present({ requests: maxSubmits, cost: maxCost });
}

/** Whether both allow the same. */
export function isSameLimit(a: Limit, b: Limit): boolean {
  return a.requests === b.requests && a.cost?.amount === b.cost?.amount && a.cost?.currency === b.cost?.currency;
}

/** A limit that holds for a batch, and what counts towards it. */
export interface Cap {
  readonly of: 'account' | 'batch' | 'night' | 'month';
  /** The name of the account whose limit it is. */
  readonly account?: string;
  readonly limit: Limit;
  readonly spent: SpentSum;
}

/**
 * Which limit leaves no room for one more request; `price`: nobody can say, because the request's price is not known.
 */
export interface Shortage {
  readonly cap: Cap;
  readonly lacks: 'requests' | 'cost' | 'price';
  /** How often the request may be charged. */
  readonly charges: number;
  /** What it costs each time, where money is what lacks. */
  readonly price?: Money;
}

/**
 * Why one more request at this price does not fit, by the first limit that leaves no room for it.
 * @param charges How often it may be charged.
 */
export function shortageOf(caps: readonly Cap[], price: Money | undefined, charges = 1): Shortage | undefined {
  for (const cap of caps) {
    const { requests, cost } = cap.limit;
    if (requests !== undefined && cap.spent.requests + charges > requests) return { cap, lacks: 'requests', charges };
    if (cost === undefined) continue;
    if (price?.currency !== cost.currency) return { cap, lacks: 'price', charges };
    const spent = cap.spent.micros[cost.currency] ?? 0;
    if (spent + charges * microsOf(price.amount) > microsOf(cost.amount)) return { cap, lacks: 'cost', charges, price };
  }
  return undefined;
}

/** The limit in money whose currency is not that of an operation's price; undefined if every limit can be held. */
export function unpricedBy(caps: readonly Cap[], price: Money | undefined): Cap | undefined {
  return caps.find(({ limit: { cost } }) => cost !== undefined && cost.currency !== price?.currency);
}

/**
 * A limit is reached: nothing that waits fits into what is left of it.
 * @param dearer What the gateway charges for an operation, if that is more than its price.
 * @param also Other limits that are reached as well: once the first is raised, they are in the way.
 */
export function capReached(
  first: Shortage,
  dearer?: { readonly operation: OperationPath; readonly cost: Money },
  also: readonly Shortage[] = [],
): Failure {
  const { cap, lacks, charges, price } = first;
  const { limit, spent } = cap;
  const { requests = 0, cost } = limit;
  const whose = present({ cap: cap.of, account: cap.account });
  const isMoney = lacks !== 'requests' && cost !== undefined;
  const parts = [shortageSays(first)];
  if (isMoney && dearer !== undefined) parts.push(reason('capDearer', moneyText(dearer.cost), dearer.operation));
  if (isMoney && spent.unpriced > 0) parts.push(reason('capUnpriced', spent.unpriced));
  parts.push(...also.map(shortageSays));
  // Two limits of a night may be the same.
  const distinct = parts.filter(
    (part, i) => parts.findIndex((one) => JSON.stringify(one) === JSON.stringify(part)) === i,
  );
  const why = distinct.reduce((text, part) => reason('both', text, part));
  if (!isMoney)
    return failure('CAP_REACHED', why, { ...whose, lacks: 'requests', limit: requests, spent: spent.requests });
  const used = amountOf(spent.micros[cost.currency] ?? 0);
  const next = price === undefined ? undefined : amountOf(charges * microsOf(price.amount));
  const data = { ...whose, lacks: 'cost', limit: cost.amount, spent: used, currency: cost.currency };
  return failure('CAP_REACHED', why, { ...data, ...present({ next }) });
}

function shortageSays({ cap: { of, account = '', limit, spent }, lacks, charges }: Shortage): Reason {
  const { requests = 0, cost } = limit;
  if (lacks !== 'requests' && cost !== undefined) {
    const used = { amount: amountOf(spent.micros[cost.currency] ?? 0), currency: cost.currency };
    return reason('capCost', of, moneyText(cost), moneyText(used), charges > 1, account);
  }
  if (charges === 1) return reason('capRequests', of, requests, account);
  return reason('capProbe', of, requests, spent.requests, charges, account);
}

/** Operations named in a message. */
const NAMED = 5;

/** A limit in money cannot be held, because of operations without a price in its currency. */
export function priceUnknown(
  { of, account, limit: { cost } }: Pick<Cap, 'of' | 'account' | 'limit'>,
  operations: readonly string[],
): Failure {
  const names = operations.slice(0, NAMED).join(', ');
  const limit = cost === undefined ? '' : moneyText(cost);
  const why = reason('noPrice', of, limit, cost?.currency ?? '', names, operations.length - NAMED, account ?? '');
  return failure('PRICE_UNKNOWN', why, { ...present({ cap: of, account }), operations: [...operations] });
}

/** Whose limit holds up a batch, and what it leaves no room for; `price`: the price is not known. */
export interface LimitNamed {
  readonly of: Cap['of'];
  readonly lacks: Shortage['lacks'];
}

/** The limit that a failure of {@link capReached} or {@link priceUnknown} names; undefined for any other failure. */
export function limitNamedIn({ code, data }: Pick<Failure, 'code' | 'data'>): LimitNamed | undefined {
  if (code !== 'CAP_REACHED' && code !== 'PRICE_UNKNOWN') return undefined;
  const of = (['account', 'night', 'month'] as const).find((whose) => whose === data?.['cap']) ?? 'batch';
  if (code === 'PRICE_UNKNOWN') return { of, lacks: 'price' };
  return { of, lacks: data?.['lacks'] === 'cost' ? 'cost' : 'requests' };
}

/** The name of the account whose limit it is, if it is that of an account and the failure names it. */
export function accountNamedIn({ data }: Pick<Failure, 'data'>): string | undefined {
  const account = data?.['account'];
  return typeof account === 'string' ? account : undefined;
}

/** What the next request costs for which money lacks, by a failure of {@link capReached}; undefined where it names none. */
export function nextCostIn({ data = {} }: Pick<Failure, 'data'>): Money | undefined {
  const { next: amount, currency } = data;
  return typeof amount === 'number' && typeof currency === 'string' ? { amount, currency } : undefined;
}

/** What to do about a pause, in the words of its limit. */
export function pauseRemedy(code: FailureCode, of: Cap['of'] | undefined): string {
  if (of === undefined) return FAILURE_POLICIES[code].remedy;
  const { noPrice, reached } = domainWords.nights.limitRemedy;
  return (code === 'PRICE_UNKNOWN' ? noPrice : reached)[of];
}

/** What has to be asked of the store for the limits. */
export interface Spending {
  readonly night: SpentSum;
  readonly month: SpentSum;
  readonly batches: ReadonlyMap<string, BatchSpending>;
}

export interface BatchSpending {
  readonly spent: SpentSum;
  /** Operations of its queued tasks; `isStartable`: one of the tasks waits for nothing but its time. */
  readonly queued: readonly QueuedOperation[];
  /** By the names of its accounts; absent for a batch with one account. */
  readonly accounts?: ReadonlyMap<string, AccountSpending>;
}

/** What a batch spent with one of its accounts, and what the account's gateway has lately said that requests cost. */
export interface AccountSpending {
  readonly spent: SpentSum;
  readonly stated: readonly { readonly operation: OperationPath; readonly cost: Money }[];
}

export interface QueuedOperation {
  readonly operation: OperationPath;
  readonly isStartable: boolean;
  /** The most that the gateway has lately said such a request cost, for each currency that it named. */
  readonly stated?: readonly Money[];
}
