import { expect, test } from 'vitest';
import { pasteBlock } from '../../../../src/shared/domain/cells/paste-block.ts';

const TABLE = [
  ['a', 'b'],
  ['c', 'd'],
];

test('a table is written once where the selection is one cell, or no multiple of it', () => {
  expect(pasteBlock(TABLE, {})).toEqual({ values: TABLE, width: 2, rows: 2 });
  expect(pasteBlock(TABLE, { rows: 1, columns: 1 })).toEqual({ values: TABLE, width: 2, rows: 2 });
  expect(pasteBlock(TABLE, { rows: 3, columns: 5 })).toEqual({ values: TABLE, width: 2, rows: 2 });
});

test('it is repeated in each direction in which the selection is a multiple', () => {
  expect(pasteBlock(TABLE, { rows: 6, columns: 3 })).toEqual({ values: TABLE, width: 2, rows: 6 });
  expect(pasteBlock(TABLE, { rows: 3, columns: 4 })).toEqual({
    values: [
      ['a', 'b', 'a', 'b'],
      ['c', 'd', 'c', 'd'],
    ],
    width: 4,
    rows: 2,
  });
  expect(pasteBlock([['x']], { rows: 100_000, columns: 3 })).toEqual({
    values: [['x', 'x', 'x']],
    width: 3,
    rows: 100_000,
  });
});

test('lines that are shorter than others end with empty cells', () => {
  expect(pasteBlock([['a', 'b'], ['c']], {}).values).toEqual([
    ['a', 'b'],
    ['c', ''],
  ]);
});
