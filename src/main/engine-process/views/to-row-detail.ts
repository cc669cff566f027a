/**
 * Everything about one row, as the window may see it: its cells, its tasks with their files and history, and earlier
 * takes.
 */
import { mayBeCharged } from '../../../engine/index.ts';
import type {
  AttemptView,
  EarlierTake,
  FullRow,
  OutputView,
  TaskDetail,
} from '../../../shared/domain/task/views/full-row.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { spokenFlag } from '../../../shared/domain/gates/ask-gates.ts';
import { pickedOf } from '../../../shared/domain/review/verdict.ts';
import { mayAskAgain, type Standing } from '../../../shared/domain/task/batch.ts';
import { settlesItself } from '../../../shared/domain/task/task.ts';
import { sumOfCosts } from '../../../shared/domain/base/money.ts';
import type { JsonObject } from '../../../shared/domain/base/json.ts';
import type { FileView, RequestCounts, RowDetail, TakeView } from '../../../shared/ipc/rows.ts';
import { taskStory } from '../../services/task-event-text.ts';
import { toFailureView, toFileView } from './to-file-view.ts';
import { toRowView } from '../batch-reader.ts';

/** Characters of the request of an earlier attempt; the export of the evidence has it byte for byte. */
const REQUEST_SHOWN = 8_000;

/**
 * Everything about one row of a batch in this state.
 * @param withoutKeys Removes keys from a text: a key in a cell may only have been entered as a key since.
 * @param lastAnswer The gateway's last words about a task, ready for display.
 */
export async function toRowDetail(
  detail: FullRow,
  standing: Standing,
  withoutKeys: (text: string) => string,
  lastAnswer: (taskId: number) => Promise<string | undefined>,
): Promise<RowDetail> {
  const { earlier, earlierTakes } = detail;
  const pickedId = pickedOf<OutputView, TaskDetail>(detail.tasks)?.output.outputId;
  const answers = new Map<number, string | undefined>();
  for (const { taskId } of [...detail.tasks, ...earlierTakes.shown]) answers.set(taskId, await lastAnswer(taskId));
  return {
    row: toRowView(detail.view),
    cells: Object.entries(detail.cells).map(([header, value]) => ({ header, value })),
    body: JSON.stringify(detail.body, null, 2),
    edits: detail.edits && {
      ...detail.edits,
      changes: detail.edits.changes.map((change) => {
        return { ...change, before: withoutKeys(change.before), after: withoutKeys(change.after) };
      }),
    },
    problems: detail.problems,
    tasks: detail.tasks.map((task) => ({
      ...takeView(task, answers.get(task.taskId)),
      ...taskView(task, mayAskAgain(standing), pickedId),
    })),
    earlierFiles: earlier.flatMap((output) => {
      const { madeAt, isOfOtherRequest, successorId } = output;
      return outputFile(output).map((file) => ({ ...file, ...present({ madeAt, isOfOtherRequest, successorId }) }));
    }),
    earlierTakes: {
      shown: earlierTakes.shown.map((take) => ({
        ...takeView(take, answers.get(take.taskId)),
        ...earlierTakeView(take),
      })),
      count: earlierTakes.count,
      paidRequests: earlierTakes.submitsUsed,
    },
    isPickWanted: detail.isPickWanted,
    pickFrom: detail.pickFrom,
    isEarlierWatched: detail.isEarlierWatched,
  };
}

function takeView(task: Omit<TaskDetail, 'events' | 'dueAt' | 'again'>, lastAnswer: string | undefined): TakeView {
  const { taskId, take, status, taskCode, attempts, failure } = task;
  const requests = requestCounts(attempts);
  const cost = sumOfCosts(attempts.flatMap((attempt) => attempt.cost ?? []));
  return { id: taskId, take, status, taskCode, requests, cost, failure: failure && toFailureView(failure), lastAnswer };
}

function taskView(
  task: TaskDetail,
  mayAsk: boolean,
  pickedId: string | undefined,
): Omit<RowDetail['tasks'][number], keyof TakeView> {
  const { attempts, dueAt, submittedAt, finishedAt, outputs, events } = task;
  const files = outputs.flatMap((output) => outputFile(output, pickedId));
  const whenAsked = mayAsk ? 'when-due' : 'once-resumed';
  const sentAgain = settlesItself(task) ? whenAsked : undefined;
  return { attempts: attempts.length, dueAt, sentAgain, submittedAt, finishedAt, files, events: taskStory(events) };
}

function earlierTakeView({
  operation,
  label,
  request,
  attempts,
  outputs,
}: EarlierTake): Omit<RowDetail['earlierTakes']['shown'][number], keyof TakeView> {
  const fileNames = outputs.flatMap((output) => outputFile(output)).map(({ name }) => name);
  return { operation, label, body: request && requestText(request), sentAt: attempts.at(-1)?.startedAt, fileNames };
}

/** Undefined for an endlessly nested request: everything else about its row is still shown. */
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
  const unsent = attempts.filter(({ outcome }) => outcome === 'not-sent' || outcome === 'asked-again').length;
  return { paid, refused: attempts.length - paid - unsent };
}

/** A verified file; a player shows nothing that was set aside. */
function outputFile(
  { outputId, state, path, bytes, mediaType, seconds, verdict, flags = [] }: OutputView,
  pickedId?: string,
): FileView[] {
  if (state !== 'verified' || path === undefined || bytes === undefined || mediaType === undefined) return [];
  const file = toFileView(
    { outputId, path, bytes, mediaType, ...present({ seconds, verdict }) },
    outputId === pickedId,
  );
  return [{ ...file, ...(flags.length > 0 && { flags: flags.map(spokenFlag) }) }];
}
