import type { Profile } from '../gateway/profile.ts';
import type { Row } from './row.ts';

/** An amount of money. */
export interface Cost {
  readonly amount: number;
  readonly currency: string;
}

/** What rows cost when each of their takes is rendered once. */
export interface SheetCosts {
  /** By currency, in the order in which the rows name them. */
  readonly costs: readonly Cost[];
  /** Takes of operations for which the profile names no price. */
  readonly takesWithoutPrice: number;
}

/** What these rows cost by the profile's prices, all takes counted. */
export function costsOf(rows: readonly Pick<Row, 'operation' | 'takes'>[], prices: Profile['prices'] = {}): SheetCosts {
  const sums = new Map<string, number>();
  let takesWithoutPrice = 0;
  for (const { operation, takes } of rows) {
    const price = operation === undefined ? undefined : prices[operation];
    if (price === undefined) takesWithoutPrice += takes;
    else sums.set(price.currency, (sums.get(price.currency) ?? 0) + price.amount * takes);
  }
  // Sums of decimal fractions end in …0001: no price has more than six digits after the point.
  const costs = [...sums].map(([currency, sum]) => ({ amount: Math.round(sum * 1e6) / 1e6, currency }));
  return { costs, takesWithoutPrice };
}

/** `6.40 USD and 3.00 EUR`; empty where there is no price. */
export function costText({ costs }: SheetCosts): string {
  return costs.map(({ amount, currency }) => `${amount.toFixed(2)} ${currency}`).join(' and ');
}
