/**
 * What a run of a batch will be like, before it starts: its requests, what they cost, when it ends and how much space
 * its files take. Pure: derived from the waiting requests, what is known about the gateway, and the terms of the run.
 * It says what is not known.
 */
import { addMoney, amountsOf, type Money } from '../../base/money.ts';
import { present } from '../../base/result.ts';
import { operationOf, type OperationPath } from '../../operations/operations.ts';
import { costsOf, priceOf, type Prices } from '../../sheet/row.ts';
import type { Stretch } from '../schedule.ts';
import { reservedFor } from '../spending.ts';
import { bytesOf, kindOfWork, lawOf, shareOf, sourceOf, type KindLaw } from './kind-laws.ts';
import { drawNight } from './night-picture.ts';
import type { ForecastEnd, ForecastRecord, Unpriced } from './forecast-record.ts';
import { Purse, type ForecastStop } from './purse.ts';
import type { ForecastTerms, GatewayFacts, HeldWork, WaitingWork } from './run-facts.ts';
import { simulateNight, type NightRules, type SimulatedNight } from './simulate-night.ts';

/** A kind of request in the forecast. */
export interface ForecastKind {
  readonly operation: OperationPath;
  readonly model: string;
  readonly requests: number;
  /** Undefined without a price. */
  readonly cost?: Money;
}

export interface Forecast extends ForecastRecord {
  readonly kinds: readonly ForecastKind[];
  /**
   * The most that is added if gates flag everything each time; the limits apply to that, too. Absent if nothing is
   * rendered again.
   */
  readonly again?: { readonly times: number; readonly requests: number; readonly cost: readonly Money[] };
  /** Requests that a limit keeps from being made. */
  readonly beyondLimit: number;
  /** That limit; absent if all requests fit. */
  readonly stop?: ForecastStop;
  /** What the gateway was seen to charge for an operation, if that is more than its price. */
  readonly dearer: readonly { readonly operation: OperationPath; readonly cost: Money }[];
  /** Requests that are not sent before the schedule is over. */
  readonly unsent: number;
  /** Nothing is ever sent: its finish-by has passed, or its windows do not open before it. */
  readonly closed?: 'passed' | 'never';
  readonly held: Pick<HeldWork, 'rows' | 'requests'>;
  readonly invalidRows: number;
  /** Rows that ask for what a row before them asks for, and what they cost. */
  readonly duplicates: { readonly rows: number; readonly requests: number; readonly cost: readonly Money[] };
}

/**
 * For more requests than this, only the likely end is simulated; both ends of the range follow from how much longer
 * each request may take.
 */
const EDGES_SIMULATED = 20_000;

/** Foretells a run. A hundred thousand requests take a moment; a few hundred take no noticeable time. */
export function foretell(work: WaitingWork, facts: GatewayFacts, terms: ForecastTerms): Forecast {
  const { kinds, queue, inFlight, held } = work;
  const prices = reservedPrices(work, facts, terms);
  const laws = kinds.map((kind) => lawOf(kind, facts));
  const runs = (pick: (law: KindLaw) => readonly number[]) => {
    const operations = [...new Set([...kinds.map(({ operation }) => operation), ...held.operations])];
    const { caps, zone, now } = terms;
    const purse = new Purse({ caps, priceOf: (operation) => prices[operation], operations, zone }, now);
    const worked = kinds.map((kind, i) => kindOfWork(kind, laws[i], pick, terms));
    return { night: simulateNight({ ...work, kinds: worked }, rulesOf(work, terms, purse)), stop: purse.stop };
  };
  const { night, stop } = runs((law) => law.times);
  const { sent } = night;
  const requests = sum(sent);
  const opens = terms.open(terms.now);
  const begins = Number.isFinite(opens) ? opens : terms.now;
  const isUsed = (_: unknown, i: number): boolean => (sent[i] ?? 0) > 0 || inFlight.some(({ kind }) => kind === i);
  const edge = (pick: (law: KindLaw) => readonly number[]): number =>
    queue.length <= EDGES_SIMULATED
      ? runs(pick).night.ends
      : begins + (night.ends - begins) * shareOf(laws, sent, pick);
  const ends =
    requests + inFlight.length === 0
      ? undefined
      : endOf(
          night.ends,
          edge((law) => law.early),
          edge((law) => law.late),
        );
  const unsent = unsentOf(work, night);
  const beyondLimit = queue.length - requests - unsent;
  return {
    at: terms.now,
    rows: work.rows,
    requests,
    cost: costOf(kindsOf(work, sent, prices)),
    unpriced: terms.isRehearsal ? [] : unpricedOf(work, sent, prices),
    diskBytes: sum(kinds.map(({ operation }, i) => (sent[i] ?? 0) * bytesOf(operation, facts))),
    begins,
    ...present({ ends }),
    source: sourceOf(laws.filter(isUsed)),
    windows: ends === undefined || requests === 0 ? [] : windowsOf(terms, begins, ends.likely),
    kinds: kindsOf(work, sent, prices),
    ...present({ again: againOf(work, sent, prices, terms) }),
    beyondLimit,
    ...(beyondLimit > 0 ? present({ stop }) : {}),
    dearer: kindsOf(work, sent, prices).length === 0 ? [] : dearerOf(work, prices, terms),
    unsent,
    ...(Number.isFinite(opens) ? {} : { closed: isPast(terms) ? 'passed' : 'never' }),
    held: { rows: held.rows, requests: held.requests },
    invalidRows: work.invalidRows,
    duplicates: duplicatesOf(work, prices),
    ...(ends === undefined ? {} : { picture: pictureOf(night, ends, terms, inFlight.length > 0 ? terms.now : begins) }),
  };
}

type AgainOf = Pick<WaitingWork, 'inFlight' | 'flaggable'> & {
  readonly kinds: readonly Pick<WaitingWork['kinds'][number], 'operation'>[];
};

/**
 * Every take that gives a file, once for each time that it may be rendered again: takes that wait, are at the gateway,
 * or may yet be flagged.
 */
export function takesAgain(
  { kinds, inFlight, flaggable }: AgainOf,
  counts: readonly number[],
  times: number,
): readonly { readonly operation: OperationPath; readonly requests: number }[] {
  const sums = new Map<OperationPath, number>();
  const add = (operation: OperationPath, takes: number, made = 0): void => {
    const more = operationOf(operation).output === 'data' ? 0 : takes * Math.max(0, times - made);
    if (more > 0) sums.set(operation, (sums.get(operation) ?? 0) + more);
  };
  kinds.forEach(({ operation }, i) => add(operation, counts[i] ?? 0));
  for (const { kind } of inFlight) {
    const operation = kinds[kind]?.operation;
    if (operation !== undefined) add(operation, 1);
  }
  for (const { operation, takes, made } of flaggable) add(operation, takes, made);
  return Array.from(sums, ([operation, requests]) => ({ operation, requests }));
}

function againOf(
  work: WaitingWork,
  sent: readonly number[],
  prices: Prices,
  { again: times }: ForecastTerms,
): Forecast['again'] {
  const takes = takesAgain(work, sent, times);
  const together = new Map<string, number>();
  for (const { operation, requests } of takes) {
    const price = prices[operation];
    if (price !== undefined) addMoney(together, price, requests);
  }
  const requests = sum(takes.map((one) => one.requests));
  return requests === 0 ? undefined : { times, requests, cost: amountsOf(together) };
}

/** The part that is kept with the batch. */
export function recordOf(forecast: Forecast): ForecastRecord {
  const { at, rows, requests, cost, unpriced, diskBytes, begins, ends, source, windows, picture } = forecast;
  return { at, rows, requests, cost, unpriced, diskBytes, begins, source, windows, ...present({ ends, picture }) };
}

/** What a request of each operation counts for: the amount that the night reserves for it. */
function reservedPrices(
  { kinds, held, flaggable }: WaitingWork,
  { stated }: GatewayFacts,
  { prices }: ForecastTerms,
): Prices {
  const all = [...kinds, ...flaggable].map(({ operation }) => operation);
  const operations = new Set([...all, ...held.operations]);
  return Object.fromEntries(
    Array.from(operations, (operation) => {
      const costs = stated.flatMap((one) => (one.operation === operation ? one.cost : []));
      return [operation, reservedFor(priceOf(prices, operation), costs)];
    }),
  );
}

function rulesOf({ kinds }: WaitingWork, { limits, open, now }: ForecastTerms, purse: Purse): NightRules {
  const { activePerFamily: places, requestsPerSecond: perSecond, downloads } = limits;
  const operationOfKind = kinds.map(({ operation }) => operation);
  return {
    places,
    perSecond,
    downloads,
    begins: now,
    open,
    fits: (kind, at) => {
      const operation = operationOfKind[kind];
      return operation !== undefined && purse.fits(operation, at);
    },
    take: (kind, at) => {
      const operation = operationOfKind[kind];
      if (operation !== undefined) purse.take(operation, at);
    },
  };
}

/** Requests that would fit within the limits but are never sent all the same. */
function unsentOf({ kinds, queue }: WaitingWork, { isOver, isRefused, sent }: SimulatedNight): number {
  if (!isOver) return 0;
  const counts = countKinds(kinds.length, queue);
  return sum(counts.map((count, i) => (isRefused[i] === true ? 0 : count - (sent[i] ?? 0))));
}

function countKinds(kinds: number, queue: ArrayLike<number>): readonly number[] {
  const counts = Array.from({ length: kinds }, () => 0);
  for (let i = 0; i < queue.length; i += 1) {
    const kind = queue[i] ?? 0;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}

function isPast({ finishBy = Number.POSITIVE_INFINITY, now }: ForecastTerms): boolean {
  return finishBy <= now;
}

function kindsOf({ kinds }: WaitingWork, counts: readonly number[], prices: Prices): readonly ForecastKind[] {
  return kinds.flatMap(({ operation, model }, i) => {
    const requests = counts[i] ?? 0;
    const price = prices[operation];
    const together = new Map<string, number>();
    if (price !== undefined) addMoney(together, price, requests);
    const [cost] = amountsOf(together);
    return requests === 0 ? [] : [{ operation, model, requests, ...present({ cost }) }];
  });
}

function costOf(kinds: readonly ForecastKind[]): readonly Money[] {
  const together = new Map<string, number>();
  for (const { cost } of kinds) if (cost !== undefined) addMoney(together, cost);
  return amountsOf(together);
}

function unpricedOf({ kinds }: WaitingWork, counts: readonly number[], prices: Prices): readonly Unpriced[] {
  const sums = new Map<OperationPath, number>();
  kinds.forEach(({ operation }, i) => {
    const requests = counts[i] ?? 0;
    if (prices[operation] === undefined && requests > 0) sums.set(operation, (sums.get(operation) ?? 0) + requests);
  });
  return Array.from(sums, ([operation, requests]) => ({ operation, requests }));
}

function dearerOf({ kinds }: WaitingWork, reserved: Prices, { prices }: ForecastTerms): Forecast['dearer'] {
  return [...new Set(kinds.map(({ operation }) => operation))].flatMap((operation) => {
    const cost = reserved[operation];
    return cost !== undefined && cost.amount > (priceOf(prices, operation)?.amount ?? 0) ? [{ operation, cost }] : [];
  });
}

function duplicatesOf({ repeated }: WaitingWork, prices: Prices): Forecast['duplicates'] {
  const requests = sum(repeated.map(({ takes }) => takes));
  return { rows: repeated.length, requests, cost: costsOf(repeated, prices).costs };
}

const WINDOWS_SHOWN = 100;

/** The stretches in which a run may send something, from its beginning to its end. */
function windowsOf({ open, closes }: ForecastTerms, begins: number, ends: number): readonly Stretch[] {
  const windows: Stretch[] = [];
  for (let at = begins; at < ends && windows.length < WINDOWS_SHOWN; at = open(closes(at))) {
    windows.push({ from: at, to: Math.min(closes(at), ends) });
    if (closes(at) >= ends) break;
  }
  return windows;
}

function pictureOf({ stays }: SimulatedNight, { likely }: ForecastEnd, { limits, open }: ForecastTerms, from: number) {
  return drawNight(stays, { from, to: likely, places: limits.activePerFamily, open });
}

/** The two ends of a range are simulated, too: with windows, a little more work may end a day later. */
function endOf(likely: number, early: number, late: number): ForecastEnd {
  return {
    earliest: Math.round(Math.min(early, likely)),
    likely: Math.round(likely),
    latest: Math.round(Math.max(late, likely)),
  };
}
