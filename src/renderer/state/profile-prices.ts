/** The prices of a profile as the settings show them: one text for each operation. */
import { MOST_A_REQUEST, moneyText, readMoney, type Money } from '../../shared/domain/base/money.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';
import { OPERATION_PATHS, type OperationPath } from '../../shared/domain/operations/operations.ts';
import { words } from '../../shared/words/words.ts';
import { readObject, profileOfText } from './profile-draft.ts';

export type PriceTexts = Readonly<Partial<Record<OperationPath, string>>>;

/** What the saved profile says; empty if an operation has no price. */
export function priceTexts(profileText: string): PriceTexts {
  const prices: Profile['prices'] = profileOfText(profileText)?.prices ?? {};
  return Object.fromEntries(
    OPERATION_PATHS.map((path) => {
      const price = prices[path];
      return [path, price === undefined ? '' : moneyText(price)];
    }),
  );
}

/**
 * Reads a price as typed; undefined for an empty text: the price is not known. It may be 0.
 * @param others The prices of the other operations, as typed: if all are in one currency, it need not be typed again.
 */
export function readPrice(text: string, others: readonly string[]): Result<Money | undefined, string> {
  const typed = text.trim();
  if (typed === '') return ok(undefined);
  const currencies = others.flatMap((other) => {
    const read = readMoney(other, []);
    return read.ok ? [read.value.currency] : [];
  });
  const isFree = /^(?:\p{Sc}\s*)?0+(?:[.,]0+)?(?![\d.,])/u.test(typed);
  // A price of 0 has no amount to read, but a currency like any other.
  const read = readMoney(isFree ? typed.replace(/[\d.,]+/u, '1') : typed, currencies);
  if (!read.ok) return read;
  if (read.value.amount > MOST_A_REQUEST) return err(words.costs.atMost(MOST_A_REQUEST));
  return ok(isFree ? { ...read.value, amount: 0 } : read.value);
}

/**
 * The profile's text with changed prices, where undefined means a price that is no longer known; undefined if it is not
 * a valid profile.
 */
export function withPrices(
  profileText: string,
  changed: ReadonlyMap<OperationPath, Money | undefined>,
): string | undefined {
  const [json, profile] = [readObject(profileText), profileOfText(profileText)];
  if (json === undefined || profile === undefined) return undefined;
  const prices = OPERATION_PATHS.flatMap((path) => {
    const price = changed.has(path) ? changed.get(path) : profile.prices[path];
    return price === undefined ? [] : [[path, price] as const];
  });
  return JSON.stringify({ ...json, prices: Object.fromEntries(prices) }, null, 2);
}
