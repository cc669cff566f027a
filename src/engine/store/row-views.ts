import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { rowView, type RowView, type ViewedRow, type ViewedTask } from '../../shared/domain/batch-view.ts';
import type { OperationPath } from '../../shared/domain/operations.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';
import type { OutputState } from '../../shared/domain/task.ts';
import { prepare } from './statement.ts';
import { stateOf, timesOf, type TaskColumns } from './task-records.ts';

interface RowColumns {
  readonly seq: number;
  readonly row_id: string;
  readonly line: number;
  readonly operation: OperationPath | '';
  readonly label: string;
  readonly takes: number;
  readonly skip: number;
  readonly problem: string | null;
}

type ViewedTaskColumns = Pick<
  TaskColumns,
  'id' | 'row' | 'take' | 'status' | 'due_at' | 'task_code' | 'submitted_at' | 'finished_at' | 'state'
>;

interface ViewedOutputColumns {
  readonly task: number;
  readonly position: number;
  readonly state: OutputState;
  readonly path: string | null;
  readonly sha256: string | null;
  readonly bytes: number | null;
  readonly media_type: string | null;
}

/** A task as views know it, with what only exports say of it. */
export interface SeenTask extends ViewedTask {
  readonly take: number;
  readonly outputs: readonly (ViewedTask['outputs'][number] & { readonly sha256?: string })[];
}

/** Rows with their tasks and outputs, many at a time: three queries for a page, whatever its length. */
export interface RowViews {
  /** In the order of `seqs`. */
  bySeqs(seqs: readonly number[]): readonly RowView[];
  /** The tasks of these rows in order of take, without documents and addresses. */
  tasksOfRows(seqs: readonly number[]): ReadonlyMap<number, readonly SeenTask[]>;
}

export function openRowViews(db: DatabaseSyncInstance): RowViews {
  const selectRows = prepare<RowColumns>(
    db,
    `SELECT seq, row_id, line, operation, label, takes, skip, problem FROM rows
     WHERE seq IN (SELECT value FROM json_each(?))`,
  );
  const selectTasks = prepare<ViewedTaskColumns>(
    db,
    `SELECT id, row, take, status, due_at, task_code, submitted_at, finished_at, state FROM tasks
     WHERE row IN (SELECT value FROM json_each(?)) ORDER BY row, take`,
  );
  const selectOutputs = prepare<ViewedOutputColumns>(
    db,
    `SELECT task, position, state, path, sha256, bytes, media_type FROM outputs
     WHERE task IN (SELECT value FROM json_each(?)) ORDER BY task, position`,
  );

  function tasksOfRows(seqs: readonly number[]): ReadonlyMap<number, readonly SeenTask[]> {
    const tasks = selectTasks.all(JSON.stringify(seqs));
    const outputs = groupBy(selectOutputs.all(JSON.stringify(tasks.map((task) => task.id))), (output) => output.task);
    return new Map(
      [...groupBy(tasks, (task) => task.row)].map(([row, columns]) => [
        row,
        columns.map((task) => seenTask(task, outputs.get(task.id) ?? [])),
      ]),
    );
  }

  return {
    tasksOfRows,
    bySeqs(seqs) {
      const rows = new Map(selectRows.all(JSON.stringify(seqs)).map((row) => [row.seq, row]));
      const tasks = tasksOfRows(seqs);
      return seqs.flatMap((seq) => {
        const row = rows.get(seq);
        return row === undefined ? [] : rowView(viewedRow(row), tasks.get(seq) ?? []);
      });
    },
  };
}

function viewedRow(columns: RowColumns): ViewedRow {
  const { row_id: id, line, operation, label, takes, skip, problem } = columns;
  return {
    key: columns.seq,
    id,
    line,
    operation: operation === '' ? undefined : operation,
    label,
    takes,
    skip: skip === 1,
    ...(problem === null ? {} : { problem: JSON.parse(problem) as SheetProblem }),
  };
}

function seenTask(columns: ViewedTaskColumns, outputs: readonly ViewedOutputColumns[]): SeenTask {
  const { id, take, status, due_at: dueAt, task_code: taskCode } = columns;
  const { cancelWanted, failure, sameAddressAs } = stateOf(columns);
  return {
    id,
    take,
    status,
    dueAt,
    cancelWanted,
    ...(taskCode === null ? {} : { taskCode }),
    ...timesOf(columns),
    ...(failure === undefined ? {} : { failure }),
    ...(sameAddressAs === undefined ? {} : { sameAddressAs }),
    outputs: outputs.map(({ position, state, path, sha256, bytes, media_type: mediaType }) => ({
      index: position,
      state,
      ...(path === null ? {} : { path }),
      ...(sha256 === null ? {} : { sha256 }),
      ...(bytes === null ? {} : { bytes }),
      ...(mediaType === null ? {} : { mediaType }),
    })),
  };
}

function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
