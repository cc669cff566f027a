/** Limits of spending are never passed, not for a moment: looked at with each charge, as the gateway counts. */
import type { Database } from '../../src/engine/store/open/database.ts';
import { microsOf, type Money } from '../../src/shared/domain/base/money.ts';
import type { Limit, SpendingLimits } from '../../src/shared/domain/task/spending.ts';
import type { Charge } from './gateway-bodies.ts';
import { Choice } from './limit.ts';
import { CURRENCY, microsOfCharge } from './sim-sheet.ts';
import type { BatchWord } from './watch.ts';

interface Sum {
  readonly requests: number;
  readonly micros: number;
}

type LimitsOfBatch = Pick<BatchWord, 'maxCost' | 'accountLimits'>;

export class SpendingWatch {
  readonly limits = new Choice<SpendingLimits>({});
  readonly #sums = new Map<string, Sum>();
  /** From when on limits bind each request, by its body: what has left is not held back by a lower one. */
  readonly #leftAt = new Map<string, ReadonlyMap<unknown, number>>();
  readonly #report: (rule: string, detail: string) => void;
  readonly #attemptOf;

  constructor(db: Database, report: (rule: string, detail: string) => void) {
    this.#report = report;
    this.#attemptOf = db.prepare<{ readonly batch: string; readonly night: number; readonly startedAt: number }>(
      `SELECT b.id AS batch, a.night, a.started_at AS startedAt FROM attempts a JOIN batches b ON b.seq = a.batch
       WHERE a.body = ? ORDER BY a.id DESC LIMIT 1`,
    );
  }

  /** A request that is to be paid for once more is handed to the network. */
  onHandOver({ maxCost, accountLimits }: LimitsOfBatch, body: string): void {
    const all = [this.limits, maxCost, ...accountLimits.values()];
    this.#leftAt.set(body, new Map(all.map((one) => [one, one.from])));
  }

  /** The gateway has charged a request; others check that it was intended. */
  onCharge(charge: Charge, words: readonly (LimitsOfBatch & Pick<BatchWord, 'id'>)[]): void {
    const attempt = this.#attemptOf.get(Buffer.from(charge.body));
    if (attempt === undefined) return;
    const began = new Date(attempt.startedAt);
    const leftAt = this.#leftAt.get(charge.body);
    const allowed = <T>(choice: Choice<T>): readonly T[] => choice.since(leftAt?.get(choice) ?? choice.from);
    const { maxCost, accountLimits } = words.find(({ id }) => id === attempt.batch) ?? {};
    const all = allowed(this.limits);
    this.#add(`batch ${attempt.batch}`, charge, maxCost === undefined ? [] : allowed(maxCost).map(asLimit));
    const ofAccount = accountLimits?.get(charge.account);
    if (ofAccount !== undefined) this.#add(`account ${charge.account} of ${attempt.batch}`, charge, allowed(ofAccount));
    this.#add(
      `night ${attempt.night}`,
      charge,
      all.map(({ night }) => night ?? {}),
    );
    this.#add(
      `month ${began.getFullYear()}-${began.getMonth() + 1}`,
      charge,
      all.map(({ month }) => month ?? {}),
    );
  }

  #add(what: string, charge: Charge, allowed: readonly Limit[]): void {
    const before = this.#sums.get(what) ?? { requests: 0, micros: 0 };
    const sum = { requests: before.requests + 1, micros: before.micros + microsOfCharge(charge) };
    this.#sums.set(what, sum);
    if (allowed.some((limit) => isWithin(sum, limit))) return;
    this.#report('spending', `${JSON.stringify(sum)} charged for ${what}, where ${JSON.stringify(allowed)} is allowed`);
  }
}

function asLimit(cost: Money | undefined): Limit {
  return cost === undefined ? {} : { cost };
}

function isWithin(sum: Sum, { requests = Number.POSITIVE_INFINITY, cost }: Limit): boolean {
  return (
    sum.requests <= requests &&
    (cost === undefined || (cost.currency === CURRENCY && sum.micros <= microsOf(cost.amount)))
  );
}
