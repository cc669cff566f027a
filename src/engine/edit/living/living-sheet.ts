/** The living sheet: re-imports a batch's file, compares it with the batch, and applies what changed. */
import { randomUUID } from 'node:crypto';
import { err, groupBy, ok, present, type Result } from '../../../shared/domain/base/result.ts';
import { presentRow, resultsSheetCells } from '../../../shared/domain/files/manifest.ts';
import { checkSheet } from '../../../shared/domain/sheet/check-sheet.ts';
import { cellTexts, type CheckedSheet, isSheetRefused } from '../../../shared/domain/sheet/row.ts';
import {
  type CheckOptions,
  createSheetChecker,
  type RowBeside,
  type SheetChecker,
} from '../../../shared/domain/sheet/sheet-checker.ts';
import type { RowEdits } from '../../../shared/domain/cells/row-edits.ts';
import { correctCells } from '../../../shared/domain/sheet/sheet-raw.ts';
import { changedCells, type KnownRow, type SheetComparison } from '../../../shared/domain/sheet/sheet-difference.ts';
import type { SheetSource } from '../../../shared/domain/sheet/sheet-raw.ts';
import type { BatchViews } from '../../../shared/domain/task/batch-view.ts';
import type { BatchRecord, SheetSettings } from '../../../shared/domain/task/batch.ts';
import { whyLocked } from '../../../shared/domain/task/row-status.ts';
import type { Clock, WorkWatch } from '../../ports/base.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import { domainWords } from '../../../shared/words/domain-words.ts';
import type { RowContent, SheetStore, StoredRow } from '../../ports/sheet-store.ts';
import { letOthers, type QueueHolder, untilWritten } from '../edit-parts.ts';
import { paidBefore } from '../plan-edit.ts';
import { chosenOf, compareAlone, compareBeside, type ComparedFile } from './kept-rows.ts';
import {
  type ApplyOptions,
  type DifferenceContext,
  hasError,
  keyedChanges,
  keysToRead,
  type PlaceInFile,
  planDifference,
  runs,
  type SubmitsOfDifference,
  submitsOfDifference,
  submitsUnseen,
} from './plan-difference.ts';
import { readAgain, type ReadFileAs } from './read-again.ts';
import { fileRowsOf } from './file-rows.ts';

/** A sheet's file, read and checked the way its batch was. */
export interface ReadSheet {
  readonly sheet: CheckedSheet;
  readonly source: SheetSource;
  /** Lines whose text was corrected at the import: the file keeps its mistakes. */
  readonly correctedLines?: readonly number[];
}

/** The results of rows: the four texts of the result columns. */
export interface RowResults {
  /** By line of the file. */
  readonly byLine: ReadonlyMap<number, readonly string[]>;
  /** Rows that the file does not have. */
  readonly added: readonly { readonly cells: Readonly<Record<string, string>>; readonly results: readonly string[] }[];
  /** How many lines of the file say something else than the row whose results they get. */
  readonly differing: number;
}

export interface LivingSheetOptions {
  readonly store: Pick<TaskStore, 'batch'>;
  readonly sheets: SheetStore;
  readonly views: Pick<BatchViews, 'exportRows'>;
  readonly clock: Clock;
  readonly night: QueueHolder['night'];
  readonly read: ReadFileAs;
  /** What the sheet of a batch is checked with. */
  readonly checkOptions: (batch: BatchRecord) => Promise<CheckOptions>;
}

/** The same, and how it is checked with other rows beside its own. */
interface ReadAgain extends ReadSheet {
  readonly recheck: (beside: readonly RowBeside[]) => CheckedSheet;
}

/** A file beside its batch, and what taking it over asks for. */
interface DifferenceOfFile extends SubmitsOfDifference {
  readonly read: ReadSheet;
  readonly comparison: SheetComparison;
  /** Places of the compared rows that have an error in the file and cannot run. */
  readonly invalid: ReadonlySet<number>;
}

/** A file compared with its batch; kept until it is applied or replaced by another comparison. */
export interface SheetDifference extends DifferenceOfFile {
  readonly id: string;
  readonly batchId: string;
  readonly file: string;
  /** What is different if the rows that are no longer in the file are kept; absent if nothing is (see {@link chosenOf}). */
  readonly kept?: DifferenceOfFile;
}

/** What was applied. */
export interface AppliedDifference {
  /** Rows that have started since the comparison, and stay as they are. */
  readonly left: readonly string[];
  /** Keys of the rows for which new submits were counted: drafts among them run only at the user's word. */
  readonly keys: readonly number[];
}

const DIFFERENCES_KEPT = 4;
const ROWS_AT_A_TIME = 500;

/** Compares batches with their files and applies what changed. One instance serves all batches. */
export class LivingSheets {
  readonly #options: LivingSheetOptions;
  readonly #differences = new Map<string, SheetDifference>();

  constructor(options: LivingSheetOptions) {
    this.#options = options;
  }

  /** Reads a file, by default the batch's own, and compares. Changes nothing. */
  async compare(
    batchId: string,
    file?: string,
    watch: WorkWatch = {},
    note?: (stored: StoredRow) => void,
  ): Promise<Result<SheetDifference, string>> {
    const batch = await this.#batch(batchId);
    const path = file ?? batch.sheetPath;
    if (path === undefined) return err(domainWords.problems.edits.living.noFile);
    const read = await this.#read(path, batch);
    watch.signal?.throwIfAborted();
    if (!read.ok) return read;
    const known = await this.#knownRows(batch, note, watch);
    const difference = await this.#difference(batch, path, read.value, known);
    watch.signal?.throwIfAborted();
    this.#keep(difference);
    return ok(difference);
  }

  get(differenceId: string): SheetDifference | undefined {
    return this.#differences.get(differenceId);
  }

  /**
   * Applies a difference in one transaction. The file must not have changed since the comparison, and no row may need
   * submits that the comparison did not show; rows that have started since are left as they are, and named.
   */
  async apply(
    differenceId: string,
    options: ApplyOptions,
    watch: WorkWatch = {},
  ): Promise<Result<AppliedDifference, string>> {
    const compared = this.#differences.get(differenceId);
    if (compared === undefined) return err(domainWords.problems.edits.living.notKnown);
    const { batchId, file } = compared;
    watch.signal?.throwIfAborted();
    const now = await this.#read(file, await this.#batch(batchId));
    watch.signal?.throwIfAborted();
    if (!now.ok) return now;
    if (now.value.source.sha256 !== compared.read.source.sha256) {
      return err(domainWords.problems.edits.living.changed(file));
    }
    const checkOptions = await this.#options.checkOptions(await this.#batch(batchId));
    const applied = await untilWritten(batchId, this.#options, () =>
      this.#write(compared, now.value, options, checkOptions, watch),
    );
    if (applied?.ok === true) this.#differences.delete(differenceId);
    return applied ?? err(domainWords.problems.edits.tooQuick);
  }

  /** The results of the rows of the batch's file, line by line, to be written next to them. */
  async results(
    batchId: string,
    watch: WorkWatch = {},
  ): Promise<Result<{ file: string; source: SheetSource; results: RowResults }, string>> {
    const { signal, onProgress } = watch;
    // The batch is read twice: for the comparison, and for its results.
    const half = { ...present({ signal }), onProgress: (done: number, of: number) => onProgress?.(done, 2 * of) };
    const edits = new Map<number, RowEdits>();
    const note = (stored: StoredRow): unknown => stored.edits && edits.set(stored.key, stored.edits);
    const compared = await this.compare(batchId, undefined, half, note);
    if (!compared.ok) return compared;
    const { file, read, comparison, id } = compared.value;
    this.#differences.delete(id);
    const texts = new Map<string, readonly string[]>();
    const { rowCount } = await this.#batch(batchId);
    let seen = 0;
    for await (const exported of this.#options.views.exportRows(batchId)) {
      signal?.throwIfAborted();
      onProgress?.(rowCount + Math.min((seen += 1), rowCount), 2 * rowCount);
      const present = presentRow(exported);
      if (present !== undefined) texts.set(present.row.id, resultsSheetCells([], present));
    }
    const byLine = new Map<number, readonly string[]>();
    const added: { cells: Readonly<Record<string, string>>; results: readonly string[] }[] = [];
    const differing = new Set(read.correctedLines);
    for (const { before, after } of fileRowsOf(comparison, edits)) {
      const own = texts.get(before.id);
      if (own === undefined) continue;
      if (after === undefined) {
        added.push({ cells: before.cells, results: own });
        continue;
      }
      const { line } = after;
      byLine.set(line, together(byLine.get(line), own));
      if (changedCells(before, after).length > 0) differing.add(line);
    }
    const count = [...differing].filter((line) => byLine.has(line)).length;
    return ok({ file, source: read.source, results: { byLine, added, differing: count } });
  }

  async #read(file: string, batch: BatchRecord): Promise<Result<ReadAgain, string>> {
    const raw = await readAgain(this.#options.read, file, batch);
    if (!raw.ok) return err(domainWords.common.sentences([raw.error.message, raw.error.remedy]));
    const options = await this.#options.checkOptions(batch);
    const corrected = correctCells(raw.value, batch.sheet.corrections);
    const sheet = checkSheet(corrected, options);
    if (isSheetRefused(sheet)) return err(refusalText(sheet));
    const recheck = (beside: readonly RowBeside[]): CheckedSheet => checkSheet(corrected, { ...options, beside });
    const correctedLines = corrected.records.flatMap((record, i) =>
      record === raw.value.records[i] ? [] : record.line,
    );
    return ok({ sheet, source: raw.value.source, recheck, correctedLines });
  }

  async #difference(
    batch: BatchRecord,
    file: string,
    { sheet, source, correctedLines, recheck }: ReadAgain,
    known: readonly KnownRow[],
  ): Promise<SheetDifference> {
    const { mapping } = batch.sheet;
    const alone = compareAlone(known, sheet, mapping);
    const beside = compareBeside(alone, known, recheck, mapping);
    const kept = beside && (await this.#differenceOf(batch, source, beside));
    const difference = await this.#differenceOf(batch, source, alone);
    const read = { ...difference.read, ...present({ correctedLines }) };
    return { id: randomUUID(), batchId: batch.id, file, ...difference, read, ...present({ kept }) };
  }

  async #differenceOf(
    batch: BatchRecord,
    source: SheetSource,
    { sheet, comparison, invalid }: ComparedFile,
  ): Promise<DifferenceOfFile> {
    const changedKeys = comparison.rows.flatMap((row) => (row.kind === 'changed' ? row.key : []));
    const paid = await paidBefore(this.#options.sheets, batch, keyedChanges(comparison));
    const stored = await this.#storedRows(batch, changedKeys);
    const submits = submitsOfDifference(comparison, stored, paid, invalid);
    return { read: { sheet, source }, comparison, invalid, ...submits };
  }

  /** All rows of a batch. The night continues in the meantime: its changes are noticed when a difference is written. */
  async #knownRows(
    batch: BatchRecord,
    note?: (stored: StoredRow) => void,
    { signal, onProgress }: WorkWatch = {},
  ): Promise<readonly KnownRow[]> {
    const known: KnownRow[] = [];
    for await (const stored of this.#options.sheets.allRows(batch.id)) {
      note?.(stored);
      const { key, row, tasks, isDraft } = stored;
      const isDone = tasks.length > 0 && !isDraft && tasks.every(({ status }) => status === 'done');
      known.push({ key, row, locked: whyLocked(tasks), isBlocked: hasError(stored), ...(isDone && { isDone }) });
      if (known.length % ROWS_AT_A_TIME !== 0) continue;
      await letOthers();
      signal?.throwIfAborted();
      onProgress?.(known.length, batch.rowCount);
    }
    return known;
  }

  /**
   * Undefined if a task, or the batch's state, changed between reading and writing: the difference must be planned
   * again.
   */
  async #write(
    compared: SheetDifference,
    { sheet: asInFile, source, recheck }: ReadAgain,
    options: ApplyOptions,
    checkOptions: CheckOptions,
    watch: WorkWatch,
  ): Promise<Result<AppliedDifference, string> | undefined> {
    const { sheets, clock } = this.#options;
    const places = new Map<number, PlaceInFile>();
    const note = ({ key, position, row, problems, edits }: StoredRow): unknown =>
      places.set(key, { position, line: row.line, problems, ...present({ edits }) });
    // How long the rest takes is not known: a progress bar would reach its end and stop there.
    const known = await this.#knownRows(await this.#batch(compared.batchId), note, present({ signal: watch.signal }));
    // The batch's present state: if it was started while its rows were read, it gets drafts, and pays for nothing
    // unasked.
    const batch = await this.#batch(compared.batchId);
    const { mapping } = batch.sheet;
    const alone = compareAlone(known, asInFile, mapping);
    const beside = options.removed === 'keep' ? compareBeside(alone, known, recheck, mapping) : undefined;
    const { sheet, comparison, invalid } = beside ?? alone;
    const paid = await paidBefore(sheets, batch, keyedChanges(comparison));
    // Read last: the less happens in the night between this and the change, the better.
    const stored = await this.#storedRows(batch, keysToRead(comparison, options));
    const submits = submitsOfDifference(comparison, stored, paid, invalid);
    const unseen = submitsUnseen(submits, chosenOf(compared, options.removed), options);
    if (unseen > 0) return err(domainWords.problems.edits.living.asksMore(unseen));
    // Problems of the whole sheet have no row.
    const problems = groupBy(sheet.problems, ({ row }) => row);
    const now = clock.now();
    const planned = planDifference(comparison, {
      ...options,
      batch,
      now,
      placeOf: (key) => places.get(key),
      stored,
      paid,
      problemsAt: (index) => problems.get(sheet.rows[index]?.id ?? '') ?? [],
      contentOf: contentWriter(createSheetChecker(sheet.headers, checkOptions), sheet.headers),
      hide: (text) => checkOptions.keyFinder?.hide(text) ?? text,
    });
    const isRenumbered = planned.keptWithoutLine > 0;
    // Rows of the file may refer to a row that only the batch has.
    const isUnchecked = isRenumbered && sheet.problems.some(({ code }) => code === 'reference-missing');
    watch.signal?.throwIfAborted();
    watch.onBound?.();
    const outcome = await sheets.change(batch.id, {
      headers: sheet.headers,
      sheetPath: compared.file,
      sheet: { ...batch.sheet, source, isRenumbered, ...(isUnchecked && { isUnchecked }) } satisfies SheetSettings,
      sheetProblems: sheet.problems.filter((problem) => problem.row === undefined),
      rows: planned.rows,
      plannedIn: batch.state,
      at: now,
    });
    if (outcome.kind === 'stale') return undefined;
    // An earlier draft that differs only in a note was not counted: it keeps waiting.
    const uncounted = new Set(
      comparison.rows.flatMap((row, index) =>
        row.kind === 'details' && !(options.withDependents && submits.dependentSubmits.has(index)) ? [row.key] : [],
      ),
    );
    const updated = planned.rows.flatMap((row) => (row.kind === 'update' && !uncounted.has(row.key) ? [row.key] : []));
    return ok({ left: planned.left, keys: [...updated, ...outcome.inserted] });
  }

  async #storedRows(batch: BatchRecord, keys: readonly number[]): Promise<ReadonlyMap<number, StoredRow>> {
    const stored = new Map<number, StoredRow>();
    for (let from = 0; from < keys.length; from += ROWS_AT_A_TIME) {
      const rows = await this.#options.sheets.rowsByKeys(batch.id, keys.slice(from, from + ROWS_AT_A_TIME));
      for (const row of rows) stored.set(row.key, row);
    }
    return stored;
  }

  async #batch(batchId: string): Promise<BatchRecord> {
    await this.#options.night.stateStored(batchId);
    const batch = await this.#options.store.batch(batchId);
    if (batch === undefined) throw new Error(`No such batch: ${batchId}`);
    return batch;
  }

  #keep(difference: SheetDifference): void {
    const oldest = this.#differences.size >= DIFFERENCES_KEPT ? this.#differences.keys().next().value : undefined;
    if (oldest !== undefined) this.#differences.delete(oldest);
    this.#differences.set(difference.id, difference);
  }
}

/** Makes the stored form of a row; the sheet's check has already found its problems. */
function contentWriter(checker: SheetChecker, headers: readonly string[]): DifferenceContext['contentOf'] {
  return (row, position, problems, isDraft): RowContent => {
    const cells = cellTexts(row.cells, headers);
    const isBlocked = problems.some((problem) => problem.severity === 'error');
    const { unusedCells } = checker.checkRecord({ line: row.line, cells }, row.id);
    const runsAtAll = runs(row, isBlocked) > 0;
    return {
      row,
      position,
      problems,
      isDraft,
      request: runsAtAll ? checker.requestKey(row) : undefined,
      unused: unusedCells,
    };
  };
}

/** Several rows made from the choices of one line share its cells. */
function together(before: readonly string[] | undefined, own: readonly string[]): readonly string[] {
  if (before === undefined) return own;
  return own.map((text, i) => [before[i], text].filter((one) => one !== undefined && one !== '').join('|'));
}

function refusalText({ problems }: CheckedSheet): string {
  const refusal = problems.find((problem) => problem.severity === 'error' && problem.line === undefined);
  if (refusal === undefined) return domainWords.problems.edits.living.unreadable;
  return domainWords.common.sentences([refusal.message, refusal.remedy]);
}
