import { expect, test } from 'vitest';
import { fairInterval, isAsLate, type Polled } from '../../../bench/support/fair-interval.ts';

/** How late a script is that waits for half of its interval and for its own loop. */
function nightOf(intervalMs: number): Polled {
  return { intervalMs, latencyMs: intervalMs / 2 + 150 };
}

test('a script is first asked to wait twice as long as we are late', () => {
  expect(fairInterval([], 400)).toBe(800);
});

test('after two nights it is as late as we are, whatever its loop adds', () => {
  const nights: Polled[] = [];
  for (let night = 0; night < 3; night += 1) nights.push(nightOf(fairInterval(nights, 400)));
  const last = nights.at(-1);
  expect(last?.intervalMs).toBeCloseTo(500, -1);
  expect(last !== undefined && isAsLate(last, 400)).toBe(true);
});

test('two nights that tell nothing, or an odd one, lead to no wild interval', () => {
  const same = [
    { intervalMs: 800, latencyMs: 600 },
    { intervalMs: 800, latencyMs: 500 },
  ];
  expect(fairInterval(same, 400)).toBe(640);
  expect(fairInterval([{ intervalMs: 800, latencyMs: 40 }], 400)).toBe(1600);
  expect(fairInterval([{ intervalMs: 120, latencyMs: 4000 }], 40)).toBe(100);
});

test('as late is within a tenth', () => {
  expect(isAsLate({ intervalMs: 1, latencyMs: 440 }, 400)).toBe(true);
  expect(isAsLate({ intervalMs: 1, latencyMs: 441 }, 400)).toBe(false);
  expect(isAsLate({ intervalMs: 1, latencyMs: 359 }, 400)).toBe(false);
});
