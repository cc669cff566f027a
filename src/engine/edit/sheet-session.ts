import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { createSheetChecker, type SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { releasedTasks } from '../../shared/domain/task/plan-tasks.ts';
import type { Clock, TaskStore } from '../ports.ts';
import type { ListItems, RowChange, SheetChange, SheetStore } from '../sheet-ports.ts';
import { changeColumns } from './change-columns.ts';
import {
  type EditByRow,
  type EditOutcome,
  joined,
  letOthers,
  partsOf,
  readPart,
  type RowEdit,
  writePart,
} from './edit-by-row.ts';
import { EditHistory } from './edit-history.ts';
import { ColumnUse, rowUse } from './plan-column-use.ts';
import { type EditPlan, planEdit } from './plan-edit.ts';
import { wouldHoldKey } from './plan-rows.ts';
import { checkAsItIs, headerOf, isError, type PlanContext, type SheetMemory } from './plan-sheet.ts';

export interface SheetSessionOptions {
  readonly store: TaskStore;
  readonly sheets: SheetStore;
  readonly clock: Clock;
  /** Finds gateway keys, which no cell may contain; a new one when the key changes. */
  readonly keyFinder: () => KeyFinder;
  /** Called after every change; `rows` are the keys of all changed rows if they changed in place. */
  readonly onChanged: (batchId: string, rows?: readonly number[]) => void;
}

const BUSY = 'The batch is changing too quickly. Pause it, then try again.';
/** How often an edit is planned again when the night was faster. */
const MOST_TRIES = 20;
const ROWS_AT_A_TIME = 500;
const PARTS_NOTED_AT_ONCE = 20;
const NO_PLAN = { remove: [], supersede: [], unsupersede: [], add: [], update: [] } as const;

/** One batch's sheet while it is edited: what can be undone, and what is known of the sheet without another look. */
export class SheetSession {
  readonly history = new EditHistory();
  /** The last edit that was begun: the next one waits for it. */
  turn: Promise<unknown> = Promise.resolve();
  lists: ListItems = {};
  readonly #batchId: string;
  readonly #options: SheetSessionOptions;
  readonly #memory: SheetMemory = { named: undefined, contested: undefined };
  #checker:
    | {
        readonly of: string;
        readonly lists: ListItems;
        readonly keyFinder: KeyFinder;
        readonly checker: SheetChecker;
      }
    | undefined;

  constructor(batchId: string, options: SheetSessionOptions) {
    this.#batchId = batchId;
    this.#options = options;
  }

  /** The batch as it is now. */
  get batch(): BatchRecord {
    const batch = this.#options.store.batch(this.#batchId);
    if (batch === undefined) throw new Error(`Unknown batch: ${this.#batchId}`);
    return batch;
  }

  /** Forgets what it knows of the sheet: others have changed it. */
  forget(): void {
    this.history.clear();
    this.#memory.named = undefined;
    this.#memory.contested = undefined;
  }

  /** Carries out an edit; the error says in words why nothing was done. */
  async apply(edit: EditByRow): Promise<Result<EditOutcome, string>> {
    if (edit.headers !== undefined || edit.sheet !== undefined) return this.checkAll(edit);
    const { state } = this.batch;
    const idHeader = headerOf(this.#context(), 'row');
    const parts = partsOf(edit, { isReady: state === 'ready', idHeader });
    return parts.length > 1 ? this.#applyParts(parts) : this.#applyRows(edit);
  }

  /** Completes an edit that an earlier run of the engine, or a failure, left half done. */
  async finish(): Promise<void> {
    const { sheets } = this.#options;
    for (let left = sheets.firstPart(this.#batchId); left !== undefined; left = sheets.firstPart(this.#batchId)) {
      // An edit noted without the mark was never begun.
      if (this.batch.sheet.isHalfEdited !== true) return sheets.clearParts(this.#batchId);
      await this.#applyPart(readPart(left.text), left.part);
      await letOthers();
    }
    if (this.batch.sheet.isHalfEdited === true) this.#markHalfEdited(false);
  }

  async #applyParts(parts: readonly (readonly RowEdit[])[]): Promise<Result<EditOutcome, string>> {
    await this.#noteParts(parts);
    this.#markHalfEdited(true);
    const outcomes: EditOutcome[] = [];
    for (const [part, rows] of parts.entries()) {
      await letOthers();
      outcomes.push(await this.#applyPart(rows, part));
    }
    this.#markHalfEdited(false);
    return ok(joined(outcomes));
  }

  async #noteParts(parts: readonly (readonly RowEdit[])[]): Promise<void> {
    const { sheets } = this.#options;
    for (let from = 0; from < parts.length; from += PARTS_NOTED_AT_ONCE) {
      const texts = parts.slice(from, from + PARTS_NOTED_AT_ONCE).map((rows, i) => {
        // What is refused because of the key must not reach the disk this way either.
        const text = writePart(rows.filter((edit) => !wouldHoldKey(edit, this.#options.keyFinder())));
        return { part: from + i, text };
      });
      sheets.noteParts(this.#batchId, texts);
      await letOthers();
    }
  }

  #markHalfEdited(isHalfEdited: boolean): void {
    const { sheets, clock } = this.#options;
    const { isHalfEdited: _, ...sheet } = this.batch.sheet;
    const marked = isHalfEdited ? { ...sheet, isHalfEdited } : sheet;
    sheets.change(this.#batchId, { sheet: marked, rows: [], at: clock.now() });
  }

  async #applyPart(rows: readonly RowEdit[], part: number): Promise<EditOutcome> {
    const outcome = await this.#applyRows({ rows }, part);
    // Only this process changes tasks, and nothing comes between reading and writing.
    if (!outcome.ok) throw new Error('Rows changed while they were being edited.');
    return outcome.value;
  }

  async #applyRows(edit: EditByRow, part?: number): Promise<Result<EditOutcome, string>> {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const plan = planEdit(edit, this.#context());
      if (plan.kind === 'no-room') this.#options.sheets.spreadPositions(this.#batchId);
      else if (plan.kind === 'names-unknown') await this.#learnNames();
      else {
        const outcome = this.#write(plan, part);
        if (outcome !== undefined) return ok(outcome);
      }
    }
    return err(BUSY);
  }

  /** Carries out an edit that requires checking every row, one part at a time; others continue in between. */
  async checkAll(edit: EditByRow): Promise<Result<EditOutcome, string>> {
    const parts = changeColumns(edit, {
      sheets: this.#options.sheets,
      batch: () => this.batch,
      contextOf: (batch, isColumnChange) => ({ ...this.#context(batch), isRecheck: true, isColumnChange }),
    });
    let part = parts.next();
    for (; part.done !== true; part = parts.next()) await letOthers();
    return part.value;
  }

  /** Makes the tasks of drafts, of all of them or of these rows, and returns their number. */
  async release(only: readonly number[] | undefined): Promise<number> {
    const { sheets, onChanged } = this.#options;
    const id = this.#batchId;
    const keys = only ?? sheets.draftKeys(id);
    let tasks = 0;
    for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
      tasks += this.#releaseSome(keys.slice(from, from + ROWS_AT_A_TIME));
      await letOthers();
    }
    if (tasks > 0) onChanged(id);
    return tasks;
  }

  #releaseSome(keys: readonly number[]): number {
    const { sheets } = this.#options;
    const context = this.#context();
    let tasks = 0;
    const rows = sheets.rowsByKeys(this.#batchId, keys).filter((row) => row.isDraft);
    const changes = rows.map((stored): RowChange => {
      const { key, row, position, problems } = stored;
      const isBlocked = problems.some(isError);
      const place = { batchId: this.#batchId, now: context.now };
      const add = releasedTasks({ row, position, isBlocked }, stored.tasks, place);
      tasks += add.length;
      const { unusedCells: unused } = checkAsItIs(row, context);
      const request = isBlocked || row.skip ? undefined : context.checker.requestKey(row);
      const content = { row, position, problems, isDraft: false, request, unused };
      return { kind: 'update', key, content, tasks: { ...NO_PLAN, add } };
    });
    const outcome = sheets.change(this.#batchId, { rows: changes, at: context.now });
    // Nothing comes between reading and writing, and no task is named that could have changed.
    if (outcome.kind === 'stale') throw new Error('Drafts cannot be run: their rows have changed.');
    return tasks;
  }

  /** Undefined if a task has changed since the plan was made. */
  #write(plan: EditPlan, part: number | undefined): EditOutcome | undefined {
    const { changedRows, changedCells, refused, change } = plan;
    const isNothing = change.rows.length === 0 && change.sheetProblems === undefined;
    const nothing = { changedRows: 0, changedCells: 0, refused, inserted: [], changed: [], inverse: undefined };
    if (isNothing && part === undefined) return nothing;
    const outcome = this.#options.sheets.change(this.#batchId, part === undefined ? change : { ...change, part });
    if (outcome.kind === 'stale') return undefined;
    if (isNothing) return nothing;
    plan.remember();
    const rows = plan.takeBack(outcome.inserted);
    const { inserted } = outcome;
    return { changedRows, changedCells, refused, inserted, changed: changedInPlace(change), inverse: { rows } };
  }

  /** Counts how many rows name which column, one part at a time. */
  async #learnNames(): Promise<void> {
    const { sheets } = this.#options;
    const context = this.#context();
    const use = new ColumnUse();
    const keys = sheets.keysInView(this.#batchId, {}, 0, context.batch.rowCount);
    for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
      const rows = sheets.rowsByKeys(this.#batchId, keys.slice(from, from + ROWS_AT_A_TIME));
      for (const { key, position, row } of rows) use.add(rowUse(key, position, checkAsItIs(row, context)));
      await letOthers();
    }
    this.#memory.named = use.named;
  }

  #context(batch = this.batch): PlanContext {
    const { store, sheets, clock, keyFinder } = this.#options;
    return {
      batch,
      checker: this.#checkerOf(batch),
      sheets,
      task: (id) => store.task(id),
      now: clock.now(),
      keyFinder: keyFinder(),
      memory: this.#memory,
      isRecheck: false,
      isColumnChange: false,
    };
  }

  /** Rebuilt when anything that it is made of has changed. */
  #checkerOf({ headers, sheet, settings }: BatchRecord): SheetChecker {
    const { mapping, variables, defaultOperation } = sheet;
    const keyFinder = this.#options.keyFinder();
    const { lists } = this;
    const { prices } = settings.profile;
    const of = JSON.stringify([headers, mapping, variables, defaultOperation, prices]);
    const known = this.#checker;
    if (known?.of === of && known.lists === lists && known.keyFinder === keyFinder) return known.checker;
    const checker = createSheetChecker(headers, {
      mapping,
      variables,
      lists,
      prices,
      ...(defaultOperation === undefined ? {} : { defaultOperation }),
      keyFinder,
    });
    this.#checker = { of, lists, keyFinder, checker };
    return checker;
  }
}

/** The keys of the changed rows if none was added, removed or moved; else undefined. */
function changedInPlace({ sheet, rows }: SheetChange): readonly number[] | undefined {
  const keys = rows.flatMap((row) => (row.kind === 'update' || row.kind === 'problems' ? row.key : []));
  return sheet === undefined && keys.length === rows.length ? keys : undefined;
}
