import { expect, test, vi } from 'vitest';
import { LONGEST_CELL_NAME, operationNamed } from '../../../../src/shared/domain/sheet/check-row.ts';
import { checkSheet } from '../../../../src/shared/domain/sheet/check-sheet.ts';
import { rawSheet } from '../../../support/sheet-files.ts';

test('a Chinese name with one character wrong may be each of the operations whose name it nearly is', () => {
  expect(operationNamed('歌祠').candidates).toEqual(['music', 'lyrics']);
  expect(operationNamed('图相').candidates).toEqual(['image']);
  for (const other of ['配音师', '词']) expect(operationNamed(other).candidates).toEqual([]);
});

vi.mock('../../../../src/shared/domain/sheet/check-row.ts', { spy: true });

test('what a cell of the operation column names is worked out once for each name, and no long text is kept for it', () => {
  const name = 'x'.repeat(LONGEST_CELL_NAME);
  const prose = `${name}x`;
  checkSheet(rawSheet([['operation', 'prompt'], ...[name, name, prose, prose].map((cell) => [cell, 'a'])]));
  const asked = vi.mocked(operationNamed).mock.calls.map(([text]) => text.length);
  expect(asked).toEqual([name.length, prose.length, prose.length]);
});
