/**
 * The text of CSV files that we write. A spreadsheet runs cells that start with certain characters as formulas, and the
 * cells here hold what strangers wrote: such cells get an apostrophe in front (OWASP, “CSV injection”).
 */

const LINE_END = '\r\n';
const FORMULA_START = /^[=+\-@\t\r]/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** Cells that must stand in quotes. `;` and tab are separators where a spreadsheet is set to another language. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/** Without it, spreadsheets do not read a CSV file as UTF-8. */
export const CSV_BYTE_ORDER_MARK = '\uFEFF';

/** One cell as it stands in a CSV file: harmless to a spreadsheet, and in quotes where it needs them. Numbers stay numbers. */
export function csvCell(text: string): string {
  const harmless = FORMULA_START.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One line of a CSV file with its line end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}
