import { present } from '../../../shared/domain/base/result.ts';
import { monthBegan, nextMonth } from '../../../shared/domain/base/wall-clock.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import { priceOf } from '../../../shared/domain/sheet/row.ts';
import { accountNamed } from '../../../shared/domain/task/accounts/account.ts';
import {
  atTodaysPrices,
  reservedFor,
  shortageOf,
  type Cap,
  type Limit,
  type SpentSum,
} from '../../../shared/domain/task/spending.ts';
import type { AttemptIntent } from '../../ports/task-change.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';
import type { openNightRecords } from '../tasks/night-records.ts';
import type { Intended, SpendingRecords, SpendingScope } from '../tasks/spending-records.ts';

export interface LimitCheckParts {
  readonly batchRecords: Pick<BatchRecords, 'bySeq' | 'gatewayOf'>;
  readonly spendingRecords: Pick<SpendingRecords, 'limits' | 'spentWith' | 'statedFor'>;
  readonly nightRecords: Pick<ReturnType<typeof openNightRecords>, 'nightOrDayAt'>;
  readonly zone: () => string;
}

/**
 * Whether the cost of a paid request fits into every limit according to what is stored now: checked inside the
 * transaction of its intent, because another process may have spent since the request was chosen.
 * @param batch The number of its batch.
 * @param intended The requests that were written earlier in the same transaction.
 */
export function fitsLimits(
  { batchRecords, spendingRecords, nightRecords, zone }: LimitCheckParts,
  batch: number,
  operation: OperationPath,
  { startedAt: at, account: name, price, charges = 1 }: AttemptIntent,
  intended: readonly Intended[],
): boolean {
  const { id, settings } = batchRecords.bySeq(batch).record;
  const account = accountNamed(settings, name);
  const today = (of: OperationPath) =>
    reservedFor(
      priceOf(account.profile.prices, of),
      spendingRecords.statedFor(batchRecords.gatewayOf(id, name), of, at),
    );
  const capOf = (of: Cap['of'], limit: Limit | undefined, scope: () => SpendingScope): Cap | undefined => {
    if (limit === undefined || Object.keys(limit).length === 0) return undefined;
    const spent: SpentSum = spendingRecords.spentWith(scope(), intended);
    const isPriced = limit.cost === undefined || spent.unpriced === 0;
    return { of, limit, spent: isPriced ? spent : atTodaysPrices(spent, limit.cost, today) };
  };
  const { maxSubmits: requests, maxCost: cost, ceiling } = settings;
  const { night, month } = settings.rehearsal ? {} : spendingRecords.limits();
  const inNight = (): SpendingScope => ({ kind: 'night', ...nightRecords.nightOrDayAt(at) });
  const caps = [
    capOf('account', account.limit, () => ({ kind: 'account', seq: batch, account: account.name })),
    capOf('batch', present({ requests, cost }), () => ({ kind: 'batch', seq: batch })),
    capOf('night', night, inNight),
    capOf('night', settings.rehearsal ? undefined : ceiling, inNight),
    capOf('month', month, () => ({ kind: 'month', from: monthBegan(at, zone()), until: nextMonth(at, zone()) })),
  ];
  const held = caps.filter((cap) => cap !== undefined);
  if (held.length === 0) return true;
  const now = today(operation);
  // Since the request was chosen, the gateway has stated a higher cost: the request is chosen again, and that much
  // reserved.
  if (now !== undefined && price !== undefined && now.amount > price.amount) return false;
  return shortageOf(held, price ?? now, charges) === undefined;
}
