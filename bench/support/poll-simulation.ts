import { mean } from './measure.ts';
import { SimulatedGateway, type Answer, type GatewayKind, type Law } from './simulated-gateway.ts';

const TASKS = 3000;
export const IN_FLIGHT = 100;
/**
 * The first tasks, from which durations are learnt, do not count; behind a queue, they are not yet typical of a night.
 */
const WARM_UP_TASKS = 50;
const WARM_UP_BEHIND_QUEUE = 200;
const KEPT = 64;

/** A law that the bound knows. */
export interface KnownLaw extends Law {
  /** The share of tasks that take longer than this. */
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
} as const satisfies Readonly<Record<string, KnownLaw>>;

/** Which task to ask about next, and when. */
export interface Look {
  readonly id: number;
  readonly at: number;
}

/** Decides which task to ask about and when, and is told the result. */
export interface Poller {
  accepted(id: number, now: number): void;
  answered(id: number, now: number, answer: Answer): void;
  /** The gateway has begun a task: only the bound knows that. */
  started?(id: number, now: number): void;
  next(now: number): Look;
}

export interface PollOutcome {
  readonly polls: number;
  readonly latencyS: number;
}

export interface SimulationOptions {
  readonly inFlight?: number;
  readonly tasks?: number;
  readonly warmUp?: number;
  readonly seed?: number;
  /** The request budget. */
  readonly perSecond?: number;
}

/** Keeps the given number of tasks at a gateway, and counts polls and lateness of the tasks after the warm-up. */
export function simulate(kind: GatewayKind, poller: Poller, options: SimulationOptions = {}): PollOutcome {
  const { inFlight = IN_FLIGHT, tasks = TASKS, warmUp = WARM_UP_TASKS, seed = 7, perSecond } = options;
  const gateway = new SimulatedGateway(kind, seeded(seed), (id, at) => poller.started?.(id, at));
  const pollsOf = new Map<number, number>();
  const polls: number[] = [];
  const latenciesS: number[] = [];
  let submitted = 0;
  let now = 0;
  let mayAskAt = 0;
  const submit = (): void => {
    const id = submitted++;
    pollsOf.set(id, 0);
    poller.accepted(id, now);
    gateway.submit(id, now);
  };
  for (let i = 0; i < inFlight; i += 1) submit();
  while (polls.length < tasks) {
    const { id, at } = poller.next(now);
    const due = Math.max(now, mayAskAt, at);
    const endsAt = gateway.nextAt();
    now = Math.min(due, Math.max(now, endsAt));
    gateway.advance(now);
    // A task that has begun meanwhile may be asked about sooner.
    if (endsAt <= due) continue;
    if (perSecond !== undefined) mayAskAt = now + 1000 / perSecond;
    const asked = (pollsOf.get(id) ?? 0) + 1;
    pollsOf.set(id, asked);
    const answer = gateway.ask(id);
    poller.answered(id, now, answer);
    if (answer !== 'ended') continue;
    polls.push(asked);
    latenciesS.push((now - (gateway.endedAt(id) ?? now)) / 1000);
    gateway.forget(id);
    pollsOf.delete(id);
    submit();
  }
  return { polls: mean(polls.slice(warmUp)), latencyS: mean(latenciesS.slice(warmUp)) };
}

/** When a poll is due, and what a schedule may know about it. */
export interface PollMoment {
  readonly submittedAgoMs: number;
  readonly polls: number;
  readonly completions: readonly number[];
  readonly random: number;
}

/** Each task by itself: the time until it is asked about again. */
export class EachByItself implements Poller {
  readonly #delayOf: (moment: PollMoment, id: number) => number;
  readonly #random = seeded(11);
  readonly #flight = new Map<number, { readonly submittedAt: number; polls: number }>();
  readonly #due = new DueTimes();
  #completions: readonly number[] = [];

  constructor(delayOf: (moment: PollMoment, id: number) => number) {
    this.#delayOf = delayOf;
  }

  accepted(id: number, now: number): void {
    this.#flight.set(id, { submittedAt: now, polls: 0 });
    this.#schedule(id, now, 0, now);
  }

  answered(id: number, now: number, answer: Answer): void {
    const task = this.#flight.get(id);
    if (task === undefined) return;
    task.polls += 1;
    this.#due.remove(id);
    if (answer !== 'ended') {
      this.#schedule(id, task.submittedAt, task.polls, now);
      return;
    }
    this.#flight.delete(id);
    this.#completions = [now - task.submittedAt, ...this.#completions].slice(0, KEPT);
  }

  next(): Look {
    return this.#due.first;
  }

  #schedule(id: number, submittedAt: number, polls: number, now: number): void {
    const moment = { submittedAgoMs: now - submittedAt, polls, completions: this.#completions, random: this.#random() };
    this.#due.add({ id, at: now + this.#delayOf(moment, id) });
  }
}

/** Due times in order: moving a hundred of them is faster than searching. */
class DueTimes {
  readonly #looks: Look[] = [];

  add(look: Look): void {
    let [low, high] = [0, this.#looks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#looks[middle]?.at ?? 0) > look.at) low = middle + 1;
      else high = middle;
    }
    this.#looks.splice(low, 0, look);
  }

  remove(id: number): void {
    const index = this.#looks.findLastIndex((look) => look.id === id);
    if (index >= 0) this.#looks.splice(index, 1);
  }

  get first(): Look {
    return this.#looks.at(-1) ?? { id: -1, at: Number.POSITIVE_INFINITY };
  }
}

/** {@link simulate} for a gateway that takes tasks in the order of their submits and says nothing. */
export function simulatePolls(law: Law, atOnce: number, delayOf: (moment: PollMoment) => number): PollOutcome {
  return simulate(inOrder(law, atOnce), new EachByItself(delayOf), { warmUp: warmUpOf(atOnce) });
}

/** First in, first out on this many places. */
export function inOrder({ durationMs }: Law, atOnce: number): GatewayKind {
  return { durationMs, atOnce: () => atOnce, order: 'first', words: 'nothing' };
}

export function warmUpOf(atOnce: number): number {
  return atOnce < IN_FLIGHT ? WARM_UP_BEHIND_QUEUE : WARM_UP_TASKS;
}

/** Knows the law, and when the gateway begins a task. */
class Omniscient implements Poller {
  readonly #nextAge: (ageMs: number) => number;
  readonly #startedAt = new Map<number, number>();
  readonly #due = new DueTimes();

  constructor(nextAge: (ageMs: number) => number) {
    this.#nextAge = nextAge;
  }

  accepted(): void {
    // Until the gateway begins the task there is nothing to ask.
  }

  started(id: number, now: number): void {
    this.#startedAt.set(id, now);
    this.#due.add({ id, at: now + this.#nextAge(0) });
  }

  answered(id: number, now: number, answer: Answer): void {
    const startedAt = this.#startedAt.get(id);
    this.#due.remove(id);
    if (answer === 'ended' || startedAt === undefined) this.#startedAt.delete(id);
    else this.#due.add({ id, at: startedAt + this.#nextAge(now - startedAt) });
  }

  next(): Look {
    return this.#due.first;
  }
}

/**
 * The fewest polls with which a schedule notices ends as early if it knows the law and when the gateway begins a task.
 */
export function leastPolls(law: KnownLaw, atOnce: number, latencyS: number): PollOutcome {
  const area = rootHazardArea(law);
  const withSpacing = (spacing: number): PollOutcome =>
    simulate(inOrder(law, atOnce), new Omniscient((ageMs) => area.timeOf(area.at(ageMs) + spacing)), {
      warmUp: warmUpOf(atOnce),
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
/** Beyond this, the chance to finish counts as constant. */
const LAST_PART = 1e-4;

/** ∫√hazard: with a known law, polls at even distances on it are the best (Lagrange: interval ~ 1/√hazard). */
function rootHazardArea({ survival }: KnownLaw) {
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

export function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** The share of a normal distribution below `z`, to 10⁻⁷ (Abramowitz and Stegun 26.2.17). */
function normalPart(z: number): number {
  const t = 1 / (1 + 0.231_641_9 * Math.abs(z));
  const polynomial =
    t * (0.319_381_53 + t * (-0.356_563_782 + t * (1.781_477_937 + t * (-1.821_255_978 + t * 1.330_274_429))));
  const above = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * polynomial;
  return z > 0 ? 1 - above : above;
}

/** Seeded numbers in [0, 1): the same run every time (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
