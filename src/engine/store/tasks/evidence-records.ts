import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import {
  SEEN_KEPT,
  type CountedStatus,
  type SeenOutcome,
  type SeenStatus,
} from '../../../shared/domain/gateway/seen-status.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-machine.ts';
import type { Attempt, AttemptAnswer, AttemptIntent, RawAnswer } from '../../ports.ts';
import { prepare } from '../open/statement.ts';

/** How many completion times are kept for an operation and model. */
export const COMPLETIONS_KEPT = 64;

interface AttemptColumns {
  readonly id: number;
  readonly task: number;
  readonly started_at: number;
  readonly origin: string;
  readonly key_fingerprint: string;
  readonly body_sha256: string;
  readonly answered_at: number | null;
  readonly outcome: NonNullable<Attempt['outcome']> | null;
  readonly http_status: number | null;
  readonly headers: string | null;
  readonly truncated: number | null;
  readonly body: Uint8Array;
  readonly answer: Uint8Array | null;
}

interface AnswerColumns {
  readonly http_status: number;
  readonly headers: string;
  readonly truncated: number;
  readonly answer: Uint8Array;
}

/** What happened and how it is known: attempts, raw answers, events, completion times. Read on demand, never with tasks. */
export interface EvidenceRecords {
  hasOpenAttempt(taskId: number): boolean;
  /** True when a submit was meant for the task at any time, whatever came of it. */
  hasAttempt(taskId: number): boolean;
  openAttempt(taskId: number, batch: number, intent: AttemptIntent): void;
  /** Answers the open attempt of a task; false where none is open. */
  closeAttempt(taskId: number, answer: AttemptAnswer): boolean;
  attempts(taskId: number): readonly Attempt[];
  originsOfKey(keyFingerprint: string): readonly string[];
  keepPollAnswer(taskId: number, answer: RawAnswer): void;
  pollAnswer(taskId: number): RawAnswer | undefined;
  appendEvent(taskId: number, at: number, event: TaskEvent): void;
  events(taskId: number): readonly { readonly at: number; readonly event: TaskEvent }[];
  keepCompletion(taskId: number, durationMs: number): void;
  completions(gateway: string, operation: OperationPath, model: string): readonly number[];
  keepSeen(gateway: string, seen: SeenStatus, at: number): void;
  /** Of one gateway, or of all. */
  seenStatuses(gateway?: string): readonly CountedStatus[];
}

export function openEvidenceRecords(db: DatabaseSyncInstance): EvidenceRecords {
  return {
    ...attemptRecords(db),
    ...pollAnswerRecords(db),
    ...eventRecords(db),
    ...completionRecords(db),
    ...seenRecords(db),
  };
}

function attemptRecords(db: DatabaseSyncInstance) {
  const selectOpen = prepare(db, 'SELECT 1 FROM attempts WHERE task = ? AND answered_at IS NULL');
  const selectAny = prepare(db, 'SELECT 1 FROM attempts WHERE task = ? LIMIT 1');
  const insert = prepare(
    db,
    `INSERT INTO attempts (task, batch, started_at, origin, key_fingerprint, body_sha256, body)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const close = prepare(
    db,
    `UPDATE attempts SET answered_at = ?, outcome = ?, http_status = ?, headers = ?, truncated = ?, answer = ?
     WHERE task = ? AND answered_at IS NULL`,
  );
  const select = prepare<AttemptColumns>(db, 'SELECT * FROM attempts WHERE task = ? ORDER BY id');
  const selectOrigins = prepare<{ origin: string }>(
    db,
    `SELECT DISTINCT origin FROM attempts
     WHERE key_fingerprint = ? AND outcome IS NOT 'not-sent' ORDER BY origin`,
  );
  return {
    hasOpenAttempt: (taskId: number) => selectOpen.get(taskId) !== undefined,
    hasAttempt: (taskId: number) => selectAny.get(taskId) !== undefined,
    openAttempt(taskId: number, batch: number, intent: AttemptIntent) {
      const { startedAt, origin, keyFingerprint, bodySha256, body } = intent;
      insert.run(taskId, batch, startedAt, origin, keyFingerprint, bodySha256, body);
    },
    closeAttempt(taskId: number, { answeredAt, outcome, raw }: AttemptAnswer) {
      const answer = raw
        ? [raw.httpStatus, JSON.stringify(raw.headers), raw.truncated ? 1 : 0, raw.body]
        : [null, null, null, null];
      return close.run(answeredAt, outcome, ...answer, taskId) === 1;
    },
    attempts: (taskId: number) => select.all(taskId).map(attemptOf),
    originsOfKey: (keyFingerprint: string) => selectOrigins.all(keyFingerprint).map(({ origin }) => origin),
  };
}

function attemptOf(columns: AttemptColumns): Attempt {
  const { http_status, headers, truncated, answer } = columns;
  const hasAnswer = http_status !== null && headers !== null && truncated !== null && answer !== null;
  return {
    id: columns.id,
    taskId: columns.task,
    startedAt: columns.started_at,
    origin: columns.origin,
    keyFingerprint: columns.key_fingerprint,
    body: columns.body,
    bodySha256: columns.body_sha256,
    ...(columns.answered_at === null ? {} : { answeredAt: columns.answered_at }),
    ...(columns.outcome === null ? {} : { outcome: columns.outcome }),
    ...(hasAnswer ? { raw: rawAnswerOf({ http_status, headers, truncated, answer }) } : {}),
  };
}

function rawAnswerOf(columns: AnswerColumns): RawAnswer {
  return {
    httpStatus: columns.http_status,
    headers: JSON.parse(columns.headers) as Record<string, string>,
    body: columns.answer,
    truncated: columns.truncated === 1,
  };
}

function pollAnswerRecords(db: DatabaseSyncInstance) {
  const replace = prepare(
    db,
    'INSERT OR REPLACE INTO poll_answers (task, http_status, headers, truncated, answer) VALUES (?, ?, ?, ?, ?)',
  );
  const select = prepare<AnswerColumns>(
    db,
    'SELECT http_status, headers, truncated, answer FROM poll_answers WHERE task = ?',
  );
  return {
    keepPollAnswer(taskId: number, { httpStatus, headers, truncated, body }: RawAnswer) {
      replace.run(taskId, httpStatus, JSON.stringify(headers), truncated ? 1 : 0, body);
    },
    pollAnswer(taskId: number) {
      const columns = select.get(taskId);
      return columns && rawAnswerOf(columns);
    },
  };
}

function eventRecords(db: DatabaseSyncInstance) {
  const insert = prepare(db, 'INSERT INTO events (task, at, event) VALUES (?, ?, ?)');
  const select = prepare<{ readonly at: number; readonly event: string }>(
    db,
    'SELECT at, event FROM events WHERE task = ? ORDER BY seq',
  );
  return {
    appendEvent: (taskId: number, at: number, event: TaskEvent) => void insert.run(taskId, at, JSON.stringify(event)),
    events: (taskId: number) =>
      select.all(taskId).map(({ at, event }) => ({ at, event: JSON.parse(event) as TaskEvent })),
  };
}

function completionRecords(db: DatabaseSyncInstance) {
  const insert = prepare(
    db,
    `INSERT INTO completions (gateway, operation, model, duration_ms)
     SELECT batches.gateway, operation, model, ? FROM tasks JOIN batches ON batches.seq = tasks.batch WHERE tasks.id = ?`,
  );
  const prune = prepare(
    db,
    `DELETE FROM completions WHERE seq <= (
       SELECT c.seq FROM completions AS c JOIN tasks ON tasks.operation = c.operation AND tasks.model = c.model
         JOIN batches ON batches.seq = tasks.batch AND batches.gateway = c.gateway
       WHERE tasks.id = ? ORDER BY c.seq DESC LIMIT 1 OFFSET ${COMPLETIONS_KEPT})
     AND (gateway, operation, model) = (
       SELECT batches.gateway, operation, model FROM tasks JOIN batches ON batches.seq = tasks.batch WHERE tasks.id = ?)`,
  );
  const select = prepare<{ readonly duration_ms: number }>(
    db,
    'SELECT duration_ms FROM completions WHERE gateway = ? AND operation = ? AND model = ? ORDER BY seq DESC',
  );
  return {
    keepCompletion(taskId: number, durationMs: number) {
      insert.run(durationMs, taskId);
      prune.run(taskId, taskId);
    },
    completions: (gateway: string, operation: OperationPath, model: string) =>
      select.all(gateway, operation, model).map((columns) => columns.duration_ms),
  };
}

interface SeenColumns {
  readonly gateway: string;
  readonly operation: OperationPath;
  readonly status: string;
  readonly has_url: number;
  readonly has_ended: number;
  readonly has_message: number;
  readonly became: SeenOutcome;
  readonly tasks: number;
  readonly last_at: number;
}

function seenRecords(db: DatabaseSyncInstance) {
  const count = prepare(
    db,
    `UPDATE seen_statuses SET tasks = tasks + 1, last_at = max(last_at, ?8) WHERE gateway = ?1 AND operation = ?2
       AND status = ?3 AND has_url = ?4 AND has_ended = ?5 AND has_message = ?6 AND became = ?7`,
  );
  const insert = prepare(
    db,
    `INSERT INTO seen_statuses SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8
     WHERE (SELECT count(*) FROM seen_statuses WHERE gateway = ?1) < ${SEEN_KEPT}`,
  );
  const select = prepare<SeenColumns>(
    db,
    `SELECT * FROM seen_statuses WHERE ?1 IS NULL OR gateway = ?1
     ORDER BY gateway, operation, status, has_url, has_ended, has_message, became`,
  );
  return {
    keepSeen(gateway: string, { operation, status, hasUrl, hasEnded, hasMessage, became }: SeenStatus, at: number) {
      const looks = [hasUrl, hasEnded, hasMessage].map((has) => (has ? 1 : 0));
      const values = [gateway, operation, status, ...looks, became, at];
      if (count.run(...values) === 0) insert.run(...values);
    },
    seenStatuses: (gateway?: string) => select.all(gateway ?? null).map(seenOf),
  };
}

function seenOf(columns: SeenColumns): CountedStatus {
  const { gateway, operation, status, has_url, has_ended, has_message, became, tasks, last_at: lastAt } = columns;
  const looks = { hasUrl: has_url === 1, hasEnded: has_ended === 1, hasMessage: has_message === 1 };
  return { gateway, operation, status, ...looks, became, tasks, lastAt };
}
