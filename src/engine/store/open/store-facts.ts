/** What somebody who helps needs to know about a store, in numbers: read beside its owner, for any version. */
import { readdirSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { BatchOutline, Counted, StoreFacts } from '../../../shared/domain/telling/diagnostics-text.ts';
import type { SqliteDatabase } from './sqlite-database.ts';
import { MIGRATIONS } from './migrations.ts';
import { openForReading } from './open-database.ts';
import { isOwned } from './owner-lock.ts';

const BATCHES_TOLD = 5;

const COUNTS: Readonly<Record<string, string>> = {
  batches: 'SELECT state AS word, count(*) AS n FROM batches GROUP BY 1',
  rows: 'SELECT status AS word, count(*) AS n FROM rows WHERE removed = 0 GROUP BY 1',
  takes: 'SELECT status AS word, count(*) AS n FROM tasks WHERE superseded = 0 GROUP BY 1',
  'takes of each operation': 'SELECT operation AS word, count(*) AS n FROM tasks WHERE superseded = 0 GROUP BY 1',
  'failed takes': `SELECT json_extract(state, '$.failure.code') AS word, count(*) AS n FROM tasks
    WHERE superseded = 0 AND status = 'failed' GROUP BY 1`,
  pauses: `SELECT coalesce(json_extract(pause, '$.failure.code'), json_extract(pause, '$.by')) AS word, count(*) AS n
    FROM batches WHERE pause IS NOT NULL GROUP BY 1`,
  'paid requests': "SELECT coalesce(outcome, 'open') AS word, count(*) AS n FROM attempts GROUP BY 1",
  'answers by HTTP status': "SELECT coalesce(http_status, 'none') AS word, count(*) AS n FROM attempts GROUP BY 1",
};

/** The facts about the store in a folder, even if it cannot be used. */
export function storeFacts(dataDir: string): StoreFacts {
  const file = path.join(dataDir, 'nocturne.db');
  const opened = openForReading(file, { isSound: true, ofAnyVersion: true });
  const facts = {
    knownSchema: MIGRATIONS.length,
    bytes: sizeOf(file),
    logBytes: sizeOf(`${file}-wal`),
    freeBytes: freeOn(dataDir),
    copies: copiesIn(dataDir),
    hasOwner: orElse(() => isOwned(dataDir), false),
  };
  const none = { schema: undefined, sqlite: undefined, counts: {}, batches: [] };
  if (!opened.ok) return { ...facts, ...none, problem: opened.error.kind };
  const db = opened.value;
  try {
    const counts = Object.entries(COUNTS).map(([what, sql]) => [
      what,
      orElse(() => db.prepare<Counted>(sql).all(), []),
    ]);
    return {
      ...facts,
      problem: undefined,
      schema: orElse(() => Number(db.pragma('user_version')), undefined),
      sqlite: orElse(() => db.prepareColumn<string>('SELECT sqlite_version()')()[0], undefined),
      counts: Object.fromEntries(counts) as StoreFacts['counts'],
      batches: orElse(() => newestBatches(db), []),
    };
  } finally {
    db.close();
  }
}

function newestBatches(db: SqliteDatabase): readonly BatchOutline[] {
  const select = db.prepare<Omit<BatchOutline, 'rehearsal'> & { readonly rehearsal: number | null }>(`
    SELECT state, coalesce(json_extract(pause, '$.failure.code'), json_extract(pause, '$.by')) AS pause,
      row_count AS rows, task_count AS tasks, json_extract(settings, '$.rehearsal') AS rehearsal,
      json_extract(settings, '$.maxSubmits') AS maxSubmits, json_extract(settings, '$.fuse') AS fuse
    FROM batches ORDER BY seq DESC LIMIT ?`);
  return select.all(BATCHES_TOLD).map((batch) => ({
    ...batch,
    rehearsal: batch.rehearsal === 1,
    maxSubmits: numberOrNone(batch.maxSubmits),
    fuse: numberOrNone(batch.fuse),
  }));
}

function numberOrNone(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/** If one fact of a damaged store, or of another version's, cannot be read, the rest still can. */
function orElse<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

function sizeOf(file: string): number | undefined {
  return statSync(file, { throwIfNoEntry: false })?.size;
}

function freeOn(folder: string): number | undefined {
  return orElse(() => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  }, undefined);
}

function copiesIn(folder: string): number {
  return orElse(
    () => readdirSync(folder).filter((name) => /^nocturne-(?:schema|replaced)-\d+\.db$/u.test(name)).length,
    0,
  );
}
