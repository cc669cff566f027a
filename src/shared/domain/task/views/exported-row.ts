/** What the media folder records of rows, and where their files are. */
import type { Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Money } from '../../base/money.ts';
import type { OperationPath } from '../../operations/operations.ts';
import type { RowViewStatus } from '../row-status.ts';
import type { Row } from '../../sheet/row.ts';
import type { Output } from '../task.ts';
import type { PlacedFile } from '../task-event.ts';
import type { TaskResult } from './full-row.ts';

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
