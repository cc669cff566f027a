/**
 * The text of CSV files that we write. A spreadsheet runs cells that start with certain characters as formulas, and the
 * cells here hold what strangers wrote: such cells get an apostrophe in front (OWASP, “CSV injection”). So does what
 * follows a separator in a cell, where a spreadsheet that separates by another character would begin a cell of its own.
 */

const LINE_END = '\r\n';
/** Full-width signs count for spreadsheets in East Asian languages. Quotes in front are gone once a cell is read. */
const FORMULA_START = /^['"]*[=+\-@＝＋－＠]/;
/** At the start of a cell, spreadsheets pass over these and look at what follows. */
const SKIPPED_START = /^'*[\t\r\n]/;
const MAY_BE_FORMULA = /[=+\-@＝＋－＠\t\r\n]/;
const SEPARATOR = /([;,\t\r\n])/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
/** Cells that must stand in quotes. `;` and tab are separators where a spreadsheet is set to another language. */
const NEEDS_QUOTES = /[",;\t\r\n]|^\s|\s$/;

/** Without it, spreadsheets do not read a CSV file as UTF-8. */
export const CSV_BYTE_ORDER_MARK = '\uFEFF';

/** One cell as it stands in a CSV file: harmless to a spreadsheet, and in quotes where it needs them. Numbers stay numbers. */
export function csvCell(text: string): string {
  const harmless = harmlessText(text);
  return NEEDS_QUOTES.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** One line of a CSV file with its line end. */
export function csvLine(cells: readonly string[]): string {
  return cells.map(csvCell).join(',') + LINE_END;
}

/** A text in which nothing is a formula to any spreadsheet; {@link originalText} gives the text again. */
function harmlessText(text: string): string {
  if (!MAY_BE_FORMULA.test(text)) return text;
  const harmless = text.split(SEPARATOR).map((part) => (startsFormula(part) ? `'${part}` : part));
  return (SKIPPED_START.test(text) ? "'" : '') + harmless.join('');
}

/** The text that {@link csvCell} was given, of the text that stands in its cell. */
export function originalText(harmless: string): string {
  if (!harmless.includes("'")) return harmless;
  const start = harmless.startsWith("'") && SKIPPED_START.test(harmless) ? 1 : 0;
  const parts = harmless.slice(start).split(SEPARATOR);
  return parts.map((part) => (part.startsWith("'") && startsFormula(part.slice(1)) ? part.slice(1) : part)).join('');
}

function startsFormula(part: string): boolean {
  return FORMULA_START.test(part) && !NUMBER.test(part);
}
