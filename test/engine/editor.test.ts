import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { turnsWhile } from '../support/turns-while.ts';
import { ALL, SheetRig } from '../support/sheet-rig.ts';
import { speakLanguage } from '../../src/shared/words/catalogues.ts';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';

const HEADERS = ['row', 'operation', 'prompt', 'title', 'note'];

function lines(count: number): string[][] {
  return Array.from({ length: count }, (_, i) => [`s${i + 1}`, 'music', `song ${i + 1}`, '', '']);
}

/** What one sees of a sheet: ids and texts in their order, and what is wrong. */
async function sight(rig: SheetRig, batchId: string) {
  return (await rig.rows(batchId)).map(({ row, problems, isDraft, tasks }) => ({
    id: row.id,
    cells: { ...row.cells },
    body: row.body,
    problems: problems.map(({ code, column }) => `${code} ${column ?? ''}`),
    isDraft,
    tasks: tasks.map(({ take, status }) => `${take} ${status}`),
  }));
}

describe('blocks of cells', () => {
  test('a block of 2,000 × 5 is pasted, filled down, undone, done again and replaced, each right in the store', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(1_500));
    const before = await sight(rig, batchId);
    const values = Array.from({ length: 2_000 }, (_, i) => [
      `p${i + 1}`,
      'lyrics',
      `owl ${i + 1}`,
      `title ${i + 1}`,
      `note ${i + 1}`,
    ]);

    const pasted = await rig.edit(batchId, await rig.block(batchId, 0, HEADERS, values));
    expect(pasted).toMatchObject({
      changedRows: 2_000,
      changedCells: 10_000,
      refusedRows: 0,
      undo: 'Paste 10,000 cells',
    });
    expect(pasted.inserted).toHaveLength(500);
    expect(await rig.texts(batchId, ...HEADERS)).toEqual(values);
    expect((await rig.rows(batchId)).every(({ row, tasks }) => tasks.length === 1 && tasks[0]?.rowId === row.id)).toBe(
      true,
    );

    const filled = await rig.edit(batchId, {
      kind: 'fill-down',
      rows: await rig.keys(batchId, 0, 2_000),
      headers: ['prompt'],
    });
    expect(filled.undo).toBe('Fill down 1,999 rows');
    expect(new Set((await rig.texts(batchId, 'prompt')).flat())).toEqual(new Set(['owl 1']));
    expect(new Set((await rig.rows(batchId)).map(({ row }) => row.body['prompt']))).toEqual(new Set(['owl 1']));

    const undone = await rig.undo(batchId);
    expect(undone).toMatchObject({ undo: 'Paste 10,000 cells', redo: 'Fill down 1,999 rows', edit: filled.edit });
    expect(await rig.texts(batchId, ...HEADERS)).toEqual(values);
    await rig.redo(batchId);
    expect(new Set((await rig.texts(batchId, 'prompt')).flat())).toEqual(new Set(['owl 1']));
    await rig.undo(batchId);

    const replaced = await rig.edit(batchId, {
      kind: 'replace',
      find: 'owl',
      replaceWith: 'fox',
      isCaseSensitive: true,
      isWholeCell: false,
      isPattern: false,
      rows: await rig.keys(batchId, 0, 2_000),
    });
    expect(replaced).toMatchObject({ changedCells: 2_000, undo: 'Replace “owl” in 2,000 rows' });
    expect((await rig.texts(batchId, 'prompt')).flat()).toEqual(
      values.map(([, , prompt]) => prompt?.replace('owl', 'fox')),
    );

    await rig.undo(batchId);
    await rig.undo(batchId);
    expect(await sight(rig, batchId)).toEqual(before);
  }, 60_000);

  test('a small block is repeated, and what does not fit below is appended', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(3));
    const edited = await rig.edit(batchId, await rig.block(batchId, 2, ['prompt', 'title'], [['a', 'b']], 3));
    expect(edited.inserted).toHaveLength(2);
    expect(await rig.texts(batchId, 'row', 'prompt', 'title')).toEqual([
      ['s1', 'song 1', ''],
      ['s2', 'song 2', ''],
      ['s3', 'a', 'b'],
      ['', 'a', 'b'],
      ['', 'a', 'b'],
    ]);
    // Rows that name no operation cannot run, and say so.
    expect((await rig.rows(batchId))[3]?.problems[0]?.code).toBe('operation-missing');
    expect(new Set((await rig.rows(batchId)).map(({ row }) => row.id)).size).toBe(5);
  });

  test('a table wider than the columns from there on is refused; rows that stand elsewhere by now are still meant', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(3));
    const before = await sight(rig, batchId);
    const wide = await rig.editor.edit(batchId, await rig.block(batchId, 1, ['note'], [['a', 'b']]));
    expect(wide).toMatchObject({ ok: false, error: expect.stringContaining('2 columns wide') as string });
    const rows = await rig.keys(batchId, 1, 2);
    await rig.edit(batchId, { kind: 'insert-rows', at: await rig.at(batchId, 1), where: 'above', count: 1 });
    await rig.edit(batchId, { kind: 'clear-cells', rows, headers: ['prompt'] });
    expect(await rig.texts(batchId, 'row', 'prompt')).toEqual([
      ['s1', 'song 1'],
      ['', ''],
      ['s2', ''],
      ['s3', ''],
    ]);
    await rig.undo(batchId);
    await rig.undo(batchId);
    expect(await sight(rig, batchId)).toEqual(before);
  });

  test('corrections of several columns are one edit, and change only cells that still hold what was seen', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(4));
    const before = await sight(rig, batchId);
    const rows = await rig.keys(batchId, 0, 4);
    await rig.set(batchId, 1, 'prompt', 'corrected by hand');
    const corrections = {
      prompt: { 'song 1': 'owl', 'song 2': 'fox', song: 'a part is no cell' },
      operation: { music: 'lyrics' },
      gone: { 'song 1': 'no such column' },
    };
    const edited = await rig.edit(batchId, { kind: 'correct-cells', rows: rows.slice(0, 3), corrections });
    expect(edited).toMatchObject({ changedRows: 3, changedCells: 4, refusedRows: 0, undo: 'Correct 3 rows' });
    expect(await rig.texts(batchId, 'operation', 'prompt')).toEqual([
      ['lyrics', 'owl'],
      ['lyrics', 'corrected by hand'],
      ['lyrics', 'song 3'],
      ['music', 'song 4'],
    ]);
    await rig.undo(batchId);
    await rig.undo(batchId);
    expect(await sight(rig, batchId)).toEqual(before);
  });

  test('a cell with the gateway’s key is refused, and the key is nowhere in the store', async () => {
    const rig = new SheetRig();
    rig.knownKeys.finder = new KeyFinder(['sk-secret-key-of-mine']);
    const batchId = await rig.bringIn(HEADERS, lines(2));
    const values = [['with sk-secret-key-of-mine in it'], ['plain']];
    const edited = await rig.edit(batchId, await rig.block(batchId, 0, ['prompt'], values));
    expect(edited).toMatchObject({ changedRows: 1, refusedRows: 1 });
    expect(edited.refused[0]).toMatchObject({
      row: 's1',
      line: 2,
      reason: expect.stringContaining('gateway key') as string,
    });
    expect(await rig.texts(batchId, 'prompt')).toEqual([['song 1'], ['plain']]);
    expect(JSON.stringify([await rig.rows(batchId), edited])).not.toContain('sk-secret');
  });
});

describe('rows', () => {
  test('rows are inserted, duplicated, moved and removed, and each is taken back exactly', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(5));
    const order = async () => (await rig.rows(batchId)).map(({ row }) => row.id);
    const before = await sight(rig, batchId);

    await rig.edit(batchId, { kind: 'insert-rows', at: await rig.at(batchId, 0), where: 'above', count: 2 });
    await rig.edit(batchId, { kind: 'insert-rows', at: await rig.at(batchId, 3), where: 'below', count: 1 });
    expect(await order()).toEqual(['r0007', 'r0008', 's1', 's2', 'r0009', 's3', 's4', 's5']);
    await rig.edit(batchId, { kind: 'duplicate-rows', rows: await rig.keys(batchId, 2, 2) });
    await rig.edit(batchId, { kind: 'duplicate-rows', rows: await rig.keys(batchId, 3, 1) });
    expect(await order()).toEqual([
      'r0007',
      'r0008',
      's1',
      's1-copy',
      's1-copy-2',
      's2',
      's2-copy',
      'r0009',
      's3',
      's4',
      's5',
    ]);
    const to = (await rig.keys(batchId, 10))[0] ?? -1;
    await rig.edit(batchId, {
      kind: 'move-rows',
      rows: [...(await rig.keys(batchId, 0, 3)), ...(await rig.keys(batchId, 8))],
      to,
      where: 'below',
    });
    expect(await order()).toEqual([
      's1-copy',
      's1-copy-2',
      's2',
      's2-copy',
      'r0009',
      's4',
      's5',
      'r0007',
      'r0008',
      's1',
      's3',
    ]);
    await rig.edit(batchId, {
      kind: 'remove-rows',
      rows: [...(await rig.keys(batchId, 0, 2)), ...(await rig.keys(batchId, 9, 1))],
    });
    expect(await order()).toEqual(['s2', 's2-copy', 'r0009', 's4', 's5', 'r0007', 'r0008', 's3']);
    const after = await sight(rig, batchId);

    for (let steps = 0; steps < 6; steps += 1) await rig.undo(batchId);
    expect(await sight(rig, batchId)).toEqual(before);
    for (let steps = 0; steps < 6; steps += 1) await rig.redo(batchId);
    expect(await sight(rig, batchId)).toEqual(after);
  });

  test('there is always room for one more row in the same place', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(2));
    for (let count = 0; count < 40; count += 1) {
      await rig.edit(batchId, { kind: 'insert-rows', at: await rig.at(batchId, 0), where: 'below', count: 1 });
    }
    const keys = (await rig.rows(batchId)).map(({ key }) => key);
    expect(keys).toEqual([1, ...Array.from({ length: 40 }, (_, i) => 42 - i), 2]);
    for (let count = 0; count < 40; count += 1) await rig.undo(batchId);
    expect((await rig.rows(batchId)).map(({ key }) => key)).toEqual([1, 2]);
  });

  test('an id that another row has is an error of the edited row, and a free one is the row’s', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(3));
    await rig.set(batchId, 1, 'row', 'S1');
    expect((await rig.rows(batchId))[1]).toMatchObject({
      tasks: [],
      problems: [{ code: 'row-id-duplicate', column: 'row' }],
    });
    // Its line may be another one later.
    expect((await rig.rows(batchId))[1]?.problems[0]?.message).toContain('already used by another row');
    await rig.set(batchId, 0, 'row', 'first');
    // The id is free now, and the row that wanted it runs under it.
    expect((await rig.rows(batchId)).map(({ row, tasks }) => [row.id, tasks.map(({ rowId }) => rowId)])).toEqual([
      ['first', ['first']],
      ['S1', ['S1']],
      ['s3', ['s3']],
    ]);
    await rig.undo(batchId);
    expect((await rig.rows(batchId)).map(({ row }) => row.id)).toEqual([
      's1',
      expect.stringMatching(/^r\d+$/) as string,
      's3',
    ]);
  });

  test('a renamed row is found missing by those that refer to it, and by nobody once it is named so again', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [
      ['intro', 'lyrics', 'words', '', ''],
      ['song', 'music', 'sing {{intro.taskId}}', '', ''],
      ['late', 'music', 'sing {{song.taskId}}', '', ''],
    ]);
    const codes = async () => (await rig.rows(batchId)).map(({ problems, tasks }) => [problems[0]?.code, tasks.length]);
    await rig.set(batchId, 0, 'row', 'overture');
    expect(await codes()).toEqual([
      [undefined, 1],
      ['reference-missing', 0],
      ['reference-blocked', 0],
    ]);
    await rig.undo(batchId);
    expect(await codes()).toEqual([
      [undefined, 1],
      [undefined, 1],
      [undefined, 1],
    ]);
    expect((await rig.rows(batchId))[1]?.tasks[0]?.blockedBy).toBe('intro');
  });

  test('an id in other letters is the same row to those that wait for it, by the id that it has now', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [
      ['intro', 'lyrics', 'words', '', ''],
      ['song', 'music', 'sing {{intro.taskId}}', '', ''],
    ]);
    const [, before] = await rig.rows(batchId);
    await rig.set(batchId, 0, 'row', 'INTRO');
    const [, after] = await rig.rows(batchId);
    expect(after?.tasks.map(({ id }) => id)).toEqual(before?.tasks.map(({ id }) => id));
    expect(after?.tasks.map(({ blockedBy }) => blockedBy)).toEqual(['INTRO']);
  });

  test('an empty row is no error, and it runs as soon as it says what it is', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(1));
    await rig.edit(batchId, { kind: 'insert-rows', at: { kind: 'end' }, where: 'below', count: 1 });
    expect((await rig.rows(batchId))[1]).toMatchObject({ problems: [], tasks: [] });
    expect((await rig.night.opened.views.rowPage(batchId, { offset: 1, limit: 1 })).rows[0]?.status).toBe('skipped');
    await rig.edit(batchId, await rig.block(batchId, 1, ['operation', 'prompt'], [['music', 'owl']]));
    expect((await rig.rows(batchId))[1]?.tasks).toHaveLength(1);
  });
});

describe('columns', () => {
  test('a column that is removed takes its texts with it, and brings them back', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(700));
    const before = await sight(rig, batchId);
    await rig.edit(batchId, { kind: 'remove-column', header: 'prompt' });
    expect((await rig.night.store.batch(batchId))?.headers).toEqual(['row', 'operation', 'title', 'note']);
    expect(
      (await rig.rows(batchId)).every(
        ({ problems, tasks }) => problems[0]?.code === 'nothing-to-render' && tasks.length === 0,
      ),
    ).toBe(true);
    await rig.undo(batchId);
    expect((await rig.night.store.batch(batchId))?.headers).toEqual(HEADERS);
    expect(await sight(rig, batchId)).toEqual(before);
  });

  test('what a header means, variables and the sheet’s operation are taken over by every row', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(
      ['row', 'operation', 'words'],
      [
        ['a', 'music', 'owl {mood}'],
        ['b', '', 'fox'],
      ],
    );
    const bodies = async () => (await rig.rows(batchId)).map(({ row }) => row.body);
    await rig.edit(batchId, { kind: 'map-column', header: 'words', column: 'prompt' });
    await rig.edit(batchId, { kind: 'set-variables', variables: { mood: 'calm' } });
    await rig.edit(batchId, { kind: 'set-default-operation', operation: 'musicgen/music/lyrics' });
    expect(await bodies()).toEqual([{ prompt: 'owl calm' }, { prompt: 'fox' }]);
    expect((await rig.rows(batchId)).map(({ tasks }) => tasks.map(({ operation }) => operation))).toEqual([
      ['musicgen/music/generate'],
      ['musicgen/music/lyrics'],
    ]);
    expect((await rig.night.store.batch(batchId))?.sheet.isUnchecked).toBeUndefined();
    for (let steps = 0; steps < 3; steps += 1) await rig.undo(batchId);
    expect(await bodies()).toEqual([{}, {}]);
    expect((await rig.night.store.batch(batchId))?.sheet).toMatchObject({ mapping: {}, variables: {} });
  });

  test('warnings of a kind are ignored and counted again by edits that can be undone, and other edits leave them so', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(
      ['row', 'operation', 'prompt', 'mood', 'who'],
      [['a', 'music', 'owl', 'calm', 'Ada']],
    );
    const standing = async () => {
      const { warnings = -1, ignored = [] } = (await rig.night.opened.views.batchSummary(batchId))?.problems ?? {};
      return [warnings, ...ignored.map(({ column, count }) => [column, count])];
    };
    const mood = { code: 'unknown-column', column: 'mood' } as const;
    const who = { code: 'unknown-column', column: 'who' } as const;
    expect(await standing()).toEqual([2]);
    await rig.edit(batchId, { kind: 'ignore-warnings', kinds: [mood], isIgnored: true });
    expect(await standing()).toEqual([1, ['mood', 1]]);
    // Of two, one was ignored already: to take this edit back leaves that one as it was.
    await rig.edit(batchId, { kind: 'ignore-warnings', kinds: [mood, who], isIgnored: true });
    await rig.edit(batchId, { kind: 'set-variables', variables: { x: 'y' } });
    await rig.edit(batchId, { kind: 'set-default-operation', operation: 'musicgen/music/lyrics' });
    expect(await standing()).toEqual([0, ['mood', 1], ['who', 1]]);
    for (let steps = 0; steps < 3; steps += 1) await rig.undo(batchId);
    expect(await standing()).toEqual([1, ['mood', 1]]);
    expect(rig.editor.history(batchId)).toMatchObject({ undo: 'Ignore warnings', redo: 'Ignore warnings' });
    await rig.redo(batchId);
    expect(await standing()).toEqual([0, ['mood', 1], ['who', 1]]);
    await rig.edit(batchId, { kind: 'ignore-warnings', kinds: [mood, who], isIgnored: false });
    expect(await standing()).toEqual([2]);
    expect((await rig.night.store.batch(batchId))?.sheet).not.toHaveProperty('ignored');
    const before = rig.editor.history(batchId);
    await rig.edit(batchId, { kind: 'ignore-warnings', kinds: [mood], isIgnored: false });
    expect(rig.editor.history(batchId)).toEqual(before);
  });

  test('what would make a sheet of which nothing can run is refused at once', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(2));
    const removed = await rig.editor.edit(batchId, { kind: 'remove-column', header: 'operation' });
    expect(removed).toMatchObject({ ok: false, error: expect.stringContaining('operation') as string });
    expect((await rig.night.store.batch(batchId))?.headers).toEqual(HEADERS);
    expect(rig.editor.history(batchId)).toEqual({});
  });

  test('a check of all rows lets others go on in between, and edits wait for it', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(2_000));
    const order: string[] = [];
    const checked = rig
      .edit(batchId, { kind: 'set-variables', variables: { mood: 'calm' } })
      .then(() => order.push('variables'));
    const edited = rig.set(batchId, 0, 'prompt', 'owl').then(() => order.push('cell'));
    const turns = await turnsWhile(Promise.all([checked, edited]));
    expect(order).toEqual(['variables', 'cell']);
    expect(turns).toBeGreaterThan(10);
  });

  test('a check that the end of the process cut off is carried through by the next one', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [['a', 'music', 'owl {mood}', '', '']]);
    const sheet = (await rig.night.store.batch(batchId))?.sheet;
    if (sheet === undefined) throw new Error('no sheet');
    const unfinished = { ...sheet, variables: { mood: 'calm' }, isUnchecked: true };
    await rig.sheets.change(batchId, { sheet: unfinished, rows: [], at: 0 });
    rig.reopen();
    await rig.editor.finishChecks();
    expect((await rig.rows(batchId))[0]?.row.body).toEqual({ prompt: 'owl calm' });
    expect((await rig.night.store.batch(batchId))?.sheet.isUnchecked).toBeUndefined();
  });

  test('edits are named in the undo list in the language that is spoken by then', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, lines(2));
    await rig.edit(batchId, { kind: 'add-column', header: 'mood' });
    await rig.set(batchId, 0, 'prompt', 'owl');
    await rig.undo(batchId);
    expect(rig.editor.history(batchId)).toEqual({ undo: 'Add the column “mood”', redo: 'Edit “prompt”' });
    speakLanguage('zh-Hans');
    onTestFinished(() => speakLanguage('en'));
    const chinese = expect.stringMatching(/\p{Script=Han}/u) as string;
    expect(rig.editor.history(batchId)).toEqual({ undo: chinese, redo: chinese });
  });

  test('a check that fails holds up no check of another batch', async () => {
    const rig = new SheetRig();
    const batches = [];
    for (const name of ['a', 'b']) {
      const batchId = await rig.bringIn(HEADERS, [[name, 'music', 'owl {mood}', '', '']]);
      const sheet = (await rig.night.store.batch(batchId))?.sheet;
      if (sheet === undefined) throw new Error('no sheet');
      const unfinished = { ...sheet, variables: { mood: 'calm' }, isUnchecked: true };
      await rig.sheets.change(batchId, { sheet: unfinished, rows: [], at: 0 });
      batches.push(batchId);
    }
    rig.reopen();
    const [broken = '', sound = ''] = batches;
    const change = rig.sheets.change.bind(rig.sheets);
    rig.sheets.change = (batchId, ...rest) =>
      batchId === broken ? Promise.reject(new Error('broken')) : change(batchId, ...rest);
    const failed: string[] = [];
    await rig.editor.finishChecks((batchId) => void failed.push(batchId));
    expect(failed).toEqual([broken]);
    expect((await rig.night.store.batch(sound))?.sheet.isUnchecked).toBeUndefined();
  });
});

describe('finding and replacing', () => {
  test('the next cell is found in both directions and around the end', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [
      ['a', 'music', 'owl', 'Owl', ''],
      ['b', 'music', 'fox', '', ''],
      ['c', 'music', 'owls', '', ''],
    ]);
    const find = async (offset: number, column: number, more: object = {}) => {
      const how = { isCaseSensitive: false, isWholeCell: false, isPattern: false, direction: 'forward' as const };
      const found = await rig.editor.find(batchId, {
        view: ALL,
        text: 'owl',
        from: { key: (await rig.keys(batchId, offset))[0], column },
        ...how,
        ...more,
      });
      if (!found.ok) return found.error;
      const { key = 0, header, nth, matches } = found.value ?? {};
      return found.value && [(await rig.keys(batchId, 0, 3)).indexOf(key), header, nth, matches];
    };
    expect(await find(0, 2)).toEqual([0, 'title', 2, 3]);
    expect(await find(0, 3)).toEqual([2, 'prompt', 3, 3]);
    expect(await find(2, 2)).toEqual([0, 'prompt', 1, 3]);
    expect(await find(0, 2, { direction: 'backward' })).toEqual([2, 'prompt', 3, 3]);
    expect(await find(0, 0, { isCaseSensitive: true, isWholeCell: true })).toEqual([0, 'prompt', 1, 1]);
    expect(await find(0, 0, { text: '^o.l$', isPattern: true })).toEqual([0, 'prompt', 1, 2]);
    // A row as a whole, from before its first cell or behind its last one.
    expect(await find(0, -1)).toEqual([0, 'prompt', 1, 3]);
    expect(await find(2, 5, { direction: 'backward' })).toEqual([2, 'prompt', 3, 3]);
    // From a row that the view does not show by now, the search begins before the first one.
    expect(await find(0, 3, { from: { key: 777, column: 3 } })).toEqual([0, 'prompt', 1, 3]);
    expect(await find(0, 3, { from: { column: 3 }, direction: 'backward' })).toEqual([2, 'prompt', 3, 3]);
    // In the order on screen, which may be another one.
    const rows = (await rig.keys(batchId, 0, 3)).toReversed();
    expect(await find(0, 3, { rows })).toEqual([2, 'prompt', 1, 3]);
    expect(await find(0, 0, { text: 'badger' })).toBeUndefined();
    expect(await find(0, 0, { text: '(', isPattern: true })).toContain('not a regular expression');
  });

  test('a pattern that would never end is given up with words, and nothing is changed', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(HEADERS, [['a', 'music', 'a'.repeat(60), '', '']]);
    const how = {
      isCaseSensitive: true,
      isWholeCell: false,
      isPattern: true,
      rows: await rig.keys(batchId, 0),
      replaceWith: 'x',
    };
    const started = performance.now();
    const edited = await rig.editor.edit(batchId, { kind: 'replace', find: '(a|a)*b', ...how });
    expect(edited).toMatchObject({ ok: false, error: expect.stringContaining('too long') as string });
    expect(performance.now() - started).toBeLessThan(5_000);
    const groups = await rig.edit(batchId, {
      kind: 'replace',
      find: '^(?<first>a)(a+)$',
      ...how,
      replaceWith: '$<first>-$2.length',
    });
    expect(groups.changedCells).toBe(1);
    expect((await rig.texts(batchId, 'prompt'))[0]?.[0]).toBe(`a-${'a'.repeat(59)}.length`);
  });
});

test('everything that is done can be undone and done again', async () => {
  const place = fc.nat(7);
  const step = fc.oneof(
    fc.record({
      kind: fc.constant('set' as const),
      at: place,
      header: fc.constantFrom('row', 'prompt', 'operation'),
      text: fc.constantFrom('', 's1', 's9', 'music', '{{s2.taskId}}'),
    }),
    fc.record({ kind: fc.constantFrom('insert' as const, 'remove' as const, 'duplicate' as const), at: place }),
    fc.record({ kind: fc.constant('move' as const), at: place, to: place }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      const rig = new SheetRig();
      const batchId = await rig.bringIn(HEADERS, lines(4));
      const sights = [await sight(rig, batchId)];
      for (const one of steps) {
        const count = await rig.sheets.countInView(batchId, {});
        if (count === 0) break;
        const at = one.at % count;
        const rows = await rig.keys(batchId, at);
        let done = { changedRows: 0 };
        if (one.kind === 'set') done = await rig.set(batchId, at, one.header, one.text);
        else if (one.kind === 'insert') {
          done = await rig.edit(batchId, {
            kind: 'insert-rows',
            at: await rig.at(batchId, at),
            where: 'below',
            count: 1,
          });
        } else if (one.kind === 'remove') done = await rig.edit(batchId, { kind: 'remove-rows', rows });
        else if (one.kind === 'duplicate') done = await rig.edit(batchId, { kind: 'duplicate-rows', rows });
        else if (one.kind === 'move') {
          const to = (await rig.keys(batchId, one.to % count))[0] ?? -1;
          done = await rig.edit(batchId, { kind: 'move-rows', rows, to, where: 'above' });
        }
        if (done.changedRows > 0) sights.push(await sight(rig, batchId));
      }
      const ids = /"id":"r\d+"/g;
      // An id that is made once more may have another number.
      const plain = (seen: (typeof sights)[number]) => JSON.stringify(seen).replace(ids, '"id":"made"');
      for (let at = sights.length - 2; at >= 0; at -= 1) {
        await rig.undo(batchId);
        expect(plain(await sight(rig, batchId))).toEqual(plain(sights[at] ?? []));
      }
      for (let at = 1; at < sights.length; at += 1) {
        await rig.redo(batchId);
        expect(plain(await sight(rig, batchId))).toEqual(plain(sights[at] ?? []));
      }
    }),
    { numRuns: Number(process.env['RUNS'] ?? 40) },
  );
}, 60_000);
