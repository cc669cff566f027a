/** How much of a door's cap a start would need, and whether that is left: said before anything is sent. */
import type { WaitingWork } from '../../shared/domain/task/forecast/run-facts.ts';
import type { Engine } from '../../engine/index.ts';
import { amountOf, microsOf, moneyText, type Money } from '../../shared/domain/base/money.ts';
import { present } from '../../shared/domain/base/result.ts';
import { countOf, countText } from '../../shared/domain/base/text.ts';
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { priceOf } from '../../shared/domain/sheet/row.ts';
import { takesAgain } from '../../shared/domain/task/forecast/forecast.ts';
import { accountsOf, dearestPrices } from '../../shared/domain/task/accounts/account.ts';
import type { BatchRecord, BatchSettings } from '../../shared/domain/task/batch.ts';
import type { Gateways } from '../accounts.ts';
import { NOTHING_SPENT, type Limit, type SpentSum } from '../../shared/domain/task/spending.ts';
import { refusal, type Refusal } from './door-answer.ts';

/** Requests that are about to be made, and what they cost in the currency of a cap. */
interface Need {
  readonly requests: number;
  readonly micros: number;
  /** Operations without a price in that currency. */
  readonly unpriced: readonly OperationPath[];
}

/** Limits of a batch as a command gives them. */
export interface BatchLimits {
  readonly maxRequests?: number | undefined;
  readonly maxCost?: Money | undefined;
}

/**
 * The lower of a batch's limits and those that a command gives: a door never raises a limit.
 * @returns The settings; or why two limits in money cannot be compared, or are above the cap.
 */
export function withLowerLimits(
  settings: BatchSettings,
  { maxRequests, maxCost }: BatchLimits,
  cap: Limit | undefined,
): BatchSettings | Refusal {
  if (maxRequests !== undefined && cap?.requests !== undefined && maxRequests > cap.requests) {
    return overCap(`maxRequests is ${countText(maxRequests)}`, `${countOf(cap.requests, 'paid request')} a night`);
  }
  for (const cost of [settings.maxCost, cap?.cost]) {
    if (maxCost === undefined || cost === undefined || cost.currency === maxCost.currency) continue;
    const words = `maxCost is in ${maxCost.currency}; the limit there is in ${cost.currency}.`;
    return refusal('refused', words, `Give maxCost in ${cost.currency}.`).error;
  }
  if (maxCost !== undefined && cap?.cost !== undefined && maxCost.amount > cap.cost.amount) {
    return overCap(`maxCost is ${moneyText(maxCost)}`, `${moneyText(cap.cost)} a night`);
  }
  const requests = Math.min(settings.maxSubmits ?? Infinity, maxRequests ?? Infinity);
  const cost = [settings.maxCost, maxCost].filter((one) => one !== undefined).toSorted((a, b) => a.amount - b.amount);
  return {
    ...settings,
    ...present({ maxSubmits: Number.isFinite(requests) ? requests : undefined, maxCost: cost[0] }),
  };
}

/**
 * Why a limit in money cannot be held: no price is in its currency for one of these operations; undefined if it can.
 */
export function whyNotHeld(
  gateways: Gateways,
  maxCost: Money | undefined,
  operations: Iterable<OperationPath>,
): Refusal | undefined {
  if (maxCost === undefined) return undefined;
  const { currency } = maxCost;
  const prices = accountsOf(gateways).map(({ profile }) => profile.prices);
  const unpriced = [...new Set(operations)].filter((of) => prices.every((known) => known[of]?.currency !== currency));
  if (unpriced.length === 0) return undefined;
  const used = new Set(prices.flatMap((known) => Object.values(known).map((price) => price.currency)));
  used.delete(currency);
  const message = `maxCost.currency is ${currency}, and the profile has no price in ${currency} for ${unpriced.join(', ')}.`;
  const instead = used.size === 0 ? '' : `Give maxCost in ${[...used].join(' or ')}. `;
  const remedy = `${instead}Without such prices, give maxRequests instead.`;
  return { kind: 'invalid-input', message, remedy, fields: [{ path: 'maxCost.currency', message, remedy }] };
}

function overCap(asked: string, allowed: string): Refusal {
  return refusal('over-cap', `${asked}; this door was started with ${allowed}.`, RAISE).error;
}

const RAISE = 'Ask for less; or the user starts the door again with a higher --max-requests or --max-cost.';

/**
 * Why the cap has no room for what a batch is about to send, besides what was spent in this night and what runs;
 * undefined if it has. The engine holds the cap whatever is answered here.
 * @param more Takes that are about to be sent again, by operation.
 */
export async function whyOverCap(
  engine: Engine,
  cap: Limit,
  batch: BatchRecord,
  more: readonly OperationPath[] = [],
): Promise<Refusal | undefined> {
  const running = (await engine.store.batches()).filter(
    ({ id, state, settings }) => id !== batch.id && state === 'running' && !settings.rehearsal,
  );
  // Read first: what is sent between the two reads counts twice; the other way round, it would not count at all.
  const workOf = ({ id }: BatchRecord): Promise<WaitingWork> => engine.store.waitingWork(id, Date.now());
  const ownWork = await workOf(batch);
  const works = await Promise.all(running.map(async (one) => ({ one, work: await workOf(one) })));
  const { night, batches } = await engine.spending([batch, ...running].map(({ id }) => id));
  const needOf = (one: BatchRecord, work: WaitingWork, again: readonly OperationPath[]): Need => {
    const { queue, kinds } = work;
    const waiting = Array.from(queue, (kind) => kinds[kind]?.operation).filter((operation) => operation !== undefined);
    const first = [...waiting, ...again];
    // What gates may flag counts each time: the user has said how often.
    const asked = { kinds: first.map((operation) => ({ operation })), inFlight: [], flaggable: work.flaggable };
    const going = { kinds, inFlight: work.inFlight, flaggable: [] };
    const times = one.settings.gates?.again ?? 0;
    const more = [
      ...takesAgain(
        asked,
        first.map(() => 1),
        times,
      ),
      ...takesAgain(going, [], times),
    ];
    const all = [
      ...first,
      ...more.flatMap(({ operation, requests }) => Array.from({ length: requests }, () => operation)),
    ];
    return needFor(one.settings, all, batches.get(one.id)?.spent ?? NOTHING_SPENT, cap);
  };
  const others = works.map(({ one, work }) => needOf(one, work, []));
  return whyNot(cap, needOf(batch, ownWork, more), others, night);
}

/** What these operations need within the batch's own limits. */
function needFor(
  settings: BatchSettings,
  operations: readonly OperationPath[],
  spent: SpentSum,
  { cost }: Limit,
): Need {
  const { maxSubmits = Infinity, maxCost } = settings;
  const requests = Math.min(operations.length, Math.max(0, maxSubmits - spent.requests));
  if (cost === undefined || requests === 0) return { requests, micros: 0, unpriced: [] };
  const prices = dearestPrices(accountsOf(settings));
  const inCurrency = operations.map((operation) => ({ operation, price: priceOf(prices, operation) }));
  const unpriced = inCurrency.filter(({ price }) => price?.currency !== cost.currency);
  const all = inCurrency.map(({ price }) => (price?.currency === cost.currency ? microsOf(price.amount) : 0));
  // The limit may let exactly the dearest ones go.
  const most = all.toSorted((a, b) => b - a).slice(0, requests);
  const micros = most.reduce((sum, one) => sum + one, 0);
  const left =
    maxCost?.currency === cost.currency
      ? Math.max(0, microsOf(maxCost.amount) - (spent.micros[cost.currency] ?? 0))
      : Infinity;
  return {
    requests,
    micros: Math.min(micros, left),
    unpriced: [...new Set(unpriced.map(({ operation }) => operation))],
  };
}

function whyNot({ requests, cost }: Limit, own: Need, others: readonly Need[], night: SpentSum): Refusal | undefined {
  const beside = (of: (need: Need) => number): number => others.reduce((sum, need) => sum + of(need), 0);
  if (requests !== undefined) {
    const used = night.requests + beside((need) => need.requests);
    if (used + own.requests > requests) {
      return refusal(
        'over-cap',
        `This needs ${countOf(own.requests, 'paid request')}. The cap of this door is ${countText(requests)} a night, and ${countText(used)} of them are used or belong to batches that run. Nothing was sent.`,
        RAISE,
      ).error;
    }
  }
  if (cost === undefined || own.requests === 0) return undefined;
  const [unpriced] = own.unpriced;
  if (unpriced !== undefined) {
    return refusal(
      'over-cap',
      `The profile has no price in ${cost.currency} for ${unpriced}, so the cap of ${moneyText(cost)} cannot be held. Nothing was sent.`,
      'Add the price to the profile, or start the door with --max-requests instead.',
    ).error;
  }
  const used = (night.micros[cost.currency] ?? 0) + beside((need) => need.micros);
  if (used + own.micros <= microsOf(cost.amount)) return undefined;
  const money = (micros: number): string => moneyText({ amount: amountOf(micros), currency: cost.currency });
  return refusal(
    'over-cap',
    `This costs ${money(own.micros)}. The cap of this door is ${moneyText(cost)} a night, and ${money(used)} of that is used or belongs to batches that run. Nothing was sent.`,
    RAISE,
  ).error;
}
