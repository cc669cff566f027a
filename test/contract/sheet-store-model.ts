/** What a sheet must be after edits, computed on plain lists without any shortcut. */
import type { RowChange, RowContent, SheetChange } from '../../src/engine/ports/sheet-store.ts';
import { idleStatus, rowProgress, type RowViewStatus } from '../../src/shared/domain/task/row-status.ts';
import type { TaskPlan } from '../../src/shared/domain/task/plan-tasks.ts';
import { transition } from '../../src/shared/domain/task/task-machine.ts';
import { TERMINAL_STATUSES, type Task } from '../../src/shared/domain/task/task.ts';
import { only } from './task-store-fixtures.ts';

export interface ModelTask {
  task: Task;
  isSuperseded: boolean;
  /** A submit was meant for it at some time: it is never forgotten. */
  wasTried: boolean;
}

export interface ModelRow {
  readonly key: number;
  content: RowContent;
  isRemoved: boolean;
  tasks: ModelTask[];
}

/** A batch's sheet. Keys and ids of tasks are counted up and never given twice. */
export class SheetModel {
  readonly rows: ModelRow[] = [];
  #lastKey = 0;
  #lastTaskId = 0;

  /** The rows that are in the sheet, in its order. */
  present(): ModelRow[] {
    return this.rows.filter((row) => !row.isRemoved).toSorted((a, b) => a.content.position - b.content.position);
  }

  /** One of those that were removed and kept. */
  lastHidden(): ModelRow | undefined {
    return this.rows.findLast((row) => row.isRemoved);
  }

  apply({ rows, at }: SheetChange): void {
    for (const change of rows) this.#applyRow(change, at);
  }

  row(key: number): ModelRow {
    return only(this.rows.find((row) => row.key === key));
  }

  #applyRow(change: RowChange, at: number): void {
    if (change.kind === 'insert') {
      const key = change.key ?? this.#lastKey + 1;
      this.#lastKey = Math.max(this.#lastKey, key);
      const row: ModelRow = { key, content: change.content, isRemoved: false, tasks: [] };
      this.rows.push(row);
      this.#add(row, change.add);
      return;
    }
    const row = this.row(change.key);
    if (change.kind === 'problems') row.content = { ...row.content, problems: change.problems };
    if (change.kind === 'move') this.#rewrite(row, { ...row.content, position: change.position });
    if (change.kind === 'update' || change.kind === 'restore') {
      row.isRemoved = false;
      this.#rewrite(row, change.content);
      this.#carryOut(row, change.tasks, at);
    }
    if (change.kind === 'remove') {
      this.#carryOut(row, change.tasks, at);
      row.isRemoved = true;
      if (row.tasks.length === 0) this.rows.splice(this.rows.indexOf(row), 1);
    }
  }

  #rewrite(row: ModelRow, content: RowContent): void {
    row.content = content;
    for (const one of row.tasks) one.task = { ...one.task, rowId: content.row.id, position: content.position };
  }

  #add(row: ModelRow, tasks: readonly Omit<Task, 'id'>[]): void {
    for (const task of tasks) {
      this.#lastTaskId += 1;
      row.tasks.push({ task: { ...task, id: this.#lastTaskId }, isSuperseded: false, wasTried: false });
    }
  }

  #carryOut(row: ModelRow, plan: TaskPlan, at: number): void {
    const find = (id: number): ModelTask => only(row.tasks.find(({ task }) => task.id === id));
    const isForgotten = ({ id }: { readonly id: number }): boolean => !find(id).wasTried;
    const superseded = [...plan.supersede, ...plan.remove.filter((task) => !isForgotten(task))];
    for (const { id } of plan.remove.filter(isForgotten)) row.tasks.splice(row.tasks.indexOf(find(id)), 1);
    for (const { id } of superseded) {
      const one = find(id);
      const ended = TERMINAL_STATUSES.has(one.task.status) ? one.task : cancelled(one.task, at);
      one.task = { ...ended, revision: ended.revision + 1 };
      one.isSuperseded = true;
    }
    for (const { id } of plan.unsupersede) {
      const one = find(id);
      one.isSuperseded = false;
      one.task = { ...one.task, revision: one.task.revision + 1 };
    }
    for (const next of plan.update) find(next.id).task = next;
    this.#add(row, plan.add);
  }
}

function cancelled(task: Task, at: number): Task {
  const next = transition(task, { kind: 'cancel-requested' }, at);
  if (!next.ok) throw new Error(`${task.status} cannot be cancelled`);
  return next.value;
}

/** The tasks that count, in order of take. */
export function presentTasks(row: ModelRow): Task[] {
  return row.tasks
    .filter((one) => !one.isSuperseded)
    .map(({ task }) => task)
    .toSorted((a, b) => a.take - b.take);
}

export function statusOf(row: ModelRow): RowViewStatus {
  const { row: cells, problems, isDraft } = row.content;
  return rowProgress(presentTasks(row), idleStatus(cells, problems, isDraft)).status;
}
