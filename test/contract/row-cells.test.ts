import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import type { RowFilter, RowSort } from '../../src/shared/domain/task/batch-view.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WAYS } from './opened-store.ts';
import { makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';

const HEADERS = ['row', 'prompt', 'tags', 'bpm', 'clip'];

function rowWith(line: number, cells: Row['cells']): Row {
  return makeRow(line, { cells: { row: `r${line}`, ...cells }, body: { prompt: 'a prompt' } });
}

describe.each(WAYS)('%s', (_, openIn) => {
  let opened: PromisedStore;
  beforeEach(async () => {
    opened = await openIn(temporaryFolder());
  });
  afterEach(async () => {
    await opened.close();
  });

  async function imported(rows: readonly Row[]): Promise<string> {
    return (await opened.store.createBatch(newBatch({ headers: HEADERS, rows }))).id;
  }

  async function shown(id: string, filter: RowFilter, sort?: RowSort): Promise<readonly string[]> {
    const view = { filter, ...(sort && { sort }) };
    const page = await opened.views.viewPage(id, { ...view, offset: 0, limit: 20 });
    expect(await opened.sheets.countInView(id, view)).toBe(page.keys.length);
    expect(await opened.sheets.keysInView(id, view, 1, 2)).toEqual(page.keys.slice(1, 3));
    return page.rows.map(({ row }) => row);
  }

  test('a view finds a text in any cell, in either case, and in nothing else that is stored', async () => {
    const id = await imported([
      rowWith(2, { prompt: 'x'.repeat(500) + ' Harbour', tags: 'Jazz, "slow"' }),
      rowWith(3, { prompt: 'СКРИПКА', tags: 'cafe\u0301 100%_', gone: 'owl' }),
      rowWith(4, { prompt: 'half \uD83E an owl', bpm: '120' }),
    ]);
    for (const text of ['JAZZ', 'harbour', '"slow"', 'R2']) expect(await shown(id, { text })).toEqual(['r2']);
    for (const text of ['скрипка', 'CAFÉ', '0%_']) expect(await shown(id, { text })).toEqual(['r3']);
    for (const text of ['owl', '120', 'half \uD83E']) expect(await shown(id, { text })).toEqual(['r4']);
    for (const text of ['0_%', 'cells', 'priority', '","']) expect(await shown(id, { text })).toEqual([]);
    expect(await shown(id, { text: 'a prompt' })).toEqual(['r2', 'r3', 'r4']);
    expect(await shown(id, { text: 'owl', status: ['done'] })).toEqual([]);
  });

  test('rows are in the order of a column: numbers by value, words as words, blank ones last', async () => {
    const id = await imported([
      rowWith(2, { bpm: '120', clip: 'clip 10', tags: 'pop' }),
      rowWith(3, { bpm: '', clip: 'Clip 9', tags: 'jazz' }),
      rowWith(4, { bpm: '-5', clip: 'élan', tags: 'pop' }),
      rowWith(5, { bpm: '99.5', clip: ' ', tags: 'jazz' }),
      rowWith(6, { clip: 'clip 9', tags: 'pop' }),
    ]);
    const by = (header: string, direction: RowSort['direction'] = 'ascending', filter: RowFilter = {}) =>
      shown(id, filter, { column: 'cell', header, direction });
    expect(await by('bpm')).toEqual(['r4', 'r5', 'r2', 'r3', 'r6']);
    expect(await by('bpm', 'descending')).toEqual(['r2', 'r5', 'r4', 'r6', 'r3']);
    expect(await by('clip')).toEqual(['r6', 'r3', 'r2', 'r4', 'r5']);
    expect(await by('tags')).toEqual(['r3', 'r5', 'r2', 'r4', 'r6']);
    expect(await by('bpm', 'ascending', { text: 'POP' })).toEqual(['r4', 'r2', 'r6']);
    expect(await by('bpm', 'ascending', { status: ['done'] })).toEqual([]);
    expect(await by('no such column')).toEqual(['r2', 'r3', 'r4', 'r5', 'r6']);
  });

  test('rows are chosen by a text of a column, beside all else that a view may ask', async () => {
    const id = await imported([
      rowWith(2, { tags: 'jazz', bpm: '90', prompt: 'owl' }),
      rowWith(3, { tags: ' jazz ', bpm: '80', prompt: 'fox' }),
      rowWith(4, { tags: 'jazz, slow', bpm: '70', prompt: 'owl' }),
      rowWith(5, { tags: '', prompt: 'Jazz' }),
      rowWith(6, { tags: 'Jazz', prompt: 'x'.repeat(501) }),
      ...[7, 8, 9, 10, 11, 12, 13, 14, 15, 16].map((line) => rowWith(line, { tags: 'pop' })),
    ]);
    const cell = { header: 'tags', text: 'jazz' };
    expect(await shown(id, { cell })).toEqual(['r2', 'r3']);
    expect(await shown(id, { cell: { ...cell, text: '' } })).toEqual(['r5']);
    expect(await shown(id, { cell: { ...cell, text: 'pop' } })).toHaveLength(10);
    expect(await shown(id, { cell, text: 'OWL' })).toEqual(['r2']);
    expect(await shown(id, { cell, status: ['done'] })).toEqual([]);
    expect(await shown(id, { cell }, { column: 'cell', header: 'bpm', direction: 'ascending' })).toEqual(['r3', 'r2']);
    expect(await opened.views.commonTexts(id, 'tags')).toEqual([
      { text: 'pop', rows: 10 },
      { text: 'jazz', rows: 2 },
      { text: 'jazz, slow', rows: 1 },
      { text: '', rows: 1 },
      { text: 'Jazz', rows: 1 },
    ]);
    // A menu could not show it.
    expect((await opened.views.commonTexts(id, 'prompt')).map(({ text }) => text.slice(0, 4))).toEqual([
      '',
      'owl',
      'fox',
      'Jazz',
    ]);
    expect(await opened.views.commonTexts('gone', 'tags')).toEqual([]);
  });

  test('an edit changes what a view finds and its order', async () => {
    const id = await imported([rowWith(2, { bpm: '1' }), rowWith(3, { bpm: '2' })]);
    const sort = { column: 'cell', header: 'bpm', direction: 'ascending' } as const;
    expect(await shown(id, {}, sort)).toEqual(['r2', 'r3']);
    expect(await shown(id, { text: 'velvet' })).toEqual([]);
    const keys = await opened.sheets.keysInView(id, {}, 0, 1);
    const { key, position, row, tasks } = only((await opened.sheets.rowsByKeys(id, keys))[0]);
    const content = { row: { ...row, cells: { ...row.cells, bpm: '3', tags: 'Velvet' } }, position };
    const rest = { problems: [], isDraft: false, request: 1, unused: [] };
    const plan = { keep: tasks, update: [], add: [], supersede: [], unsupersede: [], remove: [] };
    const update = { kind: 'update', key, content: { ...content, ...rest }, tasks: plan } as const;
    expect((await opened.sheets.change(id, { rows: [update], at: NOW })).kind).toBe('written');
    expect(await shown(id, {}, sort)).toEqual(['r3', 'r2']);
    expect(await shown(id, { text: 'velvet' })).toEqual(['r2']);
  });
});
