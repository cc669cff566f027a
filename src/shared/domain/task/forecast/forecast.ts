/**
 * What a run of a batch will be, before it starts: its requests, what they cost, when it ends, what room its files take. Pure:
 * from the waiting requests, what is known of the gateway, and the terms of the run. What is not known is said to be so.
 */
import { addMoney, amountsOf, microsOf, type Money } from '../../base/money.ts';
import { learnLaw } from '../../gateway/duration-law.ts';
import { usualTimesMs } from '../../gateway/poll-schedule.ts';
import type { Profile } from '../../gateway/profile.ts';
import { operationOf, type OperationPath, type OutputKind } from '../../operations/operations.ts';
import { costsOf, type Row } from '../../sheet/row.ts';
import type { Stretch } from '../schedule.ts';
import { drawNight } from './night-picture.ts';
import type { ForecastEnd, ForecastRecord, ForecastSource, Unpriced } from './forecast-record.ts';
import {
  simulateNight,
  type KindOfWork,
  type NightRules,
  type NightWork,
  type SimulatedNight,
} from './simulate-night.ts';

/** Requests that ask alike: see `requestKindOf`. */
export interface WaitingKind {
  readonly operation: OperationPath;
  readonly model: string;
  readonly requestKind: number;
  /** One of it is done in this batch. */
  readonly isVerified: boolean;
}

/** The requests of a run that are still to be made, and what is at the gateway already. */
export interface WaitingWork extends Pick<NightWork, 'queue' | 'after' | 'inFlight'> {
  readonly kinds: readonly WaitingKind[];
  readonly rows: number;
  /** Rows that an error keeps from running. */
  readonly invalidRows: number;
  /** Rows that ask for what a row before them asks for. */
  readonly repeated: readonly Pick<Row, 'operation' | 'takes'>[];
}

/** What is known of a gateway. */
export interface GatewayFacts {
  /** How long it took from submit to seen finished, in milliseconds, newest first. */
  readonly times: readonly {
    readonly operation: OperationPath;
    readonly model: string;
    readonly times: readonly number[];
  }[];
  /** How many bytes the files of one request had, on average. */
  readonly sizes: readonly { readonly operation: OperationPath; readonly bytes: number }[];
}

/** What the run has to keep to. */
export interface ForecastTerms {
  readonly limits: Profile['limits'];
  /** Empty for a rehearsal, which costs nothing. */
  readonly prices: Profile['prices'];
  readonly isRehearsal: boolean;
  readonly hasCanary: boolean;
  /** Requests that may still be made; undefined without a limit. */
  readonly requestsLeft?: number;
  /** Money that may still be spent; undefined without a limit. */
  readonly costLeft?: Money;
  /** When it is foretold and would begin, in milliseconds since the epoch. */
  readonly now: number;
  /** The first time from `at` on at which something may be sent; Infinity if there is none. */
  readonly open: (at: number) => number;
  /** When the stretch that is open at `at` ends; Infinity if it does not. */
  readonly closes: (at: number) => number;
}

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
  /** Requests that a limit keeps from being made. */
  readonly beyondLimit: number;
  /** Requests that are not sent before the schedule is over. */
  readonly unsent: number;
  readonly invalidRows: number;
  /** Rows that ask for what a row before them asks for, and what they cost. */
  readonly duplicates: { readonly rows: number; readonly requests: number; readonly cost: readonly Money[] };
}

/** Nothing known of the gateway. */
export const NO_FACTS: GatewayFacts = { times: [], sizes: [] };

/** Bytes of one request's files where nothing is known. */
const USUAL_BYTES: Readonly<Record<OutputKind, number>> = {
  music: 8_000_000,
  video: 25_000_000,
  image: 2_500_000,
  data: 20_000,
};
/** What a download comes at, besides a moment for each. */
const BYTES_PER_MS = 4_000;
const DOWNLOAD_MS = 500;
/** Polls of a task at a gateway of which nothing is known. */
const USUAL_POLLS = 6;
/** The range is at least this wide on either side, and this much wider than the seen times leave open. */
const SPREAD_MIN = 0.05;
const SPREAD_FACTOR = 2;
const SPREAD_MAX = 0.6;

/** Of more requests only the likely end is simulated; the ends of the range follow from how much longer each takes. */
const EDGES_SIMULATED = 20_000;

/** Foretells a run. A hundred thousand requests take a moment, a few hundred none. */
export function foretell(work: WaitingWork, facts: GatewayFacts, terms: ForecastTerms): Forecast {
  const { queue, cost } = withinLimits(work, terms);
  const counts = countKinds(work, queue);
  const isUsed = (_: unknown, i: number): boolean =>
    (counts[i] ?? 0) > 0 || work.inFlight.some(({ kind }) => kind === i);
  const laws = work.kinds.map((kind) => lawOf(kind, facts));
  const source = sourceOf(laws.filter(isUsed));
  const begins = terms.open(terms.now);
  const runs = (pick: (law: Law) => readonly number[]): SimulatedNight =>
    simulateNight(
      {
        ...work,
        queue,
        after: within(work.after, queue.length),
        kinds: work.kinds.map((kind, i) => workOf(kind, laws[i], pick, terms)),
      },
      rulesOf(terms, begins),
    );
  const likely = Number.isFinite(begins) || queue.length === 0 ? runs((law) => law.times) : undefined;
  const edge = (ends: number, pick: (law: Law) => readonly number[]): number =>
    queue.length <= EDGES_SIMULATED ? runs(pick).ends : begins + (ends - begins) * shareOf(laws, counts, pick);
  const ends =
    likely === undefined
      ? undefined
      : endOf(
          likely.ends,
          edge(likely.ends, (law) => law.early),
          edge(likely.ends, (law) => law.late),
        );
  return {
    at: terms.now,
    rows: work.rows,
    requests: queue.length,
    cost: amountsOf(cost),
    unpriced: terms.isRehearsal ? [] : unpricedOf(work, counts, terms),
    diskBytes: work.kinds.reduce((sum, { operation }, i) => sum + (counts[i] ?? 0) * bytesOf(operation, facts), 0),
    begins: Number.isFinite(begins) ? begins : terms.now,
    ...(ends === undefined ? {} : { ends }),
    source,
    windows: ends === undefined ? [] : windowsOf(terms, begins, ends.likely),
    kinds: kindsOf(work, counts, terms),
    beyondLimit: work.queue.length - queue.length,
    unsent: likely?.unsent ?? queue.length,
    invalidRows: work.invalidRows,
    duplicates: duplicatesOf(work, terms),
    ...(ends === undefined || likely === undefined
      ? {}
      : {
          picture: drawNight(likely.stays, {
            from: begins,
            to: ends.likely,
            places: terms.limits.activePerFamily,
            open: terms.open,
          }),
        }),
  };
}

/** The part that is kept with the batch. */
export function recordOf(forecast: Forecast): ForecastRecord {
  const {
    kinds: _,
    beyondLimit: _limit,
    unsent: _unsent,
    invalidRows: _invalid,
    duplicates: _twice,
    ...record
  } = forecast;
  return record;
}

/** The requests that the limits leave room for, in their order, and what they cost at their prices. */
function withinLimits(
  { queue, kinds }: WaitingWork,
  { requestsLeft = Number.POSITIVE_INFINITY, costLeft, prices }: ForecastTerms,
): { readonly queue: ArrayLike<number>; readonly cost: ReadonlyMap<string, number> } {
  const cost = new Map<string, number>();
  const most = Math.max(0, Math.min(queue.length, requestsLeft));
  const left = costLeft === undefined ? Number.POSITIVE_INFINITY : microsOf(costLeft.amount);
  const priceOf = kinds.map(({ operation }) => prices[operation]);
  let count = 0;
  for (; count < most; count += 1) {
    const price = priceOf[queue[count] ?? 0];
    if (costLeft !== undefined) {
      // A limit in money cannot be held for what has no price in its currency: the run pauses there.
      if (price?.currency !== costLeft.currency) break;
      if ((cost.get(price.currency) ?? 0) + microsOf(price.amount) > left) break;
    }
    if (price !== undefined) addMoney(cost, price);
  }
  return { queue: count === queue.length ? queue : Array.from({ length: count }, (_, i) => queue[i] ?? 0), cost };
}

function within(after: ReadonlyMap<number, number>, length: number): ReadonlyMap<number, number> {
  return new Map([...after].filter(([place, other]) => place < length && other < length));
}

function countKinds({ kinds }: WaitingWork, queue: ArrayLike<number>): readonly number[] {
  const counts = kinds.map(() => 0);
  for (let i = 0; i < queue.length; i += 1) {
    const kind = queue[i] ?? 0;
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}

function kindsOf(
  { kinds }: WaitingWork,
  counts: readonly number[],
  { prices }: ForecastTerms,
): readonly ForecastKind[] {
  return kinds.flatMap(({ operation, model }, i) => {
    const requests = counts[i] ?? 0;
    const price = prices[operation];
    const sum = new Map<string, number>();
    if (price !== undefined) addMoney(sum, price, requests);
    const [cost] = amountsOf(sum);
    return requests === 0 ? [] : [{ operation, model, requests, ...(cost === undefined ? {} : { cost }) }];
  });
}

function unpricedOf({ kinds }: WaitingWork, counts: readonly number[], { prices }: ForecastTerms): readonly Unpriced[] {
  const sums = new Map<OperationPath, number>();
  kinds.forEach(({ operation }, i) => {
    const requests = counts[i] ?? 0;
    if (prices[operation] === undefined && requests > 0) sums.set(operation, (sums.get(operation) ?? 0) + requests);
  });
  return Array.from(sums, ([operation, requests]) => ({ operation, requests }));
}

function duplicatesOf({ repeated }: WaitingWork, { prices }: ForecastTerms): Forecast['duplicates'] {
  const requests = repeated.reduce((sum, { takes }) => sum + takes, 0);
  return { rows: repeated.length, requests, cost: costsOf(repeated, prices).costs };
}

/** How long the requests of a kind take: likely, and at either end of what may be. */
interface Law {
  readonly isLearned: boolean;
  readonly times: readonly number[];
  readonly early: readonly number[];
  readonly late: readonly number[];
  readonly polls: number;
  readonly bytes: number;
}

function lawOf({ operation, model }: WaitingKind, facts: GatewayFacts): Law {
  const ofOperation = facts.times.filter((one) => one.operation === operation && one.times.length > 0);
  // What another model takes says more than what is usual anywhere.
  const seen = (ofOperation.find((one) => one.model === model) ?? ofOperation[0])?.times;
  const bytes = bytesOf(operation, facts);
  if (seen === undefined) {
    const times = usualTimesMs(operation);
    const [first = 0, last = first] = [times[0], times.at(-1)];
    return { isLearned: false, times, early: [first], late: [last], polls: USUAL_POLLS, bytes };
  }
  const { area, spacing, latencyMs } = learnLaw(seen);
  // A place is filled again about a poll later than it could be.
  const times = seen.map((ms) => ms + latencyMs).sort((a, b) => a - b);
  const mean = meanOf(times);
  const deviation = Math.sqrt(times.reduce((sum, ms) => sum + (ms - mean) ** 2, 0) / times.length);
  const doubt = deviation / Math.max(1, mean) / Math.sqrt(times.length);
  const spread = Math.min(SPREAD_MAX, SPREAD_MIN + SPREAD_FACTOR * doubt);
  return {
    isLearned: true,
    times,
    early: times.map((ms) => ms * (1 - spread)),
    late: times.map((ms) => ms * (1 + spread)),
    polls: 1 + area / spacing,
    bytes,
  };
}

function bytesOf(operation: OperationPath, { sizes }: GatewayFacts): number {
  return sizes.find((one) => one.operation === operation)?.bytes ?? USUAL_BYTES[operationOf(operation).output];
}

function sourceOf(laws: readonly Law[]): ForecastSource {
  if (laws.every(({ isLearned }) => isLearned)) return laws.length === 0 ? 'defaults' : 'learned';
  return laws.some(({ isLearned }) => isLearned) ? 'both' : 'defaults';
}

function workOf(
  { operation, isVerified }: WaitingKind,
  law: Law | undefined,
  pick: (law: Law) => readonly number[],
  { hasCanary }: ForecastTerms,
): KindOfWork {
  return {
    family: operationOf(operation).family,
    times: law === undefined ? [0] : pick(law),
    polls: law?.polls ?? 1,
    downloadMs: DOWNLOAD_MS + (law?.bytes ?? 0) / BYTES_PER_MS,
    isTried: hasCanary && !isVerified,
  };
}

function rulesOf({ limits, open }: ForecastTerms, begins: number): NightRules {
  const { activePerFamily: places, requestsPerSecond: perSecond, downloads } = limits;
  return { places, perSecond, downloads, begins, open };
}

/** How much longer all requests take together, by other times than the likely ones. */
function shareOf(laws: readonly Law[], counts: readonly number[], pick: (law: Law) => readonly number[]): number {
  const sum = (times: (law: Law) => readonly number[]): number =>
    laws.reduce((all, law, i) => all + (counts[i] ?? 0) * meanOf(times(law)), 0);
  return (
    sum(pick) /
    Math.max(
      1,
      sum((law) => law.times),
    )
  );
}

function meanOf(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
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

/** The two ends of a range are simulated, too: with windows, a little more work may end a day later. */
function endOf(likely: number, early: number, late: number): ForecastEnd {
  return {
    earliest: Math.round(Math.min(early, likely)),
    likely: Math.round(likely),
    latest: Math.round(Math.max(late, likely)),
  };
}
