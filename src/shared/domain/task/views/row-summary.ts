/** One line of the grid: a row of the sheet, however many takes it has. */
import type { Failure } from '../../base/failure.ts';
import type { Money } from '../../base/money.ts';
import type { OperationPath } from '../../operations/operations.ts';
import type { KeepsEarlier } from '../plan-tasks.ts';
import type { RowViewStatus } from '../row-status.ts';
import type { SaidProblem, SheetProblem } from '../../sheet/problems.ts';
import type { Verdict } from '../../review/verdict.ts';

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
