import { describe, expect, test } from 'vitest';
import type { RowChange } from '../../src/engine/ports/sheet-store.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { RowFilter } from '../../src/shared/domain/task/batch-view.ts';
import type { SheetProblem } from '../../src/shared/domain/sheet/problems.ts';
import { createSheetChecker } from '../../src/shared/domain/sheet/sheet-checker.ts';
import { rowDetailOf } from '../support/row-detail-of.ts';
import { WAYS } from './opened-store.ts';
import { makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';
import { HINT, LATER, NOTHING, WRONG, sheetForEach } from './sheet-store-rig.ts';

describe.each(WAYS)('%s', (way, openIn) => {
  let opened: PromisedStore;
  let sheets: PromisedStore['sheets'];
  let id: string;
  const { reopen, edit, stored, update, insertion } = sheetForEach(openIn, (given) => {
    ({ opened, sheets, id } = given);
  });

  async function cellsOf(rowId: string): Promise<readonly (readonly [string, string])[]> {
    return Object.entries((await stored(rowId)).row.cells);
  }

  test('cells stay under their names through every change of the columns, in rows that are not written again, too', async () => {
    const write = async (rowId: string, cells: Row['cells'], headers: readonly string[]) =>
      edit([update(await stored(rowId), { cells: { cells } })], { headers });
    await write('r2', { text: 'a', prompt: 'two' }, ['text', 'prompt']);
    expect([await cellsOf('r2'), await cellsOf('r3')]).toEqual([
      [
        ['text', 'a'],
        ['prompt', 'two'],
      ],
      [['prompt', 'prompt 3']],
    ]);
    await write('r2', { words: 'a', text: '' }, ['words', 'text']);
    await write(
      'r4',
      Object.fromEntries([
        ['__proto__', 'own'],
        ['1', 'one'],
      ]),
      ['__proto__', 'words', '1'],
    );
    await reopen();
    expect(await cellsOf('r2')).toEqual([
      ['words', 'a'],
      ['text', ''],
    ]);
    expect(await cellsOf('r3')).toEqual([['prompt', 'prompt 3']]);
    expect(await cellsOf('r4')).toEqual([
      ['1', 'one'],
      ['__proto__', 'own'],
    ]);
    const { rows } = await opened.views.rowPage(id, { offset: 0, limit: 9, withCells: true });
    expect(rows.map(({ sheet }) => sheet?.cells)).toEqual([
      ['', 'a', ''],
      ['', '', ''],
      ['own', '', 'one'],
      ['', '', ''],
    ]);
  });

  /** The ids of the rows that a search shows, each way in which they may be looked for. */
  async function found(text: string): Promise<readonly string[]> {
    const filter = { text };
    const { keys, rows } = await opened.views.viewPage(id, { filter, offset: 0, limit: 9 });
    expect(await sheets.keysInView(id, { filter }, 0, 9)).toEqual(keys);
    expect(await sheets.countInView(id, { filter })).toBe(keys.length);
    const more = { text, operation: 'musicgen/music/generate', status: ['queued'] } as const;
    expect(await sheets.keysInView(id, { filter: more }, 0, 9)).toEqual(keys);
    const sort = { column: 'line', direction: 'descending' } as const;
    expect(await sheets.keysInView(id, { filter, sort }, 0, 9)).toEqual(keys.toReversed());
    return rows.map(({ row }) => row);
  }

  test('a text is found in the rows as they are now, after each change', async () => {
    expect(await found('prompt')).toEqual(['r2', 'r3', 'r4', 'r5']);
    expect(await found(' Prompt 3 ')).toEqual(['r3']);
    expect(await found('r3\nprompt')).toEqual(['r3']);
    expect(await found('prompt 2\n\nr3')).toEqual([]);
    await edit([update(await stored('r3'), { cells: { note: 'ÉTUDE' } })]);
    expect(await found('étude')).toEqual(['r3']);
    const { position } = await stored('r3');
    await edit([insertion(makeRow(9, { note: 'e\u0301tude, again' }), position - 1)]);
    expect(await found('étude')).toEqual(['r9', 'r3']);
    const { key, tasks } = await stored('r3');
    await edit([{ kind: 'remove', key, tasks: { ...NOTHING, remove: tasks } }]);
    expect(await found('étude')).toEqual(['r9']);
    expect(await found('nowhere')).toEqual([]);
    const { id: other } = await opened.store.createBatch(newBatch());
    expect(await sheets.countInView(other, { filter: { text: 'prompt' } })).toBe(1);
    expect(await found('prompt')).toEqual(['r2', 'r9', 'r4', 'r5']);
  });

  test('half of a character, and one that ends a text in C, are searched for as they were kept', async () => {
    await edit([update(await stored('r3'), { cells: { note: 'half \uD83C and a whole 🌙' } })]);
    expect(await found('half \uD83C and')).toEqual(['r3']);
    expect(await found('🌙')).toEqual(['r3']);
    // SQLite's driver reads a text to its first NUL.
    expect(await found('🌙\0\0')).toEqual(way === 'on PostgreSQL' ? [] : ['r3']);
    await edit([update(await stored('r4'), { cells: { note: 'one\0two' } })]);
    expect(await found('one')).toEqual(['r4']);
    expect(await found('one\0t')).toEqual(['r4']);
    expect(await found('prompt 5')).toEqual(['r5']);
  });

  test('columns of a change that was not written are not known afterwards', async () => {
    const [first, second] = [await stored('r2'), await stored('r3')];
    const lost = [
      update(first, { cells: { cells: { lost: 'x' } } }),
      { kind: 'remove', key: second.key, tasks: NOTHING },
    ];
    await expect(edit(lost as readonly RowChange[])).rejects.toThrow('removed with tasks');
    await edit([update(second, { cells: { cells: { kept: 'y' } } })]);
    expect([await cellsOf('r2'), await cellsOf('r3')]).toEqual([[['prompt', 'prompt 2']], [['kept', 'y']]]);
    await reopen();
    expect([await cellsOf('r2'), await cellsOf('r3')]).toEqual([[['prompt', 'prompt 2']], [['kept', 'y']]]);
  });

  describe('the problems of a sheet', () => {
    test('are those of the sheet first, then row by row where each stands now', async () => {
      const noRow: SheetProblem = { severity: 'warning', code: 'other-sheets', message: 'other', remedy: '-' };
      const { store, views } = opened;
      const rows = [2, 3, 4].map((line) => makeRow(line));
      const sheet = { ...PLAIN_SHEET, isRenumbered: true };
      const problems = [noRow, { ...HINT, row: 'r3', line: 3 }, HINT, WRONG];
      const batch = (await store.createBatch(newBatch({ rows, problems, sheet, createdAt: NOW + 9 }))).id;
      const [first, second, third] = await sheets.keysInView(batch, {}, 0, 3);
      await sheets.change(batch, { rows: [{ kind: 'move', key: only(third), position: 1 }], at: LATER });
      expect((await sheets.problems(batch, 9)).map(({ problem, key }) => [key, problem.message, problem.line])).toEqual(
        [
          [undefined, 'other', undefined],
          [third, 'long', 2],
          [third, 'wrong', 2],
          [second, 'long', 4],
        ],
      );
      expect(await views.problems(batch, 2)).toMatchObject([{ message: 'other' }, { message: 'long', line: 2 }]);
      expect((await rowDetailOf(views, batch, 'r4'))?.problems).toMatchObject([{ line: 2 }, { line: 2 }]);
      expect((await sheets.rowsByKeys(batch, [only(first)]))[0]?.problems).toEqual([]);
    });

    test('without those that are ignored: they are counted by kind, and a row shows the next one that is not', async () => {
      const kind = { code: 'value-long', column: 'prompt' } as const;
      const gone = { code: 'unknown-column', column: '“O’Neil” – 名' } as const;
      const other: SheetProblem = { ...HINT, code: 'value-address', message: 'address' };
      const problems = [HINT, other, { ...HINT, row: 'r3', line: 3 }, { ...HINT, row: 'r2', line: 2, column: 'title' }];
      const wrong: SheetProblem = { ...WRONG, code: 'value-long', row: 'r2', line: 2 };
      const rows = [2, 3, 4].map((line) => makeRow(line));
      const { id: batch } = await opened.store.createBatch(
        newBatch({ rows, problems: [...problems, wrong], createdAt: NOW + 9 }),
      );
      const summary = async () => (await opened.views.batchSummary(batch))?.problems;
      const shown = async () =>
        (await opened.views.rowPage(batch, { offset: 0, limit: 9, withCells: true })).rows.map(({ problem, sheet }) => [
          problem?.message,
          sheet?.problems.map(({ message, column }) => [message, column]),
        ]);
      expect(await summary()).toEqual({ errors: 1, warnings: 4, ignored: [] });
      expect(await sheets.countRowsWith(batch, 'value-long')).toBe(3);
      await sheets.change(batch, { rows: [], sheet: { ...PLAIN_SHEET, ignored: [kind, gone] }, at: LATER });
      const counted = {
        errors: 1,
        warnings: 2,
        ignored: [
          { ...kind, count: 2 },
          { ...gone, count: 0 },
        ],
      };
      expect(await summary()).toEqual(counted);
      expect(await sheets.countRowsWith(batch, 'value-long')).toBe(3);
      expect(await sheets.countRowsWith(batch, 'value-type')).toBe(0);
      expect(await shown()).toEqual([
        [
          'wrong',
          [
            ['long', 'title'],
            ['wrong', 'prompt'],
          ],
        ],
        [undefined, []],
        ['address', [['address', 'prompt']]],
      ]);
      expect((await rowDetailOf(opened.views, batch, 'r4'))?.problems.map(({ message }) => message)).toEqual([
        'address',
      ]);
      const messages = async (which: 'all' | 'not-ignored', limit: number) =>
        (await sheets.problems(batch, limit, which)).map(({ problem }) => problem.message);
      expect(await messages('not-ignored', 3)).toEqual(['long', 'wrong', 'address']);
      expect(await messages('all', 9)).toHaveLength(5);
      const found = [{ ...HINT, row: 'r3', line: 3, ...gone }];
      const [, second] = await sheets.keysInView(batch, {}, 0, 3);
      await sheets.change(batch, { rows: [{ kind: 'problems', key: only(second), problems: found }], at: LATER });
      expect((await summary())?.ignored.map(({ count }) => count)).toEqual([1, 1]);
      await reopen();
      expect((await summary())?.ignored.map(({ count }) => count)).toEqual([1, 1]);
    });
  });

  describe('a batch that is imported', () => {
    test('can be searched by id, request, reference and cells of no use', async () => {
      const text = [{ row: 'Éa', path: { kind: 'task-code' as const }, text: 'Éa.taskId' }];
      const links = [{ column: 'prompt', value: { kind: 'text' as const, text } }];
      const rows = [makeRow(2, { id: 'Éa' }), makeRow(3, { links }), makeRow(4, { body: { prompt: 'prompt 2' } })];
      const unusedCells = new Map([['r3', [1, 4]]]);
      const { id: batch } = await opened.store.createBatch(newBatch({ rows, unusedCells, createdAt: NOW + 9 }));
      const [first, second, third] = await sheets.keysInView(batch, {}, 0, 3);
      expect(await sheets.keysByIds(batch, ['e\u0301a'.normalize('NFC'), 'r4'])).toEqual(
        new Map([
          ['éa', [first]],
          ['r4', [third]],
        ]),
      );
      expect(await sheets.keysReferringTo(batch, ['éa'])).toEqual([second]);
      const { requestKey } = createSheetChecker(['prompt']);
      const asked = [only(rows[0]), only(rows[1])].map((row) => requestKey(row));
      const keysAskingFor = async (request: number | undefined, limit: number) =>
        (await sheets.placesByRequests(batch, [...asked, -1], limit)).get(request ?? 0)?.map(({ key }) => key);
      expect(await keysAskingFor(asked[0], 9)).toEqual([first, third]);
      expect(await keysAskingFor(asked[0], 1)).toEqual([first]);
      expect(await keysAskingFor(asked[1], 9)).toEqual([second]);
      expect(await keysAskingFor(-1, 9)).toEqual([]);
      expect(await sheets.knownRequests(batch, [...asked, -1])).toEqual(
        new Map([
          [asked[0], 'several'],
          [asked[1], 'one'],
        ]),
      );
      const operation = 'musicgen/music/generate';
      expect(await sheets.unusedCells(batch)).toEqual([
        { index: 1, operation, rows: 1, keys: [second] },
        { index: 4, operation, rows: 1, keys: [second] },
      ]);
    });
  });

  test('a page has the cells in the order of the headers, the beginning of long ones, and what is wrong with them', async () => {
    const long = `${'x'.repeat(999)}😀 and more`;
    const rows = [makeRow(4, { cells: { prompt: long, note: 'mine' } })];
    const { id: batch } = await opened.store.createBatch(
      newBatch({ headers: ['note', 'prompt', 'title'], rows, problems: [WRONG], createdAt: NOW + 9 }),
    );
    const page = await opened.views.rowPage(batch, { offset: 0, limit: 5, withCells: true });
    expect(page.rows.map(({ sheet }) => sheet)).toEqual([
      { cells: ['mine', 'x'.repeat(999), ''], cutCells: [1], problems: [WRONG] },
    ]);
    expect((await opened.views.rowPage(batch, { offset: 0, limit: 5 })).rows[0]).not.toHaveProperty('sheet');
  });

  test('what was edited is kept with its row, marked in a page and found by a filter, together with others', async () => {
    const edits = { earlier: [{ at: NOW, header: 'prompt', was: 'prompt 2' }] };
    const [second, third] = [await stored('r2'), await stored('r3')];
    await edit([
      update(second, { cells: { cells: { ...second.row.cells, prompt: 'an owl' } }, edits }),
      // It says what was imported, and is not found.
      update(third, { edits: { earlier: [{ at: NOW, header: 'prompt', was: 'prompt 3' }] } }),
      { ...insertion(makeRow(9, { cells: { prompt: 'a "edits": crow' } }), 99_000_000) },
    ]);
    await reopen();
    expect((await stored('r2')).edits).toEqual(edits);
    expect(await stored('r4')).not.toHaveProperty('edits');
    const page = await opened.views.rowPage(id, { offset: 0, limit: 9, withCells: true });
    expect(page.rows.flatMap(({ row, sheet }) => (sheet?.editedCells ? [[row, sheet.editedCells]] : []))).toEqual([
      ['r2', [0]],
    ]);
    const shown = async (filter: RowFilter): Promise<readonly number[]> =>
      (await opened.views.viewPage(id, { offset: 0, limit: 9, filter })).keys;
    expect(await shown({ isEdited: true })).toEqual([second.key]);
    expect(await shown({ isEdited: true, text: 'owl', status: ['queued'] })).toEqual([second.key]);
    expect(await shown({ isEdited: true, text: 'crow' })).toEqual([]);
    await edit([update(await stored('r2'), { edits: { addedAt: NOW, earlier: [] } })]);
    expect(await shown({ isEdited: true })).toEqual([second.key]);
  });
});
