import { describe, expect, test } from 'vitest';
import type { OperationPath } from '../../../../src/shared/domain/operations/operations.ts';
import { operationOf } from '../../../../src/shared/domain/operations/operations.ts';
import { nextPollDelayMs } from '../../../../src/shared/domain/gateway/poll-schedule.ts';

const MUSIC = 'musicgen/music/generate';
const VIDEO = 'videogen-a/video/generate';

/** Seeded numbers in [0, 1). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

interface Cost {
  readonly polls: number;
  /** Mean time from finished to seen finished. */
  readonly latencyS: number;
}

/** Polls tasks one after the other by the schedule, learning from each; the costs are means over the last `counted`. */
function simulate(
  path: OperationPath,
  durationMs: (random: () => number) => number,
  tasks: number,
  counted: number,
): Cost {
  const random = seeded(11);
  const completions: number[] = [];
  let polls = 0;
  let latencyMs = 0;
  for (let task = 0; task < tasks; task += 1) {
    const doneMs = durationMs(random);
    let agoMs = 0;
    let asked = 0;
    while (agoMs < doneMs || asked === 0) {
      const learned = completions.slice(0, 64);
      agoMs += nextPollDelayMs({
        operation: operationOf(path),
        completions: learned,
        submittedAgoMs: agoMs,
        polls: asked,
        setbacks: 0,
        random: random(),
      });
      asked += 1;
    }
    completions.unshift(agoMs);
    if (task < tasks - counted) continue;
    polls += asked;
    latencyMs += agoMs - doneMs;
  }
  return { polls: polls / counted, latencyS: latencyMs / counted / 1000 };
}

const normal = (mean: number, deviation: number) => (random: () => number) =>
  mean + deviation * Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
const uniform = (low: number, high: number) => (random: () => number) => low + (high - low) * random();
const lognormal = (median: number, sigma: number) => (random: () => number) =>
  median * Math.exp(normal(0, sigma)(random));

describe('with a law that is known', () => {
  test('about 4 polls find a narrow law within 2.5 s', () => {
    const { polls, latencyS } = simulate(MUSIC, normal(100_000, 8000), 400, 300);
    expect(polls).toBeLessThan(4.5);
    expect(latencyS).toBeLessThan(2.5);
  });

  /** Polls × latency of a fixed 5 s is half the mean duration, the bound of any schedule (∫√(f·S))²/2. */
  test.each([
    ['music, 30 to 120 s', MUSIC, uniform(30_000, 120_000), 39.1, 20],
    ['video, 60 to 250 s', VIDEO, uniform(60_000, 250_000), 78.6, 42.2],
    ['video, lognormal', VIDEO, lognormal(120_000, 0.5), 69, 49.7],
    ['music, lognormal', MUSIC, lognormal(75_000, 0.2), 39.6, 13.9],
  ] as const)('%s: polls × latency beats a fixed 5 s and comes near the bound', (_name, path, law, fixed, bound) => {
    const { polls, latencyS } = simulate(path, law, 900, 800);
    expect(polls * latencyS).toBeLessThan(0.9 * fixed);
    expect(polls * latencyS).toBeLessThan(1.3 * (bound + latencyS / 2));
    expect(latencyS).toBeLessThan(3.2);
  });

  test('the same duration always: two polls', () => {
    const { polls, latencyS } = simulate(MUSIC, () => 90_000, 200, 100);
    expect(polls).toBeLessThan(2.5);
    expect(latencyS).toBeLessThan(2.5);
  });
});

describe('a gateway that needs long', () => {
  test.each([
    ['an hour', 3_600_000, 20],
    ['three hours', 10_800_000, 40],
  ] as const)('%s: is asked a hundred times or two, not every few seconds', (_name, ms, latestS) => {
    const { polls, latencyS } = simulate(VIDEO, uniform(0.5 * ms, 1.5 * ms), 60, 40);
    expect(polls).toBeLessThan(200);
    expect(latencyS).toBeLessThan(latestS);
  });

  test.each([
    ['a single long one', [180]],
    ['one long one among others', [12, 180, 15]],
  ] as const)('is not watched by the second for hours after %s', (_name, minutes) => {
    let task = 0;
    const { polls } = simulate(VIDEO, () => (minutes[task++] ?? 180) * 60_000, minutes.length + 1, 1);
    expect(polls).toBeLessThan(450);
  });
});

describe('a gateway that is done in seconds', () => {
  test('is recognised with its first task and found within half a second from the tenth on', () => {
    const { polls, latencyS } = simulate(MUSIC, uniform(600, 2400), 50, 40);
    expect(latencyS).toBeLessThan(0.5);
    expect(polls).toBeLessThan(5);
  });

  test('that became slow is followed', () => {
    let task = 0;
    const { polls, latencyS } = simulate(
      MUSIC,
      (random) => (task++ < 100 ? 1500 : 60_000 + 20_000 * random()),
      300,
      150,
    );
    expect(latencyS).toBeLessThan(3);
    expect(polls).toBeLessThan(8);
  });

  test('that became fast again is noticed', () => {
    let task = 0;
    const { latencyS } = simulate(MUSIC, () => (task++ < 100 ? 90_000 : 10_000), 400, 100);
    expect(latencyS).toBeLessThan(5);
  });
});

test('what has stalled is asked about every ten minutes, not each, whatever was learned', () => {
  const completions = Array.from({ length: 64 }, (_, i) => 60_000 + i * 1000);
  const delays = [250, 400, 1700, 3600, 7200, 80_000].map((seconds) =>
    nextPollDelayMs({
      operation: operationOf(VIDEO),
      completions,
      submittedAgoMs: seconds * 1000,
      polls: 0,
      setbacks: 0,
      random: 0.5,
    }),
  );
  expect(delays).toEqual([...delays].sort((a, b) => a - b));
  expect(delays[2]).toBeLessThanOrEqual(60_000);
  expect(delays.slice(3)).toEqual([240_000, 600_000, 600_000]);
});

describe('where nothing is learned yet', () => {
  const ask = (path: OperationPath, submittedAgoMs: number, setbacks = 0) =>
    nextPollDelayMs({ operation: operationOf(path), completions: [], submittedAgoMs, polls: 0, setbacks, random: 0 });

  test('a first look comes early, then by what is usual', () => {
    expect(ask(VIDEO, 0)).toBe(2500);
    expect(ask(VIDEO, 2500)).toBe(5000);
    expect(ask(VIDEO, 20_000)).toBe(40_000);
    expect(ask(VIDEO, 60_000)).toBe(5000);
  });

  test('it costs no more than a fixed 5 s', () => {
    const { polls, latencyS } = simulate(MUSIC, uniform(30_000, 120_000), 1, 1);
    expect(polls).toBeLessThanOrEqual(24);
    expect(latencyS).toBeLessThanOrEqual(5);
  });

  test('the interval grows slowly to a minute, and to ten when the task has stalled', () => {
    const delays = [250, 400, 800, 1700, 1801, 3600, 7200, 80_000].map((seconds) => ask(VIDEO, seconds * 1000));
    expect(delays).toEqual([...delays].sort((a, b) => a - b));
    expect(delays[3]).toBe(60_000);
    expect(delays[5]).toBe(240_000);
    expect(delays.at(-1)).toBe(600_000);
  });

  test('setbacks wait longer', () => {
    expect(ask(VIDEO, 60_000, 3)).toBe(20_000);
  });
});
