/** From what the engine knows of batches and rows to what the window may see. */
import type { BatchPause } from '../shared/domain/batch.ts';
import type {
  BatchSummary,
  OutputView,
  RowCells,
  RowDetail,
  RowFile,
  RowView,
  TaskDetail,
} from '../shared/domain/batch-view.ts';
import type { Failure } from '../shared/domain/failure.ts';
import { whyLocked } from '../shared/domain/row-lock.ts';
import type { BatchView, FileView, RowDetail as RowDetailOut, RowView as RowViewOut } from '../shared/ipc/views.ts';
import { problemView } from './sheet-views.ts';
import { taskEventText } from './task-event-text.ts';

/** A file as the window names it: by its id. The path only gives the name. */
function fileView(file: RowFile): FileView {
  return {
    id: file.outputId,
    name: file.path.slice(file.path.lastIndexOf('/') + 1),
    mediaType: file.mediaType,
    bytes: file.bytes,
  };
}

/** Without the facts of its evidence: those are asked for on their own. */
function failureView({ code, message, suspected }: Failure): NonNullable<RowViewOut['failure']> {
  return suspected === undefined ? { code, message } : { code, message, suspected };
}

/** One line of the grid; `since` is of its batch (see `askedSince`). */
export function toRowView(view: RowView, since: number): RowViewOut {
  const { row, line, operation, label, status, takes, submittedAt, finishedAt, dueAt } = view;
  const locked = lockOf(view, since);
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
    ...(operation === undefined ? {} : { operation }),
    ...(view.failure === undefined ? {} : { failure: failureView(view.failure) }),
    ...(view.problem === undefined ? {} : { problem: view.problem.message }),
    ...(submittedAt === undefined ? {} : { submittedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(dueAt === undefined ? {} : { dueAt }),
    ...(locked === undefined ? {} : { locked }),
    ...(view.sheet === undefined ? {} : cellsView(view.sheet)),
  };
}

/** The takes of a row that are in flight are what its status says. */
function lockOf({ status, failure, submittedAt, taskCodes }: RowView, since: number): string | undefined {
  if (status === 'draft' || status === 'invalid' || status === 'skipped') return undefined;
  const [taskCode] = taskCodes;
  const task = {
    status,
    ...(failure === undefined ? {} : { failure }),
    ...(submittedAt === undefined ? {} : { submittedAt }),
    ...(taskCode === undefined ? {} : { taskCode }),
  };
  return whyLocked([task], since);
}

function cellsView({ cells, cutCells, problems }: RowCells): Pick<RowViewOut, 'cells' | 'cutCells' | 'cellProblems'> {
  return {
    cells: [...cells],
    cutCells: [...cutCells],
    cellProblems: problems.flatMap(({ column, severity, message, remedy }) =>
      column === undefined ? [] : [{ column, severity, message, remedy }],
    ),
  };
}

/** Everything about one row; `lastAnswer` gives the gateway's last words about a task, ready for display. */
export function toRowDetail(
  detail: RowDetail,
  since: number,
  lastAnswer: (taskId: number) => string | undefined,
): RowDetailOut {
  return {
    row: toRowView(detail.view, since),
    cells: Object.entries(detail.cells).map(([header, value]) => ({ header, value })),
    body: JSON.stringify(detail.body, null, 2),
    problems: detail.problems.map(problemView),
    tasks: detail.tasks.map((task) => taskView(task, lastAnswer(task.taskId))),
    earlierFiles: detail.earlier.flatMap(outputFile),
  };
}

function taskView(task: TaskDetail, lastAnswer: string | undefined): RowDetailOut['tasks'][number] {
  const { taskId, take, status, taskCode, dueAt, submittedAt, finishedAt } = task;
  return {
    id: taskId,
    take,
    status,
    attempts: task.attempts.length,
    dueAt,
    files: task.outputs.flatMap(outputFile),
    events: task.events.map(({ at, kind, failure }) => ({ at, kind, text: taskEventText(kind, failure) })),
    ...(taskCode === undefined ? {} : { taskCode }),
    ...(submittedAt === undefined ? {} : { submittedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(task.failure === undefined ? {} : { failure: failureView(task.failure) }),
    ...(lastAnswer === undefined ? {} : { lastAnswer }),
  };
}

/** A file that was verified; what was set aside is not shown by a player. */
function outputFile({ outputId, state, path, bytes, mediaType }: OutputView): FileView[] {
  if (state !== 'verified' || path === undefined || bytes === undefined || mediaType === undefined) return [];
  return [fileView({ outputId, path, bytes, mediaType })];
}

/** What a batch's head shows besides what the store keeps. `files` and `bytes` count verified files. */
export interface BatchPresent {
  readonly files: number;
  readonly bytes: number;
  readonly expectedEnd: number | undefined;
  /** Why the gateway does not answer at the moment. */
  readonly waitsFor: Failure | undefined;
}

/** The head of a batch. */
export function toBatchView(summary: BatchSummary, { files, bytes, expectedEnd, waitsFor }: BatchPresent): BatchView {
  const { batch, tasks, rows, submitsUsed, draftSubmits } = summary;
  const { id, name, state, pause, settings, createdAt, runStartedAt, finishedAt, rowCount, taskCount } = batch;
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
    ...(pause === undefined ? {} : { pause: pauseView(pause) }),
    ...(runStartedAt === undefined ? {} : { runStartedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(settings.maxSubmits === undefined ? {} : { maxSubmits: settings.maxSubmits }),
    ...(expectedEnd === undefined ? {} : { expectedEnd }),
    ...(waitsFor === undefined ? {} : { waitsFor: failureView(waitsFor) }),
  };
}

function pauseView(pause: BatchPause): NonNullable<BatchView['pause']> {
  return pause.by === 'user' ? { by: 'user' } : { by: 'failure', failure: failureView(pause.failure) };
}

/** For display; empty where the profile names no gateway. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
}
