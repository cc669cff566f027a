import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { ADD_COLUMN_ID, frozenCount, gridColumns } from '../../../src/renderer/batch/columns/grid-columns.ts';
import { commandOf, typedCharacter } from '../../../src/renderer/batch/keys/grid-keys.ts';
import { readLayout } from '../../../src/renderer/batch/grid/grid-layout.ts';
import {
  cellBlocks,
  columnOfHeader,
  headersFrom,
  isWholeRows,
  meantSelection,
  pasteHeaders,
  rowSpans,
  selectionOf,
} from '../../../src/renderer/batch/keys/grid-selection.ts';
import { moveCursor } from '../../../src/renderer/batch/keys/tab-run.ts';
import { keepInWindow } from '../../../src/renderer/state/app-context.ts';
import { repeatedBlock } from '../../../src/shared/domain/cells/paste-block.ts';
import type { ColumnView } from '../../../src/shared/ipc/opening.ts';

const HEADERS = ['row', 'operation', 'prompt', 'mood'];
const VIEWS = HEADERS.map((header): ColumnView => ({
  header,
  column: header === 'mood' ? '' : header,
  also: [],
  how: 'exact',
  suggestions: [],
}));
const PLAIN = { widths: {}, hidden: [], hiddenResults: [] };
const READY = { state: 'ready', rehearsal: false } as const;
const STARTED = { state: 'running', rehearsal: false } as const;
const COLUMNS = gridColumns(VIEWS, PLAIN, READY);
const AT = (header: string): number => columnOfHeader(header, COLUMNS) ?? expect.unreachable();
const press = (key: string, ...held: readonly ('ctrl' | 'shift' | 'alt' | 'meta')[]) => ({
  key,
  ctrlKey: held.includes('ctrl'),
  shiftKey: held.includes('shift'),
  altKey: held.includes('alt'),
  metaKey: held.includes('meta'),
});

describe('the columns of the grid', () => {
  const idsOf = (columns: ReturnType<typeof gridColumns>): readonly string[] => columns.map(({ id }) => id);
  const results = ['files', 'reason', 'took', 'cost', 'finished', 'takes'];

  test('name the row first, then show the sheet in its order, then what will become of it', () => {
    const sheet = ['sheet:operation', 'sheet:prompt', 'sheet:mood'];
    expect(idsOf(COLUMNS)).toEqual(['line', 'row', 'status', ...sheet, ADD_COLUMN_ID, ...results]);
  });

  test('once it was started, show what became of a row beside its status', () => {
    const sheet = ['sheet:operation', 'sheet:prompt', 'sheet:mood'];
    const first = ['line', 'row', 'status'];
    expect(idsOf(gridColumns(VIEWS, PLAIN, STARTED))).toEqual([...first, ...results, ...sheet, ADD_COLUMN_ID]);
    // What stays in place is not parted by what scrolls.
    const frozen = gridColumns(VIEWS, { ...PLAIN, frozenUpTo: 'operation' }, STARTED);
    expect(idsOf(frozen)).toEqual([...first, sheet[0], ...results, ...sheet.slice(1), ADD_COLUMN_ID]);
    expect(frozenCount(frozen, { ...PLAIN, frozenUpTo: 'operation' })).toBe(4);
  });

  test('have no cost in a rehearsal, and none of the results that the user hides', () => {
    const shown = idsOf(gridColumns(VIEWS, { ...PLAIN, hiddenResults: ['took'] }, { ...STARTED, rehearsal: true }));
    expect(shown).toContain('files');
    expect(shown).not.toContain('cost');
    expect(shown).not.toContain('took');
  });

  test('edit the id where the sheet has a column for it, under the header that it has there', () => {
    const named = gridColumns(
      [{ header: 'Song', column: 'row', also: [], how: 'chosen', suggestions: [] }],
      PLAIN,
      READY,
    );
    expect(named[1]).toMatchObject({ id: 'row', title: 'Song', sheet: { header: 'Song', cell: 0 } });
    expect(gridColumns([], PLAIN, READY)[1]?.sheet).toBeUndefined();
  });

  test('leave out what is hidden; cells keep their place in the row', () => {
    const columns = gridColumns(VIEWS, { ...PLAIN, hidden: ['operation'] }, READY);
    expect(columnOfHeader('operation', columns)).toBeUndefined();
    expect(columns.find(({ sheet }) => sheet?.header === 'prompt')?.sheet?.cell).toBe(2);
  });

  test('stay in place up to the one that was chosen, and always those that name the row', () => {
    expect(frozenCount(COLUMNS, PLAIN)).toBe(3);
    expect(frozenCount(COLUMNS, { ...PLAIN, frozenUpTo: 'prompt' })).toBe(5);
    expect(frozenCount(COLUMNS, { ...PLAIN, frozenUpTo: 'gone' })).toBe(3);
  });
});

describe('a layout that was kept', () => {
  test('comes back', () => {
    const layout = { widths: { row: 90 }, hidden: ['mood'], hiddenResults: ['took'], frozenUpTo: 'prompt' };
    expect(readLayout(JSON.stringify(layout))).toEqual(layout);
  });

  test('of an earlier version hides no results', () => {
    expect(readLayout('{"widths":{},"hidden":["mood"]}')).toEqual({ ...PLAIN, hidden: ['mood'] });
  });

  test.each([null, '', '{', '[]', '{"widths":{"row":-4},"hidden":[]}', 'null'])('that is %j is a plain one', (text) => {
    expect(readLayout(text)).toEqual(PLAIN);
  });
});

test('a storage that takes no more does not stop the window', () => {
  const setItem = vi.fn(() => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
  });
  vi.stubGlobal('localStorage', { setItem });
  expect(() => keepInWindow('nocturne.grid.b', '{}')).not.toThrow();
  expect(setItem).toHaveBeenCalledWith('nocturne.grid.b', '{}');
  const ofThisWindow: Pick<Storage, 'setItem'> = { setItem };
  expect(() => keepInWindow('carried', '{"a":1}', ofThisWindow)).not.toThrow();
  expect(setItem).toHaveBeenLastCalledWith('carried', '{"a":1}');
  vi.unstubAllGlobals();
});

describe('a selection', () => {
  test('that begins at a line number by pointer is of whole rows', () => {
    const meant = meantSelection(selectionOf([0, 4], { x: 0, y: 4, width: 1, height: 3 }), COLUMNS, 'pointer');
    expect(meant.current?.range).toEqual({ x: 0, y: 4, width: COLUMNS.length, height: 3 });
    expect(cellBlocks(meant, COLUMNS, 100)).toEqual([{ spans: [{ y: 4, height: 3 }], headers: HEADERS }]);
  });

  test('by keyboard stops before the line numbers', () => {
    const meant = meantSelection(selectionOf([0, 4]), COLUMNS, 'keyboard');
    expect(meant.current).toMatchObject({ cell: [1, 4], range: { x: 1, y: 4, width: 1, height: 1 } });
  });

  test('that is dragged over the line numbers leaves them out', () => {
    const meant = meantSelection(selectionOf([4, 2], { x: 0, y: 2, width: 5, height: 1 }), COLUMNS, 'pointer');
    expect(meant.current?.range).toEqual({ x: 1, y: 2, width: 4, height: 1 });
  });

  test('of whole rows grows by keyboard and stays of whole rows', () => {
    const whole = { x: 0, y: 4, width: COLUMNS.length, height: 2 };
    const meant = meantSelection(selectionOf([0, 4], whole), COLUMNS, 'keyboard');
    expect(isWholeRows(meant.current?.range ?? expect.unreachable(), COLUMNS)).toBe(true);
  });

  test('of several blocks names each row once', () => {
    const selection = selectionOf([4, 2], { x: 4, y: 2, width: 1, height: 3 });
    const { current } = selection;
    const several = {
      ...selection,
      current: {
        ...(current ?? expect.unreachable()),
        rangeStack: [
          { x: 3, y: 4, width: 1, height: 4 },
          { x: 3, y: 20, width: 1, height: 1 },
        ],
      },
    };
    expect(rowSpans(several, 100)).toEqual([
      { y: 2, height: 6 },
      { y: 20, height: 1 },
    ]);
    expect(cellBlocks(several, COLUMNS, 100)).toHaveLength(2);
  });

  test('never reaches below the last row, and never names a row twice', () => {
    const range = fc.record({
      x: fc.nat(5),
      y: fc.nat(40),
      width: fc.integer({ min: 1, max: 4 }),
      height: fc.integer({ min: 1, max: 20 }),
    });
    fc.assert(
      fc.property(fc.array(range, { maxLength: 6 }), range, fc.nat(50), (rangeStack, last, total) => {
        const selection = selectionOf([last.x, last.y], last);
        const spans = rowSpans(
          { ...selection, current: { ...(selection.current ?? expect.unreachable()), rangeStack } },
          total,
        );
        const rows = spans.flatMap(({ y, height }) => Array.from({ length: height }, (_row, index) => y + index));
        const wanted = new Set(
          [...rangeStack, last].flatMap(({ y, height }) =>
            Array.from({ length: height }, (_row, index) => y + index).filter((row) => row < total),
          ),
        );
        expect(rows).toEqual([...wanted].sort((a, b) => a - b));
      }),
    );
  });

  test('pastes from its first column to the right, past what is not of the sheet', () => {
    expect(headersFrom(AT('prompt'), COLUMNS)).toEqual(['prompt', 'mood']);
    expect(headersFrom(1, COLUMNS)).toEqual(HEADERS);
  });

  test('is not pasted into beside a column that Nocturne fills in, unless it holds the whole sheet', () => {
    const own = ['operation', 'prompt', 'mood'];
    const columns = gridColumns(
      VIEWS.filter(({ header }) => own.includes(header)),
      PLAIN,
      READY,
    );
    const into = (x: number, width = 1) => pasteHeaders({ x, y: 0, width, height: 1 }, columns);
    const [generatedId, status, operation, prompt] = [1, 2, 3, 4];
    expect([into(generatedId), into(status), into(generatedId, 3)]).toEqual([[], [], []]);
    expect(into(operation)).toEqual(own);
    expect(into(prompt)).toEqual(['prompt', 'mood']);
    expect(into(generatedId, 5)).toEqual(own);
    expect(into(0, columns.length)).toEqual(own);
    expect(into(prompt + 2)).toEqual([]);
  });
});

describe('keys', () => {
  test.each([
    ['edit', press('Enter')],
    ['edit', press('F2')],
    ['edit-large', press('F2', 'shift')],
    ['fill-down', press('d', 'ctrl')],
    ['undo', press('z', 'meta')],
    ['redo', press('Z', 'ctrl', 'shift')],
    ['redo', press('y', 'ctrl')],
    ['menu', press('F10', 'shift')],
    ['menu', press('ContextMenu')],
    ['insert-rows', press('+', 'ctrl', 'shift')],
    ['remove-rows', press('-', 'ctrl')],
    ['move-up', press('ArrowUp', 'alt')],
    ['hold-rows', press('H', 'ctrl', 'shift')],
    ['release-rows', press('L', 'meta', 'shift')],
    ['next-rows', press('E', 'ctrl', 'shift')],
    ['to-last-row', press('ArrowDown', 'ctrl', 'shift')],
    ['clear', press('Backspace')],
  ])('ask for %s', (command, key) => {
    expect(commandOf(key)).toBe(command);
    expect(typedCharacter(key)).toBeUndefined();
  });

  test.each([press('ArrowDown'), press('PageUp'), press('constructor')])(
    'that are the grid’s own or nobody’s ask for nothing',
    (key) => {
      expect(commandOf(key)).toBeUndefined();
      expect(typedCharacter(key)).toBeUndefined();
    },
  );

  test.each([press('a'), press('A', 'shift'), press('ß'), press('@', 'ctrl', 'alt'), press('😀'), press('夜')])(
    'that type a character type it',
    (key) => {
      expect(commandOf(key)).toBeUndefined();
      expect(typedCharacter(key)).toBe(key.key);
    },
  );
});

describe('the cursor', () => {
  const ends = { columns: 9, rows: 5, written: [1, 3, 4, 6] };

  test('goes by Enter to the next line, where Tab began', () => {
    const first = moveCursor([3, 1], 'next', ends, undefined);
    const second = moveCursor(first.cursor, 'next', ends, first.run);
    expect(second.cursor).toEqual([6, 1]);
    expect(moveCursor(second.cursor, 'line', ends, second.run)).toEqual({ cursor: [3, 2], run: undefined });
  });

  test('passes by Tab what cannot be written in, until nothing else follows', () => {
    expect(moveCursor([1, 0], 'next', ends, undefined).cursor).toEqual([3, 0]);
    expect(moveCursor([3, 0], 'previous', ends, undefined).cursor).toEqual([1, 0]);
    expect(moveCursor([6, 0], 'next', ends, undefined).cursor).toEqual([7, 0]);
    expect(moveCursor([1, 0], 'right', ends, undefined).cursor).toEqual([2, 0]);
  });

  test('goes straight down where it was moved otherwise since', () => {
    const { run } = moveCursor([2, 1], 'next', ends, undefined);
    expect(moveCursor([6, 3], 'line', ends, run).cursor).toEqual([6, 4]);
    expect(moveCursor([3, 1], 'down', ends, run).cursor).toEqual([3, 2]);
  });

  test('stays within the cells', () => {
    expect(moveCursor([1, 0], 'previous', ends, undefined).cursor).toEqual([1, 0]);
    expect(moveCursor([8, 4], 'right', ends, undefined).cursor).toEqual([8, 4]);
    expect(moveCursor([8, 4], 'line', ends, undefined).cursor).toEqual([8, 4]);
  });
});

describe('a block that is repeated', () => {
  const block = [
    ['a', '1'],
    ['b', '2'],
    ['c', '3'],
  ];

  test('goes on below itself', () => {
    expect(repeatedBlock(block, { height: 5, width: 2 }, 'down')).toEqual(block);
    expect(repeatedBlock(block, { height: 2, width: 2 }, 'down')).toEqual(block.slice(0, 2));
  });

  test('ends above itself with its last line', () => {
    expect(repeatedBlock(block, { height: 4, width: 2 }, 'up').map(([first]) => first)).toEqual(['c', 'a', 'b']);
    expect(repeatedBlock(block, { height: 1, width: 2 }, 'up')).toEqual([['c', '3']]);
  });

  test('goes on to both sides', () => {
    expect(repeatedBlock(block, { height: 3, width: 3 }, 'right')[0]).toEqual(['a', '1', 'a']);
    expect(repeatedBlock(block, { height: 3, width: 3 }, 'left')[1]).toEqual(['2', 'b', '2']);
  });
});
