import { operationOf } from '../src/shared/domain/operations/operations.ts';
import { nextPollDelayMs } from '../src/shared/domain/gateway/poll-schedule.ts';
import { mean } from './support/measure.ts';
import type { Report } from './support/report.ts';

const TASKS = 3000;
const IN_FLIGHT = 100;
const AT_ONCE = 10;
/** The first tasks, from which durations are learned, do not count: a night has thousands. */
const WARM_UP_TASKS = 200;
const FIXED_MS = 5000;
const KEPT = 64;
const OPERATION = operationOf('musicgen/music/generate');

interface Outcome {
  readonly polls: number;
  readonly latencyS: number;
}

interface Law {
  readonly name: string;
  readonly durationMs: (random: () => number) => number;
}

const LAWS: readonly Law[] = [
  { name: '60 s, lognormal 0.35', durationMs: (random) => 60_000 * Math.exp(0.35 * normal(random)) },
  { name: '30 to 120 s, uniform', durationMs: (random) => 30_000 + 90_000 * random() },
];

/** How often a task is polled, and how late its end is seen, in simulated time. */
export function poll(): Promise<Report> {
  const lines = LAWS.flatMap(({ name, durationMs }) =>
    [AT_ONCE, IN_FLIGHT].flatMap((atOnce) => {
      const ours = simulate(durationMs, atOnce, oursDelay);
      const fixed = simulate(durationMs, atOnce, () => FIXED_MS);
      const where = atOnce === AT_ONCE ? `first in, first out on ${AT_ONCE}; ${name}` : `all at once; ${name}`;
      // The goals apply to the queue; without one they are only a guide.
      const isStated = atOnce === AT_ONCE;
      return [
        {
          what: `polls: ${where}`,
          unit: 'per task',
          ours: ours.polls,
          ...(isStated ? { goal: { bound: 'at most', value: 4 } as const } : {}),
        },
        {
          what: `mean latency: ${where}`,
          unit: 's',
          ours: ours.latencyS,
          ...(isStated ? { goal: { bound: 'at most', value: 2.5 } as const } : {}),
        },
        { what: 'polls against a fixed 5 s', unit: 'per task', ours: ours.polls, rival: fixed.polls },
        { what: 'latency against a fixed 5 s', unit: 's', ours: ours.latencyS, rival: fixed.latencyS },
      ];
    }),
  );
  return Promise.resolve({
    title: `poll: ${IN_FLIGHT} in flight, simulated time`,
    lines,
    notes: [
      `${TASKS} tasks by a seeded law, the first ${WARM_UP_TASKS} not counted; the rival's interval is ${FIXED_MS / 1000} s.`,
    ],
  });
}

interface PollMoment {
  readonly submittedAgoMs: number;
  readonly polls: number;
  readonly completions: readonly number[];
  readonly random: number;
}

function oursDelay(moment: PollMoment): number {
  return nextPollDelayMs({ operation: OPERATION, setbacks: 0, ...moment });
}

interface InFlight {
  readonly submittedAt: number;
  readonly finishesAt: number;
  dueAt: number;
  polls: number;
}

/** Keeps {@link IN_FLIGHT} tasks at a gateway that renders `atOnce` of them, in the order of their submits. */
function simulate(durationMs: Law['durationMs'], atOnce: number, delayOf: (moment: PollMoment) => number): Outcome {
  const random = seeded(7);
  const freeAt = Array.from({ length: atOnce }, () => 0);
  const completions: number[] = [];
  const flight: InFlight[] = [];
  const polls: number[] = [];
  const latenciesS: number[] = [];

  const submit = (now: number): void => {
    const slot = freeAt.indexOf(Math.min(...freeAt));
    const finishesAt = Math.max(now, freeAt[slot] ?? now) + durationMs(random);
    freeAt[slot] = finishesAt;
    const delay = delayOf({ submittedAgoMs: 0, polls: 0, completions, random: random() });
    flight.push({ submittedAt: now, finishesAt, dueAt: now + delay, polls: 0 });
  };

  for (let i = 0; i < IN_FLIGHT; i += 1) submit(0);
  while (polls.length < TASKS) {
    const task = flight.reduce((first, other) => (other.dueAt < first.dueAt ? other : first));
    const now = task.dueAt;
    task.polls += 1;
    if (now < task.finishesAt) {
      const submittedAgoMs = now - task.submittedAt;
      task.dueAt += delayOf({ submittedAgoMs, polls: task.polls, completions, random: random() });
      continue;
    }
    flight.splice(flight.indexOf(task), 1);
    polls.push(task.polls);
    latenciesS.push((now - task.finishesAt) / 1000);
    completions.unshift(now - task.submittedAt);
    completions.length = Math.min(completions.length, KEPT);
    submit(now);
  }
  return { polls: mean(polls.slice(WARM_UP_TASKS)), latencyS: mean(latenciesS.slice(WARM_UP_TASKS)) };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
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
