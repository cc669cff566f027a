import { describe, expect, test } from 'vitest';
import { RequestBudget } from '../../../../src/engine/night/lanes.ts';

/** How many requests the budget lets through between two monotonic times, asked every 10 ms. */
function sentBetween(budget: RequestBudget, from: number, to: number): number {
  let sent = 0;
  for (let now = from; now < to; now += 10) while (budget.tryTake(now)) sent += 1;
  return sent;
}

describe('the budget of requests', () => {
  test('never lets more through than the rate and one second’s burst', () => {
    const budget = new RequestBudget(5, 0);
    expect(sentBetween(budget, 0, 10_000)).toBeLessThanOrEqual(55);
    expect(sentBetween(budget, 10_000, 20_000)).toBe(50);
  });

  test('a rate below one a second still lets one through at a time', () => {
    const budget = new RequestBudget(0.5, 0);
    expect(sentBetween(budget, 0, 10_000)).toBe(5);
  });

  test('says how long to wait, and one may be sent then', () => {
    const budget = new RequestBudget(2, 0);
    while (budget.tryTake(0));
    const waitMs = budget.waitMs(0);
    expect(waitMs).toBeGreaterThan(0);
    expect(budget.tryTake(waitMs - 50)).toBe(false);
    expect(budget.tryTake(waitMs)).toBe(true);
  });

  test('remembers a refusal until it is asked about, also when a right has become free since', () => {
    const budget = new RequestBudget(100, 0);
    while (budget.tryTake(0));
    expect(budget.waitMs(500)).toBe(0);
    expect(budget.takeRetryMs(500)).toBe(1);
    expect(budget.takeRetryMs(500)).toBeUndefined();
    expect(budget.tryTake(500)).toBe(true);
    expect(budget.takeRetryMs(500)).toBeUndefined();
  });

  test('remembers that it gave a caller no more than it was to have', () => {
    const budget = new RequestBudget(100, 0);
    expect(budget.tryTake(0, 1)).toBe(true);
    expect(budget.takeRetryMs(0)).toBeUndefined();
    expect(budget.tryTake(0, 0)).toBe(false);
    expect(budget.available(0)).toBe(99);
    expect(budget.takeRetryMs(0)).toBe(1);
  });

  test('honours the wait that the gateway asked for, up to 15 minutes', () => {
    const budget = new RequestBudget(2, 0);
    budget.slowDown(0, 90_000, 0);
    expect(sentBetween(budget, 0, 90_000)).toBe(0);
    expect(budget.tryTake(90_000)).toBe(true);
    budget.slowDown(100_000, 10 * 365 * 86_400_000, 0);
    expect(budget.waitMs(100_000)).toBeLessThanOrEqual(15 * 60_000);
  });

  test('goes more slowly after a complaint and is itself again after a calm while', () => {
    const budget = new RequestBudget(8, 0);
    budget.slowDown(0, 1000, 0);
    const slow = sentBetween(budget, 2000, 12_000);
    expect(slow).toBeLessThanOrEqual(45);
    for (let now = 12_000; now < 200_000; now += 1000) budget.calm(now);
    while (budget.tryTake(200_000));
    expect(sentBetween(budget, 200_000, 210_000)).toBeGreaterThanOrEqual(75);
  });

  test('a right that was given back can be taken again', () => {
    const budget = new RequestBudget(1, 0);
    expect(budget.tryTake(0)).toBe(true);
    expect(budget.tryTake(0)).toBe(false);
    budget.giveBack();
    expect(budget.tryTake(0)).toBe(true);
  });
});
