import { expect, test } from 'vitest';
import { isOfNight } from '../../../../src/shared/domain/task/night-record.ts';

const ZONE = 'Europe/Berlin';
/** Times on the wall of Berlin in November, an hour before UTC. */
const on = (day: number, hour: number, minute = 0): number => Date.UTC(2026, 10, day, hour - 1, minute);
const unasked = (): number => {
  throw new Error('The last sign of life does not decide.');
};

test('a night goes from noon to noon', () => {
  const ended = { id: 1, beganAt: on(20, 22), endedAt: on(21, 1) };
  expect(isOfNight(ended, unasked, on(21, 11, 59), ZONE)).toBe(true);
  expect(isOfNight(ended, unasked, on(21, 12), ZONE)).toBe(false);
  expect(isOfNight({ ...ended, beganAt: on(20, 12) }, unasked, on(21, 11, 59), ZONE)).toBe(true);
  expect(isOfNight({ ...ended, beganAt: on(20, 11, 59) }, unasked, on(21, 11, 59), ZONE)).toBe(false);
});

test('one that is at work at noon goes on; one that was slept through is over', () => {
  const open = { id: 1, beganAt: on(20, 22) };
  expect(isOfNight(open, () => on(21, 12, 30), on(21, 13), ZONE)).toBe(true);
  expect(isOfNight(open, () => on(21, 6), on(21, 22), ZONE)).toBe(false);
  expect(isOfNight(open, unasked, on(21, 7), ZONE)).toBe(true);
});

test('a clock that was set back begins no other night', () => {
  const ended = { id: 1, beganAt: on(20, 22), endedAt: on(21, 1) };
  expect(isOfNight(ended, unasked, on(18, 9), ZONE)).toBe(true);
  expect(isOfNight({ id: 1, beganAt: on(20, 22) }, () => on(20, 23), on(18, 9), ZONE)).toBe(true);
});

test('a clock that leapt ahead, and was set right, leaves the nights after it their own limits', () => {
  const inAYear = on(20, 22) + 365 * 86_400_000;
  const leapt = { id: 1, beganAt: inAYear, endedAt: inAYear + 3_600_000 };
  expect(isOfNight(leapt, unasked, on(21, 22), ZONE)).toBe(false);
  // It leapt while the night went on.
  expect(isOfNight({ ...leapt, beganAt: on(20, 22) }, unasked, on(21, 22), ZONE)).toBe(false);
  expect(isOfNight({ id: 1, beganAt: on(20, 22) }, () => inAYear, on(21, 22), ZONE)).toBe(false);
  expect(isOfNight({ ...leapt, beganAt: on(20, 22) }, unasked, on(21, 7), ZONE)).toBe(true);
});
