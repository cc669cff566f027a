/** Everything about one row, as the window may see it: its cells, its tasks with their files and story, earlier takes. */
import { mayBeCharged } from '../../engine/index.ts';
import type { AttemptView, EarlierTake, FullRow, OutputView, TaskDetail } from '../../shared/domain/task/batch-view.ts';
import type { JsonObject } from '../../shared/domain/base/json.ts';
import type { FileView, RequestCounts, RowDetail } from '../../shared/ipc/rows.ts';
import { taskStory } from '../services/task-event-text.ts';
import { toFailureView, toFileView, toRowView } from './batch-reader.ts';

/** Characters of the request of an earlier attempt; the export of the evidence has it byte for byte. */
const REQUEST_SHOWN = 8_000;

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
    failure: task.failure && toFailureView(task.failure),
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
    failure: task.failure && toFailureView(task.failure),
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
  return [toFileView({ outputId, path, bytes, mediaType })];
}
