import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { csvCell, csvLine } from '../../src/shared/domain/csv-text.ts';

describe('CSV that we write', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['a, b', '"a, b"'],
    ['a; b', '"a; b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [' blank', '" blank"'],
    ['=1+1', "'=1+1"],
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    ['+SUM(A1)', "'+SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\t=1', '"\'\t=1"'],
    ['\r=1', '"\'\r=1"'],
    ['-5', '-5'],
    ['+5.25', '+5.25'],
    ['-1e-7', '-1e-7'],
  ])('%j is written %j', (text, written) => {
    expect(csvCell(text)).toBe(written);
  });

  test('a line ends as spreadsheets expect it', () => {
    expect(csvLine(['a', 'b,c', ''])).toBe('a,"b,c",\r\n');
  });

  test('nothing that is written starts like a formula, and everything is read back', () => {
    const cell = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', ',', ';', '"', "'", '1', 'a'),
    });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), (cells) => {
        const [read] = Papa.parse<string[]>(csvLine(cells), { delimiter: ',', newline: '\r\n' }).data;
        expect(read?.map((text, index) => (text === `'${cells[index]}` ? cells[index] : text))).toEqual(cells);
        const formulas = read?.filter((text) => /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)));
        expect(formulas).toEqual([]);
      }),
    );
  });
});
