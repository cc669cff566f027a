import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import type { RowFilter, RowSort } from '../../src/shared/domain/task/batch-view.ts';
import { PLAIN_SHEET } from '../../src/shared/domain/task/batch.ts';
import { foldSearchText } from '../../src/shared/domain/task/row-view.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DATABASES, WAYS } from './opened-store.ts';
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

/** What is hard to find, to compare or to write in JSON, and looks like what the store keeps around it. */
const PIECES: readonly string[] = [
  ...'a A e é и И ß ẞ İ 한 乐 樂 1 2 10 - . % _ ! " \\ \\ufdd0 \\u0000 "cells":[ ]} , null 🦉'.split(' '),
  ' ',
  '\n',
  '\0',
  '\uFDD0',
  '\uFFFD',
  '\uF914',
  '\uD83E',
  '\uDD89',
  '\u0301',
  'i\u0307',
  '한'.normalize('NFD'),
  'x'.repeat(40),
];
const HARD_HEADERS = ['1', 'cells', 'row'];
const hardText = fc.array(fc.constantFrom(...PIECES), { maxLength: 4 }).map((pieces) => pieces.join(''));
const oftenEqual = fc.constantFrom('', ' ', '1', '01', '2', 'a', 'A');
const hardCells = fc
  .record({ 1: hardText, cells: hardText, row: oftenEqual, gone: hardText }, { requiredKeys: ['1'] })
  .map((cells): Row['cells'] => ({ ...cells }));

/** What the simplest program says of rows: the places of those that have it, in order. */
const SIMPLY = {
  having: (rows: readonly Row['cells'][], header: string, text: string) =>
    rows.flatMap((cells, at) => ((cells[header] ?? '').trim() === text.trim() ? [at] : [])),
  with(rows: readonly Row['cells'][], text: string, headers: readonly string[]) {
    const wanted = foldSearchText(text.trim());
    return rows.flatMap((cells, at) => {
      const texts = [`a prompt\nr${at + 2}`, ...headers.map((header) => cells[header] ?? '')];
      return texts.some((cell) => foldSearchText(cell).includes(wanted)) ? [at] : [];
    });
  },
  by(rows: readonly Row['cells'][], header: string) {
    const filled = rows.flatMap((cells, at) => ((cells[header] ?? '').trim() === '' ? [] : [at]));
    const text = (at: number): string => rows[at]?.[header] ?? '';
    const words = new Intl.Collator('und', { numeric: true });
    const areNumbers = filled.every((at) => Number.isFinite(Number(text(at))));
    filled.sort((a, b) => (areNumbers ? Number(text(a)) - Number(text(b)) : words.compare(text(a), text(b))));
    return [...filled, ...rows.flatMap((_cells, at) => (filled.includes(at) ? [] : [at]))];
  },
};

function writeCells(opened: OpenStore, id: string, at: number, cells: Row['cells']): void {
  const keys = opened.sheets.keysInView(id, {}, at, 1);
  const { key, position, row, tasks } = only(opened.sheets.rowsByKeys(id, keys)[0]);
  const edits = { earlier: [{ at: NOW, header: 'cells', was: 'before' }] };
  const content = { row: { ...row, cells }, position, problems: [], isDraft: false, request: 1, unused: [], edits };
  const plan = { keep: tasks, update: [], add: [], supersede: [], unsupersede: [], remove: [] };
  const change = { rows: [{ kind: 'update', key, content, tasks: plan }], at: NOW } as const;
  expect(opened.sheets.change(id, change).kind).toBe('written');
}

test.each(DATABASES)(
  'any sheet in %s is searched and ordered as the simplest program does it, also as somebody types on',
  (_, openIn, runs) => {
    const opened = openIn(temporaryFolder());
    const rowsOf = fc.array(hardCells, { minLength: 1, maxLength: 30 });
    const edits = fc.array(fc.record({ at: fc.nat(29), cells: hardCells }), { maxLength: 3 });
    // Half of a character, or a NUL, is nothing that somebody types.
    const typable = hardText.filter((text) => !/[\p{Surrogate}\0]/u.test(text));
    const texts = fc.array(typable, { minLength: 1, maxLength: 4 });
    const property = fc.property(rowsOf, edits, fc.boolean(), texts, (rows, edited, isWornOut, asked) => {
      const all = rows.map((cells, i) => makeRow(i + 2, { cells, body: { prompt: 'a prompt' } }));
      const { id } = opened.store.createBatch(newBatch({ headers: HARD_HEADERS, rows: all }));
      const cells = [...rows];
      let headers = HARD_HEADERS;
      const shown = (filter: RowFilter, sort?: RowSort): readonly number[] => {
        const view = { filter, ...(sort && { sort }) };
        return opened.views.viewPage(id, { ...view, offset: 0, limit: 40 }).rows.map(({ line }) => line - 2);
      };
      const compare = (): void => {
        for (const text of asked) {
          for (const typed of Array.from(text, (_char, i) =>
            Array.from(text)
              .slice(0, i + 1)
              .join(''),
          )) {
            expect(shown({ text: typed })).toEqual(SIMPLY.with(cells, typed, headers));
          }
        }
        for (const text of [...asked, cells[0]?.['cells'] ?? '']) {
          const cell = { header: 'cells', text };
          expect(shown({ cell })).toEqual(SIMPLY.having(cells, 'cells', text));
        }
        for (const header of headers) {
          expect(shown({}, { column: 'cell', header, direction: 'ascending' })).toEqual(SIMPLY.by(cells, header));
        }
      };
      compare();
      if (isWornOut) {
        // Of so many names for one header, those rows that are written from now on keep their cells by name.
        headers = ['cells'];
        opened.sheets.change(id, { headers, sheet: PLAIN_SHEET, rows: [], at: NOW });
        compare();
      }
      for (const { at, cells: written } of edited) {
        if (at >= cells.length) continue;
        cells[at] = written;
        writeCells(opened, id, at, written);
        compare();
      }
    });
    fc.assert(property, { numRuns: runs });
    opened.close();
  },
);
