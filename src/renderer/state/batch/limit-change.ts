import { microsOf, moneyText, type Money } from '../../../shared/domain/base/money.ts';
import { err, ok, present, type Result } from '../../../shared/domain/base/result.ts';
import { countText } from '../../../shared/domain/base/text.ts';
import type { BatchView, SpendingView } from '../../../shared/ipc/batches.ts';
import type { Reply, RouteInput } from '../../../shared/ipc/contract.ts';
import { words } from '../../../shared/words/words.ts';
import type { IpcClient } from '../../ipc-client.ts';
import { readCostLimit, readRequestLimit } from '../opening/start-forms.ts';
import type { TypedFields } from '../profile-draft.ts';
import { leastCostLimit, statusTotals } from './batch-progress.ts';

type AccountViews = NonNullable<BatchView['accounts']>;
type LimitSetting = Pick<RouteInput<'batch.configure'>, 'maxSubmits' | 'maxCost'>;

/** How the user changes a limit of one batch that holds the batch up. */
export interface LimitForm {
  readonly label: string;
  readonly placeholder: string;
  readonly isNumber: boolean;
  /** On its button. */
  readonly words: string;
  /** On the button that removes the limit, and in the question before it. */
  readonly name: string;
  readonly none: LimitSetting;
  /** What to set; undefined while nothing is typed. An error, too, says why it would not let the batch go on. */
  readonly read: (text: string) => Result<LimitSetting | undefined, string>;
}

/** @param lacks Which limit is used up; `price`: the limit in money cannot be held, as a price is not known. */
export function limitForm(batch: BatchView, lacks: 'requests' | 'cost' | 'price'): LimitForm {
  if (lacks === 'requests') return requestForm(batch);
  const { maxCost } = batch;
  const { limit } = words.costs;
  const other = lacks === 'cost' ? limit.moreThan : limit.otherThan;
  return {
    label: limit.costLabel,
    placeholder: maxCost === undefined ? '12.50 EUR' : other(moneyText(maxCost)),
    isNumber: false,
    words: lacks === 'cost' ? limit.raise : limit.change,
    name: limit.cost,
    none: { maxCost: null },
    read: (text) => {
      // Another amount in the same currency leaves a price unknown.
      const read = readCostLimit(text, lacks === 'price' || maxCost === undefined ? [] : [maxCost.currency]);
      if (!read.ok || read.value === undefined) return read.ok ? ok(undefined) : read;
      const why = read.value.currency === maxCost?.currency ? whyTooLow(batch, lacks, read.value) : undefined;
      return why === undefined ? ok({ maxCost: read.value }) : err(why);
    },
  };
}

/** Why nothing more would be sent with this limit, in the currency of the present one. */
function whyTooLow(batch: BatchView, lacks: 'cost' | 'price', { amount, currency }: Money): string | undefined {
  const { limit, unheld } = words.costs;
  if (lacks === 'price') return unheld(currency, []);
  const least = leastCostLimit(batch);
  if (least !== undefined && microsOf(amount) < microsOf(least.limit.amount))
    return limit.atLeast(moneyText(least.limit), moneyText(least.spent), moneyText(least.next));
  const { maxCost } = batch;
  return maxCost !== undefined && amount <= maxCost.amount ? limit.notMore(moneyText(maxCost)) : undefined;
}

function requestForm(batch: BatchView): LimitForm {
  const { limit } = words.costs;
  const all = batch.submitsUsed + statusTotals(batch.counts).queued;
  return {
    label: limit.requestLabel(all),
    placeholder: limit.forAll(all),
    isNumber: true,
    words: limit.raise,
    name: limit.requests,
    none: { maxSubmits: 0 },
    read: (text) => {
      const read = readRequestLimit(text);
      if (!read.ok) return read;
      if (read.value === undefined) return ok(undefined);
      if (read.value <= batch.submitsUsed) return err(limit.used(batch.submitsUsed));
      return ok({ maxSubmits: read.value });
    },
  };
}

/** Both limits of one account, as typed. */
export interface TypedLimits {
  readonly requests: string;
  readonly cost: string;
}

/** The limits of an account, or of a batch, as they are, for the fields in which they are changed. */
export function typedLimits({
  limit: { requests, cost },
}: {
  readonly limit: { readonly requests?: number | undefined; readonly cost?: Money | undefined };
}): TypedLimits {
  return {
    requests: requests === undefined ? '' : countText(requests),
    cost: cost === undefined ? '' : moneyText(cost),
  };
}

/**
 * The limits of accounts, as typed.
 * @returns What is wrong with them, by account, and what to set: only for accounts whose limits change, undefined if
 * there are none.
 */
export function readAccountLimits(
  accounts: AccountViews,
  typed: Readonly<Record<string, Partial<TypedLimits>>>,
): {
  readonly problems: Readonly<Record<string, ReturnType<typeof readLimits>['problems']>>;
  readonly change: Pick<RouteInput<'batch.configure'>, 'accountLimits'> | undefined;
} {
  const problems: Record<string, ReturnType<typeof readLimits>['problems']> = {};
  const changed = accounts.flatMap(({ name, limit }) => {
    const read = readLimits(present({ maxSubmits: limit.requests, maxCost: limit.cost }), typed[name] ?? {});
    problems[name] = read.problems;
    if (read.change === undefined) return [];
    const { maxSubmits = limit.requests, maxCost = limit.cost } = read.change;
    return [{ name, limit: present({ requests: maxSubmits === 0 ? undefined : maxSubmits, cost: maxCost }) }];
  });
  const isWrong = Object.values(problems).some(({ requests, cost }) => requests !== undefined || cost !== undefined);
  return { problems, change: isWrong || changed.length === 0 ? undefined : { accountLimits: changed } };
}

/**
 * Both limits of a batch, as typed, or else as they are by now.
 * @returns What is wrong with either, and what to set: only what is to change, undefined if nothing is.
 */
export function readLimits(
  { maxSubmits, maxCost }: Pick<BatchView, 'maxSubmits' | 'maxCost'>,
  typed: Partial<TypedLimits>,
): {
  readonly problems: { readonly requests: string | undefined; readonly cost: string | undefined };
  readonly change: LimitSetting | undefined;
} {
  const texts = { ...typedLimits({ limit: { requests: maxSubmits, cost: maxCost } }), ...typed };
  const requests = readRequestLimit(texts.requests);
  const cost = readCostLimit(texts.cost, maxCost === undefined ? [] : [maxCost.currency]);
  const problems = {
    requests: requests.ok ? undefined : requests.error,
    cost: cost.ok ? undefined : cost.error,
  };
  if (!requests.ok || !cost.ok) return { problems, change: undefined };
  const isSameCost = cost.value?.amount === maxCost?.amount && cost.value?.currency === maxCost?.currency;
  const change = {
    // 0 and null mean none.
    ...(requests.value === maxSubmits ? {} : { maxSubmits: requests.value ?? 0 }),
    ...(isSameCost ? {} : { maxCost: cost.value ?? null }),
  };
  return { problems, change: Object.keys(change).length === 0 ? undefined : change };
}

/** The limits of all batches together for one period: as typed, or else as they are. */
export function spendingTyped(view: SpendingView, typed: TypedFields, period: keyof SpendingView) {
  const { requests, cost } = view[period].limit;
  const texts = {
    requests: typed[`${period} requests`] ?? (requests === undefined ? '' : countText(requests)),
    cost: typed[`${period} cost`] ?? (cost === undefined ? '' : moneyText(cost)),
  };
  return { texts, requests: readRequestLimit(texts.requests), cost: readCostLimit(texts.cost) };
}

/** Sets those of them that were typed; the others stay as they are by now, whoever has changed them. */
export async function setSpending(ask: IpcClient['request'], typed: TypedFields): Promise<Reply<SpendingView>> {
  const now = await ask('spending.get');
  if (!now.ok) return now;
  const limitOf = (period: keyof SpendingView) => {
    const { requests, cost } = spendingTyped(now.value, typed, period);
    return present({ requests: requests.ok ? requests.value : undefined, cost: cost.ok ? cost.value : undefined });
  };
  return ask('spending.set', { night: limitOf('night'), month: limitOf('month') });
}
