/** What the editor of sheets needs of the store. */
import type { OperationPath } from '../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../shared/domain/sheet/problems.ts';
import type { Row } from '../shared/domain/sheet/row.ts';
import type { RowFilter, RowSort } from '../shared/domain/task/batch-view.ts';
import type { SheetSettings } from '../shared/domain/task/batch.ts';
import type { EarlierTask, TaskPlan } from '../shared/domain/task/plan-tasks.ts';
import type { Task } from '../shared/domain/task/task.ts';

/** The items of each list of words that cells draw from, by the list's name. */
export type ListItems = Readonly<Record<string, readonly string[]>>;

/** An order and a choice of the rows of a batch, as a grid shows them: a row is found in it by its place, from 0. */
export interface ViewOfRows {
  readonly filter?: RowFilter;
  readonly sort?: RowSort;
}

/** Where a row stands in its batch. */
export type RowPlace = Pick<StoredRow, 'key' | 'position'>;

/** A row of a batch as the store has it. */
export interface StoredRow {
  /** Names the row for as long as the store exists; its id may be edited, its key never changes. */
  readonly key: number;
  readonly position: number;
  readonly row: Row;
  /** Its tasks are made at the user's word. */
  readonly isDraft: boolean;
  /** The tasks of its present content, in order of take. */
  readonly tasks: readonly Task[];
  readonly problems: readonly SheetProblem[];
}

/** What a row becomes. */
export interface RowContent {
  readonly row: Row;
  readonly position: number;
  /** The row's own, errors before warnings. */
  readonly problems: readonly SheetProblem[];
  readonly isDraft: boolean;
  /** The number of what it asks for (see `requestKey`); absent for a row that cannot run. */
  readonly request: number | undefined;
  /** Indexes of cells that its operation has no use for. */
  readonly unused: readonly number[];
}

export type RowChange =
  /** `key`: the one that the row had before it was removed and deleted; another row never has it. */
  | {
      readonly kind: 'insert';
      readonly content: RowContent;
      readonly add: readonly Omit<Task, 'id'>[];
      readonly key?: number;
    }
  | { readonly kind: 'update'; readonly key: number; readonly content: RowContent; readonly tasks: TaskPlan }
  /** Only its problems have changed, because of another row. */
  | { readonly kind: 'problems'; readonly key: number; readonly problems: readonly SheetProblem[] }
  /** `line`: that of the file, where it is another one by now. */
  | { readonly kind: 'move'; readonly key: number; readonly position: number; readonly line?: number }
  /** A row with tasks that were submitted is hidden with them superseded, any other is deleted. */
  | { readonly kind: 'remove'; readonly key: number; readonly tasks: TaskPlan }
  /** Takes back the removal of a row that was hidden. */
  | { readonly kind: 'restore'; readonly key: number; readonly content: RowContent; readonly tasks: TaskPlan };

/** One edit of a sheet: all of it is written, or nothing. */
export interface SheetChange {
  readonly headers?: readonly string[];
  readonly sheet?: SheetSettings;
  /** The file that the sheet is made of from now on. */
  readonly sheetPath?: string;
  /** Problems of the sheet as a whole, when they have changed. */
  readonly sheetProblems?: readonly SheetProblem[];
  readonly rows: readonly RowChange[];
  /** The part of an edit that this carries out (see {@link SheetStore.noteParts}): it is not left any more. */
  readonly part?: number;
  /** For superseding and new events, milliseconds since the epoch. */
  readonly at: number;
}

/** `stale`: a task has changed since it was read; nothing was written, and the edit is to be planned anew. */
export type SheetChangeOutcome =
  | { readonly kind: 'written'; /** Keys of the inserted rows, in their order. */ readonly inserted: readonly number[] }
  | { readonly kind: 'stale' };

/** A problem of a sheet with the key of the row that it concerns; none for one of the sheet as a whole. */
export interface StoredProblem {
  readonly problem: SheetProblem;
  readonly key?: number;
}

/** A column that rows of an operation fill in although it has no use for it. */
export interface UnusedCells {
  /** Of the cell, from 0. */
  readonly index: number;
  readonly operation: OperationPath;
  /** How many rows do. */
  readonly rows: number;
  /** The first of them in the order of the sheet, at most {@link UNUSED_NAMED}. */
  readonly keys: readonly number[];
}

/** As many rows as a message names. */
export const UNUSED_NAMED = 5;

/** The sheets of batches, row by row. Every write is one transaction. An unknown batch is a bug and throws. */
export interface SheetStore {
  /** Keys of rows by their places in a view; fewer where it ends. */
  keysInView(batchId: string, view: ViewOfRows, offset: number, count: number): readonly number[];
  countInView(batchId: string, view: ViewOfRows): number;
  /** Keys of all drafts in order of position, also of those that show how the takes go that were agreed to before. */
  draftKeys(batchId: string): readonly number[];
  /** In the order of `keys`; those that there are no more are left out. */
  rowsByKeys(batchId: string, keys: readonly number[]): readonly StoredRow[];
  /** The superseded tasks of rows by their keys, those of hidden rows too, as far as something was ever sent for them. */
  earlierTasks(batchId: string, keys: readonly number[]): ReadonlyMap<number, readonly EarlierTask[]>;
  /** All rows in order of position, a few hundred at a time in memory. */
  allRows(batchId: string): Iterable<StoredRow>;
  /** Keys of rows whose folded id (`foldRowId`) is one of these, by that id; removed rows never. */
  keysByIds(batchId: string, foldedIds: readonly string[]): ReadonlyMap<string, readonly number[]>;
  /** Keys of the rows that refer to one of these ids. */
  keysReferringTo(batchId: string, foldedIds: readonly string[]): readonly number[];
  /** Keys of the first rows with this number of their request, in order of position, at most `limit` of them. */
  keysByRequest(batchId: string, request: number, limit: number): readonly number[];
  /** The numbers of requests that rows have, of these, and whether several rows have it. */
  knownRequests(batchId: string, requests: readonly number[]): ReadonlyMap<number, 'one' | 'several'>;
  /** Keys of rows with this id that were removed and are hidden, the last one first. */
  hiddenByIds(batchId: string, foldedIds: readonly string[]): ReadonlyMap<string, number>;
  /** What is wrong with the sheet as a whole. */
  sheetProblems(batchId: string): readonly SheetProblem[];
  /** The problems of the sheet and its rows in the order of the sheet, those of the sheet as a whole first. */
  problems(batchId: string, limit: number): readonly StoredProblem[];
  unusedCells(batchId: string): readonly UnusedCells[];
  /** The rows before and after one in the sheet's own order: to put others between them. */
  neighboursOf(
    batchId: string,
    key: number,
  ): { readonly before: RowPlace | undefined; readonly after: RowPlace | undefined };
  lastPosition(batchId: string): number;
  /** Positions with gaps again; for when there is no room left between two rows. */
  spreadPositions(batchId: string): void;
  /** Lines as the sheet's author counts them, the header being 1. */
  linesOf(batchId: string, keys: readonly number[]): ReadonlyMap<number, number>;
  change(batchId: string, change: SheetChange): SheetChangeOutcome;
  /**
   * Notes parts of an edit that is written part by part, as texts, so that another process can carry it through. It is
   * begun when the sheet is marked as half edited; before that, `clearParts` forgets it.
   */
  noteParts(batchId: string, parts: readonly { readonly part: number; readonly text: string }[]): void;
  /** The first part that is not written yet; undefined where all are. */
  firstPart(batchId: string): { readonly part: number; readonly text: string } | undefined;
  clearParts(batchId: string): void;
}

/** What may be asked of a {@link SheetStore} by those who must not change it. */
export type SheetRows = Omit<SheetStore, 'spreadPositions' | 'change' | 'noteParts' | 'clearParts'>;
