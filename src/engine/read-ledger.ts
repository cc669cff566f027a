/** The ledger of a batch, of a night, or of everything since a day, read from a store. */
import { ledgerFigures, type LedgerBatch } from '../shared/domain/ledger/ledger-figures.ts';
import { cameTo, ledgerMoney } from '../shared/domain/ledger/ledger-money.ts';
import type {
  BatchChange,
  Ledger,
  LedgerBatchView,
  LedgerScope,
  NightSummary,
  Timeline,
} from '../shared/domain/ledger/ledger-view.ts';
import { stepOf, timelineOf } from '../shared/domain/ledger/night-timeline.ts';
import { present } from '../shared/domain/base/result.ts';
import { accountsOf, dearestPrices } from '../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { waitingUntil } from '../shared/domain/task/schedule.ts';
import type { StoreView } from './store-view.ts';

/**
 * Which ledger is wanted: that of a batch, of a night by its number, of everything since a moment, or of the last
 * night.
 */
export interface LedgerQuestion {
  readonly batchId?: string | undefined;
  readonly night?: number | undefined;
  /** Milliseconds since the epoch. */
  readonly since?: number | undefined;
}

export interface LedgerReading {
  readonly now: number;
  /** Whether a process works on the store: without one, nothing continues by itself. */
  readonly isAtWork: boolean;
}

/** More than a year of nights. */
const NIGHTS_KEPT_IN_VIEW = 400;

/** Undefined if there is no such batch or night, or nothing at all yet. */
export async function readLedger(
  view: Pick<StoreView, 'store' | 'ledger'>,
  question: LedgerQuestion,
  { now, isAtWork }: LedgerReading,
): Promise<Ledger | undefined> {
  const { ledger } = view;
  const subject = await subjectOf(view, question, isAtWork);
  if (subject === undefined) return undefined;
  const { records, scope, night } = subject;
  const batches = records.map((record) => ledgerBatch(record, isAtWork, now));
  const [takes, requests] = await Promise.all([ledger.takes(scope.batchIds), ledger.requests(scope)]);
  const [changes, forecasts] = await Promise.all([ledger.changes(scope.batchIds), ledger.forecasts(scope)]);
  const timeline = await readTimeline(view, scope, night, changes, now);
  const until = night?.endedAt ?? Infinity;
  const foretoldOf = (batchId: string): LedgerBatchView['foretold'] => {
    const forecast = forecasts.find((one) => one.batchId === batchId)?.forecast;
    if (forecast === undefined) return undefined;
    const { at: since, requests: count, cost, ends, limit } = forecast;
    // Rows that were run again belong to what came of it: its end is the last one.
    const own = changes.filter(({ batchId: of, at }) => of === batchId && at >= since && at <= until);
    const last = own.at(-1);
    const ended = last?.state === 'finished' ? last.at : undefined;
    const firstEnd = own.find(({ state }) => state === 'finished');
    const ranAgain = firstEnd === undefined || firstEnd === last ? undefined : (true as const);
    const came = { ...cameTo(requests, batchId), ...present({ ended, ranAgain }) };
    return { requests: count, cost, came, ...present({ ends: ends?.likely, limit }) };
  };
  return {
    ...ledgerFigures(batches, takes),
    batches: records.map((record) => batchView(record, foretoldOf(record.id))),
    isPart: records.some((record) => ranBeside(record, scope, night)),
    money: ledgerMoney(batches, takes, requests),
    ...present({ night, timeline }),
  };
}

interface Subject {
  readonly records: readonly BatchRecord[];
  readonly scope: LedgerScope;
  readonly night?: NightSummary;
}

async function subjectOf(
  { store, ledger }: Pick<StoreView, 'store' | 'ledger'>,
  { batchId, night, since }: LedgerQuestion,
  isAtWork: boolean,
): Promise<Subject | undefined> {
  const there = await store.batches();
  const records = [...there, ...(await ledger.removed())];
  const chosen = (ids: readonly string[]): readonly BatchRecord[] => records.filter(({ id }) => ids.includes(id));
  if (batchId !== undefined) {
    const found = chosen([batchId]);
    return found.length === 0 ? undefined : { records: found, scope: { batchIds: [batchId] } };
  }
  if (since !== undefined) {
    const nights = await ledger.nights(NIGHTS_KEPT_IN_VIEW, isAtWork);
    const late = nights.filter(({ endedAt = Infinity }) => endedAt >= since);
    const ran = new Set(late.flatMap(({ batchIds }) => batchIds));
    const found = records.filter(({ id, createdAt }) => createdAt >= since || ran.has(id));
    return { records: found, scope: { batchIds: found.map(({ id }) => id), from: since } };
  }
  const summary = night === undefined ? (await ledger.nights(1, isAtWork))[0] : await ledger.night(night, isAtWork);
  if (summary !== undefined) {
    const { batchIds, id } = summary;
    return { records: chosen(batchIds), scope: { batchIds, night: id }, night: summary };
  }
  // The batches are older than the record of nights, or none has been started: the newest one is of interest.
  const newest = night === undefined ? there.at(-1) : undefined;
  return newest && { records: [newest], scope: { batchIds: [newest.id] } };
}

function ledgerBatch({ id, name, state, pause, settings }: BatchRecord, isAtWork: boolean, now: number): LedgerBatch {
  const { rehearsal, shelf } = settings;
  const held = present({ pause, waitsUntil: waitingUntil({ state, settings }, now) });
  const away = shelf === undefined || shelf.is === 'archived' ? {} : { isDeleted: true as const };
  return { id, name, state, ...held, ...away, isAtWork, rehearsal, prices: dearestPrices(accountsOf(settings)) };
}

/** Whether a batch also ran outside the time of a ledger. */
function ranBeside(
  { startedAt = Infinity, resumedAt = 0 }: BatchRecord,
  { from }: LedgerScope,
  night: NightSummary | undefined,
): boolean {
  if (night !== undefined) return startedAt < night.beganAt || resumedAt > (night.endedAt ?? Infinity);
  return from !== undefined && startedAt < from;
}

function batchView(
  { id, name, settings, finishedAt }: BatchRecord,
  foretold: LedgerBatchView['foretold'],
): LedgerBatchView {
  return { id, name, rehearsal: settings.rehearsal, ...present({ finishedAt, foretold }) };
}

async function readTimeline(
  { ledger }: Pick<StoreView, 'ledger'>,
  scope: LedgerScope,
  night: NightSummary | undefined,
  changes: readonly BatchChange[],
  now: number,
): Promise<Timeline | undefined> {
  const sent = await ledger.span(scope);
  // Even without a request, files may have been fetched, in a night or since a moment: they are reported.
  const began = night?.beganAt ?? (sent === undefined ? scope.from : undefined);
  const from = Math.min(began ?? Infinity, sent?.from ?? Infinity);
  if (from === Infinity) return undefined;
  const ended = began === undefined ? -Infinity : (night?.endedAt ?? night?.interruptedAt ?? now);
  const to = Math.max(from, ended, sent?.to ?? -Infinity);
  const stepMs = stepOf(from, to);
  const stretches = await ledger.stretches(scope, from, to, stepMs);
  const timeline = timelineOf({ from, to, stepMs }, stretches, changes);
  const isEmpty = timeline.points.every(
    ({ submitted, verified, failed, active }) => submitted + verified + failed + active === 0,
  );
  return sent === undefined && isEmpty ? undefined : timeline;
}
