/** What the ledger says about money and paid requests. An amount always has a currency. */
import { addMoney, amountOf, amountsOf, microsOf, type Money } from '../base/money.ts';
import { present } from '../base/result.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { LedgerBatch, LedgerTakes } from './ledger-figures.ts';

/**
 * `reserved`: sent, and not answered yet. `spent`: the gateway accepted it. `unknown`: it may have been charged, and
 * nobody can tell.
 */
export const CHARGES = ['reserved', 'spent', 'unknown'] as const;
export type ChargeKind = (typeof CHARGES)[number];

/** Paid requests of a batch that are alike. */
export interface LedgerRequests {
  readonly batchId: string;
  /** The day on which they were sent, in the machine's zone: `2026-11-21`. */
  readonly day: string;
  readonly operation: OperationPath;
  /** The account that they went to, by its name in a batch with several. */
  readonly account?: string;
  readonly charge: ChargeKind;
  readonly requests: number;
  /** So many of them were for takes that an edit has replaced since, or whose row was removed; absent if none was. */
  readonly earlier?: number;
  /** What they cost together, according to the gateway or by the profile's price; absent where neither is known. */
  readonly cost?: Money;
  /** What they count for in spending limits: the most that each may have cost. */
  readonly counted?: Money;
}

/** Quantities of paid requests, or amounts of a currency. */
export type Spent = Readonly<Record<'planned' | ChargeKind, number>>;

/** The figures in one currency; all figures if there is only one. */
export interface MoneyOf extends Spent {
  readonly currency: string;
}

/** What one operation, one day or one account cost. */
export interface CostLine {
  /** An operation's path, a day, or the name of an account. */
  readonly of: string;
  readonly requests: Spent;
  readonly money: readonly MoneyOf[];
}

export interface LedgerMoney {
  /** Paid requests, priced or not. A rehearsal has none. */
  readonly requests: Spent;
  /** By currency, the one with the most requests first; empty if nothing has a price. */
  readonly money: readonly MoneyOf[];
  /** Planned takes and paid requests that have no price: they are in no amount. */
  readonly unpriced: Spent;
  /** What spending limits count for what was sent, where that differs: the most that each request may have cost. */
  readonly counted: readonly Money[];
  readonly byOperation: readonly CostLine[];
  readonly byDay: readonly CostLine[];
  /** For batches with several accounts; empty if there are none. */
  readonly byAccount: readonly CostLine[];
}

/** Takes of these statuses never ask for a request. */
const UNPLANNED: ReadonlySet<LedgerTakes['status']> = new Set<LedgerTakes['status']>(['invalid', 'skipped']);

type Amounts = Record<keyof Spent, number>;

/** Adds up what was planned, by the prices of the profiles, and what was sent. */
export function ledgerMoney(
  batches: readonly LedgerBatch[],
  takes: readonly LedgerTakes[],
  requests: readonly LedgerRequests[],
): LedgerMoney {
  const known = new Map(batches.filter(({ rehearsal }) => !rehearsal).map((batch) => [batch.id, batch]));
  const all = new Tally();
  const byOperation = new Map<string, Tally>();
  const byDay = new Map<string, Tally>();
  const byAccount = new Map<string, Tally>();
  for (const take of takes) {
    const { operation } = take;
    const batch = known.get(take.batchId);
    if (batch === undefined || operation === undefined || UNPLANNED.has(take.status)) continue;
    const price = batch.prices[operation];
    for (const tally of [all, tallyOf(byOperation, operation)]) tally.add('planned', take.takes, price, take.takes);
  }
  const inLimits = new Map<string, number>();
  for (const { batchId, day, operation, account, charge, requests: count, cost, counted = cost } of requests) {
    if (!known.has(batchId)) continue;
    if (counted !== undefined) addMoney(inLimits, counted);
    for (const tally of [all, tallyOf(byOperation, operation), tallyOf(byDay, day)]) tally.add(charge, count, cost);
    if (account !== undefined) tallyOf(byAccount, account).add(charge, count, cost);
  }
  return {
    requests: all.requests,
    money: all.money(),
    unpriced: all.unpriced,
    counted: amountsOf(new Map([...inLimits].filter(([currency, micros]) => micros !== all.sentIn(currency)))),
    byOperation: linesOf(byOperation),
    byDay: linesOf(byDay),
    byAccount: linesOf(byAccount),
  };
}

/** How many requests of a batch were or may have been charged, and what they cost. */
export function cameTo(
  requests: readonly LedgerRequests[],
  batchId: string,
): { readonly requests: number; readonly earlier?: number; readonly cost: readonly Money[] } {
  const sums = new Map<string, number>();
  const own = requests.filter((one) => one.batchId === batchId);
  for (const { cost } of own) if (cost !== undefined) addMoney(sums, cost);
  const earlier = own.reduce((sum, one) => sum + (one.earlier ?? 0), 0);
  return {
    requests: own.reduce((sum, one) => sum + one.requests, 0),
    ...(earlier > 0 ? { earlier } : {}),
    cost: amountsOf(sums),
  };
}

/** Amounts in the first currency; null where nothing has a price in it, never a zero that nobody knows to be true. */
export function mainMoney({
  money: [first],
  unpriced,
}: Pick<LedgerMoney, 'money' | 'unpriced'>): Record<keyof Spent, number | null> & { readonly currency: string | null } {
  if (first === undefined) return { planned: null, reserved: null, spent: null, unknown: null, currency: null };
  const known = (what: keyof Spent): number | null => (first[what] === 0 && unpriced[what] > 0 ? null : first[what]);
  const { currency } = first;
  return {
    planned: known('planned'),
    reserved: known('reserved'),
    spent: known('spent'),
    unknown: known('unknown'),
    currency,
  };
}

function tallyOf(tallies: Map<string, Tally>, of: string): Tally {
  const found = tallies.get(of) ?? new Tally();
  tallies.set(of, found);
  return found;
}

function linesOf(tallies: ReadonlyMap<string, Tally>): readonly CostLine[] {
  return [...tallies]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([of, tally]) => ({ of, requests: tally.requests, money: tally.money() }));
}

class Tally {
  readonly requests: Amounts = none();
  readonly unpriced: Amounts = none();
  readonly #money = new Map<string, { requests: number; readonly micros: Amounts }>();

  /** @param times How many times `cost` counts. */
  add(what: keyof Spent, count: number, cost: LedgerRequests['cost'], times = 1): void {
    this.requests[what] += count;
    if (cost === undefined) {
      this.unpriced[what] += count;
      return;
    }
    const known = this.#money.get(cost.currency) ?? { requests: 0, micros: none() };
    this.#money.set(cost.currency, known);
    known.requests += count;
    known.micros[what] += microsOf(cost.amount) * times;
  }

  /** What was or may have been charged in a currency, in millionths. */
  sentIn(currency: string): number {
    const { reserved, spent, unknown } = this.#money.get(currency)?.micros ?? none();
    return reserved + spent + unknown;
  }

  money(): readonly MoneyOf[] {
    return [...this.#money]
      .toSorted(([nameA, a], [nameB, b]) => b.requests - a.requests || (nameA < nameB ? -1 : 1))
      .map(([currency, { micros }]) => ({ ...inAmounts(micros), currency }));
  }
}

function none(): Amounts {
  return { planned: 0, reserved: 0, spent: 0, unknown: 0 };
}

function inAmounts({ planned, reserved, spent, unknown }: Amounts): Amounts {
  return {
    planned: amountOf(planned),
    reserved: amountOf(reserved),
    spent: amountOf(spent),
    unknown: amountOf(unknown),
  };
}

/** One paid request, for the accountant. */
export interface PaidRequest {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly batchId: string;
  readonly row: string;
  readonly take: number;
  readonly operation: OperationPath;
  readonly taskCode?: string;
  readonly outcome: string;
  /** According to the profile, when it was sent. */
  readonly price?: { readonly amount: number; readonly currency: string };
  /** According to the gateway itself. */
  readonly cost?: { readonly amount: number; readonly currency: string };
  /** The account that it went to, by its name in a batch with several. */
  readonly account?: string;
}

/** The columns of the accountant's file: a contract, so new ones are only added at the end. */
export const PAID_REQUEST_COLUMNS = [
  'time',
  'batch',
  'row',
  'take',
  'operation',
  'task code',
  'outcome',
  'price',
  'cost',
  'currency',
  'account',
] as const;

/** The cells of a paid request, in the order of {@link PAID_REQUEST_COLUMNS}; a rehearsal pays nothing. */
export function paidRequestCells(request: PaidRequest): readonly string[] {
  const { at, batchId, row, take, operation, taskCode = '', outcome, price, cost, account = '' } = request;
  const { currency = '' } = present({ currency: cost?.currency ?? price?.currency });
  const amount = (of: PaidRequest['cost']): string => (of === undefined ? '' : String(of.amount));
  return [
    new Date(at).toISOString(),
    batchId,
    row,
    String(take),
    operation,
    taskCode,
    outcome,
    amount(price),
    amount(cost),
    currency,
    account,
  ];
}
