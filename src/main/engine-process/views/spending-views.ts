/** Limits, what is spent of them and what was foretold, as the window sees and gives them. */
import { amountOf, amountsOf, type Money } from '../../../shared/domain/base/money.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { StoreView, TaskReader } from '../../../engine/index.ts';
import {
  atTodaysPrices,
  isSameLimit,
  ownLimit,
  type Limit,
  type SpentSum,
} from '../../../shared/domain/task/spending.ts';
import { priceOf, type Prices } from '../../../shared/domain/sheet/row.ts';
import { accountsOf, dearestPrices } from '../../../shared/domain/task/accounts/account.ts';
import type { BatchRecord, BatchSettings } from '../../../shared/domain/task/batch.ts';
import type { ForecastRecord } from '../../../shared/domain/task/forecast/forecast-record.ts';
import type { BatchView, SpendingView } from '../../../shared/ipc/batches.ts';

/** How much of a limit in money is spent or reserved, at the present prices. */
export function spentIn(spent: SpentSum, limit: Money, prices: Prices): Money {
  const { micros } = atTodaysPrices(spent, limit, (operation) => priceOf(prices, operation));
  return { amount: amountOf(micros[limit.currency] ?? 0), currency: limit.currency };
}

/** Undefined if its limit is another one by now: it would be held to what nobody foretold. */
export function foretoldView(
  { ends, requests, cost, limit }: ForecastRecord,
  settings: BatchSettings,
): BatchView['foretold'] {
  if (limit !== undefined && !isSameLimit(limit, ownLimit(settings))) return undefined;
  return { ends: ends?.likely, requests, cost: [...cost] };
}

/**
 * What was foretold of a finished batch: when it first ran in its night, as in the ledger, and not what was left when it
 * was last resumed. Undefined if nobody noted that, as in a store of an older version that is read as it is.
 */
export async function foretoldOfFinished(
  ledger: Pick<StoreView['ledger'], 'forecasts'>,
  { id, settings }: Pick<BatchRecord, 'id' | 'settings'>,
): Promise<BatchView['foretold']> {
  const [kept] = await ledger.forecasts({ batchIds: [id] }).catch(() => []);
  if (kept === undefined) return undefined;
  const { ends, requests, cost, limit } = kept.forecast;
  const isOther = limit !== undefined && !isSameLimit(limit, ownLimit(settings));
  return { ends: ends?.likely, requests, cost: [...cost], limit: isOther ? limit : undefined };
}

/** The most that its requests may cost, whichever account they are sent with. */
export function mostPrices(settings: BatchSettings): Prices {
  return dearestPrices(accountsOf(settings));
}

/** What the limits in a store allow to be spent, and what has been spent. */
export async function spendingIn(store: Pick<TaskReader, 'spendingLimits' | 'spending'>): Promise<SpendingView> {
  const [limits, { night, month }] = await Promise.all([store.spendingLimits(), store.spending(Date.now(), [])]);
  return {
    night: { limit: limits.night ?? {}, spent: sumView(night) },
    month: { limit: limits.month ?? {}, spent: sumView(month) },
  };
}

/** A limit as the window gave it; undefined if it limits nothing. */
export function limitOf({ requests, cost }: SpendingView['night']['limit']): Limit | undefined {
  return requests === undefined && cost === undefined ? undefined : present({ requests, cost });
}

/** A sum with its amounts in each currency. */
export function sumView({ requests, micros, unpriced }: SpentSum): SpendingView['night']['spent'] {
  const amounts = amountsOf(new Map(Object.entries(micros)));
  return { requests, cost: amounts.map(({ amount, currency }) => ({ currency, amount })), unpriced };
}
