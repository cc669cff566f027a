/** What screens and exports see of a batch: one line of the sheet is one row, however many takes it has. */
import type { BatchRecord } from './batch.ts';
import type { CommonText } from '../cells/cell-order.ts';
import type { Failure, FailureCode } from '../base/failure.ts';
import type { GateFlag } from '../gates/ask-gates.ts';
import type { GateCode } from '../gates/gates.ts';
import type { JsonObject } from '../base/json.ts';
import type { Money } from '../base/money.ts';
import type { Family, OperationPath } from '../operations/operations.ts';
import type { KeepsEarlier } from './plan-tasks.ts';
import type { RowViewStatus } from './row-status.ts';
import type { Row } from '../sheet/row.ts';
import type { CellChange } from '../cells/row-edits.ts';
import type { IgnoredWarnings, SaidProblem, SheetProblem } from '../sheet/problems.ts';
import type { Verdict } from '../review/verdict.ts';
import type { EndedPhase } from '../gateway/poll-outcome.ts';
import type { SubmitOutcome } from '../gateway/submit-outcome.ts';
import type { Output, ShownTake, Task, TaskStatus } from './task.ts';
import type { PlacedFile, TaskEventKind } from './task-event.ts';

/** A verified file of a row. */
export interface RowFile {
  readonly outputId: string;
  /** Inside the media folder, with `/`. */
  readonly path: string;
  readonly mediaType: string;
  readonly bytes: number;
  /** How long a song or a film plays, if that is known. */
  readonly seconds?: number;
  /** What the user says about it. */
  readonly verdict?: Verdict;
}

/** A row shows at most this many files; `fileCount` says how many it has. */
export const FILES_SHOWN = 8;

/** One line of the grid. Times are milliseconds since the epoch, UTC. */
export interface RowSummary {
  /** Identifies the row for the lifetime of the store. */
  readonly key: number;
  readonly row: string;
  /** Line in the sheet, from 1; the header is line 1. */
  readonly line: number;
  /** Absent when the row names no known operation. */
  readonly operation?: OperationPath;
  /** The row's title, or the beginning of its prompt. */
  readonly label: string;
  readonly status: RowViewStatus;
  readonly takes: number;
  /** How many of the row's takes are done. */
  readonly progress: { readonly done: number; readonly total: number };
  readonly files: readonly RowFile[];
  readonly fileCount: number;
  /**
   * If the row has no file now: the files that it had before it was changed or rendered again, the latest of each take.
   * The first few of them, and how many there are.
   */
  readonly earlier?: { readonly files: readonly RowFile[]; readonly fileCount: number };
  /** How many of its files the user has kept and rejected; absent if none. */
  readonly kept?: number;
  readonly rejected?: number;
  /** From the first take that has the row's status and a failure. */
  readonly failure?: Failure;
  /** When Nocturne next tries to fetch a file that did not arrive because of {@link failure}. */
  readonly retryAt?: number;
  /** The first problem of the row in its sheet that is not ignored, errors before warnings. */
  readonly problem?: SaidProblem;
  /** The first submit of any of its takes. */
  readonly submittedAt?: number;
  /** When the last take ended; absent while a take is in progress. */
  readonly finishedAt?: number;
  /**
   * How long its takes took, in milliseconds: time that they share counts once, and the days between them do not count.
   * Set with `finishedAt`.
   */
  readonly tookMs?: number;
  /** When Nocturne next looks at a take that has not ended; the earliest such time. */
  readonly dueAt?: number;
  /** A take is cancelled as soon as its outcome is known. */
  readonly cancelWanted: boolean;
  /** The id of the row one of whose files the user has to pick before this row is rendered. */
  readonly waitsForPickOf?: string;
  /** The id of the row that has to be done before this one. */
  readonly waitsForRow?: string;
  /** The row in `waitsForRow` is a draft: it runs only at the user's word; absent in an export. */
  readonly waitsForDraft?: true;
  /** The id of the row that goes first of its kind, while it is not known whether that works; absent in an export. */
  readonly waitsForFirst?: string;
  /** The user holds the row: nothing new is submitted for it. */
  readonly isHeld?: true;
  /** Whether the wish to render the row again can be taken back, if there is one; absent in an export. */
  readonly keepsEarlier?: KeepsEarlier;
  readonly taskCodes: readonly string[];
  /** What its paid requests cost, by the gateway's own word; absent if the gateway did not say, and in an export. */
  readonly cost?: Money;
  /** Only with {@link RowPageQuery.withCells}. */
  readonly sheet?: RowCells;
}

/** The cells of a row. */
export interface RowCells {
  /** In the order of the sheet's headers, each cut at {@link CELL_SHOWN} characters. */
  readonly cells: readonly string[];
  /** Indexes of the cells that were cut. */
  readonly cutCells: readonly number[];
  /** Indexes of the cells that were edited since the import and say something else now; absent if none was. */
  readonly editedCells?: readonly number[];
  /** Problems of single cells: the row's problems that name a column and are not ignored. */
  readonly problems: readonly SheetProblem[];
}

/** A page shows at most this many characters of each cell. */
export const CELL_SHOWN = 1_000;

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

/** One submit, without its bytes: the evidence view asks for those separately. */
export interface AttemptView {
  readonly id: number;
  readonly startedAt: number;
  readonly origin: string;
  readonly keyFingerprint: string;
  readonly bodySha256: string;
  readonly answeredAt?: number;
  readonly outcome?: SubmitOutcome['kind'] | 'interrupted' | 'asked-again' | 'charged';
  /** The key under which it was sent. */
  readonly idempotencyKey?: string;
  readonly httpStatus?: number;
  /** What the gateway said this cost. */
  readonly cost?: Money;
}

export interface OutputView extends Pick<
  Output,
  'index' | 'state' | 'path' | 'sha256' | 'bytes' | 'mediaType' | 'seconds' | 'verdict'
> {
  readonly outputId: string;
}

/** An output that was made before its row was changed or rendered again. */
export interface EarlierOutput extends OutputView {
  /** When its take ended. */
  readonly madeAt?: number;
  /** It was made for another request than the one its row has now; absent if not, and if that cannot be told. */
  readonly isOfOtherRequest?: true;
  /** The id of the output that took its place, if that has a file. */
  readonly successorId?: string;
}

/** How a take ended, or what its state is. */
type TaskResult = Pick<Task, 'take' | 'status' | 'taskCode' | 'submittedAt' | 'finishedAt' | 'failure'>;

export interface TaskDetail extends TaskResult, Pick<Task, 'dueAt' | 'again'> {
  readonly taskId: number;
  readonly outputs: readonly OutputView[];
  readonly attempts: readonly AttemptView[];
  /** The latest {@link EVENTS_SHOWN} events, oldest first. */
  readonly events: readonly {
    readonly at: number;
    readonly kind: TaskEventKind;
    readonly failure?: Failure;
    /** For a poll: the gateway ended the task without a result. */
    readonly ended?: EndedPhase;
    /** For a rendering: Nocturne inferred it; the gateway did not say so. */
    readonly provisional?: true;
  }[];
}

export const EVENTS_SHOWN = 500;

/** A take sent for an earlier content of its row: what the user needs to dispute its charge with the gateway. */
export interface EarlierTake extends Omit<TaskDetail, 'events' | 'dueAt'> {
  readonly operation: OperationPath;
  /** What it asked for: its title, or the beginning of its prompt, as sent. */
  readonly label: string;
  /** The request as it was last sent; absent if that is not a JSON object. */
  readonly request?: JsonObject;
}

/** The takes of a row that were sent for an earlier content of the row. */
export interface EarlierTakes {
  /** The latest {@link EARLIER_TAKES_SHOWN}, newest first. */
  readonly shown: readonly EarlierTake[];
  readonly count: number;
  /** How many of their submits were or may have been charged. */
  readonly submitsUsed: number;
}

export const EARLIER_TAKES_SHOWN = 20;

/** Everything about one row, for the panel next to the grid. */
export interface FullRow {
  readonly view: RowSummary;
  readonly note?: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly body: JsonObject;
  /** What was edited in the row; absent if nothing was. */
  readonly edits?: { readonly addedAt?: number; readonly changes: readonly CellChange[] };
  readonly problems: readonly SheetProblem[];
  /** The rows that refer to it wait until the user has picked one of its files. */
  readonly isPickWanted?: true;
  /** The key of the row one of whose files the user has to pick before this row is rendered. */
  readonly pickFrom?: number;
  readonly tasks: readonly TaskDetail[];
  /** Outputs made for an earlier content of the row, newest first. */
  readonly earlier: readonly EarlierOutput[];
  readonly earlierTakes: EarlierTakes;
  /** Nocturne is still asking the gateway about a take that was made for an earlier content of the row. */
  readonly isEarlierWatched: boolean;
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
}

/** A row with everything that the media folder records about it. */
export interface ExportedRow {
  readonly row: Row;
  readonly status: RowViewStatus;
  readonly failure?: Failure;
  /** In order of take, including those for an earlier content of the row. */
  readonly tasks: readonly ExportedTask[];
  /** The row is no longer in the sheet. */
  readonly isRemoved?: true;
}

export interface ExportedTask extends TaskResult {
  /** Made for an earlier content of the row: it no longer counts. */
  readonly superseded?: true;
  /** What a superseded take asked for, as sent; the row now asks for something else. */
  readonly request?: JsonObject;
  /** What was sent for a song, or to learn when its words are sung: the row may only say where that comes from. */
  readonly sent?: JsonObject;
  /** Only if it differs from the row's present one. */
  readonly operation?: OperationPath;
  /** What its paid requests cost, by the gateway's own word. */
  readonly cost?: Money;
  /** The account that it was sent with, by its name in a batch with several. */
  readonly account?: string;
  /** How many files the user has deleted for good; absent if none. */
  readonly deleted?: number;
  /** The verified files. */
  readonly outputs: readonly (PlacedFile & Pick<Output, 'index' | 'verdict' | 'flags'>)[];
}

/** Where an output's file is. */
export interface OutputFile {
  /** Absolute path of the media folder that the file was placed in. */
  readonly folder: string;
  /** Inside the folder, with `/`. */
  readonly path: string;
  /** Absent if the file was set aside before Nocturne knew its kind. */
  readonly mediaType?: string;
  /** SHA-256 of its content, in hexadecimal; absent if the file was set aside before that was known. */
  readonly sha256?: string;
  readonly verified: boolean;
}

/** How many verified files a task has, and how many bytes they hold. */
export interface TaskFiles {
  readonly task: number;
  readonly files: number;
  readonly bytes: number;
}

/** A verified file that is rejected, or was: see {@link BatchViews.filedFiles}. */
export interface FiledFile {
  readonly outputId: string;
  /** Absolute path of the media folder that the file is in. */
  readonly folder: string;
  /** Inside the folder, with `/`. */
  readonly path: string;
  readonly bytes: number;
  /** False for a file that is no longer rejected, or was deleted. */
  readonly isRejected: boolean;
  /** The row had this file before it was changed or rendered again. */
  readonly isEarlier: boolean;
  /** Deleted for good, but not removed yet. */
  readonly isDeleted: boolean;
  /** The file is to be moved or removed, or something at its former path is. */
  readonly isUntidy: boolean;
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
