import { describe, expect, test } from 'vitest';
import {
  RowPages,
  PAGE_ROWS,
  type RowNews,
  type RowQuery,
  type RowsDrawn,
  type ViewPage,
} from '../../../src/renderer/state/batch/row-pages.ts';
import type { RowView } from '../../../src/shared/ipc/rows.ts';
import { makeRow, makeRows } from './make-view.ts';
import { ManualSchedule, settle } from './manual-schedule.ts';

const QUERY: RowQuery = { batchId: 'b', filter: {}, sort: { column: 'line', direction: 'ascending' } };

interface Asked {
  readonly query: RowQuery;
  readonly answer: (page: ViewPage | undefined) => void;
}

interface AskedRows {
  readonly keys: readonly number[];
  readonly answer: (rows: RowNews | undefined) => void;
}

/** Pages over rows that the test holds; answers come at once unless `isHeld`. */
function setUp(count: number) {
  const source = { rows: makeRows(count), sequence: 1, isHeld: false };
  const asked: Asked[] = [];
  const askedRows: AskedRows[] = [];
  const drawn: RowsDrawn[] = [];
  const time = new ManualSchedule();
  const pageOf = (offset: number, limit: number): ViewPage => ({
    sequence: source.sequence,
    keys: Float64Array.from(source.rows, ({ key }) => key),
    rows: source.rows.slice(offset, offset + limit),
  });
  const rowsOf = (keys: readonly number[]): RowNews => {
    // The row with the key 7 is the eighth, as long as none has left.
    return { sequence: source.sequence, rows: keys.flatMap((key) => source.rows[key] ?? []) };
  };
  const pages = new RowPages({
    schedule: time.schedule,
    onChange: (change) => drawn.push(change),
    fetchPage: (query, offset, limit) =>
      new Promise((resolve) => {
        asked.push({ query, answer: resolve });
        if (!source.isHeld) resolve(pageOf(offset, limit));
      }),
    fetchRows: (_batchId, keys) =>
      new Promise((resolve) => {
        askedRows.push({ keys, answer: resolve });
        if (!source.isHeld) resolve(rowsOf(keys));
      }),
  });
  return { source, asked, askedRows, drawn, time, pages, pageOf, rowsOf };
}

function done(row: string): RowView {
  return makeRow({ row, status: 'done' });
}

describe('what is asked for', () => {
  test('of 100,000 rows, only those in sight and a margin', async () => {
    const { pages, asked, askedRows } = setUp(100_000);
    pages.setQuery(QUERY);
    await settle();
    pages.setVisible(50_010, 50_030);
    await settle();
    expect(pages.total).toBe(100_000);
    expect(pages.rowAt(50_020)?.row).toBe('row-50020');
    expect(pages.rowAt(70_000)).toBeUndefined();
    expect(asked).toHaveLength(1);
    expect(askedRows.flatMap(({ keys }) => keys).length).toBeLessThan(600);
  });

  test('what is far away is forgotten, but not which rows stand there', async () => {
    const { pages } = setUp(100_000);
    pages.setQuery(QUERY);
    for (let first = 0; first < 90_000; first += 1_000) {
      pages.setVisible(first, first + 30);
      await settle();
    }
    expect(pages.rowAt(5)).toBeUndefined();
    expect(pages.placeOf(5)).toBe(5);
    expect(pages.rowAt(89_010)?.row).toBe('row-89010');
  });

  test('never more than two pages at once, and none for places that were left behind', async () => {
    const { pages, askedRows, source, rowsOf } = setUp(10_000);
    pages.setQuery(QUERY);
    await settle();
    source.isHeld = true;
    for (let first = 1_000; first < 9_000; first += 400) pages.setVisible(first, first + 30);
    expect(askedRows).toHaveLength(2);
    for (const { keys, answer } of askedRows.slice()) answer(rowsOf(keys));
    await settle();
    expect(askedRows.length).toBeGreaterThan(2);
    expect(askedRows.slice(2).every(({ keys }) => keys.every((key) => key >= 8_400))).toBe(true);
  });

  test('a page that could not be had is asked for again, later', async () => {
    const { pages, asked, source, time } = setUp(10);
    source.isHeld = true;
    pages.setQuery(QUERY);
    asked[0]?.answer(undefined);
    await settle();
    expect(asked).toHaveLength(1);
    source.isHeld = false;
    time.runAll();
    await settle();
    expect(pages.rowAt(3)?.row).toBe('row-3');
  });
});

describe('changes', () => {
  test('are laid over the rows that are known, and only those are drawn', async () => {
    const { pages, drawn } = setUp(300);
    pages.setQuery(QUERY);
    await settle();
    drawn.length = 0;
    pages.applyChanges({ sequence: 2, rows: [done('row-7'), done('row-299')] });
    expect(pages.rowAt(7)?.status).toBe('done');
    expect(drawn).toEqual([{ kind: 'rows', indexes: [7] }]);
  });

  test('that are older than the page change nothing', async () => {
    const { pages, source } = setUp(10);
    source.sequence = 9;
    source.rows[4] = done('row-4');
    pages.setQuery(QUERY);
    await settle();
    pages.applyChanges({ sequence: 8, rows: [makeRow({ row: 'row-4', status: 'rendering' })] });
    expect(pages.rowAt(4)?.status).toBe('done');
  });

  test('that overtake the page on its way are laid over it when it comes', async () => {
    const { pages, source, asked, pageOf } = setUp(10);
    source.isHeld = true;
    pages.setQuery(QUERY);
    const old = pageOf(0, PAGE_ROWS);
    pages.applyChanges({ sequence: 2, rows: [done('row-1')] });
    asked[0]?.answer(old);
    await settle();
    expect(pages.rowAt(1)?.status).toBe('done');
  });

  test('too many to be sent have the rows in sight asked for again, once', async () => {
    const { pages, source, asked, askedRows, time } = setUp(10);
    pages.setQuery(QUERY);
    await settle();
    source.sequence = 5;
    source.rows = makeRows(10, { status: 'done' });
    pages.applyChanges({ sequence: 3, rows: [] }, true);
    pages.applyChanges({ sequence: 4, rows: [] }, true);
    time.runAll();
    await settle();
    // The night takes no row out of the sheet: its 100,000 keys are not asked for.
    expect([asked.length, askedRows.length]).toEqual([1, 1]);
    expect(pages.rowAt(0)?.status).toBe('done');
    expect(pages.rowAt(9)?.status).toBe('done');
  });

  test('too many to be sent have rows that were on their way by then asked for once more', async () => {
    const { pages, source, askedRows, time, rowsOf } = setUp(1_000);
    pages.setQuery(QUERY);
    await settle();
    source.isHeld = true;
    pages.setVisible(800, 830);
    const [before] = askedRows;
    const old = rowsOf(before?.keys ?? []);
    source.isHeld = false;
    source.sequence = 5;
    source.rows = makeRows(1_000, { status: 'done' });
    pages.applyChanges({ sequence: 5, rows: [] }, true);
    time.runAll();
    before?.answer(old);
    await settle();
    expect(pages.rowAt(810)?.status).toBe('done');
  });

  test('too many to be sent, in a view that they may move in, have the view asked for again', async () => {
    const { pages, asked, time } = setUp(10);
    pages.setQuery({ ...QUERY, sort: { column: 'status', direction: 'ascending' } });
    await settle();
    pages.applyChanges({ sequence: 3, rows: [] }, true);
    time.runAll();
    await settle();
    expect(asked).toHaveLength(2);
  });

  test('under a filter by status ask for nothing where no row enters or leaves', async () => {
    const { pages, time } = setUp(10);
    pages.setQuery({ ...QUERY, filter: { status: ['rendering'] } });
    await settle();
    pages.applyChanges({ sequence: 2, rows: [makeRow({ row: 'row-4', status: 'rendering', takesDone: 1 })] });
    pages.applyChanges({ sequence: 3, rows: [makeRow({ row: 'row-77', status: 'done' })] });
    expect(time.count).toBe(0);
    pages.applyChanges({ sequence: 4, rows: [makeRow({ row: 'row-77', status: 'rendering' })] });
    expect(time.count).toBe(1);
  });

  test('have the keys of a large view asked for more seldom', async () => {
    const delayOf = async (rows: number): Promise<readonly number[]> => {
      const { pages, time } = setUp(rows);
      pages.setQuery({ ...QUERY, filter: { status: ['queued'] } });
      await settle();
      pages.applyChanges({ sequence: 2, rows: [done('row-0')] });
      return time.delays;
    };
    expect(await delayOf(10)).toEqual([800]);
    expect(await delayOf(100_000)).toEqual([2_500]);
  });

  test('under a filter by status have rows enter and leave', async () => {
    const { pages, source, time } = setUp(10);
    pages.setQuery({ ...QUERY, filter: { status: ['queued'] } });
    await settle();
    source.rows = source.rows.slice(1);
    source.sequence = 2;
    pages.applyChanges({ sequence: 2, rows: [done('row-0')] });
    time.runAll();
    await settle();
    expect(pages.total).toBe(9);
    expect(pages.rowAt(0)?.row).toBe('row-1');
  });

  test('in an order that they do not touch ask for nothing', async () => {
    const { pages, time } = setUp(10);
    pages.setQuery(QUERY);
    await settle();
    pages.applyChanges({ sequence: 2, rows: [done('row-0')] });
    expect(time.count).toBe(0);
  });
});

describe('an edit', () => {
  test('that brings its rows asks for nothing', async () => {
    const { pages, asked, drawn } = setUp(300);
    pages.setQuery(QUERY);
    await settle();
    drawn.length = 0;
    pages.applyEdit({ sequence: 2, rows: [makeRow({ row: 'row-7', cells: ['new'] })] });
    await settle();
    expect(pages.rowAt(7)?.cells).toEqual(['new']);
    expect(drawn).toEqual([{ kind: 'rows', indexes: [7] }]);
    expect(asked).toHaveLength(1);
  });

  test('of a view that is sorted by a column leaves rows in their places until the user sorts again', async () => {
    const { pages, source, asked } = setUp(4);
    const query: RowQuery = { ...QUERY, sort: { column: 'cell', header: 'tags', direction: 'ascending' } };
    const shown = () => Array.from(pages.keys);
    pages.setQuery(query);
    await settle();
    pages.applyEdit({ sequence: 2, rows: [makeRow({ row: 'row-0', cells: ['z'] })] });
    expect(asked).toHaveLength(1);
    // Many rows at once, or a filter: the view is read again, and has them in another order.
    source.rows = [1, 3, 0].flatMap((at) => source.rows[at] ?? []);
    pages.applyEdit(undefined);
    await settle();
    expect(shown()).toEqual([0, 1, 3]);
    // New rows, of which none moves another: behind those that they follow in the order of the column.
    const comes = (key: number): RowView => makeRow({ key, row: `row-${key}` });
    source.rows = [comes(7), ...source.rows, comes(8), comes(9)];
    pages.applyEdit(undefined);
    await settle();
    expect(shown()).toEqual([7, 0, 8, 9, 1, 3]);
    source.rows = source.rows.filter(({ key }) => key !== 8);
    pages.applyEdit(undefined);
    await settle();
    expect(shown()).toEqual([7, 0, 9, 1, 3]);
    source.rows = source.rows.toReversed();
    pages.setQuery(query);
    await settle();
    expect(shown()).toEqual([9, 0, 3, 1, 7]);
  });

  test('has the view asked for again where rows may have entered it, left it or moved', async () => {
    const { pages, asked } = setUp(10);
    pages.setQuery(QUERY);
    await settle();
    pages.applyEdit(undefined);
    await settle();
    expect(asked).toHaveLength(2);
    pages.setQuery({ ...QUERY, filter: { text: 'row' } });
    await settle();
    pages.applyEdit({ sequence: 2, rows: [makeRow({ row: 'row-7', label: 'edited' })] });
    expect(pages.rowAt(7)?.label).toBe('edited');
    await settle();
    expect(asked).toHaveLength(4);
  });
});

describe('after a gap', () => {
  test('what is in sight is asked for again and stays in sight until then', async () => {
    const { pages, source, asked, pageOf } = setUp(10);
    pages.setQuery(QUERY);
    await settle();
    source.isHeld = true;
    source.rows = makeRows(10, { status: 'failed' });
    pages.refresh();
    expect(pages.rowAt(2)?.status).toBe('queued');
    asked.at(-1)?.answer(pageOf(0, PAGE_ROWS));
    await settle();
    expect(pages.rowAt(2)?.status).toBe('failed');
  });

  test('a page that was on its way already is not trusted', async () => {
    const { pages, source, asked, pageOf } = setUp(10);
    source.isHeld = true;
    pages.setQuery(QUERY);
    const beforeTheGap = pageOf(0, PAGE_ROWS);
    pages.refresh();
    source.isHeld = false;
    source.rows = makeRows(10, { status: 'failed' });
    asked[0]?.answer(beforeTheGap);
    await settle();
    expect(asked).toHaveLength(2);
    expect(pages.rowAt(2)?.status).toBe('failed');
  });
});

test('the answer to an earlier question is thrown away', async () => {
  const { pages, source, asked, pageOf } = setUp(10);
  source.isHeld = true;
  pages.setQuery(QUERY);
  const [first] = asked;
  const earlier = pageOf(0, PAGE_ROWS);
  source.isHeld = false;
  source.rows = makeRows(10, { label: 'found' });
  pages.setQuery({ ...QUERY, filter: { text: 'found' } });
  await settle();
  first?.answer(earlier);
  await settle();
  expect(pages.rowAt(0)?.label).toBe('found');
});

test('whoever waits for the rows of a view goes on when it gives way to another one, or to none', async () => {
  const { pages, source, asked, pageOf } = setUp(10);
  source.isHeld = true;
  pages.setQuery(QUERY);
  let isCurrent = false;
  void pages.current().then(() => (isCurrent = true));
  pages.setQuery({ ...QUERY, filter: { text: 'song' } });
  await settle();
  expect(isCurrent).toBe(false);
  asked[1]?.answer(pageOf(0, PAGE_ROWS));
  await settle();
  expect(isCurrent).toBe(true);

  isCurrent = false;
  pages.refresh();
  void pages.current().then(() => (isCurrent = true));
  pages.setQuery(undefined);
  await settle();
  expect(isCurrent).toBe(true);
});
