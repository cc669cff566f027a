/** The plan of an edit: every row that changes, with its checks and tasks, and the edit that undoes it. */
import { present } from '../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import { cellText, requestText } from '../../shared/domain/sheet/row.ts';
import { type RowEdits, withCellEdits } from '../../shared/domain/cells/row-edits.ts';
import { foldRowId } from '../../shared/domain/sheet/sheet-row-ids.ts';
import {
  isLinked,
  type EarlierTask,
  lackingTasks,
  paidTasks,
  type PlanOptions,
  type PlannedTasks,
  planRemoval,
  planTasks,
  type TaskPlan,
} from '../../shared/domain/task/plan-tasks.ts';
import { accountNamed } from '../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { whyLocked } from '../../shared/domain/task/row-status.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import { bodyBytes, encodeRequestBody } from '../request-body.ts';
import type { RowChange, RowContent, RowNeighbours, SheetChange, SheetStore, StoredRow } from '../ports/sheet-store.ts';
import { type ChangedUse, checkColumnUse, type RowUse } from './column-use.ts';
import { checkDuplicates, checkReferences, requestNumber } from './cross-checks.ts';
import { type EditOutcome, isAnew, type Lacked, type RowEdit, type Superseded } from './edit-by-row.ts';
import { type PlannedRows, planRows } from './plan-rows.ts';
import { contestedAfter } from './row-ids.ts';
import {
  checkAsItIs,
  type EditedRow,
  isBlockedRow,
  isError,
  type PlanContext,
  type RowPlan,
  SheetPlan,
} from './sheet-plan.ts';

export type PlanOutcome =
  | { readonly kind: 'planned'; readonly plan: EditPlan }
  /** Two rows have no room left between their positions. */
  | { readonly kind: 'no-room' }
  /** The plan first needs to know how many rows name each column. */
  | { readonly kind: 'names-unknown' };

/** Plans an edit on the stored sheet. Nothing is written. */
export async function planEdit(edits: readonly RowEdit[], context: PlanContext): Promise<PlanOutcome> {
  const { batch, sheets, memory, isRecheck } = context;
  const sheet = new SheetPlan(sheets, batch.id);
  const rows = await planRows(edits, sheet, context);
  if (rows === undefined) return { kind: 'no-room' };
  await checkReferences(sheet, rows.changedIds, context.checker);
  let use: ChangedUse | undefined;
  if (!isRecheck && changesUse(sheet, context)) {
    if (memory.named === undefined) return { kind: 'names-unknown' };
    use = await checkColumnUse(sheet, memory.named, context);
  }
  await checkDuplicates(sheet, context);
  const past = await readPast(sheet, rows, context);
  return { kind: 'planned', plan: new EditPlan({ sheet, rows, use, past, context }) };
}

/** What the store knows about the rows of a plan besides their present state. */
interface Past {
  /** Their superseded tasks, by key. */
  readonly earlier: ReadonlyMap<number, readonly EarlierTask[]>;
  /** Earlier paid takes that match the rows' new contents, by key. */
  readonly paid: ReadonlyMap<number, readonly Task[]>;
  /** Superseded tasks of rows that again ask for what they asked for then, by key. */
  readonly revived: ReadonlyMap<number, Revived>;
  /** Keys of removed, hidden rows by their folded ids. */
  readonly hidden: ReadonlyMap<string, readonly number[]>;
  /** The rows beside those that leave their place. */
  readonly beside: ReadonlyMap<number, RowNeighbours>;
}

/** Superseded tasks that count again, and the takes that were lacking beside them. */
interface Revived {
  readonly tasks: readonly Task[];
  readonly lacked: Lacked | undefined;
}

async function readPast(
  sheet: SheetPlan,
  { edited, removed, moved }: PlannedRows,
  { sheets, batch, checker, task }: PlanContext,
): Promise<Past> {
  const changed = sheet.changed().filter(({ key }) => key >= 0);
  const returning = edited.flatMap(({ key, before, was }) =>
    key >= 0 && before === undefined ? foldRowId(was ?? sheet.row(key)?.row.id ?? '') : [],
  );
  const leaving = [...removed, ...moved].map(({ key }) => key);
  const revive = async ({ key, superseded }: EditedRow): Promise<readonly [number, Revived]> => {
    const row = sheet.row(key)?.row;
    const isThat = row !== undefined && superseded?.request === checker.requestKey(row);
    const tasks = await Promise.all(isThat ? superseded.tasks.map(({ id }) => task(id)) : []);
    const lacked = isThat ? superseded.lacked : undefined;
    return [key, { tasks: tasks.flatMap((one) => (one?.superseded === true ? [one] : [])), lacked }];
  };
  const rows = [...changed, ...removed].map(({ key }) => key);
  const [earlier, revived, hidden, beside] = await Promise.all([
    earlierOf(sheets, batch.id, rows),
    Promise.all(edited.filter(({ superseded }) => superseded !== undefined).map(revive)),
    returning.length === 0 ? new Map<string, readonly number[]>() : sheets.hiddenByIds(batch.id, returning),
    leaving.length === 0 ? new Map<number, RowNeighbours>() : sheets.neighboursOf(batch.id, leaving),
  ]);
  return { earlier, paid: paidIn(batch, changed, earlier), revived: new Map(revived), hidden, beside };
}

/** Whether an edit changes how rows use columns that their operations do not need. */
function changesUse(sheet: SheetPlan, context: PlanContext): boolean {
  const before = (key: number): RowUse['checked'] | undefined => {
    const stored = sheet.stored(key);
    return stored && checkAsItIs(stored.row, context);
  };
  return (
    sheet.changed().some(({ key, checked }) => checked !== undefined && !isSameUse(before(key), checked)) ||
    [...sheet.removed].some((key) => !isSameUse(before(key), undefined))
  );
}

type Use = RowUse['checked'] | undefined;

/**
 * Whether a row asks for the same, and only the ids that it refers to are written in other letters: those of its takes
 * that are to come look for the rows by them.
 */
function isSpelledAnew(row: RowPlan, stored: StoredRow): boolean {
  if (isBlockedRow(row) || JSON.stringify(row.row.links) === JSON.stringify(stored.row.links)) return false;
  return requestText(row.row) === requestText(stored.row);
}

function isSameUse(a: Use, b: Use): boolean {
  const [unused, named] = [a?.unusedCells ?? [], a?.namedCells ?? []];
  const isSame = (one: readonly number[], other: readonly number[] = []): boolean =>
    one.length === other.length && one.every((index, at) => other[at] === index);
  const isOperationSame = unused.length === 0 || a?.row.operation === b?.row.operation;
  return isOperationSame && isSame(unused, b?.unusedCells) && isSame(named, b?.namedCells);
}

interface PlannedParts {
  readonly sheet: SheetPlan;
  readonly rows: PlannedRows;
  readonly use: ChangedUse | undefined;
  readonly past: Past;
  readonly context: PlanContext;
}

/** An edit that is ready to commit. */
export class EditPlan {
  /** What is committed, removals first. */
  readonly change: SheetChange;
  readonly #sheet: SheetPlan;
  readonly #rows: PlannedRows;
  readonly #use: ChangedUse | undefined;
  readonly #context: PlanContext;
  readonly #edits: ReadonlyMap<number, EditedRow>;
  readonly #past: Past;
  readonly #superseded = new Map<number, Superseded>();
  /** Keys of the new rows, in the order of their changes. */
  readonly #inserted: number[] = [];

  constructor({ sheet, rows, use, past, context }: PlannedParts) {
    this.#sheet = sheet;
    this.#rows = rows;
    this.#use = use;
    this.#past = past;
    this.#context = context;
    this.#edits = new Map(rows.edited.map((edit) => [edit.key, edit]));
    const { batch, now } = context;
    const removals = rows.removed.map((row): RowChange => {
      const removal = planRemoval(row.tasks);
      this.#noteBefore(row, isBlockedRow(row), removal);
      return { kind: 'remove', key: row.key, tasks: removal };
    });
    const changed = sheet.changed().toSorted((a, b) => a.position - b.position);
    const isRenumbered = rows.isRenumbered && !batch.sheet.isRenumbered;
    this.change = {
      ...(isRenumbered ? { sheet: { ...batch.sheet, isRenumbered } } : {}),
      ...(use === undefined ? {} : { sheetProblems: use.sheetProblems }),
      rows: [...removals, ...changed.flatMap((row) => this.#changesOf(row))],
      plannedIn: batch.state,
      at: now,
    };
  }

  /** True if there is nothing to write. */
  get isNothing(): boolean {
    return this.change.rows.length === 0 && this.change.sheetProblems === undefined;
  }

  /** How the rows that were checked use columns that their operations do not need. */
  get uses(): readonly RowUse[] {
    return this.#sheet
      .changed()
      .flatMap(({ key, position, checked }) => (checked === undefined ? [] : [{ key, position, checked }]));
  }

  /**
   * What it did, once it is written.
   * @param inserted The keys that the store gave to new rows, in the order of the change.
   */
  outcome(inserted: readonly number[]): EditOutcome {
    const { edited, removed, moved, refused } = this.#rows;
    if (this.isNothing)
      return { changedRows: 0, changedCells: 0, refused, inserted: [], changed: [], inverse: undefined };
    const { memory } = this.#context;
    if (this.#use !== undefined) memory.named = this.#use.named;
    if (memory.contested !== undefined) memory.contested = contestedAfter(memory.contested, this.#sheet);
    return {
      changedRows: edited.length + removed.length + moved.length,
      changedCells: edited.reduce((sum, { changed }) => sum + changed.length, 0),
      refused,
      inserted,
      changed: changedInPlace(this.change),
      inverse: { rows: this.#inverse(inserted) },
    };
  }

  #changesOf(row: RowPlan): readonly RowChange[] {
    const { key, position } = row;
    const stored = this.#sheet.stored(key);
    if (stored === undefined) return [this.#insertionOf(row)];
    const problems = problemsOf(row);
    if (this.#isContentSame(row, stored)) {
      const isMoved = stored.position !== position;
      const isSame = JSON.stringify(problems) === JSON.stringify(stored.problems);
      return [
        ...(isMoved ? [{ kind: 'move', key, position } as const] : []),
        ...(isSame ? [] : [{ kind: 'problems', key, problems } as const]),
      ];
    }
    const planned = this.#tasksOf(stored, row);
    this.#noteBefore(stored, stored.problems.some(isError), planned.tasks);
    return [{ kind: 'update', key, content: this.#contentOf(row, problems, planned), tasks: planned.tasks }];
  }

  #isContentSame(row: RowPlan, stored: StoredRow): boolean {
    const edit = this.#edits.get(row.key);
    // A row in flight stays as it was when it was sent, whatever happens to the rows that it refers to.
    if (edit === undefined && whyLocked(stored.tasks) !== undefined) return !isSpelledAnew(row, stored);
    if (edit?.superseded !== undefined || edit?.rendersAgain === true) return false;
    if (this.#context.isColumnChange && row.checked !== undefined) return false;
    if (stored.problems.some(isError) !== isBlockedRow(row)) return false;
    if (edit !== undefined && edit.changed.length > 0) return false;
    return JSON.stringify(stored.row) === JSON.stringify(row.row);
  }

  #insertionOf(row: RowPlan): RowChange {
    const { key } = row;
    const planned = this.#tasksOf(undefined, row);
    const content = this.#contentOf(row, problemsOf(row), planned);
    const folded = foldRowId(this.#edits.get(key)?.was ?? row.row.id);
    if (key >= 0 && this.#past.hidden.get(folded)?.includes(key) === true) {
      return { kind: 'restore', key, content, tasks: planned.tasks };
    }
    this.#inserted.push(key);
    return { kind: 'insert', ...(key < 0 ? {} : { key }), content, add: planned.tasks.add };
  }

  #tasksOf(stored: StoredRow | undefined, row: RowPlan): PlannedTasks {
    const { batch, now } = this.#context;
    const before = stored && {
      row: stored.row,
      position: stored.position,
      isBlocked: stored.problems.some(isError),
    };
    const after = { row: row.row, position: row.position, isBlocked: isBlockedRow(row) };
    const revived = this.#past.revived.get(row.key);
    return planTasks(before, after, stored?.tasks ?? [], {
      batchId: batch.id,
      batchState: batch.state,
      now,
      ...present({ again: againIn(this.#edits.get(row.key)) }),
      revive: revived?.tasks ?? [],
      ...present({ lacked: this.#lackedOf(row.key, stored?.tasks ?? []) }),
      paid: this.#past.paid.get(row.key) ?? [],
    });
  }

  /**
   * What a row lacked before the edit that is undone. What waited then waits again, unless another task of the row was
   * sent since, or the user has let the batch run on other terms.
   */
  #lackedOf(key: number, tasks: readonly Task[]): PlanOptions['lacked'] {
    const lacked = this.#past.revived.get(key)?.lacked;
    if (lacked === undefined) return undefined;
    const { takes, newest, agreed } = lacked;
    const all = [...tasks, ...(this.#past.earlier.get(key) ?? []).map(({ task }) => task)];
    const isLetRun =
      agreed?.terms === termsOf(this.#context.batch) &&
      all.every(({ id, status }) => id <= newest || status === 'queued');
    return { takes, newest, ...(isLetRun ? { agreed: agreed.takes } : {}) };
  }

  #contentOf(row: RowPlan, problems: readonly SheetProblem[], { isDraft }: PlannedTasks): RowContent {
    const { unusedCells } = row.checked ?? (row.row.skip ? NO_USE : checkAsItIs(row.row, this.#context));
    const request = requestNumber(row, this.#context.checker);
    const edits = present({ edits: this.#editsOf(row) });
    return { row: row.row, position: row.position, problems, isDraft, request, unused: unusedCells, ...edits };
  }

  /** What is kept of a row's edits from now on. */
  #editsOf({ key }: RowPlan): RowEdits | undefined {
    const { now: at, keyFinder } = this.#context;
    const edit = this.#edits.get(key);
    const stored = this.#sheet.stored(key);
    if (stored === undefined) return edit?.was === undefined ? { addedAt: at, earlier: [] } : edit.edits;
    const { changed: headers = [] } = edit ?? {};
    const hide = (text: string): string => keyFinder.hide(text);
    return withCellEdits(stored.edits, { at, before: stored.row.cells, headers, hide });
  }

  /**
   * Notes what undoing the edit brings back: the tasks that the edit supersedes, and what a row lacked or was waiting
   * for.
   */
  #noteBefore(
    { key, row, position, isDraft, tasks: all }: Pick<RowPlan, 'key' | 'row' | 'position' | 'isDraft' | 'tasks'>,
    isBlocked: boolean,
    { remove, supersede, add }: Pick<TaskPlan, 'remove' | 'supersede' | 'add'>,
  ): void {
    const ids = new Set(supersede.map(({ id }) => id));
    // The edit has ended a waiting task: it would come back cancelled, and a new one waits in its place.
    const tasks = all
      .filter(({ id, status }) => ids.has(id) && status !== 'queued')
      .map(({ id, take }) => ({ id, take }));
    const { batch, checker, now } = this.#context;
    const own = { row, position, isBlocked };
    const lacking = isDraft ? lackingTasks(own, all, { batchId: batch.id, now }) : [];
    const gone = new Set([...remove, ...supersede].map(({ id }) => id));
    const waits = all.filter(({ id, status }) => status === 'queued' && gone.has(id));
    const first = waits.filter(({ madeAgain }) => madeAgain === undefined);
    // If a task waits because of a gate, the flagged one comes back in its place, and the gate counts on from it; of a
    // row that refers to others, none comes back by itself (see `paidTasks`).
    const again = isLinked(row) ? waits.filter(({ madeAgain }) => madeAgain !== undefined) : [];
    // Before a batch starts, nothing of it was paid for that could come instead.
    const waiting = batch.state === 'ready' ? [] : [...first, ...again];
    const takes = [...lacking, ...waiting].map(({ take }) => take);
    // Undoing it sets nothing aside that was there beside it.
    const isWish = this.#edits.get(key)?.rendersAgain === true;
    if (tasks.length === 0 && takes.length === 0 && !isWish) return;
    const request = checker.requestKey(row);
    // A later task may get the number of one that goes. No clock can tell what was paid for since: it may be set back.
    const earlier = (this.#past.earlier.get(key) ?? []).map(({ task }) => task);
    const there = [...earlier, ...all.filter(({ id }) => !remove.some((one) => one.id === id))];
    const newest = Math.max(0, ...there.map(({ id }) => id));
    // What waits in place of others is let run by the same word as they were.
    const letRun = waiting.slice(add.length).map(({ take, madeAgain }) => ({ take, ...present({ madeAgain }) }));
    const agreed = letRun.length === 0 ? {} : { agreed: { takes: letRun, terms: termsOf(batch) } };
    const lacked = takes.length === 0 && !isWish ? {} : { lacked: { takes, newest, ...agreed } };
    this.#superseded.set(key, { request, tasks, ...lacked });
  }

  /** The row edits that undo this edit. */
  #inverse(inserted: readonly number[]): readonly RowEdit[] {
    const given = new Map(this.#inserted.map((key, at) => [key, inserted[at] ?? key]));
    const { edited, removed, moved, heirs } = this.#rows;
    const isRemoved = new Set(removed.map(({ key }) => key));
    const gone = [...removed, ...moved].toSorted((a, b) => a.position - b.position);
    return [
      ...edited.flatMap((edit) => this.#takeBack(edit, given) ?? []),
      ...gone.map((row) => this.#putBack(row, isRemoved.has(row.key))),
      ...heirs.map(({ key, row: { id } }): RowEdit => {
        return { kind: 'cells', key, cells: new Map(), id, reclaimsId: true, ...this.#supersededOf(key) };
      }),
      ...this.#waitAgain(new Set([...edited, ...gone, ...heirs].map(({ key }) => key))),
    ];
  }

  /**
   * Rows that nobody edited, but that waited for edited ones: undoing those lets them wait again, or brings back how
   * their takes had ended.
   */
  #waitAgain(own: ReadonlySet<number>): readonly RowEdit[] {
    return [...this.#superseded].flatMap(([key, superseded]): RowEdit | [] => {
      const isMore = superseded.lacked?.agreed !== undefined || superseded.tasks.length > 0;
      return isMore && !own.has(key) ? { kind: 'cells', key, cells: new Map(), waitsAgain: true, superseded } : [];
    });
  }

  #takeBack(edit: EditedRow, given: ReadonlyMap<number, number>): RowEdit | undefined {
    const { key, before, changed, rendersAgain } = edit;
    if (before === undefined) return { kind: 'remove', key: given.get(key) ?? key };
    if (rendersAgain) return { kind: 'cells', key, cells: new Map(), rendersAgain, ...this.#supersededOf(key) };
    if (changed.length === 0 && !this.#superseded.has(key)) return undefined;
    const cells = new Map(changed.map((header) => [header, cellText(before.row.cells, header)]));
    return { kind: 'cells', key, cells, id: before.row.id, ...this.#supersededOf(key) };
  }

  #putBack({ key, position, row: { id, cells } }: RowPlan, isRemoved: boolean): RowEdit {
    const after = this.#past.beside.get(key)?.before?.key ?? 'start';
    if (!isRemoved) return { kind: 'move', key, after, position };
    const was = { key, id, ...present({ edits: this.#sheet.stored(key)?.edits }) };
    return { kind: 'insert', key, after, position, cells, was, ...this.#supersededOf(key) };
  }

  #supersededOf(key: number): { readonly superseded?: Superseded } {
    const superseded = this.#superseded.get(key);
    return superseded === undefined ? {} : { superseded };
  }
}

/** What the user has agreed to in letting a batch run: which run it is, and its limits. */
function termsOf({ state, runStartedAt, settings: { maxSubmits, maxCost } }: BatchRecord): string {
  return JSON.stringify([state === 'finished', runStartedAt, maxSubmits, maxCost]);
}

const NO_USE = { unusedCells: [] };

/** Whether an edit has its row rendered again, or takes that back. */
function againIn(edit: EditedRow | undefined): PlanOptions['again'] {
  if (edit?.rendersAgain !== true) return undefined;
  return isAnew(edit.superseded) ? 'anew' : 'back';
}

/** The problems of a row as stored: errors before warnings, under the row's present id. */
function problemsOf({ own, cross, row: { id } }: RowPlan): readonly SheetProblem[] {
  const all = [...own, ...cross].map((problem) => (problem.row === id ? problem : { ...problem, row: id }));
  return [...all.filter(isError), ...all.filter((problem) => !isError(problem))];
}

/** The keys of the changed rows if none was added, removed or moved; else undefined. */
function changedInPlace({ sheet, rows }: SheetChange): readonly number[] | undefined {
  const keys = rows.flatMap((row) => (row.kind === 'update' || row.kind === 'problems' ? row.key : []));
  return sheet === undefined && keys.length === rows.length ? keys : undefined;
}

const ROWS_AT_A_TIME = 500;

/** The superseded tasks of rows that were paid for exactly what these ask for, by key; see `paidTasks`. */
export async function paidBefore(
  sheets: Pick<SheetStore, 'earlierTasks'>,
  batch: BatchRecord,
  rows: readonly Pick<StoredRow, 'key' | 'row'>[],
): Promise<ReadonlyMap<number, readonly Task[]>> {
  const keys = rows.map(({ key }) => key);
  return paidIn(batch, rows, await earlierOf(sheets, batch.id, keys));
}

async function earlierOf(
  sheets: Pick<SheetStore, 'earlierTasks'>,
  batchId: string,
  keys: readonly number[],
): Promise<Past['earlier']> {
  const found = new Map<number, readonly EarlierTask[]>();
  for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
    const some = await sheets.earlierTasks(batchId, keys.slice(from, from + ROWS_AT_A_TIME));
    for (const [key, tasks] of some) found.set(key, tasks);
  }
  return found;
}

function paidIn(
  { settings }: BatchRecord,
  rows: readonly Pick<StoredRow, 'key' | 'row'>[],
  earlier: Past['earlier'],
): Past['paid'] {
  const found = new Map<number, readonly Task[]>();
  for (const { key, row } of rows) {
    const own = earlier.get(key);
    const bodyAt = ({ account }: Task): Uint8Array =>
      encodeRequestBody(accountNamed(settings, account).profile, bodyBytes(row));
    if (own !== undefined) found.set(key, paidTasks(row, bodyAt, own));
  }
  return found;
}
