/** Text files that say nothing of their encoding, and cells with blanks after their quotation marks. */
import { expect, test } from 'vitest';
import { readSheet } from '../../src/engine/sheet/read-sheet.ts';
import { sheetFile } from './sheet-files.ts';

async function read(content: string | Uint8Array): Promise<{ encoding: unknown; cells: readonly string[] }> {
  const sheet = await readSheet(sheetFile(content));
  if (!sheet.ok) throw new Error(sheet.error.message);
  return { encoding: sheet.value.source.encoding, cells: sheet.value.records.flatMap((record) => record.cells) };
}

test.each([
  ['Portuguese', 'row,prompt\na,canção\n', 'canção'],
  ['Portuguese in capitals', 'row,prompt\na,UMA CANÇÃO DE AÇÃO\n', 'UMA CANÇÃO DE AÇÃO'],
  ['French', 'row,prompt\na,une forêt créée à Noël\n', 'une forêt créée à Noël'],
  ['German', 'row,prompt\na,Größe über Öl\n', 'Größe über Öl'],
])('%s in Windows-1252 is not taken for Chinese', async (_language, text, cell) => {
  expect(await read(Buffer.from(text, 'latin1'))).toEqual({ encoding: 'windows-1252', cells: ['a', cell] });
});

test('Chinese in GBK is', async () => {
  // 一只猫头鹰在月光下
  const bytes = [0xd2, 0xbb, 0xd6, 0xbb, 0xc3, 0xa8, 0xcd, 0xb7, 0xd3, 0xa5, 0xd4, 0xda, 0xd4, 0xc2, 0xb9, 0xe2];
  const text = Buffer.concat([Buffer.from('row,prompt\na,'), Buffer.from(bytes), Buffer.from('\n')]);
  expect(await read(text)).toEqual({ encoding: 'gbk', cells: ['a', '一只猫头鹰在月光'] });
});

test.each(['utf-16le', 'utf-16be'])('%s without a mark is recognised', async (encoding) => {
  const bytes = Buffer.from('row,prompt\na,Eine Eule im Mond 🌙\n', 'utf16le');
  const file = encoding === 'utf-16le' ? bytes : bytes.swap16();
  expect(await read(file)).toEqual({ encoding, cells: ['a', 'Eine Eule im Mond 🌙'] });
});

test('blanks after a closing quotation mark are part of the cell', async () => {
  const { cells } = await read('row,prompt\n"a"  ,"two ""words""" \n"b","x" ');
  expect(cells).toEqual(['a  ', 'two "words" ', 'b', 'x ']);
});
