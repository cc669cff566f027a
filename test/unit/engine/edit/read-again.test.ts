import { expect, test } from 'vitest';
import { readAgain } from '../../../../src/engine/edit/living/read-again.ts';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import { PLAIN_SHEET } from '../../../../src/shared/domain/task/batch.ts';
import { sheetFile } from '../../../support/sheet-files.ts';

const HEADERS = ['operation', 'prompt'];

/** The line of the header of a text, read again as one that was found in line 3 before. */
async function headerLineOf(text: string): Promise<number | undefined> {
  const source = { format: 'csv', encoding: 'utf-8', delimiter: ';', headerLine: 3, bytes: 1, sha256: 'x' } as const;
  const batch = { headers: HEADERS, sheet: { ...PLAIN_SHEET, source } };
  const read = await readAgain((file, reading) => readSheet(file, reading), sheetFile(text), batch);
  if (!read.ok) throw new Error(read.error.message);
  expect(read.value.headers).toEqual(HEADERS);
  return read.value.source.headerLine;
}

test('a header below titles is found where it was', async () => {
  expect(await headerLineOf('My songs\n2026\noperation;prompt\nlyrics;a\n')).toBe(3);
});

test('a header is found where it is now, when the titles above it were removed', async () => {
  expect(await headerLineOf('operation;prompt\nlyrics;a\nlyrics;b\nlyrics;c\n')).toBeUndefined();
});
