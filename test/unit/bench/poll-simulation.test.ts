import { describe, expect, test } from 'vitest';
import { IN_FLIGHT, LAWS, leastPolls, simulatePolls } from '../../../bench/support/poll-simulation.ts';

const AT_ONCE = 10;

describe('the simulated gateway that schedules of polls are measured at', () => {
  test('a fixed interval is late by half of itself, and asks once in each', () => {
    const { polls, latencyS } = simulatePolls(LAWS.uniform, IN_FLIGHT, () => 4000);
    expect(latencyS).toBeCloseTo(2, 1);
    expect(polls).toBeCloseTo(75 / 4 + 0.5, 0);
  });

  test('behind a queue, a task waits for those before it', () => {
    const free = simulatePolls(LAWS.uniform, IN_FLIGHT, () => 4000);
    const queued = simulatePolls(LAWS.uniform, AT_ONCE, () => 4000);
    expect(queued.polls / free.polls).toBeGreaterThan(8);
  });

  test.each([LAWS.uniform, LAWS.lognormal])('the bound is as late as asked, with fewer polls: $name', (law) => {
    const fixed = simulatePolls(law, IN_FLIGHT, () => 4000);
    const bound = leastPolls(law, IN_FLIGHT, fixed.latencyS);
    expect(bound.latencyS).toBeLessThanOrEqual(fixed.latencyS);
    expect(bound.latencyS).toBeGreaterThan(fixed.latencyS * 0.95);
    expect(bound.polls).toBeLessThan(fixed.polls * 0.7);
    // It knows when the gateway begins with a task, so a queue costs it nothing.
    const queued = leastPolls(law, AT_ONCE, fixed.latencyS);
    expect(queued.polls / bound.polls).toBeCloseTo(1, 0);
  });
});
