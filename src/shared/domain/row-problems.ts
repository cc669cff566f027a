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
    text: { readonly message: string; readonly remedy: string },
    column?: string,
  ): void {
    const { message, remedy } = text;
    this.found.push({ severity, code, ...this.#place, ...(column === undefined ? {} : { column }), message, remedy });
  }
}
