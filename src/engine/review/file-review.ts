/** What the user says about rendered files: which files are meant, and what is recorded about each. */
import { reason, say, type Reason } from '../../shared/domain/base/reason.ts';
import { outputIdOf, parseOutputId, type Output, type Task } from '../../shared/domain/task/task.ts';
import { pickedOf, type FileReview, type VerdictChange } from '../../shared/domain/review/verdict.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import type { Entry } from '../night/task-journal.ts';
import type { TaskReader } from '../ports/task-store.ts';

/** The verified files of a row: all of them, those of a take, or one by its number in its take. */
export interface ReviewedFiles {
  readonly rowId: string;
  /** From 1. */
  readonly take?: number | undefined;
  /** The number of the file in its take, from 1. */
  readonly file?: number | undefined;
}

/** Why nothing was recorded, and what to do. */
export interface ReviewRefusal {
  readonly message: string;
  readonly remedy: string;
}

/** What is recorded for these files: an event each. Only a pick needs a single file. */
export async function reviewEntries(
  store: Pick<TaskReader, 'tasksOfRow'>,
  batchId: string,
  { rowId, take, file }: ReviewedFiles,
  given: VerdictChange,
): Promise<Result<readonly (Entry & { readonly outputId: string; readonly path: string })[], ReviewRefusal>> {
  const tasks = await store.tasksOfRow(batchId, rowId);
  // The latest pick counts, whatever clock gave an earlier one its time.
  const before = pickedOf(tasks)?.output.verdict?.pickedAt ?? 0;
  const { pickedAt } = given;
  const change = typeof pickedAt === 'number' ? { ...given, pickedAt: Math.max(pickedAt, before + 1) } : given;
  const found = tasks.flatMap((task) =>
    task.outputs.flatMap(({ index, state, path }) => {
      const isMeant = (take === undefined || task.take === take) && (file === undefined || index === file);
      if (!isMeant || state !== 'verified' || path === undefined) return [];
      const event = { kind: 'reviewed', index, change } as const;
      return [{ taskId: task.id, event, outputId: outputIdOf(task.id, index), path }];
    }),
  );
  const row = JSON.stringify(rowId);
  if (found.length === 0) {
    return err(
      reviewRefusal(
        reason(take === undefined && file === undefined ? 'review.noFile' : 'review.noSuchFile', row),
        'inManifest',
      ),
    );
  }
  if (found.length > 1 && typeof change.pickedAt === 'number') {
    return err(
      reviewRefusal(reason('review.several', row, found.length, found.map(({ path }) => path).join(', ')), 'pickOne'),
    );
  }
  return ok(found);
}

/** What is recorded for one file, in this order: a failure in between leaves what was shown. */
export interface FileReviewEntries {
  readonly batchId: string;
  readonly entries: readonly Entry[];
  /** The row that the file is picked for. */
  readonly pickedFor?: string;
}

/**
 * What is recorded about one file, by its identity. A rejected file is not picked, and a picked one is not rejected. If
 * the row's pick is taken back, no former pick returns in its place: the user would pay for that unasked. A file that
 * its row had before it was changed or rendered again can also be kept, rejected, rated and given notes, but not
 * picked: the rows that refer to its row use what that row is now.
 */
export async function fileReviewEntries(
  store: Pick<TaskReader, 'task' | 'tasksOfRow'>,
  outputId: string,
  { kept, rating, note, picked }: FileReview,
  now: number,
): Promise<Result<FileReviewEntries, ReviewRefusal>> {
  const named = parseOutputId(outputId);
  const task = named && (await store.task(named.taskId));
  const output = task?.outputs.find(({ index }) => index === named?.index);
  if (task === undefined || output === undefined || output.state === 'deleted')
    return err(reviewRefusal(reason('review.gone'), 'lookAtRow'));
  const isEarlier = task.superseded === true;
  if (isEarlier && picked !== undefined) return err(reviewRefusal(reason('review.earlierVersion'), 'lookAtRow'));
  if (output.state !== 'verified') return err(reviewRefusal(reason('review.notVerified'), 'lookAgain'));
  const takes = await store.tasksOfRow(task.batchId, task.rowId);
  // Its row was removed, or has fewer takes now.
  if (!isEarlier && !takes.some(({ id }) => id === task.id))
    return err(reviewRefusal(reason('review.gone'), 'lookAtRow'));
  const latest = pickedOf<Output, Task>(takes);
  const isUnpicked = kept === false || picked === false;
  const isPick = picked === true && !isUnpicked;
  const change: VerdictChange = {
    ...(rating !== undefined && { rating }),
    ...(note !== undefined && { note }),
    ...(kept !== undefined && { kept }),
    ...(isPick && kept === undefined && output.verdict?.kept === false && { kept: null }),
    ...(isUnpicked && { pickedAt: null }),
    // Later than any other pick, even if a clock was set back.
    ...(isPick && { pickedAt: Math.max(now, (latest?.output.verdict?.pickedAt ?? 0) + 1) }),
  };
  const isLatest = latest !== undefined && outputIdOf(latest.take.id, latest.output.index) === outputId;
  const entry: Entry = { taskId: task.id, event: { kind: 'reviewed', index: output.index, change } };
  return ok({
    batchId: task.batchId,
    entries: [...(isUnpicked && isLatest ? otherPicks(takes, outputId) : []), entry],
    ...(isPick && { pickedFor: task.rowId }),
  });
}

/** Takes back every pick among these takes, except that of one file. */
function otherPicks(takes: readonly Task[], outputId: string): readonly Entry[] {
  return takes.flatMap(({ id, outputs }) =>
    outputs.flatMap(({ index, verdict }): Entry[] =>
      verdict?.pickedAt === undefined || outputIdOf(id, index) === outputId
        ? []
        : [{ taskId: id, event: { kind: 'reviewed', index, change: { pickedAt: null } } }],
    ),
  );
}

/** Nothing is recorded: the refusal is reported at once. */
export function reviewRefusal(
  said: Reason,
  help: 'lookAtRow' | 'lookAgain' | 'sayAgain' | 'inManifest' | 'pickOne',
): ReviewRefusal {
  return { message: say(said), remedy: say(reason(`review.${help}`)) };
}
