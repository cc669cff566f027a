import { amountOf, type Money } from '../../../shared/domain/base/money.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { CountedStretch, LedgerScope } from '../../../shared/domain/ledger/ledger-view.ts';
import type { ChargeKind, LedgerRequests, PaidRequest } from '../../../shared/domain/ledger/ledger-money.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { TaskStatus } from '../../../shared/domain/task/task.ts';
import type { BatchRecords } from '../tasks/batch-records.ts';
import { UNCHARGED } from '../tasks/evidence-records.ts';
import { RESERVED_CHARGES, COUNTED, microsIn } from '../tasks/kept-charges.ts';
import { IN_LIST, type Database, type SqlValue } from '../open/database.ts';

/**
 * The paid requests of a scope: its batches, its night, its beginning. Answered from an index, without reading their
 * bytes.
 */
const OF_SCOPE = `attempts.batch ${IN_LIST.replace('?', '?1')} AND (CAST(?2 AS BIGINT) IS NULL OR attempts.night = ?2)
  AND (CAST(?3 AS DOUBLE PRECISION) IS NULL OR attempts.started_at >= ?3)`;
const MAY_BE_CHARGED = `(outcome IS NULL OR outcome NOT IN (${[...UNCHARGED].map((name) => `'${name}'`).join(', ')}))`;

/** Another paid request of the same take; one that only repeats a request under its key does not count. */
const LATER_REQUEST = `SELECT 1 FROM attempts AS later WHERE later.task = attempts.task AND later.id > attempts.id
    AND later.outcome IS DISTINCT FROM 'asked-again'`;

/** An unknown outcome becomes known once a code is adopted, unless another request followed. */
const IS_ADOPTED = `(tasks.status IN ('rendering', 'downloading', 'done', 'cancelled')
    OR (tasks.status = 'failed' AND tasks.state ->> '$.failure.code' IS DISTINCT FROM 'WRITTEN_OFF'))
  AND tasks.task_code IS NOT NULL
  AND NOT EXISTS (${LATER_REQUEST})`;
const CHARGE = `CASE WHEN outcome IS NULL THEN 'reserved' WHEN outcome IN ('accepted', 'charged') THEN 'spent'
  WHEN ${IS_ADOPTED} THEN 'spent' ELSE 'unknown' END`;

/**
 * Once an outcome is known, there is one charge: the number, which is stored after the bytes of the answer, is not
 * read.
 */
const RESERVED = `CASE WHEN outcome IS NULL OR outcome IN ('unknown', 'interrupted') THEN ${RESERVED_CHARGES} ELSE 1 END`;

/**
 * Days in every zone begin and end with one: the day is worked out for each quarter of an hour, not for each request.
 */
const QUARTER_MS = 900_000;

const PAGE = 500;

interface RequestColumns {
  readonly batch: number;
  readonly day: string;
  readonly operation: OperationPath;
  readonly account: string | null;
  readonly charge: ChargeKind;
  readonly currency: string | null;
  readonly cost_currency: string | null;
  readonly n: number;
  /** So many of them for takes that count no longer. */
  readonly earlier: number;
  readonly micros: number | null;
  readonly counted: number;
}

interface PaidColumns {
  readonly id: number;
  readonly batch: number;
  readonly row: string;
  readonly take: number;
  readonly operation: OperationPath;
  readonly task_code: string | null;
  readonly started_at: number;
  readonly outcome: string | null;
  readonly price: number | null;
  readonly currency: string | null;
  readonly cost: number | null;
  readonly cost_currency: string | null;
  readonly account: string | null;
}

/** Tasks that are alike, by stretches of the timeline. */
interface CountedTasks {
  readonly accepted: number | null;
  readonly finished: number | null;
  readonly status: TaskStatus;
  readonly n: number;
}

/** What was sent for the batches of a ledger, when, and what it cost. */
export function openLedgerRequests(db: Database, batches: BatchRecords) {
  const requestsBy = (account: string) =>
    db.prepare<RequestColumns>(`
    WITH quarters AS (
      SELECT attempts.batch, CAST(trunc(started_at / ${QUARTER_MS}) AS BIGINT) AS quarter, operation, ${account} AS account, ${CHARGE} AS charge,
        currency, cost_currency, count(*) AS n, sum(tasks.superseded) AS earlier, sum(${microsIn('coalesce(cost, price)')}) AS micros,
        sum(${COUNTED} * ${RESERVED}) AS counted
      FROM attempts INDEXED BY attempts_of_ledger JOIN tasks ON tasks.id = attempts.task
      WHERE ${OF_SCOPE} AND ${MAY_BE_CHARGED}
      GROUP BY quarter, attempts.batch, operation, 4, charge, currency, cost_currency)
    SELECT batch, strftime('%Y-%m-%d', quarter * ${QUARTER_MS / 1000}, 'unixepoch', 'localtime') AS day, operation, account, charge,
      currency, cost_currency, sum(n) AS n, sum(earlier) AS earlier, sum(micros) AS micros, sum(counted) AS counted
    FROM quarters GROUP BY batch, day, operation, account, charge, currency, cost_currency`);
  const selectByAccount = requestsBy('attempts.account');
  // This also works for a store of an older version, which knows nothing about accounts.
  const selectRequests = requestsBy('NULL');
  const selectSpan = db.prepare<{ readonly first: number | null; readonly last: number | null }>(`
    SELECT min(started_at) AS first, max(max(started_at), coalesce(max(answered_at), 0)) AS last
    FROM attempts WHERE ${OF_SCOPE}`);
  const selectLastEnd = db.prepareColumn<number | null>(`
    SELECT max(finished_at) FROM rows WHERE batch ${IN_LIST} AND removed = 0`);
  const selectSent = db.prepare<CountedStretch>(`
    SELECT CAST(trunc((started_at - ?4) / ?6) AS BIGINT) AS bucket,
      CASE WHEN outcome = 'rate-limited' THEN 'limited' ELSE 'submitted' END AS kind, count(*) AS n
    FROM attempts WHERE ${OF_SCOPE} AND started_at BETWEEN ?4 AND ?5 AND (${MAY_BE_CHARGED} OR outcome = 'rate-limited')
    GROUP BY bucket, kind`);
  const selectTasks = db.prepare<CountedTasks>(`
    SELECT CASE WHEN task_code IS NOT NULL THEN ${bucketOf('submitted_at')} END AS accepted,
      ${bucketOf('finished_at')} AS finished, status, count(*) AS n
    FROM tasks WHERE batch ${IN_LIST.replace('?', '?1')} AND (submitted_at IS NOT NULL OR finished_at IS NOT NULL)
    GROUP BY accepted, finished, status`);
  // Read in order of id: with any other index, each page would sort all of them.
  const paidBy = (account: string) =>
    db.prepare<PaidColumns>(`
    SELECT attempts.id, attempts.batch, ${account} AS account, row_id AS row, take, operation, started_at, outcome, price, currency, cost,
      cost_currency, CASE WHEN EXISTS (${LATER_REQUEST}) THEN NULL ELSE task_code END AS task_code
    FROM attempts NOT INDEXED JOIN tasks ON tasks.id = attempts.task
    WHERE attempts.id > ?4 AND ${OF_SCOPE} AND ${MAY_BE_CHARGED} ORDER BY attempts.id LIMIT ${PAGE}`);
  const selectPaidByAccount = paidBy('attempts.account');
  const selectPaid = paidBy('NULL');

  const seqsOf = (batchIds: readonly string[]): string =>
    JSON.stringify(batchIds.flatMap((id) => batches.everById(id)?.seq ?? []));
  const scopeValues = ({ batchIds, night, from }: LedgerScope): readonly SqlValue[] => [
    seqsOf(batchIds),
    night ?? null,
    from ?? null,
  ];
  const hasAccounts = (id: string): boolean => batches.everById(id)?.record.settings.accounts !== undefined;
  const isByAccount = ({ batchIds }: LedgerScope): boolean => batchIds.some(hasAccounts);
  const idOf = (batch: number): string => batches.bySeq(batch).record.id;

  return {
    requests: (scope: LedgerScope): readonly LedgerRequests[] =>
      (isByAccount(scope) ? selectByAccount : selectRequests)
        .all(...scopeValues(scope))
        .map(({ batch, day, operation, account, charge, n, earlier, ...sums }) => ({
          batchId: idOf(batch),
          day,
          operation,
          charge,
          requests: n,
          ...present({
            earlier: earlier > 0 ? earlier : undefined,
            account,
            cost: sumIn(sums.micros, sums.cost_currency ?? sums.currency),
            counted: sumIn(sums.counted, sums.currency ?? sums.cost_currency),
          }),
        })),
    span(scope: LedgerScope) {
      const { first, last } = selectSpan.get(...scopeValues(scope)) ?? { first: null, last: null };
      if (first === null) return undefined;
      const ended = scope.night === undefined ? selectLastEnd(seqsOf(scope.batchIds))[0] : undefined;
      return { from: first, to: Math.max(last ?? first, ended ?? first) };
    },
    stretches: (scope: LedgerScope, from: number, to: number, stepMs: number): readonly CountedStretch[] =>
      [
        ...selectSent.all(...scopeValues(scope), from, to, stepMs),
        ...selectTasks.all(seqsOf(scope.batchIds), from, to, stepMs).flatMap(stretchesOf),
      ].map(({ bucket, kind, n }) => ({ bucket, kind, n })),
    *paidRequests(scope: LedgerScope): Generator<PaidRequest> {
      const values = scopeValues(scope);
      const select = isByAccount(scope) ? selectPaidByAccount : selectPaid;
      const pages = db.pages(0, (after) => {
        const found = select.all(...values, after);
        const items = found.map((columns) => paidRequest(columns, idOf(columns.batch)));
        return { items, next: found.length < PAGE ? undefined : found.at(-1)?.id };
      });
      for (const requests of pages) yield* requests;
    },
  };
}

/** Where a moment is among the stretches: before them or in one of them; null if after them. */
function bucketOf(at: string): string {
  return `CASE WHEN ${at} < ?2 THEN -1 WHEN ${at} <= ?3 THEN CAST(trunc((${at} - ?2) / ?4) AS BIGINT) END`;
}

/** One task is counted when it was accepted, when it ended at the gateway, and for its outcome. */
function stretchesOf({ accepted, finished, status, n }: CountedTasks): readonly CountedStretch[] {
  const kinds: CountedStretch[] = accepted === null ? [] : [{ bucket: accepted, kind: 'accepted', n }];
  if (finished === null) return kinds;
  if (accepted !== null) kinds.push({ bucket: finished, kind: 'ended', n });
  if (finished >= 0 && status === 'done') kinds.push({ bucket: finished, kind: 'verified', n });
  if (finished >= 0 && status === 'failed') kinds.push({ bucket: finished, kind: 'failed', n });
  return kinds;
}

/** A sum of millionths; undefined if nothing is known to add up. */
function sumIn(micros: number | null, currency: string | null): Money | undefined {
  return micros === null || currency === null ? undefined : { amount: amountOf(micros), currency };
}

function paidRequest(columns: PaidColumns, batchId: string): PaidRequest {
  const { row, take, operation, started_at: at, outcome, price, currency, cost, cost_currency: costCurrency } = columns;
  return {
    at,
    batchId,
    row,
    take,
    operation,
    ...present({ taskCode: columns.task_code, account: columns.account }),
    outcome: outcome ?? 'no answer yet',
    ...(price === null || currency === null ? {} : { price: { amount: price, currency } }),
    ...(cost === null || costCurrency === null ? {} : { cost: { amount: cost, currency: costCurrency } }),
  };
}
