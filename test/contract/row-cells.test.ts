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
