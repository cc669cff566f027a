import { describe, expect, test } from 'vitest';
import { queuedCost, requestWords } from '../../../src/renderer/format/costs.ts';
import type { RowDetail } from '../../../src/shared/ipc/rows.ts';

describe('the requests of a take', () => {
  test.each([
    [{ paid: 0, refused: 0 }, 'nothing sent'],
    [{ paid: 1, refused: 0 }, '1 paid request'],
    [{ paid: 1, refused: 1 }, '1 paid request, and 1 that was refused'],
    [{ paid: 1, refused: 5 }, '1 paid request, and 5 that were refused'],
    [{ paid: 2, refused: 0 }, '2 paid requests'],
    [{ paid: 0, refused: 2 }, '2 refused requests'],
  ])('%j are %s', (requests, words) => {
    expect(requestWords(requests, false)).toBe(words);
  });

  test('are not called paid in a rehearsal', () => {
    expect(requestWords({ paid: 1, refused: 5 }, true)).toBe('1 request, and 5 that were refused');
  });
});

describe('what a queued row has cost', () => {
  const row = (paid: readonly number[], paidEarlier = 0): RowDetail =>
    ({
      tasks: paid.map((count) => ({ requests: { paid: count, refused: 1 } })),
      earlierTakes: { shown: [], count: 0, paidRequests: paidEarlier },
    }) as unknown as RowDetail;

  test('is nothing after requests that were refused', () => {
    expect(queuedCost(row([0, 0]), false)).toBe('Nothing has been paid.');
  });

  test('is said where it was paid for before', () => {
    expect(queuedCost(row([0, 1]), false)).toBe('1 paid request so far.');
    expect(queuedCost(row([0], 2), false)).toBe('Nothing has been paid for this version.');
  });

  test('is not talked of in a rehearsal', () => {
    expect(queuedCost(row([1]), true)).toBeUndefined();
  });
});
