import { expect, test } from 'vitest';
import { correctCells, type RawSheet } from '../../../../src/shared/domain/sheet/sheet-raw.ts';

const SHEET: RawSheet = {
  headers: ['row', 'Type', '__proto__'],
  records: [
    { line: 2, cells: ['Clip', 'Clip', 'Clip'] },
    { line: 3, cells: ['b', 'Clips', ''] },
    { line: 4, cells: ['c'] },
  ],
  problems: [],
  source: { format: 'csv', bytes: 1, sha256: 'x' },
};

test('a whole cell of the column that was named is corrected, and nothing else', () => {
  const { records } = correctCells(SHEET, { Type: { Clip: 'video-a', toString: 'x' } });
  expect(records).toEqual([{ line: 2, cells: ['Clip', 'video-a', 'Clip'] }, SHEET.records[1], SHEET.records[2]]);
});

test('without a correction of one of its columns a sheet is the same', () => {
  expect(correctCells(SHEET)).toBe(SHEET);
  expect(correctCells(SHEET, { prompt: { Clip: 'video-a' } })).toBe(SHEET);
});
