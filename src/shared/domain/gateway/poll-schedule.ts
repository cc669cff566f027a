/**
 * When to ask about a task again. With a known distribution of durations the best interval between polls goes as
 * 1/√hazard: polls × latency is then the lowest that any schedule can reach. The distribution comes from observed
 * completions; without any, from what gateways of this kind usually need.
 */
import { operationOf, type Operation, type OperationPath } from '../operations/operations.ts';
import { LATENCY_MS, lateIntervalMs, learnLaw, timeOfNextPoll, type LearnedLaw } from './duration-law.ts';
import { backoffMs } from './retry.ts';

export interface PollScheduleInput {
  readonly operation: Operation;
  /** Milliseconds from submit to seen finished, newest first, for this operation and model. Replaced, never changed. */
  readonly completions: readonly number[];
  readonly submittedAgoMs: number;
  /** Polls of this task so far. */
  readonly polls: number;
  /** Failures in succession that only cost time. */
  readonly setbacks: number;
  /** In [0, 1). */
  readonly random: number;
}

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

const USUAL_STEPS = 12;

/** Early polls of an unknown gateway, which may need only seconds. After them the usual durations decide, every 5 s. */
const FIRST_LOOKS_MS = [2500, 7500, 17_500] as const;
const UNLEARNED_INTERVAL_MS = 5000;

/** The longest time that a rendering was seen to take, or usually takes if none was seen; in milliseconds. */
export function longestUsualMs(path: OperationPath, completions: readonly number[]): number {
  const [, latestMs] = USUAL_MS[operationOf(path).output];
  return completions.length === 0 ? latestMs : Math.max(...completions);
}

/** Within this time nine of ten renderings end, or the usual ones if none was seen; in milliseconds. */
export function mostlyWithinMs(path: OperationPath, completions: readonly number[]): number {
  const [, latestMs] = USUAL_MS[operationOf(path).output];
  const sorted = completions.toSorted((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.9) - 1] ?? latestMs;
}

/** How long renderings usually take where none was seen, evenly spread, in milliseconds and in order. */
export function usualTimesMs(path: OperationPath): readonly number[] {
  const [earliestMs, latestMs] = USUAL_MS[operationOf(path).output];
  return Array.from({ length: USUAL_STEPS + 1 }, (_, i) => earliestMs + ((latestMs - earliestMs) * i) / USUAL_STEPS);
}

function unlearnedDelayMs({ operation, random }: PollScheduleInput, agoMs: number): number {
  const [earliestMs, latestMs] = USUAL_MS[operation.output];
  const look = FIRST_LOOKS_MS.find((lookMs) => lookMs > agoMs * 1.1 && lookMs < earliestMs);
  if (look !== undefined) return look - agoMs;
  if (agoMs < earliestMs) return earliestMs - agoMs + random * 1000;
  return agoMs < latestMs ? UNLEARNED_INTERVAL_MS : overrunMs(agoMs, latestMs, LATENCY_MS);
}

function learnedDelayMs({ completions, random }: PollScheduleInput, agoMs: number): number {
  const law = lawOf(completions);
  const { earliestMs, latestMs, latencyMs } = law;
  // A task found at its first poll had finished before: it moves the distribution earlier, by up to an interval.
  const isExploring = random < EXPLORED_PART && agoMs < earliestMs / 4;
  if (isExploring) return Math.max(earliestMs / 2 - agoMs, latencyMs);
  if (agoMs - latestMs > STALLED_MS) return overrunMs(agoMs, latestMs, latencyMs);
  if (agoMs >= latestMs) return Math.min(lateIntervalMs(law, agoMs - latestMs), OVERRUN_MAX_MS);
  // ±10 %: tasks submitted together do not come back together, and the learned durations have no gaps.
  const from = Math.max(agoMs, earliestMs);
  return from - agoMs + Math.max(timeOfNextPoll(law, from) - from, latencyMs / 2) * (0.9 + random * 0.2);
}

/** What was learned from each list: the same one is given with every poll until another replaces it. */
const LAWS = new WeakMap<readonly number[], LearnedLaw>();

function lawOf(completions: readonly number[]): LearnedLaw {
  const law = LAWS.get(completions) ?? learnLaw(completions);
  LAWS.set(completions, law);
  return law;
}

/** The intervals get longer and longer: a task that is late is likely to be much later. */
function overrunMs(agoMs: number, latestMs: number, latencyMs: number): number {
  if (agoMs > STALLED_MS) return Math.min(OVERRUN_MAX_MS * (agoMs / STALLED_MS) ** 2, STALLED_MAX_MS);
  return Math.min(2 * latencyMs + OVERRUN_GROWTH * Math.max(0, agoMs - latestMs), OVERRUN_MAX_MS);
}
