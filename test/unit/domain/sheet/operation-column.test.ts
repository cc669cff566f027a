import { expect, test } from 'vitest';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { operationColumnByCells } from '../../../../src/shared/domain/sheet/describe-columns.ts';
import { layOutColumns } from '../../../../src/shared/domain/sheet/sheet-columns.ts';
import { rawSheet } from '../../../support/sheet-files.ts';

function found(...lines: readonly (readonly string[])[]): string | undefined {
  const raw = rawSheet(lines);
  return operationColumnByCells(raw, layOutColumns(raw.headers));
}

test('a column whose cells are all names of operations is the one, whatever it is called', () => {
  expect(found(['Nr', 'Art', 'prompt'], ['a', 'music', 'x'], ['b', '', 'y'], ['c', 'lyrics', 'z'])).toBe('Art');
});

test('one other word, nothing at all, a column that is known, and a sheet that has the column are no answer', () => {
  expect(found(['Art', 'prompt'], ['music', 'x'], ['painting', 'y'])).toBeUndefined();
  expect(found(['Art', 'prompt'], ['', 'x'])).toBeUndefined();
  expect(found(['prompt'], ['music'])).toBeUndefined();
  expect(found(['operation', 'Art'], ['music', 'image'])).toBeUndefined();
});

test('words of every day are enough if they tell rows apart: one alone may say where something comes from', () => {
  expect(found(['Art', 'prompt'], ['Song', 'x'], ['Foto', 'y'])).toBe('Art');
  expect(found(['Source', 'prompt'], ['photo', 'x'], ['photo', 'y'])).toBeUndefined();
  expect(found(['Art', 'prompt'], ['Song', 'x'], ['clip', 'y'])).toBeUndefined();
});

test('the check says so where the sheet cannot run without it', () => {
  const { problems } = checkSheet(
    rawSheet([
      ['Art', 'prompt'],
      ['music', 'x'],
    ]),
  );
  expect(problems.find((problem) => problem.code === 'header-matched')?.remedy).toContain('--map "Art=operation"');
});
