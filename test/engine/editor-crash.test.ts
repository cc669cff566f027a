import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
import { SheetRig } from '../support/sheet-rig.ts';

const WRITER = fileURLToPath(new URL('editor-crash-writer.ts', import.meta.url));
const HEADERS = ['row', 'operation', 'prompt', 'title'];
const ROWS = 30;

/** Carries an edit out in a process that dies at a crash point; gives the signal that it died of. */
async function editAndDie(rig: SheetRig, edit: SheetEdit, point: string, passes: number): Promise<string | null> {
  await rig.night.opened.close();
  const child = spawn(process.execPath, [WRITER, rig.night.dataDir, JSON.stringify(edit), point, String(passes)], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await new Promise((resolve) => child.once('close', resolve));
  rig.night.open();
  rig.reopen();
  return child.signalCode;
}

/** Everything of a sheet that an edit touches. */
async function sight(rig: SheetRig, batchId: string) {
  const rows = (await rig.rows(batchId)).map(({ row, position, problems, tasks, isDraft }) => ({
    row,
    position,
    problems,
    isDraft,
    tasks: tasks.map(({ id, rowId, take, revision }) => ({ id, rowId, take, revision })),
  }));
  const { headers, sheet, rowCount, taskCount } = (await rig.night.store.batch(batchId)) ?? {};
  return { rows, headers, sheet, rowCount, taskCount, counts: await rig.night.store.counts(batchId) };
}

async function bringIn(rig: SheetRig, rows = ROWS): Promise<string> {
  return rig.bringIn(
    HEADERS,
    Array.from({ length: rows }, (_, i) => [`s${i + 1}`, 'music', `song ${i + 1}`, '']),
  );
}

test('of an edit that is cut off by a kill there is nothing, and of one that was committed all', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = JSON.stringify(await sight(rig, batchId));
  const values = Array.from({ length: ROWS + 5 }, (_, i) => [`t${i + 1}`, 'lyrics', `owl ${i + 1}`, 'title']);
  const edit: SheetEdit = await rig.block(batchId, 0, HEADERS, values);
  const cuts: readonly [string, number][] = [
    ['sheet.row-written', 0],
    ['sheet.row-written', 17],
    ['sheet.row-written', ROWS + 4],
    ['sheet.written', 0],
  ];
  for (const [point, passes] of cuts) {
    expect(await editAndDie(rig, edit, point, passes)).toBe('SIGKILL');
    expect(JSON.stringify(await sight(rig, batchId))).toBe(before);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  }
  expect(await editAndDie(rig, edit, 'sheet.committed', 0)).toBe('SIGKILL');
  expect(await rig.texts(batchId, ...HEADERS)).toEqual(values);
  expect((await rig.rows(batchId)).every(({ tasks }) => tasks.length === 1)).toBe(true);
  expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
}, 60_000);

test('of an edit of many rows that is cut off there is nothing before it has begun, and then all, with the next process', async () => {
  const many = 450;
  const rig = new SheetRig();
  const batchId = await bringIn(rig, many);
  const before = JSON.stringify(await sight(rig, batchId));
  const edit = await rig.block(batchId, 0, ['prompt'], [['owl']], many);
  expect(await editAndDie(rig, edit, 'sheet.written', 0)).toBe('SIGKILL');
  await rig.editor.finishChecks();
  expect(JSON.stringify(await sight(rig, batchId))).toBe(before);
  expect(await rig.sheets.firstPart(batchId)).toBeUndefined();
  const cuts: readonly [string, number][] = [
    ['sheet.committed', 0],
    ['sheet.row-written', 300],
    ['sheet.committed', 3],
  ];
  for (const [index, [point, passes]] of cuts.entries()) {
    const text = `owl ${index}`;
    expect(await editAndDie(rig, { ...edit, values: [[text]] }, point, passes)).toBe('SIGKILL');
    await rig.editor.finishChecks();
    expect((await rig.texts(batchId, 'prompt')).every(([prompt]) => prompt === text)).toBe(true);
    expect((await rig.rows(batchId)).every(({ tasks }) => tasks.length === 1)).toBe(true);
    expect((await rig.night.store.batch(batchId))?.sheet.isHalfEdited).toBeUndefined();
    expect(await rig.sheets.firstPart(batchId)).toBeUndefined();
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  }
}, 60_000);

test('a change of the columns that is cut off is carried through by the next process, whole', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const other = new SheetRig();
  const otherId = await bringIn(other);
  const edit: SheetEdit = { kind: 'map-column', header: 'title', column: 'negative_tags' };
  await other.set(otherId, 3, 'title', 'la la');
  await rig.set(batchId, 3, 'title', 'la la');
  await other.edit(otherId, edit);
  for (const [point, passes] of [
    ['sheet.committed', 0],
    ['sheet.row-written', 12],
  ] as const) {
    expect(await editAndDie(rig, edit, point, passes)).toBe('SIGKILL');
    await rig.editor.finishChecks();
    const { rows } = await sight(rig, batchId);
    expect(rows.map(({ row, problems }) => [row.body, problems])).toEqual(
      (await sight(other, otherId)).rows.map(({ row, problems }) => [row.body, problems]),
    );
    expect((await rig.night.store.batch(batchId))?.sheet).toEqual((await other.night.store.batch(otherId))?.sheet);
  }
}, 60_000);
