import { failureOfProblem } from '../../../shared/domain/task/row-view.ts';
import { rowProgress, type RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import type { ExportedRow, ExportedTask } from '../../../shared/domain/task/views/exported-row.ts';
import type { Failure } from '../../../shared/domain/base/failure.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { JsonObject } from '../../../shared/domain/base/json.ts';
import type { Money } from '../../../shared/domain/base/money.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { present } from '../../../shared/domain/base/result.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import { openSentRequests, openTaskCosts } from '../tasks/evidence-records.ts';
import { rowOf, ROW_CONTENT_SELECT, type RowContentColumns } from '../sheets/row-table.ts';
import type { RowViews, SeenTask } from './row-views.ts';
import { IN_LIST, itemsOfKeys, type Database } from '../open/database.ts';

const ROWS_AT_A_TIME = 500;

/** An exported row, with what else is kept about it. */
type ExportColumns = RowContentColumns & {
  readonly status: RowViewStatus;
  readonly removed: number;
  readonly problem: string | null;
};

/** Returns a function that reads all rows of a batch by position, removed ones included, a few hundred at a time. */
export function openExportRows(db: Database, rowViews: RowViews): (batch: StoredBatch) => Iterable<ExportedRow> {
  const selectSeqs = db.prepareColumn<number>(`
    SELECT seq FROM rows WHERE batch = ? ORDER BY position, seq`);
  const selectRows = db.prepare<ExportColumns>(`
    SELECT content.*, status, removed, problem FROM (${ROW_CONTENT_SELECT}) AS content JOIN rows ON rows.seq = content.seq
    WHERE content.seq ${IN_LIST} ORDER BY content.position, content.seq`);

  const sentRequests = openSentRequests(db);
  const taskCosts = openTaskCosts(db);

  return (batch) => {
    const rowsOf = (chunk: readonly number[]): readonly ExportedRow[] => {
      const tasks = rowViews.tasksOfRows(chunk, true);
      const all = [...tasks.values()].flat();
      const requests = sentRequests(all.filter((task) => task.isSuperseded || isSung(task)).map(({ id }) => id));
      const costs = taskCosts(all.map(({ id }) => id));
      return selectRows
        .all(JSON.stringify(chunk))
        .map((columns) =>
          exportedRow(columns, rowOf(columns, batch.columns), tasks.get(columns.seq) ?? [], requests, costs),
        );
    };
    return itemsOfKeys(db, () => selectSeqs(batch.seq), ROWS_AT_A_TIME, rowsOf);
  };
}

/** A song and the timing of its words: their files are matched by what was sent for them. */
const SUNG_OPERATIONS: ReadonlySet<OperationPath> = new Set([
  'musicgen/music/generate',
  'musicgen/music/timing',
  'musicgen/music/downbeats',
]);

function isSung({ operation }: SeenTask): boolean {
  return SUNG_OPERATIONS.has(operation);
}

function exportedRow(
  columns: ExportColumns,
  row: Row,
  tasks: readonly SeenTask[],
  requests: ReadonlyMap<number, JsonObject>,
  costs: ReadonlyMap<number, Money>,
): ExportedRow {
  const isRemoved = columns.removed > 0;
  // A removed row shows its outcome.
  const status = isRemoved ? rowProgress(tasks, 'skipped').status : columns.status;
  const counting = isRemoved ? tasks : tasks.filter((task) => !task.isSuperseded);
  const failing = counting.find((task) => task.status === status && task.failure !== undefined);
  const failure = failing?.failure ?? invalidity(status, columns.problem);
  return {
    row,
    status,
    ...present({ failure }),
    tasks: tasks.map((task) => exportedTask(task, row.operation, requests.get(task.id), costs.get(task.id))),
    ...(isRemoved ? { isRemoved } : {}),
  };
}

/** Why a row without tasks could not run: the folder says so for every row without files. */
function invalidity(status: RowViewStatus, problem: string | null): Failure | undefined {
  return status === 'invalid' && problem !== null ? failureOfProblem(JSON.parse(problem) as SheetProblem) : undefined;
}

function exportedTask(
  task: SeenTask,
  rowOperation: OperationPath | undefined,
  request: JsonObject | undefined,
  cost: Money | undefined,
): ExportedTask {
  const deleted = task.outputs.filter(({ state }) => state === 'deleted').length;
  const { take, operation, status, taskCode, submittedAt, finishedAt, failure, outputs, isSuperseded, account } = task;
  return {
    take,
    status,
    ...present({ taskCode, submittedAt, finishedAt, failure }),
    ...(isSuperseded ? { superseded: true } : {}),
    ...present({
      request: isSuperseded ? request : undefined,
      sent: !isSuperseded && isSung(task) ? request : undefined,
      cost,
      account,
    }),
    ...(operation === rowOperation ? {} : { operation }),
    ...(deleted === 0 ? {} : { deleted }),
    outputs: outputs.flatMap(({ index, state, path, sha256, bytes, mediaType, seconds, verdict, flags }) => {
      if (state !== 'verified') return [];
      if (path === undefined || sha256 === undefined || bytes === undefined || mediaType === undefined) return [];
      return [{ index, path, sha256, bytes, mediaType, ...present({ seconds, verdict, flags }) }];
    }),
  };
}
