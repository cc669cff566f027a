/**
 * Everything about sheets but editing: their files are read, checked and watched, results are written, and changes are
 * applied.
 */
import { ok, type Result } from '../shared/domain/base/result.ts';
import { parseLossless } from '../shared/domain/base/json.ts';
import type { KeyFinder } from '../shared/domain/base/key-finder.ts';
import { rowsReferredTo, type ReferenceSource } from '../shared/domain/cells/reference.ts';
import { accountNamed } from '../shared/domain/task/accounts/account.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { promptOf, requestAsCurl } from '../shared/domain/operations/copied-request.ts';
import { checkSheet } from '../shared/domain/sheet/check-sheet.ts';
import type { SheetProblem } from '../shared/domain/sheet/problems.ts';
import type { CheckedSheet } from '../shared/domain/sheet/row.ts';
import type { CheckOptions } from '../shared/domain/sheet/sheet-checker.ts';
import type { RawSheet, SheetSource } from '../shared/domain/sheet/sheet-raw.ts';
import { isBlank } from '../shared/domain/base/text.ts';
import type { BatchViews } from '../shared/domain/task/batch-view.ts';
import type { BodyPreview } from '../shared/ipc/editing.ts';
import type { AppliedDifference, LivingSheets } from './edit/living/living-sheet.ts';
import type { ApplyOptions } from './edit/living/plan-difference.ts';
import type { SheetEditor } from './edit/sheet-editor.ts';
import { readResult } from './gateway/read-record.ts';
import { referenceSourceOf, rowSource, withPick } from './night/row-source.ts';
import type { Clock, WorkWatch } from './ports/base.ts';
import type { TaskReader } from './ports/task-store.ts';
import { previewRow } from './preview-row.ts';
import { rawSheetOfTable, readClipboardTable } from './sheet-files/clipboard/read-clipboard.ts';
import type { ClipboardText } from './sheet-files/clipboard/clipboard-html.ts';
import type { WordListFolder } from './sheet-files/lists/word-lists.ts';
import type { ReadSheetOptions } from './sheet-files/read/read-sheet.ts';
import type { ReadListener, SheetReader } from './sheet-files/reader-process/sheet-reader.ts';
import {
  writeOwnResults,
  writeResults,
  type ResultsTarget,
  type WrittenResults,
} from './sheet-files/results/write-results.ts';
import { watchFile } from './sheet-files/watch-file.ts';
import type { SheetStore, StoredRow } from './ports/sheet-store.ts';
import { domainWords } from '../shared/words/domain-words.ts';

export interface SheetsOptions {
  readonly store: TaskReader;
  readonly views: Pick<BatchViews, 'exportRows'>;
  readonly rows: Pick<SheetStore, 'rowsByKeys'>;
  readonly editor: SheetEditor;
  readonly living: LivingSheets;
  readonly reader: SheetReader;
  readonly lists: Pick<WordListFolder, 'current'>;
  readonly clock: Clock;
  /** Finds every key that is known so far. */
  readonly keyFinder: () => KeyFinder;
}

/** The sheets of batches, and those that may become one. */
export class Sheets {
  readonly #options: SheetsOptions;

  constructor(options: SheetsOptions) {
    this.#options = options;
  }

  /** Reads a sheet's file in its own process with limits, without checking it; or says why it refuses the file. */
  read(file: string, reading: ReadSheetOptions = {}, listener?: ReadListener): Promise<Result<RawSheet, SheetProblem>> {
    return this.#options.reader.read(file, reading, listener);
  }

  /** The table in a clipboard as a sheet; undefined if there is none: a single line is at most a header. */
  readTable(content: ClipboardText, name: string): Result<RawSheet, SheetProblem> | undefined {
    const table = readClipboardTable(content);
    const lines = table.filter((line) => !line.every(isBlank));
    return lines.length > 1 ? rawSheetOfTable(table, name) : undefined;
  }

  /** Checks a sheet that was read. Blots out a known key in it, and blocks the row. */
  check(sheet: RawSheet, options: CheckOptions = {}): CheckedSheet {
    return checkSheet(sheet, { ...options, keyFinder: this.#options.keyFinder() });
  }

  /** A text of a file as it may be shown: every known key in it is blotted out. */
  withoutKeys(text: string): string {
    return this.#options.keyFinder().hide(text);
  }

  /**
   * Applies a difference (see {@link LivingSheets.apply}), and tells listeners. `releases`: lets the rows run that need
   * submits, with this many `tasks`; it does not start the batch.
   */
  applyDifference(
    batchId: string,
    differenceId: string,
    { releases, ...options }: ApplyOptions & { readonly releases: boolean },
    watch?: WorkWatch,
  ): Promise<Result<AppliedDifference & { readonly tasks: number }, string>> {
    const { editor, living } = this.#options;
    return editor.exclusively(batchId, async (release) => {
      const applied = await living.apply(differenceId, options, watch);
      if (!applied.ok) return applied;
      return ok({ ...applied.value, tasks: releases ? await release(applied.value.keys) : 0 });
    });
  }

  /** The body of a row as in its sheet and as it will be sent; undefined if there is no such row. */
  async previewRow(batchId: string, key: number): Promise<BodyPreview | undefined> {
    const lists = await this.#options.lists.current();
    const { store, rows } = this.#options;
    const batch = await store.batch(batchId);
    const [stored] = batch === undefined ? [] : await rows.rowsByKeys(batchId, [key]);
    if (batch === undefined || stored === undefined) return undefined;
    const sources = await this.#sourcesOf(batchId, rowsReferredTo(stored.row.links));
    return previewRow(stored.row, batch, lists, (rowId) => sources.get(rowId), accountOf(stored));
  }

  /** What a row asks for as text to copy, with everything filled in and no key in it; undefined if there is none. */
  async requestText(batchId: string, key: number, what: 'prompt' | 'curl'): Promise<string | undefined> {
    const batch = await this.#options.store.batch(batchId);
    const preview = await this.previewRow(batchId, key);
    if (batch === undefined || preview?.operation === undefined) return undefined;
    const { operation, after } = preview;
    const text =
      what === 'curl'
        ? requestAsCurl(await this.#gatewayOf(batch, key), operation, after)
        : promptOf(operation, parseLossless(after));
    // A cell may contain a key that was entered after the sheet was imported.
    return text && this.#options.keyFinder().hide(text);
  }

  /** Where a row of a batch is sent: empty while it may go to one of several accounts. */
  async #gatewayOf({ id, settings }: BatchRecord, key: number): Promise<string> {
    const [stored] = await this.#options.rows.rowsByKeys(id, [key]);
    const account = stored && accountOf(stored);
    if (settings.accounts !== undefined && account === undefined) return '';
    return accountNamed(settings, account).profile.baseUrl;
  }

  /** Writes the results of a batch's rows beside its file; returns where, or why it cannot. */
  async writeResults(
    batchId: string,
    into: ResultsTarget['into'],
    watch: WorkWatch = {},
  ): Promise<Result<WrittenResults, string>> {
    const { store, views, living, reader } = this.#options;
    const batch = await store.batch(batchId);
    if (batch !== undefined && batch.sheetPath === undefined) {
      watch.onBound?.();
      return writeOwnResults(into, batch.headers, views.exportRows(batchId));
    }
    const found = await living.results(batchId, watch);
    if (!found.ok) return found;
    // The file is whole at every moment, and little time is left to go.
    watch.onBound?.();
    const { file, source, results } = found.value;
    const written = await writeResults({ original: file, source, into }, results, reader);
    if (!written.ok || results.differing === 0) return written;
    const note = domainWords.problems.file.results.differing(results.differing);
    return ok({ ...written.value, notes: [...written.value.notes, note] });
  }

  /** Reports changes of a batch's file that have come to rest, until the returned function is called. */
  watch(file: string, known: SheetSource | undefined, onChanged: () => void): () => void {
    return watchFile({ path: file, clock: this.#options.clock, known: known?.sha256, onChanged });
  }

  /** What done rows give to other rows, as far as the store knows. */
  async #sourcesOf(batchId: string, rowIds: readonly string[]): Promise<ReadonlyMap<string, ReferenceSource>> {
    const { store } = this.#options;
    const sources = new Map<string, ReferenceSource>();
    for (const rowId of rowIds) {
      const source = await rowSource(store, batchId, rowId);
      if (source.kind !== 'done') continue;
      const given = await referenceSourceOf(store, { resultOf: readResult }, source.task);
      sources.set(rowId, withPick(given, source.task, source.picked));
    }
    return sources;
  }
}

/** The account that a row was last sent with, or that it names; undefined if it may go to any. */
function accountOf({ tasks, row }: StoredRow): string | undefined {
  return tasks.findLast((task) => task.account !== undefined)?.account ?? row.account;
}
