/** The sheets of batches as they are edited: edits, undoing and doing again, one after the other in each batch. */
import type { BatchRecord } from '../../shared/domain/batch.ts';
import { releasedTasks } from '../../shared/domain/plan-tasks.ts';
import { err, ok, type Result } from '../../shared/domain/result.ts';
import { createSheetChecker, type SheetChecker } from '../../shared/domain/sheet-checker.ts';
import type { BodyPreview, EditResult, RowRange, SheetEdit } from '../../shared/ipc/sheet-views.ts';
import type { Clock, TaskStore } from '../ports.ts';
import type { RowChange, SheetStore } from '../sheet-ports.ts';
import { checkAsItIs } from './check-edits.ts';
import { columnStep } from './column-steps.ts';
import { rowUse, ColumnUse } from './column-use-checks.ts';
import { EditHistory } from './edit-history.ts';
import { EditSteps, type NamedStep } from './edit-steps.ts';
import { findCell, replaceStep, type FoundCell, type SearchFrom } from './find-cells.ts';
import { isError } from './pending-sheet.ts';
import type { PlanContext, SheetMemory } from './plan-context.ts';
import { planStep, type PlannedStep } from './plan-step.ts';
import { previewRow, type SourceOf } from './preview-row.ts';
import { recheckSheet } from './recheck-sheet.ts';
import { cellText, type SheetStep, type StepOutcome } from './sheet-step.ts';

export interface SheetEditorOptions {
  readonly store: TaskStore;
  readonly sheets: SheetStore;
  readonly clock: Clock;
  /** The gateway's key of a batch, which no cell may come to hold; undefined where none is known, or it is no secret. */
  readonly keyOf: (batch: BatchRecord) => string | undefined;
  /** The user's lists of words, by name. */
  readonly lists: () => Promise<Readonly<Record<string, readonly string[]>>>;
  /** After every edit that changed something. */
  readonly onChanged: (batchId: string) => void;
}

/** What is kept of a batch while it is edited. */
interface Session {
  readonly history: EditHistory;
  readonly memory: SheetMemory;
  lists: Readonly<Record<string, readonly string[]>>;
  /** The last edit that was begun. */
  turn: Promise<unknown>;
  checker?: { readonly of: readonly unknown[]; readonly checker: SheetChecker };
}

const NOT_HERE = 'This batch is not there any more.';
const BUSY = 'The batch is changing too quickly. Pause it and try again.';
/** How often an edit is planned anew when the night was quicker. */
const MOST_TRIES = 20;
const ROWS_AT_A_TIME = 500;
const REFUSED_NAMED = 20;
const INSERTED_NAMED = 1_000;

/** Edits the sheets of all batches. Nothing that an edit does sends anything. */
export class SheetEditor {
  readonly #options: SheetEditorOptions;
  readonly #sessions = new Map<string, Session>();

  constructor(options: SheetEditorOptions) {
    this.#options = options;
  }

  /** Carries an edit out; the error says in words why nothing of it was done. */
  edit(batchId: string, edit: SheetEdit): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session) => {
      const named = await this.#stepOf(edit, batchId);
      return named.ok ? this.#carryOut(batchId, session, named.value) : named;
    });
  }

  /** Takes back the last edit that was not taken back. Rows that are in flight by now stay as they are. */
  undo(batchId: string): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session) => {
      const entry = session.history.takeUndo();
      if (entry === undefined) return err('There is nothing to undo.');
      const outcome = await this.#apply(batchId, session, entry.step);
      if (!outcome.ok) return outcome;
      if (outcome.value.inverse !== undefined) {
        session.history.noteUndone({ label: entry.label, step: outcome.value.inverse });
      }
      return ok(this.#resultOf(outcome.value, session));
    });
  }

  /** Does again what was taken back last. */
  redo(batchId: string): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session) => {
      const entry = session.history.takeRedo();
      if (entry === undefined) return err('There is nothing to redo.');
      const outcome = await this.#apply(batchId, session, entry.step);
      if (!outcome.ok) return outcome;
      if (outcome.value.inverse !== undefined) {
        session.history.noteRedone({ label: entry.label, step: outcome.value.inverse });
      }
      return ok(this.#resultOf(outcome.value, session));
    });
  }

  /** What can be undone and done again, in words. */
  history(batchId: string): Pick<EditResult, 'undo' | 'redo'> {
    const history = this.#sessions.get(batchId)?.history;
    return history === undefined ? {} : labelsOf(history);
  }

  /** The texts of cells, line by line in the order of the ranges. */
  copy(
    batchId: string,
    ranges: readonly RowRange[],
    headers: readonly string[],
  ): Result<readonly (readonly string[])[], string> {
    const batch = this.#options.store.batch(batchId);
    if (batch === undefined) return err(NOT_HERE);
    const keys = new EditSteps(this.#options.sheets, batch).keysOf(ranges);
    if (!keys.ok) return keys;
    const rows = this.#options.sheets.rowsByKeys(batchId, keys.value);
    return ok(rows.map(({ row }) => headers.map((header) => cellText(row.cells, header))));
  }

  /** The whole text of a cell; undefined where there is no such row. */
  cell(batchId: string, key: number, header: string): string | undefined {
    const [row] = this.#options.sheets.rowsByKeys(batchId, [key]);
    return row && cellText(row.row.cells, header);
  }

  /** The body of a row as it stands in the sheet and as it will be sent; undefined where there is no such row. */
  preview(batchId: string, key: number, sourceOf: SourceOf): Promise<Result<BodyPreview | undefined, string>> {
    return this.#inTurn(batchId, async (session) => {
      const batch = this.#batch(batchId);
      const [stored] = this.#options.sheets.rowsByKeys(batchId, [key]);
      if (stored === undefined) return ok(undefined);
      return ok(previewRow(stored.row, batch, session.lists, sourceOf));
    });
  }

  /** The next cell in which a text is found; undefined where there is none. */
  find(batchId: string, search: SearchFrom): Promise<Result<FoundCell | undefined, string>> {
    const batch = this.#options.store.batch(batchId);
    return batch === undefined ? Promise.resolve(err(NOT_HERE)) : findCell(this.#options.sheets, batch, search);
  }

  /**
   * Makes the tasks of rows that were changed or came to be since the batch was started, of all of them or of these, and
   * gives their number. It does not set the batch going.
   */
  release(batchId: string, only?: readonly number[]): Promise<Result<number, string>> {
    return this.#inTurn(batchId, async (session) => {
      const { sheets } = this.#options;
      const drafts = { filter: { status: ['draft'] } } as const;
      const keys = only ?? sheets.keysInView(batchId, drafts, 0, sheets.countInView(batchId, drafts));
      let tasks = 0;
      for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
        tasks += this.#releaseSome(batchId, session, keys.slice(from, from + ROWS_AT_A_TIME));
        await pause();
      }
      if (tasks > 0) this.#options.onChanged(batchId);
      return ok(tasks);
    });
  }

  /**
   * Lets no edit come between what `work` does to a batch's sheet. What could be undone before it cannot any more: it
   * would not fit.
   */
  exclusively<T>(batchId: string, work: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    return this.#inTurn(batchId, async (session) => {
      const done = await work();
      if (!done.ok) return done;
      session.history.clear();
      session.memory.named = undefined;
      session.memory.contested = undefined;
      this.#options.onChanged(batchId);
      return done;
    });
  }

  /** Carries through what an earlier run of the engine has begun to check. To be waited for before a batch goes on. */
  async finishChecks(): Promise<void> {
    for (const { id, sheet } of this.#options.store.batches()) {
      if (sheet.isUnchecked !== true) continue;
      await this.#inTurn(id, (session) => this.#applyToAll(id, session, { rows: [] }));
    }
  }

  #releaseSome(batchId: string, session: Session, keys: readonly number[]): number {
    const { sheets } = this.#options;
    for (;;) {
      const batch = this.#batch(batchId);
      const context = this.#contextOf(batch, session);
      const { now } = context;
      const rows = sheets.rowsByKeys(batchId, keys).filter((row) => row.isDraft);
      let tasks = 0;
      const changes = rows.map((stored): RowChange => {
        const { key, row, position, problems } = stored;
        const isBlocked = problems.some(isError);
        const add = releasedTasks({ row, position, isBlocked }, stored.tasks, { batchId, now });
        tasks += add.length;
        const checked = checkAsItIs(row, context);
        const request = isBlocked || row.skip ? undefined : context.checker.requestKey(row);
        const content = { row, position, problems, isDraft: false, request, unused: checked.unusedCells };
        return { kind: 'update', key, content, tasks: { ...NO_PLAN, add } };
      });
      if (sheets.change(batchId, { rows: changes, at: now }).kind === 'written') return tasks;
    }
  }

  async #stepOf(edit: SheetEdit, batchId: string): Promise<Result<NamedStep, string>> {
    const batch = this.#batch(batchId);
    const steps = new EditSteps(this.#options.sheets, batch);
    switch (edit.kind) {
      case 'set-cells':
        return steps.setCells(edit);
      case 'fill-down':
        return steps.fillDown(edit);
      case 'clear-cells':
        return steps.clearCells(edit);
      case 'insert-rows':
        return steps.insertRows(edit);
      case 'remove-rows':
        return steps.removeRows(edit);
      case 'duplicate-rows':
        return steps.duplicateRows(edit);
      case 'move-rows':
        return steps.moveRows(edit);
      case 'replace':
        return replaceStep(this.#options.sheets, batch, steps, edit);
      case 'add-column':
      case 'remove-column':
      case 'move-column':
      case 'map-column':
      case 'set-variables':
      case 'set-default-operation':
        return columnStep(edit, batch);
    }
  }

  async #carryOut(batchId: string, session: Session, { label, step }: NamedStep): Promise<Result<EditResult, string>> {
    const outcome = await this.#apply(batchId, session, step);
    if (!outcome.ok) return outcome;
    const { inverse } = outcome.value;
    if (inverse !== undefined) session.history.note({ label, step: inverse });
    return ok(this.#resultOf(outcome.value, session));
  }

  async #apply(batchId: string, session: Session, step: SheetStep): Promise<Result<StepOutcome, string>> {
    if (step.headers !== undefined || step.sheet !== undefined) return this.#applyToAll(batchId, session, step);
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const plan = planStep(step, this.#contextOf(this.#batch(batchId), session));
      if (plan.kind === 'no-room') this.#options.sheets.spreadPositions(batchId);
      else if (plan.kind === 'names-unknown') await this.#learnNames(batchId, session);
      else {
        const outcome = this.#write(batchId, plan);
        if (outcome !== undefined) return ok(outcome);
      }
    }
    return err(BUSY);
  }

  /** Undefined where a task has changed since the plan was made. */
  #write(batchId: string, plan: PlannedStep): StepOutcome | undefined {
    const { changedRows, changedCells, refused, change } = plan;
    const isNothing = change.rows.length === 0 && change.sheetProblems === undefined;
    if (isNothing) return { changedRows: 0, changedCells: 0, refused, inserted: [], inverse: undefined };
    const outcome = this.#options.sheets.change(batchId, change);
    if (outcome.kind === 'stale') return undefined;
    plan.remember();
    const rows = plan.takeBack(outcome.inserted);
    this.#options.onChanged(batchId);
    return { changedRows, changedCells, refused, inserted: outcome.inserted, inverse: { rows } };
  }

  async #applyToAll(batchId: string, session: Session, step: SheetStep): Promise<Result<StepOutcome, string>> {
    const parts = recheckSheet(step, {
      sheets: this.#options.sheets,
      batch: () => this.#batch(batchId),
      contextOf: (batch, isColumnChange) => ({
        ...this.#contextOf(batch, session),
        isRecheck: true,
        isColumnChange,
      }),
    });
    let part = parts.next();
    for (; part.done !== true; part = parts.next()) await pause();
    if (part.value.ok) this.#options.onChanged(batchId);
    return part.value;
  }

  /** Finds out how many rows name which column, a part at a time. */
  async #learnNames(batchId: string, session: Session): Promise<void> {
    const { sheets } = this.#options;
    const batch = this.#batch(batchId);
    const context = this.#contextOf(batch, session);
    const use = new ColumnUse();
    const keys = sheets.keysInView(batchId, {}, 0, batch.rowCount);
    for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
      for (const { key, position, row } of sheets.rowsByKeys(batchId, keys.slice(from, from + ROWS_AT_A_TIME))) {
        use.add(rowUse(key, position, checkAsItIs(row, context)));
      }
      await pause();
    }
    session.memory.named = use.named;
  }

  #contextOf(batch: BatchRecord, session: Session): PlanContext {
    const { store, sheets, clock } = this.#options;
    return {
      batch,
      checker: this.#checkerOf(batch, session),
      sheets,
      task: (id) => store.task(id),
      now: clock.now(),
      key: this.#options.keyOf(batch),
      memory: session.memory,
      isRecheck: false,
      isColumnChange: false,
    };
  }

  /** Made anew when something has changed that it was made of. */
  #checkerOf(batch: BatchRecord, session: Session): SheetChecker {
    const { headers, sheet, settings } = batch;
    const { mapping, variables, defaultOperation } = sheet;
    const key = this.#options.keyOf(batch);
    const { lists } = session;
    const of = [headers, sheet, settings, key, lists];
    if (session.checker?.of.every((part, at) => part === of[at])) return session.checker.checker;
    const checker = createSheetChecker(headers, {
      mapping,
      variables,
      lists,
      prices: settings.profile.prices,
      ...(defaultOperation === undefined ? {} : { defaultOperation }),
      ...(key === undefined ? {} : { key }),
    });
    session.checker = { of, checker };
    return checker;
  }

  #resultOf(outcome: StepOutcome, session: Session): EditResult {
    const { changedRows, changedCells, refused, inserted } = outcome;
    return {
      changedRows,
      changedCells,
      refusedRows: refused.length,
      refused: refused.slice(0, REFUSED_NAMED).map((one) => ({ ...one })),
      inserted: inserted.slice(0, INSERTED_NAMED),
      ...labelsOf(session.history),
    };
  }

  #batch(batchId: string): BatchRecord {
    const batch = this.#options.store.batch(batchId);
    if (batch === undefined) throw new Error(`Unknown batch: ${batchId}`);
    return batch;
  }

  #session(batchId: string): Session {
    const known = this.#sessions.get(batchId);
    if (known !== undefined) return known;
    const session: Session = {
      history: new EditHistory(),
      memory: { named: undefined, contested: undefined },
      lists: {},
      turn: Promise.resolve(),
    };
    this.#sessions.set(batchId, session);
    return session;
  }

  /** Edits of one batch wait for each other. */
  #inTurn<T>(batchId: string, work: (session: Session) => Promise<Result<T, string>>): Promise<Result<T, string>> {
    if (this.#options.store.batch(batchId) === undefined) return Promise.resolve(err(NOT_HERE));
    const session = this.#session(batchId);
    const begin = async (): Promise<Result<T, string>> => {
      session.lists = await this.#options.lists();
      return work(session);
    };
    const turn = session.turn.then(begin, begin);
    session.turn = turn;
    return turn;
  }
}

const NO_PLAN = { remove: [], supersede: [], unsupersede: [], add: [], update: [] } as const;

function labelsOf({ undoLabel, redoLabel }: EditHistory): Pick<EditResult, 'undo' | 'redo'> {
  return {
    ...(undoLabel === undefined ? {} : { undo: undoLabel }),
    ...(redoLabel === undefined ? {} : { redo: redoLabel }),
  };
}

/** Lets whatever waits go on: answers of the gateway, other requests of the window. */
function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
