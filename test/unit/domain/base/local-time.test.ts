import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localTimeOf, monthBegan } from '../../../../src/shared/domain/base/local-time.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'Australia/Lord_Howe'];

test('a clock on the wall shows summer time where there is one', () => {
  const at = Date.UTC(2026, 6, 1, 22, 30, 5);
  expect(localTimeOf(at, 'Europe/Berlin')).toEqual({ year: 2026, month: 7, day: 2, hour: 0, minute: 30, second: 5 });
  expect(localTimeOf(at, 'UTC')).toMatchObject({ day: 1, hour: 22 });
});

test('a month begins at its midnight on the wall', () => {
  expect(monthBegan(Date.UTC(2026, 6, 1, 22, 30), 'Europe/Berlin')).toBe(Date.UTC(2026, 5, 30, 22));
  expect(monthBegan(Date.UTC(2026, 10, 23), 'America/New_York')).toBe(Date.UTC(2026, 10, 1, 4));
});

test('a month begins at its first moment, in every zone', () => {
  const moment = fc.integer({ min: Date.UTC(1990, 0, 2), max: Date.UTC(2060, 0, 1) });
  fc.assert(
    fc.property(moment, fc.constantFrom(...ZONES), (at, zone) => {
      const began = monthBegan(at, zone);
      const { year, month } = localTimeOf(at, zone);
      expect(localTimeOf(began, zone)).toMatchObject({ year, month, day: 1 });
      expect(localTimeOf(began - 1, zone).month).not.toBe(month);
      expect(began).toBeLessThanOrEqual(at);
    }),
    { numRuns: 200 },
  );
});
