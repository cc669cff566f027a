import { amountsOf } from '../../../shared/domain/base/money.ts';
import { groupBy, present } from '../../../shared/domain/base/result.ts';
import type { BatchChange, LedgerViews, NightSummary } from '../../../shared/domain/ledger/ledger-view.ts';
import type { ForecastRecord } from '../../../shared/domain/task/forecast/forecast-record.ts';
import type { BatchPause, BatchState } from '../../../shared/domain/task/batch.ts';
import type { AtOnce } from '../../ports/base.ts';
import { UNCHARGED } from '../tasks/evidence-records.ts';
import { microsIn } from '../tasks/kept-charges.ts';
import type { StoreParts } from '../tasks/store-parts.ts';
import { IN_LIST } from '../open/database.ts';
import { openLedgerRequests } from './ledger-requests.ts';
import { openLedgerTakes } from './ledger-takes.ts';

interface NightColumns {
  readonly id: number;
  readonly began_at: number;
  readonly ended_at: number | null;
}

/** Requests of a night that are alike. `n`: how many were, or may have been, charged. */
interface NightCost {
  readonly night: number;
  readonly batch: number;
  readonly currency: string | null;
  readonly n: number;
  readonly micros: number | null;
}

/** What the ledger reads from a store, on the same connection. */
export function sqliteLedgerViews({
  db,
  batchRecords,
  nightRecords,
}: Pick<StoreParts, 'db' | 'batchRecords' | 'nightRecords'>): AtOnce<LedgerViews> {
  const ledgerTakes = openLedgerTakes(db, batchRecords);
  const ledgerRequests = openLedgerRequests(db, batchRecords);
  const selectChanges = db.prepare<{
    readonly batch: number;
    readonly at: number;
    readonly state: BatchState;
    readonly pause: string | null;
  }>(`SELECT batch, at, state, pause FROM batch_changes WHERE batch ${IN_LIST} ORDER BY seq`);
  const selectForecasts = db.prepare<{ readonly batch: number; readonly forecast: string }>(`
    SELECT batch, forecast FROM forecasts WHERE (batch, night) IN (SELECT batch, min(night) FROM forecasts
      WHERE batch ${IN_LIST.replace('?', '?1')} AND (CAST(?2 AS BIGINT) IS NULL OR night = ?2)
        AND (CAST(?3 AS DOUBLE PRECISION) IS NULL OR CAST(forecast ->> '$.at' AS DOUBLE PRECISION) >= ?3)
      GROUP BY batch) ORDER BY batch`);
  const selectNights = db.prepare<NightColumns>('SELECT id, began_at, ended_at FROM nights ORDER BY id DESC LIMIT ?');
  const selectNight = db.prepare<NightColumns>('SELECT id, began_at, ended_at FROM nights WHERE id = ?');
  const selectCosts = db.prepare<NightCost>(`
    SELECT night, batch, coalesce(cost_currency, currency) AS currency, count(CASE WHEN charged THEN 1 END) AS n,
      sum(CASE WHEN charged THEN ${microsIn('coalesce(cost, price)')} END) AS micros
    FROM (SELECT *, outcome IS NULL OR outcome NOT IN (SELECT atom FROM json_each(?2)) AS charged FROM attempts
      WHERE batch IN (SELECT seq FROM batches) AND night ${IN_LIST.replace('?', '?1')}) AS requests
    GROUP BY night, batch, coalesce(cost_currency, currency)`);
  // A batch that was running when the night began, and has changed since, ran in that night as well.
  const selectRan = db.prepare<{ readonly night: number; readonly batch: number }>(`
    SELECT DISTINCT nights.id AS night, batch FROM nights JOIN batch_changes AS change
      ON at >= began_at AND (ended_at IS NULL OR at <= ended_at) AND (state = 'running' OR 'running' = (
        SELECT state FROM batch_changes AS before WHERE before.batch = change.batch AND before.seq < change.seq
        ORDER BY before.seq DESC LIMIT 1))
    WHERE nights.id ${IN_LIST}`);
  const selectVerified = db.prepare<{ readonly night: number | null; readonly n: number }>(`
    SELECT (SELECT id FROM nights WHERE began_at <= finished_at ORDER BY began_at DESC LIMIT 1) AS night, count(*) AS n
    FROM tasks WHERE batch IN (SELECT seq FROM batches) AND superseded = 0 AND status = 'done' AND finished_at >= ?
    GROUP BY night`);

  function summaries(nights: readonly NightColumns[], isAtWork: boolean): readonly NightSummary[] {
    if (nights.length === 0) return [];
    const ids = JSON.stringify(nights.map(({ id }) => id));
    const costs = groupBy(selectCosts.all(ids, JSON.stringify([...UNCHARGED])), ({ night }) => night);
    const ran = groupBy(
      selectRan.all(ids),
      ({ night }) => night,
      ({ batch }) => batch,
    );
    const first = Math.min(...nights.map(({ began_at: at }) => at));
    const verified = new Map(selectVerified.all(first).map(({ night, n }) => [night, n]));
    return nights.map(({ id, began_at: beganAt, ended_at: endedAt }) => {
      const ofNight = costs.get(id) ?? [];
      const batches = [...new Set([...ofNight.map(({ batch }) => batch), ...(ran.get(id) ?? [])])].toSorted(
        (a, b) => a - b,
      );
      const records = batches.map((batch) => batchRecords.bySeq(batch).record);
      const paid = ofNight.filter(({ batch }) => !batchRecords.bySeq(batch).record.settings.rehearsal);
      return {
        id,
        beganAt,
        ...present({ endedAt }),
        ...(endedAt !== null || isAtWork ? {} : { interruptedAt: nightRecords.lastSignIn({ id, beganAt }) }),
        batchIds: records.map((record) => record.id),
        rehearsal: records.length > 0 && records.every(({ settings }) => settings.rehearsal),
        verified: verified.get(id) ?? 0,
        requests: paid.reduce((sum, { n }) => sum + n, 0),
        costs: costsOf(paid),
      };
    });
  }

  return {
    ...ledgerRequests,
    ...ledgerTakes,
    changes: (batchIds) =>
      selectChanges
        .all(JSON.stringify(batchIds.flatMap((id) => batchRecords.everById(id)?.seq ?? [])))
        .map(({ batch, at, state, pause }): BatchChange => {
          const why = pause === null ? {} : { pause: JSON.parse(pause) as BatchPause };
          return { batchId: batchRecords.bySeq(batch).record.id, at, state, ...why };
        }),
    forecasts: ({ batchIds, night, from }) =>
      selectForecasts
        .all(
          JSON.stringify(batchIds.flatMap((id) => batchRecords.everById(id)?.seq ?? [])),
          night ?? null,
          from ?? null,
        )
        .map(({ batch, forecast }) => ({
          batchId: batchRecords.bySeq(batch).record.id,
          forecast: JSON.parse(forecast) as ForecastRecord,
        })),
    removed: () => batchRecords.removed().map(({ record }) => record),
    nights: (limit, isAtWork) => summaries(selectNights.all(limit), isAtWork),
    night(id, isAtWork) {
      const columns = selectNight.get(id);
      return columns && summaries([columns], isAtWork)[0];
    },
  };
}

/** By currency; without requests whose price is unknown. */
function costsOf(paid: readonly NightCost[]): NightSummary['costs'] {
  const sums = new Map<string, number>();
  for (const { currency, micros } of paid) {
    if (currency !== null && micros !== null) sums.set(currency, (sums.get(currency) ?? 0) + micros);
  }
  return amountsOf(sums);
}
