/** Everything about one row: its takes, what was sent for them and what came, and what was made of it earlier. */
import type { Failure } from '../../base/failure.ts';
import type { JsonObject } from '../../base/json.ts';
import type { Money } from '../../base/money.ts';
import type { OperationPath } from '../../operations/operations.ts';
import type { CellChange } from '../../cells/row-edits.ts';
import type { SheetProblem } from '../../sheet/problems.ts';
import type { EndedPhase } from '../../gateway/poll-outcome.ts';
import type { SubmitOutcome } from '../../gateway/submit-outcome.ts';
import type { Output, Task } from '../task.ts';
import type { TaskEventKind } from '../task-event.ts';
import type { RowSummary } from './row-summary.ts';

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
  'index' | 'state' | 'path' | 'sha256' | 'bytes' | 'mediaType' | 'seconds' | 'verdict' | 'flags'
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
export type TaskResult = Pick<Task, 'take' | 'status' | 'taskCode' | 'submittedAt' | 'finishedAt' | 'failure'>;

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
