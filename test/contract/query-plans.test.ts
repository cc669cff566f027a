import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { SqliteDatabase } from '../../src/engine/store/open/sqlite-database.ts';
import { openedStore } from './opened-store.ts';

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

test('no question of a store compares each row of a batch with all others', () => {
  const spies = [vi.spyOn(SqliteDatabase.prototype, 'prepare'), vi.spyOn(SqliteDatabase.prototype, 'prepareColumn')];
  const dir = mkdtempSync(path.join(tmpdir(), 'nocturne-plans-'));
  const opened = openedStore(dir);
  const asked = new Set(spies.flatMap(({ mock }) => mock.calls.map(([sql]) => sql)));
  for (const spy of spies) spy.mockRestore();
  const db = new SqliteDatabase(path.join(dir, 'nocturne.db'));
  const bad = [...asked].flatMap((sql) => {
    const plan = db.connection.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as unknown as readonly PlanStep[];
    const walks = walksForEachRow(plan);
    return walks.length === 0 ? [] : [`${sql}\n  ${walks.join('\n  ')}`];
  });
  db.close();
  opened.close();
  rmSync(dir, { recursive: true });
  expect(asked.size).toBeGreaterThan(200);
  expect(bad.join('\n')).toBe('');
});
