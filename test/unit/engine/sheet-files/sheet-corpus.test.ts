import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readSheet } from '../../../../src/engine/sheet-files/read/read-sheet.ts';
import type { RawSheet } from '../../../../src/shared/domain/sheet/sheet-raw.ts';
import { fixture } from '../../../support/sheet-files.ts';

interface Case {
  readonly row: string;
  readonly kind: string;
  readonly text: string;
}

interface Table {
  readonly sheet: string;
  readonly otherSheet: string;
  readonly headers: readonly string[];
  readonly cases: readonly Case[];
}

/** How a file differs from the table because its format, or the program that wrote it, cannot hold it. */
interface Exceptions {
  /** Lines that are left out, because the encoding has no signs for them. */
  readonly without?: readonly string[];
  /** What is there in place of a text, by row. */
  readonly texts?: Readonly<Record<string, string>>;
  readonly problems: readonly string[];
}

const table = JSON.parse(readFileSync(fixture('corpus/table.json'), 'utf8')) as Table;

/** A text has what a cell shows, not what it is. */
const AS_SHOWN = {
  percent: '25%',
  currency: '12.50 EUR',
  'date-time': '2026-03-01 13:45:10',
  true: 'TRUE',
  false: 'FALSE',
  'formula-boolean': 'TRUE',
};
const HIDDEN = ['other-sheets', 'hidden-rows', 'hidden-columns'];
/** It does not escape what looks like an escape, so that every reader takes it for one. */
const NOT_ESCAPED = { 'escape-like': 'A is no escape' };
const WITHOUT_RESULT = '(formula)';

const FILES: Readonly<Record<string, Exceptions>> = {
  'libreoffice.xlsx': { problems: HIDDEN },
  'libreoffice.ods': { problems: HIDDEN },
  'google-sheets.xlsx': { problems: HIDDEN },
  'exceljs.xlsx': { texts: NOT_ESCAPED, problems: HIDDEN },
  'exceljs-stream.xlsx': { texts: NOT_ESCAPED, problems: HIDDEN },
  // Its results of formulas may be any text but an empty one.
  'xlsxwriter.xlsx': { texts: { 'formula-blank': WITHOUT_RESULT }, problems: [...HIDDEN, 'value-formula'] },
  'xlsxwriter-inline.xlsx': { texts: { 'formula-blank': WITHOUT_RESULT }, problems: [...HIDDEN, 'value-formula'] },
  'openpyxl.xlsx': {
    texts: {
      ...NOT_ESCAPED,
      'formula-number': WITHOUT_RESULT,
      'formula-text-result': WITHOUT_RESULT,
      'formula-boolean': WITHOUT_RESULT,
      'formula-blank': WITHOUT_RESULT,
    },
    problems: [...HIDDEN, 'value-formula', 'value-formula', 'value-formula', 'value-formula'],
  },
  'libreoffice-utf8.csv': { texts: AS_SHOWN, problems: [] },
  'libreoffice-utf16.tsv': { texts: AS_SHOWN, problems: [] },
  'google-sheets.csv': { texts: AS_SHOWN, problems: [] },
  'libreoffice-windows1252.csv': {
    without: ['emoji', 'chinese', 'japanese', 'combining'],
    texts: AS_SHOWN,
    problems: ['encoding-guessed'],
  },
  'libreoffice-gbk.csv': {
    without: ['emoji', 'western', 'combining'],
    texts: AS_SHOWN,
    problems: ['encoding-guessed'],
  },
  'libreoffice-shiftjis.csv': {
    without: ['emoji', 'western', 'chinese', 'combining'],
    texts: AS_SHOWN,
    problems: ['encoding-guessed'],
  },
};

async function read(name: string): Promise<RawSheet> {
  const sheet = await readSheet(fixture(`corpus/${name}`));
  if (!sheet.ok) throw new Error(sheet.error.message);
  return sheet.value;
}

/** All cells of a line, blank ones at its end, too: files differ in whether they have those. */
function whole(cells: readonly string[]): readonly string[] {
  return [...cells, ...table.headers.slice(cells.length).map(() => '')];
}

describe('one table, as many programs write it', () => {
  test('every file of the corpus is held to the table', () => {
    const files = readdirSync(fixture('corpus')).filter((name) => /\.(?:xlsx|ods|csv|tsv)$/.test(name));
    expect(files.toSorted()).toEqual(Object.keys(FILES).toSorted());
  });

  test.each(Object.entries(FILES))('%s, cell for cell', async (name, { without = [], texts = {}, problems }) => {
    const sheet = await read(name);
    const cases = table.cases.filter(({ row }) => !without.includes(row));
    expect(sheet.headers).toEqual(table.headers);
    expect(sheet.records.map(({ cells }) => whole(cells))).toEqual(
      cases.map(({ row, kind, text }) => [row, kind, texts[row] ?? text, '', `unseen ${row}`, 'after']),
    );
    expect(sheet.records.map(({ line }) => line)).toEqual(cases.map((_, index) => index + 2));
    expect(sheet.problems.map(({ code }) => code)).toEqual(problems);
  });

  test.each(Object.keys(FILES).filter((name) => !/\.[ct]sv$/.test(name)))(
    '%s: what is hidden, by name',
    async (name) => {
      const { problems, source } = await read(name);
      const line = table.cases.findIndex(({ row }) => row === 'hidden') + 2;
      expect(problems[1]?.message).toContain(`Row ${line} is hidden`);
      expect(problems[2]?.message).toContain('The column “unseen” is hidden');
      expect(source).toMatchObject({ sheet: table.sheet, sheets: [table.sheet, table.otherSheet] });
    },
  );

  test.each([
    ['libreoffice-utf8.csv', 'utf-8', ','],
    ['libreoffice-utf16.tsv', 'utf-16le', '\t'],
    ['libreoffice-windows1252.csv', 'windows-1252', ';'],
    ['libreoffice-gbk.csv', 'gbk', ','],
    ['libreoffice-shiftjis.csv', 'shift_jis', ','],
    ['google-sheets.csv', 'utf-8', ','],
  ])('%s is recognised as %s', async (name, encoding, delimiter) => {
    expect((await read(name)).source).toMatchObject({ encoding, delimiter });
  });
});
