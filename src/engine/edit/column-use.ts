/** Warnings about columns that no row needs: they depend on all rows, and few edits change them. */
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import { unusedColumn } from '../../shared/domain/sheet/unused-columns.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import { UNUSED_NAMED, type StoredRow, type UnusedCells } from '../ports/sheet-store.ts';
import { letOthers } from './edit-parts.ts';
import { checkAsItIs, type PlanContext, type RowPlan, type SheetPlan } from './sheet-plan.ts';

/** A checked row: its cells say how it uses columns that its operation does not need. */
export type RowUse = Pick<RowPlan, 'key' | 'position'> & { readonly checked: NonNullable<RowPlan['checked']> };

/** The use of a stored row. */
export function storedUse(
  { key, position, row }: Pick<StoredRow, 'key' | 'position' | 'row'>,
  context: PlanContext,
): RowUse {
  return { key, position, checked: checkAsItIs(row, context) };
}

/** Counts how many rows name each column, some rows at a time; other work continues in between. */
export async function countNamed(context: PlanContext): Promise<ReadonlyMap<number, number>> {
  const { sheets, batch } = context;
  const use = new ColumnUse();
  const keys = await sheets.keysInView(batch.id, {}, 0, batch.rowCount);
  for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
    const rows = await sheets.rowsByKeys(batch.id, keys.slice(from, from + ROWS_AT_A_TIME));
    for (const row of rows) use.add(storedUse(row, context));
    await letOthers();
  }
  return use.named;
}

const ROWS_AT_A_TIME = 500;

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

  /** Keys of the rows that messages name. */
  get keys(): readonly number[] {
    return [...this.#groups.values()].flatMap(({ first }) => first.map(({ key }) => key));
  }

  /** Adds what the store knows about unused columns. `useOfKey` describes the rows that it names. */
  addStored(cells: readonly UnusedCells[], useOfKey: (key: number) => readonly RowUse[]): void {
    for (const { index, operation, rows, keys } of cells) {
      const first = keys.flatMap(useOfKey);
      this.#groups.set(groupKey(index, operation), { index, operation, rows, first });
    }
  }

  add(use: RowUse): void {
    const { row, unusedCells, namedCells } = use.checked;
    for (const index of new Set(namedCells)) this.#named.set(index, (this.#named.get(index) ?? 0) + 1);
    const { operation } = row;
    if (operation === undefined) return;
    for (const index of unusedCells) {
      const key = groupKey(index, operation);
      const group = this.#groups.get(key) ?? { index, operation, rows: 0, first: [] };
      group.rows += 1;
      group.first = [...group.first, use].sort((a, b) => a.position - b.position).slice(0, UNUSED_NAMED);
      this.#groups.set(key, group);
    }
  }

  remove({ key, checked: { row, unusedCells, namedCells } }: RowUse): void {
    for (const index of new Set(namedCells)) this.#named.set(index, (this.#named.get(index) ?? 0) - 1);
    if (row.operation === undefined) return;
    for (const index of unusedCells) {
      const group = this.#groups.get(groupKey(index, row.operation));
      if (group === undefined) continue;
      group.rows -= 1;
      group.first = group.first.filter((use) => use.key !== key);
    }
  }

  /** The warnings about unused columns: those of the sheet, and those of single rows by key. */
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
        // The other rows are only counted, each on a line of its own.
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

/** The warnings about unused columns after an edit. */
export interface ChangedUse {
  readonly sheetProblems: readonly SheetProblem[];
  /** How many rows name each column. */
  readonly named: ReadonlyMap<number, number>;
}

/**
 * Puts the warnings of single rows into `plan`, and returns those of the sheet as a whole.
 * @param named How many rows named each column before.
 */
export async function checkColumnUse(
  plan: SheetPlan,
  named: ReadonlyMap<number, number>,
  context: PlanContext,
): Promise<ChangedUse> {
  const { checker, sheets, batch } = context;
  const [cells, problems] = await Promise.all([sheets.unusedCells(batch.id), sheets.sheetProblems(batch.id)]);
  await plan.load(cells.flatMap(({ keys }) => keys));
  const stored = (key: number): readonly RowUse[] => {
    const row = plan.stored(key);
    return row === undefined ? [] : [storedUse(row, context)];
  };
  const [before, after] = [new ColumnUse(named), new ColumnUse(named)];
  for (const use of [before, after]) use.addStored(cells, stored);
  const edited = plan.changed();
  const checked = edited.flatMap((row) => (row.checked === undefined ? [] : [{ ...row, checked: row.checked }]));
  for (const key of [...checked.map((row) => row.key), ...plan.removed])
    for (const use of stored(key)) after.remove(use);
  for (const row of checked) after.add(row);
  const rowOf = (key: number) => plan.row(key)?.row;
  const was = before.problems(checker, rowOf).rows;
  const { sheet, rows } = after.problems(checker, rowOf);
  for (const key of new Set([...was.keys(), ...rows.keys(), ...edited.map((row) => row.key)])) {
    const row = plan.row(key);
    if (row === undefined) continue;
    const others = row.cross.filter(({ code }) => code !== 'unused-column');
    const own = rows.get(key) ?? [];
    if (own.length > 0 || others.length < row.cross.length) plan.put({ ...row, cross: [...others, ...own] });
  }
  const read = foundByReading(problems);
  return { sheetProblems: [...read, ...after.headerProblems(checker), ...sheet], named: after.named };
}
