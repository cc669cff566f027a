import fc from 'fast-check';
import { expect, test } from 'vitest';
import { monthBegan, wallAt } from '../../../../src/shared/domain/base/wall-clock.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Apia', 'Australia/Lord_Howe'];

test('a clock on the wall shows summer time where there is one', () => {
  const at = Date.UTC(2026, 6, 1, 22, 30, 5);
  expect(wallAt('Europe/Berlin', at)).toBe(Date.UTC(2026, 6, 2, 0, 30, 5));
  expect(wallAt('UTC', at)).toBe(at);
});

test('a month begins at its midnight on the wall', () => {
  expect(monthBegan(Date.UTC(2026, 6, 1, 22, 30), 'Europe/Berlin')).toBe(Date.UTC(2026, 5, 30, 22));
  expect(monthBegan(Date.UTC(2026, 10, 23), 'America/New_York')).toBe(Date.UTC(2026, 10, 1, 4));
});

test('a month begins at its first moment, in every zone', () => {
  const moment = fc.integer({ min: Date.UTC(1990, 0, 2), max: Date.UTC(2060, 0, 1) });
  fc.assert(
    fc.property(moment, fc.constantFrom(...ZONES), (at, zone) => {
      const dateAt = (instant: number) => new Date(wallAt(zone, instant)).toISOString();
      const began = monthBegan(at, zone);
      expect(dateAt(began).slice(0, 10)).toBe(`${dateAt(at).slice(0, 7)}-01`);
      expect(dateAt(began - 1).slice(0, 7)).not.toBe(dateAt(at).slice(0, 7));
      expect(began).toBeLessThanOrEqual(at);
    }),
    { numRuns: 200 },
  );
});
