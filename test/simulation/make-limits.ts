/** Limits of spending: what a night has from its beginning, and what its user changes while there is work. */
import type { Money } from '../../src/shared/domain/base/money.ts';
import type { Limit, SpendingLimits } from '../../src/shared/domain/task/spending.ts';
import { inTurn } from './make-edits.ts';
import type { BatchPlan, Deed, NightPlan, TimedDeed } from './plan.ts';
import { Stream } from './random.ts';
import { CURRENCY } from './sim-sheet.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** From nothing to more than this many rows cost. */
export function makeCost(random: Stream, rows: number): Money {
  return { amount: random.below((rows + 1) * 40) / 100, currency: CURRENCY };
}

export function makeSpending(random: Stream, rows: number): SpendingLimits {
  const limit = (): Limit => makeLimit(random, rows);
  return random.pick([{ night: limit() }, { month: limit() }, { night: limit(), month: limit() }]);
}

const OF_LIMITS = [
  'max-cost',
  'max-cost',
  'max-cost',
  'spending',
  'spending',
  'spending',
  'cap',
  'account-limit',
  'account-limit',
  'start',
  'start',
  'start',
  'run-drafts',
  'takes',
  'render-again',
  'retry-all',
  'end',
  'end',
  'leap',
] as const;

function makeLimit(random: Stream, rows: number): Limit {
  return {
    ...(random.chance(0.6) ? { requests: random.below(rows + 2) } : {}),
    ...(random.chance(0.6) ? { cost: makeCost(random, rows) } : {}),
  };
}

/** A night whose limits are raised and lowered, mostly while something is just being sent. */
export function withLimitsChanged(plan: NightPlan): NightPlan {
  const random = new Stream(plan.seed, 'limits changed');
  if (!random.chance(0.1)) return plan;
  // Nobody can keep to a limit if the gateway charges more often than it says.
  const batches = plan.batches.map((batch): BatchPlan => {
    const kept: BatchPlan = batch.keys === 'ignored' ? { ...batch, keys: 'kept' } : batch;
    return random.chance(0.3) ? { ...kept, isShared: random.pick(['in-order', 'cheapest']) } : kept;
  });
  // In a currency in which nothing has a price, nothing may be paid for.
  const currency = random.chance(0.1) ? 'USD' : CURRENCY;
  const count = batches.reduce((sum, { rows }) => sum + rows.length, 0);
  const make = (): readonly Deed[] => {
    const batch = random.below(batches.length);
    const { rows } = batches[batch] as BatchPlan;
    const { id: row } = random.pick(rows);
    const kind = random.pick(OF_LIMITS);
    switch (kind) {
      case 'max-cost':
        return [{ kind, batch, maxCost: random.chance(0.2) ? null : { ...makeCost(random, rows.length), currency } }];
      case 'spending':
        return [{ kind, limits: random.chance(0.2) ? {} : makeSpending(random, count) }];
      case 'account-limit': {
        const limit = random.chance(0.2) ? null : makeLimit(random, rows.length);
        return [{ kind, batch, account: random.below(2), limit }];
      }
      case 'cap':
        return [{ kind, batch, cap: random.chance(0.3) ? null : random.below(rows.length + 1) }];
      case 'takes':
        return [
          { kind, row, takes: 1 + random.below(3) },
          { kind: 'run-drafts', batch },
        ];
      case 'render-again':
        return [
          { kind, batch, rows: [row] },
          { kind: 'run-drafts', batch },
        ];
      case 'end': {
        const downMs = random.pick([0, 500]);
        return [random.chance(0.3) ? { kind: 'close', downMs } : { kind: 'kill', turns: random.below(40), downMs }];
      }
      case 'leap':
        // To another night, or over the end of the month.
        return [{ kind, byMs: random.pick([DAY_MS, 8 * DAY_MS, -DAY_MS, HOUR_MS]) }];
      default:
        return [{ kind, batch }];
    }
  };
  const fromMs = random.pick([0, 0, random.below(5000), random.pick(plan.deeds).atMs]);
  const gapsMs = random.pick([
    [0, 1, 5, 30],
    [0, 30, 300, 1000],
    [0, 300, 3000, plan.law.ms + 1000],
  ]);
  const some = Array.from({ length: 2 + random.few(0.85, 16) }, make).flat();
  const changes: readonly TimedDeed[] = inTurn(random, fromMs, gapsMs, some);
  // While the store takes its time, more is on its way to it.
  const store = random.chance(0.5) ? 'slow' : plan.store;
  return { ...plan, store, batches, deeds: [...plan.deeds, ...changes] };
}
