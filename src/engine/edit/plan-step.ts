/** What a step makes of a sheet: every row that changes with its checks and tasks, and the step that takes it back. */
import type { CheckedRow } from '../../shared/domain/sheet/check-row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { SheetChange } from '../sheet-ports.ts';
import { ChangeWriter } from './change-writer.ts';
import { checkAsItIs, checkEdits } from './checks/check-edits.ts';
import { ColumnUse, foundByReading, isSameUse, rowUse, type RowUse } from './checks/column-use-checks.ts';
import { checkDuplicates } from './checks/duplicate-checks.ts';
import { gatherEdits } from './gather-edits.ts';
import { PendingSheet, type PendingRow } from './pending-sheet.ts';
import type { PlanContext } from './plan-context.ts';
import { checkReferences } from './checks/reference-checks.ts';
import type { RefusedRow, RowWish, SheetStep } from './sheet-step.ts';

/** A step that is ready to be written. */
export interface PlannedStep {
  readonly kind: 'planned';
  readonly change: SheetChange;
  readonly changedRows: number;
  readonly changedCells: number;
  readonly refused: readonly RefusedRow[];
  /** What the edited rows have to do with columns without use. */
  readonly uses: readonly RowUse[];
  /** The wishes that take it back; `inserted` are the keys that the store gave, in the order of the change. */
  readonly takeBack: (inserted: readonly number[]) => readonly RowWish[];
  /** What is known of the sheet once it is written. */
  readonly remember: () => void;
}

export type StepPlan =
  | PlannedStep
  /** Two rows have no room left between their positions. */
  | { readonly kind: 'no-room' }
  /** It has to be known first how many rows name which column. */
  | { readonly kind: 'names-unknown' };

/** Plans a step on the sheet as it is in the store. Nothing is written. */
export function planStep(step: SheetStep, context: PlanContext): StepPlan {
  const { batch, checker, sheets, memory, isRecheck } = context;
  const pending = new PendingSheet(sheets, batch.id, checker.requestKey);
  const gathered = gatherEdits(step, pending, context);
  if (gathered === undefined) return { kind: 'no-room' };
  const { edited, removed, moved } = gathered;
  const { checked, changedIds, heirs } = checkEdits(edited, removed, pending, context);
  for (const { row, position } of moved) pending.put({ ...(pending.row(row.key) ?? row), position });
  checkReferences(pending, [...checked.keys()], changedIds);
  const before = isRecheck ? [] : usesBefore([...checked.keys(), ...removed.map(({ key }) => key)], pending, context);
  const uses = usesAfter(checked, pending);
  const use = isRecheck ? undefined : changedUse(before, uses, pending, context);
  if (use === 'names-unknown') return { kind: 'names-unknown' };
  const sheetProblems = use === undefined ? undefined : applyUse(use, pending, context);
  checkDuplicates(pending, requestsOf(pending, removed), batch.settings.profile.prices);
  const writer = new ChangeWriter(pending, checked, { ...gathered, heirs }, context);
  const rows = writer.write();
  return {
    kind: 'planned',
    change: {
      ...(gathered.isRenumbered && !batch.sheet.isRenumbered ? { sheet: { ...batch.sheet, isRenumbered: true } } : {}),
      ...(sheetProblems === undefined ? {} : { sheetProblems }),
      rows,
      at: context.now,
    },
    changedRows: edited.length + removed.length + moved.length,
    changedCells: edited.reduce((sum, { changed }) => sum + changed.length, 0),
    refused: gathered.refused,
    uses,
    takeBack: (inserted) => writer.takeBack(inserted),
    remember: () => {
      if (use !== undefined) memory.named = use.after.named;
      if (memory.contested !== undefined) memory.contested = contestedAfter(memory.contested, pending);
    },
  };
}

/** Rows that want an id which is another one's; undefined where rows came to be whose keys are not known yet. */
function contestedAfter(before: ReadonlySet<number>, pending: PendingSheet): Set<number> | undefined {
  const contested = new Set(before);
  for (const key of pending.removed) contested.delete(key);
  for (const { key, own } of pending.changed()) {
    const isContested = own.some((problem) => problem.code === 'row-id-duplicate');
    if (isContested && key < 0) return undefined;
    if (isContested) contested.add(key);
    else contested.delete(key);
  }
  return contested;
}

/** The use of rows as the store has them, of those that it has. */
function usesBefore(keys: readonly number[], pending: PendingSheet, context: PlanContext): readonly RowUse[] {
  const stored = keys.flatMap((key) => (key < 0 ? [] : (pending.stored(key) ?? [])));
  return stored.map(({ key, position, row }) => rowUse(key, position, checkAsItIs(row, context)));
}

/** The use of checked rows, where they are by now. */
function usesAfter(checked: ReadonlyMap<number, CheckedRow>, pending: PendingSheet): readonly RowUse[] {
  return [...checked].flatMap(([key, row]) => {
    const position = pending.row(key)?.position;
    return position === undefined ? [] : [rowUse(key, position, row)];
  });
}

interface ChangedUse {
  readonly before: ColumnUse;
  readonly after: ColumnUse;
}

/** What the edit changes about columns without use; undefined where it changes nothing about them. */
function changedUse(
  before: readonly RowUse[],
  after: readonly RowUse[],
  pending: PendingSheet,
  context: PlanContext,
): ChangedUse | undefined | 'names-unknown' {
  const former = new Map(before.map((use) => [use.key, use]));
  const isSame = (use: RowUse): boolean => isSameUse(use, former.get(use.key) ?? NO_USE);
  const isGone = ({ key, unused, named }: RowUse): boolean =>
    pending.removed.has(key) && unused.length + named.length > 0;
  if (after.every(isSame) && !before.some(isGone)) return undefined;
  const { sheets, batch, memory } = context;
  if (memory.named === undefined) return 'names-unknown';
  const stored = sheets.unusedCells(batch.id);
  const rowUseOf = (key: number): RowUse | undefined => {
    const row = pending.stored(key);
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

/** Puts the warnings about columns without use where they belong; gives those of the sheet as a whole. */
function applyUse({ before, after }: ChangedUse, pending: PendingSheet, context: PlanContext): readonly SheetProblem[] {
  const { checker, sheets, batch } = context;
  const rowOf = (key: number) => pending.row(key)?.row;
  const was = before.problems(checker, rowOf).rows;
  const { sheet, rows } = after.problems(checker, rowOf);
  const edited = pending.changed().map(({ key }) => key);
  for (const key of new Set([...was.keys(), ...rows.keys(), ...edited])) {
    const row = pending.row(key);
    if (row === undefined) continue;
    const others = row.cross.filter((problem) => problem.code !== 'unused-column');
    const own = rows.get(key) ?? [];
    if (own.length > 0 || others.length < row.cross.length) pending.put({ ...row, cross: [...others, ...own] });
  }
  return [...foundByReading(sheets.sheetProblems(batch.id)), ...after.headerProblems(checker), ...sheet];
}

/** What the rows of the edit ask for, before and after it. */
function requestsOf(pending: PendingSheet, removed: readonly PendingRow[]): ReadonlySet<number> {
  const requests = new Set<number>();
  const add = (row: Pick<PendingRow, 'row' | 'own' | 'cross'>): void => {
    const request = pending.requestOf(row);
    if (request !== undefined) requests.add(request);
  };
  for (const row of removed) add(row);
  for (const row of pending.changed()) {
    add(row);
    const stored = row.key < 0 ? undefined : pending.stored(row.key);
    if (stored !== undefined) add({ row: stored.row, own: stored.problems, cross: [] });
  }
  return requests;
}
