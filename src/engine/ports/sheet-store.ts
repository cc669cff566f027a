/** What the editor of sheets needs from the store. */
import type { OperationPath } from '../../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../../shared/domain/sheet/problems.ts';
import type { Row } from '../../shared/domain/sheet/row.ts';
import type { RowEdits } from '../../shared/domain/cells/row-edits.ts';
import type { RowFilter, RowSort } from '../../shared/domain/task/batch-view.ts';
import type { BatchState, SheetSettings } from '../../shared/domain/task/batch.ts';
import type { EarlierTask, TaskPlan } from '../../shared/domain/task/plan-tasks.ts';
import type { Task } from '../../shared/domain/task/task.ts';

/** The items of each list of words that cells draw from, by the list's name. */
export type ListItems = Readonly<Record<string, readonly string[]>>;

/** Which rows of a batch a grid shows, and in which order: a row is found by its place in it, from 0. */
export interface ViewOfRows {
  readonly filter?: RowFilter;
  readonly sort?: RowSort;
}

/** Where a row stands in its batch. */
export type RowPlace = Pick<StoredRow, 'key' | 'position'>;

/** The rows before and after one in the sheet's own order; none before the first and after the last. */
export interface RowNeighbours {
  readonly before: RowPlace | undefined;
  readonly after: RowPlace | undefined;
}

/** A row of a batch as stored. */
export interface StoredRow {
  /** Identifies the row for the lifetime of the store; its id may be edited, its key never changes. */
  readonly key: number;
  readonly position: number;
  readonly row: Row;
  /** Its tasks are created only when the user says so. */
  readonly isDraft: boolean;
  /** The tasks of its present content, in order of take. */
  readonly tasks: readonly Task[];
  readonly problems: readonly SheetProblem[];
  /** Absent for a row that was never edited. */
  readonly edits?: RowEdits;
}

/** The new state of a row. */
export interface RowContent {
  readonly row: Row;
  readonly position: number;
  /** The row's own problems, errors before warnings. */
  readonly problems: readonly SheetProblem[];
  readonly isDraft: boolean;
  /** The number of its request (see `requestKey`); absent for a row that cannot run. */
  readonly request: number | undefined;
  /** Indexes of cells that its operation does not use. */
  readonly unused: readonly number[];
  /** Everything that is kept about its edits from now on. */
  readonly edits?: RowEdits;
}

export type RowChange =
  /** `key`: the row's key before it was removed and deleted; no other row ever gets this key. */
  | {
      readonly kind: 'insert';
      readonly content: RowContent;
      readonly add: readonly Omit<Task, 'id'>[];
      readonly key?: number;
    }
  | { readonly kind: 'update'; readonly key: number; readonly content: RowContent; readonly tasks: TaskPlan }
  /** Only its problems have changed, because of another row. */
  | { readonly kind: 'problems'; readonly key: number; readonly problems: readonly SheetProblem[] }
  /** Only what is kept about its edits has changed: the row is as in its file. */
  | { readonly kind: 'edits'; readonly key: number; readonly edits?: RowEdits }
  /** `line`: the line in the file, if it has changed. */
  | { readonly kind: 'move'; readonly key: number; readonly position: number; readonly line?: number }
  /** A row with submitted tasks is hidden and they are superseded; any other row is deleted. */
  | { readonly kind: 'remove'; readonly key: number; readonly tasks: TaskPlan }
  /** Undoes the removal of a hidden row. */
  | { readonly kind: 'restore'; readonly key: number; readonly content: RowContent; readonly tasks: TaskPlan };

/** One edit of a sheet: either all of it is written, or nothing. */
export interface SheetChange {
  readonly headers?: readonly string[];
  readonly sheet?: SheetSettings;
  /** The file that the sheet comes from now. */
  readonly sheetPath?: string;
  /** Problems of the sheet as a whole, when they have changed. */
  readonly sheetProblems?: readonly SheetProblem[];
  readonly rows: readonly RowChange[];
  /**
   * The part of an edit that this carries out (see {@link SheetStore.noteParts}), and which is then no longer pending.
   */
  readonly part?: number;
  /**
   * The state that the batch was in when this was planned: once the batch has started, new tasks need the user's
   * consent.
   */
  readonly plannedIn?: BatchState;
  /** For superseding and new events, milliseconds since the epoch. */
  readonly at: number;
}

/**
 * `stale`: a task, or the batch's state, has changed since it was read; nothing was written, and the edit must be
 * planned again.
 */
export type SheetChangeOutcome =
  | { readonly kind: 'written'; /** Keys of the inserted rows, in order. */ readonly inserted: readonly number[] }
  | { readonly kind: 'stale' };

/** A problem of a sheet with the key of its row; no key for a problem of the sheet as a whole. */
export interface StoredProblem {
  readonly problem: SheetProblem;
  readonly key?: number;
}

/** A column that rows with an operation fill in although the operation does not use it. */
export interface UnusedCells {
  /** Index of the cell, from 0. */
  readonly index: number;
  readonly operation: OperationPath;
  /** How many rows fill it in. */
  readonly rows: number;
  /** The first of these rows in sheet order, at most {@link UNUSED_NAMED}. */
  readonly keys: readonly number[];
}

/** How many rows a message names. */
export const UNUSED_NAMED = 5;

/** A part of an edit, with its number among those that are left. */
export interface NotedPart {
  readonly part: number;
  readonly text: string;
}

/** The sheets of batches, row by row. Every write is one transaction. An unknown batch is a bug and throws. */
export interface SheetStore {
  /** Keys of rows by their places in a view; fewer at its end. */
  keysInView(batchId: string, view: ViewOfRows, offset: number, count: number): Promise<readonly number[]>;
  countInView(batchId: string, view: ViewOfRows): Promise<number>;
  /** Keys of all drafts by position, including those that show the progress of takes agreed to before. */
  draftKeys(batchId: string): Promise<readonly number[]>;
  /** In the order of `keys`; rows that no longer exist are left out. */
  rowsByKeys(batchId: string, keys: readonly number[]): Promise<readonly StoredRow[]>;
  /** The superseded tasks of rows by key, including hidden rows. */
  earlierTasks(batchId: string, keys: readonly number[]): Promise<ReadonlyMap<number, readonly EarlierTask[]>>;
  /** All rows by position, a few hundred at a time in memory. */
  allRows(batchId: string): AsyncIterable<StoredRow>;
  /** Keys of rows whose folded id (`foldRowId`) is one of these, by that id; never removed rows. */
  keysByIds(batchId: string, foldedIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Keys of the rows that refer to one of these ids. */
  keysReferringTo(batchId: string, foldedIds: readonly string[]): Promise<readonly number[]>;
  /** The first rows with each of these request numbers, by position, at most `limit` for each. */
  placesByRequests(
    batchId: string,
    requests: readonly number[],
    limit: number,
  ): Promise<ReadonlyMap<number, readonly RowPlace[]>>;
  /** Those of these request numbers that rows have, and whether several rows share each. */
  knownRequests(batchId: string, requests: readonly number[]): Promise<ReadonlyMap<number, 'one' | 'several'>>;
  /** Keys of removed, hidden rows by their folded ids. */
  hiddenByIds(batchId: string, foldedIds: readonly string[]): Promise<ReadonlyMap<string, readonly number[]>>;
  /** The problems of the sheet as a whole. */
  sheetProblems(batchId: string): Promise<readonly SheetProblem[]>;
  /** The problems of the sheet and its rows in sheet order, those of the sheet as a whole first. */
  problems(batchId: string, limit: number, which?: 'all' | 'not-ignored'): Promise<readonly StoredProblem[]>;
  /** How many rows have such a problem, ignored or not. */
  countRowsWith(batchId: string, code: SheetProblem['code']): Promise<number>;
  unusedCells(batchId: string): Promise<readonly UnusedCells[]>;
  /** The rows beside each of these, for placing others between them. */
  neighboursOf(batchId: string, keys: readonly number[]): Promise<ReadonlyMap<number, RowNeighbours>>;
  lastPosition(batchId: string): Promise<number>;
  /** Renumbers positions with gaps when there is no room left between two rows. */
  spreadPositions(batchId: string): Promise<void>;
  /** Lines as the sheet's author counts them; the header is line 1. */
  linesOf(batchId: string, keys: readonly number[]): Promise<ReadonlyMap<number, number>>;
  change(batchId: string, change: SheetChange): Promise<SheetChangeOutcome>;
  /**
   * Notes the parts of an edit that is written part by part, as texts, so that another process can complete it. The
   * edit has begun once the sheet is marked as half edited; before that, `clearParts` forgets it.
   */
  noteParts(batchId: string, parts: readonly NotedPart[]): Promise<void>;
  /** Forgets the parts that are left, and notes these in their place: both or nothing. */
  replaceParts(batchId: string, parts: readonly NotedPart[]): Promise<void>;
  /** The first part not written yet; undefined if all are. */
  firstPart(batchId: string): Promise<NotedPart | undefined>;
  clearParts(batchId: string): Promise<void>;
}

/** The methods of a {@link SheetStore} for those who must not change it. */
export type SheetRows = Omit<SheetStore, 'spreadPositions' | 'change' | 'noteParts' | 'replaceParts' | 'clearParts'>;
