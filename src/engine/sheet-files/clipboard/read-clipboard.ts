import Papa from 'papaparse';
import { readHtmlTable, type CellTable, type ClipboardText, type HtmlCell } from './clipboard-html.ts';
import { createHash } from 'node:crypto';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { RawRecord, RawSheet } from '../../../shared/domain/sheet/sheet-raw.ts';
import { SheetIntake } from '../sheet-intake.ts';
import { tabbedText } from './write-clipboard.ts';

/** A larger clipboard is not read; no file of that size is either. */
const MOST_CHARACTERS = 200 * 1024 * 1024;

/**
 * The table that a spreadsheet program put into the clipboard: from its HTML, because only HTML separates cells in
 * every program; otherwise from the text, split at tabs. Blanks, which HTML loses, come from the text if it agrees.
 * @returns Lines of one length; none if the clipboard is empty or too large.
 */
export function readClipboardTable({ html, text }: ClipboardText): CellTable {
  const ofText = text.length <= MOST_CHARACTERS ? readTabbedText(text) : [];
  const ofHtml = html.length <= MOST_CHARACTERS ? readHtmlTable(html) : undefined;
  return rectangle(ofHtml ? withBlanksOf(ofText, ofHtml) : ofText);
}

/** Spreadsheets quote a cell that contains a tab, a line end or a quote, and double the quotes in it. */
function readTabbedText(text: string): CellTable {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\n$/, '');
  if (text === '') return [];
  // LibreOffice does not quote a text without these; quotes around it are part of the text.
  const quoted = lines.replace(/(^|[\t\n])"([^"\t\n]+)"(?=[\t\n]|$)/g, '$1"""$2"""');
  const parsed = new Papa.Parser({ delimiter: '\t', newline: '\n' }).parse(quoted, 0, false) as Papa.ParseResult<
    string[]
  >;
  // Quotes that do not match belong to a text that was never quoted.
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

/** A text that differs from the visible one is not used, whatever its source. */
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
 * A table from the clipboard as an imported sheet: its first line with a cell is the header.
 * @param name The name of the sheet.
 * @returns The sheet, or the problem that refuses it: it is empty or too large.
 */
export function rawSheetOfTable(table: CellTable, name: string): Result<RawSheet, SheetProblem> {
  const records: RawRecord[] = [];
  const intake = new SheetIntake((record) => records.push(record), 1);
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
