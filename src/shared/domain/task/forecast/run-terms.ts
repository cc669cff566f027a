/** What a forecast needs: the terms of a run from its settings, and the requests of rows that are not a batch yet. */
import { repeatedRows } from '../../sheet/duplicate-requests.ts';
import type { Row } from '../../sheet/row.ts';
import { rowsReferredTo } from '../../cells/reference.ts';
import { FAMILIES } from '../../operations/operations.ts';
import { amountOf, microsOf } from '../../base/money.ts';
import { accountsOf, dearestPrices } from '../accounts/account.ts';
import type { BatchSettings } from '../batch.ts';
import { requestKindOf } from '../canary.ts';
import { present } from '../../base/result.ts';
import { NOTHING_SPENT, type Cap, type Limit, type SpendingLimits, type SpentSum } from '../spending.ts';
import { gateAt, type Gate, type Schedule } from '../schedule.ts';
import { NOTHING_HELD, type ForecastTerms, type WaitingKind, type WaitingWork } from './run-facts.ts';

type Limits = BatchSettings['profile']['limits'];

/** The settings that decide what a run will be. */
export type RunSettings = Pick<
  BatchSettings,
  'profile' | 'accounts' | 'rehearsal' | 'maxSubmits' | 'maxCost' | 'canary' | 'schedule' | 'gates'
>;

/** What was spent before a run, and the user's limits for all batches together. */
export interface SpentBefore {
  readonly limits: SpendingLimits;
  readonly batch: SpentSum;
  readonly night: SpentSum;
  readonly month: SpentSum;
  /** The time zone whose calendar separates nights and months. */
  readonly zone: string;
}

const NOTHING_BEFORE: SpentBefore = {
  limits: {},
  batch: NOTHING_SPENT,
  night: NOTHING_SPENT,
  month: NOTHING_SPENT,
  zone: 'UTC',
};

/** The terms of a run that begins at `now`, milliseconds since the epoch. */
export function termsOf(settings: RunSettings, now: number, spent = NOTHING_BEFORE): ForecastTerms {
  const { rehearsal, canary, schedule, gates } = settings;
  const accounts = accountsOf(settings);
  return {
    limits: limitsTogether(accounts),
    prices: rehearsal ? {} : dearestPrices(accounts),
    isRehearsal: rehearsal,
    hasCanary: canary !== undefined,
    again: gates?.again ?? 0,
    caps: capsOf(settings, spent),
    zone: spent.zone,
    now,
    ...present({ finishBy: schedule?.finishBy }),
    ...gateOf(schedule),
  };
}

function capsOf(settings: RunSettings, spent: SpentBefore): readonly Cap[] {
  const { maxSubmits, maxCost, rehearsal } = settings;
  const { night, month } = rehearsal ? {} : spent.limits;
  const limit: Limit = present({ requests: maxSubmits, cost: rehearsal ? undefined : maxCost });
  return [
    { of: 'batch', limit, spent: spent.batch },
    ...ofAccounts(accountsOf(settings), spent.batch),
    ...(night === undefined ? [] : [{ of: 'night' as const, limit: night, spent: spent.night }]),
    ...(month === undefined ? [] : [{ of: 'month' as const, limit: month, spent: spent.month }]),
  ];
}

/** What the accounts may take together, if each has a limit: one without a limit would take what the others may not. */
function ofAccounts(accounts: ReturnType<typeof accountsOf>, spent: SpentSum): readonly Cap[] {
  const requests = accounts.flatMap(({ limit }) => limit?.requests ?? []);
  const costs = accounts.flatMap(({ limit }) => limit?.cost ?? []);
  const [cost] = costs;
  const isOneCurrency = costs.every(({ currency }) => currency === cost?.currency);
  const limit: Limit = {
    ...(requests.length === accounts.length ? { requests: requests.reduce((sum, one) => sum + one, 0) } : {}),
    ...(cost !== undefined && costs.length === accounts.length && isOneCurrency
      ? { cost: { ...cost, amount: amountOf(costs.reduce((sum, one) => sum + microsOf(one.amount), 0)) } }
      : {}),
  };
  return Object.keys(limit).length === 0 ? [] : [{ of: 'account', limit, spent }];
}

/** The limits of several accounts together. */
function limitsTogether([{ profile: first }, ...others]: ReturnType<typeof accountsOf>): Limits {
  return others.reduce(
    (sum, { profile: { limits } }) => ({
      requestsPerSecond: sum.requestsPerSecond + limits.requestsPerSecond,
      downloads: Math.max(sum.downloads, limits.downloads),
      activePerFamily: Object.fromEntries(
        FAMILIES.map((family) => [family, sum.activePerFamily[family] + limits.activePerFamily[family]]),
      ) as Limits['activePerFamily'],
    }),
    first.limits,
  );
}

/** When something may be sent. The answer for a stretch is kept: it is asked for with every request. */
function gateOf(schedule: Schedule | undefined): Pick<ForecastTerms, 'open' | 'closes'> {
  let known: { readonly from: number; readonly to: number; readonly gate: Gate } | undefined;
  const at = (time: number): Gate => {
    if (known === undefined || time < known.from || time >= known.to) {
      const gate = gateAt(schedule, time);
      known = { from: time, to: untilOf(gate), gate };
    }
    return known.gate;
  };
  return {
    open: (time) => {
      if (time === Number.POSITIVE_INFINITY) return time;
      const gate = at(time);
      return gate.kind === 'open' ? time : untilOf(gate);
    },
    closes: (time) => (time === Number.POSITIVE_INFINITY ? time : untilOf(at(time))),
  };
}

function untilOf(gate: Gate): number {
  return 'until' in gate ? (gate.until ?? Number.POSITIVE_INFINITY) : Number.POSITIVE_INFINITY;
}

/**
 * The requests of rows that can run, in the order in which they are sent.
 * @param invalidRows How many rows an error keeps from running.
 */
export function workOfRows(rows: readonly Row[], invalidRows: number): WaitingWork {
  const kinds: WaitingKind[] = [];
  const indexes = new Map<number, number>();
  const queue: number[] = [];
  const lastOfRow = new Map<string, number>();
  const waiting: [first: number, end: number, row: Row][] = [];
  const inOrder = rows.toSorted((a, b) => b.priority - a.priority || a.line - b.line);
  for (const row of inOrder) {
    const { operation, body, takes } = row;
    if (operation === undefined) continue;
    const requestKind = requestKindOf(row);
    const { model } = body;
    const kind =
      indexes.get(requestKind) ??
      kinds.push({ operation, model: typeof model === 'string' ? model : '', requestKind, isVerified: false }) - 1;
    indexes.set(requestKind, kind);
    const first = queue.length;
    for (let take = 0; take < takes; take += 1) queue.push(kind);
    lastOfRow.set(row.id, queue.length - 1);
    if (row.links !== undefined) waiting.push([first, queue.length, row]);
  }
  const after = new Map<number, number>();
  for (const [first, end, row] of waiting) {
    // The row that is sent last stands for all of them.
    const others = rowsReferredTo(row.links).flatMap((id) => lastOfRow.get(id) ?? []);
    if (others.length > 0) for (let place = first; place < end; place += 1) after.set(place, Math.max(...others));
  }
  const repeated = repeatedRows(rows).map(({ operation, takes }) => ({ operation, takes }));
  return {
    kinds,
    queue,
    after,
    inFlight: [],
    flaggable: [],
    rows: rows.length,
    invalidRows,
    repeated,
    held: NOTHING_HELD,
  };
}
