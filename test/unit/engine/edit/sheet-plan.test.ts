import { expect, test } from 'vitest';
import { rowsAskingFor } from '../../../../src/engine/edit/cross-checks.ts';
import { SheetPlan } from '../../../../src/engine/edit/sheet-plan.ts';
import type { SheetStore, StoredRow } from '../../../../src/engine/ports/sheet-store.ts';

const COUNT = 200_000;

function storedRow(key: number): StoredRow {
  const own = { operation: 'musicgen/music/lyrics', takes: 1, priority: 0, skip: false } as const;
  const row = { ...own, id: `r${key}`, line: key, filename: undefined, note: undefined };
  return { key, position: key, row: { ...row, cells: {}, body: {} }, isDraft: false, tasks: [], problems: [] };
}

test('a row that changes behind two hundred thousand that ask for the same is found behind them', () => {
  const plan = new SheetPlan({} as SheetStore, 'b');
  const { row, tasks } = storedRow(COUNT + 1);
  plan.put({ key: -1, position: COUNT + 1, row, own: [], cross: [], checked: undefined, tasks, isDraft: false });
  const stored = Array.from({ length: COUNT }, (_, at) => ({ key: at + 1, position: at + 1 }));
  const { after } = rowsAskingFor(stored, plan.changed(), COUNT + 1, plan);
  expect(after).toHaveLength(COUNT + 1);
  expect(after.at(-1)).toBe(-1);
});

test('a row is known once it was loaded, and nothing is decided about one that was not', async () => {
  const sheets: Pick<SheetStore, 'rowsByKeys'> = {
    rowsByKeys: async (_batch, keys) => keys.filter((key) => key < 3).map(storedRow),
  };
  const plan = new SheetPlan(sheets as SheetStore, 'b');
  await plan.load([1, 3]);
  expect(plan.row(1)?.row.id).toBe('r1');
  expect(plan.row(3)).toBeUndefined();
  expect(plan.row(-1)).toBeUndefined();
  expect(() => plan.row(2)).toThrow('not loaded');
});
