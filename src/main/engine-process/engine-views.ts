/** Turns what the engine knows about batches and rows into what the window may see. */
import { mayBeCharged } from '../../engine/index.ts';
import type { BatchPause } from '../../shared/domain/task/batch.ts';
import type {
  AttemptView,
  BatchSummary,
  EarlierTake,
  OutputView,
  RowCells,
  FullRow,
  RowFile,
  RowSummary,
  TaskDetail,
} from '../../shared/domain/task/batch-view.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import type { JsonObject } from '../../shared/domain/base/json.ts';
import { whyLocked } from '../../shared/domain/task/row-status.ts';
import type { StatusQuestion } from '../../shared/domain/gateway/seen-status.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import type { FileView, RequestCounts, RowDetail, RowView } from '../../shared/ipc/rows.ts';
import { taskStory } from '../services/task-event-text.ts';

/** Characters of the request of an earlier attempt; the export of the evidence has it byte for byte. */
const REQUEST_SHOWN = 8_000;

/** A file as the window names it: by its id. Only its name comes from the path. */
function fileView(file: RowFile): FileView {
  return {
    id: file.outputId,
    name: file.path.slice(file.path.lastIndexOf('/') + 1),
    mediaType: file.mediaType,
    bytes: file.bytes,
  };
}

/** Without the facts of its evidence: there is a separate request for those. */
function failureView({ code, message, suspected, data }: Failure): NonNullable<RowView['failure']> {
  const status = suspected === true ? data?.['status'] : undefined;
  return { code, message, suspected, status: typeof status === 'string' ? status : undefined };
}

/** One line of the grid. */
export function toRowView(view: RowSummary): RowView {
  const { row, line, operation, label, status, takes, submittedAt, finishedAt, dueAt, retryAt } = view;
  const locked = whyLocked([view]);
  return {
    key: view.key,
    row,
    line,
    label,
    status,
    takes,
    takesDone: view.progress.done,
    fileCount: view.fileCount,
    files: view.files.map(fileView),
    operation,
    failure: view.failure && failureView(view.failure),
    problem: view.problem?.message,
    submittedAt,
    finishedAt,
    dueAt,
    retryAt,
    locked,
    ...(view.sheet && cellsView(view.sheet)),
  };
}

function cellsView({ cells, cutCells, problems }: RowCells): Pick<RowView, 'cells' | 'cutCells' | 'cellProblems'> {
  return {
    cells,
    cutCells,
    cellProblems: problems.flatMap(({ column, severity, message, remedy }) =>
      column === undefined ? [] : [{ column, severity, message, remedy }],
    ),
  };
}

/** Everything about one row; `lastAnswer` gives the gateway's last words about a task, ready for display. */
export function toRowDetail(detail: FullRow, lastAnswer: (taskId: number) => string | undefined): RowDetail {
  return {
    row: toRowView(detail.view),
    cells: Object.entries(detail.cells).map(([header, value]) => ({ header, value })),
    body: JSON.stringify(detail.body, null, 2),
    problems: detail.problems,
    tasks: detail.tasks.map((task) => taskView(task, lastAnswer(task.taskId))),
    earlierFiles: detail.earlier.flatMap(outputFile),
    earlierTakes: {
      shown: detail.earlierTakes.shown.map((take) => earlierTakeView(take, lastAnswer(take.taskId))),
      count: detail.earlierTakes.count,
      paidRequests: detail.earlierTakes.submitsUsed,
    },
    isEarlierWatched: detail.isEarlierWatched,
  };
}

function taskView(task: TaskDetail, lastAnswer: string | undefined): RowDetail['tasks'][number] {
  const { taskId, take, status, taskCode, dueAt, submittedAt, finishedAt } = task;
  return {
    id: taskId,
    take,
    status,
    attempts: task.attempts.length,
    requests: requestCounts(task.attempts),
    dueAt,
    files: task.outputs.flatMap(outputFile),
    events: taskStory(task.events),
    taskCode,
    submittedAt,
    finishedAt,
    failure: task.failure && failureView(task.failure),
    lastAnswer,
  };
}

function earlierTakeView(
  task: EarlierTake,
  lastAnswer: string | undefined,
): RowDetail['earlierTakes']['shown'][number] {
  const { taskId, take, status, operation, label, request, taskCode, attempts } = task;
  const sentAt = attempts.at(-1)?.startedAt;
  const body = request === undefined ? undefined : requestText(request);
  return {
    id: taskId,
    take,
    status,
    operation,
    label,
    requests: requestCounts(attempts),
    fileNames: task.outputs.flatMap(outputFile).map(({ name }) => name),
    body,
    sentAt,
    taskCode,
    failure: task.failure && failureView(task.failure),
    lastAnswer,
  };
}

/** Nothing for an endlessly nested one: everything else about its row is shown. */
function requestText(request: JsonObject): string | undefined {
  try {
    const text = JSON.stringify(request, null, 2);
    return text.length > REQUEST_SHOWN ? `${text.slice(0, REQUEST_SHOWN)}…` : text;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return undefined;
  }
}

function requestCounts(attempts: readonly AttemptView[]): RequestCounts {
  const paid = attempts.filter(({ outcome }) => mayBeCharged(outcome)).length;
  const unsent = attempts.filter(({ outcome }) => outcome === 'not-sent').length;
  return { paid, refused: attempts.length - paid - unsent };
}

/** A verified file; a player shows nothing that was set aside. */
function outputFile({ outputId, state, path, bytes, mediaType }: OutputView): FileView[] {
  if (state !== 'verified' || path === undefined || bytes === undefined || mediaType === undefined) return [];
  return [fileView({ outputId, path, bytes, mediaType })];
}

/** What a batch's head shows besides the store's data. `files` and `bytes` count verified files. */
export interface BatchPresent {
  readonly files: number;
  readonly bytes: number;
  readonly expectedEnd: number | undefined;
  /** Why the gateway does not answer at the moment. */
  readonly waitsFor: Failure | undefined;
  /** The time until which it asked to be left alone. */
  readonly heldUntil: number | undefined;
  readonly statusQuestions: readonly StatusQuestion[];
}

/** The head of a batch. */
export function toBatchView(summary: BatchSummary, present: BatchPresent): BatchView {
  const { files, bytes, expectedEnd, waitsFor, heldUntil, statusQuestions } = present;
  const { batch, tasks, rows, submitsUsed, draftSubmits } = summary;
  const { id, name, state, pause, settings, createdAt, startedAt, runStartedAt, finishedAt, rowCount, taskCount } =
    batch;
  return {
    id,
    name,
    state,
    rehearsal: settings.rehearsal,
    folder: settings.folder,
    gateway: settings.rehearsal ? 'the built-in gateway' : originOf(settings.profile.baseUrl),
    createdAt,
    rowCount,
    taskCount,
    rows,
    draftSubmits,
    counts: tasks,
    files,
    bytes,
    submitsUsed,
    pause: pause && pauseView(pause),
    // After a retry, the last run alone, or all runs with the days between, would pass for the length of the night.
    runStartedAt: runStartedAt === startedAt ? runStartedAt : undefined,
    finishedAt,
    maxSubmits: settings.maxSubmits,
    expectedEnd,
    waitsFor: waitsFor && failureView(waitsFor),
    heldUntil,
    statusQuestions: statusQuestions.length === 0 ? undefined : statusQuestions,
  };
}

function pauseView(pause: BatchPause): NonNullable<BatchView['pause']> {
  return pause.by === 'user' ? { by: 'user' } : { by: 'failure', failure: failureView(pause.failure) };
}

/** For display; empty if the profile names no gateway. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
}
