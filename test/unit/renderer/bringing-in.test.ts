import { describe, expect, test } from 'vitest';
import { columnGroups, searchColumns, searchOperations } from '../../../src/renderer/state/batch/column-choices.ts';
import {
  confirmedMapping,
  correctionsOf,
  openQuestions,
  understandingOf,
  withCorrections,
  withoutCorrection,
} from '../../../src/renderer/state/opening/sheet-understanding.ts';
import { ALL_COLUMNS, asWritten, OPERATIONS } from '../../../src/shared/domain/operations/operations.ts';
import type { ProblemView } from '../../../src/shared/ipc/rows.ts';
import { bringingInRig, column } from './bringing-in-rig.ts';
import { makeBatch, makeBeginning, makeSheet } from './make-view.ts';
import { settle } from './manual-schedule.ts';

describe('how a sheet is understood', () => {
  const sheet = makeSheet({
    columns: [
      column('row', 'exact', 'row'),
      column('Prompt text', 'synonym', 'prompt'),
      column('Aspekt', 'alike', 'aspect_ratio'),
      column('Mood', 'ignored'),
      column('Titel', 'chosen', 'title'),
    ],
    variables: { place: 'a harbour', who: '' },
  });

  test('only what the user said is said again, and confirming says the rest', () => {
    expect(understandingOf(sheet)).toEqual({
      mapping: { Mood: '', Titel: 'title' },
      variables: { place: 'a harbour' },
      choices: 'draw',
    });
    expect(confirmedMapping(sheet)).toEqual({
      Mood: '',
      Titel: 'title',
      'Prompt text': 'prompt',
      Aspekt: 'aspect_ratio',
    });
  });

  test('what should be looked at is named, and a plain sheet asks nothing', () => {
    expect(openQuestions(sheet)).toEqual(['columns', 'variables']);
    const own = [column('row', 'exact', 'row'), column('My notes', 'unknown')];
    expect(openQuestions(makeSheet({ columns: own }))).toEqual([]);
    expect(openQuestions(makeSheet({ columns: [column('promt', 'unknown', '', ['prompt'])] }))).toEqual(['columns']);
    const lists = [{ name: 'animals', isThere: false }];
    const asking = makeSheet({ needsOperation: true, lists, choiceCells: 2 });
    expect(openQuestions(asking)).toEqual(['operation', 'lists', 'choices']);
  });
});

describe('understanding it in another way', () => {
  test('changes that come while it is checked are asked for together, and only the last answer is shown', async () => {
    const { bringIn, asked, hold, open } = bringingInRig({
      'sheet.interpret': ({ choices, variables }: { choices: 'draw' | 'expand'; variables: Record<string, string> }) =>
        makeSheet({ choices, variables, rowCount: 99 }),
    });
    bringIn.show(makeSheet());
    hold();
    void bringIn.interpret({ choices: 'expand' });
    void bringIn.interpret({ variables: { a: '1' } });
    void bringIn.interpret({ mapping: { Mood: '' } });
    expect(asked).toHaveLength(1);
    asked[0]?.answer();
    await settle();
    expect(open()).toMatchObject({ rowCount: 60 });
    expect(asked).toHaveLength(2);
    expect(asked[1]?.input).toEqual({
      sheetId: 'sheet-1',
      mapping: { Mood: '' },
      variables: { a: '1' },
      choices: 'expand',
    });
    asked[1]?.answer();
    await settle();
    expect(open()).toMatchObject({ choices: 'expand', rowCount: 99 });
    expect(bringIn.store.getState().isChecking).toBe(false);
  });

  test('an answer for a sheet that was pushed aside changes nothing', async () => {
    const { bringIn, asked, hold, open } = bringingInRig({ 'sheet.interpret': () => makeSheet({ rowCount: 1 }) });
    bringIn.show(makeSheet());
    hold();
    void bringIn.interpret({ choices: 'expand' });
    bringIn.show(makeSheet({ sheetId: 'dropped', recentId: 'dropped', rowCount: 5 }));
    asked[0]?.answer();
    await settle();
    expect(open()).toMatchObject({ sheetId: 'dropped', rowCount: 5 });
    expect(bringIn.store.getState().isChecking).toBe(false);
    void bringIn.interpret({ choices: 'expand' });
    expect(asked.at(-1)?.input).toMatchObject({ sheetId: 'dropped' });
  });

  test('forgetting what was kept says nothing of the headers, and keeps the rest', async () => {
    const { bringIn, asked } = bringingInRig({ 'sheet.interpret': () => makeSheet() });
    const columns = [column('Titel', 'chosen', 'title')];
    bringIn.show(makeSheet({ columns, defaultOperation: 'musicgen/music/wav', variables: { a: '1' } }));
    await bringIn.forgetMapping();
    expect(asked[0]?.input).toEqual({ sheetId: 'sheet-1', mapping: {}, variables: { a: '1' }, choices: 'draw' });
  });
});

test('corrections of texts are added, replaced and taken back one by one', () => {
  const one = { header: 'Type', written: 'Clip', instead: 'video-a' };
  const first = makeSheet({ corrections: withCorrections([one], makeSheet()) });
  const both = makeSheet({ corrections: withCorrections([{ ...one, written: 'Film', instead: 'video-b' }], first) });
  expect(both.corrections).toEqual({ Type: { Clip: 'video-a', Film: 'video-b' } });
  expect(withCorrections([{ ...one, instead: 'mp4' }], both)).toEqual({ Type: { Clip: 'mp4', Film: 'video-b' } });
  expect(understandingOf(both)).toMatchObject({ corrections: both.corrections });
  expect(correctionsOf(both)).toHaveLength(2);
  const left = makeSheet({ corrections: withoutCorrection(both, one) });
  expect(left.corrections).toEqual({ Type: { Film: 'video-b' } });
  expect(withoutCorrection(left, { ...one, written: 'Film' })).toEqual({});
});

test('a clipboard without a table is said to be one; one with a table is shown', async () => {
  const tables = [undefined, makeSheet({ format: 'clipboard' })];
  const { bringIn, shown, notices } = bringingInRig({ 'sheet.fromClipboard': () => tables.shift() });
  await bringIn.paste();
  expect(notices).toEqual(['There is no table on the clipboard']);
  expect(shown).toEqual([]);
  await bringIn.paste();
  expect(shown).toEqual(['sheet']);
});

describe('a large file of which the first rows come first', () => {
  const LARGE = () => makeSheet({ rowCount: 100_000 });

  test('is shown by them, counts as nothing, and is made whole in its place', async () => {
    const { bringIn, newBatches, startForms, asked, shown, hold, open } = bringingInRig({ 'sheet.choose': LARGE });
    hold();
    const choosing = bringIn.choose(true);
    bringIn.showBeginning(makeBeginning());
    expect(shown).toEqual(['sheet']);
    expect(bringIn.store.getState()).toMatchObject({ isOpening: true, rowsRead: 1, open: { isRehearsal: true } });
    expect(await newBatches.create(true)).toBeUndefined();
    await bringIn.interpret({ choices: 'expand' });
    await bringIn.forgetMapping();
    expect(asked.map(({ route }) => route)).toEqual(['sheet.choose']);
    bringIn.readSoFar('sheet-1', 2_000);
    bringIn.readSoFar('another', 9_000);
    expect(bringIn.store.getState().rowsRead).toBe(2_000);
    startForms.change(
      'sheet-1',
      { name: 'night', wantsRehearsal: true, folder: undefined, limitText: '' },
      { name: 'Owls' },
    );
    asked[0]?.answer();
    await choosing;
    expect(open()).toMatchObject({ rowCount: 100_000 });
    expect(bringIn.store.getState()).toMatchObject({ isOpening: false, open: { hadBeginning: true, asksLate: false } });
    expect(startForms.store.getState()['sheet-1']?.name).toBe('Owls');
    // The user may be anywhere by now.
    expect(shown).toEqual(['sheet']);
    bringIn.showBeginning(makeBeginning());
    expect(open()).toMatchObject({ rowCount: 100_000 });
  });

  test('and is left is read no further, and comes back by nothing that is late', async () => {
    const { bringIn, asked, shown, hold, open } = bringingInRig({ 'sheet.choose': LARGE });
    hold();
    const choosing = bringIn.choose();
    bringIn.showBeginning(makeBeginning());
    bringIn.close();
    expect(asked.at(-1)).toMatchObject({ route: 'sheet.close', input: { sheetId: 'sheet-1' } });
    bringIn.showBeginning(makeBeginning());
    asked[0]?.answer();
    await choosing;
    expect(open()).toBeUndefined();
    expect(shown).toEqual(['sheet', 'home']);
    expect(bringIn.store.getState().isOpening).toBe(false);
  });

  test('gives way to another one that is dropped', () => {
    const { bringIn, asked, open } = bringingInRig();
    bringIn.showBeginning(makeBeginning());
    bringIn.showBeginning(makeBeginning({ sheetId: 'dropped' }));
    expect(asked).toMatchObject([{ route: 'sheet.close', input: { sheetId: 'sheet-1' } }]);
    bringIn.show(makeSheet());
    expect(open()?.sheetId).toBe('dropped');
  });

  test('is read in another way meanwhile, and only the last way counts', async () => {
    const { bringIn, asked, hold, open } = bringingInRig({
      'sheet.choose': () => undefined,
      'sheet.reread': ({ encoding }: { encoding: 'gbk' }) => makeSheet({ encoding, rowCount: 99 }),
    });
    hold();
    const choosing = bringIn.choose();
    bringIn.showBeginning(makeBeginning({ encoding: 'windows-1252' }));
    const first = bringIn.reread('sheet-1', { encoding: 'gbk' });
    void bringIn.reread('sheet-1', { encoding: 'utf-8' });
    expect(asked.map(({ route }) => route)).toEqual(['sheet.choose', 'sheet.reread']);
    asked[0]?.answer();
    await choosing;
    expect(bringIn.store.getState()).toMatchObject({ isOpening: false, isChecking: true });
    bringIn.showBeginning(makeBeginning({ encoding: 'gbk' }));
    expect(bringIn.store.getState().isChecking).toBe(false);
    const second = bringIn.reread('sheet-1', { encoding: 'shift_jis' });
    asked[1]?.answer();
    await first;
    expect(bringIn.store.getState().isChecking).toBe(true);
    expect(open()).not.toHaveProperty('rowCount');
    asked[2]?.answer();
    await second;
    expect(open()).toMatchObject({ encoding: 'shift_jis', rowCount: 99 });
    expect(bringIn.store.getState().isChecking).toBe(false);
  });

  test('is gone where nobody reads it to its end', async () => {
    const { bringIn, asked, hold, open, shown } = bringingInRig();
    hold();
    const choosing = bringIn.choose();
    bringIn.showBeginning(makeBeginning());
    asked[0]?.answer();
    await choosing;
    expect(open()).toBeUndefined();
    expect(shown).toEqual(['sheet', 'home']);
  });

  test('that asks something only further down is shown with its question', () => {
    const { bringIn } = bringingInRig();
    bringIn.showBeginning(makeBeginning());
    bringIn.show(makeSheet({ variables: { place: '' } }));
    expect(bringIn.store.getState().open?.asksLate).toBe(true);
    bringIn.show(makeSheet({ sheetId: 'small', variables: { place: '' } }));
    expect(bringIn.store.getState().open?.asksLate).toBe(false);
  });
});

test('how many rows hold very long texts is not guessed: where many problems stand before them, and where nobody answers', async () => {
  const problem = { severity: 'error', code: 'value-type', row: 'a', message: 'm', remedy: 'r' };
  const before = Array.from({ length: 5_000 }, (_, at) => ({ ...problem, key: at }));
  const counted = bringingInRig({ 'sheet.problems': () => before, 'sheet.longRows': () => 2 });
  expect(await counted.newBatches.countLongRows('b')).toBe(2);
  const refused = bringingInRig({});
  expect(await refused.newBatches.countLongRows('b')).toBeUndefined();
  expect(refused.notices).toHaveLength(1);
});

describe('a problem that is fixed in the grid', () => {
  const problem: ProblemView = {
    severity: 'error',
    code: 'value-type',
    row: 'two',
    line: 3,
    column: 'prompt',
    message: 'm',
    remedy: 'r',
  };
  const typed = {
    name: ' Small night ',
    wantsRehearsal: false,
    folder: { folderId: 'f-1', path: '/home/ada/Renders' },
    limitText: '60',
  };

  /** A sheet that is open, with everything about its start answered. */
  function answered(changes: Partial<typeof typed> = {}) {
    const rig = bringingInRig(
      { 'batch.create': () => makeBatch({ id: 'new' }), 'sheet.problems': () => [] },
      { lacksGateway: false },
    );
    rig.bringIn.show(makeSheet());
    rig.startForms.change('sheet-1', typed, { ...typed, ...changes });
    return rig;
  }

  test('keeps everything that was chosen: name, gateway, folder and the limit', async () => {
    const { newBatches, asked } = answered();
    await newBatches.fixInGrid(problem);
    expect(asked[0]).toMatchObject({
      route: 'batch.create',
      input: {
        sheetId: 'sheet-1',
        start: false,
        name: 'Small night',
        rehearsal: false,
        folderId: 'f-1',
        maxSubmits: 60,
      },
    });
  });

  test('what is refused of it stands at its field until that is answered anew', () => {
    const { startForms: forms } = answered();
    const fieldOf = () => forms.refused.getState()['sheet-1']?.field;
    forms.refuse('sheet-1', { code: 'refused', message: 'The folder is full.', field: 'folder' });
    forms.change('sheet-1', typed, { limitText: '61' });
    expect(fieldOf()).toBe('folder');
    forms.change('sheet-1', typed, { folder: { folderId: 'f-2', path: '/media/disk' } });
    expect(fieldOf()).toBeUndefined();
    forms.refuse('sheet-1', { code: 'refused', message: 'No key.', field: 'accounts' });
    forms.change('sheet-1', typed, { wantsRehearsal: true });
    expect(fieldOf()).toBeUndefined();
    forms.refuse('sheet-1', { code: 'refused', message: 'The folder is full.', field: 'folder' });
    forms.forget('sheet-1');
    expect(fieldOf()).toBeUndefined();
  });

  test('is refused at its field, and tried again without what was said of the time before', async () => {
    const { bringIn, newBatches, startForms, asked, hold } = bringingInRig({}, { lacksGateway: false });
    bringIn.show(makeSheet());
    startForms.change('sheet-1', typed, typed);
    await newBatches.create(true);
    expect(startForms.refused.getState()['sheet-1']).toMatchObject({ message: 'No.' });
    hold();
    const again = newBatches.create(true);
    expect(startForms.refused.getState()['sheet-1']).toBeUndefined();
    asked.at(-1)?.answer();
    await again;
    expect(startForms.refused.getState()['sheet-1']).toMatchObject({ message: 'No.' });
  });

  test('makes no batch without the limit that was meant, and says what to correct', async () => {
    for (const limitText of ['sixty', '0', '1e3']) {
      const { newBatches, asked, notices, open } = answered({ limitText });
      await newBatches.fixInGrid(problem);
      expect(asked).toEqual([]);
      expect(notices[0]).toContain('request limit');
      expect(open()).toBeDefined();
    }
  });

  test('loses nothing of what was typed by another check, another screen, or a batch that could not be made', async () => {
    const { bringIn, newBatches, startForms } = bringingInRig(
      { 'sheet.interpret': () => makeSheet({ rowCount: 61 }) },
      { lacksGateway: false },
    );
    bringIn.show(makeSheet());
    startForms.change('sheet-1', typed, typed);
    await bringIn.interpret({ choices: 'expand' });
    await newBatches.create(true);
    expect(startForms.store.getState()['sheet-1']).toEqual(typed);
    bringIn.close();
    expect(startForms.store.getState()).toEqual({});
  });

  test('is called otherwise than the batches that are there, unless the user says so', async () => {
    const { bringIn, newBatches, asked } = bringingInRig(
      { 'batch.create': () => makeBatch() },
      { names: ['night', 'night 2'] },
    );
    bringIn.show(makeSheet());
    await newBatches.create(false);
    expect(asked.at(-1)?.input).toMatchObject({ name: 'night 3' });
  });

  test('imports the sheet without starting it, and goes to its cell by the header that the sheet has', async () => {
    const { bringIn, newBatches, asked, shown } = bringingInRig({
      'batch.create': () => makeBatch({ id: 'new' }),
      'sheet.problems': () => [
        { ...problem, row: 'one', key: 1 },
        { ...problem, key: 2 },
      ],
    });
    bringIn.show(makeSheet({ columns: [column('Prompt text', 'chosen', 'prompt')] }));
    await newBatches.fixInGrid(problem);
    expect(asked[0]?.input).toEqual({ sheetId: 'sheet-1', name: 'night', rehearsal: true, start: false });
    expect(shown.slice(1)).toEqual([
      ['batch', 'new'],
      ['cell', 'new', 2, 'Prompt text'],
    ]);
  });

  test.each(['batch.create', 'sheet.problems'] as const)(
    'leads nowhere once the user has left during %s',
    async (route) => {
      const { bringIn, newBatches, shown, asked, hold, goElsewhere } = bringingInRig({
        'batch.create': () => makeBatch({ id: 'new' }),
        'sheet.problems': () => [{ ...problem, key: 2 }],
      });
      bringIn.show(makeSheet());
      hold((asking) => asking === route);
      const fixed = newBatches.fixInGrid(problem);
      await settle();
      goElsewhere();
      asked.at(-1)?.answer();
      await fixed;
      expect(shown.slice(1)).toEqual(route === 'batch.create' ? [] : [['batch', 'new']]);
    },
  );

  test('leads to where one press puts it right for all of its rows, if there is one', async () => {
    const { bringIn, newBatches, shown } = bringingInRig({
      'batch.create': () => makeBatch({ id: 'new' }),
      'sheet.problems': () => [],
    });
    bringIn.show(makeSheet());
    const { row: _row, line: _line, ...ofSheet } = problem;
    await newBatches.fixInGrid({ ...ofSheet, severity: 'warning', code: 'unused-column' });
    expect(shown.slice(1)).toEqual([
      ['batch', 'new'],
      ['problems', 'new'],
    ]);
  });

  test('stays on the sheet if it cannot be imported', async () => {
    const { bringIn, newBatches, shown, open } = bringingInRig();
    bringIn.show(makeSheet());
    await newBatches.fixInGrid(problem);
    expect(shown).toEqual(['sheet']);
    expect(open()).toBeDefined();
  });
});

describe('starting a batch that waits', () => {
  const chosen = { batchId: 'batch-1', name: 'Named', rehearsal: true, maxSubmits: 0 };

  test('takes over what was chosen before it starts', async () => {
    const { newBatches, startForms, asked } = bringingInRig({
      'batch.configure': () => makeBatch({ state: 'ready' }),
      'batch.start': () => makeBatch({ state: 'running' }),
    });
    startForms.change('batch-1', { name: '', wantsRehearsal: true, folder: undefined, limitText: '' }, {});
    expect(await newBatches.start(chosen, 3)).toBe('started');
    expect(asked.map(({ route }) => route)).toEqual(['batch.configure', 'batch.start']);
    expect(startForms.store.getState()).toEqual({});
    expect(asked.map(({ input }) => input)).toEqual([chosen, { batchId: 'batch-1', submits: 3 }]);
  });

  test('never starts with something else than what was chosen', async () => {
    const { newBatches, asked } = bringingInRig({ 'batch.start': () => makeBatch() });
    expect(await newBatches.start(chosen, 3)).toBe('refused');
    expect(asked.map(({ route }) => route)).toEqual(['batch.configure']);
  });

  test('waits for another look if other rows run with the accounts that were chosen', async () => {
    const { newBatches, asked } = bringingInRig({
      'batch.configure': () => makeBatch({ state: 'ready', taskCount: 2 }),
    });
    expect(await newBatches.start({ ...chosen, accounts: null }, 3)).toBe('rechecked');
    expect(asked.map(({ route }) => route)).toEqual(['batch.configure']);
  });
});

describe('the operations to choose from', () => {
  test('are found by name, by everyday words and by their help, and what is called so comes first', () => {
    const found = (search: string) => searchOperations(search).map(({ short }) => short);
    expect(found('lyrics').slice(0, 2)).toEqual(['lyrics', 'music']);
    expect(found('歌词')).toEqual(['lyrics']);
    expect(found('vid').slice(0, 2)).toEqual(['video-a', 'video-b']);
    expect(found('song')[0]).toBe('music');
    expect(found('')).toEqual(OPERATIONS.map(({ short }) => short));
  });

  test('are written as the text that they replace', () => {
    expect([asWritten('lyrics', 'lyrcs'), asWritten('lyrics', '歌祠'), asWritten('wav', '歌祠')]).toEqual([
      'lyrics',
      '歌词',
      'wav',
    ]);
  });
});

describe('the columns to choose from', () => {
  test('are all that there are, each once, those of the operations in use first', () => {
    const groups = columnGroups(['videogen-b/image/generate']);
    expect(groups.slice(0, 2).map(({ title }) => title)).toEqual(['About the row', 'Image']);
    const names = groups.flatMap(({ columns }) => columns.map((one) => one.column));
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining([...ALL_COLUMNS, 'row', 'seed']));
  });

  test('are found by words of their names and their help', () => {
    const found = searchColumns(columnGroups([]), 'weight style').flatMap(({ columns }) => columns);
    expect(found.map((one) => one.column)).toEqual(['controls.style_weight']);
    // What is called so stands before what is only told of so.
    expect(searchColumns(columnGroups([]), 'clip')[0]?.columns[0]?.column).toBe('clip_id');
    expect(searchColumns(columnGroups([]), 'nothing like it')).toEqual([]);
  });
});

test('what was said of the columns is said again when a way of reading is taken back', async () => {
  const [comma, semicolon] = [[column('Bild', 'unknown'), column('Idee', 'unknown')], [column('Bild;Idee', 'unknown')]];
  const { bringIn, asked, open } = bringingInRig({
    'sheet.reread': ({ delimiter }: { delimiter: string }) =>
      makeSheet({ columns: delimiter === ',' ? comma : semicolon }),
    'sheet.interpret': ({ mapping }: { mapping: Record<string, string> }) =>
      makeSheet({
        columns: comma.map((one) =>
          column(one.header, mapping[one.header] ? 'chosen' : 'unknown', mapping[one.header]),
        ),
      }),
  });
  bringIn.show(makeSheet({ columns: comma }));
  await bringIn.interpret({ mapping: { Idee: 'prompt' } });
  await bringIn.reread('sheet-1', { delimiter: ';' });
  expect(open()?.columns).toEqual(semicolon);
  await bringIn.reread('sheet-1', { delimiter: ',' });
  expect(open()?.columns.map(({ column: name }) => name)).toEqual(['', 'prompt']);
  // Where nothing was said, nothing is asked.
  const before = asked.length;
  await bringIn.reread('sheet-1', { delimiter: ';' });
  expect(asked.slice(before).map(({ route }) => route)).toEqual(['sheet.reread']);
});

test('a sheet is read again as it was chosen so far, and another sheet is recognised from the start', async () => {
  const { bringIn, asked } = bringingInRig({ 'sheet.reread': () => makeSheet({ encoding: 'gbk' }) });
  bringIn.show(makeSheet());
  await bringIn.reread('sheet-1', { encoding: 'gbk' });
  await bringIn.reread('sheet-1', { delimiter: ';' });
  expect(asked.at(-1)?.input).toEqual({ sheetId: 'sheet-1', encoding: 'gbk', delimiter: ';' });
  bringIn.show(makeSheet({ sheetId: 'other', recentId: 'other' }));
  await bringIn.reread('other', { delimiter: '|' });
  expect(asked.at(-1)?.input).toEqual({ sheetId: 'other', delimiter: '|' });
});
