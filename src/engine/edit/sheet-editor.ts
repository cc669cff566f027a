/**
 * Edits the sheets of batches: edits, undo and redo, one after another in each batch.
 *
 * The path of every edit: a `SheetEdit` is what the user wants (rows-of-edit turns it into changes of rows, an
 * `EditByRow`); its plan is what that means, checked (plan-edit, by way of plan-rows and cross-checks); its change is
 * what is committed, and how to undo it.
 */
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { cellText, cellTexts } from '../../shared/domain/sheet/row.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import type { EditResult, SheetEdit } from '../../shared/ipc/editing.ts';
import type { WorkWatch } from '../ports/base.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import type { ListItems } from '../ports/sheet-store.ts';
import { asRedone, type EditStep, type NamedEdit } from './edit-by-row.ts';
import { findCell, type FoundCell, type SearchFrom } from './find-cells.ts';
import { rowsOfEdit } from './rows-of-edit.ts';
import { type HistoryWay, SheetSession, type SheetSessionOptions } from './sheet-session.ts';

export interface SheetEditorOptions extends SheetSessionOptions {
  /** The user's lists of words, by name; the same object as before if nothing has changed. */
  readonly lists: { current(): Promise<ListItems> };
}

const REFUSED_NAMED = 20;
const INSERTED_NAMED = 1_000;
const ROWS_COPIED_AT_ONCE = 1_000;

/** A full disk may have room again after this long. */
const WAY_BACK_AGAIN_MS = 500;

/** Edits the sheets of all batches. No edit sends anything. */
export class SheetEditor {
  readonly #options: SheetEditorOptions;
  readonly #sessions = new Map<string, SheetSession>();
  #lastEdit = 0;

  constructor(options: SheetEditorOptions) {
    this.#options = options;
  }

  /**
   * Carries out an edit; the error says in words why nothing was done. If the user ends it on the way, nothing is done.
   */
  edit(batchId: string, edit: SheetEdit, watch: WorkWatch = {}): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session, batch) => {
      watch.signal?.throwIfAborted();
      const named = await rowsOfEdit(edit, this.#options.sheets, batch, watch.signal);
      if (!named.ok) return named;
      this.#lastEdit += 1;
      const edited = { ...named.value, id: this.#lastEdit };
      return this.#apply(session, batch, edited, (step) => session.history.note(step), watch);
    });
  }

  /** Undoes the last edit that was not undone. Rows that are now in flight stay as they are. */
  undo(batchId: string, watch?: WorkWatch): Promise<Result<EditResult, string>> {
    return this.#goBack(batchId, 'undo', 'redo', watch);
  }

  /** Redoes what was last undone. */
  redo(batchId: string, watch?: WorkWatch): Promise<Result<EditResult, string>> {
    return this.#goBack(batchId, 'redo', 'undo', watch);
  }

  #goBack(
    batchId: string,
    way: HistoryWay,
    other: HistoryWay,
    watch: WorkWatch = {},
  ): Promise<Result<EditResult, string>> {
    return this.#inTurn(batchId, async (session, batch) => {
      watch.signal?.throwIfAborted();
      const { history } = session;
      const step = history.take(way);
      if (step === undefined) return err(domainWords.problems.edits.nothingTo[way]);
      let isDone = false;
      try {
        // What undoes an edit has a count of its own: the name stays that of the edit.
        const named = way === 'undo' ? { ...step, labelOf: step.label } : step;
        const keep = (inverse: EditStep): void => {
          const edit = way === 'undo' ? asRedone(inverse.edit) : inverse.edit;
          history.put(other, { ...inverse, edit, labelOf: step.labelOf });
        };
        const applied = await this.#apply(session, batch, named, keep, watch);
        isDone = applied.ok;
        return applied;
      } finally {
        // Even if the disk refuses it: next time, it is this step again, and not the one before it.
        if (!isDone) history.put(way, step);
      }
    });
  }

  async #apply(
    session: SheetSession,
    batch: BatchRecord,
    { id, labelOf, edit }: NamedEdit & Pick<EditStep, 'id'>,
    keep: (inverse: EditStep) => void,
    watch: WorkWatch,
  ): Promise<Result<EditResult, string>> {
    const applied = await session.apply(edit, batch, watch);
    if (!applied.ok) return applied;
    const { changedRows, changedCells, refused, inserted, inverse, changed } = applied.value;
    if (inverse !== undefined) {
      keep({ id, label: () => labelOf({ changedRows, changedCells }), labelOf, edit: inverse });
      await session.tellChange(changed);
    }
    const named = refused.slice(0, REFUSED_NAMED);
    const keys = named.flatMap(({ key }) => key ?? []);
    const lines = keys.length === 0 ? new Map<number, number>() : await this.#options.sheets.linesOf(batch.id, keys);
    return ok({
      changedRows,
      changedCells,
      refusedRows: refused.length,
      refused: named.map(({ key, row, reason }) => ({ row, line: lines.get(key ?? -1) ?? 0, reason })),
      inserted: inserted.slice(0, INSERTED_NAMED),
      ...(inverse === undefined ? { isNothing: true as const } : { edit: id }),
      ...session.history.labels,
    });
  }

  /** What can be undone and redone, in words. */
  history(batchId: string): Pick<EditResult, 'undo' | 'redo'> {
    return this.#sessions.get(batchId)?.history.labels ?? {};
  }

  /** The texts of cells, line by line in the order of the rows. */
  async copy(
    batchId: string,
    keys: readonly number[],
    headers: readonly string[],
    { signal, onProgress }: WorkWatch = {},
  ): Promise<Result<readonly (readonly string[])[], string>> {
    const { store, sheets } = this.#options;
    if ((await store.batch(batchId)) === undefined) return err(domainWords.problems.edits.gone.batch);
    const texts: (readonly string[])[] = [];
    for (let from = 0; from < keys.length; from += ROWS_COPIED_AT_ONCE) {
      signal?.throwIfAborted();
      const rows = await sheets.rowsByKeys(batchId, keys.slice(from, from + ROWS_COPIED_AT_ONCE));
      for (const { row } of rows) texts.push(cellTexts(row.cells, headers));
      onProgress?.(from + rows.length, keys.length);
    }
    return ok(texts);
  }

  /** The whole text of a cell; undefined if there is no such row. */
  async cell(batchId: string, key: number, header: string): Promise<string | undefined> {
    const [row] = await this.#options.sheets.rowsByKeys(batchId, [key]);
    return row && cellText(row.row.cells, header);
  }

  /** The next cell that contains a text; undefined if there is none. */
  async find(batchId: string, search: SearchFrom, watch?: WorkWatch): Promise<Result<FoundCell | undefined, string>> {
    const { store, sheets } = this.#options;
    const batch = await store.batch(batchId);
    return batch === undefined ? err(domainWords.problems.edits.gone.batch) : findCell(sheets, batch, search, watch);
  }

  /**
   * Makes the tasks of rows that were changed or added since the batch started, for all of them or for these rows, and
   * returns the number of tasks. Does not start the batch. `whyNot` is asked once earlier edits are complete.
   */
  release(
    batchId: string,
    only?: readonly number[],
    whyNot: () => Promise<string | undefined> = () => Promise.resolve(undefined),
  ): Promise<Result<number, string>> {
    return this.#inTurn(batchId, async (session) => {
      const refusal = await whyNot();
      return refusal === undefined ? ok(await session.release(only)) : err(refusal);
    });
  }

  /**
   * Keeps edits from interfering with what `work` does to a batch's sheet, up to the release of rows, which returns the
   * number of their tasks. Earlier edits can then no longer be undone: they would not fit. What it leaves to be checked
   * with all rows is checked last: what may run because of that was not shown to the user, and waits for their word.
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
      if ((await session.batch()).sheet.isUnchecked === true) await session.checkAll({ rows: [] });
      await session.tellChange();
      return done;
    });
  }

  /** Notes whether the user wants the file of a batch watched, in turn with edits: they write the same settings. */
  async noteWatched(batchId: string, isWatched: boolean): Promise<void> {
    const { sheets, clock } = this.#options;
    await this.#inTurn(batchId, async (_, { sheet }) => {
      await sheets.change(batchId, { sheet: { ...sheet, isWatched }, rows: [], at: clock.now() });
      return ok(undefined);
    });
  }

  /**
   * Completes edits and checks that an earlier run of the engine began. A batch waits for this before it continues.
   * @param onFailed Called with each batch of which they cannot be completed; the others go on. By default, it is thrown.
   */
  async finishChecks(
    onFailed = (_batchId: string, error: unknown): void => {
      throw error;
    },
  ): Promise<void> {
    for (const { id } of await this.#options.store.batches()) {
      const finished = this.#inTurn(id, async (session, batch) => {
        if (batch.sheet.isUnchecked === true) {
          await session.checkAll({ rows: [] });
          await session.tellChange();
        }
        return ok(undefined);
      });
      await finished.catch((error: unknown) => onFailed(id, error));
    }
  }

  /** Carries out `change`, after which the cells of a batch may mean something else, and checks all of its rows. */
  async checkAfter(batchId: string, change: () => Promise<void>): Promise<void> {
    const { sheets, clock } = this.#options;
    await this.#inTurn(batchId, async (session, { sheet }) => {
      // A process that ends on the way leaves the checks to the next start.
      await sheets.change(batchId, { sheet: { ...sheet, isUnchecked: true }, rows: [], at: clock.now() });
      await change();
      const checked = await session.checkAll({ rows: [] });
      await session.tellChange();
      return checked;
    });
  }

  /**
   * Takes back edits that the user has ended and the disk refused to take back: the next process would carry them out.
   * A disk that still refuses is asked again until `withinMs` have passed; see {@link SheetEditor.owedWaysBack}.
   */
  async takeBackEnded(withinMs: number): Promise<void> {
    const { clock } = this.#options;
    const end = clock.monotonic() + withinMs;
    while (this.owedWaysBack().length > 0 && clock.monotonic() < end) {
      await Promise.allSettled(this.owedWaysBack().map(({ batchId }) => this.settle(batchId)));
      if (this.owedWaysBack().length > 0)
        await new Promise<void>((resolve) => clock.setTimer(WAY_BACK_AGAIN_MS, resolve));
    }
  }

  /**
   * Edits that the user has ended and that are not taken back: the user must know, because the next process carries
   * them out.
   */
  owedWaysBack() {
    return [...this.#sessions.values()].flatMap(({ owedWayBack }) => owedWayBack ?? []);
  }

  /** Waits for the edits of a batch that have begun, so that the batch starts with what was asked for. */
  async settle(batchId: string): Promise<void> {
    await this.between(batchId, () => Promise.resolve(ok(undefined)));
  }

  /** Carries out `work` once the edits that have begun are complete; later ones wait for it. */
  between<T>(batchId: string, work: () => Promise<Result<T, string>>): Promise<Result<T, string>> {
    return this.#inTurn(batchId, work);
  }

  /** Edits of one batch wait for each other. `work` gets the batch as it is when its turn comes. */
  #inTurn<T>(
    batchId: string,
    work: (session: SheetSession, batch: BatchRecord) => Promise<Result<T, string>>,
  ): Promise<Result<T, string>> {
    const session = this.#sessions.get(batchId) ?? new SheetSession(batchId, this.#options);
    this.#sessions.set(batchId, session);
    const begin = async (): Promise<Result<T, string>> => {
      session.lists = await this.#options.lists.current();
      const found = await session.finish();
      if (found === undefined) {
        this.#sessions.delete(batchId);
        return err(domainWords.problems.edits.gone.batch);
      }
      if (found.wasHalfDone) {
        // The change was not noted for undo, and nothing from before it would fit.
        session.forget();
        await session.tellChange();
      }
      return work(session, found.batch);
    };
    const turn = session.turn.then(begin, begin);
    session.turn = turn;
    return turn;
  }
}
