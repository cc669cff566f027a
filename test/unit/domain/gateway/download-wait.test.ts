import { describe, expect, test } from 'vitest';
import { downloadWaitMs, retryDelayMs, MAX_DOWNLOAD_TRIES } from '../../../../src/shared/domain/gateway/retry.ts';
import { mayKeep } from '../../../../src/shared/domain/task/task.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MIB = 2 ** 20;

function waits(of: { readonly expiresInMs?: number; readonly random?: number } = {}): number[] {
  return Array.from({ length: MAX_DOWNLOAD_TRIES - 1 }, (_, i) => downloadWaitMs(i + 1, { random: 0, ...of }));
}

describe('the wait for the next try to fetch a file', () => {
  test('is seconds at first, then minutes, then an hour: five and a quarter hours in all', () => {
    expect(waits().slice(0, 8)).toEqual([5, 10, 20, 60, 180, 600, 1200, 2400].map((seconds) => seconds * 1000));
    expect(waits().slice(8)).toEqual([HOUR, HOUR, HOUR, HOUR]);
    const hours = (random: number): number => waits({ random }).reduce((sum, ms) => sum + ms, 0) / HOUR;
    expect(hours(0)).toBeCloseTo(5.24, 2);
    expect(hours(0.999)).toBeLessThan(5.6);
  });

  test('is as long as the server asks for where that is longer, within reason', () => {
    expect(downloadWaitMs(1, { retryAfterMs: MINUTE, random: 0 })).toBe(MINUTE);
    expect(downloadWaitMs(1, { retryAfterMs: 10 * HOUR, random: 0 })).toBe(15 * MINUTE);
    expect(downloadWaitMs(9, { retryAfterMs: MINUTE, random: 0 })).toBe(HOUR);
  });

  test('ends half a minute before the address is known to expire', () => {
    expect(downloadWaitMs(9, { expiresInMs: 50 * MINUTE, random: 0 })).toBe(49.5 * MINUTE);
    expect(downloadWaitMs(9, { expiresInMs: 2 * HOUR, random: 0 })).toBe(HOUR);
    expect(downloadWaitMs(9, { expiresInMs: -5, random: 0 })).toBe(HOUR);
  });

  test('is not cut short again and again by addresses that live for a minute', () => {
    expect(waits({ expiresInMs: MINUTE }).reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(4 * HOUR);
    expect(downloadWaitMs(4, { expiresInMs: MINUTE, retryAfterMs: 45_000, random: 0 })).toBe(MINUTE);
  });
});

test('evidence is kept in eight versions and 256 MiB, and the first whatever its size', () => {
  const version = { path: 'set-aside/a.txt', sha256: 'aa', bytes: 100 * MIB };
  expect(mayKeep([], 4096 * MIB)).toBe(true);
  expect(mayKeep([version], 156 * MIB)).toBe(true);
  expect(mayKeep([version], 157 * MIB)).toBe(false);
  const versions = (count: number) => Array.from({ length: count }, () => ({ ...version, bytes: 1 }));
  expect(mayKeep(versions(7), 1)).toBe(true);
  expect(mayKeep(versions(8), 1)).toBe(false);
});

test('a gateway that asks for no wait, or for one until a time that has passed, gets the usual one', () => {
  const waits = [undefined, 0, -86_400_000, 1, 999].map((asked) => retryDelayMs(asked, 2, 0));
  expect(waits).toEqual([10_000, 10_000, 10_000, 10_000, 10_000]);
  expect([1000, 7000, 10 ** 12].map((asked) => retryDelayMs(asked, 2, 0))).toEqual([1000, 7000, 900_000]);
});
