import type { Money } from '../../base/money.ts';
import { nextMonth } from '../../base/wall-clock.ts';
import type { OperationPath } from '../../operations/operations.ts';
import { dayOfNight, isOfNight } from '../night-record.ts';
import {
  atTodaysPrices,
  NOTHING_SPENT,
  shortageOf,
  unpricedBy,
  withMore,
  type Cap,
  type Limit,
  type Shortage,
} from '../spending.ts';

/** The limit that ends a run before all its requests are made. */
export interface ForecastStop {
  readonly of: Cap['of'];
  readonly limit: Limit;
  readonly lacks: Shortage['lacks'];
  /** The operations that lack a price, if that is the reason. While one of them waits, the night sends nothing. */
  readonly operations: readonly OperationPath[];
}

/** The limits that a run begins with, and the prices and the calendar by which they apply. */
export interface PurseRules {
  readonly caps: readonly Cap[];
  /** What is reserved for a request; undefined if nobody knows its price. */
  readonly priceOf: (operation: OperationPath) => Money | undefined;
  /** The operations of everything that waits, including what is held. */
  readonly operations: readonly OperationPath[];
  /** The time zone whose calendar separates nights and months. */
  readonly zone: string;
}

/**
 * What the spending limits leave in a foretold night, as `Caps` does in one that runs: rows that do not fit stay,
 * cheaper ones behind them go as long as they fit, and each night and each month begins with nothing spent.
 */
export class Purse {
  readonly #rules: PurseRules;
  readonly #unheld: Cap | undefined;
  #caps: readonly Cap[];
  #nightBegan: number;
  #nightEnds: number;
  #monthEnds: number;
  #lastSentAt: number;
  #stop: ForecastStop | undefined;

  /** @param now When the night begins, in milliseconds since the epoch. */
  constructor(rules: PurseRules, now: number) {
    const { caps, priceOf, operations, zone } = rules;
    this.#rules = rules;
    this.#caps = caps.map((cap) => {
      const { limit, spent } = cap;
      return limit.cost === undefined ? cap : { ...cap, spent: atTodaysPrices(spent, limit.cost, priceOf) };
    });
    const [unheld] = operations.flatMap((operation) => unpricedBy(caps, priceOf(operation)) ?? []);
    this.#unheld = unheld;
    if (unheld !== undefined) {
      const without = operations.filter((operation) => unpricedBy([unheld], priceOf(operation)) !== undefined);
      this.#stop = { of: unheld.of, limit: unheld.limit, lacks: 'price', operations: without };
    }
    this.#nightBegan = now;
    this.#lastSentAt = now;
    this.#nightEnds = dayOfNight(now, zone).until;
    this.#monthEnds = nextMonth(now, zone);
  }

  /** The first limit that kept a request back. */
  get stop(): ForecastStop | undefined {
    return this.#stop;
  }

  /** Whether a request fits into the limits at `at`; time only goes on. */
  fits(operation: OperationPath, at: number): boolean {
    if (this.#unheld !== undefined) return false;
    this.#goOn(at);
    const shortage = shortageOf(this.#caps, this.#rules.priceOf(operation));
    if (shortage === undefined) return true;
    const { cap, lacks } = shortage;
    this.#stop ??= { of: cap.of, limit: cap.limit, lacks, operations: [] };
    return false;
  }

  /** Takes the request of {@link fits} out of what is left. */
  take(operation: OperationPath, at: number): void {
    const price = this.#rules.priceOf(operation);
    this.#caps = this.#caps.map((cap) => ({ ...cap, spent: withMore(cap.spent, operation, price) }));
    this.#lastSentAt = at;
  }

  #goOn(at: number): void {
    const { zone } = this.#rules;
    if (at >= this.#nightEnds && !isOfNight({ id: 0, beganAt: this.#nightBegan }, () => this.#lastSentAt, at, zone)) {
      this.#begin('night');
      this.#nightBegan = at;
      this.#nightEnds = dayOfNight(at, zone).until;
    }
    if (at < this.#monthEnds) return;
    this.#begin('month');
    this.#monthEnds = nextMonth(at, zone);
  }

  #begin(what: Cap['of']): void {
    this.#caps = this.#caps.map((cap) => (cap.of === what ? { ...cap, spent: NOTHING_SPENT } : cap));
  }
}
