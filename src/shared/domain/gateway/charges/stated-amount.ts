/** What a gateway says about money in its answers: where a profile finds it, and how it is read. */
import { z } from 'zod';
import { domainWords } from '../../../words/domain-words.ts';
import type { Json, JsonObject } from '../../base/json.ts';
import { headerName } from './idempotency.ts';
import { CURRENCY_WORD, MOST_A_REQUEST, type Money } from '../../base/money.ts';

/** Where a value is in an answer: names and list positions joined by dots. */
const answerPath = z
  .string()
  .regex(/^[^.\s]{1,100}(?:\.[^.\s]{1,100}){0,9}$/u, { error: () => domainWords.problems.must.answerPath });

/** What prices and stated amounts are in: `credits` and `CREDITS` are one. */
export const currencySchema = z
  .string()
  .regex(new RegExp(`^${CURRENCY_WORD}$`), { error: () => domainWords.problems.must.currency })
  .transform((written) => written.toUpperCase());

/** Where an answer to a submit or a poll says what the call cost; the later answer counts. */
export const costSchema = z.discriminatedUnion('in', [
  z.strictObject({ in: z.literal('body'), path: answerPath, currency: currencySchema }),
  z.strictObject({ in: z.literal('header'), name: headerName, currency: currencySchema }),
]);
type CostPlace = z.output<typeof costSchema>;

/** A request with the key, below the base URL, whose answer holds the balance. */
export const balanceSchema = z.strictObject({
  path: z
    .string()
    .max(500)
    .regex(/^(?:\/(?!\.{1,2}(?:[/?]|$))[^/?#\s\\]+)+(?:\?[^#\s\\]*)?$/, {
      error: () => domainWords.problems.must.balancePath,
    }),
  field: answerPath,
  currency: currencySchema,
});
export type BalancePlace = z.output<typeof balanceSchema>;

/** A balance above this is a mistake of the gateway. */
const MOST_BALANCE = 1e12;

/**
 * An amount that a gateway states: a number, or a text that is one (`"0.10"`). Undefined for anything else, such as a
 * negative amount or one that no number can hold: its meaning is unknown, and it must not get into a sum.
 */
function statedAmount(value: Json | undefined, most: number): number | undefined {
  const isText = typeof value === 'string' && /^\s*\d{1,13}(?:\.\d{1,40})?\s*$/u.test(value);
  const amount = typeof value === 'number' ? value : isText ? Number(value) : undefined;
  return amount !== undefined && amount >= 0 && amount <= most ? amount : undefined;
}

/** The value at a path of names and list positions joined by dots; undefined if there is none. */
function valueIn(answer: Json | undefined, path: string): Json | undefined {
  let value = answer;
  for (const name of path.split('.')) {
    // Positions of a list are among its keys, its length is not.
    if (typeof value !== 'object' || value === null || !Object.keys(value).includes(name)) return undefined;
    value = (value as JsonObject)[name];
  }
  return value;
}

/** What an answer says that its call cost; undefined if it does not say. `answer` is its whole JSON. */
export function statedCost(
  place: CostPlace | undefined,
  headers: Readonly<Record<string, string>>,
  answer: Json | undefined,
): Money | undefined {
  if (place === undefined) return undefined;
  const value = place.in === 'body' ? valueIn(answer, place.path) : headers[place.name.toLowerCase()];
  const amount = statedAmount(value, MOST_A_REQUEST);
  return amount === undefined ? undefined : { amount, currency: place.currency };
}

/** The balance that an answer states; undefined if it states none. A balance may be below zero. */
export function statedBalance({ field, currency }: BalancePlace, answer: Json | undefined): Money | undefined {
  const value = valueIn(answer, field);
  if (typeof value === 'number' && value < 0) {
    const owed = statedAmount(-value, MOST_BALANCE);
    return owed === undefined ? undefined : { amount: -owed, currency };
  }
  if (typeof value === 'string' && /^\s*-/u.test(value)) {
    const owed = statedAmount(value.replace('-', ''), MOST_BALANCE);
    return owed === undefined ? undefined : { amount: -owed, currency };
  }
  const amount = statedAmount(value, MOST_BALANCE);
  return amount === undefined ? undefined : { amount, currency };
}

/** What was last heard about the balance of an account, and when, in milliseconds since the epoch. */
export interface SeenBalance {
  readonly at: number;
  /** Absent if it could not be read. */
  readonly balance?: Money;
  /** Why it could not. */
  readonly problem?: string;
}
