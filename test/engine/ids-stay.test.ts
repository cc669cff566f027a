/** The ids of rows, by which a re-import knows them, stay those of their import. */
import { expect, test } from 'vitest';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const NEW_ID = 'To use “Nr” as the id, import the file as a new batch and map the column to row there.';
const FROM_ROW = 'Rows keep the ids of the column “row”: a re-import knows them by these.';

test.each<{ does: string; headers: readonly string[]; mapping?: Record<string, string>; edit: SheetEdit; why: string }>(
  [
    {
      does: 'mapping a column to row',
      headers: ['Nr', 'operation', 'prompt'],
      edit: { kind: 'map-column', header: 'Nr', column: 'row' },
      why: `Rows keep the ids of their import: a re-import knows them by these. ${NEW_ID}`,
    },
    {
      does: 'mapping another column to row',
      headers: ['row', 'operation', 'prompt', 'Nr'],
      edit: { kind: 'map-column', header: 'Nr', column: 'row' },
      why: `${FROM_ROW} ${NEW_ID}`,
    },
    {
      does: 'mapping the column with the ids to something else',
      headers: ['row', 'operation', 'prompt'],
      edit: { kind: 'map-column', header: 'row', column: '' },
      why: FROM_ROW,
    },
    {
      does: 'removing the column with the ids',
      headers: ['row', 'operation', 'prompt'],
      edit: { kind: 'remove-column', header: 'row' },
      why: FROM_ROW,
    },
    {
      does: 'mapping the chosen column with the ids to something else',
      headers: ['Nr', 'operation', 'prompt'],
      mapping: { Nr: 'row' },
      edit: { kind: 'map-column', header: 'Nr', column: 'note' },
      why: 'Rows keep the ids of the column “Nr”: a re-import knows them by these.',
    },
    {
      does: 'adding a column that would be the one with the ids',
      headers: ['id', 'operation', 'prompt'],
      edit: { kind: 'add-column', header: 'row' },
      why: 'Rows keep the ids of the column “id”: a re-import knows them by these. To use “row” as the id, import the file as a new batch and map the column to row there.',
    },
  ],
)('$does is refused with the reason', async ({ headers, mapping = {}, edit, why }) => {
  const rig = new SheetRig();
  const line = headers.map((header) => ({ operation: 'music', prompt: 'owl' })[header] ?? '7');
  const batchId = await rig.bringIn(headers, [line], { sheet: { mapping } });
  const before = await rig.night.store.batch(batchId);
  expect(await rig.editor.edit(batchId, edit)).toEqual({ ok: false, error: why });
  expect(await rig.night.store.batch(batchId)).toEqual(before);
  expect(rig.editor.history(batchId)).toEqual({});
});

test('a sheet without ids can get a column for them, and it goes again', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(['operation', 'prompt'], [['music', 'owl']]);
  await rig.edit(batchId, { kind: 'add-column', header: 'row' });
  await rig.set(batchId, 0, 'row', 'intro');
  expect((await rig.rows(batchId)).map(({ row }) => row.id)).toEqual(['intro']);
  await rig.undo(batchId);
  await rig.undo(batchId);
  expect((await rig.night.store.batch(batchId))?.headers).toEqual(['operation', 'prompt']);
  expect((await rig.rows(batchId)).map(({ row }) => row.id)).toEqual(['r0002']);
});
