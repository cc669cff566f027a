import fc from 'fast-check';
import { expect, test } from 'vitest';
import { amountOf, balanceText, microsOf, moneyText, sumOfCosts } from '../../../../src/shared/domain/base/money.ts';

test('an amount has as many millionths as its text says, rounded up', () => {
  expect([0, 0.1, 0.07, 1.005, 1_000_000, 1e-6, 1e-7, 0.1234567, 19.99].map(microsOf)).toEqual([
    0, 100_000, 70_000, 1_005_000, 1e12, 1, 1, 123_457, 19_990_000,
  ]);
});

test('ten requests of 0.1 cost 1', () => {
  expect(amountOf(10 * microsOf(0.1))).toBe(1);
  expect(amountOf(microsOf(0.1) + microsOf(0.2))).toBe(0.3);
});

test('an amount of whole millionths is what it was, and none counts for less than it is', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 50), fc.double({ min: 0, max: 1_000_000, noNaN: true }), (micros, amount) => {
      expect(microsOf(amountOf(micros))).toBe(micros);
      expect(amountOf(microsOf(amount))).toBeGreaterThanOrEqual(amount);
    }),
  );
});

test('what an account has is said to the cent, and never as more than there is', () => {
  const texts = [0.900001, 0.909, 12, 0.004, 0, -0.5].map((amount) => balanceText({ amount, currency: 'EUR' }));
  expect(texts).toEqual(['0.90 EUR', '0.90 EUR', '12.00 EUR', '0.004 EUR', '0.00 EUR', '-0.50 EUR']);
  // A price is said whole.
  expect(moneyText({ amount: 0.045, currency: 'EUR' })).toBe('0.045 EUR');
});

test('costs add up exactly, and only those of one currency', () => {
  const credits = (amount: number) => ({ amount, currency: 'credits' });
  expect(sumOfCosts([])).toBeUndefined();
  expect(sumOfCosts([credits(0.1), credits(0.2)])).toEqual(credits(0.3));
  expect(sumOfCosts([{ amount: 5, currency: 'USD' }, credits(1)])).toEqual(credits(1));
});
