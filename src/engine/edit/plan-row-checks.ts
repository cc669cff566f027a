import type { CheckedRow } from '../../shared/domain/sheet/check-row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import { requestText } from '../../shared/domain/sheet/sheet-checker.ts';
import { isBlank } from '../../shared/domain/base/text.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import { cellText } from './edit-by-row.ts';
import { type GivenId, type IdClaim, IdGiver } from './plan-places.ts';
import {
  checkAsItIs,
  type EditedRow,
  headerOf,
  isError,
  type PlanContext,
  type RowPlan,
  type SheetPlan,
  textsOf,
} from './plan-sheet.ts';

/** Edited rows, each checked by itself. */
export interface CheckedRows {
  readonly checked: ReadonlyMap<number, CheckedRow>;
  /** Folded ids that appeared, disappeared, or belong to another row now. */
  readonly changedIds: ReadonlySet<string>;
  /** Rows that got an id that they had wanted before. */
  readonly heirs: readonly RowPlan[];
}

/** What only a file's reader can find about a row: kept until its cell (any cell, if it names none) is edited. */
const FOUND_BY_READING: ReadonlySet<SheetProblem['code']> = new Set<SheetProblem['code']>([
  'value-formula',
  'number-imprecise',
  'quotes-broken',
  'extra-cells',
  'external-link',
  'unreadable',
]);

/** Checks edited rows one by one and puts them into `plan`; ids of removed rows go to other rows. */
export function checkRows(
  edited: readonly EditedRow[],
  removed: readonly RowPlan[],
  plan: SheetPlan,
  context: PlanContext,
): CheckedRows {
  const changedIds = new Set(removed.map(({ row }) => foldRowId(row.id)));
  for (const { key } of removed) plan.remove(key);
  const checked = new Map<number, CheckedRow>();
  const ids = new IdGiver(context.sheets, context.batch, plan);
  const header = headerOf(context, 'row');
  const round = (rows: readonly EditedRow[]): void => {
    const claiming = rows.filter((row) => claimsId(row, header)).toSorted((a, b) => rankOf(a) - rankOf(b));
    const claims = claiming.map((row) => claimOf(row, header));
    const isReleased = new Set(claims.map((claim) => claim.key));
    const given = ids.give(claims, (key) => isReleased.has(key));
    for (const row of rows) {
      const id = given.get(row.key);
      for (const folded of idsThatChange(row, id)) changedIds.add(folded);
      checked.set(row.key, checkOne(row, id, plan, context));
    }
  };
  round(edited);
  // An id that becomes free goes to the first row that wanted it.
  const waiting = contestants(changedIds, edited, plan, context, header);
  if (waiting.length > 0) round(waiting);
  return { checked, changedIds, heirs: waiting.flatMap(({ before }) => before ?? []) };
}

/** A row that gives an id back comes after the row that gets it back. */
function rankOf({ before, reclaimsId }: EditedRow): number {
  return before !== undefined && reclaimsId ? 1 : 0;
}

function claimsId({ reclaimsId, changed }: EditedRow, header: string | undefined): boolean {
  return reclaimsId || (header !== undefined && changed.includes(header));
}

function claimOf({ key, cells, was, line }: EditedRow, header: string | undefined): IdClaim {
  return { key, cell: header === undefined ? undefined : cellText(cells, header), was, line };
}

function idsThatChange({ before }: EditedRow, given: GivenId | undefined): readonly string[] {
  if (given === undefined || given.id === before?.row.id) return [];
  return [foldRowId(given.id), ...(before === undefined ? [] : [foldRowId(before.row.id)])];
}

function checkOne(edit: EditedRow, given: GivenId | undefined, plan: SheetPlan, context: PlanContext): CheckedRow {
  const { key, before, cells, changed, line, position } = edit;
  const texts = textsOf(context.checker.layout.headers, cells);
  const id = given?.id ?? before?.row.id ?? '';
  const found = context.checker.checkRecord({ line, cells: texts }, id);
  const isEmpty = texts.every(isBlank);
  const row = isEmpty ? { ...found.row, skip: true } : withSameRequest(found.row, edit, context);
  const kept = keptProblems(before, changed, given !== undefined);
  const broken = new Set(kept.filter(isError).map((problem) => problem.column));
  const own = [
    ...(given?.problem === undefined ? [] : [given.problem]),
    ...(row.skip ? kept.filter(isIdProblem) : kept),
    ...(isEmpty ? [] : found.problems.filter((problem) => problem.column === undefined || !broken.has(problem.column))),
  ];
  const { tasks = [], isDraft = false, cross = [] } = before ?? {};
  // A line without any cell is not a row of a file: it asks for nothing and has no problems.
  const checked = isEmpty ? { ...found, row, unusedCells: [], namedCells: [] } : { ...found, row };
  plan.put({
    key,
    position,
    row,
    own: edit.isLocked ? (before?.own ?? own) : own,
    // After a change of the columns, their use is determined for all rows together.
    cross: context.isRecheck ? cross.filter((problem) => problem.code !== 'unused-column') : cross,
    unused: checked.unusedCells,
    tasks,
    isDraft,
  });
  return checked;
}

/**
 * The checked row. It keeps its earlier request if the edit does not concern that: lists that cells draw from may have
 * changed since, and a new note must not render a row again.
 */
function withSameRequest(row: Row, { before, isLocked }: EditedRow, context: PlanContext): Row {
  if (before === undefined || before.tasks.length === 0) return row;
  const { body, links, operation } = before.row;
  if (isLocked) return { ...before.row, note: row.note, cells: row.cells };
  if (context.isRecheck) return row;
  const asItWas = checkAsItIs(before.row, context).row;
  if (requestText(asItWas) !== requestText(row)) return row;
  const { links: _, ...rest } = row;
  return { ...rest, operation, body, ...(links === undefined ? {} : { links }) };
}

/** Earlier findings about a row that checking its cells does not repeat. */
function keptProblems(
  before: RowPlan | undefined,
  changed: readonly string[],
  hasNewId: boolean,
): readonly SheetProblem[] {
  if (before === undefined) return [];
  const isStill = ({ column }: SheetProblem): boolean =>
    column === undefined ? changed.length === 0 : !changed.includes(column);
  return before.own.filter((problem) => {
    if (isIdProblem(problem)) return !hasNewId;
    return FOUND_BY_READING.has(problem.code) && isStill(problem);
  });
}

function isIdProblem({ code, column }: SheetProblem): boolean {
  return code.startsWith('row-id-') || (code === 'reserved-value' && column === 'row');
}

/** Rows that wanted an id that is free now: they get it. */
function contestants(
  changedIds: ReadonlySet<string>,
  edited: readonly EditedRow[],
  plan: SheetPlan,
  { memory, sheets, batch }: PlanContext,
  header: string | undefined,
): readonly EditedRow[] {
  if (header === undefined || changedIds.size === 0) return [];
  memory.contested ??= contestedIn(sheets.problems(batch.id, Number.MAX_SAFE_INTEGER));
  if (memory.contested.size === 0) return [];
  const edits = new Map(edited.map((edit) => [edit.key, edit]));
  const held = plan.keysByIds([...changedIds]);
  plan.load(memory.contested);
  const rows = [...memory.contested].flatMap((key) => plan.row(key) ?? []);
  return rows
    .filter(({ key, row }) => {
      const edit = edits.get(key);
      const wanted = foldRowId(cellText(row.cells, header).trim());
      return (edit === undefined || !claimsId(edit, header)) && changedIds.has(wanted) && !held.has(wanted);
    })
    .toSorted((a, b) => a.position - b.position)
    .map((before) => {
      const edit = edits.get(before.key) ?? unedited(before);
      return { ...edit, reclaimsId: true };
    });
}

function unedited(before: RowPlan): EditedRow {
  const { key, row, position } = before;
  const { line, cells } = row;
  return {
    key,
    before,
    cells,
    changed: [],
    line,
    position,
    was: undefined,
    isLocked: false,
    reclaimsId: false,
    superseded: undefined,
  };
}

function contestedIn(problems: readonly { readonly problem: SheetProblem; readonly key?: number }[]): Set<number> {
  return new Set(
    problems.flatMap(({ problem, key }) => (problem.code === 'row-id-duplicate' && key !== undefined ? [key] : [])),
  );
}
