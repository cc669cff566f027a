/** Ids for the rows that need one: new rows, rows whose id cell was edited, and those that inherit a free one. */
import { isBlank } from '../../shared/domain/base/text.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { cellText } from '../../shared/domain/sheet/row.ts';
import { checkId, duplicateId, foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { EditedRow, PlanContext, RowPlan, SheetPlan } from './sheet-plan.ts';

export interface GivenId {
  readonly id: string;
  readonly problem?: SheetProblem;
}

/** How many ids are looked up at once if some must be generated. */
const TRIED_AT_ONCE = 64;

/**
 * Gives rows their ids, in the order of the edit: the cell's text, unless another row has it; else a new id that no row
 * has or ever had. What these rows are called in the plan does not count: their former ids are free.
 * @param header The header of the row ids; undefined if the sheet has no such column.
 */
export function giveIds(
  rows: readonly EditedRow[],
  header: string | undefined,
  plan: SheetPlan,
  context: PlanContext,
): ReadonlyMap<number, GivenId> {
  const claims = rows.toSorted((a, b) => rankOf(a) - rankOf(b)).map((row) => claimOf(row, header));
  const isReleased = new Set(rows.map(({ key }) => key));
  /** Lines of the rows that have these ids. */
  const taken = new Map<string, number>();
  for (const [id, keys] of plan.keysByIds(claims.flatMap(({ wanted }) => wanted?.folded ?? []))) {
    const holder = keys.find((key) => !isReleased.has(key));
    if (holder !== undefined) taken.set(id, plan.row(holder)?.row.line ?? 0);
  }
  const made = new MadeIds(plan, context);
  const given = new Map<number, GivenId>();
  for (const { row, wanted } of claims) {
    const { line } = row;
    const takenBy = wanted && taken.get(wanted.folded);
    const make = (): string => made.next((id) => taken.has(id));
    let one: GivenId;
    if (wanted === undefined) one = { id: make() };
    // An id that nobody typed but that is only remembered gives way without an error.
    else if (!wanted.isTyped) one = { id: takenBy === undefined ? wanted.id : make() };
    else {
      const found = takenBy === undefined ? checkId(wanted.id) : duplicateId(wanted.id, takenBy);
      const id = found?.severity === 'error' ? make() : wanted.id;
      one = found === undefined ? { id } : { id, problem: { ...found, line, row: id, column: 'row' } };
    }
    taken.set(foldRowId(one.id), line);
    given.set(row.key, one);
  }
  return given;
}

/** A row that gives an id back comes after the row that gets it back. */
function rankOf({ before, claimsId }: EditedRow): number {
  return before !== undefined && claimsId === 'again' ? 1 : 0;
}

interface Claim {
  readonly row: EditedRow;
  readonly wanted: { readonly id: string; readonly folded: string; readonly isTyped: boolean } | undefined;
}

function claimOf(row: EditedRow, header: string | undefined): Claim {
  const cell = header === undefined ? '' : cellText(row.cells, header);
  const isTyped = !isBlank(cell);
  const id = isTyped ? cell.trim() : row.was;
  return { row, wanted: id === undefined ? undefined : { id, folded: foldRowId(id), isTyped } };
}

/** Ids that no row has or ever had. */
class MadeIds {
  readonly #plan: SheetPlan;
  readonly #context: PlanContext;
  #next: number;
  #free: string[] = [];

  constructor(plan: SheetPlan, context: PlanContext) {
    this.#plan = plan;
    this.#context = context;
    // Generated ids come from lines: this is the line after the last one.
    this.#next = context.batch.rowCount + 2;
  }

  next(isTaken: (folded: string) => boolean): string {
    for (;;) {
      const id = this.#free.shift();
      if (id === undefined) this.#findFree();
      else if (!isTaken(foldRowId(id))) return id;
    }
  }

  #findFree(): void {
    const { sheets, batch } = this.#context;
    const tried = Array.from({ length: TRIED_AT_ONCE }, (_, i) => `r${String(this.#next + i).padStart(4, '0')}`);
    this.#next += TRIED_AT_ONCE;
    const taken = this.#plan.keysByIds(tried);
    const hidden = sheets.hiddenByIds(batch.id, tried);
    this.#free = tried.filter((id) => !taken.has(id) && !hidden.has(id));
  }
}

/** Rows that wanted an id that is free now, to be checked again: they get it. */
export function heirsOf(
  changedIds: ReadonlySet<string>,
  header: string,
  edited: readonly EditedRow[],
  plan: SheetPlan,
  { memory, sheets, batch }: PlanContext,
): readonly EditedRow[] {
  memory.contested ??= new Set(
    sheets
      .problems(batch.id, Number.MAX_SAFE_INTEGER)
      .flatMap(({ problem, key }) => (problem.code === 'row-id-duplicate' && key !== undefined ? [key] : [])),
  );
  if (memory.contested.size === 0) return [];
  const edits = new Map(edited.map((edit) => [edit.key, edit]));
  const held = plan.keysByIds([...changedIds]);
  plan.load(memory.contested);
  return [...memory.contested]
    .flatMap((key) => plan.row(key) ?? [])
    .filter(({ key, row }) => {
      const wanted = foldRowId(cellText(row.cells, header).trim());
      return !edits.get(key)?.claimsId && changedIds.has(wanted) && !held.has(wanted);
    })
    .toSorted((a, b) => a.position - b.position)
    .map((row) => ({ ...(edits.get(row.key) ?? unedited(row)), claimsId: 'again' }));
}

function unedited(before: RowPlan): EditedRow {
  const { key, row, position } = before;
  const { line, cells } = row;
  const as = { changed: [], was: undefined, isLocked: false, claimsId: false, superseded: undefined } as const;
  return { key, before, cells, line, position, ...as };
}

/** Rows that want another row's id after the edit; undefined if there are new rows whose keys are not known yet. */
export function contestedAfter(before: ReadonlySet<number>, plan: SheetPlan): ReadonlySet<number> | undefined {
  const contested = new Set([...before].filter((key) => !plan.removed.has(key)));
  for (const { key, own } of plan.changed()) {
    const isContested = own.some(({ code }) => code === 'row-id-duplicate');
    if (isContested && key < 0) return undefined;
    if (isContested) contested.add(key);
    else contested.delete(key);
  }
  return contested;
}
