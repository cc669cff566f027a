import { expect, test } from 'vitest';
import { rowsAskingFor } from '../../../../src/engine/edit/cross-checks.ts';
import { SheetPlan } from '../../../../src/engine/edit/sheet-plan.ts';
import type { SheetStore, StoredRow } from '../../../../src/engine/sheet-ports.ts';

const COUNT = 200_000;

function storedRow(key: number): StoredRow {
  const own = { operation: 'musicgen/music/lyrics', takes: 1, priority: 0, skip: false } as const;
  const row = { ...own, id: `r${key}`, line: key, filename: undefined, note: undefined };
  return { key, position: key, row: { ...row, cells: {}, body: {} }, isDraft: false, tasks: [], problems: [] };
}

/** A sheet whose rows all ask for the same. */
const sheets: Pick<SheetStore, 'rowsByKeys' | 'keysByRequest'> = {
  rowsByKeys: (_batch, keys) => keys.map(storedRow),
  keysByRequest: () => Array.from({ length: COUNT }, (_, at) => at + 1),
};

test('a row that changes behind two hundred thousand that ask for the same is found behind them', () => {
  const plan = new SheetPlan(sheets as SheetStore, 'b');
  const { row, tasks } = storedRow(COUNT + 1);
  plan.put({ key: -1, position: COUNT + 1, row, own: [], cross: [], checked: undefined, tasks, isDraft: false });
  const context = { sheets: sheets as SheetStore, batch: { id: 'b' } };
  const { after } = rowsAskingFor(1, plan.changed(), COUNT + 1, plan, context);
  expect(after).toHaveLength(COUNT + 1);
  expect(after.at(-1)).toBe(-1);
});
