import { describe, expect, test } from 'vitest';
import { draw } from '../../../../src/shared/domain/cells/compose-cell.ts';

const drawn = (seed: string, column: string, ordinal: number, count: number): number =>
  draw({ seed, column, ordinal }, count);

describe('a draw', () => {
  test('is what it was in every version: sheets that were rendered would render other things', () => {
    expect([0, 1, 2, 3, 4, 5, 6, 7].map((ordinal) => drawn('intro', 'prompt', ordinal, 1000))).toEqual([
      610, 995, 175, 806, 888, 572, 258, 943,
    ]);
    expect(drawn('r0007', 'tags', 0, 2 ** 32)).toBe(903_503_783);
  });

  test('tells seeds, columns and ordinals apart, also where they run together', () => {
    const numbers = new Set([
      drawn('a', 'b', 1, 2 ** 32),
      drawn('ab', '', 1, 2 ** 32),
      drawn('a', 'b1', 0, 2 ** 32),
      drawn('a', 'b', 10, 2 ** 32),
      drawn('', 'ab', 1, 2 ** 32),
    ]);
    expect(numbers.size).toBe(5);
  });

  test.each([2, 3, 7, 10, 100])('is even among %i for ids that differ in their last character only', (count) => {
    const draws = 20_000;
    const found = Array.from({ length: count }, () => 0);
    for (let row = 0; row < draws; row++) found[drawn(`row-${row}`, 'prompt', 0, count)]! += 1;
    const expected = draws / count;
    const chiSquared = found.reduce((sum, one) => sum + (one - expected) ** 2 / expected, 0);
    // Chance gives more than this once in about ten thousand times.
    const degrees = count - 1;
    expect(chiSquared).toBeLessThan(degrees + 4 * Math.sqrt(2 * degrees) + 12);
  });

  test('of neighbours has nothing to do with each other', () => {
    let same = 0;
    for (let row = 0; row < 10_000; row++) {
      if (drawn(`row-${row}`, 'prompt', 0, 2) === drawn(`row-${row}`, 'prompt', 1, 2)) same += 1;
    }
    expect(Math.abs(same - 5000)).toBeLessThan(250);
  });
});
