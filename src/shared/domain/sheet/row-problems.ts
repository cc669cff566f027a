import type { SheetProblem, SheetProblemCode } from './row.ts';

/** Collects the problems of one row, so that each of them names the row. */
export class RowProblems {
  readonly found: SheetProblem[] = [];
  readonly #place: { readonly line: number; readonly row: string };

  constructor(line: number, row: string) {
    this.#place = { line, row };
  }

  add(
    severity: 'error' | 'warning',
    code: SheetProblemCode,
    text: Pick<SheetProblem, 'message' | 'remedy' | 'cell'>,
    column?: string,
  ): void {
    const { message, remedy, cell } = text;
    const place = { ...this.#place, ...(column === undefined ? {} : { column }) };
    this.found.push({ severity, code, ...place, message, remedy, ...(cell === undefined ? {} : { cell }) });
  }
}
