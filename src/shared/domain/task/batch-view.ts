/** What screens and exports see of a batch: one line of the sheet is one row, however many takes it has. */
import type { BatchRecord } from './batch.ts';
import type { CommonText } from '../cells/cell-order.ts';
import type { FailureCode } from '../base/failure.ts';
import type { GateFlag } from '../gates/ask-gates.ts';
import type { GateCode } from '../gates/gates.ts';
import type { Family, OperationPath } from '../operations/operations.ts';
import type { RowViewStatus } from './row-status.ts';
import type { IgnoredWarnings, SheetProblem } from '../sheet/problems.ts';
import type { ShownTake, TaskStatus } from './task.ts';
import type { RowFile, RowSummary } from './views/row-summary.ts';
import type { FullRow } from './views/full-row.ts';
import type { ExportedRow, OutputFile, TaskFiles, FiledFile } from './views/exported-row.ts';

export interface RowFilter {
  /** Any of these statuses; an empty or absent list means all. */
  readonly status?: readonly RowViewStatus[] | undefined;
  readonly family?: Family | undefined;
  readonly operation?: OperationPath | undefined;
  /** Rows of which a take failed for this reason. */
  readonly failure?: FailureCode | undefined;
  /** Rows whose id, label or a cell contains this text, ignoring case. */
  readonly text?: string | undefined;
  /** Rows whose cell under a header has this text, ignoring blanks around it; an empty text finds blank cells. */
  readonly cell?: CellValue | undefined;
  /** Rows that were edited since the import and say something else now, and rows that were added. */
  readonly isEdited?: true | undefined;
}

/** What a cell says under a header of the sheet. */
export interface CellValue {
  readonly header: string;
  readonly text: string;
}

/** Where a row is in its sheet; rows with the same position are ordered by their keys. */
export interface RowPosition {
  readonly position: number;
  readonly key: number;
}

/** A row that contains a text. */
export interface FoundRow {
  readonly key: number;
  readonly row: string;
  readonly status: RowViewStatus;
  /** Part of the cell that contains it; the row's label if its id contains it. */
  readonly text: string;
  /** The header of the cell that contains it; absent if no cell contains it as typed. */
  readonly header?: string;
}

/** What a page of a sheet has, and where the next page begins; absent at the end. */
export interface FoundRows {
  readonly rows: readonly FoundRow[];
  readonly next?: RowPosition;
}

/** How many rows are searched before other requests are answered. */
export const FIND_PAGE = 5_000;

/** How many rows have a take that failed for one reason. */
export interface FailedRows {
  readonly code: FailureCode;
  readonly rows: number;
}

export const ROW_SORT_COLUMNS = ['line', 'row', 'operation', 'label', 'status', 'submittedAt', 'finishedAt'] as const;

export type RowSortColumn = (typeof ROW_SORT_COLUMNS)[number];

/** What rows are sorted by: something known about them, or their cells under a header of the sheet. */
export type RowSortBy = { readonly column: RowSortColumn } | { readonly column: 'cell'; readonly header: string };

export type RowSort = RowSortBy & { readonly direction: 'ascending' | 'descending' };

/** The sheet's own order. */
export const BY_LINE = { column: 'line', direction: 'ascending' } as const satisfies RowSort;

/** An order and a choice of a batch's rows, as a grid shows them: a row's place in it counts from 0. */
export interface RowsInView {
  readonly filter?: RowFilter;
  /**
   * By line, ascending, by default. Equal rows are ordered by line, in the same direction; absent times and empty cells
   * come last.
   */
  readonly sort?: RowSort;
}

export interface RowPageQuery extends RowsInView {
  readonly offset: number;
  readonly limit: number;
  /** Include the cells of the sheet. */
  readonly withCells?: boolean | undefined;
}

export interface RowPage {
  /** Rows on all pages that pass the filter. */
  readonly total: number;
  readonly rows: readonly RowSummary[];
}

export interface RowsOfView {
  readonly keys: readonly number[];
  readonly rows: readonly RowSummary[];
}

export type FamilyStatusCounts = Readonly<Record<Family, Readonly<Record<TaskStatus, number>>>>;

export interface BatchSummary {
  readonly batch: BatchRecord;
  /** Tasks by family and status. */
  readonly tasks: FamilyStatusCounts;
  /** How many tasks with an unknown outcome settle themselves, unless their row is held; absent if none does. */
  readonly settling?: number;
  readonly rows: Readonly<Record<RowViewStatus, number>>;
  /** Submits that were or may have been charged. */
  readonly submitsUsed: number;
  /** Ignored warnings are counted by themselves. */
  readonly problems: {
    readonly errors: number;
    readonly warnings: number;
    readonly ignored: readonly IgnoredWarnings[];
  };
  /** Submits that running the drafts would take. */
  readonly draftSubmits: number;
  /** The row that goes first of its kind, while others of that kind wait for it. */
  readonly waitsForFirst?: string;
}

/** What Nocturne needs to know about each take to act on many of them. */
export interface ViewedTake extends ShownTake {
  /** The key of the take's row. */
  readonly row: number;
  readonly operation: OperationPath;
  /** The user holds its row. */
  readonly isHeld?: true;
  /** It was refused for what it asks for (`isRefusedAsItIs`). */
  readonly isRefused?: true;
  /** Its failure is only inferred (`isSuspectedFailure`): a retry asks the gateway about it again, and pays for nothing. */
  readonly isInferred?: true;
  /** The gateway may still have its result: a retry asks for that, and pays for nothing. */
  readonly isFetched?: true;
}

/** How files can be chosen; `picked` is the file from which the rows that refer to its row are made. */
export const SEEN_VERDICTS = ['undecided', 'kept', 'rejected', 'picked'] as const;

export type SeenVerdict = (typeof SEEN_VERDICTS)[number];

/** The files that rows have now, and those that they had before they were changed or rendered again. */
export const FILE_VERSIONS = ['now', 'earlier'] as const;

export type SeenVersion = (typeof FILE_VERSIONS)[number];

/** Which files a gallery shows; what is absent excludes none. */
export interface FileFilter {
  readonly version?: SeenVersion | undefined;
  readonly operation?: OperationPath | undefined;
  readonly verdict?: SeenVerdict | undefined;
  /** Rated at least this high. */
  readonly minRating?: number | undefined;
  /** Flagged by this gate, or by any. */
  readonly flagged?: GateCode | 'any' | undefined;
  /** Files of rows whose id, label or note contains this text, ignoring case. */
  readonly text?: string | undefined;
}

/** A verified file of a row, and the row that it belongs to. */
export interface ViewedFile extends RowFile {
  readonly key: number;
  readonly row: string;
  /** The row's title, or the beginning of its prompt. */
  readonly label: string;
  readonly operation: OperationPath;
  readonly take: number;
  /** What the gates say about it; empty if nothing. */
  readonly flags: readonly GateFlag[];
  readonly isPicked?: true;
  /** The row had this file before it was changed or rendered again. */
  readonly isEarlier?: true;
}

/** One answer has at most this many files: more than any screen shows. */
export const FILES_AT_ONCE = 500;

/** What screens and exports ask the store for. An unknown batch has no rows. */
export interface BatchViews {
  /** The present takes with one of these statuses, by position and take: of the whole batch or of these rows. */
  takesByStatus(
    batchId: string,
    statuses: readonly TaskStatus[],
    keys?: readonly number[],
  ): Promise<readonly ViewedTake[]>;
  /** The rows of one screen; `limit` is at most 1,000. */
  rowPage(batchId: string, query: RowPageQuery): Promise<RowPage>;
  /** The rows of one screen, with the keys of all rows of the view in its order. */
  viewPage(batchId: string, query: RowPageQuery): Promise<RowsOfView>;
  /**
   * The rows whose id, label or cells contain a text, ignoring case: at most `most` of the {@link FIND_PAGE} rows after a place, in
   * the order of the sheet. An empty text finds nothing.
   */
  rowsWith(batchId: string, text: string, after: RowPosition | undefined, most: number): Promise<FoundRows>;
  /** The texts that most rows have under a header, the most frequent first; an empty text stands for blank cells. */
  commonTexts(batchId: string, header: string): Promise<readonly CommonText[]>;
  /** The rows with these keys that exist, by line. */
  rowsByKeys(batchId: string, keys: readonly number[], withCells?: boolean): Promise<readonly RowSummary[]>;
  /** The rows with these ids that exist, by line: for rows that changed. */
  rowsByIds(batchId: string, rowIds: readonly string[]): Promise<readonly RowSummary[]>;
  /** The ids of all tasks that the rows with these keys ever had, by line, take and id. */
  tasksEverOfKeys(batchId: string, keys: readonly number[]): Promise<readonly number[]>;
  /** Everything about the row with this key; undefined if it is not in the sheet. */
  rowDetail(batchId: string, key: number): Promise<FullRow | undefined>;
  batchSummary(batchId: string): Promise<BatchSummary | undefined>;
  /** For which reasons takes failed, and of how many rows: the most frequent first. */
  failures(batchId: string): Promise<readonly FailedRows[]>;
  /** The sheet's problems, in its order; at most `limit`. */
  problems(batchId: string, limit: number): Promise<readonly SheetProblem[]>;
  /**
   * Every row, by line, with everything that the media folder records about it, including removed rows that had been
   * submitted. Only a few hundred are in memory at a time.
   */
  exportRows(batchId: string): AsyncIterable<ExportedRow>;
  /** The verified files of every task that has any, including those for an earlier content of a row. */
  taskFiles(batchId: string): Promise<readonly TaskFiles[]>;
  /** The files that are rejected, that the user's word puts elsewhere, or that have left something behind. */
  filedFiles(batchId: string): Promise<readonly FiledFile[]>;
  /** Where an output's file is; undefined if the output is unknown or has no file. */
  outputFile(outputId: string): Promise<OutputFile | undefined>;
  /** Which files pass a filter, in their order: for each, the id of its task and its index there. */
  filesFound(batchId: string, filter: FileFilter): Promise<Float64Array<ArrayBuffer>>;
  /** The files with these ids that the batch has, in their order; at most `FILES_AT_ONCE`. */
  filesByIds(batchId: string, outputIds: readonly string[]): Promise<readonly ViewedFile[]>;
}

/** At most this many rows a page: more than any screen shows. */
export const PAGE_LIMIT = 1_000;
