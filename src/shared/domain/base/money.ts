/** Money in decimal arithmetic: 0.1 and 0.2 are 0.3, and a limit of 0.3 holds exactly three requests of 0.1. */

import { domainWords } from '../../words/domain-words.ts';
import { err, ok, type Result } from './result.ts';

/** An amount as profiles and gateways write it. */
export interface Money {
  readonly amount: number;
  /** A code such as USD, or a word such as CREDITS: in capitals, so that one currency is never taken for two. */
  readonly currency: string;
}

/** A currency as it may be written: one word. It counts in capitals. */
export const CURRENCY_WORD = '[A-Za-z][A-Za-z0-9_-]{0,19}';

const MICRO_DIGITS = 6;

/**
 * No request costs more: a higher price is not accepted, and a gateway that states one is mistaken. Sums stay whole
 * numbers.
 */
export const MOST_A_REQUEST = 1_000_000;

/**
 * The millionths in an amount, taken from its shortest decimal text. They are integers, so their sums are exact.
 * Anything finer is rounded up: nothing counts for less than it costs.
 */
export function microsOf(amount: number): number {
  const [mantissa = '0', exponent = '0'] = amount.toExponential().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = BigInt(whole + fraction);
  const shift = Number(exponent) - fraction.length + MICRO_DIGITS;
  if (shift >= 0) return Number(digits * 10n ** BigInt(shift));
  const divisor = 10n ** BigInt(-shift);
  return Number((digits + divisor - 1n) / divisor);
}

/** The amount in this many millionths. */
export function amountOf(micros: number): number {
  return micros / 10 ** MICRO_DIGITS;
}

/** What the paid requests of one take cost together; those in another currency than the last one's do not count. */
export function sumOfCosts(costs: readonly Money[]): Money | undefined {
  const currency = costs.at(-1)?.currency;
  if (currency === undefined) return undefined;
  const alike = costs.filter((cost) => cost.currency === currency);
  return { amount: amountOf(alike.reduce((sum, { amount }) => sum + microsOf(amount), 0)), currency };
}

/** Sums in millionths, by currency. */
type Sums = ReadonlyMap<string, number>;

/** Adds an amount this many times. */
export function addMoney(sums: Map<string, number>, { amount, currency }: Money, times = 1): void {
  sums.set(currency, (sums.get(currency) ?? 0) + microsOf(amount) * times);
}

/** Sums as amounts, in the order in which their currencies came. */
export function amountsOf(sums: Sums): readonly Money[] {
  return Array.from(sums, ([currency, micros]) => ({ amount: amountOf(micros), currency }));
}

/** `6.40 USD`: see `amountText`. */
export function moneyText(money: Money): string {
  return `${amountText(money)} ${money.currency}`;
}

/** `6.40`; with more digits if a smaller amount needs them, so that no price reads as nothing. */
export function amountText({ amount }: Money): string {
  const cents = amount.toFixed(2);
  return microsOf(Number(cents)) === microsOf(amount) ? cents : String(amountOf(microsOf(amount)));
}

/** What an account has, rounded down to the cent; an amount below one cent is shown as it is. */
export function balanceText({ amount, currency }: Money): string {
  const cents = Math.floor(microsOf(amount) / 10_000) / 100;
  return moneyText({ amount: Math.abs(amount) < 0.01 ? amount : cents, currency });
}

/** `4.20 of 10.00 USD`: how much of a limit is used. */
export function spentOf(spent: Money, limit: Money): string {
  return domainWords.costs.spentOf(amountText(spent), moneyText(limit));
}

const MOST = 1_000_000_000;
const TYPED = new RegExp(`^(\\d{1,10}(?:[.,]\\d{1,6})?)\\s*(${CURRENCY_WORD})?$`);

/** One comma before three digits may or may not be the decimal point; several, or one before a point, are not. */
const EITHER_WAY = /^[1-9]\d{0,2},\d{3}(?![\d.,])/;
const IN_GROUPS = /^[1-9]\d{0,2}(?:,\d{3})+(?![\d,])/;

/** What a sign may mean, the likeliest first: which one, the prices say. */
const SIGNS: Readonly<Record<string, readonly string[]>> = {
  '€': ['EUR'],
  '£': ['GBP'],
  $: ['USD', 'AUD', 'CAD', 'HKD', 'NZD', 'SGD', 'TWD'],
  '¥': ['CNY', 'JPY'],
  元: ['CNY', 'HKD', 'TWD'],
};

/** An amount without the sign of a currency before or behind it, and what that sign may mean. */
function withoutSign(text: string): readonly [amount: string, meant?: readonly string[]] {
  const before = SIGNS[text.slice(0, 1).normalize('NFKC')];
  if (before !== undefined) return [text.slice(1).trim(), before];
  const behind = SIGNS[text.slice(-1).normalize('NFKC')];
  return behind === undefined ? [text] : [text.slice(0, -1).trim(), behind];
}

/** Of the currencies that are used, those that a sign may mean; if there is none, what it always means. */
function meantBy(signed: readonly string[], currencies: readonly string[]): readonly string[] {
  const used = currencies.filter((currency) => signed.includes(currency));
  return used.length > 0 || signed.length > 1 ? used : signed;
}

/**
 * Reads an amount as typed: `12.50 EUR`, or without a currency if only one is used. A sign, such as `¥`, is the one of
 * the currencies that it may mean.
 * @param currencies The currencies of the prices.
 * @returns What to type instead, as a sentence.
 */
export function readMoney(text: string, currencies: readonly string[]): Result<Money, string> {
  const [only = domainWords.costs.usualCurrency] = currencies;
  const [given, signed] = withoutSign(text.trim());
  const either = EITHER_WAY.exec(given)?.[0];
  if (either !== undefined)
    return err(domainWords.costs.eitherAmount(either, either.replace(',', ''), either.replace(',', '.')));
  const typed = TYPED.exec(given.replace(IN_GROUPS, (grouped) => grouped.replaceAll(',', '')));
  const amount = Number(typed?.[1]?.replace(',', '.'));
  const isTwice = signed !== undefined && typed?.[2] !== undefined;
  if (typed === null || isTwice || !(amount > 0 && amount <= MOST)) return err(domainWords.costs.enterAmount(only));
  const meant = signed === undefined ? currencies : meantBy(signed, currencies);
  const [ours, another] = new Set(meant);
  const currency = typed[2]?.toUpperCase() ?? (another === undefined ? ours : undefined);
  if (currency === undefined) return err(domainWords.costs.enterCurrency(typed[1] ?? '', signed?.[0] ?? only));
  return ok({ amount, currency });
}
