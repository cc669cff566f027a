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
import { UNCHARGED } from './evidence-records.ts';
import type { Database, SqlValue } from '../open/database.ts';
import type { BatchRecords } from './batch-records.ts';

interface SumColumns {
  readonly currency: string | null;
  /** Of requests without a price. */
  readonly operation: OperationPath | null;
  readonly n: number;
  readonly micros: number;
}

interface StatedColumns {
  readonly operation: OperationPath;
  readonly currency: string;
  readonly amount: number;
}

/** After so long, what a gateway has said is read anew: what it said longest ago no longer counts. */
const STATED_KEPT_MS = 60 * 60_000;

/** Which paid requests are summed up: those of a batch, or of one of its accounts; of a night and its day, or of a month, without rehearsals. */
export type SpendingScope =
  | { readonly kind: 'batch'; readonly seq: number }
  | { readonly kind: 'account'; readonly seq: number; readonly account: string }
  | { readonly kind: 'night'; readonly night: number | undefined; readonly from: number; readonly until: number }
  | { readonly kind: 'month'; readonly from: number; readonly until: number };

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

const MAY_BE_CHARGED = `coalesce(outcome, '') NOT IN (${[...UNCHARGED].map((outcome) => `'${outcome}'`).join(', ')})`;
/**
 * The millionths in an amount, rounded up as by `microsOf`, in SQL: whole numbers, so that sums are exact, but of the type
 * REAL: what a gateway states may be so much that a sum of integers overflows.
 */
export function microsIn(amount: string): string {
  return `trunc(1000000.0 * (${amount}) + 0.999)`;
}

/** What limits count for one charge of a request, in millionths, as `chargeOf` has it. */
export const COUNTED = microsIn(`max(coalesce(price, 0),
  CASE WHEN cost_currency = coalesce(currency, cost_currency) THEN cost ELSE 0 END)`);
export const RESERVED_CHARGES = 'coalesce(charges, 1)';
const IS_PAID = "batch NOT IN (SELECT seq FROM batches WHERE CAST(settings ->> '$.rehearsal' AS INTEGER) = 1)";

/**
 * What was or may have been charged. Sums are kept in memory while limits ask for them: a new request is added to them
 * once it is committed, and after a request that turned out not to be charged they are read anew.
 */
export type SpendingRecords = ReturnType<typeof openSpendingRecords>;

export function openSpendingRecords(db: Database, batches: Pick<BatchRecords, 'accountsAt'>) {
  const sum = (where: string) =>
    db.prepare<SumColumns>(`
      SELECT coalesce(currency, cost_currency) AS currency, sum(${RESERVED_CHARGES}) AS n, sum(${RESERVED_CHARGES} * ${COUNTED}) AS micros,
        CASE WHEN coalesce(currency, cost_currency) IS NULL THEN (SELECT operation FROM tasks WHERE id = attempts.task) END
          AS operation
      FROM attempts WHERE ${where} AND ${MAY_BE_CHARGED} GROUP BY 1, operation`);
  const sums = {
    batch: sum('batch = ?'),
    account: sum('batch = ? AND account = ?'),
    night: sum(`(night = ? OR (started_at >= ? AND started_at < ?)) AND ${IS_PAID}`),
    month: sum(`started_at >= ? AND started_at < ? AND ${IS_PAID}`),
  };
  const selectStated = db.prepare<StatedColumns>(`
    SELECT operation, cost_currency AS currency, max(cost) AS amount
    FROM batches CROSS JOIN attempts ON attempts.batch = batches.seq JOIN tasks ON tasks.id = attempts.task
    WHERE gateway = ? AND attempts.started_at >= ? AND attempts.account IS NULL AND cost IS NOT NULL AND ${MAY_BE_CHARGED}
    GROUP BY operation, cost_currency ORDER BY operation, cost_currency`);
  const selectStatedTo = db.prepare<StatedColumns>(`
    SELECT operation, cost_currency AS currency, max(cost) AS amount
    FROM attempts JOIN tasks ON tasks.id = attempts.task
    WHERE attempts.batch = ? AND attempts.account = ? AND attempts.started_at >= ? AND cost IS NOT NULL AND ${MAY_BE_CHARGED}
    GROUP BY operation, cost_currency`);
  const selectLimits = db.prepareColumn<string>("SELECT value FROM meta WHERE key = 'spending limits'");
  const writeLimits = db.prepare(`
    INSERT INTO meta (key, value) VALUES ('spending limits', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
  let known: readonly { readonly scope: SpendingScope; readonly spent: SpentSum }[] = [];

  /** By gateway. */
  const stated = new Map<string, { readonly readAt: number; readonly costs: readonly StatedColumns[] }>();

  function statedBy(gateway: string, at: number): readonly StatedColumns[] {
    const found = stated.get(gateway);
    if (found !== undefined && Math.abs(at - found.readAt) < STATED_KEPT_MS) return found.costs;
    const since = at - STATED_FOR_MS;
    const ofAccounts = batches
      .accountsAt(gateway)
      .flatMap(({ seq, account }) => selectStatedTo.all(seq, account, since));
    const costs = mostOf([...selectStated.all(gateway, since), ...ofAccounts]);
    stated.set(gateway, { readAt: at, costs });
    return costs;
  }

  function read(scope: SpendingScope): SpentSum {
    return sums[scope.kind].all(...valuesOf(scope)).reduce(withSum, NOTHING_SPENT);
  }

  function spentIn(scope: SpendingScope): SpentSum {
    const found = known.find((one) => isSame(one.scope, scope));
    if (found !== undefined) return found.spent;
    const spent = read(scope);
    // One night and one month at a time: they do not come again.
    const isOneOfMany = scope.kind === 'batch' || scope.kind === 'account';
    const others = known.filter((one) => isOneOfMany || one.scope.kind !== scope.kind);
    known = [...others, { scope, spent }];
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
      known = known.map(({ scope, spent }) => ({ scope, spent: withIntended(spent, scope, intended) }));
    },
    /** The most that a gateway has lately said that a request of an operation cost, by currency. */
    statedFor(gateway: string, operation: OperationPath, at: number): readonly Money[] {
      return statedBy(gateway, at).flatMap((one) =>
        one.operation === operation ? { amount: one.amount, currency: one.currency } : [],
      );
    },
    /** The same for all its operations. */
    statedAt: (gateway: string, at: number) =>
      statedBy(gateway, at).map(({ operation, amount, currency }) => ({ operation, cost: { amount, currency } })),
    /** A gateway has said what a request cost. */
    noteCost(gateway: string, operation: OperationPath, { amount, currency }: Money) {
      const isKnown = (one: StatedColumns): boolean =>
        one.operation === operation && one.currency === currency && one.amount >= amount;
      if (stated.get(gateway)?.costs.some(isKnown) !== true) stated.delete(gateway);
    },
    /** Reads the sums anew when they are next asked for. */
    forgetSums() {
      known = [];
    },
    /** Reads everything anew when it is next asked for. */
    forget() {
      known = [];
      stated.clear();
    },
  };
}

function withIntended(spent: SpentSum, scope: SpendingScope, intended: readonly Intended[]): SpentSum {
  const more = intended.filter((one) => isIn(one, scope));
  return more.reduce((all, one) => withMore(all, one.operation, one.price, one.charges), spent);
}

/** One of each operation and currency: the most. */
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
  if (currency === null) return { ...spent, requests: spent.requests + n, unpriced: spent.unpriced + n };
  return { ...spent, requests: spent.requests + n, micros: { ...spent.micros, [currency]: more } };
}

function valuesOf(scope: SpendingScope): readonly SqlValue[] {
  switch (scope.kind) {
    case 'batch':
      return [scope.seq];
    case 'account':
      return [scope.seq, scope.account];
    case 'night':
      return [scope.night ?? null, scope.from, scope.until];
    case 'month':
      return [scope.from, scope.until];
  }
}

function isSame(one: SpendingScope, other: SpendingScope): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
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
