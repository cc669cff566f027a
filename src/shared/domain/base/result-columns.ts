/** The columns that Nocturne adds to a sheet: the results of each row. */
export const RESULT_COLUMNS = ['status', 'files', 'taskCode', 'failure'] as const;

const NAMES: ReadonlySet<string> = new Set(RESULT_COLUMNS);

/** True for a header that Nocturne writes itself: it is neither a field nor a mistake of the sheet's author. */
export function isResultColumn(header: string): boolean {
  return NAMES.has(header.trim());
}

/** True for the header line of a text file into which Nocturne has written results: none of its cells is a formula. */
export function hasAllResultColumns(headers: readonly string[]): boolean {
  const found = new Set(headers.map((header) => header.trim()));
  return RESULT_COLUMNS.every((name) => found.has(name));
}

/**
 * True for a header line that ends in the results: only Nocturne writes such a file, whatever the columns before them.
 */
export function endsInResultColumns(headers: readonly string[]): boolean {
  const last = headers.slice(-RESULT_COLUMNS.length).map((header) => header.trim());
  return RESULT_COLUMNS.every((name, index) => last[index] === name);
}

/** The results of a sheet's rows, each as the four texts of the result columns. */
export interface SheetResults {
  /** By the line of the file; the header is 1. */
  readonly byLine: ReadonlyMap<number, readonly string[]>;
  /** Rows that the file does not have, with their cells by header. */
  readonly added: readonly { readonly cells: Readonly<Record<string, string>>; readonly results: readonly string[] }[];
}
