import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { costRatio, judge, TOLERANCE } from '../../../bench/support/verdict.ts';

test('more milliseconds cost more, fewer updates a second do too, and nothing costs as much as nothing', () => {
  expect(costRatio('less', 12, 10)).toBe(1.2);
  expect(costRatio('more', 10, 12)).toBe(1.2);
  expect(costRatio('less', 0, 0)).toBe(1);
  expect(costRatio('less', 3, 0)).toBe(Number.POSITIVE_INFINITY);
});

describe('what a comparison of two commits says', () => {
  test('equal within the noise is no loss', () => {
    expect(judge([0.99, 1.01, 1, 1.02, 0.98, 1.03, 0.97, 1])).toMatchObject({ ratio: 1, verdict: 'no loss' });
  });

  test('a gain is no loss', () => {
    expect(judge([0.5, 0.6, 0.55, 0.52, 0.58]).verdict).toBe('no loss');
  });

  test('a clear loss is one, and a wild pair on either side does not hide it', () => {
    const ratios = [1.2, 1.25, 1.3, 1.22, 1.28, 1.24, 1.26];
    expect(judge([...ratios, 1.23]).verdict).toBe('loss');
    expect(judge([...ratios, 0.3])).toMatchObject({ low: 1.2, verdict: 'loss' });
    expect(judge([...ratios, 9])).toMatchObject({ high: 1.3, verdict: 'loss' });
  });

  test('a wild pair does not make a loss of none', () => {
    expect(judge([1, 1.01, 0.99, 1, 1.02, 0.98, 1, 7]).verdict).toBe('no loss');
  });

  test('noise on both sides of 1 tells nothing, nor does what is mostly worse', () => {
    expect(judge([0.7, 1.4, 0.8, 1.3, 0.9, 1.2, 1, 1.1]).verdict).toBe('not told apart');
    expect(judge([1.3, 1.2, 0.9, 1.4, 0.95, 1.3, 1.2, 1.1]).verdict).toBe('not told apart');
  });

  test('too few pairs tell nothing, however clear they look', () => {
    expect(judge([2, 2, 2, 2]).verdict).toBe('not told apart');
    expect(judge([2, 2, 2, 2, 2]).verdict).toBe('loss');
    expect(judge([]).verdict).toBe('not told apart');
  });

  test('without noise one pair is enough', () => {
    expect(judge([1.2], true).verdict).toBe('loss');
    expect(judge([1], true).verdict).toBe('no loss');
  });

  test('the interval holds the median and most of the pairs, and a loss is never called below 1', () => {
    const ratios = fc.array(fc.double({ min: 0.1, max: 10, noNaN: true }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(ratios, (given) => {
        const { ratio, low, high, verdict } = judge(given);
        expect(low).toBeLessThanOrEqual(ratio);
        expect(high).toBeGreaterThanOrEqual(ratio);
        if (verdict === 'loss') expect(low).toBeGreaterThan(1);
        if (verdict === 'no loss') expect(high).toBeLessThanOrEqual(TOLERANCE);
      }),
    );
  });

  test('of 8 pairs one is left out at each end, of 20 five: nine times in ten the median is between', () => {
    const upTo = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
    expect(judge(upTo(5))).toMatchObject({ low: 1, high: 5 });
    expect(judge(upTo(7))).toMatchObject({ low: 1, high: 7 });
    expect(judge(upTo(8))).toMatchObject({ low: 2, high: 7 });
    expect(judge(upTo(20))).toMatchObject({ low: 6, high: 15 });
  });
});
