import type { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import { err, ok, present, type Result } from '../../shared/domain/base/result.ts';
import { ignoring, kindText } from '../../shared/domain/sheet/problems.ts';
import { createSheetChecker, type SheetChecker } from '../../shared/domain/sheet/sheet-checker.ts';
import { accountsOf } from '../../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { releasedTasks } from '../../shared/domain/task/plan-tasks.ts';
import type { EditResult } from '../../shared/ipc/editing.ts';
import type { Clock, WorkWatch } from '../ports/base.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { ListItems, NotedPart, RowChange, SheetStore } from '../ports/sheet-store.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import { changeColumns } from './change-columns.ts';
import { countNamed } from './column-use.ts';
import { requestNumber } from './cross-checks.ts';
import type { EditByRow, EditOutcome, EditStep, RowEdit } from './edit-by-row.ts';
import {
  cutParts,
  givesIds,
  joined,
  letOthers,
  partsOf,
  type QueueHolder,
  readPart,
  ROWS_IN_PART,
  untilWritten,
  writePart,
} from './edit-parts.ts';
import { type EditPlan, planEdit } from './plan-edit.ts';
import { wouldHoldKey } from './plan-rows.ts';
import { checkAsItIs, headerOf, isError, type PlanContext, type SheetMemory } from './sheet-plan.ts';

/** `rows`: the keys of all changed rows, if no row was added, removed or moved. */
interface SheetChanged {
  readonly kind: 'sheet';
  readonly batchId: string;
  readonly rows: readonly number[] | undefined;
}

export interface SheetSessionOptions {
  readonly store: TaskStore;
  readonly sheets: SheetStore;
  readonly clock: Clock;
  /** Finds gateway keys, which no cell may contain; a new one when a key changes. */
  readonly keys: { readonly finder: KeyFinder };
  readonly night: QueueHolder['night'] & { sheetChanged(batchId: string): Promise<void> };
  readonly changes: { tell(change: SheetChanged): void };
}

const ROWS_AT_A_TIME = 500;
const PARTS_NOTED_AT_ONCE = 20;
const NO_PLAN = { remove: [], supersede: [], unsupersede: [], add: [], update: [], keep: [] } as const;

const MOST_STEPS = 200;
const MOST_BYTES = 64 * 1024 * 1024;
/** How much memory the edit of a row takes besides its texts. */
const ROW_BYTES = 200;

/** Undo or redo. */
export type HistoryWay = 'undo' | 'redo';

/** What can be undone and redone in one sheet, in memory: changes, not copies of the sheet. */
class EditHistory {
  readonly #entries: Record<HistoryWay, { readonly step: EditStep; readonly bytes: number }[]> = {
    undo: [],
    redo: [],
  };

  /** What would be undone or redone next, in words. */
  get labels(): Pick<EditResult, HistoryWay> {
    const [undo, redo] = [this.#entries.undo.at(-1)?.step.label(), this.#entries.redo.at(-1)?.step.label()];
    return { ...(undo === undefined ? {} : { undo }), ...(redo === undefined ? {} : { redo }) };
  }

  /** Notes how to undo a new edit. Edits undone before it can no longer be redone. */
  note(step: EditStep): void {
    this.#entries.redo = [];
    this.put('undo', step);
  }

  take(way: HistoryWay): EditStep | undefined {
    return this.#entries[way].pop()?.step;
  }

  /** Keeps the newest steps within the limits of number and size. */
  put(way: HistoryWay, step: EditStep): void {
    const kept = [...this.#entries[way], { step, bytes: bytesOf(step.edit) }].slice(-MOST_STEPS);
    let bytes = 0;
    const first = kept.findLastIndex((entry) => (bytes += entry.bytes) > MOST_BYTES) + 1;
    this.#entries[way] = kept.slice(first);
  }

  clear(): void {
    this.#entries.undo = [];
    this.#entries.redo = [];
  }
}

function bytesOf(edit: EditByRow): number {
  let bytes = 0;
  for (const row of edit.rows) {
    bytes += ROW_BYTES;
    if (!('cells' in row)) continue;
    const cells = row.kind === 'cells' ? row.cells.values() : Object.values(row.cells);
    for (const text of cells) bytes += 2 * text.length + 32;
    const edits = row.kind === 'insert' ? (row.was?.edits?.earlier ?? []) : [];
    for (const { was } of edits) bytes += 2 * was.length + ROW_BYTES;
  }
  return bytes;
}

/** One batch's sheet while it is edited: what can be undone, and what is known about the sheet without another look. */
export class SheetSession {
  readonly history = new EditHistory();
  /** The last edit that has begun: the next one waits for it. */
  turn: Promise<unknown> = Promise.resolve();
  lists: ListItems = {};
  readonly batchId: string;
  /** Whether nothing is left of an edit in parts; false until the store was asked. */
  #isWhole = false;
  /**
   * For an edit that was ended on its way: what undoes it, as long as its own parts are noted, from `part` on; and
   * whether the next process would carry these parts out.
   */
  #unwanted: { readonly inverse: EditByRow | undefined; readonly part: number; readonly isMarked: boolean } | undefined;
  #name = '';
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
    this.batchId = batchId;
    this.#options = options;
  }

  /** The batch as it is now, for an edit. */
  async batch(): Promise<BatchRecord> {
    await this.#options.night.stateStored(this.batchId);
    const batch = await this.#options.store.batch(this.batchId);
    if (batch === undefined) throw new Error(`Unknown batch: ${this.batchId}`);
    this.#name = batch.name;
    return batch;
  }

  /** What the user has ended, if the disk has not taken the way back yet: only this process knows about it. */
  get owedWayBack() {
    const owed = { kind: 'edit', batchId: this.batchId, name: this.#name } as const;
    return this.#unwanted?.isMarked === true ? owed : undefined;
  }

  /**
   * Announces a committed change, first to the night; `rows` are the keys of all changed rows if they changed in place.
   */
  async tellChange(rows?: readonly number[]): Promise<void> {
    try {
      await this.#options.night.sheetChanged(this.batchId);
    } finally {
      // The change is committed, whatever the night makes of it.
      this.#options.changes.tell({ kind: 'sheet', batchId: this.batchId, rows });
    }
  }

  /** Forgets what it knows about the sheet: others have changed it. */
  forget(): void {
    this.history.clear();
    this.#memory.named = undefined;
    this.#memory.contested = undefined;
  }

  /** Carries out an edit of the batch as it is now; the error says in words why nothing was done. */
  async apply(edit: EditByRow, batch: BatchRecord, watch: WorkWatch = {}): Promise<Result<EditOutcome, string>> {
    if (edit.headers !== undefined || edit.sheet !== undefined) return this.checkAll(edit, watch);
    if (edit.ignoring !== undefined) return ok(await this.#ignore(edit.ignoring, batch));
    const context = this.#contextOf(batch);
    const isShort = edit.rows.length <= ROWS_IN_PART && edit.partEnds === undefined;
    const isReady = batch.state === 'ready';
    const idHeader = headerOf(context, 'row');
    const parts = isShort ? [] : partsOf(edit, { isReady, idHeader });
    // In a batch that was started, whatever is taken back waits for the user's word, even if it did not before; and if
    // rows want the same id, another row could get it back.
    const mayEnd = isReady && !givesIds(edit.rows, idHeader);
    if (parts.length > 1) return this.#applyParts(parts, mayEnd, watch);
    // A single transaction.
    watch.onBound?.();
    return this.#applyRows(edit.rows, context);
  }

  /** The problems stay as they are: only whether they count changes, and the window is told that with all rows. */
  async #ignore(
    { kinds, isIgnored }: NonNullable<EditByRow['ignoring']>,
    { sheet }: BatchRecord,
  ): Promise<EditOutcome> {
    const { sheets, clock } = this.#options;
    const { ignored: before = [], ...rest } = sheet;
    const nothing = { changedRows: 0, changedCells: 0, refused: [], inserted: [], changed: undefined };
    const known = new Set(before.map(kindText));
    const changed = kinds.filter((kind) => known.has(kindText(kind)) !== isIgnored);
    if (changed.length === 0) return { ...nothing, inverse: undefined };
    const ignored = ignoring(before, changed, isIgnored);
    const after = { ...rest, ...(ignored.length === 0 ? {} : { ignored }) };
    await sheets.change(this.batchId, { sheet: after, rows: [], at: clock.now() });
    return { ...nothing, inverse: { ignoring: { kinds: changed, isIgnored: !isIgnored }, rows: [] } };
  }

  /**
   * Completes an edit that an earlier run of the engine, or a failure, left half done, or takes it back if the user has
   * ended it. Returns the batch as it is after that, and whether there was such an edit; undefined if there is no such
   * batch.
   */
  async finish(): Promise<{ readonly batch: BatchRecord; readonly wasHalfDone: boolean } | undefined> {
    const { store, sheets, night } = this.#options;
    await night.stateStored(this.batchId);
    const batch = await store.batch(this.batchId);
    if (batch === undefined) return undefined;
    const isHalfEdited = batch.sheet.isHalfEdited === true;
    if (this.#isWhole && !isHalfEdited) return { batch, wasHalfDone: false };
    const left = await sheets.firstPart(this.batchId);
    if (isHalfEdited) await this.#applyLeft();
    // An edit that was noted without the mark never began.
    else if (left !== undefined) await sheets.clearParts(this.batchId);
    this.#unwanted = undefined;
    this.#isWhole = true;
    return { batch: await this.batch(), wasHalfDone: isHalfEdited || left !== undefined };
  }

  /** Carries out what is noted and removes the mark. What is no longer wanted is replaced by what undoes it. */
  async #applyLeft(): Promise<void> {
    const { sheets } = this.#options;
    let left = await sheets.firstPart(this.batchId);
    // Otherwise, the store took the way back, or one more part, without being able to say so.
    if (this.#unwanted !== undefined && left?.part === this.#unwanted.part) {
      const { rows, partEnds = [] } = this.#unwanted.inverse ?? { rows: [] };
      await sheets.replaceParts(this.batchId, this.#texts(cutParts(rows, partEnds), 0));
      left = await sheets.firstPart(this.batchId);
    }
    this.#unwanted = undefined;
    for (; left !== undefined; left = await sheets.firstPart(this.batchId)) {
      await this.#applyPart(readPart(left.text), left.part);
      await letOthers();
    }
    await this.#markHalfEdited(false);
  }

  async #applyParts(
    parts: readonly (readonly RowEdit[])[],
    mayEnd: boolean,
    { signal, onProgress, onBound }: WorkWatch,
  ): Promise<Result<EditOutcome, string>> {
    this.#isWhole = false;
    const all = parts.reduce((sum, rows) => sum + rows.length, 0);
    await this.#noteParts(parts, signal);
    if (!mayEnd) onBound?.();
    const outcomes: EditOutcome[] = [];
    const isUnwanted = (): boolean => mayEnd && signal?.aborted === true && outcomes.length < parts.length;
    let done = 0;
    try {
      await this.#markHalfEdited(true);
      for (const [part, rows] of parts.entries()) {
        await letOthers();
        if (isUnwanted()) break;
        outcomes.push(await this.#applyPart(rows, part));
        onProgress?.((done += rows.length), all);
      }
    } finally {
      // Even if the disk has refused a part: once it takes more, the next in turn takes all of this back.
      if (isUnwanted()) {
        const isMarked = outcomes.length > 0 || (await this.#isHalfEdited());
        this.#unwanted = { inverse: joined(outcomes).inverse, part: outcomes.length, isMarked };
      }
    }
    await this.#applyLeft();
    this.#isWhole = true;
    if (outcomes.length === parts.length) return ok(joined(outcomes));
    // Whoever has looked at the sheet in the meantime has seen part of the edit.
    await this.tellChange();
    throw signal?.reason;
  }

  async #noteParts(parts: readonly (readonly RowEdit[])[], signal?: AbortSignal): Promise<void> {
    const { sheets } = this.#options;
    for (let from = 0; from < parts.length; from += PARTS_NOTED_AT_ONCE) {
      if (signal?.aborted === true) break;
      await sheets.noteParts(this.batchId, this.#texts(parts.slice(from, from + PARTS_NOTED_AT_ONCE), from));
      await letOthers();
    }
    if (signal?.aborted !== true) return;
    await sheets.clearParts(this.batchId);
    throw signal.reason;
  }

  /** Parts as they are noted, with the numbers from `first` on. */
  #texts(parts: readonly (readonly RowEdit[])[], first: number): readonly NotedPart[] {
    return parts.map((rows, i) => {
      // What is refused because of the key must not reach the disk this way either.
      const text = writePart(rows.filter((edit) => !wouldHoldKey(edit, this.#options.keys.finder)));
      return { part: first + i, text };
    });
  }

  /** Whether the store has the mark, as far as can be told: without it, what is noted is not carried out. */
  async #isHalfEdited(): Promise<boolean> {
    try {
      return (await this.#options.store.batch(this.batchId))?.sheet.isHalfEdited === true;
    } catch {
      return true;
    }
  }

  async #markHalfEdited(isHalfEdited: boolean): Promise<void> {
    const { sheets, clock } = this.#options;
    const { isHalfEdited: _, ...sheet } = (await this.batch()).sheet;
    const marked = isHalfEdited ? { ...sheet, isHalfEdited } : sheet;
    await sheets.change(this.batchId, { sheet: marked, rows: [], at: clock.now() });
  }

  async #applyPart(rows: readonly RowEdit[], part: number): Promise<EditOutcome> {
    const outcome = await this.#applyRows(rows, await this.#context(), part);
    if (!outcome.ok) throw new Error('Rows kept changing while they were being edited.');
    return outcome.value;
  }

  async #applyRows(rows: readonly RowEdit[], first: PlanContext, part?: number): Promise<Result<EditOutcome, string>> {
    let context: PlanContext | undefined = first;
    const outcome = await untilWritten(this.batchId, this.#options, async () => {
      const plan = await this.#plan(rows, context ?? (await this.#context()));
      context = undefined;
      return plan && this.#write(plan, part);
    });
    return outcome === undefined ? err(domainWords.problems.edits.tooQuick) : ok(outcome);
  }

  async #plan(rows: readonly RowEdit[], first: PlanContext): Promise<EditPlan | undefined> {
    let planned = await planEdit(rows, first);
    if (planned.kind === 'no-room') {
      await this.#options.sheets.spreadPositions(this.batchId);
      planned = await planEdit(rows, await this.#context());
    }
    if (planned.kind === 'names-unknown') {
      const context = await this.#context();
      this.#memory.named = await countNamed(context);
      planned = await planEdit(rows, context);
    }
    return planned.kind === 'planned' ? planned.plan : undefined;
  }

  /** Undefined if a task, or the batch's state, has changed since the plan was made. */
  async #write(plan: EditPlan, part: number | undefined): Promise<EditOutcome | undefined> {
    if (plan.isNothing && part === undefined) return plan.outcome([]);
    const change = part === undefined ? plan.change : { ...plan.change, part };
    const written = await this.#options.sheets.change(this.batchId, change);
    return written.kind === 'stale' ? undefined : plan.outcome(written.inserted);
  }

  /** Carries out an edit that requires every row to be checked, one part at a time; other work continues in between. */
  checkAll(edit: EditByRow, watch?: WorkWatch): Promise<Result<EditOutcome, string>> {
    const { sheets, clock, night } = this.#options;
    const options = {
      sheets,
      clock,
      night,
      batch: () => this.batch(),
      contextOf: (batch: BatchRecord, isColumnChange: boolean) => ({
        ...this.#contextOf(batch),
        isRecheck: true,
        isColumnChange,
      }),
    };
    return changeColumns(edit, options, watch);
  }

  /** Makes the tasks of drafts, of all of them or of these rows, and returns the number of tasks. */
  async release(only: readonly number[] | undefined): Promise<number> {
    const { sheets } = this.#options;
    const id = this.batchId;
    // A row that is named twice would get its tasks twice.
    const keys = only === undefined ? await sheets.draftKeys(id) : [...new Set(only)];
    let tasks = 0;
    for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
      tasks += await this.#releaseSome(keys.slice(from, from + ROWS_AT_A_TIME));
      await letOthers();
    }
    if (tasks > 0) await this.tellChange();
    return tasks;
  }

  async #releaseSome(keys: readonly number[]): Promise<number> {
    const { sheets } = this.#options;
    const context = await this.#context();
    let tasks = 0;
    const rows = await sheets.rowsByKeys(this.batchId, keys);
    const changes = rows
      .filter((row) => row.isDraft)
      .map((stored): RowChange => {
        const { key, row, position, problems } = stored;
        const isBlocked = problems.some(isError);
        const place = { batchId: this.batchId, now: context.now };
        const add = releasedTasks({ row, position, isBlocked }, stored.tasks, place);
        tasks += add.length;
        const { unusedCells: unused } = checkAsItIs(row, context);
        const request = requestNumber({ row, own: problems, cross: [] }, context.checker);
        const content = {
          row,
          position,
          problems,
          isDraft: false,
          request,
          unused,
          ...present({ edits: stored.edits }),
        };
        return { kind: 'update', key, content, tasks: { ...NO_PLAN, add } };
      });
    const outcome = await sheets.change(this.batchId, { rows: changes, at: context.now });
    // Only edits change rows, and this is the only one under way; the change names no task that could have changed.
    if (outcome.kind === 'stale') throw new Error('Drafts cannot be run: their rows have changed.');
    return tasks;
  }

  async #context(): Promise<PlanContext> {
    return this.#contextOf(await this.batch());
  }

  #contextOf(batch: BatchRecord): PlanContext {
    const { store, sheets, clock, keys } = this.#options;
    return {
      batch,
      checker: this.#checkerOf(batch),
      sheets,
      task: async (id) => store.task(id),
      now: clock.now(),
      keyFinder: keys.finder,
      memory: this.#memory,
      isRecheck: false,
      isColumnChange: false,
    };
  }

  /** Rebuilt when anything it is made from has changed. */
  #checkerOf({ headers, sheet, settings }: BatchRecord): SheetChecker {
    const { mapping, variables, defaultOperation } = sheet;
    const keyFinder = this.#options.keys.finder;
    const { lists } = this;
    const { prices } = settings.profile;
    const accounts = accountsOf(settings).map(({ name }) => name);
    const putsFiles = settings.filesPlace !== undefined;
    const of = JSON.stringify([headers, mapping, variables, defaultOperation, prices, accounts, putsFiles]);
    const known = this.#checker;
    if (known?.of === of && known.lists === lists && known.keyFinder === keyFinder) return known.checker;
    const checker = createSheetChecker(headers, {
      mapping,
      variables,
      lists,
      prices,
      accounts,
      putsFiles,
      ...(defaultOperation === undefined ? {} : { defaultOperation }),
      keyFinder,
    });
    this.#checker = { of, lists, keyFinder, checker };
    return checker;
  }
}
