/** Answers main's requests to edit the sheets of batches. Runs in the engine's process. */
import { basename } from 'node:path';
import { readClipboardTable, writeClipboardTable, type WorkWatch } from '../../engine/index.ts';
import { describeColumns } from '../../shared/domain/sheet/describe-columns.ts';
import { OPERATION_PATHS, type OperationPath } from '../../shared/domain/operations/operations.ts';
import { pasteBlock, tableWidth } from '../../shared/domain/cells/paste-block.ts';
import { err, type Result, ok } from '../../shared/domain/base/result.ts';
import { refuse, type Reply, type News } from '../../shared/ipc/contract.ts';
import type { BatchSheetView, EditResult } from '../../shared/ipc/editing.ts';
import type { EngineHandlers, EngineInput, EngineOutput } from '../engine-process/engine-protocol.ts';
import { noSuchBatch, ROWS_TOLD, type ServiceContext } from '../engine-process/batch-reader.ts';
import type { SheetChanged } from '../engine-process/report-changes.ts';
import { costOfRelease } from './forecast-service.ts';
import { words } from '../../shared/words/words.ts';

const noSuchRow = () => refuse('not-found', words.desktop.row.gone);

/** Edits the sheets of batches and describes them. */
export class SheetService {
  readonly #options: Omit<ServiceContext, 'tell'>;
  /** Which operations the rows of a batch name, until its sheet is edited. */
  readonly #operations = new Map<string, Promise<readonly OperationPath[]>>();

  constructor(options: Omit<ServiceContext, 'tell'>) {
    this.#options = options;
    options.engine.onChange((change) => {
      if (change.kind === 'sheet') this.#operations.delete(change.batchId);
    });
  }

  readonly handlers = {
    'sheet.get': ({ batchId }) => this.sheet(batchId),
    'sheet.problems': (input) => this.#problems(input),
    'sheet.longRows': async ({ batchId }) => {
      if (!(await this.#isThere(batchId))) return noSuchBatch();
      return ok(await this.#options.engine.rows.countRowsWith(batchId, 'value-long'));
    },
    'sheet.cell': async ({ batchId, key, header }) => {
      if (!(await this.#isThere(batchId))) return noSuchBatch();
      const text = await this.#options.engine.editor.cell(batchId, key, header);
      return text === undefined ? noSuchRow() : ok({ text });
    },
    'sheet.preview': async ({ batchId, key }) => {
      if (!(await this.#isThere(batchId))) return noSuchBatch();
      const preview = await this.#options.engine.sheets.previewRow(batchId, key);
      return preview === undefined ? noSuchRow() : ok(preview);
    },
    'row.text': async ({ batchId, key, what }) => {
      const text = await this.#options.engine.sheets.requestText(batchId, key, what);
      const missing = what === 'prompt' ? words.desktop.row.noPrompt : words.desktop.row.noRequest;
      return text === undefined ? refuse('not-found', missing) : ok({ text });
    },
    'sheet.find': async ({ batchId, ...search }, watch) => {
      const found = await this.#options.engine.editor.find(batchId, search, watch);
      return found.ok ? found : refuse('refused', found.error);
    },
    'sheet.edit': ({ batchId, edit }, watch) =>
      this.#answer(batchId, this.#options.engine.editor.edit(batchId, edit, watch)),
    'sheet.undo': ({ batchId }, watch) => this.#answer(batchId, this.#options.engine.editor.undo(batchId, watch)),
    'sheet.redo': ({ batchId }, watch) => this.#answer(batchId, this.#options.engine.editor.redo(batchId, watch)),
    'sheet.copy': (input, watch) => this.#copy(input, watch),
    'sheet.pasteSize': (clipboard) => {
      const table = readClipboardTable(clipboard);
      return ok({ rows: table.length, columns: tableWidth(table) });
    },
    'sheet.paste': (input, watch) => this.#answer(input.batchId, this.#paste(input, watch)),
    'batch.releaseCost': ({ batchId }) => costOfRelease(this.#options.engine, batchId),
    'batch.release': ({ batchId, submits }) => this.#release(batchId, submits),
  } satisfies Partial<EngineHandlers>;

  /** Lets all waiting rows run, and the batch with them, with no more paid requests than the user was shown. */
  async #release(batchId: string, submits: number): Promise<Reply<{ tasks: number }>> {
    const pauses = this.#options.engine.pausesOf(batchId);
    if (!(await this.#isThere(batchId))) return noSuchBatch();
    const { editor, views } = this.#options.engine;
    const released = await editor.release(batchId, undefined, async () => {
      const now = (await views.batchSummary(batchId))?.draftSubmits ?? 0;
      return now <= submits ? undefined : words.desktop.batch.rowsAskMore(now, submits);
    });
    if (!released.ok) return refuse('refused', released.error);
    const run = await this.#options.run(batchId, pauses);
    return run.ok ? ok({ tasks: released.value }) : run;
  }

  /** The sheet of a batch without its rows. */
  async sheet(batchId: string): Promise<Reply<BatchSheetView>> {
    const { engine } = this.#options;
    const summary = await engine.views.batchSummary(batchId);
    if (summary === undefined) return noSuchBatch();
    const { headers, sheet, sheetPath } = summary.batch;
    const { mapping, defaultOperation, variables, choices, isWatched } = sheet;
    return {
      ok: true,
      value: {
        batchId,
        // Edits and views name a column by its header as it is in the file, including the blanks around it.
        columns: describeColumns(headers, mapping).map((column, at) => ({ ...column, header: headers[at] ?? '' })),
        defaultOperation,
        variables,
        choices,
        file: sheetPath && basename(sheetPath),
        isWatched,
        operations: await this.#operationsOf(batchId),
        errorCount: summary.problems.errors,
        warningCount: summary.problems.warnings,
        ignored: [...summary.problems.ignored],
        ...engine.editor.history(batchId),
      },
    };
  }

  /** What the window is told about an edit; undefined for a batch that is gone. */
  async changed({ batchId, rows }: SheetChanged): Promise<News<'sheet.changed'> | undefined> {
    const sheet = await this.sheet(batchId);
    if (!sheet.ok) return undefined;
    const isTold = rows !== undefined && rows.length <= ROWS_TOLD;
    return {
      batchId,
      sheet: sheet.value,
      ...(isTold ? { rows: await this.#options.batches.rows(batchId, rows) } : {}),
    };
  }

  async #isThere(batchId: string): Promise<boolean> {
    return (await this.#options.engine.store.batch(batchId)) !== undefined;
  }

  async #answer(batchId: string, edited: Promise<Result<EditResult, string>>): Promise<Reply<EditResult>> {
    const result = await edited;
    if (result.ok) return result;
    return (await this.#isThere(batchId)) ? refuse('refused', result.error) : noSuchBatch();
  }

  async #problems({ batchId, limit }: EngineInput<'sheet.problems'>): Promise<Reply<EngineOutput<'sheet.problems'>>> {
    if (!(await this.#isThere(batchId))) return noSuchBatch();
    const problems = await this.#options.engine.rows.problems(batchId, limit, 'not-ignored');
    return ok(problems.map(({ problem, key }) => ({ ...problem, key })));
  }

  async #copy(input: EngineInput<'sheet.copy'>, watch?: WorkWatch): Promise<Reply<EngineOutput<'sheet.copy'>>> {
    const { batchId, rows, headers, isCut } = input;
    const { editor } = this.#options.engine;
    const cells = await editor.copy(batchId, rows, headers, watch);
    if (!cells.ok) return refuse('refused', cells.error);
    const edit = { kind: 'clear-cells', rows, headers } as const;
    const cut = isCut ? await editor.edit(batchId, edit, watch) : undefined;
    if (cut !== undefined && !cut.ok) return refuse('refused', cut.error);
    const copied: EditResult = {
      changedRows: 0,
      changedCells: cells.value.length * headers.length,
      refusedRows: 0,
      refused: [],
      inserted: [],
      ...editor.history(batchId),
    };
    return ok({ result: cut?.value ?? copied, ...writeClipboardTable(cells.value) });
  }

  async #paste(input: EngineInput<'sheet.paste'>, watch?: WorkWatch): Promise<Result<EditResult, string>> {
    const { batchId, rows, added, columns, headers, html, text } = input;
    const table = readClipboardTable({ html, text });
    if (table.length === 0) return err(words.desktop.sheet.nothingToPaste);
    const block = pasteBlock(table, { rows: rows.length + added, columns });
    if (block.rows !== rows.length + added) return err(words.desktop.sheet.clipboardChanged);
    const edit = {
      kind: 'set-cells' as const,
      rows,
      added,
      // A table is written over as many columns as it has; the editor reports it if they do not fit.
      headers: headers.slice(0, block.width),
      values: block.values,
    };
    return this.#options.engine.editor.edit(batchId, edit, watch);
  }

  /** The most common first. */
  #operationsOf(batchId: string): Promise<readonly OperationPath[]> {
    const known = this.#operations.get(batchId);
    if (known !== undefined) return known;
    // Kept at once: an edit that comes while they are being counted drops them.
    const counted = this.#countOperations(batchId);
    this.#operations.set(batchId, counted);
    counted.catch(() => this.#operations.delete(batchId));
    return counted;
  }

  async #countOperations(batchId: string): Promise<readonly OperationPath[]> {
    const { rows } = this.#options.engine;
    const counts = await Promise.all(
      OPERATION_PATHS.map(async (operation) => ({
        operation,
        count: await rows.countInView(batchId, { filter: { operation } }),
      })),
    );
    return counts
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count)
      .map(({ operation }) => operation);
  }
}
