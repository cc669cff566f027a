/**
 * Which of the tasks that may be running to ask about next, and when.
 *
 * What counts is the expected undetected wait: how long, on average, a task has been finished without our knowing. A
 * task is asked about by itself when its own wait reaches what a poll is worth. If the gateway says which tasks are
 * queued, the first of these tells more: while it is queued, no task before it has made room for it, so one poll clears
 * all of them; once it runs, one before it has finished, and the likeliest are asked about until that one is found.
 */
import { hazardBetween, latencyAtAge, type LearnedLaw } from './duration-law.ts';

/** A task that may be running. Times are milliseconds since the epoch. */
export interface Candidate {
  readonly id: number;
  /** When the gateway began with it, as far as is known. */
  readonly startedAt: number;
  /** When it was last known not to have finished, by its own answer or by the head of the queue. */
  readonly clearAt: number;
  /** When it was last asked about itself. */
  readonly askedAt: number;
}

/** A task to ask about, and when. */
export interface FrontLook {
  readonly id: number;
  readonly at: number;
}

/** Into how many steps the latency is divided in the search for the next look. */
const STEPS = 8;
/** No further ahead than this, in steps: a look is planned again with every answer. */
const MOST_STEPS = 240;
/** The mean wait grows by half of the time between two looks, and a little by the search. */
const HEAD_INTERVAL = 2.3;
/** A task that was asked about a moment ago, and is this unlikely to have finished since, is not asked about again. */
const UNLIKELY = 0.001;

/** When one of these tasks is worth a poll of its own; undefined if there is none. */
export function ownLook(law: LearnedLaw, candidates: readonly Candidate[], now: number): FrontLook | undefined {
  return firstWorth(law, candidates, now, law.spacing ** 2 / 2);
}

/** The head of the queue, or the task before it that is worth a poll first. */
export function groupLook(
  law: LearnedLaw,
  candidates: readonly Candidate[],
  headId: number | undefined,
  now: number,
): FrontLook | undefined {
  const intervalMs = HEAD_INTERVAL * law.latencyMs;
  const rate = candidates.length / law.meanMs;
  const worth = (rate * intervalMs ** 2) / 2;
  // A head that runs is followed by a search, so a poll of the likeliest pays after a shorter wait.
  const own = worth / (1 + (1 - Math.exp(-rate * intervalMs)) * searchLength(law, candidates, now + intervalMs));
  return firstWorth(law, candidates, now, own, headId === undefined ? undefined : { id: headId, worth });
}

/** The task that is likeliest to have finished among those not asked about since `since`; undefined if all were. */
export function searchLook(
  law: LearnedLaw,
  candidates: readonly Candidate[],
  since: number,
  now: number,
): FrontLook | undefined {
  let best: FrontLook | undefined;
  let most = -1;
  for (const one of candidates) {
    if (one.askedAt >= since) continue;
    const chance = chanceFinished(law, one, now);
    if (chance <= most || (chance < UNLIKELY && now - one.askedAt < law.latencyMs)) continue;
    most = chance;
    best = { id: one.id, at: now };
  }
  return best;
}

/**
 * How many of these tasks are expected to have finished since `since`: if none was found, a large number speaks against
 * the model.
 */
export function expectedEnds(law: LearnedLaw, candidates: readonly Candidate[], since: number, now: number): number {
  return candidates.reduce((sum, { startedAt }) => sum + hazardBetween(law, since - startedAt, now - startedAt), 0);
}

/**
 * Goes on from now in small steps until an expected wait reaches its worth: that of one task or, for the head, that of
 * all.
 */
function firstWorth(
  law: LearnedLaw,
  candidates: readonly Candidate[],
  now: number,
  own: number,
  head?: { readonly id: number; readonly worth: number },
): FrontLook | undefined {
  if (candidates.length === 0) return undefined;
  const step = law.latencyMs / STEPS;
  // Worth and wait go with the square of the latency to aim for, which is longer for a task that takes long.
  const weights = candidates.map(({ startedAt }) => (law.latencyMs / latencyAtAge(law, now - startedAt)) ** 2);
  const waits = candidates.map((one, j) => (weights[j] ?? 1) * waitSoFar(law, one, now));
  let at = now;
  for (let i = 0; i < MOST_STEPS; i += 1) {
    const longest = Math.max(...waits);
    const one = longest >= own ? candidates[waits.indexOf(longest)] : undefined;
    if (one !== undefined) return { id: one.id, at };
    if (head !== undefined && waits.reduce((sum, wait) => sum + wait, 0) >= head.worth) return { id: head.id, at };
    for (const [j, candidate] of candidates.entries())
      waits[j] = (waits[j] ?? 0) + (weights[j] ?? 1) * step * chanceFinished(law, candidate, at + step / 2);
    at += step;
  }
  const [first] = candidates;
  return { id: head?.id ?? first?.id ?? 0, at };
}

/** The chance that a candidate has finished unseen. */
function chanceFinished(law: LearnedLaw, { startedAt, clearAt }: Candidate, at: number): number {
  return 1 - Math.exp(-hazardBetween(law, clearAt - startedAt, at - startedAt));
}

/** The expected undetected wait until now, in milliseconds. */
function waitSoFar(law: LearnedLaw, one: Candidate, now: number): number {
  const from = Math.max(one.clearAt, one.startedAt);
  if (now <= from) return 0;
  const step = (now - from) / STEPS;
  let wait = 0;
  for (let i = 0; i < STEPS; i += 1) wait += step * chanceFinished(law, one, from + (i + 0.5) * step);
  return wait;
}

/** How many are asked about, on average, until the one that has finished is found. */
function searchLength(law: LearnedLaw, candidates: readonly Candidate[], at: number): number {
  const chances = candidates.map((one) => chanceFinished(law, one, at)).sort((a, b) => b - a);
  const all = chances.reduce((sum, chance) => sum + chance, 0);
  return all === 0 ? 1 : chances.reduce((sum, chance, i) => sum + chance * (i + 1), 0) / all;
}
