/**
 * The text of the CSV files that we write. A spreadsheet runs cells that start with certain characters as formulas, and
 * these cells hold text by strangers: such cells get an apostrophe in front (OWASP, “CSV injection”). So does the text
 * after a separator inside a cell, because a spreadsheet with another separator would begin a new cell there.
 */

const LINE_END = '\r\n';
/** Spreadsheets in East Asian languages also accept full-width signs. Quotes in front disappear once a cell is read. */
const FORMULA_START = /^['"]*[=+\-@＝＋－＠]/;
/** At the start of a cell, spreadsheets skip these and look at what follows. */
const SKIPPED_START = /^'*[\t\r\n]/;
const MAY_BE_FORMULA = /[=+\-@＝＋－＠\t\r\n]/;
const SEPARATOR = /([;,\t\r\n])/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** Cells that need quotes. `;` and tab are separators in spreadsheets set to another language. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/** Without it, spreadsheets do not read a CSV file as UTF-8. */
export const CSV_BYTE_ORDER_MARK = '\uFEFF';

/** One cell of a CSV file: harmless to a spreadsheet, and quoted if necessary. Numbers stay numbers. */
export function csvCell(text: string): string {
  const harmless = harmlessText(text);
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One line of a CSV file with its line end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

/** A text that no spreadsheet takes for a formula; {@link originalText} restores the original. */
function harmlessText(text: string): string {
  if (!MAY_BE_FORMULA.test(text)) return text;
  const harmless = text.split(SEPARATOR).map((part) => (startsFormula(part) ? `'${part}` : part));
  return (SKIPPED_START.test(text) ? "'" : '') + harmless.join('');
}

/** Whether no spreadsheet takes a text for a formula, so that {@link csvCell} leaves it as it is. */
export function isHarmless(text: string): boolean {
  return harmlessText(text) === text;
}

/** The text that {@link csvCell} was given, from the text of its cell. */
export function originalText(harmless: string): string {
  if (!harmless.includes("'")) return harmless;
  const start = harmless.startsWith("'") && SKIPPED_START.test(harmless) ? 1 : 0;
  const parts = harmless.slice(start).split(SEPARATOR);
  return parts.map((part) => (part.startsWith("'") && startsFormula(part.slice(1)) ? part.slice(1) : part)).join('');
}

function startsFormula(part: string): boolean {
  return FORMULA_START.test(part) && !NUMBER.test(part);
}
