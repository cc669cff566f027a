/** Text files that say nothing of their encoding, and cells with blanks after their quotation marks. */
import { expect, test } from 'vitest';
import { encodeText } from '../../../../src/engine/sheet-files/read/text/encode-text.ts';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import { sheetFile } from '../../../support/sheet-files.ts';

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

test('Chinese with a character of four bytes, which only GB 18030 has, is recognised and read', async () => {
  // 编号,𠮷野山的清晨
  const name = [0xb1, 0xe0, 0xba, 0xc5];
  const four = [0x95, 0x34, 0xb2, 0x35];
  const rest = [0xd2, 0xb0, 0xc9, 0xbd, 0xb5, 0xc4, 0xc7, 0xe5, 0xb3, 0xbf];
  const text = Buffer.concat([
    Buffer.from('row,prompt\n'),
    Buffer.from(name),
    Buffer.from(','),
    Buffer.from([...four, ...rest]),
  ]);
  expect(await read(text)).toEqual({ encoding: 'gbk', cells: ['编号', '𠮷野山的清晨'] });
});

test('Western text is not taken for Chinese because of numbers beside its letters', async () => {
  const text = Buffer.from('row,prompt\na,Höhe ±5 £7 à1 é2 ±4°3 über Möwen\n', 'latin1');
  expect((await read(text)).encoding).toBe('windows-1252');
});

/** As a Russian Excel writes it. */
function inWindows1251(text: string): Buffer {
  const table = new TextDecoder('windows-1251').decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  return Buffer.from(Array.from(text, (character) => table.indexOf(character)));
}

test.each([
  ['Russian', 'Ночь над морем, тихая и ясная'],
  ['one Russian word of an even length', 'привет'],
  ['Russian in capitals', 'НОЧЬ НАД МОРЕМ'],
  ['Russian with signs', '«Ёлка» № 5 — снег идёт…'],
  ['Russian among English', 'cinematic shot, 4k, ночь над морем, volumetric light, 35mm'],
  ['Ukrainian', 'Тиха ніч, її зірки є'],
  ['Bulgarian', 'Тиха нощ над морето'],
])('%s in Windows-1251 is recognised and said', async (_what, text) => {
  const file = sheetFile(inWindows1251(`row;operation;prompt\na;lyrics;${text}\n`));
  const sheet = await readSheet(file);
  if (!sheet.ok) throw new Error(sheet.error.message);
  expect(sheet.value.source.encoding).toBe('windows-1251');
  expect(sheet.value.records[0]?.cells[2]).toBe(text);
  expect(sheet.value.problems.map(({ message }) => message).join()).toContain('Windows-1251 (Cyrillic)');
});

test.each(['Η νύχτα πάνω από τη θάλασσα', 'الليل فوق البحر'])('%s is not taken for Cyrillic', async (text) => {
  const name = text.startsWith('Η') ? 'windows-1253' : 'windows-1256';
  const table = new TextDecoder(name).decode(Uint8Array.from({ length: 256 }, (_, byte) => byte));
  const bytes = Buffer.from(Array.from(`row,prompt\na,${text}\n`, (character) => table.indexOf(character)));
  expect((await read(bytes)).encoding).not.toBe('windows-1251');
});

test('the results of a Windows-1251 file stay in it, and bytes that it does not have make a copy of UTF-8', () => {
  const text = 'Ночь «№ 5» — ёлка';
  expect(encodeText(text, 'windows-1251')).toEqual(inWindows1251(text));
  expect(encodeText('夜', 'windows-1251')).toBeUndefined();
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
