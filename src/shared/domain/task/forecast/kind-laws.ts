/** How long the requests of a kind take and how much space their files need, as far as that was seen. */
import { learnLaw } from '../../gateway/duration-law.ts';
import { usualTimesMs } from '../../gateway/poll-schedule.ts';
import { operationOf, type OperationPath, type OutputKind } from '../../operations/operations.ts';
import type { ForecastSource } from './forecast-record.ts';
import type { ForecastTerms, GatewayFacts, WaitingKind } from './run-facts.ts';
import type { KindOfWork } from './simulate-night.ts';

/** Bytes of one request's files where nothing is known. */
const USUAL_BYTES: Readonly<Record<OutputKind, number>> = {
  music: 8_000_000,
  video: 25_000_000,
  image: 2_500_000,
  data: 20_000,
};
/** The speed of downloads, and the time that each takes besides. */
const BYTES_PER_MS = 4_000;
const DOWNLOAD_MS = 500;
/** Polls of a task at a gateway about which nothing is known. */
const USUAL_POLLS = 6;
/** The range is at least this wide on either side, and this much wider than the seen times leave open. */
const SPREAD_MIN = 0.05;
const SPREAD_FACTOR = 2;
const SPREAD_MAX = 0.6;

/** How long the requests of a kind take: most likely, and at either end of the range. */
export interface KindLaw {
  readonly isLearned: boolean;
  readonly times: readonly number[];
  readonly early: readonly number[];
  readonly late: readonly number[];
  readonly polls: number;
  readonly bytes: number;
}

/** How long a kind takes according to what was seen, or else according to what is usual. */
export function lawOf({ operation, model }: WaitingKind, facts: GatewayFacts): KindLaw {
  const ofOperation = facts.times.filter((one) => one.operation === operation && one.times.length > 0);
  // The times of another model say more than what is usual anywhere.
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

/** What the files of one request of an operation come to. */
export function bytesOf(operation: OperationPath, { sizes }: GatewayFacts): number {
  return sizes.find((one) => one.operation === operation)?.bytes ?? USUAL_BYTES[operationOf(operation).output];
}

/** Where the times of these kinds come from. */
export function sourceOf(laws: readonly KindLaw[]): ForecastSource {
  if (laws.every(({ isLearned }) => isLearned)) return laws.length === 0 ? 'defaults' : 'learned';
  return laws.some(({ isLearned }) => isLearned) ? 'both' : 'defaults';
}

/** A kind as the simulated night takes it, with the times that `pick` takes from its law. */
export function kindOfWork(
  { operation, isVerified }: WaitingKind,
  law: KindLaw | undefined,
  pick: (law: KindLaw) => readonly number[],
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

function meanOf(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
}

/** How much longer all requests take together with other times than the likely ones. */
export function shareOf(
  laws: readonly KindLaw[],
  counts: readonly number[],
  pick: (law: KindLaw) => readonly number[],
): number {
  const sum = (times: (law: KindLaw) => readonly number[]): number =>
    laws.reduce((all, law, i) => all + (counts[i] ?? 0) * meanOf(times(law)), 0);
  return (
    sum(pick) /
    Math.max(
      1,
      sum((law) => law.times),
    )
  );
}
