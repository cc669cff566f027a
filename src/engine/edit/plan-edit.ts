/** The plan of an edit: every row that changes, with its checks and tasks, and the edit that undoes it. */
import type { SheetChange } from '../sheet-ports.ts';
import { ChangeWriter } from './change-rows.ts';
import type { EditByRow, RefusedRow, RowEdit } from './edit-by-row.ts';
import { applyUse, changedUse, type RowUse, usesAfter, usesBefore } from './plan-column-use.ts';
import { checkDuplicates, checkReferences } from './plan-cross-checks.ts';
import { checkRows } from './plan-row-checks.ts';
import { planRows } from './plan-rows.ts';
import { type PlanContext, type RowPlan, SheetPlan } from './plan-sheet.ts';

/** An edit that is ready to commit. */
export interface EditPlan {
  readonly kind: 'planned';
  readonly change: SheetChange;
  readonly changedRows: number;
  readonly changedCells: number;
  readonly refused: readonly RefusedRow[];
  /** How the edited rows use columns that their operations do not need. */
  readonly uses: readonly RowUse[];
  /** The row edits that undo it; `inserted` are the keys that the store gave, in the order of the change. */
  readonly takeBack: (inserted: readonly number[]) => readonly RowEdit[];
  /** What is known of the sheet once it is written. */
  readonly remember: () => void;
}

export type PlanOutcome =
  | EditPlan
  /** Two rows have no room left between their positions. */
  | { readonly kind: 'no-room' }
  /** The plan first needs to know how many rows name which column. */
  | { readonly kind: 'names-unknown' };

/** Plans an edit on the stored sheet. Nothing is written. */
export function planEdit(edit: EditByRow, context: PlanContext): PlanOutcome {
  const { batch, checker, sheets, memory, isRecheck } = context;
  const plan = new SheetPlan(sheets, batch.id, checker.requestKey);
  const rowPlans = planRows(edit, plan, context);
  if (rowPlans === undefined) return { kind: 'no-room' };
  const { edited, removed, moved } = rowPlans;
  const { checked, changedIds, heirs } = checkRows(edited, removed, plan, context);
  for (const { row, position } of moved) plan.put({ ...(plan.row(row.key) ?? row), position });
  checkReferences(plan, [...checked.keys()], changedIds);
  const before = isRecheck ? [] : usesBefore([...checked.keys(), ...removed.map(({ key }) => key)], plan, context);
  const uses = usesAfter(checked, plan);
  const use = isRecheck ? undefined : changedUse(before, uses, plan, context);
  if (use === 'names-unknown') return { kind: 'names-unknown' };
  const sheetProblems = use === undefined ? undefined : applyUse(use, plan, context);
  checkDuplicates(plan, requestsOf(plan, removed), batch.settings.profile.prices);
  const writer = new ChangeWriter(plan, checked, { ...rowPlans, heirs }, context);
  const rows = writer.write();
  return {
    kind: 'planned',
    change: {
      ...(rowPlans.isRenumbered && !batch.sheet.isRenumbered ? { sheet: { ...batch.sheet, isRenumbered: true } } : {}),
      ...(sheetProblems === undefined ? {} : { sheetProblems }),
      rows,
      at: context.now,
    },
    changedRows: edited.length + removed.length + moved.length,
    changedCells: edited.reduce((sum, { changed }) => sum + changed.length, 0),
    refused: rowPlans.refused,
    uses,
    takeBack: (inserted) => writer.takeBack(inserted),
    remember: () => {
      if (use !== undefined) memory.named = use.after.named;
      if (memory.contested !== undefined) memory.contested = contestedAfter(memory.contested, plan);
    },
  };
}

/** Rows that want another row's id; undefined if there are new rows whose keys are not known yet. */
function contestedAfter(before: ReadonlySet<number>, plan: SheetPlan): Set<number> | undefined {
  const contested = new Set(before);
  for (const key of plan.removed) contested.delete(key);
  for (const { key, own } of plan.changed()) {
    const isContested = own.some((problem) => problem.code === 'row-id-duplicate');
    if (isContested && key < 0) return undefined;
    if (isContested) contested.add(key);
    else contested.delete(key);
  }
  return contested;
}

/** What the edited rows ask for, before and after the edit. */
function requestsOf(plan: SheetPlan, removed: readonly RowPlan[]): ReadonlySet<number> {
  const requests = new Set<number>();
  const add = (row: Pick<RowPlan, 'row' | 'own' | 'cross'>): void => {
    const request = plan.requestOf(row);
    if (request !== undefined) requests.add(request);
  };
  for (const row of removed) add(row);
  for (const row of plan.changed()) {
    add(row);
    const stored = row.key < 0 ? undefined : plan.stored(row.key);
    if (stored !== undefined) add({ row: stored.row, own: stored.problems, cross: [] });
  }
  return requests;
}
