/** The sheets of batches as they are edited: edits, undoing and doing again, one after the other in each batch. */
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { BodyPreview, EditResult, SheetEdit } from '../../shared/ipc/sheet-views.ts';
import { columnStep } from './column-steps.ts';
import type { EditHistory, HistoryWay } from './edit-history.ts';
import { EditSteps, type NamedStep } from './edit-steps.ts';
import { findCell, replaceStep, type FoundCell, type SearchFrom } from './find-cells.ts';
import { previewRow, type SourceOf } from './preview-row.ts';
import { SheetSession, type ListItems, type SheetSessionOptions } from './sheet-session.ts';
import { cellText, type StepOutcome } from './sheet-step.ts';

export interface SheetEditorOptions extends SheetSessionOptions {
  /** The user's lists of words, by name; the very same object as before where nothing has changed. */
  readonly lists: () => Promise<ListItems>;
}

const NOT_HERE = 'This batch is not there any more.';
const REFUSED_NAMED = 20;
const INSERTED_NAMED = 1_000;

/** Edits the sheets of all batches. Nothing that an edit does sends anything. */
export class SheetEditor {
  readonly #options: SheetEditorOptions;
  readonly #sessions = new Map<string, SheetSession>();

  constructor(options: SheetEditorOptions) {
    this.#options = options;
  }

  /** Carries an edit out; the error says in words why nothing of it was done. */
  edit(batchId: string, edit: SheetEdit): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session) => {
      const named = await this.#stepOf(edit, session);
      if (!named.ok) return named;
      const { label, step } = named.value;
      const outcome = await session.apply(step);
      if (!outcome.ok) return outcome;
      const { inverse } = outcome.value;
      if (inverse !== undefined) session.history.note({ label, step: inverse });
      return ok(resultOf(outcome.value, session.history));
    });
  }

  /** Takes back the last edit that was not taken back. Rows that are in flight by now stay as they are. */
  undo(batchId: string): Promise<Result<EditResult, string>> {
    return this.#goBack(batchId, 'undo', 'redo');
  }

  /** Does again what was taken back last. */
  redo(batchId: string): Promise<Result<EditResult, string>> {
    return this.#goBack(batchId, 'redo', 'undo');
  }

  #goBack(batchId: string, way: HistoryWay, other: HistoryWay): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session) => {
      const { history } = session;
      const entry = history.take(way);
      if (entry === undefined) return err(`There is nothing to ${way}.`);
      const outcome = await session.apply(entry.step);
      if (!outcome.ok) {
        history.put(way, entry);
        return outcome;
      }
      const { inverse } = outcome.value;
      if (inverse !== undefined) history.put(other, { label: entry.label, step: inverse });
      return ok(resultOf(outcome.value, history));
    });
  }

  /** What can be undone and done again, in words. */
  history(batchId: string): Pick<EditResult, 'undo' | 'redo'> {
    const history = this.#sessions.get(batchId)?.history;
    return history === undefined ? {} : labelsOf(history);
  }

  /** The texts of cells, line by line in the order of the rows. */
  copy(
    batchId: string,
    keys: readonly number[],
    headers: readonly string[],
  ): Result<readonly (readonly string[])[], string> {
    const batch = this.#options.store.batch(batchId);
    if (batch === undefined) return err(NOT_HERE);
    const rows = this.#options.sheets.rowsByKeys(batchId, keys);
    return ok(rows.map(({ row }) => headers.map((header) => cellText(row.cells, header))));
  }

  /** The whole text of a cell; undefined where there is no such row. */
  cell(batchId: string, key: number, header: string): string | undefined {
    const [row] = this.#options.sheets.rowsByKeys(batchId, [key]);
    return row && cellText(row.row.cells, header);
  }

  /** The body of a row as it stands in the sheet and as it will be sent; undefined where there is no such row. */
  async preview(batchId: string, key: number, sourceOf: SourceOf): Promise<Result<BodyPreview | undefined, string>> {
    const lists = await this.#options.lists();
    const batch = this.#options.store.batch(batchId);
    if (batch === undefined) return err(NOT_HERE);
    const [stored] = this.#options.sheets.rowsByKeys(batchId, [key]);
    return ok(stored && previewRow(stored.row, batch, lists, sourceOf));
  }

  /** The next cell in which a text is found; undefined where there is none. */
  find(batchId: string, search: SearchFrom): Promise<Result<FoundCell | undefined, string>> {
    const batch = this.#options.store.batch(batchId);
    return batch === undefined ? Promise.resolve(err(NOT_HERE)) : findCell(this.#options.sheets, batch, search);
  }

  /**
   * Makes the tasks of rows that were changed or came to be since the batch was started, of all of them or of these, and
   * gives their number. It does not set the batch going. `whyNot` is asked when the edits of before are through.
   */
  release(
    batchId: string,
    only?: readonly number[],
    whyNot: () => string | undefined = () => undefined,
  ): Promise<Result<number, string>> {
    return this.#inTurn(batchId, async (session) => {
      const refusal = whyNot();
      return refusal === undefined ? ok(await session.release(only)) : err(refusal);
    });
  }

  /**
   * Lets no edit come between what `work` does to a batch's sheet, nor between that and the release of rows, which gives
   * the number of their tasks. What could be undone before it cannot any more: it would not fit.
   */
  exclusively<T>(
    batchId: string,
    work: (release: (keys: readonly number[]) => Promise<number>) => Promise<Result<T, string>>,
  ): Promise<Result<T, string>> {
    return this.#inTurn(batchId, async (session) => {
      const done = await work((keys) => {
        session.forget();
        return session.release(keys);
      });
      if (!done.ok) return done;
      session.forget();
      this.#options.onChanged(batchId);
      return done;
    });
  }

  /** Carries through what an earlier run of the engine has begun to edit or to check. To be waited for before a batch goes on. */
  async finishChecks(): Promise<void> {
    for (const { id, sheet } of this.#options.store.batches()) {
      await this.settle(id);
      if (sheet.isUnchecked === true) await this.#inTurn(id, (session) => session.checkAll({ rows: [] }));
    }
  }

  /** Waits for the edits of a batch that were begun: before it is started, so that it starts with what was asked for. */
  async settle(batchId: string): Promise<void> {
    await this.#inTurn(batchId, () => Promise.resolve(ok(undefined)));
  }

  async #stepOf(edit: SheetEdit, { batch }: SheetSession): Promise<Result<NamedStep, string>> {
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
        return replaceStep(this.#options.sheets, batch, edit);
      case 'add-column':
      case 'remove-column':
      case 'move-column':
      case 'map-column':
      case 'set-variables':
      case 'set-default-operation':
        return columnStep(edit, batch);
    }
  }

  /** Edits of one batch wait for each other. */
  #inTurn<T>(batchId: string, work: (session: SheetSession) => Promise<Result<T, string>>): Promise<Result<T, string>> {
    if (this.#options.store.batch(batchId) === undefined) return Promise.resolve(err(NOT_HERE));
    const session = this.#sessions.get(batchId) ?? new SheetSession(batchId, this.#options);
    this.#sessions.set(batchId, session);
    const begin = async (): Promise<Result<T, string>> => {
      session.lists = await this.#options.lists();
      if (this.#options.sheets.firstPart(batchId) !== undefined || session.batch.sheet.isHalfEdited === true) {
        // It was not noted as something that can be undone, and nothing from before it would fit.
        await session.finish();
        session.forget();
        this.#options.onChanged(batchId);
      }
      return work(session);
    };
    const turn = session.turn.then(begin, begin);
    session.turn = turn;
    return turn;
  }
}

function resultOf(outcome: StepOutcome, history: EditHistory): EditResult {
  const { changedRows, changedCells, refused, inserted } = outcome;
  return {
    changedRows,
    changedCells,
    refusedRows: refused.length,
    refused: refused.slice(0, REFUSED_NAMED).map((one) => ({ ...one })),
    inserted: inserted.slice(0, INSERTED_NAMED),
    ...labelsOf(history),
  };
}

function labelsOf(history: EditHistory): Pick<EditResult, 'undo' | 'redo'> {
  const undo = history.label('undo');
  const redo = history.label('redo');
  return { ...(undo === undefined ? {} : { undo }), ...(redo === undefined ? {} : { redo }) };
}
