import { expect, test } from 'vitest';
import { turnsWhile } from '../support/turns-while.ts';
import { SheetRig } from '../support/sheet-rig.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';

const HEADERS = ['row', 'operation', 'prompt'];
const MANY = 450;
const KEY = 'sk-canary-0123456789';

async function bringIn(rig: SheetRig): Promise<string> {
  const lines = Array.from({ length: MANY }, (_, i) => [`s${i + 1}`, 'music', `song ${i + 1}`]);
  return rig.bringIn(HEADERS, lines);
}

/** Rows with everything that undoing brings back; an id that was made up may be made up anew. */
async function sight(rig: SheetRig, batchId: string) {
  return (await rig.rows(batchId)).map(({ key, position, row, problems, tasks }) => ({
    key,
    position,
    id: row.id.startsWith('r') ? 'made' : row.id,
    cells: row.cells,
    problems: problems.map(({ message }) => message),
    takes: tasks.map(({ take, rowId }) => [take, rowId]),
  }));
}

test('others go on while many rows are edited, and it is one step all the same', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = await sight(rig, batchId);
  const cleared = rig.edit(batchId, {
    kind: 'clear-cells',
    rows: await rig.keys(batchId, 0, MANY),
    headers: ['prompt'],
  });
  const behind = rig.edit(batchId, { kind: 'fill-down', rows: await rig.keys(batchId, 0, 2), headers: ['operation'] });
  const turns = await turnsWhile(cleared);
  const result = await cleared;
  await behind;
  expect(result).toMatchObject({ changedRows: MANY, changedCells: MANY, undo: 'Clear 450 cells' });
  expect(turns).toBeGreaterThan(3);
  expect((await rig.rows(batchId)).every(({ row, tasks }) => row.cells['prompt'] === '' && tasks.length === 0)).toBe(
    true,
  );
  await rig.undo(batchId);
  expect(await sight(rig, batchId)).toEqual(before);
  await rig.redo(batchId);
  expect((await rig.texts(batchId, 'prompt')).every(([text]) => text === '')).toBe(true);
});

test('many rows that were removed come back where they were, under their keys', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  await rig.edit(batchId, await rig.block(batchId, 440, ['row'], [['s5']]));
  const before = await sight(rig, batchId);
  await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 2, 420) });
  expect((await rig.rows(batchId)).map(({ row }) => row.id).slice(0, 4)).toEqual(['s1', 's2', 's423', 's424']);
  await rig.undo(batchId);
  expect(await sight(rig, batchId)).toEqual(before);
  await rig.redo(batchId);
  await rig.undo(batchId);
  expect(await sight(rig, batchId)).toEqual(before);
});

test('ids that many rows hand on to each other are right at the end, and again after undoing', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = await sight(rig, batchId);
  const values = Array.from({ length: MANY }, (_, i) => [`s${i + 2}`]);
  await rig.edit(batchId, await rig.block(batchId, 0, ['row'], values));
  const rows = await rig.rows(batchId);
  expect(rows.map(({ row }) => row.id)).toEqual(values.flat());
  expect(rows.flatMap(({ problems }) => problems)).toEqual([]);
  expect(rows.map(({ tasks }) => tasks.map(({ rowId }) => rowId))).toEqual(values);
  await rig.undo(batchId);
  expect(await sight(rig, batchId)).toEqual(before);
});

test('whoever waits for the edits of a batch, as its start does, sees many rows changed', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const editing = rig.edit(batchId, await rig.block(batchId, 0, ['prompt'], [['owl']], MANY));
  const whole = rig.editor.settle(batchId).then(async () => (await rig.texts(batchId, 'prompt')).flat());
  expect((await editing).changedRows).toBe(MANY);
  expect(new Set(await whole)).toEqual(new Set(['owl']));
});

test('the key does not reach the disk with what is noted of an edit', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  rig.knownKeys.finder = new KeyFinder([KEY]);
  const noted: string[] = [];
  const { sheets } = rig;
  const noteParts = sheets.noteParts.bind(sheets);
  sheets.noteParts = (id, parts) => {
    noted.push(...parts.map(({ text }) => text));
    return noteParts(id, parts);
  };
  const values = Array.from({ length: MANY }, (_, i) => [i === 7 ? `say ${KEY}` : `owl ${i}`]);
  const edited = await rig.edit(batchId, await rig.block(batchId, 0, ['prompt'], values));
  expect(edited).toMatchObject({ changedRows: MANY - 1, refusedRows: 1, refused: [{ row: 's8' }] });
  expect(noted.length).toBeGreaterThan(1);
  expect(noted.join('\n')).not.toContain(KEY);
});

test('a row that goes in flight between two parts is refused by name; all others are changed', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const edit = rig.edit(batchId, await rig.block(batchId, 0, ['prompt'], [['owl']], MANY));
  while ((await rig.texts(batchId, 'prompt'))[0]?.[0] !== 'owl') await new Promise((resolve) => setImmediate(resolve));
  const [task] = (await rig.rows(batchId))[MANY - 1]?.tasks ?? [];
  if (task === undefined) throw new Error('The last row has no task.');
  const next = { ...task, status: 'submitting' as const, revision: task.revision + 1 };
  await rig.night.store.commit([{ expectedRevision: task.revision, next, event: { kind: 'submit-started' }, at: 1 }]);
  expect(await edit).toMatchObject({ changedRows: MANY - 1, refusedRows: 1, refused: [{ row: `s${MANY}` }] });
  expect((await rig.texts(batchId, 'prompt')).at(-1)).toEqual([`song ${MANY}`]);
});
