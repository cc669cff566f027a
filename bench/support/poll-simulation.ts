import { mean } from './measure.ts';

const TASKS = 3000;
export const IN_FLIGHT = 100;
/** The first tasks, from which durations are learned, do not count; behind a queue, they are not a night's yet. */
const WARM_UP_TASKS = 50;
const WARM_UP_BEHIND_QUEUE = 200;
const KEPT = 64;

/** How long a gateway takes for a task. */
export interface Law {
  readonly name: string;
  readonly durationMs: (random: () => number) => number;
  /** The part of tasks that takes longer than this. */
  readonly survival: (ms: number) => number;
}

export const LAWS = {
  lognormal: {
    name: '60 s, lognormal 0.35',
    durationMs: (random) => 60_000 * Math.exp(0.35 * normal(random)),
    survival: (ms) => (ms <= 0 ? 1 : 1 - normalPart(Math.log(ms / 60_000) / 0.35)),
  },
  uniform: {
    name: '30 to 120 s, uniform',
    durationMs: (random) => 30_000 + 90_000 * random(),
    survival: (ms) => Math.min(1, Math.max(0, (120_000 - ms) / 90_000)),
  },
} as const satisfies Readonly<Record<string, Law>>;

/** When a poll is due, and what a schedule may know of it. */
export interface PollMoment {
  readonly submittedAgoMs: number;
  /** Negative while it waits in the gateway's queue: only a schedule that knows the queue may look. */
  readonly startedAgoMs: number;
  readonly polls: number;
  readonly completions: readonly number[];
  readonly random: number;
}

export interface PollOutcome {
  readonly polls: number;
  readonly latencyS: number;
}

interface InFlight {
  readonly submittedAt: number;
  readonly startsAt: number;
  readonly finishesAt: number;
  dueAt: number;
  polls: number;
}

/** Keeps {@link IN_FLIGHT} tasks at a gateway that renders `atOnce` of them, in the order of their submits. */
export function simulatePolls(
  { durationMs }: Law,
  atOnce: number,
  delayOf: (moment: PollMoment) => number,
): PollOutcome {
  const random = seeded(7);
  const freeAt = Array.from({ length: atOnce }, () => 0);
  const completions: number[] = [];
  const flight: InFlight[] = [];
  const polls: number[] = [];
  const latenciesS: number[] = [];

  const submit = (now: number): void => {
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const startsAt = Math.max(now, freeAt[slot] ?? now);
    const finishesAt = startsAt + durationMs(random);
    freeAt[slot] = finishesAt;
    const startedAgoMs = now - startsAt;
    const delay = delayOf({ submittedAgoMs: 0, startedAgoMs, polls: 0, completions, random: random() });
    flight.push({ submittedAt: now, startsAt, finishesAt, dueAt: now + delay, polls: 0 });
  };

  for (let i = 0; i < IN_FLIGHT; i += 1) submit(0);
  while (polls.length < TASKS) {
    const task = flight.reduce((first, other) => (other.dueAt < first.dueAt ? other : first));
    const now = task.dueAt;
    task.polls += 1;
    if (now < task.finishesAt) {
      const submittedAgoMs = now - task.submittedAt;
      const startedAgoMs = now - task.startsAt;
      task.dueAt += delayOf({ submittedAgoMs, startedAgoMs, polls: task.polls, completions, random: random() });
      continue;
    }
    flight.splice(flight.indexOf(task), 1);
    polls.push(task.polls);
    latenciesS.push((now - task.finishesAt) / 1000);
    completions.unshift(now - task.submittedAt);
    completions.length = Math.min(completions.length, KEPT);
    submit(now);
  }
  const from = atOnce < IN_FLIGHT ? WARM_UP_BEHIND_QUEUE : WARM_UP_TASKS;
  return { polls: mean(polls.slice(from)), latencyS: mean(latenciesS.slice(from)) };
}

/** The least polls with which a schedule that knows the law, and where in the queue a task is, sees it as early. */
export function leastPolls(law: Law, atOnce: number, latencyS: number): PollOutcome {
  const area = rootHazardArea(law);
  const withSpacing = (spacing: number): PollOutcome =>
    simulatePolls(law, atOnce, ({ startedAgoMs }) => {
      const from = Math.max(0, startedAgoMs);
      return area.timeOf(area.at(from) + spacing) - startedAgoMs;
    });
  let [low, high] = [0, area.whole];
  for (let step = 0; step < 16; step += 1) {
    const middle = (low + high) / 2;
    if (withSpacing(middle).latencyS > latencyS) high = middle;
    else low = middle;
  }
  return withSpacing(low);
}

const STEP_MS = 100;
/** Beyond it the chance to finish counts as constant. */
const LAST_PART = 1e-4;

/** ∫√hazard: with a known law, polls at even distances on it are the best (Lagrange: interval ~ 1/√hazard). */
function rootHazardArea({ survival }: Law) {
  const areas = [0];
  let root = 0;
  for (let ms = 0; survival(ms + STEP_MS) > LAST_PART; ms += STEP_MS) {
    root = Math.sqrt(Math.max(0, Math.log(survival(ms) / survival(ms + STEP_MS))) / STEP_MS);
    areas.push((areas.at(-1) ?? 0) + root * STEP_MS);
  }
  const whole = areas.at(-1) ?? 0;
  const endMs = (areas.length - 1) * STEP_MS;
  return {
    whole,
    at: (ms: number): number =>
      ms >= endMs ? whole + root * (ms - endMs) : (areas[Math.floor(ms / STEP_MS)] ?? 0) + partOf(areas, ms),
    timeOf: (area: number): number => {
      if (area >= whole) return endMs + (area - whole) / root;
      const index = firstAbove(areas, area);
      const [before, after] = [areas[index - 1] ?? 0, areas[index] ?? 0];
      return (index - 1 + (area - before) / (after - before)) * STEP_MS;
    },
  };
}

function partOf(areas: readonly number[], ms: number): number {
  const index = Math.floor(ms / STEP_MS);
  return ((areas[index + 1] ?? 0) - (areas[index] ?? 0)) * (ms / STEP_MS - index);
}

function firstAbove(areas: readonly number[], area: number): number {
  let [low, high] = [0, areas.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((areas[middle] ?? 0) > area) high = middle;
    else low = middle;
  }
  return high;
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The part of a normal distribution below `z`, to 10⁻⁷ (Abramowitz and Stegun 26.2.17). */
function normalPart(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * Math.abs(z));
  const polynomial =
    t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return z > 0 ? 1 - above : above;
}

/** Seeded numbers in [0, 1): the same run every time (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
