/** What screens and exports see of a batch: one line of the sheet is one row, whatever the number of its takes. */
import type { BatchRecord } from './batch.ts';
import type { Failure } from './failure.ts';
import type { JsonObject } from '../base/json.ts';
import type { Family, OperationPath } from '../operations/operations.ts';
import type { RowViewStatus } from './row-status.ts';
import type { Row } from '../sheet/row.ts';
import type { SheetProblem } from '../sheet/problems.ts';
import type { EndedPhase } from '../gateway/poll-outcome.ts';
import type { SubmitOutcome } from '../gateway/submit-outcome.ts';
import type { OutputState, ShownTake, TaskStatus } from './task.ts';
import type { TaskEventKind } from './task-event.ts';

/** A verified file of a row. */
export interface RowFile {
  readonly outputId: string;
  /** Inside the media folder, with `/`. */
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
}

/** A row shows at most this many of its files; `fileCount` says how many there are. */
export const FILES_SHOWN = 8;

/** One line of the grid. Times are milliseconds since the epoch, UTC. */
export interface RowView {
  /** Names the row for as long as the store exists. */
  readonly key: number;
  readonly row: string;
  /** Line of the sheet, counted from 1 with the header as the first. */
  readonly line: number;
  /** Absent when the row names no known operation. */
  readonly operation?: OperationPath;
  /** Its title, or the beginning of its prompt. */
  readonly label: string;
  readonly status: RowViewStatus;
  readonly takes: number;
  /** Takes that are done, of those that were made of the row. */
  readonly progress: { readonly done: number; readonly total: number };
  readonly files: readonly RowFile[];
  readonly fileCount: number;
  /** Of the first take that has the row's status, and one. */
  readonly failure?: Failure;
  /** When a file is asked for again that did not come, because of {@link failure}. */
  readonly retryAt?: number;
  /** The first thing that is wrong with the row in its sheet, errors before warnings. */
  readonly problem?: SheetProblem;
  /** The first submit of any take. */
  readonly submittedAt?: number;
  /** The end of the last take; absent while one is on its way. */
  readonly finishedAt?: number;
  /** The earliest time at which a take that is not at its end is looked at again. */
  readonly dueAt?: number;
  /** A take will be cancelled as soon as its outcome is known. */
  readonly cancelWanted: boolean;
  readonly taskCodes: readonly string[];
  /** With {@link RowPageQuery.withCells}. */
  readonly sheet?: RowCells;
}

/** What the cells of a row hold. */
export interface RowCells {
  /** In the order of the sheet's headers, each cut at {@link CELL_SHOWN} characters. */
  readonly cells: readonly string[];
  /** Indexes of those that were cut. */
  readonly cutCells: readonly number[];
  /** What is wrong with single cells: the problems of the row that name a column. */
  readonly problems: readonly SheetProblem[];
}

/** A page shows at most so much of each cell. */
export const CELL_SHOWN = 1_000;

export interface RowFilter {
  /** Any of these; none given means all. */
  readonly status?: readonly RowViewStatus[] | undefined;
  readonly family?: Family | undefined;
  readonly operation?: OperationPath | undefined;
  /** Rows whose id, label or note contains this, whatever the case. */
  readonly text?: string | undefined;
}

export const ROW_SORT_COLUMNS = ['line', 'row', 'operation', 'label', 'status', 'submittedAt', 'finishedAt'] as const;
export type RowSortColumn = (typeof ROW_SORT_COLUMNS)[number];

export interface RowSort {
  readonly column: RowSortColumn;
  readonly direction: 'ascending' | 'descending';
}

/** An order and a choice of the rows of a batch, as a grid shows them: a row is found in it by its place, from 0. */
export interface RowsInView {
  readonly filter?: RowFilter;
  /** By line, ascending, where nothing is said. Equal rows are in order of line, in the same direction; absent times are last. */
  readonly sort?: RowSort;
}

export interface RowPageQuery extends RowsInView {
  readonly offset: number;
  readonly limit: number;
  /** With the cells of the sheet. */
  readonly withCells?: boolean | undefined;
}

export interface RowPage {
  /** Rows that pass the filter, on all pages. */
  readonly total: number;
  readonly rows: readonly RowView[];
}

/** One submit, without its bytes: those are asked for on their own, as evidence. */
export interface AttemptView {
  readonly id: number;
  readonly startedAt: number;
  readonly origin: string;
  readonly keyFingerprint: string;
  readonly bodySha256: string;
  readonly answeredAt?: number;
  readonly outcome?: SubmitOutcome['kind'] | 'interrupted';
  readonly httpStatus?: number;
}

export interface OutputView {
  readonly outputId: string;
  readonly index: number;
  readonly state: OutputState;
  readonly path?: string;
  readonly sha256?: string;
  readonly bytes?: number;
  readonly mediaType?: string;
}

export interface TaskDetail {
  readonly taskId: number;
  readonly take: number;
  readonly status: TaskStatus;
  readonly taskCode?: string;
  readonly dueAt: number;
  readonly submittedAt?: number;
  readonly finishedAt?: number;
  readonly failure?: Failure;
  readonly outputs: readonly OutputView[];
  readonly attempts: readonly AttemptView[];
  /** The latest {@link EVENTS_SHOWN} events, oldest first. */
  readonly events: readonly {
    readonly at: number;
    readonly kind: TaskEventKind;
    readonly failure?: Failure;
    /** Of a poll: the gateway has ended it without a result. */
    readonly ended?: EndedPhase;
    /** Of a rendering: it was inferred, the gateway did not say so. */
    readonly provisional?: true;
  }[];
}

export const EVENTS_SHOWN = 500;

/** A take that was sent for what its row asked for earlier: what is needed to talk with the gateway about its charge. */
export interface EarlierTake extends Omit<TaskDetail, 'events' | 'dueAt'> {
  readonly operation: OperationPath;
  /** What it asked for: the title, or the beginning of the prompt, as it was sent. */
  readonly label: string;
  /** As it was sent last; absent where that is no JSON object. */
  readonly request?: JsonObject;
}

/** The takes of a row that were sent for what it asked for earlier. */
export interface EarlierTakes {
  /** The latest {@link EARLIER_TAKES_SHOWN}, the latest first. */
  readonly shown: readonly EarlierTake[];
  readonly count: number;
  /** Submits of all of them that were or may have been charged. */
  readonly submitsUsed: number;
}

export const EARLIER_TAKES_SHOWN = 20;

/** Everything about one row, for the panel beside the grid. */
export interface RowDetail {
  readonly view: RowView;
  readonly note?: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  readonly problems: readonly SheetProblem[];
  readonly tasks: readonly TaskDetail[];
  /** Outputs that were made for what the row asked for earlier, the latest first. */
  readonly earlier: readonly OutputView[];
  readonly earlierTakes: EarlierTakes;
  /** The gateway is still asked about a take that was made for what the row asked for earlier. */
  readonly isEarlierWatched: boolean;
}

export type FamilyStatusCounts = Readonly<Record<Family, Readonly<Record<TaskStatus, number>>>>;

export interface BatchSummary {
  readonly batch: BatchRecord;
  /** Tasks by family and status. */
  readonly tasks: FamilyStatusCounts;
  readonly rows: Readonly<Record<RowViewStatus, number>>;
  /** Submits that were or may have been charged. */
  readonly submitsUsed: number;
  readonly problems: { readonly errors: number; readonly warnings: number };
  /** Submits that the drafts ask for. */
  readonly draftSubmits: number;
}

/** A row with everything that the media folder says of it. */
export interface ExportedRow {
  readonly row: Row;
  readonly status: RowViewStatus;
  readonly failure?: Failure;
  /** In order of take; those of an earlier content of the row are among them. */
  readonly tasks: readonly ExportedTask[];
  /** The row is no longer in the sheet. */
  readonly isRemoved?: true;
}

export interface ExportedTask {
  readonly take: number;
  readonly taskCode?: string;
  readonly status: TaskStatus;
  readonly submittedAt?: number;
  readonly finishedAt?: number;
  readonly failure?: Failure;
  /** Made for an earlier content of the row: it counts no more. */
  readonly superseded?: true;
  /** What it asked for, as it was sent, where it is superseded: the row asks for something else now. */
  readonly request?: JsonObject;
  /** Where it is another one than the row's present one. */
  readonly operation?: OperationPath;
  /** The verified files. */
  readonly outputs: readonly {
    readonly index: number;
    readonly path: string;
    readonly sha256: string;
    readonly bytes: number;
    readonly mediaType: string;
  }[];
}

/** Where a file of an output lies. */
export interface OutputFile {
  /** Absolute path of the media folder that it was placed in. */
  readonly folder: string;
  /** Inside the folder, with `/`. */
  readonly path: string;
  /** Absent when it was set aside before anybody knew what it is. */
  readonly mediaType?: string;
  readonly verified: boolean;
}

/** How many verified files a task has, and their bytes. */
export interface TaskFiles {
  readonly task: number;
  readonly files: number;
  readonly bytes: number;
}

/** What is known of a take where many are meant. */
export interface ViewedTake extends ShownTake {
  /** The key of its row. */
  readonly row: number;
  readonly operation: OperationPath;
}

/** What screens and exports ask of the store. An unknown batch has no rows. */
export interface BatchViews {
  /**
   * The present takes with one of these statuses in order of position and take: of the whole batch, or of the rows with
   * these keys.
   */
  takesByStatus(batchId: string, statuses: readonly TaskStatus[], keys?: readonly number[]): readonly ViewedTake[];
  /** The rows of one screen; `limit` is at most 1,000. */
  rowPage(batchId: string, query: RowPageQuery): RowPage;
  /** The keys of all rows of a view, in its order. */
  rowKeys(batchId: string, view: Pick<RowPageQuery, 'filter' | 'sort'>): readonly number[];
  /** The rows with these keys that there are, in order of line. */
  rowsByKeys(batchId: string, keys: readonly number[], withCells?: boolean): readonly RowView[];
  /** The rows with these ids that there are, in order of line: for what has changed. */
  rowsByIds(batchId: string, rowIds: readonly string[]): readonly RowView[];
  /** The ids of all tasks that the rows with these keys ever had, in order of line, take and id. */
  tasksEverOfKeys(batchId: string, keys: readonly number[]): readonly number[];
  /** Everything about the row with this key; undefined where it is not in the sheet. */
  rowDetail(batchId: string, key: number): RowDetail | undefined;
  batchSummary(batchId: string): BatchSummary | undefined;
  /** What is wrong with the sheet, in its order; at most `limit`. */
  problems(batchId: string, limit: number): readonly SheetProblem[];
  /**
   * Every row in order of line with everything the media folder says of it, also those that were removed but had been
   * submitted; a few hundred at a time are in memory.
   */
  exportRows(batchId: string): Iterable<ExportedRow>;
  /** The verified files of every task that has some, also of those for what a row asked for earlier. */
  taskFiles(batchId: string): readonly TaskFiles[];
  /** Where the file of an output lies; undefined for an unknown one and for one that has no file. */
  outputFile(outputId: string): OutputFile | undefined;
}

/** Rows of one page at most: more than any screen shows. */
export const PAGE_LIMIT = 1_000;
