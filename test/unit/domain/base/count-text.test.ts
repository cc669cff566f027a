import fc from 'fast-check';
import { expect, test } from 'vitest';
import { countText } from '../../../../src/shared/domain/base/text.ts';

test('a count has a comma before every three digits, as the language’s own rules have it', () => {
  expect(countText(100_000)).toBe('100,000');
  fc.assert(
    fc.property(fc.maxSafeInteger(), (count) => {
      expect(countText(count)).toBe(count.toLocaleString('en'));
    }),
  );
});
