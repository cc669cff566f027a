/** What the user says of rendered files: which files are meant, and what is recorded of each. */
import { outputIdOf } from '../shared/domain/task/task.ts';
import { pickedOf, type VerdictChange } from '../shared/domain/review/verdict.ts';
import { err, ok, type Result } from '../shared/domain/base/result.ts';
import type { Entry } from './night/task-journal.ts';
import type { TaskReader } from './ports.ts';

/** The verified files of a row: all of them, those of a take, or one of a take, by its number in it. */
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

/** What is recorded for these files: an event each. A pick needs one file, and nothing else does. */
export async function reviewEntries(
  store: Pick<TaskReader, 'tasksOfRow'>,
  batchId: string,
  { rowId, take, file }: ReviewedFiles,
  given: VerdictChange,
): Promise<Result<readonly (Entry & { readonly outputId: string; readonly path: string })[], ReviewRefusal>> {
  const tasks = await store.tasksOfRow(batchId, rowId);
  // The latest pick counts, whatever clock an earlier one was made by.
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
  if (found.length === 0) {
    return err({
      message: `Row ${JSON.stringify(rowId)} has no ${take === undefined && file === undefined ? 'verified file' : 'such file'}.`,
      remedy: 'The files of each row, with their takes, are in manifest.csv in the media folder.',
    });
  }
  if (found.length > 1 && typeof change.pickedAt === 'number') {
    return err({
      message: `Row ${JSON.stringify(rowId)} has ${found.length} such files: ${found.map(({ path }) => path).join(', ')}.`,
      remedy: 'Pick one of them: name its take with --take, and its number in the take with --file.',
    });
  }
  return ok(found);
}
