import pg from 'pg';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SqliteDatabase } from '../../src/engine/store/open/sqlite-database.ts';
import { toPostgres } from '../../src/engine/store/postgres/dialect.ts';
import { postgresAddress } from '../support/postgres.ts';
import { openedOnPostgres, openedStore } from './opened-store.ts';

interface PlanStep {
  readonly id: number;
  readonly parent: number;
  readonly detail: string;
}

/** What many rows of one batch have in common: found by these alone, each is compared with all of them. */
const SHARED = new Set(['batch', 'removed', 'superseded', 'status', 'family', 'operation', 'startable', 'draft']);

/** There are few nights, and few changes of a batch; and a subquery that ends after two rows. */
const FEW = /batch_changes_of_batch|nights_by_beginning|^SCAN found$/;

/** Steps of a plan that are carried out once for each row of another one, and look at a whole batch each time. */
function walksForEachRow(plan: readonly PlanStep[]): readonly string[] {
  const isAsked = ({ id, parent, detail }: PlanStep): boolean => {
    if (/ EXISTS /.test(detail)) return true;
    const asking = plan.find((one) => one.id === parent);
    if (asking?.detail.startsWith('CORRELATED')) return true;
    const isLoop = (one: PlanStep): boolean => one.parent === parent && /^(?:SCAN|SEARCH) /.test(one.detail);
    const isOfOne = asking !== undefined && /^(?:MULTI-INDEX OR|INDEX)/.test(asking.detail);
    return !isOfOne && plan.some((one) => isLoop(one) && one.id < id);
  };
  return plan.filter((step) => isAsked(step) && !isByKey(step)).map(({ detail }) => detail);
}

function isByKey({ detail }: PlanStep): boolean {
  if (!/^(?:SCAN|SEARCH) /.test(detail) || detail.includes('json_each') || FEW.test(detail)) return true;
  const equal = [...detail.matchAll(/(\w+)=\?/g)].map(([, column = '']) => column);
  return equal.some((column) => !SHARED.has(column));
}

let dir = '';
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'nocturne-plans-'));
});
afterEach(() => {
  rmSync(dir, { recursive: true });
});

/** Every statement that a store prepares to ask with, as it is written. */
function statementsOfStore(): readonly string[] {
  const spies = [vi.spyOn(SqliteDatabase.prototype, 'prepare'), vi.spyOn(SqliteDatabase.prototype, 'prepareColumn')];
  openedStore(dir).close();
  const asked = spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql));
  const statements = new Set(asked.filter((sql) => !sql.startsWith('PRAGMA')));
  for (const spy of spies) spy.mockRestore();
  expect(statements.size).toBeGreaterThan(200);
  return [...statements];
}

test('no question of a store compares each row of a batch with all others', () => {
  const statements = statementsOfStore();
  const db = new SqliteDatabase(path.join(dir, 'nocturne.db'));
  const bad = statements.flatMap((sql) => {
    const plan = db.connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as readonly PlanStep[];
    const walks = walksForEachRow(plan);
    return walks.length === 0 ? [] : [`${sql}\n  ${walks.join('\n  ')}`];
  });
  db.close();
  expect(bad.join('\n')).toBe('');
});

test('PostgreSQL understands all that SQLite is asked', async () => {
  const { connection, schema } = postgresAddress(dir);
  openedOnPostgres(dir).close();
  const client = new pg.Client({ connectionString: connection });
  await client.connect();
  await client.query(`SET search_path TO ${schema}`);
  const refused: string[] = [];
  for (const sql of statementsOfStore()) {
    // It reads the whole statement, and looks up all that it names, before it knows a value.
    await client.query(`PREPARE one AS ${toPostgres(sql)}`).then(
      () => client.query('DEALLOCATE one'),
      (error: unknown) => refused.push(`${String(error)}: ${sql}`),
    );
  }
  await client.end();
  expect(refused.join('\n')).toBe('');
});
