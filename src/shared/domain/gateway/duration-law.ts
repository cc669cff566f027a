/**
 * How long a gateway takes, learned from the latest durations: a hazard (the chance that what is unfinished finishes
 * now) that is constant within each of a few stretches of time. With a known hazard the best interval between polls
 * goes as 1/√hazard (Lagrange): polls × latency is then the lowest of all schedules that ask about each task by itself.
 */

/** A stretch of time over which the hazard counts as constant. */
interface Stretch {
  readonly endMs: number;
  /** √hazard, in 1/√ms. */
  readonly rootHazard: number;
}

/** The durations learned so far, and how densely to ask. */
export interface LearnedLaw {
  readonly earliestMs: number;
  readonly latestMs: number;
  readonly meanMs: number;
  readonly stretches: readonly Stretch[];
  /** The mean time from finished to found to aim for. */
  readonly latencyMs: number;
  /** Interval × √hazard, the same for the whole distribution; in √ms. */
  readonly spacing: number;
  /** The expected ∫√hazard until a task has finished, in √ms: polls × latency grows with its square. */
  readonly area: number;
}

/** The mean time from finished to found that polls aim for: shorter than with a fixed interval of 5 s. */
export const LATENCY_MS = 2000;
/** For a gateway that needs only seconds: this part of its usual time, but at least {@link LATENCY_MIN_MS}. */
const LATENCY_PART = 0.1;
const LATENCY_MIN_MS = 100;
/** For one that needs long: this part of its mean time, up to half of the longest interval for what is late. */
const LATENCY_LONG_PART = 0.0025;
const LATENCY_MAX_MS = 30_000;
/** Samples are grouped into this many stretches: single gaps between samples are mostly chance. */
const STRETCHES = 12;
/** Each stretch counts as if this many more samples had shown the mean hazard: this makes chance count for less. */
const PRIOR_SAMPLES = 1;

/** Learns the law from durations as they were seen, in milliseconds, newest first; at least one. */
export function learnLaw(seenMs: readonly number[]): LearnedLaw {
  const medianMs = [...seenMs].sort((a, b) => a - b)[seenMs.length >> 1] ?? 0;
  const latencyMs = latencyFor(medianMs, seenMs.reduce((sum, ms) => sum + ms, 0) / seenMs.length);
  const samplesMs = spread(seenMs, latencyMs).sort((a, b) => a - b);
  const count = samplesMs.length;
  const earliestMs = beforeFirst(samplesMs, latencyMs);
  const meanMs = samplesMs.reduce((sum, ms) => sum + ms, 0) / count;
  const prior = (PRIOR_SAMPLES * count) / seenMs.length;
  const meanLeftMs = Math.max(1, meanMs - earliestMs);
  const stretches: Stretch[] = [];
  let area = 0;
  let fromIndex = 0;
  let fromMs = earliestMs;
  for (let i = 1; i <= STRETCHES; i += 1) {
    const toIndex = Math.round((i / STRETCHES) * (count - 1));
    const endMs = samplesMs[toIndex] ?? fromMs;
    if (endMs - fromMs < 1) continue;
    const unfinished = count - (fromIndex + toIndex) / 2;
    const ended = toIndex - fromIndex + prior;
    const rootHazard = Math.sqrt(ended / (unfinished * (endMs - fromMs) + prior * meanLeftMs));
    area += (rootHazard * (endMs - fromMs) * unfinished) / count;
    stretches.push({ endMs, rootHazard });
    fromIndex = toIndex;
    fromMs = endMs;
  }
  const spacing = (2 * latencyMs) / Math.max(area, 0.001);
  return { earliestMs, latestMs: fromMs, meanMs, stretches, latencyMs, spacing, area };
}

/**
 * A tenth of a few seconds, 2 s for minutes, and 9 s for an hour: nobody needs a long film to the second. For long ones
 * the mean decides, because most polls are spent on the longest.
 */
function latencyFor(medianMs: number, meanMs: number): number {
  const shortMs = Math.min(LATENCY_MS, Math.max(LATENCY_MIN_MS, medianMs * LATENCY_PART));
  return Math.max(shortMs, Math.min(LATENCY_MAX_MS, meanMs * LATENCY_LONG_PART));
}

/**
 * The mean time from finished to found to aim for with a task that has taken this long already: nobody needs one that
 * takes minutes to a tenth of a second, even where most take seconds.
 */
export function latencyAtAge({ latencyMs, meanMs }: LearnedLaw, ageMs: number): number {
  return Math.max(latencyMs, Math.min(LATENCY_MS, (ageMs - meanMs) * LATENCY_PART));
}

/**
 * The earliest end to reckon with. A task that ends before the first poll is seen only at that poll: where the samples
 * are so sparse that their spreading does not make up for it, an end before the first sample is likely.
 */
function beforeFirst(samplesMs: readonly number[], latencyMs: number): number {
  const [firstMs = 0] = samplesMs;
  const index = Math.ceil((samplesMs.length - 1) / STRETCHES);
  const gapMs = index === 0 ? 0 : ((samplesMs[index] ?? firstMs) - firstMs) / index;
  return Math.max(0, firstMs - Math.max(0, 3 * gapMs - SPREAD * latencyMs));
}

const GOLDEN_RATIO = 0.618_033_988_749_895;
/** With fewer samples than this, each stands for a neighbourhood. */
const ENOUGH_SAMPLES = 12;
const NEIGHBOURHOOD = [-1.3, -0.6, 0, 0.6, 1.3] as const;
/**
 * In units of the latency. Tested from 2 to 4 on uniform, normal, lognormal and fixed durations: with less, ends are
 * found later.
 */
const SPREAD = 3.5;

/**
 * The true durations lie somewhere before the observed ones, which follow the times of our own polls: each is moved
 * back by a part of the time between two polls, with the parts spread evenly. Few samples are spread further.
 */
function spread(seenMs: readonly number[], latencyMs: number): number[] {
  const width = seenMs.length < ENOUGH_SAMPLES ? 0.35 / Math.sqrt(seenMs.length) : 0;
  const factors = width === 0 ? [1] : NEIGHBOURHOOD.map((step) => Math.exp(step * width));
  return seenMs.flatMap((durationMs, i) => {
    const intervalMs = Math.min(SPREAD * latencyMs, durationMs / 2);
    const trueMs = Math.max(1, durationMs - ((i * GOLDEN_RATIO) % 1) * intervalMs);
    return factors.map((factor) => trueMs * factor);
  });
}

/** When ∫√hazard has grown by one interval since `agoMs`. */
export function timeOfNextPoll({ stretches, spacing, latencyMs }: LearnedLaw, agoMs: number): number {
  let left = spacing;
  let from = agoMs;
  for (const { endMs, rootHazard } of stretches) {
    if (endMs <= from) continue;
    const grown = rootHazard * (endMs - from);
    if (grown >= left) return from + left / rootHazard;
    left -= grown;
    from = endMs;
  }
  return from + latencyMs;
}

/**
 * The interval for a task that is this much later than any seen so far. The hazard continues from that of the last
 * stretch, and falls with time: what is late is likely to be much later.
 */
export function lateIntervalMs(law: LearnedLaw, lateMs: number): number {
  return law.spacing * Math.sqrt(lateScaleMs(law) + lateMs);
}

function lateScaleMs({ stretches, latencyMs }: LearnedLaw): number {
  const last = stretches.at(-1)?.rootHazard ?? 0;
  return Math.max(2 * latencyMs, last === 0 ? 0 : last ** -2);
}

/** The part of the tasks that may end sooner than any seen so far. */
const SOONER_PART = 0.0005;

/** ∫hazard between two ages: of what is unfinished at the first, 1 - e^-this has finished by the second. */
export function hazardBetween(law: LearnedLaw, fromMs: number, toMs: number): number {
  const { earliestMs, latestMs, stretches } = law;
  if (toMs <= fromMs) return 0;
  let sum = 0;
  let at = Math.max(0, fromMs);
  if (at < earliestMs) {
    const end = Math.min(toMs, earliestMs);
    sum += (SOONER_PART * (end - at)) / earliestMs;
    at = end;
  }
  for (const { endMs, rootHazard } of stretches) {
    if (at >= toMs) return sum;
    if (endMs <= at) continue;
    const end = Math.min(toMs, endMs);
    sum += rootHazard * rootHazard * (end - at);
    at = end;
  }
  if (toMs <= at) return sum;
  const scale = lateScaleMs(law);
  return sum + Math.log((scale + toMs - latestMs) / (scale + at - latestMs));
}
