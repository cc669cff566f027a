import type { JsonObject } from '../../../shared/domain/base/json.ts';
import { sumOfCosts, type Money } from '../../../shared/domain/base/money.ts';
import type { IdempotencyProof } from '../../../shared/domain/task/key-probe.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import { groupBy, present } from '../../../shared/domain/base/result.ts';
import type { Attempt, AttemptAnswer, AttemptIntent, LateAnswer } from '../../ports/task-change.ts';
import type { RawAnswer } from '../../ports/media-gateway.ts';
import { IN_LIST, type Database } from '../open/database.ts';

interface AttemptColumns {
  readonly id: number;
  readonly task: number;
  readonly started_at: number;
  readonly origin: string;
  readonly key_fingerprint: string;
  readonly body_sha256: string;
  readonly night: number | null;
  readonly price: number | null;
  readonly currency: string | null;
  readonly answered_at: number | null;
  readonly outcome: NonNullable<Attempt['outcome']> | null;
  readonly http_status: number | null;
  readonly headers: string | null;
  readonly truncated: number | null;
  readonly body: Uint8Array;
  readonly answer: Uint8Array | null;
  /** Both are missing in a store of an older version, which is read as it is. */
  readonly cost?: number | null;
  readonly cost_currency?: string | null;
  /** All three are missing there, too. */
  readonly idempotency_key?: string | null;
  readonly idempotency_header?: string | null;
  readonly idempotency_base_url?: string | null;
  /** Missing there as well. */
  readonly account?: string | null;
}

interface AnswerColumns {
  readonly http_status: number;
  readonly headers: string;
  readonly truncated: number;
  readonly answer: Uint8Array;
}

/** The outcome of an attempt that only repeats an earlier attempt's request, set when it begins. */
const AGAIN = 'asked-again' satisfies Attempt['outcome'];

/** What happened and how we know: attempts, raw answers, events. Read on demand, never with tasks. */
export function openEvidenceRecords(db: Database) {
  return { ...attemptRecords(db), ...pollAnswerRecords(db), ...eventRecords(db) };
}

function attemptRecords(db: Database) {
  const selectOpen = db.prepare('SELECT 1 FROM attempts WHERE task = ? AND answered_at IS NULL');
  const selectAny = db.prepare('SELECT 1 FROM attempts WHERE task = ? LIMIT 1');
  const insert = db.prepare(`
    INSERT INTO attempts (task, batch, started_at, origin, key_fingerprint, body_sha256, body, night, price, currency,
      idempotency_key, idempotency_header, idempotency_base_url, outcome, charges, account)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const settleReserve = db.prepare('UPDATE attempts SET charges = NULL WHERE task = ? AND charges IS NOT NULL');
  const close = db.prepare(`
    UPDATE attempts SET answered_at = ?1, outcome = CASE outcome WHEN '${AGAIN}' THEN outcome ELSE ?2 END,
      http_status = coalesce(?3, http_status), headers = coalesce(?4, headers), truncated = coalesce(?5, truncated),
      answer = coalesce(?6, answer), cost = coalesce(?7, cost),
      cost_currency = CASE WHEN ?7 IS NULL THEN cost_currency ELSE ?8 END
    WHERE task = ?9 AND answered_at IS NULL`);
  // The charge stays with the first attempt under a key: with its night, and with what was reserved for it. What a
  // gateway does not state again stays as stated before.
  const settleFirst = db.prepare(`
    UPDATE attempts SET outcome = ?2, cost = coalesce(?3, cost),
      cost_currency = CASE WHEN ?3 IS NULL THEN cost_currency ELSE ?4 END
    WHERE task = ?1 AND outcome IN ('unknown', 'interrupted') AND idempotency_key = (
      SELECT idempotency_key FROM attempts WHERE task = ?1 AND answered_at IS NULL AND outcome = '${AGAIN}')`);
  const noteLate = db.prepare(`
    UPDATE attempts SET http_status = ?2, headers = ?3, truncated = ?4, answer = ?5, cost = coalesce(?6, cost),
      cost_currency = CASE WHEN ?6 IS NULL THEN cost_currency ELSE ?7 END
    WHERE id = ?1 AND http_status IS NULL`);
  const settleLate = db.prepare(`
    UPDATE attempts SET outcome = ?2 WHERE id = ?1 AND outcome IN ('unknown', 'interrupted') AND NOT EXISTS (
      SELECT 1 FROM attempts AS later WHERE later.task = attempts.task AND later.id > attempts.id
        AND later.idempotency_key = attempts.idempotency_key)`);
  // A second charge under a key is a separate one for which nothing was reserved: it counts at the price of the first.
  const chargeAgain = db.prepare(`
    UPDATE attempts SET outcome = 'unknown', (price, currency) = (SELECT price, currency FROM attempts AS first
      WHERE first.task = attempts.task AND first.idempotency_key = attempts.idempotency_key ORDER BY first.id LIMIT 1)
    WHERE task = ? AND answered_at IS NULL`);
  // An attempt that settled the request, or was refused, has an answer, and was not a second charge.
  const chargeUnanswered = db.prepare(`
    UPDATE attempts SET outcome = 'unknown', (price, currency) = (SELECT price, currency FROM attempts AS first
      WHERE first.task = attempts.task AND first.idempotency_key = attempts.idempotency_key ORDER BY first.id LIMIT 1)
    WHERE outcome = '${AGAIN}' AND answered_at IS NOT NULL AND (coalesce(http_status, 500) >= 500
        OR (http_status < 400 AND (SELECT outcome FROM attempts AS first WHERE first.task = attempts.task
          AND first.idempotency_key = attempts.idempotency_key ORDER BY first.id LIMIT 1) IN ('unknown', 'interrupted')))
      AND lower(idempotency_header) = ?2 AND CASE WHEN account IS NULL THEN batch IN (SELECT seq FROM batches WHERE gateway = ?1)
        ELSE idempotency_base_url = ?1 END`);
  const doubt = db.prepare(`
    UPDATE attempts SET outcome = 'unknown' WHERE id IN (
      SELECT id FROM attempts WHERE task = ?1 AND outcome = 'rate-limited' AND http_status IS DISTINCT FROM 429 AND id > coalesce((
          SELECT max(id) FROM attempts WHERE task = ?1 AND outcome NOT IN ('rate-limited', 'not-sent', 'charged')), 0)
      ORDER BY id DESC LIMIT ?2)`);
  // Most records repeat the cost: it is written only if it has changed.
  const writeCost = db.prepare(`
    UPDATE attempts SET cost = ?2, cost_currency = ?3
    WHERE id = (SELECT max(id) FROM attempts WHERE task = ?1 AND NOT EXISTS (SELECT 1 FROM attempts AS earlier
        WHERE earlier.task = ?1 AND earlier.id < attempts.id AND earlier.idempotency_key = attempts.idempotency_key))
      AND (cost IS DISTINCT FROM ?2 OR cost_currency IS DISTINCT FROM ?3)`);
  const select = db.prepare<AttemptColumns>('SELECT * FROM attempts WHERE task = ? ORDER BY id');
  const selectLastBody = db.prepare<{ readonly body: Uint8Array }>(`
    SELECT body FROM attempts WHERE task = ? ORDER BY id DESC LIMIT 1`);
  const selectOrigins = db.prepareColumn<string>(`
    SELECT DISTINCT origin FROM attempts
    WHERE key_fingerprint = ? AND outcome IS DISTINCT FROM 'not-sent' ORDER BY origin`);
  return {
    hasOpenAttempt: (taskId: number) => selectOpen.get(taskId) !== undefined,
    /** True if a submit of the task was ever intended, whatever its outcome. */
    hasAttempt: (taskId: number) => selectAny.get(taskId) !== undefined,
    openAttempt(taskId: number, batch: number, intent: AttemptIntent, night: number) {
      const {
        startedAt,
        origin,
        keyFingerprint,
        bodySha256,
        body,
        price,
        idempotency,
        isAgain,
        charges = null,
        account = null,
      } = intent;
      const { amount = null, currency = null } = price ?? {};
      const request = [startedAt, origin, keyFingerprint, bodySha256, body] as const;
      const { key: sent = null, header = null, baseUrl = null } = idempotency ?? {};
      const key = [sent, header, baseUrl] as const;
      const outcome = isAgain === true ? AGAIN : null;
      insert.run(taskId, batch, ...request, night, amount, currency, ...key, outcome, charges, account);
    },
    /** Records the answer to a task's open attempt, with what was noted about it before; false if none is open. */
    closeAttempt(taskId: number, { answeredAt, outcome, raw, cost, isChargedAgain }: AttemptAnswer) {
      const answer = columnsOf(raw);
      const costs = [cost?.amount ?? null, cost?.currency ?? null] as const;
      const isSettled = outcome !== 'unknown' && outcome !== 'interrupted';
      const costsOfFirst = isChargedAgain === true ? ([null, null] as const) : costs;
      const hasFirst = isSettled && settleFirst.run(taskId, outcome, ...costsOfFirst) > 0;
      const isOfFirst = hasFirst && isChargedAgain !== true;
      if (isChargedAgain === true) chargeAgain.run(taskId);
      const own = isChargedAgain === true ? 'unknown' : outcome;
      return close.run(answeredAt, own, ...answer, ...(isOfFirst ? [null, null] : costs), taskId) === 1;
    },
    /** Adds the answer to an attempt that has none, whoever closes it; true if the attempt is no longer a charge. */
    noteLate({ attempt, answer: { outcome, raw, cost } }: LateAnswer) {
      noteLate.run(attempt, ...columnsOf(raw), cost?.amount ?? null, cost?.currency ?? null);
      const isKnown = !mayBeCharged(outcome) || outcome === 'charged';
      return isKnown && settleLate.run(attempt, outcome) > 0 && !mayBeCharged(outcome);
    },
    /**
     * A gateway was found to charge twice for one key: a request that was sent there again and got no answer may be a
     * charge.
     */
    chargeUnanswered: ({ gateway, header }: Pick<IdempotencyProof, 'gateway' | 'header'>) =>
      void chargeUnanswered.run(gateway, header),
    /** Notes that the last `count` refusals of a task may have been charged. Returns how many there were. */
    doubt: (taskId: number, count: number) => doubt.run(taskId, count),
    /** Notes that the outcome of a task's paid requests is known, so each counts as one. True if more was reserved. */
    settleReserve: (taskId: number) => settleReserve.run(taskId) > 0,
    /** Notes what a task's last paid request cost, according to a later answer. */
    keepCost: (taskId: number, { amount, currency }: Money) => void writeCost.run(taskId, amount, currency),
    attempts: (taskId: number) => select.all(taskId).map(attemptOf),
    lastBody: (taskId: number) => selectLastBody.get(taskId)?.body,
    originsOfKey: (keyFingerprint: string) => selectOrigins(keyFingerprint),
  };
}

function columnsOf(raw: RawAnswer | undefined): readonly (number | string | Uint8Array | null)[] {
  if (raw === undefined) return [null, null, null, null];
  return [raw.httpStatus, JSON.stringify(raw.headers), raw.truncated ? 1 : 0, raw.body];
}

function attemptOf(columns: AttemptColumns): Attempt {
  const { http_status, headers, truncated, answer, price: amount, currency } = columns;
  const price = amount === null || currency === null ? undefined : { amount, currency };
  const hasAnswer = http_status !== null && headers !== null && truncated !== null && answer !== null;
  return {
    id: columns.id,
    taskId: columns.task,
    startedAt: columns.started_at,
    origin: columns.origin,
    keyFingerprint: columns.key_fingerprint,
    body: columns.body,
    bodySha256: columns.body_sha256,
    ...present({ price, night: columns.night, answeredAt: columns.answered_at, outcome: columns.outcome }),
    ...present({ account: columns.account }),
    ...(hasAnswer ? { raw: rawAnswerOf({ http_status, headers, truncated, answer }) } : {}),
    ...present({ cost: costOf(columns), idempotency: keyOf(columns) }),
  };
}

/** The key of a request; undefined if it was sent without one. */
function keyOf(columns: AttemptColumns): Attempt['idempotency'] {
  const { key, header, baseUrl } = present({
    key: columns.idempotency_key,
    header: columns.idempotency_header,
    baseUrl: columns.idempotency_base_url,
  });
  return key === undefined || header === undefined ? undefined : { key, header, ...present({ baseUrl }) };
}

/** The stored cost; undefined if the gateway said nothing. */
export function costOf({ cost, cost_currency }: Pick<AttemptColumns, 'cost' | 'cost_currency'>): Money | undefined {
  const { amount, currency } = present({ amount: cost, currency: cost_currency });
  return amount === undefined || currency === undefined ? undefined : { amount, currency };
}

function rawAnswerOf(columns: AnswerColumns): RawAnswer {
  return {
    httpStatus: columns.http_status,
    headers: JSON.parse(columns.headers) as Record<string, string>,
    body: columns.answer,
    truncated: columns.truncated === 1,
  };
}

function pollAnswerRecords(db: Database) {
  const write = db.prepare(`
    INSERT INTO poll_answers (task, http_status, headers, truncated, answer) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (task) DO UPDATE SET http_status = excluded.http_status, headers = excluded.headers,
      truncated = excluded.truncated, answer = excluded.answer`);
  const select = db.prepare<AnswerColumns>(`
    SELECT http_status, headers, truncated, answer FROM poll_answers WHERE task = ?`);
  return {
    keepPollAnswer(taskId: number, { httpStatus, headers, truncated, body }: RawAnswer) {
      write.run(taskId, httpStatus, JSON.stringify(headers), truncated ? 1 : 0, body);
    },
    pollAnswer(taskId: number) {
      const columns = select.get(taskId);
      return columns && rawAnswerOf(columns);
    },
  };
}

/** How many events are searched for the latest time: the last event is the latest, unless a clock was set back. */
const LATEST = 1000;

/** Something that happened to a task. */
export interface PastEvent {
  readonly taskId: number;
  readonly at: number;
  readonly event: TaskEvent;
}

function eventRecords(db: Database) {
  const insert = db.prepareInserts('events', 'task, at, event');
  const selectLast = db.prepareColumn<number | null>(`
    SELECT max(at) FROM (SELECT at FROM (SELECT at FROM events ORDER BY seq DESC LIMIT ${LATEST}) AS latest
      UNION ALL SELECT max(at) FROM batch_changes) AS noted`);
  const select = db.prepare<{ readonly at: number; readonly event: string }>(`
    SELECT at, event FROM events WHERE task = ? ORDER BY seq`);
  return {
    /** The time of the event that was noted last. */
    lastNotedAt: () => selectLast()[0] ?? undefined,
    /** Adds events, in this order. */
    appendEvents: (events: readonly PastEvent[]) =>
      insert(events.map(({ taskId, at, event }) => [taskId, at, JSON.stringify(event)])),
    events: (taskId: number) =>
      select.all(taskId).map(({ at, event }) => ({ at, event: JSON.parse(event) as TaskEvent })),
  };
}

/** Attempts with these outcomes were not charged; every other attempt was or may have been. */
export const UNCHARGED: ReadonlySet<string> = new Set(['not-sent', 'rate-limited', 'held', 'rejected', AGAIN]);

const UNCHARGED_LIST = [...UNCHARGED].map((outcome) => `'${outcome}'`).join(', ');

/** True for an attempt that was or may have been charged, including one that still waits for its answer. */
export function mayBeCharged(outcome: string | undefined): boolean {
  return outcome === undefined || !UNCHARGED.has(outcome);
}

/**
 * Returns a function that reads what tasks last sent, by task: what a row asked for then, whatever it asks for now. A
 * task that was never sent, or whose body is not a JSON object, has no entry.
 */
export function openSentRequests(db: Database): (taskIds: readonly number[]) => ReadonlyMap<number, JsonObject> {
  const select = db.prepare<{ readonly task: number; readonly body: Uint8Array }>(`
    SELECT task, body FROM attempts
    WHERE id IN (SELECT max(id) FROM attempts WHERE task ${IN_LIST} GROUP BY task)`);
  return (taskIds) => {
    if (taskIds.length === 0) return new Map();
    return new Map(
      select.all(JSON.stringify(taskIds)).flatMap(({ task, body }) => {
        const request = objectOf(body);
        return request === undefined ? [] : [[task, request] as const];
      }),
    );
  };
}

function objectOf(body: Uint8Array): JsonObject | undefined {
  try {
    const value = JSON.parse(new TextDecoder().decode(body)) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns a function that reads what tasks cost according to the gateway, by task; a task about which it said nothing
 * has no entry.
 */
export function openTaskCosts(db: Database): (taskIds: readonly number[]) => ReadonlyMap<number, Money> {
  const select = db.prepare<Pick<AttemptColumns, 'task' | 'cost' | 'cost_currency'>>(`
    SELECT task, cost, cost_currency FROM attempts
    WHERE task ${IN_LIST} AND cost IS NOT NULL AND coalesce(outcome, '') NOT IN (${UNCHARGED_LIST}) ORDER BY id`);
  return (taskIds) => {
    if (!db.hasColumn('attempts', 'cost')) return new Map();
    const costs = groupBy(select.all(JSON.stringify(taskIds)), ({ task }) => task, costOf);
    return new Map(
      [...costs].flatMap(([task, stated]) => {
        const sum = sumOfCosts(stated.flatMap((cost) => cost ?? []));
        return sum === undefined ? [] : [[task, sum] as const];
      }),
    );
  };
}
