import type { CheckedRow } from '../../shared/domain/sheet/check-row.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { paidTasks, type PlannedTasks, planRemoval, planTasks } from '../../shared/domain/task/plan-tasks.ts';
import { whyLocked } from '../../shared/domain/task/row-status.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import { encodeRequestBody } from '../request-body.ts';
import type { RowChange, RowContent, SheetStore, StoredRow } from '../sheet-ports.ts';
import { cellText, type RowEdit, type Superseded } from './edit-by-row.ts';
import type { CheckedRows } from './plan-row-checks.ts';
import type { RowPlans } from './plan-rows.ts';
import {
  checkAsItIs,
  type EditedRow,
  isBlockedRow,
  isError,
  type PlanContext,
  type RowPlan,
  type SheetPlan,
} from './plan-sheet.ts';

/** Turns a fully checked sheet into changes of the store, and into the edits that undo them. */
export class ChangeWriter {
  readonly #plan: SheetPlan;
  readonly #checked: ReadonlyMap<number, CheckedRow>;
  readonly #rowPlans: RowPlans & Pick<CheckedRows, 'heirs'>;
  readonly #context: PlanContext;
  readonly #edits: ReadonlyMap<number, EditedRow>;
  readonly #superseded = new Map<number, Superseded>();
  /** Earlier paid takes that match the rows' new contents, by key. */
  #paid: ReadonlyMap<number, readonly Task[]> = new Map();
  /** Keys of the new rows, in the order of their changes. */
  readonly #inserted: number[] = [];
  /** The row that each moved or removed row stood behind. */
  readonly #anchors = new Map<number, number | 'start'>();

  constructor(
    plan: SheetPlan,
    checked: ReadonlyMap<number, CheckedRow>,
    rowPlans: RowPlans & Pick<CheckedRows, 'heirs'>,
    context: PlanContext,
  ) {
    this.#plan = plan;
    this.#checked = checked;
    this.#rowPlans = rowPlans;
    this.#context = context;
    this.#edits = new Map(rowPlans.edited.map((edit) => [edit.key, edit]));
    const leaving = [...rowPlans.removed, ...rowPlans.moved.map(({ row }) => row)];
    for (const { key } of leaving) {
      this.#anchors.set(key, context.sheets.neighboursOf(context.batch.id, key).before?.key ?? 'start');
    }
  }

  /** The changes of rows, removals first. Called once. */
  write(): readonly RowChange[] {
    const removals = this.#rowPlans.removed.map(({ key, row, tasks }): RowChange => {
      const removal = planRemoval(tasks);
      this.#noteSuperseded({ key, row }, removal.supersede, tasks);
      return { kind: 'remove', key, tasks: removal };
    });
    const changed = this.#plan.changed().toSorted((a, b) => a.position - b.position);
    const { sheets, batch } = this.#context;
    this.#paid = paidBefore(
      sheets,
      batch,
      changed.filter(({ key }) => key >= 0),
    );
    return [...removals, ...changed.flatMap((row) => this.#changesOf(row))];
  }

  #changesOf(row: RowPlan): readonly RowChange[] {
    const { key, position } = row;
    const stored = this.#plan.stored(key);
    if (stored === undefined) return [this.#insertionOf(row)];
    const problems = problemsOf(row);
    if (this.#isContentSame(row, stored)) {
      const isMoved = stored.position !== position;
      return [
        ...(isMoved ? [{ kind: 'move', key, position } as const] : []),
        ...(areSame(problems, stored.problems) ? [] : [{ kind: 'problems', key, problems } as const]),
      ];
    }
    const before = { row: stored.row, position: stored.position, isBlocked: stored.problems.some(isError) };
    const planned = this.#tasksOf(before, row, stored.tasks);
    this.#noteSuperseded(stored, planned.tasks.supersede, stored.tasks);
    return [{ kind: 'update', key, content: this.#contentOf(row, problems, planned), tasks: planned.tasks }];
  }

  #isContentSame(row: RowPlan, stored: StoredRow): boolean {
    const edit = this.#edits.get(row.key);
    // A row in flight stays as it was when sent, whatever happens to the rows that it refers to.
    if (edit === undefined && whyLocked(stored.tasks) !== undefined) return true;
    if (edit?.superseded !== undefined || (this.#context.isColumnChange && this.#checked.has(row.key))) return false;
    if (stored.problems.some(isError) !== isBlockedRow(row)) return false;
    if (edit !== undefined && edit.changed.length > 0) return false;
    return JSON.stringify(stored.row) === JSON.stringify(row.row);
  }

  #insertionOf(row: RowPlan): RowChange {
    const { key } = row;
    const planned = this.#tasksOf(undefined, row, []);
    const content = this.#contentOf(row, problemsOf(row), planned);
    const { sheets, batch } = this.#context;
    const was = this.#edits.get(key)?.was;
    const folded = foldRowId(was ?? row.row.id);
    if (key >= 0 && sheets.hiddenByIds(batch.id, [folded]).get(folded) === key) {
      return { kind: 'restore', key, content, tasks: planned.tasks };
    }
    this.#inserted.push(key);
    return { kind: 'insert', ...(key < 0 ? {} : { key }), content, add: planned.tasks.add };
  }

  #tasksOf(before: Parameters<typeof planTasks>[0], row: RowPlan, tasks: readonly Task[]): PlannedTasks {
    const { batch, now, checker, task } = this.#context;
    const superseded = this.#edits.get(row.key)?.superseded;
    const isThat = superseded !== undefined && superseded.request === checker.requestKey(row.row);
    const revive = isThat ? superseded.tasks.flatMap(({ id }) => task(id) ?? []).filter(isSuperseded) : [];
    const after = { row: row.row, position: row.position, isBlocked: isBlockedRow(row) };
    return planTasks(before, after, tasks, {
      batchId: batch.id,
      batchState: batch.state,
      now,
      revive,
      paid: this.#paid.get(row.key) ?? [],
    });
  }

  #contentOf(row: RowPlan, problems: readonly SheetProblem[], { isDraft }: PlannedTasks): RowContent {
    const unused = row.unused ?? (row.row.skip ? [] : checkAsItIs(row.row, this.#context).unusedCells);
    return { row: row.row, position: row.position, problems, isDraft, request: this.#plan.requestOf(row), unused };
  }

  #noteSuperseded(
    { key, row }: Pick<StoredRow, 'key' | 'row'>,
    tasks: readonly Pick<Task, 'id'>[],
    all: readonly Task[],
  ): void {
    if (tasks.length === 0) return;
    const ids = new Set(tasks.map(({ id }) => id));
    const noted = all.filter(({ id }) => ids.has(id)).map(({ id, take }) => ({ id, take }));
    this.#superseded.set(key, { request: this.#context.checker.requestKey(row), tasks: noted });
  }

  /** @param inserted The keys that the store gave to new rows, in the order of their changes. */
  takeBack(inserted: readonly number[]): readonly RowEdit[] {
    const given = new Map(this.#inserted.map((key, at) => [key, inserted[at] ?? key]));
    const { edited, removed, moved, heirs } = this.#rowPlans;
    const isRemoved = new Set(removed.map(({ key }) => key));
    const gone = [...removed, ...moved.map(({ row }) => row)].toSorted((a, b) => a.position - b.position);
    return [
      ...edited.flatMap((edit) => this.#takeBackEdit(edit, given) ?? []),
      ...gone.map((row) => this.#putBack(row, isRemoved.has(row.key))),
      ...heirs.map(({ key, row }): RowEdit => ({
        kind: 'cells',
        key,
        cells: NO_CELLS,
        id: row.id,
        reclaimsId: true,
        ...this.#supersededOf(key),
      })),
    ];
  }

  #takeBackEdit({ key, before, changed }: EditedRow, given: ReadonlyMap<number, number>): RowEdit | undefined {
    if (before === undefined) return { kind: 'remove', key: given.get(key) ?? key };
    if (changed.length === 0 && !this.#superseded.has(key)) return undefined;
    const cells = new Map(changed.map((header) => [header, cellText(before.row.cells, header)]));
    return { kind: 'cells', key, cells, id: before.row.id, ...this.#supersededOf(key) };
  }

  #putBack({ key, position, row: { id, cells } }: RowPlan, isRemoved: boolean): RowEdit {
    const after = this.#anchors.get(key) ?? 'start';
    if (!isRemoved) return { kind: 'move', key, after, position };
    return { kind: 'insert', key, after, position, cells, was: { key, id }, ...this.#supersededOf(key) };
  }

  #supersededOf(key: number): { readonly superseded?: Superseded } {
    const superseded = this.#superseded.get(key);
    return superseded === undefined ? {} : { superseded };
  }
}

function isSuperseded(task: Task): boolean {
  return task.superseded === true;
}

const NO_CELLS: ReadonlyMap<string, string> = new Map();

/** The problems of a row as stored: errors before warnings, under the row's present id. */
function problemsOf({ own, cross, row: { id } }: RowPlan): readonly SheetProblem[] {
  const all = [...own, ...cross].map((problem) => (problem.row === id ? problem : { ...problem, row: id }));
  return [...all.filter(isError), ...all.filter((problem) => !isError(problem))];
}

function areSame(a: readonly SheetProblem[], b: readonly SheetProblem[]): boolean {
  return a.length === b.length && JSON.stringify(a) === JSON.stringify(b);
}

const ROWS_AT_A_TIME = 500;

/** A row's new state, under its key. */
export interface KeyedRow {
  readonly key: number;
  readonly row: Row;
}

/** The superseded tasks of rows that were paid for exactly what these ask for, by key; see `paidTasks`. */
export function paidBefore(
  sheets: Pick<SheetStore, 'earlierTasks'>,
  batch: BatchRecord,
  rows: readonly KeyedRow[],
): ReadonlyMap<number, readonly Task[]> {
  const { id, settings } = batch;
  const found = new Map<number, readonly Task[]>();
  for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) {
    const some = rows.slice(from, from + ROWS_AT_A_TIME);
    const earlier = sheets.earlierTasks(
      id,
      some.map(({ key }) => key),
    );
    for (const { key, row } of some) {
      const own = earlier.get(key);
      if (own === undefined) continue;
      const stored = new TextEncoder().encode(JSON.stringify(row.body));
      const paid = paidTasks(row, encodeRequestBody(settings.profile, stored), own);
      if (paid.length > 0) found.set(key, paid);
    }
  }
  return found;
}
