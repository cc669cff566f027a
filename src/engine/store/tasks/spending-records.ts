import { groupBy } from '../../../shared/domain/base/result.ts';
import type { Money } from '../../../shared/domain/base/money.ts';
import {
  NOTHING_SPENT,
  STATED_FOR_MS,
  withMore,
  withUnpriced,
  type SpentSum,
  type SpendingLimits,
} from '../../../shared/domain/task/spending.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Database } from '../open/database.ts';
import type { BatchRecords } from './batch-records.ts';
import { CHARGES_OF_REQUESTS, SLOT_MS, type StatedNow } from './kept-charges.ts';

interface SumColumns {
  /** '' if it is unknown: the operation then says what has no price. */
  readonly currency: string;
  readonly operation: OperationPath | null;
  readonly n: number;
  readonly micros: number;
}

interface AccountSumColumns extends SumColumns {
  readonly account: string;
}

interface StatedColumns {
  readonly operation: OperationPath;
  readonly currency: string;
  readonly amount: number;
}

/** After this long, what a gateway has stated is read again: its oldest statements no longer count. */
const STATED_KEPT_MS = 60 * 60_000;

/**
 * Which paid requests are summed up: those of a batch, or of one of its accounts; of a night and its day, or of a
 * month, without rehearsals.
 */
export type SpendingScope =
  | { readonly kind: 'batch'; readonly seq: number }
  | { readonly kind: 'account'; readonly seq: number; readonly account: string }
  | { readonly kind: 'night'; readonly night: number | undefined; readonly from: number; readonly until: number }
  | { readonly kind: 'month'; readonly from: number; readonly until: number };

interface Known {
  readonly scope: SpendingScope;
  readonly spent: SpentSum;
}

/** A paid request whose intent was committed. */
export interface Intended {
  readonly batch: number;
  readonly account: string | undefined;
  readonly night: number;
  readonly startedAt: number;
  readonly operation: OperationPath;
  readonly price: Money | undefined;
  /** See `AttemptIntent`. */
  readonly charges: number;
  readonly isRehearsal: boolean;
}

const SUMS = `
  CASE WHEN currency = '' THEN cost_currency ELSE currency END AS currency,
  CASE WHEN currency = '' AND cost_currency = '' THEN operation END AS operation, sum(charges) AS n, sum(micros) AS micros`;
const IS_PAID = "batch NOT IN (SELECT seq FROM batches WHERE CAST(settings ->> '$.rehearsal' AS INTEGER) = 1)";

/**
 * What was or may have been charged, according to the sums that the store keeps (`kept-charges.ts`). The sums stay in
 * memory while limits ask for them: a new request is added once it is committed, and when a request turns out not to
 * have been charged, they are read again.
 */
export type SpendingRecords = ReturnType<typeof openSpendingRecords>;

export function openSpendingRecords(db: Database, batches: Pick<BatchRecords, 'accountsAt'>) {
  let prepared: SumStatements | undefined;
  const statements = (): SumStatements => (prepared ??= sumStatements(db));
  const selectLimits = db.prepareColumn<string>("SELECT value FROM meta WHERE key = 'spending limits'");
  const writeLimits = db.prepare(`
    INSERT INTO meta (key, value) VALUES ('spending limits', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  const known = new Map<string, Known>();

  /** By gateway. */
  const stated = new Map<string, { readonly readAt: number; readonly costs: readonly StatedColumns[] }>();

  function statedBy(gateway: string, at: number): readonly StatedColumns[] {
    const found = stated.get(gateway);
    if (found !== undefined && Math.abs(at - found.readAt) < STATED_KEPT_MS) return found.costs;
    const since = slotOf(at - STATED_FOR_MS);
    const ofAccounts = batches
      .accountsAt(gateway)
      .flatMap(({ seq, account }) => statements().statedTo.all(seq, account, since));
    const costs = mostOf([...statements().stated.all(gateway, since), ...ofAccounts]);
    stated.set(gateway, { readAt: at, costs });
    return costs;
  }

  /**
   * Reads everything that is ever asked about a batch in one go: with many accounts, each query would be a round trip.
   */
  function readBatch(seq: number): readonly Known[] {
    const all = statements().ofBatch.all(seq);
    const ofAccounts = groupBy(all, ({ account }) => account);
    const accounts = Array.from(ofAccounts, ([account, sums]): Known => {
      return { scope: { kind: 'account', seq, account }, spent: sums.reduce(withSum, NOTHING_SPENT) };
    });
    return [{ scope: { kind: 'batch', seq }, spent: all.reduce(withSum, NOTHING_SPENT) }, ...accounts];
  }

  function read(scope: SpendingScope): readonly Known[] {
    switch (scope.kind) {
      case 'batch':
      case 'account':
        return readBatch(scope.seq);
      case 'night': {
        const { night, from, until } = scope;
        const sums = statements().ofNight.all(night ?? null, slotOf(from), slotOf(until));
        return [{ scope, spent: sums.reduce(withSum, NOTHING_SPENT) }];
      }
      case 'month': {
        const sums = statements().ofMonth.all(slotOf(scope.from), slotOf(scope.until));
        return [{ scope, spent: sums.reduce(withSum, NOTHING_SPENT) }];
      }
    }
  }

  function spentIn(scope: SpendingScope): SpentSum {
    const name = nameOf(scope);
    const found = known.get(name);
    if (found !== undefined) return found.spent;
    // Only one night and one month are kept at a time: earlier ones do not come again.
    const isOneOfMany = scope.kind === 'batch' || scope.kind === 'account';
    if (!isOneOfMany) for (const [other, one] of known) if (one.scope.kind === scope.kind) known.delete(other);
    for (const one of read(scope)) known.set(nameOf(one.scope), one);
    const { spent } = known.get(name) ?? { spent: NOTHING_SPENT };
    // An account that nobody has asked about yet has no sum to add to.
    known.set(name, { scope, spent });
    return spent;
  }

  return {
    limits: (): SpendingLimits => JSON.parse(selectLimits()[0] ?? '{}') as SpendingLimits,
    writeLimits: (limits: SpendingLimits) => void writeLimits.run(JSON.stringify(limits)),
    spentIn,
    /** The same with requests whose intents are being written. */
    spentWith: (scope: SpendingScope, intended: readonly Intended[]) => withIntended(spentIn(scope), scope, intended),
    /** Adds requests whose intents were committed. */
    add(intended: readonly Intended[]) {
      if (intended.length === 0) return;
      for (const [name, { scope, spent }] of known)
        known.set(name, { scope, spent: withIntended(spent, scope, intended) });
    },
    /** The highest cost that a gateway has lately stated for a request of an operation, by currency. */
    statedFor(gateway: string, operation: OperationPath, at: number): readonly Money[] {
      return statedBy(gateway, at).flatMap((one) =>
        one.operation === operation ? { amount: one.amount, currency: one.currency } : [],
      );
    },
    /** The same for all its operations. */
    statedAt: (gateway: string, at: number) =>
      statedBy(gateway, at).map(({ operation, amount, currency }) => ({ operation, cost: { amount, currency } })),
    /** Notes that a gateway has stated a higher or lower cost than before. */
    noteStated(gateway: string, { operation, cost_currency: currency, most, isLess }: StatedNow) {
      const isKnown = (one: StatedColumns): boolean =>
        one.operation === operation && one.currency === currency && one.amount >= (most ?? 0);
      if (isLess || stated.get(gateway)?.costs.some(isKnown) !== true) stated.delete(gateway);
    },
    /** Has the sums read again when they are next asked for. */
    forgetSums() {
      known.clear();
    },
    /** Has everything read again when it is next asked for. */
    forget() {
      known.clear();
      stated.clear();
    },
  };
}

type SumStatements = ReturnType<typeof sumStatements>;

function sumStatements(db: Database) {
  // A store of an older version, which is read as it is, keeps no sums.
  const from = db.hasColumn('kept_charges', 'batch') ? 'kept_charges' : CHARGES_OF_REQUESTS;
  return {
    ofBatch: db.prepare<AccountSumColumns>(`
    SELECT account, ${SUMS} FROM ${from} WHERE batch = ? GROUP BY 1, 2, 3`),
    ofNight: db.prepare<SumColumns>(`
    SELECT ${SUMS} FROM ${from} WHERE (night = ? OR (slot >= ? AND slot < ?)) AND ${IS_PAID} GROUP BY 1, 2`),
    ofMonth: db.prepare<SumColumns>(`
    SELECT ${SUMS} FROM ${from} WHERE slot >= ? AND slot < ? AND ${IS_PAID} GROUP BY 1, 2`),
    stated: db.prepare<StatedColumns>(`
    SELECT operation, cost_currency AS currency, max(most) AS amount
    FROM batches CROSS JOIN ${from} ON kept_charges.batch = batches.seq
    WHERE gateway = ? AND account = '' AND slot >= ? AND most IS NOT NULL
    GROUP BY operation, cost_currency ORDER BY operation, cost_currency`),
    statedTo: db.prepare<StatedColumns>(`
    SELECT operation, cost_currency AS currency, max(most) AS amount
    FROM ${from} WHERE batch = ? AND account = ? AND slot >= ? AND most IS NOT NULL GROUP BY operation, cost_currency`),
  };
}

function withIntended(spent: SpentSum, scope: SpendingScope, intended: readonly Intended[]): SpentSum {
  const more = intended.filter((one) => isIn(one, scope));
  return more.reduce((all, one) => withMore(all, one.operation, one.price, one.charges), spent);
}

/** One for each operation and currency: the highest. */
function mostOf(stated: readonly StatedColumns[]): readonly StatedColumns[] {
  const most = new Map<string, StatedColumns>();
  for (const one of stated) {
    const key = `${one.operation} ${one.currency}`;
    if (one.amount > (most.get(key)?.amount ?? -1)) most.set(key, one);
  }
  return [...most.values()];
}

function withSum(spent: SpentSum, { currency, operation, n, micros: more }: SumColumns): SpentSum {
  if (operation !== null) return withUnpriced(spent, operation, n);
  const { requests, micros } = spent;
  return { ...spent, requests: requests + n, micros: { ...micros, [currency]: (micros[currency] ?? 0) + more } };
}

function slotOf(at: number): number {
  return Math.floor(at / SLOT_MS);
}

function nameOf(scope: SpendingScope): string {
  return JSON.stringify(scope);
}

function isIn({ batch, account, night, startedAt, isRehearsal }: Intended, scope: SpendingScope): boolean {
  switch (scope.kind) {
    case 'batch':
      return batch === scope.seq;
    case 'account':
      return batch === scope.seq && account === scope.account;
    case 'night':
      return !isRehearsal && (night === scope.night || (startedAt >= scope.from && startedAt < scope.until));
    case 'month':
      return !isRehearsal && startedAt >= scope.from && startedAt < scope.until;
  }
}
