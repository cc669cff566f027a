/** What screens and exports see of a batch: one line of the sheet is one row, whatever the number of its takes. */
import type { BatchRecord } from './batch.ts';
import { failure, isRetriedByItself, type Failure } from './failure.ts';
import type { JsonObject } from '../base/json.ts';
import { OPERATIONS, type FieldRole, type Family, type OperationPath } from '../operations/operations.ts';
import { rowStatus, type RowViewStatus } from './row-status.ts';
import type { Row } from '../sheet/row.ts';
import type { SheetProblem } from '../sheet/problems.ts';
import { isBlank } from '../sheet/sheet-raw.ts';
import { haveSameContent } from '../files/outputs.ts';
import type { EndedPhase } from '../gateway/poll-outcome.ts';
import type { SubmitOutcome } from '../gateway/submit-outcome.ts';
import { TERMINAL_STATUSES, type OutputState, type ShownTake, type TaskStatus } from './task.ts';
import type { TaskEventKind } from './task-machine.ts';

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

export interface RowPageQuery {
  readonly filter?: RowFilter;
  /** By line, ascending, where nothing is said. Equal rows are in order of line, in the same direction; absent times are last. */
  readonly sort?: RowSort;
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

/** The name of one output in the whole store; its part files carry it. */
export function outputIdOf(taskId: number, index: number): string {
  return `${taskId}-${index}`;
}

/** The task and the position that an output's id names; undefined for any other text. */
export function parseOutputId(outputId: string): { readonly taskId: number; readonly index: number } | undefined {
  const parts = /^([1-9]\d{0,14})-([1-9]\d{0,8})$/.exec(outputId);
  return parts ? { taskId: Number(parts[1]), index: Number(parts[2]) } : undefined;
}

const LABEL_LENGTH = 200;
const LABEL_ROLES: readonly FieldRole[] = ['prompt', 'text', 'reference', 'url'];

/** The fields that may name a row of each operation, the likeliest first. */
const LABEL_FIELDS: ReadonlyMap<OperationPath, readonly string[]> = new Map(
  OPERATIONS.map((operation) => {
    const fields = operation.fields.flatMap((field) => (field.kind === 'leaf' ? [field] : []));
    const byRole = LABEL_ROLES.flatMap((role) =>
      fields.filter((field) => field.role === role).map((field) => field.name),
    );
    return [operation.path, ['title', 'name', ...byRole]];
  }),
);

/** What tells a row from its neighbours: its title, or the beginning of what it asks for, on one line. */
export function rowLabel(row: Pick<Row, 'operation' | 'body' | 'note'>): string {
  const fields = row.operation === undefined ? [] : (LABEL_FIELDS.get(row.operation) ?? []);
  for (const field of fields) {
    const label = oneLine(row.body[field]);
    if (label !== '') return label;
  }
  return oneLine(row.note);
}

/** The beginning of a text or a list of texts, without line breaks; empty for anything else. */
function oneLine(value: unknown): string {
  const text = Array.isArray(value) ? value.filter((item) => typeof item === 'string').join(', ') : value;
  if (typeof text !== 'string') return '';
  // Cut twice: a prompt of 100 kB is not gone through for its first words, and no character is cut in two.
  const line = text
    .slice(0, LABEL_LENGTH * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= LABEL_LENGTH ? line : Array.from(line).slice(0, LABEL_LENGTH).join('');
}

/** What a view needs to know of a row of the sheet. */
export interface ViewedRow {
  readonly key: number;
  readonly id: string;
  readonly line: number;
  readonly operation: OperationPath | undefined;
  readonly label: string;
  readonly takes: number;
  readonly idle: IdleStatus;
  readonly problem?: SheetProblem;
}

/** What a row is that has nothing to do. */
export type IdleStatus = Exclude<RowViewStatus, TaskStatus>;

/** What a row is whose tasks, if there are any, have all ended. A line without a word in it is passed over. */
export function idleStatus(row: Row, problems: readonly SheetProblem[], isDraft: boolean): IdleStatus {
  if (isDraft) return 'draft';
  const isRight = problems.every((problem) => problem.severity !== 'error');
  return row.skip || (isRight && isBlankRow(row)) ? 'skipped' : 'invalid';
}

/** An id alone asks for nothing. */
function isBlankRow({ id, cells }: Row): boolean {
  return Object.values(cells).every((cell) => isBlank(cell) || cell.trim() === id);
}

/** What a view needs to know of a task; every {@link Task} has it. */
export interface ViewedTask {
  readonly id: number;
  readonly status: TaskStatus;
  readonly dueAt: number;
  readonly cancelWanted: boolean;
  readonly taskCode?: string;
  readonly submittedAt?: number;
  readonly finishedAt?: number;
  readonly failure?: Failure;
  readonly sameAddressAs?: string;
  readonly outputs: readonly {
    readonly index: number;
    readonly state: OutputState;
    readonly path?: string;
    readonly bytes?: number;
    readonly sha256?: string;
    readonly mediaType?: string;
  }[];
}

/** The status, the first submit and the end of a row whose tasks are `tasks`. */
export function rowProgress(
  tasks: readonly Pick<ViewedTask, 'status' | 'submittedAt' | 'finishedAt'>[],
  idle: IdleStatus,
): { readonly status: RowViewStatus; readonly submittedAt?: number; readonly finishedAt?: number } {
  const hasEnded = tasks.every((task) => TERMINAL_STATUSES.has(task.status));
  // Of a draft some takes may be done: what the user has to decide about is what counts.
  const status = idle === 'draft' && hasEnded ? idle : (rowStatus(tasks.map((task) => task.status)) ?? idle);
  const submitted = tasks.flatMap((task) => task.submittedAt ?? []);
  const finished = tasks.flatMap((task) => task.finishedAt ?? []);
  const isOver = hasEnded && finished.length > 0;
  return {
    status,
    ...(submitted.length > 0 ? { submittedAt: Math.min(...submitted) } : {}),
    ...(isOver ? { finishedAt: Math.max(...finished) } : {}),
  };
}

/** One line of the grid from a row and its tasks in order of take. */
export function rowView(row: ViewedRow, tasks: readonly ViewedTask[]): RowView {
  const progress = rowProgress(tasks, row.idle);
  const files = tasks.flatMap((task) => verifiedFiles(task));
  const shown = tasks.find((task) => task.status === progress.status && task.failure !== undefined);
  const problem = row.problem ?? sharedAddress(row, tasks) ?? sameContent(row, tasks);
  const dueTimes = tasks.filter((task) => !TERMINAL_STATUSES.has(task.status)).map((task) => task.dueAt);
  return {
    key: row.key,
    row: row.id,
    line: row.line,
    ...(row.operation === undefined ? {} : { operation: row.operation }),
    label: row.label,
    takes: row.takes,
    progress: { done: tasks.filter((task) => task.status === 'done').length, total: tasks.length },
    files: files.slice(0, FILES_SHOWN),
    fileCount: files.length,
    ...progress,
    ...(shown?.failure === undefined ? {} : { failure: shown.failure }),
    ...(shown !== undefined && isRetried(shown) ? { retryAt: shown.dueAt } : {}),
    ...(problem === undefined ? {} : { problem }),
    ...(dueTimes.length > 0 ? { dueAt: Math.min(...dueTimes) } : {}),
    cancelWanted: tasks.some((task) => task.cancelWanted),
    taskCodes: tasks.flatMap((task) => task.taskCode ?? []),
  };
}

/** Its file did not come and is asked for again by itself: no disk or key is waited for. */
function isRetried({ status, failure: why }: ViewedTask): boolean {
  return status === 'downloading' && why !== undefined && isRetriedByItself(why.code);
}

/** The warning of a row whose file has the same address as another row's. */
function sharedAddress(row: ViewedRow, tasks: readonly ViewedTask[]): SheetProblem | undefined {
  const other = tasks.find((task) => task.sameAddressAs !== undefined)?.sameAddressAs;
  if (other === undefined) return undefined;
  return {
    severity: 'warning',
    code: 'shared-address',
    line: row.line,
    row: row.id,
    message: `The gateway gave the same address for this row as for row ${other}.`,
    remedy: 'Look or listen which of the two it belongs to, and ask the gateway for the other.',
  };
}

/** The warning of a row of which two files are one and the same. */
function sameContent(row: ViewedRow, tasks: readonly ViewedTask[]): SheetProblem | undefined {
  if (!tasks.some(({ outputs }) => haveSameContent(outputs))) return undefined;
  return {
    severity: 'warning',
    code: 'same-content',
    line: row.line,
    row: row.id,
    message: 'The gateway gave the same file twice for one request of this row.',
    remedy: 'Look or listen whether that is right, and ask the gateway for the file that is missing.',
  };
}

function verifiedFiles(task: ViewedTask): readonly RowFile[] {
  return task.outputs.flatMap((output): RowFile[] => {
    const { index, state, path, mediaType, bytes } = output;
    if (state !== 'verified' || path === undefined || mediaType === undefined || bytes === undefined) return [];
    return [{ outputId: outputIdOf(task.id, index), path, mediaType, bytes }];
  });
}

/** What keeps a row from running, as the failure that it is to who reads the results. */
export function failureOfProblem({ message, remedy }: SheetProblem): Failure {
  return failure('INPUT_INVALID', `${message} ${remedy}`);
}

/** What a text filter looks into, and what it is compared with: both must pass through here. */
export function foldSearchText(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** The text of a row that a filter looks into. */
export function searchText(row: Pick<Row, 'id' | 'note'>, label: string): string {
  return foldSearchText([row.id, label, row.note ?? ''].join('\n'));
}
