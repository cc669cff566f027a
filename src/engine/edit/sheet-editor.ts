/**
 * Editing the sheets of batches: edits, undo and redo, one after another in each batch.
 *
 * The path of every edit: a `SheetEdit` is what the user wants (rows-of-edit turns it into changes of rows, an
 * `EditByRow`); its plan is what that means, checked (plan-edit, with a file for each question that it asks); its change
 * is what is committed, and how to undo it (change-rows).
 */
import type { JsonObject } from '../../shared/domain/base/json.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { resolveBody, type SourceOf } from '../../shared/domain/cells/cell-language.ts';
import { rowsReferredTo } from '../../shared/domain/cells/reference.ts';
import { SheetLanguage } from '../../shared/domain/cells/sheet-language.ts';
import { previewBody } from '../../shared/domain/sheet/body-preview.ts';
import { operationOf } from '../../shared/domain/operations/operations.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import { layOutColumns, layOutOperation } from '../../shared/domain/sheet/sheet-columns.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { BodyPreview, EditResult, SheetEdit } from '../../shared/ipc/editing.ts';
import { encodeRequestBody } from '../request-body.ts';
import type { ListItems } from '../sheet-ports.ts';
import { cellText, type EditOutcome, type NamedEdit } from './edit-by-row.ts';
import type { EditHistory, HistoryWay } from './edit-history.ts';
import { findCell, type FoundCell, rowsOfReplace, type SearchFrom } from './find-cells.ts';
import { textsOf } from './plan-sheet.ts';
import { rowsOfEdit } from './rows-of-edit.ts';
import { SheetSession, type SheetSessionOptions } from './sheet-session.ts';

export interface SheetEditorOptions extends SheetSessionOptions {
  /** The user's lists of words, by name; the same object as before if nothing has changed. */
  readonly lists: () => Promise<ListItems>;
}

const NOT_HERE = 'This batch no longer exists.';
const REFUSED_NAMED = 20;
const INSERTED_NAMED = 1_000;

/** Edits the sheets of all batches. No edit sends anything. */
export class SheetEditor {
  readonly #options: SheetEditorOptions;
  readonly #sessions = new Map<string, SheetSession>();

  constructor(options: SheetEditorOptions) {
    this.#options = options;
  }

  /** Carries out an edit; the error says in words why nothing was done. */
  edit(batchId: string, edit: SheetEdit): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session) => {
      const named = await this.#rowsOf(edit, session.batch);
      if (!named.ok) return named;
      const { label } = named.value;
      const outcome = await session.apply(named.value.edit);
      if (!outcome.ok) return outcome;
      const { inverse, changed } = outcome.value;
      if (inverse !== undefined) {
        session.history.note({ label, edit: inverse });
        this.#options.onChanged(batchId, changed);
      }
      return ok(resultOf(outcome.value, session.history));
    });
  }

  /** Undoes the last edit that was not undone. Rows that are in flight by now stay as they are. */
  undo(batchId: string): Promise<Result<EditResult, string>> {
    return this.#goBack(batchId, 'undo', 'redo');
  }

  /** Redoes what was last undone. */
  redo(batchId: string): Promise<Result<EditResult, string>> {
    return this.#goBack(batchId, 'redo', 'undo');
  }

  #goBack(batchId: string, way: HistoryWay, other: HistoryWay): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session) => {
      const { history } = session;
      const entry = history.take(way);
      if (entry === undefined) return err(`There is nothing to ${way}.`);
      const outcome = await session.apply(entry.edit);
      if (!outcome.ok) {
        history.put(way, entry);
        return outcome;
      }
      const { inverse, changed } = outcome.value;
      if (inverse !== undefined) {
        history.put(other, { label: entry.label, edit: inverse });
        this.#options.onChanged(batchId, changed);
      }
      return ok(resultOf(outcome.value, history));
    });
  }

  /** What can be undone and redone, in words. */
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

  /** The whole text of a cell; undefined if there is no such row. */
  cell(batchId: string, key: number, header: string): string | undefined {
    const [row] = this.#options.sheets.rowsByKeys(batchId, [key]);
    return row && cellText(row.row.cells, header);
  }

  /** The body of a row as it stands in the sheet and as it will be sent; undefined if there is no such row. */
  async preview(batchId: string, key: number, sourceOf: SourceOf): Promise<Result<BodyPreview | undefined, string>> {
    const lists = await this.#options.lists();
    const batch = this.#options.store.batch(batchId);
    if (batch === undefined) return err(NOT_HERE);
    const [stored] = this.#options.sheets.rowsByKeys(batchId, [key]);
    return ok(stored && previewRow(stored.row, batch, lists, sourceOf));
  }

  /** The next cell that contains a text; undefined if there is none. */
  find(batchId: string, search: SearchFrom): Promise<Result<FoundCell | undefined, string>> {
    const batch = this.#options.store.batch(batchId);
    return batch === undefined ? Promise.resolve(err(NOT_HERE)) : findCell(this.#options.sheets, batch, search);
  }

  /**
   * Makes the tasks of rows that were changed or added since the batch started, of all of them or of these, and returns
   * their number. It does not start the batch. `whyNot` is asked when earlier edits are complete.
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
   * Keeps edits from interfering with what `work` does to a batch's sheet, up to the release of rows, which returns the
   * number of their tasks. Earlier edits can then no longer be undone: they would not fit.
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

  /** Completes edits and checks that an earlier run of the engine began. A batch waits for this before it continues. */
  async finishChecks(): Promise<void> {
    for (const { id, sheet } of this.#options.store.batches()) {
      await this.settle(id);
      if (sheet.isUnchecked !== true) continue;
      await this.#inTurn(id, (session) => session.checkAll({ rows: [] }));
      this.#options.onChanged(id);
    }
  }

  /** Waits for the edits of a batch that have begun, so that the batch starts with what was asked for. */
  async settle(batchId: string): Promise<void> {
    await this.#inTurn(batchId, () => Promise.resolve(ok(undefined)));
  }

  async #rowsOf(edit: SheetEdit, batch: BatchRecord): Promise<Result<NamedEdit, string>> {
    const { sheets } = this.#options;
    return edit.kind === 'replace' ? rowsOfReplace(sheets, batch, edit) : rowsOfEdit(edit, sheets, batch);
  }

  /** Edits of one batch wait for each other. */
  #inTurn<T>(batchId: string, work: (session: SheetSession) => Promise<Result<T, string>>): Promise<Result<T, string>> {
    if (this.#options.store.batch(batchId) === undefined) return Promise.resolve(err(NOT_HERE));
    const session = this.#sessions.get(batchId) ?? new SheetSession(batchId, this.#options);
    this.#sessions.set(batchId, session);
    const begin = async (): Promise<Result<T, string>> => {
      session.lists = await this.#options.lists();
      if (this.#options.sheets.firstPart(batchId) !== undefined || session.batch.sheet.isHalfEdited === true) {
        // It was not noted for undo, and nothing from before it would fit.
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

function resultOf(outcome: EditOutcome, history: EditHistory): EditResult {
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

/** The body of a row as it stands in the sheet and as it will be sent. */
export function previewRow(
  row: Row,
  { headers, sheet, settings }: BatchRecord,
  lists: Readonly<Record<string, readonly string[]>>,
  sourceOf: SourceOf,
): BodyPreview {
  const layout = layOutColumns(headers, sheet.mapping);
  const sent = row.operation === undefined ? [] : layOutOperation(layout, operationOf(row.operation)).sent;
  const line = { record: { line: row.line, cells: textsOf(headers, row.cells) }, id: row.id };
  const language = new SheetLanguage(layout, { variables: sheet.variables, lists });
  const { before, filledIn } = previewBody(line, sent, language);
  const stored = new TextEncoder().encode(JSON.stringify(bodyOf(row, sourceOf)));
  const after = new TextDecoder().decode(encodeRequestBody(settings.profile, stored));
  return {
    ...(row.operation === undefined ? {} : { operation: row.operation }),
    before: indented(before),
    after: indented(JSON.parse(after)),
    filledIn: filledIn.map((one) => ({ ...one })),
    waitsFor: rowsReferredTo(row.links).filter((id) => sourceOf(id) === undefined),
  };
}

/** With the values of other rows if all of them are known, else as written. */
function bodyOf({ operation, body, links }: Row, sourceOf: SourceOf): JsonObject {
  if (operation === undefined || links === undefined) return body;
  const resolved = resolveBody(operationOf(operation), body, links, sourceOf);
  return resolved.ok ? resolved.value : body;
}

function indented(value: unknown): string {
  return JSON.stringify(value, undefined, 2);
}
