import { expect, test } from 'vitest';
import { turnsWhile } from '../support/turns-while.ts';
import { SheetRig } from '../support/sheet-rig.ts';
import type { WorkWatch } from '../../src/engine/ports/base.ts';
import type { SheetEdit } from '../../src/shared/ipc/editing.ts';
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

/** A wish that ends once so many rows are changed. */
function wishUntil(rows: number): WorkWatch {
  const wish = new AbortController();
  return { signal: wish.signal, onProgress: (done) => void (done >= rows && wish.abort()) };
}

test('of an edit of many rows that is ended on its way there is nothing, and nothing of it is undone later', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  await rig.edit(batchId, await rig.block(batchId, 3, ['prompt'], [['earlier']]));
  const before = await sight(rig, batchId);
  const rows = await rig.keys(batchId, 0, MANY);
  for (const edit of [
    { kind: 'clear-cells', rows, headers: ['prompt'] },
    { kind: 'remove-rows', rows },
    { kind: 'set-cells', rows, added: 300, headers: ['prompt'], values: [['owl']] },
  ] satisfies SheetEdit[]) {
    const told = rig.changed.length;
    await expect(rig.editor.edit(batchId, edit, wishUntil(200))).rejects.toThrow(/aborted/u);
    expect(await sight(rig, batchId)).toEqual(before);
    expect((await rig.night.store.batch(batchId))?.sheet.isHalfEdited).toBeUndefined();
    // A window may have read a part of it meanwhile.
    expect(rig.changed.length).toBe(told + 1);
    expect(await rig.night.opened.whole.checkIntegrity()).toEqual([]);
  }
  await rig.undo(batchId);
  expect((await rig.texts(batchId, 'prompt'))[3]).toEqual(['song 4']);
});

test('an edit that is ended before it begins, or while it is written down, is forgotten', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = await sight(rig, batchId);
  const edit = { kind: 'remove-rows', rows: await rig.keys(batchId, 0, MANY) } as const;
  await expect(rig.editor.edit(batchId, edit, { signal: AbortSignal.abort() })).rejects.toThrow(/aborted/u);
  const wish = new AbortController();
  const { sheets } = rig;
  const noteParts = sheets.noteParts.bind(sheets);
  sheets.noteParts = async (...noted) => {
    await noteParts(...noted);
    wish.abort();
  };
  await expect(rig.editor.edit(batchId, edit, { signal: wish.signal })).rejects.toThrow(/aborted/u);
  expect(await sight(rig, batchId)).toEqual(before);
  expect(await sheets.firstPart(batchId)).toBeUndefined();
});

test('an undo that is ended on its way changes nothing, and is the next one again', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = await sight(rig, batchId);
  await rig.edit(batchId, { kind: 'remove-rows', rows: await rig.keys(batchId, 10, 420) });
  const removed = await sight(rig, batchId);
  await expect(rig.editor.undo(batchId, wishUntil(200))).rejects.toThrow(/aborted/u);
  expect(await sight(rig, batchId)).toEqual(removed);
  await rig.undo(batchId);
  expect(await sight(rig, batchId)).toEqual(before);
});

test('an engine that ends while it takes an edit back leaves the rest to the next one: nothing of it is there', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = await sight(rig, batchId);
  const edit = { kind: 'clear-cells', rows: await rig.keys(batchId, 0, MANY), headers: ['prompt'] } as const;
  const { sheets } = rig;
  const change = sheets.change.bind(sheets);
  const replaceParts = sheets.replaceParts.bind(sheets);
  sheets.replaceParts = async (...replaced) => {
    await replaceParts(...replaced);
    sheets.change = () => Promise.reject(new Error('the engine has ended'));
  };
  await expect(rig.editor.edit(batchId, edit, wishUntil(400))).rejects.toThrow('the engine has ended');
  expect(await sight(rig, batchId)).not.toEqual(before);
  sheets.change = change;
  rig.reopen();
  await rig.editor.finishChecks();
  expect(await sight(rig, batchId)).toEqual(before);
});

test.each(['the way back', 'a part'] as const)(
  'an edit that is ended while the disk refuses %s is never carried out: the next one waits until it is taken back',
  async (refused) => {
    const rig = new SheetRig();
    const batchId = await bringIn(rig);
    const before = await sight(rig, batchId);
    const edit = { kind: 'clear-cells', rows: await rig.keys(batchId, 0, MANY), headers: ['prompt'] } as const;
    const { sheets } = rig;
    const [change, replaceParts] = [sheets.change.bind(sheets), sheets.replaceParts.bind(sheets)];
    const wish = new AbortController();
    const full = (): Promise<never> => {
      wish.abort();
      return Promise.reject(new Error('the disk is full'));
    };
    const fillDisk = (): void => {
      sheets.replaceParts = full;
      if (refused === 'a part') sheets.change = full;
      else wish.abort();
    };
    const watch = { signal: wish.signal, onProgress: fillDisk };
    await expect(rig.editor.edit(batchId, edit, watch)).rejects.toThrow('the disk is full');
    await expect(rig.set(batchId, 0, 'operation', 'lyrics')).rejects.toThrow('the disk is full');
    // The night ends, and only then there is room again.
    const { clock } = rig.night;
    const takenBack = rig.editor.takeBackEnded(5_000);
    await clock.advance(700);
    expect((await rig.night.store.batch(batchId))?.sheet.isHalfEdited).toBe(true);
    const { name } = (await rig.night.store.batch(batchId)) ?? {};
    expect(rig.editor.owedWaysBack()).toEqual([{ kind: 'edit', batchId, name }]);
    Object.assign(sheets, { change, replaceParts });
    await clock.advance(700);
    await takenBack;
    expect(rig.editor.owedWaysBack()).toEqual([]);
    expect(await sight(rig, batchId)).toEqual(before);
    expect((await rig.night.store.batch(batchId))?.sheet.isHalfEdited).toBeUndefined();
    expect(await sheets.firstPart(batchId)).toBeUndefined();
  },
);

test('an edit that is ended while the disk refuses its beginning is owed nothing: no process will carry it out', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = await sight(rig, batchId);
  const edit = { kind: 'clear-cells', rows: await rig.keys(batchId, 0, MANY), headers: ['prompt'] } as const;
  const { sheets } = rig;
  const change = sheets.change.bind(sheets);
  const wish = new AbortController();
  sheets.change = () => {
    wish.abort();
    return Promise.reject(new Error('the disk is full'));
  };
  await expect(rig.editor.edit(batchId, edit, { signal: wish.signal })).rejects.toThrow('the disk is full');
  expect(rig.editor.owedWaysBack()).toEqual([]);
  sheets.change = change;
  rig.reopen();
  await rig.editor.finishChecks();
  expect(await sight(rig, batchId)).toEqual(before);
});

test('an edit that is ended while a store takes its beginning without being able to say so is owed', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const edit = { kind: 'clear-cells', rows: await rig.keys(batchId, 0, MANY), headers: ['prompt'] } as const;
  const { sheets } = rig;
  const change = sheets.change.bind(sheets);
  const wish = new AbortController();
  sheets.change = async (...mark) => {
    await change(...mark);
    wish.abort();
    throw new Error('the server is away');
  };
  await expect(rig.editor.edit(batchId, edit, { signal: wish.signal })).rejects.toThrow('the server is away');
  expect(rig.editor.owedWaysBack()).toHaveLength(1);
});

test('what was edited in parts is undone in them, however few rows have changed', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  const before = await sight(rig, batchId);
  // The last row of a part gets its id once the first one of the next has given it away.
  const values = before.map(({ id }) => [
    new Map([
      ['s200', 's201'],
      ['s201', 'x'],
    ]).get(id) ?? id,
  ]);
  await rig.edit(batchId, await rig.block(batchId, 0, ['row'], values));
  expect((await rig.rows(batchId)).map(({ row }) => [row.id])).toEqual(values);
  await rig.undo(batchId);
  expect(await sight(rig, batchId)).toEqual(before);
});

test('of rows that want the same id the one that had it gets it back, wherever it stands', async () => {
  const rig = new SheetRig();
  const batchId = await rig.bringIn(
    HEADERS,
    ['a', 'b', 'c'].map((id) => [id, 'music', `song ${id}`]),
  );
  await rig.set(batchId, 0, 'row', 'c');
  const before = await sight(rig, batchId);
  expect(before.map(({ id }) => id)).toEqual(['made', 'b', 'c']);
  await rig.edit(batchId, await rig.block(batchId, 0, ['row'], [['x'], ['y'], ['z']]));
  await rig.undo(batchId);
  expect(await sight(rig, batchId)).toEqual(before);
});

test('an edit that gives ids away is finished once it has begun: half taken back, they could be those of other rows', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  // Two rows want each of these ids, and the first one has it.
  await rig.edit(
    batchId,
    await rig.block(
      batchId,
      225,
      ['row'],
      Array.from({ length: 225 }, (_, i) => [`s${i + 1}`]),
    ),
  );
  const before = await rig.texts(batchId, 'row');
  const values = Array.from({ length: MANY }, (_, i) => [`s${i + 3}`]);
  const edit = await rig.block(batchId, 0, ['row'], values);
  const bound: string[] = [];
  const watchOf = (what: string): WorkWatch => ({ ...wishUntil(200), onBound: () => void bound.push(what) });
  expect(await rig.editor.edit(batchId, edit, watchOf('edit'))).toMatchObject({ ok: true });
  expect(await rig.texts(batchId, 'row')).toEqual(values);
  expect(await rig.editor.undo(batchId, watchOf('undo'))).toMatchObject({ ok: true });
  expect(await rig.texts(batchId, 'row')).toEqual(before);
  expect(bound).toEqual(['edit', 'undo']);
});

test('in a batch that was started, an edit that has begun is finished: what is taken back there would wait for a word', async () => {
  const rig = new SheetRig();
  const batchId = await bringIn(rig);
  await rig.night.store.setBatchState(batchId, 'paused', undefined, 1);
  const wish = new AbortController();
  const edit = { kind: 'clear-cells', rows: await rig.keys(batchId, 0, MANY), headers: ['prompt'] } as const;
  let isBound = false;
  const watch = { signal: wish.signal, onBound: () => (isBound = true), onProgress: () => wish.abort() };
  expect(await rig.editor.edit(batchId, edit, watch)).toMatchObject({ ok: true, value: { changedRows: MANY } });
  expect(isBound).toBe(true);
});
