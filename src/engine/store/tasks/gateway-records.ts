import type { IdempotencyProof } from '../../../shared/domain/task/key-probe.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import {
  SEEN_KEPT,
  type CountedStatus,
  type SeenOutcome,
  type SeenStatus,
} from '../../../shared/domain/gateway/seen-status.ts';
import type { Database } from '../open/database.ts';
import { openLearnedRecords } from './learned-records.ts';

/** How many completion times are returned per operation and model. */
export const COMPLETIONS_KEPT = 64;
/** The table may contain about this many more. */
const PRUNED_AFTER = 32;

/**
 * What past nights have shown about gateways: how long renderings take, which statuses they report, and how keys have
 * fared.
 */
export function openGatewayRecords(db: Database) {
  const learned = openLearnedRecords(db, COMPLETIONS_KEPT);
  return { ...completionRecords(db), ...seenRecords(db), ...proofRecords(db), ...learned };
}

function completionRecords(db: Database) {
  const insert = db.prepare('INSERT INTO completions (gateway, operation, model, duration_ms) VALUES (?, ?, ?, ?)');
  const prune = db.prepare(`
    DELETE FROM completions WHERE gateway = ?1 AND operation = ?2 AND model = ?3 AND seq <= (
      SELECT seq FROM completions WHERE gateway = ?1 AND operation = ?2 AND model = ?3
      ORDER BY seq DESC LIMIT 1 OFFSET ${COMPLETIONS_KEPT})`);
  const select = db.prepare<{ readonly duration_ms: number }>(`
    SELECT duration_ms FROM completions WHERE gateway = ? AND operation = ? AND model = ?
    ORDER BY seq DESC LIMIT ${COMPLETIONS_KEPT}`);
  /** How many completions have come since the store was opened, by gateway, operation and model. */
  const come = new Map<string, number>();
  return {
    keepCompletion(gateway: string, operation: OperationPath, model: string, durationMs: number) {
      insert.run(gateway, operation, model, durationMs);
      const key = JSON.stringify([gateway, operation, model]);
      const count = come.get(key) ?? 0;
      come.set(key, count + 1);
      // Pruned with the first one since the store was opened, and then rarely: the oldest are on another page of the
      // database.
      if (count % PRUNED_AFTER === 0) prune.run(gateway, operation, model);
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

function seenRecords(db: Database) {
  const count = db.prepare(`
    UPDATE seen_statuses SET tasks = tasks + 1, last_at = max(last_at, ?8) WHERE gateway = ?1 AND operation = ?2
    AND status = ?3 AND has_url = ?4 AND has_ended = ?5 AND has_message = ?6 AND became = ?7`);
  const insert = db.prepare(`
    INSERT INTO seen_statuses SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?8
    WHERE (SELECT count(*) FROM seen_statuses WHERE gateway = ?1) < ${SEEN_KEPT}`);
  const select = db.prepare<SeenColumns>(`
    SELECT * FROM seen_statuses WHERE CAST(?1 AS TEXT) IS NULL OR gateway = ?1
    ORDER BY gateway, operation, status, has_url, has_ended, has_message, became`);
  return {
    keepSeen(gateway: string, { operation, status, hasUrl, hasEnded, hasMessage, became }: SeenStatus, at: number) {
      const looks = [hasUrl, hasEnded, hasMessage].map((has) => (has ? 1 : 0));
      const values = [gateway, operation, status, ...looks, became, at];
      if (count.run(...values) === 0) insert.run(...values);
    },
    /** For one gateway, or for all. */
    seenStatuses: (gateway?: string) => select.all(gateway ?? null).map(seenOf),
  };
}

function seenOf(columns: SeenColumns): CountedStatus {
  const { gateway, operation, status, has_url, has_ended, has_message, became, tasks, last_at: lastAt } = columns;
  const looks = { hasUrl: has_url === 1, hasEnded: has_ended === 1, hasMessage: has_message === 1 };
  return { gateway, operation, status, ...looks, became, tasks, lastAt };
}

function proofRecords(db: Database) {
  const write = db.prepare(`
    INSERT INTO idempotency_proofs (gateway, header, verdict, at) VALUES (?, ?, ?, ?)
    ON CONFLICT (gateway, header) DO UPDATE SET verdict = excluded.verdict, at = excluded.at`);
  const select = db.prepare<IdempotencyProof>('SELECT * FROM idempotency_proofs ORDER BY gateway, header');
  return {
    keepProof: ({ gateway, header, verdict, at }: IdempotencyProof) => void write.run(gateway, header, verdict, at),
    idempotencyProofs: () => select.all(),
  };
}
