import { describe, expect, test } from 'vitest';
import { GridChoice } from '../../../src/renderer/batch/keys/grid-choice.ts';
import { selectionOf } from '../../../src/renderer/batch/keys/grid-selection.ts';
import { oneMoreTake, renderAgain } from '../../../src/renderer/state/batch/one-more-take.ts';
import { repeatBlock } from '../../../src/renderer/state/batch/repeat-block.ts';
import { settle } from './manual-schedule.ts';
import { BATCH, setUp, typist } from './editing-rig.ts';

describe('a text that is written into several rows', () => {
  const area = (rows: readonly number[]) => ({ rows, headers: ['prompt'] });

  test('is written where one of them takes it, and is known not to be where none does', async () => {
    const { editing, sheet } = await setUp();
    const row = sheet.rows[3];
    if (row !== undefined) row.locked = 'It is being rendered.';
    expect(await editing.setCells(area([3, 4]), [['one']])).toBe(true);
    expect(await editing.setCells(area([3]), [['too late']])).toBe(false);
    expect(await editing.setCells(area([]), [['whose?']])).toBe(false);
    expect([sheet.cell(3, 'prompt'), sheet.cell(4, 'prompt')]).toEqual(['prompt 4', 'one']);
  });
});

test('one more take is written into a column that is added once, and 100 are the most', async () => {
  const { editing, model, sheet, asked } = await setUp();
  const key = model.rows.pages.keyAt(2) ?? expect.unreachable();
  expect(await editing.setTakes(BATCH, [{ key, takes: 2 }])).toBeUndefined();
  // One edit, which one undo takes back.
  expect(asked.filter(({ route }) => route === 'sheet.edit')).toHaveLength(1);
  await settle();
  expect(await editing.setTakes(BATCH, [{ key, takes: 3 }])).toBeUndefined();
  expect(await editing.setTakes(BATCH, [{ key, takes: 101 }])).toBe('A row has at most 100 takes.');
  const edits = asked.flatMap(({ route, input }) => (route === 'sheet.edit' ? [input] : []));
  expect(edits.filter((one) => JSON.stringify(one).includes('add-column'))).toHaveLength(1);
  expect(sheet.view(BATCH).columns.at(-1)).toMatchObject({ header: 'takes' });
  expect(sheet.cell(2, 'takes')).toBe('3');
});

test('one more take is of the batch that it was asked for, whichever is on screen by then', async () => {
  const { editing, model, sheet, asked } = await setUp();
  const key = model.rows.pages.keyAt(2) ?? expect.unreachable();
  editing.open('batch-2');
  await editing.setTakes(BATCH, [{ key, takes: 2 }]);
  const edited = asked.flatMap(({ route, input }) =>
    route === 'sheet.edit' ? [(input as { batchId: string }).batchId] : [],
  );
  expect(edited).toEqual([BATCH]);
  expect(sheet.cell(2, 'takes')).toBe('2');
});

describe('a cell that is written', () => {
  test('shows its text before the application has answered, and keeps it', async () => {
    const { editing, shown, sheet, holdAnswers } = await setUp();
    const release = holdAnswers();
    const writing = editing.typed.commit(3, 3, 'prompt', 'A lighthouse');
    expect(shown(3, 'prompt')).toBe('A lighthouse');
    expect(sheet.cell(3, 'prompt')).toBe('prompt 4');
    release();
    await writing;
    expect(sheet.cell(3, 'prompt')).toBe('A lighthouse');
    await settle();
    expect(shown(3, 'prompt')).toBe('A lighthouse');
  });

  test('is one request: what became of its row comes with it', async () => {
    const { editing, shown, asked } = await setUp();
    asked.length = 0;
    expect(await editing.typed.commit(3, 3, 'prompt', 'A lighthouse')).toBe(true);
    await settle();
    expect(shown(3, 'prompt')).toBe('A lighthouse');
    expect(asked.map(({ route }) => route)).toEqual(['sheet.edit']);
  });

  test('keeps its text under a filter, until the view comes anew', async () => {
    const { editing, model, shown } = await setUp();
    model.rows.setFilter({ text: 'prompt' });
    await settle();
    expect(await editing.typed.commit(3, 3, 'prompt', 'A lighthouse')).toBe(true);
    expect(shown(3, 'prompt')).toBe('A lighthouse');
  });

  test('shows the old text again where it is refused, and says why', async () => {
    const { editing, shown, sheet, notices } = await setUp();
    const row = sheet.rows[3];
    if (row !== undefined) row.locked = 'It is being rendered.';
    expect(await editing.typed.commit(3, 3, 'prompt', 'too late')).toBe(false);
    await settle();
    expect(shown(3, 'prompt')).toBe('prompt 4');
    expect(notices()).toEqual(['1 row stays as it was. row-3 (line 5): It is being rendered.']);
  });

  test('shows the old text again where the application says no', async () => {
    const { editing, shown, refuse, notices } = await setUp();
    refuse('The disk is full.');
    expect(await editing.typed.commit(3, 3, 'prompt', 'lost')).toBe(false);
    expect(shown(3, 'prompt')).toBe('prompt 4');
    expect(notices()).toEqual(['The sheet was not changed. The disk is full.']);
  });

  test('typed twice, shows what was typed last', async () => {
    const { editing, shown, sheet, holdAnswers } = await setUp();
    const release = holdAnswers();
    const both = [editing.typed.commit(2, 2, 'title', 'one'), editing.typed.commit(2, 2, 'title', 'two')];
    expect(shown(2, 'title')).toBe('two');
    release();
    await Promise.all(both);
    expect(sheet.cell(2, 'title')).toBe('two');
    expect(shown(2, 'title')).toBe('two');
  });

  test('keeps its text while the night changes its row', async () => {
    const { model, shown } = await setUp();
    const row = model.rows.pages.rowAt(5);
    const { cells: _cells, ...bare } = row ?? expect.unreachable();
    model.rows.pages.applyChanges({ sequence: 99, rows: [{ ...bare, status: 'done' }] });
    expect(model.rows.pages.rowAt(5)?.status).toBe('done');
    expect(shown(5, 'prompt')).toBe('prompt 6');
  });
});

describe('a row that is typed below the last one', () => {
  test('is one row, however fast its cells are typed', async () => {
    const { editing, sheet, model, holdAnswers } = await setUp();
    const release = holdAnswers();
    const typing = [
      editing.typed.commit(12, undefined, 'row', 'mine'),
      editing.typed.commit(12, undefined, 'prompt', 'An owl'),
      editing.typed.commit(12, undefined, 'title', 'Night'),
    ];
    expect(editing.typed.newRowAt(12)?.cells.get('prompt')).toBe('An owl');
    expect(editing.typed.placesNeeded(12)).toBe(13);
    release();
    await Promise.all(typing);
    await settle();
    expect(sheet.rows).toHaveLength(13);
    expect(sheet.rows[12]?.cells).toEqual(['mine', 'An owl', 'Night', '']);
    expect(model.rows.pages.rowAt(12)?.row).toBe('mine');
    expect(editing.typed.newRowAt(12)).toBeUndefined();
  });

  test('is still the one when its page came while a cell of it was typed', async () => {
    const { editing, sheet } = await setUp();
    await editing.typed.commit(12, undefined, 'prompt', 'An owl');
    await settle();
    expect(editing.typed.newRowAt(12)).toBeUndefined();
    await editing.typed.commit(12, undefined, 'title', 'Night');
    expect(sheet.rows).toHaveLength(13);
    expect(sheet.rows[12]?.cells.slice(1, 3)).toEqual(['An owl', 'Night']);
  });

  test('is still the one when its page came before the answer that names it', async () => {
    const { editing, model, sheet, shown, holdReplies } = await setUp({ rows: 0 });
    const release = holdReplies();
    const first = editing.typed.commit(0, undefined, 'prompt', 'An owl');
    await settle();
    expect(model.rows.pages.total).toBe(1);
    const second = editing.typed.commit(0, undefined, 'title', 'Night');
    release();
    expect(await Promise.all([first, second])).toEqual([true, true]);
    await settle();
    expect(sheet.rows).toHaveLength(1);
    expect([shown(0, 'prompt'), shown(0, 'title')]).toEqual(['An owl', 'Night']);
  });

  test('is not lost where another one came to stand in its place', async () => {
    const { editing, sheet } = await setUp();
    sheet.clipboard = [['pasted']];
    await editing.paste({ y: 12, height: 1 }, ['prompt'], 1);
    await settle();
    await editing.typed.commit(12, undefined, 'prompt', 'typed');
    expect(sheet.rows.slice(12).map((row) => row.cells[1])).toEqual(['pasted', 'typed']);
  });

  test('two of them are two', async () => {
    const { editing, sheet } = await setUp();
    await Promise.all([
      editing.typed.commit(12, undefined, 'prompt', 'first'),
      editing.typed.commit(13, undefined, 'prompt', 'second'),
    ]);
    expect(sheet.rows.slice(12).map((row) => row.cells[1])).toEqual(['first', 'second']);
  });

  test.each([
    { when: 'at once', isLate: false },
    { when: 'late', isLate: true },
  ])('Enter goes below it, and what is typed there is the next row: the answer comes $when', async ({ isLate }) => {
    const { model, sheet, holdAnswers } = await setUp({ rows: 0 });
    const { typed } = model.editing;
    const { choice, type } = typist(model);
    const release = isLate ? holdAnswers() : undefined;
    choice.select(selectionOf([3, 0]));
    for (const [line, text] of ['first', 'second', 'third', 'fourth'].entries()) {
      expect(choice.selection.current?.cell).toEqual([3, line]);
      expect([choice.cursorKey, typed.newRowAt(line)]).toEqual([undefined, undefined]);
      type(text);
      if (!isLate) await settle();
    }
    release?.();
    await settle();
    expect(sheet.rows.map((row) => row.cells[1])).toEqual(['first', 'second', 'third', 'fourth']);
    expect(choice.selection.current?.cell).toEqual([3, 4]);
  });

  test('Enter goes below it, also where another row came to stand in its place', async () => {
    const { model, sheet } = await setUp();
    const { choice, type } = typist(model);
    choice.select(selectionOf([3, 12]));
    sheet.clipboard = [['pasted']];
    await model.editing.paste({ y: 12, height: 1 }, ['prompt'], 1);
    await settle();
    type('typed', 12);
    await settle();
    expect(choice.selection.current?.cell).toEqual([3, 14]);
    type('next');
    await settle();
    expect(sheet.rows.slice(12).map((row) => row.cells[1])).toEqual(['pasted', 'typed', 'next']);
  });

  test('goes away again where it is refused', async () => {
    const { editing, refuse } = await setUp();
    refuse('The store is read-only.');
    await editing.typed.commit(12, undefined, 'prompt', 'An owl');
    expect(editing.typed.placesNeeded(12)).toBe(12);
  });
});

describe('edits one after the other', () => {
  test('reach the rows that were seen, although others were inserted before them', async () => {
    const { editing, sheet, rows, holdAnswers, notices } = await setUp();
    const release = holdAnswers();
    const inserting = editing.insertRows(rows(2)[0], 'above', 3);
    const writing = editing.typed.commit(7, 7, 'prompt', 'seen at 7');
    const removing = editing.removeRows(rows(4, 2));
    release();
    await Promise.all([inserting, writing, removing]);
    expect(sheet.rows.find(({ key }) => key === 7)?.cells[1]).toBe('seen at 7');
    expect(sheet.rows.map(({ key }) => key)).toEqual([0, 1, 12, 13, 14, 2, 3, 6, 7, 8, 9, 10, 11]);
    expect(notices()).toEqual([]);
  });

  test('reach a row that has left the view while its cell was typed, and not the one in its place', async () => {
    const { editing, sheet, model } = await setUp();
    sheet.shows = ({ filter }, key) => filter.status === undefined || key >= 3;
    model.rows.setFilter({ status: ['queued'] });
    await settle();
    expect(model.rows.pages.rowAt(0)?.key).toBe(3);
    // The row is taken up by the night: it is queued no more.
    sheet.shows = ({ filter }, key) => filter.status === undefined || key >= 4;
    model.rows.pages.refresh();
    await settle();
    await editing.typed.commit(0, 3, 'prompt', 'still mine');
    expect(sheet.cell(3, 'prompt')).toBe('still mine');
    expect(sheet.cell(4, 'prompt')).toBe('prompt 5');
  });

  test('begin when the one before has ended', async () => {
    const { editing, asked, holdAnswers } = await setUp();
    const release = holdAnswers();
    const both = [editing.typed.commit(1, 1, 'title', 'a'), editing.typed.commit(2, 2, 'title', 'b')];
    await settle();
    expect(asked.filter(({ route }) => route === 'sheet.edit')).toHaveLength(1);
    expect(editing.store.getState().isBusy).toBe(true);
    release();
    await Promise.all(both);
    expect(asked.filter(({ route }) => route === 'sheet.edit')).toHaveLength(2);
    expect(editing.store.getState().isBusy).toBe(false);
  });

  test('are all sent in their order when the window closes', async () => {
    const { editing, sheet, asked, holdAnswers } = await setUp();
    const release = holdAnswers();
    const all: Promise<unknown>[] = [
      editing.setCells({ rows: [1, 2], headers: ['title'] }, [['a']]),
      editing.typed.commit(2, 2, 'title', 'b'),
      editing.undo(),
      editing.typed.commit(3, 3, 'title', 'c'),
    ];
    await settle();
    editing.sendWaiting();
    all.push(editing.typed.commit(4, 4, 'title', 'still being typed'));
    await settle();
    const sent = asked.flatMap(({ route }) => (['sheet.edit', 'sheet.undo'].includes(route) ? route : []));
    expect(sent).toEqual(['sheet.edit', 'sheet.edit', 'sheet.undo', 'sheet.edit', 'sheet.edit']);
    release();
    await Promise.all(all);
    expect([1, 2, 3, 4].map((key) => sheet.cell(key, 'title'))).toEqual(['a', 'a', 'c', 'still being typed']);
  });

  test('of one new row are one when the window closes before it is made', async () => {
    const { editing, sheet, asked, holdAnswers } = await setUp();
    const release = holdAnswers();
    const all = [
      editing.typed.commit(1, 1, 'title', 'a long edit'),
      editing.typed.commit(12, undefined, 'prompt', 'An owl'),
      editing.typed.commit(12, undefined, 'title', 'Hoot'),
    ];
    await settle();
    editing.sendWaiting();
    await settle();
    expect(asked.filter(({ route }) => route === 'sheet.edit')).toHaveLength(2);
    release();
    await Promise.all(all);
    expect(sheet.rows).toHaveLength(13);
    expect([sheet.cell(12, 'prompt'), sheet.cell(12, 'title')]).toEqual(['An owl', 'Hoot']);
  });

  test('of many rows are refused row by row, and the first reasons are told', async () => {
    const { editing, sheet, rows, notices } = await setUp();
    for (const index of [1, 2, 3, 4, 5]) {
      const row = sheet.rows[index];
      if (row !== undefined) row.locked = 'It is being rendered.';
    }
    await editing.fillDown({ rows: rows(0, 8), headers: ['title'] });
    expect(sheet.cell(7, 'title')).toBe('title 1');
    expect(sheet.cell(3, 'title')).toBe('title 4');
    expect(notices()).toEqual([
      '5 rows stay as they were. row-1 (line 3): It is being rendered. row-2 (line 4): It is being rendered. ' +
        'row-3 (line 5): It is being rendered. And 2 more rows.',
    ]);
  });
});

test('undo and redo are named, and what they did is told', async () => {
  const { editing, sheet } = await setUp();
  await editing.typed.commit(1, 1, 'title', 'changed');
  await settle();
  expect(editing.store.getState().sheet?.undo).toBe('set-cells');
  await editing.undo();
  await settle();
  expect(sheet.cell(1, 'title')).toBe('title 2');
  expect(editing.store.getState()).toMatchObject({ lastDone: 'Undone: set-cells', sheet: { redo: 'set-cells' } });
  expect(editing.store.getState().sheet?.undo).toBeUndefined();
  await editing.redo();
  expect(sheet.cell(1, 'title')).toBe('changed');
  await editing.redo();
  expect(editing.store.getState().lastDone).toBe('Nothing to redo');
  await editing.undo();
  for (const row of sheet.rows) row.locked = 'It is being rendered.';
  await editing.redo();
  expect(editing.store.getState()).toMatchObject({ lastDone: 'Nothing has changed' });
});

test('what could be undone ends with the engine, and that is said where there was something', async () => {
  const { editing, model } = await setUp();
  editing.endHistory();
  expect(editing.store.getState().lastDone).toBe('');
  await editing.typed.commit(1, 1, 'title', 'changed');
  await settle();
  editing.endHistory();
  expect(model.editing.store.getState().lastDone).toContain('can no longer be undone');
});

test('the columns stay the same object until they change: the grid is laid out anew for that', async () => {
  const { editing } = await setUp();
  const before = editing.store.getState().sheet?.columns;
  await editing.typed.commit(1, 1, 'title', 'changed');
  await settle();
  expect(editing.store.getState().sheet?.columns).toBe(before);
  await editing.edit({ kind: 'add-column', header: 'mood', after: 'title' });
  await settle();
  expect(editing.store.getState().sheet?.columns.map(({ header }) => header)).toEqual([
    'row',
    'prompt',
    'title',
    'mood',
    'note',
  ]);
});

test('what is copied is pasted, repeated over a taller selection', async () => {
  const { editing, sheet, rows } = await setUp();
  await editing.copy({ rows: rows(0, 2), headers: ['prompt', 'title'] }, false);
  await editing.paste({ y: 4, height: 4 }, ['prompt', 'title', 'note'], 1);
  expect(sheet.rows.slice(4, 9).map((row) => row.cells[2])).toEqual([
    'title 1',
    'title 2',
    'title 1',
    'title 2',
    'title 9',
  ]);
});

test('what is pasted below the last row is appended, and goes to the rows that were seen above it', async () => {
  const { editing, sheet } = await setUp();
  sheet.clipboard = [['a'], ['b'], ['c']];
  // A row comes to stand between them before the paste has its turn.
  sheet.rows.splice(11, 0, { key: 99, cells: ['late', 'untouched', '', ''] });
  await editing.paste({ y: 10, height: 1 }, ['prompt'], 1);
  expect(sheet.rows.slice(10).map((row) => [row.key, row.cells[1]])).toEqual([
    [10, 'a'],
    [99, 'untouched'],
    [11, 'b'],
    [12, 'c'],
  ]);
});

test('what is pasted while an undo removes the rows below is appended anew', async () => {
  const { editing, sheet, notices, holdAnswers } = await setUp();
  sheet.clipboard = [['a'], ['b'], ['c']];
  const paste = () => editing.paste({ y: 11, height: 1 }, ['prompt'], 1);
  await paste();
  await settle();
  const release = holdAnswers();
  const quick = [editing.undo(), paste(), editing.undo(), paste()];
  release();
  await Promise.all(quick);
  expect(sheet.rows.slice(11).map((row) => row.cells[1])).toEqual(['a', 'b', 'c']);
  expect(notices()).toEqual([]);
});

test('what is pasted goes where it was pasted, whatever batch is on screen when its turn comes', async () => {
  const { model, editing, sheet, holdAnswers } = await setUp();
  sheet.clipboard = [['a']];
  const release = holdAnswers();
  const pasted = editing.paste({ y: 4, height: 1 }, ['prompt'], 1);
  sheet.shows = () => false;
  model.go({ kind: 'batch', batchId: 'batch-2' });
  await settle();
  release();
  await pasted;
  expect(sheet.cell(4, 'prompt')).toBe('a');
  expect(sheet.rows).toHaveLength(12);
});

test('rows far out of sight are edited like those in sight', async () => {
  const { editing, sheet, rows } = await setUp({ rows: 100_000 });
  await editing.clear({ rows: rows(0, 100_000), headers: ['note'] });
  await editing.clear({ rows: rows(70_000, 2), headers: ['title'] });
  expect(sheet.cell(99_999, 'note')).toBe('');
  expect(sheet.cell(70_001, 'title')).toBe('');
  expect(sheet.cell(70_002, 'title')).toBe('title 70003');
});

test('of rows that were never in sight those are removed that stood there, and none that came there since', async () => {
  const { editing, sheet, rows } = await setUp({ rows: 1_000 });
  sheet.rows.splice(5, 1);
  await editing.removeRows(rows(0, 500));
  expect(sheet.rows).toHaveLength(500);
  expect(sheet.rows[0]?.key).toBe(500);
});

test('dragging a corner takes long cells over whole', async () => {
  const { sheet, model, rows } = await setUp();
  const long = 'All night long. '.repeat(80);
  const row = sheet.rows[0];
  if (row !== undefined) row.cells[1] = long;
  model.rows.pages.refresh();
  await settle();
  const source = { rows: rows(0, 2), headers: ['prompt'] };
  await repeatBlock(model, source, { rows: rows(2, 3), height: 3, headers: ['prompt'] }, 'down');
  expect(sheet.rows.slice(2, 6).map((each) => each.cells[1])).toEqual([long, 'prompt 2', long, 'prompt 6']);
});

test('rows move among those that are shown, only in the order of the sheet', async () => {
  const { editing, sheet, model, rows, notices } = await setUp();
  await editing.moveRows(rows(5, 2), { y: 5, height: 2 }, 'up');
  expect(sheet.rows.slice(4, 7).map(({ key }) => key)).toEqual([5, 6, 4]);
  await settle();
  await editing.moveRows(rows(4, 2), { y: 4, height: 2 }, 'down');
  expect(sheet.rows.slice(4, 7).map(({ key }) => key)).toEqual([4, 5, 6]);
  model.rows.sortBy({ column: 'status' });
  await settle();
  expect(await editing.moveRows(rows(5), { y: 5, height: 1 }, 'up')).toBe(false);
  expect(notices()).toHaveLength(1);
});

test('what is chosen goes along with its row through a filter and back', async () => {
  const { sheet, model } = await setUp();
  const choice = new GridChoice({
    shown: () => model.editing.typed.shown,
    onCursor: (key) => model.rows.select(key),
    onMoved: () => undefined,
  });
  model.rows.onDraw(({ kind }) => (kind === 'all' ? choice.follow() : undefined));
  sheet.shows = ({ filter }, key) => filter.text === undefined || key % 2 === 1;
  choice.select(selectionOf([1, 5]));
  expect(model.rows.store.getState()).toMatchObject({ selectedKey: 5, selectedRow: 'row-5' });
  model.rows.setFilter({ text: 'odd' });
  await settle();
  expect(choice.selection.current?.cell).toEqual([1, 2]);
  model.rows.setFilter({});
  await settle();
  expect(choice.selection.current?.cell).toEqual([1, 5]);
  expect(model.rows.store.getState().selectedRow).toBe('row-5');
  choice.select(selectionOf([1, 4]));
  model.rows.setFilter({ text: 'odd' });
  await settle();
  expect(choice.selection.current).toBeUndefined();
  expect(model.rows.store.getState()).toMatchObject({ selectedKey: undefined, selectedRow: undefined });
});

test('rows that refuse what was typed for them are named, also once another batch is on screen', async () => {
  const { model, editing, sheet, holdAnswers, notices } = await setUp();
  const row = sheet.rows[3];
  if (row !== undefined) row.locked = 'It is being rendered.';
  const release = holdAnswers();
  const written = editing.typed.commit(3, 3, 'prompt', 'too late');
  model.go({ kind: 'batch', batchId: 'batch-2' });
  await settle();
  release();
  expect(await written).toBe(false);
  expect(notices()).toEqual(['1 row stays as it was. row-3 (line 5): It is being rendered.']);
  expect(editing.store.getState().lastDone).toBe('');
});

test('an edit that is taken back late says nothing about the batch that was turned to', async () => {
  const { model, editing, sheet, holdAnswers } = await setUp();
  await editing.typed.commit(3, 3, 'prompt', 'first');
  await editing.typed.commit(3, 3, 'prompt', 'second');
  const release = holdAnswers();
  const undone = Promise.all([editing.undo(), editing.undo()]);
  model.go({ kind: 'batch', batchId: 'batch-2' });
  await settle();
  const other = { ...sheet.view('batch-2'), undo: undefined, redo: undefined };
  editing.changed('batch-2', other);
  release();
  await undone;
  expect(sheet.cell(3, 'prompt')).toBe('prompt 4');
  expect(editing.store.getState()).toMatchObject({ lastDone: '', sheet: { undo: undefined, redo: undefined } });
});

test('a text is replaced in the rows that the view showed, and in none that came into it meanwhile', async () => {
  const { sheet, editing, holdAnswers } = await setUp({ rows: 2 });
  const write = (edit: object): unknown =>
    sheet.answer('sheet.edit', { batchId: BATCH, edit: { kind: 'set-cells', headers: ['title'], ...edit } });
  const titles = (): unknown => sheet.rows.map(({ cells }) => cells[2]);
  write({ rows: sheet.rows.map(({ key }) => key), added: 0, values: [['owl']] });
  const release = holdAnswers();
  const before = editing.typed.commit(0, 0, 'note', 'first');
  const how = { isCaseSensitive: true, isWholeCell: false, isPattern: false };
  const replacing = editing.replace({ find: 'owl', replaceWith: 'fox', ...how }, undefined);
  await settle();
  write({ rows: [], added: 1, values: [['owl']] });
  release();
  await before;
  expect(await replacing).toMatchObject({ changedRows: 2 });
  expect(titles()).toEqual(['fox', 'fox', 'owl']);
});

test('a text is replaced in all blocks of a selection, whatever batch is on screen meanwhile', async () => {
  const { model, editing, sheet, asked, holdAnswers } = await setUp();
  const what = { find: 'prompt', replaceWith: 'owl', isCaseSensitive: true, isWholeCell: false, isPattern: false };
  const release = holdAnswers();
  const blocks = [1, 4].map((key) => ({ rows: [key], headers: ['prompt'] }));
  const replaced = editing.replaceInBlocks(what, blocks);
  model.go({ kind: 'batch', batchId: 'batch-2' });
  release();
  await replaced;
  expect([sheet.cell(1, 'prompt'), sheet.cell(4, 'prompt')]).toEqual(['owl 2', 'owl 5']);
  const edits = asked.filter(({ route }) => route === 'sheet.edit');
  expect(edits.map(({ input }) => (input as { batchId: string }).batchId)).toEqual([BATCH, BATCH]);
});

test('a notice of rows to render again goes with the undo of that edit, and of no other', async () => {
  const { model, editing, rows } = await setUp();
  const shown = () => model.notices.store.getState().shown.length;
  const done = () => model.notices.store.getState().notices.map((notice) => notice.done);
  await renderAgain(model, BATCH, rows(0, 2));
  expect(shown()).toBe(1);
  await editing.clear({ rows: rows(4), headers: ['note'] });
  await editing.undo();
  expect(shown()).toBe(1);
  await editing.undo();
  expect(shown()).toBe(0);
  expect(done()).toEqual(['Undone']);
  await editing.redo();
  expect(done()).toEqual([undefined]);
});

test('a notice of one more take goes with the undo of that edit, and not of another with the same name', async () => {
  const { model, editing, sheet, rows } = await setUp();
  const [key] = rows(2);
  const row = sheet.rows[2];
  if (key === undefined || row === undefined) return expect.unreachable();
  row.takesDone = 1;
  const done = () => model.notices.store.getState().notices.map((notice) => notice.done);
  await editing.setTakes(BATCH, [{ key, takes: 1 }]);
  await settle();
  await oneMoreTake(model, BATCH, [key]);
  await editing.setCells({ rows: [key], headers: ['note'] }, [['later']]);
  expect(sheet.view(BATCH).undo).toBe('set-cells');
  await editing.undo();
  expect(done()).toEqual([undefined]);
  await editing.undo();
  expect(done()).toEqual(['Undone']);
  await editing.redo();
  expect(done()).toEqual([undefined]);
});

test('what a column is mapped to is remembered, also as an undo leaves it, and nothing of an edit that is refused', async () => {
  const { editing, asked, refuse } = await setUp();
  const kept = () => asked.filter(({ route }) => route === 'sheet.keepMapping').map(({ input }) => input);
  await editing.mapColumn('note', 'title');
  expect(kept()).toEqual([{ batchId: BATCH }]);
  await editing.undo();
  expect(kept()).toHaveLength(2);
  refuse('No.');
  await editing.mapColumn('note', 'title');
  expect(kept()).toHaveLength(2);
});
