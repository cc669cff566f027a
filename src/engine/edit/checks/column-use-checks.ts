import { unusedColumn } from '../../../shared/domain/sheet/column-use.ts';
import type { CheckedRow } from '../../../shared/domain/sheet/check-row.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { SheetChecker } from '../../../shared/domain/sheet/sheet-checker.ts';
import { UNUSED_NAMED, type UnusedCells } from '../../sheet-ports.ts';

/** What a row has to do with columns that are of no use. */
export interface RowUse {
  readonly key: number;
  readonly position: number;
  readonly operation: OperationPath | undefined;
  readonly unused: readonly number[];
  /** Cells that other cells of the row put in by their names. */
  readonly named: readonly number[];
}

/** Whether it makes a difference to the sheet's warnings which of the two a row is. */
export function isSameUse(a: Omit<RowUse, 'key' | 'position'>, b: Omit<RowUse, 'key' | 'position'>): boolean {
  const isSame = (one: readonly number[], other: readonly number[]): boolean =>
    one.length === other.length && one.every((index, at) => other[at] === index);
  return (
    isSame(a.named, b.named) && isSame(a.unused, b.unused) && (a.operation === b.operation || a.unused.length === 0)
  );
}

/** The use of a row that was just checked. */
export function rowUse(key: number, position: number, { row, unusedCells, namedCells }: CheckedRow): RowUse {
  return { key, position, operation: row.operation, unused: unusedCells, named: namedCells };
}

/** How many rows fill in which column without use, and how many put which column in by its name. */
export class ColumnUse {
  readonly #groups = new Map<string, { index: number; operation: OperationPath; rows: number; first: RowUse[] }>();
  readonly #named: Map<number, number>;

  constructor(named: ReadonlyMap<number, number> = new Map()) {
    this.#named = new Map(named);
  }

  /** How many rows name each column. */
  get named(): ReadonlyMap<number, number> {
    return this.#named;
  }

  /** Takes in what the store knows of columns without use. `rowUseOf` tells of the rows that it names. */
  addStored(cells: readonly UnusedCells[], rowUseOf: (key: number) => RowUse | undefined): void {
    for (const { index, operation, rows, keys } of cells) {
      const first = keys.flatMap((key) => rowUseOf(key) ?? []);
      this.#groups.set(groupKey(index, operation), { index, operation, rows, first });
    }
  }

  add(use: RowUse): void {
    for (const index of new Set(use.named)) this.#named.set(index, (this.#named.get(index) ?? 0) + 1);
    const { operation } = use;
    if (operation === undefined) return;
    for (const index of use.unused) {
      const key = groupKey(index, operation);
      const group = this.#groups.get(key) ?? { index, operation, rows: 0, first: [] };
      group.rows += 1;
      group.first = [...group.first, use].sort((a, b) => a.position - b.position).slice(0, UNUSED_NAMED);
      this.#groups.set(key, group);
    }
  }

  remove(use: RowUse): void {
    for (const index of new Set(use.named)) this.#named.set(index, (this.#named.get(index) ?? 0) - 1);
    if (use.operation === undefined) return;
    for (const index of use.unused) {
      const group = this.#groups.get(groupKey(index, use.operation));
      if (group === undefined) continue;
      group.rows -= 1;
      group.first = group.first.filter((row) => row.key !== use.key);
    }
  }

  /** The warnings of columns without use: of the sheet, and of single rows by their keys. */
  problems(
    checker: SheetChecker,
    rowOf: (key: number) => { readonly id: string; readonly line: number } | undefined,
  ): { readonly sheet: readonly SheetProblem[]; readonly rows: ReadonlyMap<number, readonly SheetProblem[]> } {
    const sheet: SheetProblem[] = [];
    const rows = new Map<number, SheetProblem[]>();
    for (const { index, operation, rows: count, first } of this.#groups.values()) {
      if (count <= 0 || this.#isNamed(index)) continue;
      const named = first.flatMap(({ key }) => rowOf(key) ?? []);
      const [only] = first;
      if (count === 1 && only !== undefined) {
        rows.set(only.key, [...(rows.get(only.key) ?? []), unusedColumn(checker.layout, index, operation, named)]);
      } else {
        // The rest is counted, each by a line of its own, and not named.
        const rest = Array.from({ length: count - named.length }, (_, i) => ({ id: '', line: -i }));
        const {
          line: _line,
          row: _row,
          ...problem
        } = unusedColumn(checker.layout, index, operation, [...named, ...rest]);
        sheet.push(problem);
      }
    }
    return { sheet, rows };
  }

  /** The problems of the header line, without those of unknown columns that cells put in by their names. */
  headerProblems(checker: SheetChecker): readonly SheetProblem[] {
    const headers = checker.layout.headers.map((header) => header.trim());
    const isNamed = (header: string | undefined): boolean => this.#isNamed(headers.indexOf(header ?? ''));
    return checker.problems.filter(({ code, column }) => code !== 'unknown-column' || !isNamed(column));
  }

  #isNamed(index: number): boolean {
    return (this.#named.get(index) ?? 0) > 0;
  }
}

function groupKey(index: number, operation: OperationPath): string {
  return `${index} ${operation}`;
}

/** What the checks of a header line and of the use of columns find about a sheet as a whole. */
const FOUND_BY_CHECKS: ReadonlySet<SheetProblem['code']> = new Set<SheetProblem['code']>([
  'duplicate-header',
  'unknown-column',
  'header-matched',
  'mapping-unknown',
  'no-operation-column',
  'unused-column',
  'value-characters',
  'contains-key',
]);

/** What reading the file found about the sheet as a whole; no edit of its rows changes that. */
export function foundByReading(problems: readonly SheetProblem[]): readonly SheetProblem[] {
  return problems.filter((problem) => !FOUND_BY_CHECKS.has(problem.code));
}
