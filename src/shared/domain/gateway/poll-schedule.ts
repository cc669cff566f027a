/**
 * When to ask about a task again. With a known distribution of durations the best interval between polls goes as
 * 1/√hazard: polls × latency is then the least that any schedule reaches. The distribution comes from observed
 * completions; without any, from what gateways of this kind usually need.
 */
import type { Operation } from '../operations/operations.ts';
import { backoffMs } from './retry.ts';

export interface PollScheduleInput {
  readonly operation: Operation;
  /** Milliseconds from submit to seen finished, newest first, for this operation and model. */
  readonly completions: readonly number[];
  readonly submittedAgoMs: number;
  /** Polls of this task so far. */
  readonly polls: number;
  /** Failures in succession that only cost time. */
  readonly setbacks: number;
  /** In [0, 1). */
  readonly random: number;
}

/** The mean time from finished to found that a poll aims at: shorter than with a fixed interval of 5 s. */
const LATENCY_MS = 2000;
/** For a gateway that needs only seconds: this part of its usual time, but at least {@link LATENCY_MIN_MS}. */
const LATENCY_PART = 0.1;
const LATENCY_MIN_MS = 100;
/** After the longest known time, the interval grows by this part of the time since then. */
const OVERRUN_GROWTH = 0.1;
const OVERRUN_MAX_MS = 60_000;
const STALLED_MS = 30 * 60_000;
const STALLED_MAX_MS = 10 * 60_000;
const DELAY_MIN_MS = 50;
/** One task in this many is asked about much earlier than the others, to notice a gateway that became faster. */
const EXPLORED_PART = 0.03;

/** The delay until the next poll, in milliseconds. */
export function nextPollDelayMs(input: PollScheduleInput): number {
  const { completions, submittedAgoMs, setbacks, random } = input;
  const agoMs = Math.max(0, submittedAgoMs);
  const wantedMs = completions.length === 0 ? unlearnedDelayMs(input, agoMs) : learnedDelayMs(input, agoMs);
  const delayMs = Math.max(DELAY_MIN_MS, wantedMs, setbacks > 0 ? backoffMs(setbacks, random) : 0);
  return Math.round(delayMs);
}

/** Usual durations in milliseconds, by output: from the first to finish to the last. */
const USUAL_MS: Readonly<Record<Operation['output'], readonly [number, number]>> = {
  music: [30_000, 120_000],
  video: [60_000, 250_000],
  image: [20_000, 60_000],
  data: [5000, 60_000],
};

/** Early polls of an unknown gateway, which may need only seconds. After them the usual durations decide, every 5 s. */
const FIRST_LOOKS_MS = [2500, 7500, 17_500] as const;
const UNLEARNED_INTERVAL_MS = 5000;

function unlearnedDelayMs({ operation, random }: PollScheduleInput, agoMs: number): number {
  const [earliestMs, latestMs] = USUAL_MS[operation.output];
  const look = FIRST_LOOKS_MS.find((lookMs) => lookMs > agoMs * 1.1 && lookMs < earliestMs);
  if (look !== undefined) return look - agoMs;
  if (agoMs < earliestMs) return earliestMs - agoMs + random * 1000;
  return agoMs < latestMs ? UNLEARNED_INTERVAL_MS : overrunMs(agoMs, latestMs, LATENCY_MS);
}

/** A stretch of time over which the hazard, the chance that an unfinished task finishes now, counts as constant. */
interface Stretch {
  readonly endMs: number;
  /** √hazard, in 1/√ms. */
  readonly rootHazard: number;
}

/** The durations learned so far, and how densely to ask. */
interface Law {
  readonly earliestMs: number;
  readonly latestMs: number;
  readonly stretches: readonly Stretch[];
  /** Mean time from finished to found to aim at. */
  readonly latencyMs: number;
  /** Interval × √hazard, the same for the whole distribution; in √ms. */
  readonly spacing: number;
}

function learnedDelayMs({ completions, random }: PollScheduleInput, agoMs: number): number {
  const law = learnLaw(completions);
  const { earliestMs, latestMs, latencyMs } = law;
  // A task found at its first poll had finished before: it moves the distribution earlier, by up to an interval.
  const isExploring = random < EXPLORED_PART && agoMs < earliestMs / 4;
  if (isExploring) return Math.max(earliestMs / 2 - agoMs, latencyMs);
  if (agoMs >= latestMs) return overrunMs(agoMs, latestMs, latencyMs);
  // ±10 %: tasks submitted together do not come back together, and the learned durations have no gaps.
  const from = Math.max(agoMs, earliestMs);
  return from - agoMs + Math.max(timeOfNextPoll(law, from) - from, latencyMs / 2) * (0.9 + random * 0.2);
}

/** When ∫√hazard has grown by one interval. */
function timeOfNextPoll({ stretches, spacing, latencyMs }: Law, agoMs: number): number {
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

/** At ever longer intervals: a task that is late is likely to be much later. */
function overrunMs(agoMs: number, latestMs: number, latencyMs: number): number {
  if (agoMs > STALLED_MS) return Math.min(OVERRUN_MAX_MS * (agoMs / STALLED_MS) ** 2, STALLED_MAX_MS);
  return Math.min(2 * latencyMs + OVERRUN_GROWTH * Math.max(0, agoMs - latestMs), OVERRUN_MAX_MS);
}

const GOLDEN_RATIO = 0.618_033_988_749_895;
/** Each of fewer samples than this stands for a neighbourhood. */
const ENOUGH_SAMPLES = 12;
const NEIGHBOURHOOD = [-1.3, -0.6, 0, 0.6, 1.3] as const;

/** Samples are grouped into this many stretches: single gaps between samples are mostly chance. */
const STRETCHES = 12;

function learnLaw(completions: readonly number[]): Law {
  const medianMs = [...completions].sort((a, b) => a - b)[completions.length >> 1] ?? 0;
  const latencyMs = Math.min(LATENCY_MS, Math.max(LATENCY_MIN_MS, medianMs * LATENCY_PART));
  const samplesMs = spread(completions, latencyMs).sort((a, b) => a - b);
  const firstMs = samplesMs[0] ?? 0;
  const stretches: Stretch[] = [];
  let area = 0;
  let fromIndex = 0;
  let fromMs = firstMs;
  for (let i = 1; i <= STRETCHES; i += 1) {
    const toIndex = Math.round((i / STRETCHES) * (samplesMs.length - 1));
    const endMs = samplesMs[toIndex] ?? fromMs;
    if (endMs - fromMs < 1) continue;
    const unfinished = samplesMs.length - (fromIndex + toIndex) / 2;
    const rootHazard = Math.sqrt((toIndex - fromIndex) / (unfinished * (endMs - fromMs)));
    area += (rootHazard * (endMs - fromMs) * unfinished) / samplesMs.length;
    stretches.push({ endMs, rootHazard });
    fromIndex = toIndex;
    fromMs = endMs;
  }
  return {
    earliestMs: firstMs,
    latestMs: fromMs,
    stretches,
    latencyMs,
    spacing: (2 * latencyMs) / Math.max(area, 0.001),
  };
}

/** In units of the latency. Tested from 2 to 4 on uniform, normal, lognormal and fixed durations: less is later. */
const SPREAD = 3.5;

/**
 * The true completions lie somewhere before the observed ones, which follow the times of our own polls: each is moved
 * back by a part of the time between two polls, evenly over all parts. Few samples are spread further.
 */
function spread(completions: readonly number[], latencyMs: number): number[] {
  const width = completions.length < ENOUGH_SAMPLES ? 0.35 / Math.sqrt(completions.length) : 0;
  const factors = width === 0 ? [1] : NEIGHBOURHOOD.map((step) => Math.exp(step * width));
  return completions.flatMap((seenMs, i) => {
    const intervalMs = Math.min(SPREAD * latencyMs, seenMs / 2);
    const trueMs = Math.max(1, seenMs - ((i * GOLDEN_RATIO) % 1) * intervalMs);
    return factors.map((factor) => trueMs * factor);
  });
}
