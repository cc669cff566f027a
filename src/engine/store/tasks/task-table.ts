import type { Family, OperationPath, OutputKind } from '../../../shared/domain/operations/operations.ts';
import type { Output, Task, TaskStatus } from '../../../shared/domain/task/task.ts';
import { FAILURE_CODES } from '../../../shared/domain/base/failure.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { boundTo } from '../../../shared/domain/task/accounts/account.ts';

/** The reason why a task failed. A store of another version may name a code that this one does not know. */
export const FAILURE_CODE_SQL = `CASE WHEN state ->> '$.failure.code' IN (${FAILURE_CODES.map((code) => `'${code}'`).join(', ')})
    THEN state ->> '$.failure.code' WHEN state ->> '$.failure.code' IS NOT NULL THEN 'INTERNAL' END`;

/** A row of the table of tasks. */
export interface TaskColumns {
  readonly id: number;
  readonly batch: number;
  readonly row: number;
  readonly row_id: string;
  readonly position: number;
  readonly take: number;
  readonly operation: OperationPath;
  readonly family: Family;
  readonly kind: OutputKind;
  readonly model: string;
  /** Missing in a store of an older version, which is read as it is. */
  readonly request_kind?: number;
  readonly priority: number;
  readonly status: TaskStatus;
  readonly revision: number;
  readonly due_at: number;
  readonly startable: number;
  /** 1: made for an earlier content of its row; it no longer counts and never starts. */
  readonly superseded: number;
  readonly blocked_by: string | null;
  /** See `accountColumn`. Missing in a store of an older version, which is read as it is. */
  readonly account?: string | null;
  readonly task_code: string | null;
  /** The gateway at which this task alone has the task code; null without a code, or if another task had it before. */
  readonly code_gateway: string | null;
  readonly submitted_at: number | null;
  readonly finished_at: number | null;
  readonly state: string;
}

/** The fields with columns of their own, because a query uses them or because they never change. */
type ColumnField =
  | ('id' | 'batchId' | 'rowId' | 'position' | 'take' | 'operation' | 'family' | 'kind' | 'model' | 'requestKind')
  | (
      | 'priority'
      | 'status'
      | 'revision'
      | 'dueAt'
      | 'blockedBy'
      | 'taskCode'
      | 'submittedAt'
      | 'finishedAt'
      | 'superseded'
      | 'outputs'
    );

/** The rest of a task, kept as JSON. */
type TaskState = Omit<Task, ColumnField>;

/** True for a task that waits only for its time. */
export function isStartable(task: Pick<Task, 'status' | 'cancelWanted' | 'onHold' | 'blockedBy'>): boolean {
  return task.status === 'queued' && !task.cancelWanted && task.onHold !== true && task.blockedBy === undefined;
}

/** The names of the columns of a new task. */
export const NEW_TASK_COLUMNS = `id, batch, row, row_id, position, take, operation, family, kind, model, request_kind, priority, status,
  revision, due_at, startable, blocked_by, account, task_code, submitted_at, finished_at, state`;

/**
 * The account of its batch that a task waits for or is at: one by name, or any, as `''`. Null in a batch with only one.
 * @param hasSeveral Whether its batch has several accounts.
 */
export function accountColumn(task: Pick<Task, 'account' | 'pin'>, hasSeveral: boolean): string | null {
  return hasSeveral ? (boundTo(task) ?? '') : null;
}

/** The values of {@link NEW_TASK_COLUMNS}, in their order. */
export function newTaskColumns(batch: number, row: number, task: Task, hasSeveral: boolean) {
  const { rowId, position, take, operation, family, kind, model, requestKind, revision } = task;
  const { priority, status, dueAt, startable, blockedBy, account, taskCode, submittedAt, finishedAt, state } =
    changingColumns(task, hasSeveral);
  return [
    task.id,
    batch,
    row,
    rowId,
    position,
    take,
    operation,
    family,
    kind,
    model,
    requestKind,
    priority,
    status,
    revision,
    dueAt,
    startable,
    blockedBy,
    account,
    taskCode,
    submittedAt,
    finishedAt,
    state,
  ] as const;
}

/** What can change in a task, except its outputs, whether it is superseded, and its gateway. */
export function changingColumns(task: Omit<Task, 'id'>, hasSeveral: boolean) {
  const {
    account,
    pin,
    cancelWanted,
    onHold,
    awaitsPick,
    attempts,
    setbacks,
    poll,
    provisional,
    renderedAt,
    failure,
    again,
    sameAddressAs,
    madeAgain,
    askedAnew,
  } = task;
  // Required keys, so that the compiler names a field that is missing here.
  const state: Record<keyof TaskState, unknown> = {
    account,
    pin,
    cancelWanted,
    onHold,
    awaitsPick,
    attempts,
    setbacks,
    poll,
    provisional,
    renderedAt,
    failure,
    again,
    sameAddressAs,
    madeAgain,
    askedAnew,
  };
  return {
    priority: task.priority,
    status: task.status,
    dueAt: task.dueAt,
    startable: isStartable(task) ? 1 : 0,
    blockedBy: task.blockedBy ?? null,
    account: accountColumn(task, hasSeveral),
    taskCode: task.taskCode ?? null,
    submittedAt: task.submittedAt ?? null,
    finishedAt: task.finishedAt ?? null,
    state: JSON.stringify(state),
  };
}

/** The task in these columns. */
export function taskOfColumns(columns: TaskColumns, batchId: string, outputs: readonly Output[]): Task {
  return { ...identityOf(columns, batchId), ...progressOf(columns), ...stateOfTask(columns), outputs };
}

function identityOf(columns: TaskColumns, batchId: string) {
  const { id, row_id: rowId, position, take, operation, family, kind, model } = columns;
  const requestKind = columns.request_kind ?? 0;
  return { id, batchId, rowId, position, take, operation, family, kind, model, requestKind };
}

function progressOf(columns: TaskColumns) {
  const { priority, status, revision, due_at: dueAt, blocked_by: blockedBy, task_code: taskCode } = columns;
  return {
    priority,
    status,
    revision,
    dueAt,
    ...present({ blockedBy, taskCode }),
    ...(columns.superseded === 1 ? { superseded: true as const } : {}),
    ...timesOf(columns),
  };
}

/** The times of a task that may be absent. */
export function timesOf(columns: Pick<TaskColumns, 'submitted_at' | 'finished_at'>) {
  return {
    ...present({ submittedAt: columns.submitted_at, finishedAt: columns.finished_at }),
  };
}

/** What has no column of its own, such as a task's failure and a requested cancellation. */
export function stateOfTask(columns: Pick<TaskColumns, 'state'>): TaskState {
  return JSON.parse(columns.state) as TaskState;
}
