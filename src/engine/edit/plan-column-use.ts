import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import type { CheckedRow } from '../../shared/domain/sheet/check-row.ts';
import { unusedColumn } from '../../shared/domain/sheet/column-use.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import { UNUSED_NAMED, type UnusedCells } from '../sheet-ports.ts';
import { checkAsItIs, type PlanContext, type SheetPlan } from './plan-sheet.ts';

/** How a row uses columns that its operation does not need. */
export interface RowUse {
  readonly key: number;
  readonly position: number;
  readonly operation: OperationPath | undefined;
  readonly unused: readonly number[];
  /** Cells that other cells of the row insert by name. */
  readonly named: readonly number[];
}

/** Whether the sheet's warnings depend on which of the two a row is. */
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

/** How many rows fill in each unused column, and how many insert each column by name. */
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

  /** Adds what the store knows of unused columns. `rowUseOf` describes the rows that it names. */
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

  /** The warnings about unused columns: of the sheet, and of single rows by key. */
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
        // The rest is only counted, each in a line of its own.
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

  /** The problems of the header line, except unknown columns that cells insert by name. */
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

/** What the checks of the header line and of column use find about the sheet as a whole. */
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

/** The use of those of these rows that the store has. */
export function usesBefore(keys: readonly number[], plan: SheetPlan, context: PlanContext): readonly RowUse[] {
  const stored = keys.flatMap((key) => (key < 0 ? [] : (plan.stored(key) ?? [])));
  return stored.map(({ key, position, row }) => rowUse(key, position, checkAsItIs(row, context)));
}

/** The use of checked rows, at their present places. */
export function usesAfter(checked: ReadonlyMap<number, CheckedRow>, plan: SheetPlan): readonly RowUse[] {
  return [...checked].flatMap(([key, row]) => {
    const position = plan.row(key)?.position;
    return position === undefined ? [] : [rowUse(key, position, row)];
  });
}

interface ChangedUse {
  readonly before: ColumnUse;
  readonly after: ColumnUse;
}

/** What the edit changes about unused columns; undefined if nothing. */
export function changedUse(
  before: readonly RowUse[],
  after: readonly RowUse[],
  plan: SheetPlan,
  context: PlanContext,
): ChangedUse | undefined | 'names-unknown' {
  const former = new Map(before.map((use) => [use.key, use]));
  const isSame = (use: RowUse): boolean => isSameUse(use, former.get(use.key) ?? NO_USE);
  const isGone = ({ key, unused, named }: RowUse): boolean => plan.removed.has(key) && unused.length + named.length > 0;
  if (after.every(isSame) && !before.some(isGone)) return undefined;
  const { sheets, batch, memory } = context;
  if (memory.named === undefined) return 'names-unknown';
  const stored = sheets.unusedCells(batch.id);
  const rowUseOf = (key: number): RowUse | undefined => {
    const row = plan.stored(key);
    return row && rowUse(key, row.position, checkAsItIs(row.row, context));
  };
  const [was, is] = [new ColumnUse(memory.named), new ColumnUse(memory.named)];
  was.addStored(stored, rowUseOf);
  is.addStored(stored, rowUseOf);
  for (const use of before) is.remove(use);
  for (const use of after) is.add(use);
  return { before: was, after: is };
}

const NO_USE: Omit<RowUse, 'key' | 'position'> = { operation: undefined, unused: [], named: [] };

/** Puts the warnings about unused columns where they belong; returns those of the sheet as a whole. */
export function applyUse(
  { before, after }: ChangedUse,
  plan: SheetPlan,
  context: PlanContext,
): readonly SheetProblem[] {
  const { checker, sheets, batch } = context;
  const rowOf = (key: number) => plan.row(key)?.row;
  const was = before.problems(checker, rowOf).rows;
  const { sheet, rows } = after.problems(checker, rowOf);
  const edited = plan.changed().map(({ key }) => key);
  for (const key of new Set([...was.keys(), ...rows.keys(), ...edited])) {
    const row = plan.row(key);
    if (row === undefined) continue;
    const others = row.cross.filter((problem) => problem.code !== 'unused-column');
    const own = rows.get(key) ?? [];
    if (own.length > 0 || others.length < row.cross.length) plan.put({ ...row, cross: [...others, ...own] });
  }
  return [...foundByReading(sheets.sheetProblems(batch.id)), ...after.headerProblems(checker), ...sheet];
}
