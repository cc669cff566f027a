import Papa from 'papaparse';
import { readHtmlTable, type CellTable, type ClipboardText, type HtmlCell } from './clipboard-html.ts';
import { createHash } from 'node:crypto';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { RawRecord, RawSheet } from '../../../shared/domain/sheet/sheet-raw.ts';
import { SheetIntake } from '../sheet-intake.ts';
import { tabbedText } from './write-clipboard.ts';

/** A clipboard that holds more is not looked at, as no file is that does. */
const MOST_CHARACTERS = 200 * 1024 * 1024;

/**
 * The table that a spreadsheet program put into the clipboard: from its HTML, which alone tells cells from each other in
 * every program; else the text, cell by cell between tabs. Blanks, which HTML loses, come from the text where it agrees.
 * @returns Lines of one length; none where there is nothing, or too much.
 */
export function readClipboardTable({ html, text }: ClipboardText): CellTable {
  const ofText = text.length <= MOST_CHARACTERS ? readTabbedText(text) : [];
  const ofHtml = html.length <= MOST_CHARACTERS ? readHtmlTable(html) : undefined;
  return rectangle(ofHtml ? withBlanksOf(ofText, ofHtml) : ofText);
}

/** Spreadsheets put a cell in quotes where it has a tab, a line end or a quote in it, and double those. */
function readTabbedText(text: string): CellTable {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  if (text === '') return [];
  // LibreOffice leaves quotes alone that enclose a text without any of these: they are part of it.
  const quoted = lines.replace(/(^|[\t\n])"([^"\t\n]+)"(?=[\t\n]|$)/g, '$1"""$2"""');
  const parsed = new Papa.Parser({ delimiter: '\t', newline: '\n' }).parse(quoted, 0, false) as Papa.ParseResult<
    string[]
  >;
  // Quotes that do not fit are those of a text that was never in quotes.
  const isQuoted = !parsed.errors.some(({ type }) => type === 'Quotes');
  return isQuoted && parsed.data.length > 0 ? parsed.data : lines.split('\n').map((line) => line.split('\t'));
}

function withBlanksOf(text: CellTable, html: readonly (readonly HtmlCell[])[]): CellTable {
  const isSameShape = text.length === html.length;
  return html.map((cells, line) =>
    cells.map(({ shown, exact }, column) => {
      const others = [exact, isSameShape ? text[line]?.[column] : undefined];
      return others.find((other) => other !== undefined && isSameButBlanks(other, shown)) ?? shown;
    }),
  );
}

/** A text that is not what is seen is not taken, wherever it is from. */
function isSameButBlanks(text: string, shown: string): boolean {
  return text === shown || text.replace(/\s+/g, '') === shown.replace(/\s+/g, '');
}

function rectangle(table: CellTable): CellTable {
  const width = table.reduce((widest, cells) => Math.max(widest, cells.length), 0);
  return table.map((cells) =>
    cells.length === width ? cells : [...cells, ...Array.from({ length: width - cells.length }, () => '')],
  );
}

/**
 * A table from the clipboard as a sheet that is brought in: its first line with a cell is the header.
 * @param name What the sheet is called.
 * @returns The sheet, or what refuses it: there is nothing in it, or too much.
 */
export function rawSheetOfTable(table: CellTable, name: string): Result<RawSheet, SheetProblem> {
  const records: RawRecord[] = [];
  const intake = new SheetIntake((record) => records.push(record));
  for (const [index, cells] of table.entries()) {
    const problem = intake.add({ line: index + 1, cells });
    if (problem) return err(problem);
  }
  const ended = intake.end();
  if ('problem' in ended) return err(ended.problem);
  const text = Buffer.from(tabbedText(table));
  const sha256 = createHash('sha256').update(text).digest('hex');
  const source = { format: 'clipboard', sheet: name, bytes: text.length, sha256 } as const;
  return ok({ headers: ended.headers, records, problems: [], source });
}
