import type { Money } from '../../../shared/domain/base/money.ts';
import {
  NOTHING_SPENT,
  withOneMore,
  type SpentSum,
  type SpendingLimits,
} from '../../../shared/domain/task/spending.ts';
import { UNCHARGED } from './evidence-records.ts';
import type { Database, SqlValue } from '../open/database.ts';

interface SumColumns {
  readonly currency: string | null;
  readonly n: number;
  readonly micros: number;
}

/** Which paid requests are summed up: those of a batch; of a night or since a moment, without rehearsals. */
type Scope =
  | { readonly kind: 'batch'; readonly seq: number }
  | { readonly kind: 'night'; readonly night: number }
  | { readonly kind: 'since'; readonly at: number };

/** A paid request whose intent was committed. */
export interface Intended {
  readonly batch: number;
  readonly night: number;
  readonly startedAt: number;
  readonly price: Money | undefined;
  readonly isRehearsal: boolean;
}

const MAY_BE_CHARGED = `coalesce(outcome, '') NOT IN (${[...UNCHARGED].map((outcome) => `'${outcome}'`).join(', ')})`;
/**
 * The millionths in an amount, rounded up as by `microsOf`, in SQL: whole numbers, so that sums are exact, but of the type
 * REAL: what a gateway states may be so much that a sum of integers overflows.
 */
export function microsIn(amount: string): string {
  return `CAST(CAST(1000000.0 * (${amount}) + 0.999 AS INTEGER) AS REAL)`;
}

/** As `chargeOf` has it. */
const CHARGE = microsIn(`max(coalesce(price, 0),
  CASE WHEN cost_currency = coalesce(currency, cost_currency) THEN cost ELSE 0 END)`);
const IS_PAID = "batch NOT IN (SELECT seq FROM batches WHERE settings ->> '$.rehearsal' = 1)";

/**
 * What was or may have been charged. Sums are kept in memory while limits ask for them: a new request is added to them
 * once it is committed, and after a request that turned out not to be charged they are read anew.
 */
export function openSpendingRecords(db: Database) {
  const sum = (where: string) =>
    db.prepare<SumColumns>(`
      SELECT coalesce(currency, cost_currency) AS currency, count(*) AS n, sum(${CHARGE}) AS micros
      FROM attempts WHERE ${where} AND ${MAY_BE_CHARGED} GROUP BY 1`);
  const sums = {
    batch: sum('batch = ?'),
    night: sum(`night = ? AND ${IS_PAID}`),
    since: sum(`started_at >= ? AND ${IS_PAID}`),
  };
  const selectLimits = db.prepareColumn<string>("SELECT value FROM meta WHERE key = 'spending limits'");
  const writeLimits = db.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('spending limits', ?)");
  let known: readonly { readonly scope: Scope; readonly spent: SpentSum }[] = [];

  function read(scope: Scope): SpentSum {
    const value: SqlValue = scope.kind === 'batch' ? scope.seq : scope.kind === 'night' ? scope.night : scope.at;
    return sums[scope.kind].all(value).reduce(withSum, NOTHING_SPENT);
  }

  return {
    limits: (): SpendingLimits => JSON.parse(selectLimits()[0] ?? '{}') as SpendingLimits,
    writeLimits: (limits: SpendingLimits) => void writeLimits.run(JSON.stringify(limits)),
    spentIn(scope: Scope): SpentSum {
      const found = known.find((one) => isSame(one.scope, scope));
      if (found !== undefined) return found.spent;
      const spent = read(scope);
      // One night and one month at a time: they do not come again.
      const others = known.filter((one) => scope.kind === 'batch' || one.scope.kind !== scope.kind);
      known = [...others, { scope, spent }];
      return spent;
    },
    /** Adds requests whose intents were committed. */
    add(intended: readonly Intended[]) {
      known = known.map(({ scope, spent }) => {
        const more = intended.filter((one) => isIn(one, scope));
        return { scope, spent: more.reduce((all, { price }) => withOneMore(all, price), spent) };
      });
    },
    /** Reads everything anew when it is next asked for. */
    forget() {
      known = [];
    },
  };
}

function withSum({ requests, micros, unpriced }: SpentSum, { currency, n, micros: more }: SumColumns): SpentSum {
  if (currency === null) return { requests: requests + n, micros, unpriced: unpriced + n };
  return { requests: requests + n, micros: { ...micros, [currency]: more }, unpriced };
}

function isSame(one: Scope, other: Scope): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function isIn({ batch, night, startedAt, isRehearsal }: Intended, scope: Scope): boolean {
  switch (scope.kind) {
    case 'batch':
      return batch === scope.seq;
    case 'night':
      return !isRehearsal && night === scope.night;
    case 'since':
      return !isRehearsal && startedAt >= scope.at;
  }
}
