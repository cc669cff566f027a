/** Ids for the rows that need one: new rows, rows whose id cell was edited, and rows that inherit a free id. */
import { isBlank } from '../../shared/domain/base/text.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { cellText } from '../../shared/domain/sheet/row.ts';
import { checkId, duplicateId, foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import { whyLocked } from '../../shared/domain/task/row-status.ts';
import type { StoredProblem } from '../ports/sheet-store.ts';
import type { EditedRow, PlanContext, RowPlan, SheetPlan } from './sheet-plan.ts';

export interface GivenId {
  readonly id: string;
  readonly problem?: SheetProblem;
}

/** If ids must be generated: how many are looked up at once, at least and at most. */
const [FEWEST_TRIED, MOST_TRIED] = [64, 1_024];

/**
 * Gives rows their ids, in the order of the edit: the cell's text, unless another row has it; otherwise a new id that
 * no row has or ever had. The ids of these rows in the plan do not count: they are free.
 * @param header The header of the row ids; undefined if the sheet has no such column.
 */
export async function giveIds(
  rows: readonly EditedRow[],
  header: string | undefined,
  plan: SheetPlan,
  context: PlanContext,
): Promise<ReadonlyMap<number, GivenId>> {
  const claims = rows.map((row) => claimOf(row, header)).toSorted((a, b) => rankOf(a) - rankOf(b));
  const isReleased = new Set(rows.map(({ key }) => key));
  /** Lines of the rows that have these ids. */
  const taken = new Map<string, number>();
  const wantedIds = claims.flatMap(({ wanted }) => wanted?.folded ?? []);
  const holders = [...(await plan.keysByIds(wantedIds))].flatMap(([id, keys]) => {
    const holder = keys.find((key) => !isReleased.has(key));
    return holder === undefined ? [] : [[id, holder] as const];
  });
  await plan.load(holders.map(([, holder]) => holder));
  for (const [id, holder] of holders) taken.set(id, plan.row(holder)?.row.line ?? 0);
  const made = new MadeIds(claims.length, plan, context);
  const given = new Map<number, GivenId>();
  for (const { row, wanted } of claims) {
    const { line } = row;
    const takenBy = wanted && taken.get(wanted.folded);
    const make = (): Promise<string> => made.next((id) => taken.has(id));
    let one: GivenId;
    if (wanted === undefined) one = { id: await make() };
    // An id that is only remembered, not typed, gives way without an error.
    else if (!wanted.isTyped) one = { id: takenBy === undefined ? wanted.id : await make() };
    else {
      const found = takenBy === undefined ? checkId(wanted.id) : duplicateId(wanted.id);
      const id = found?.severity === 'error' ? await make() : wanted.id;
      one = found === undefined ? { id } : { id, problem: { ...found, line, row: id, column: 'row' } };
    }
    taken.set(foldRowId(one.id), line);
    given.set(row.key, one);
  }
  return given;
}

interface Claim {
  readonly row: EditedRow;
  readonly wanted: { readonly id: string; readonly folded: string; readonly isTyped: boolean } | undefined;
}

function claimOf(row: EditedRow, header: string | undefined): Claim {
  const cell = header === undefined ? '' : cellText(row.cells, header);
  const isTyped = !isBlank(cell);
  const typed = isTyped ? cell.trim() : row.was;
  if (typed === undefined) return { row, wanted: undefined };
  const folded = foldRowId(typed);
  // A file may write in other letters the id that the batch has for a row: the row comes back to the batch's.
  const id = row.was !== undefined && foldRowId(row.was) === folded ? row.was : typed;
  return { row, wanted: { id, folded, isTyped } };
}

/** A row that gives an id back, or did not have the one it names, comes after the row that gets the id back. */
function rankOf({ row: { before, claimsId, was }, wanted }: Claim): number {
  const lackedIt = was !== undefined && wanted !== undefined && foldRowId(was) !== wanted.folded;
  return lackedIt || (before !== undefined && claimsId === 'again') ? 1 : 0;
}

/** Ids that no row has or ever had. */
class MadeIds {
  readonly #plan: SheetPlan;
  readonly #context: PlanContext;
  readonly #atOnce: number;
  #next: number;
  #free: string[] = [];

  /** @param count How many will perhaps be needed. */
  constructor(count: number, plan: SheetPlan, context: PlanContext) {
    this.#atOnce = Math.min(Math.max(count, FEWEST_TRIED), MOST_TRIED);
    this.#plan = plan;
    this.#context = context;
    // Generated ids come from lines: this is the line after the last one.
    this.#next = context.batch.rowCount + 2;
  }

  async next(isTaken: (folded: string) => boolean): Promise<string> {
    for (;;) {
      const id = this.#free.shift();
      if (id === undefined) await this.#findFree();
      else if (!isTaken(foldRowId(id))) return id;
    }
  }

  async #findFree(): Promise<void> {
    const { sheets, batch } = this.#context;
    const first = this.#next;
    const tried = Array.from({ length: this.#atOnce }, (_, i) => `r${String(first + i).padStart(4, '0')}`);
    this.#next += this.#atOnce;
    const [taken, hidden] = await Promise.all([this.#plan.keysByIds(tried), sheets.hiddenByIds(batch.id, tried)]);
    this.#free = tried.filter((id) => !taken.has(id) && !hidden.has(id));
  }
}

/** Rows that wanted an id that is now free: they get it, and are checked again. */
export async function heirsOf(
  changedIds: ReadonlySet<string>,
  header: string,
  edited: readonly EditedRow[],
  plan: SheetPlan,
  { memory, sheets, batch }: PlanContext,
): Promise<readonly EditedRow[]> {
  const contested = (memory.contested ??= await contestedIn(sheets, batch.id));
  if (contested.size === 0) return [];
  const edits = new Map(edited.map((edit) => [edit.key, edit]));
  const held = await plan.keysByIds([...changedIds]);
  await plan.load(contested);
  return [...contested]
    .flatMap((key) => plan.row(key) ?? [])
    .filter(({ key, row, tasks }) => {
      if (whyLocked(tasks) !== undefined) return false;
      const wanted = foldRowId(cellText(row.cells, header).trim());
      return !edits.get(key)?.claimsId && changedIds.has(wanted) && !held.has(wanted);
    })
    .toSorted((a, b) => a.position - b.position)
    .map((row) => ({ ...(edits.get(row.key) ?? unedited(row)), claimsId: 'again' }));
}

async function contestedIn(sheets: PlanContext['sheets'], batchId: string): Promise<ReadonlySet<number>> {
  const problems = await sheets.problems(batchId, Number.MAX_SAFE_INTEGER);
  const isContested = ({ problem }: StoredProblem): boolean => problem.code === 'row-id-duplicate';
  return new Set(problems.filter(isContested).flatMap(({ key }) => key ?? []));
}

function unedited(before: RowPlan): EditedRow {
  const { key, row, position } = before;
  const { line, cells } = row;
  const as = {
    changed: [],
    was: undefined,
    isLocked: false,
    claimsId: false,
    rendersAgain: undefined,
    superseded: undefined,
  } as const;
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
