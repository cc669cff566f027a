import * as fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, test } from 'vitest';
import { csvCell, csvLine, originalText } from '../../../../src/shared/domain/base/csv-text.ts';

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
    ['\t=1', '"\'\t\'=1"'],
    ['\r=1', '"\'\r\'=1"'],
    ['\n=1', '"\'\n\'=1"'],
    ['\tplain', '"\'\tplain"'],
    ['x;=HYPERLINK(A1);z', '"x;\'=HYPERLINK(A1);z"'],
    ['x,@a\t+b\n-c\r=d', "\"x,'@a\t'+b\n'-c\r'=d\""],
    ['x;"=1+1";y', '"x;\'""=1+1"";y"'],
    ['＝1+1', "'＝1+1"],
    ['a;＋1+1', '"a;\'＋1+1"'],
    ['－x', "'－x"],
    ['＠x', "'＠x"],
    ['1,-5,3', '"1,-5,3"'],
    ["'=1", "''=1"],
    ["it's", "it's"],
    ['-5', '-5'],
    ['+5.25', '+5.25'],
    ['-1e-7', '-1e-7'],
  ])('%j is written %j', (text, written) => {
    expect(csvCell(text)).toBe(written);
  });

  test('a line ends as spreadsheets expect it', () => {
    expect(csvLine(['a', 'b,c', ''])).toBe('a,"b,c",\r\n');
  });

  test('nothing that is written is a formula, whatever separates the cells, and everything is read back', () => {
    const cell = fc.string({
      unit: fc.constantFrom('=', '+', '-', '@', '＝', '\t', '\r', '\n', ',', ';', '"', "'", '1', 'a'),
    });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), (cells) => {
        const line = csvLine(cells);
        const [read] = Papa.parse<string[]>(line, { delimiter: ',', newline: '\r\n' }).data;
        expect(read?.map(originalText)).toEqual(cells);
        // As a spreadsheet sees it that separates by another character, or that reads a cell once more.
        const seen = [...(read ?? []), line].flatMap((text) => [text, ...text.split(/[,;\t\r\n]/)]);
        const starts = seen.map((text) => text.replace(/^"+/, '').split(/[,;\t\r\n]|"+$/)[0] ?? '');
        expect(starts.filter((text) => /^[=+\-@＝]/.test(text) && Number.isNaN(Number(text)))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });
});
