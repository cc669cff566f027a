import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { RowViewStatus } from '../../../shared/domain/task/row-status.ts';
import type { TaskStatus } from '../../../shared/domain/task/task.ts';
import type { CountChange } from '../tasks/batch-counters.ts';
import type { ProblemCounts } from './problem-records.ts';
import type { PlaceChange } from './row-places.ts';

/** How an edit of a sheet changes the sheet's counts, added up row by row. */
export class SheetTally implements CountChange {
  rowCount = 0;
  taskCount = 0;
  errors = 0;
  warnings = 0;
  draftSubmits = 0;
  hasDeleted = false;
  hasUnusedChanged = false;
  readonly rows = new Map<RowViewStatus, number>();
  readonly tasks = new Map<OperationPath, Map<TaskStatus, number>>();
  /** Where rows were added and removed, in that order: one row may be added and removed several times. */
  readonly placeChanges: PlaceChange[] = [];

  addRow(status: RowViewStatus, position: number): void {
    this.rowCount += 1;
    const last = this.placeChanges.at(-1);
    // The row stays where it is, as most edited rows do.
    if (last?.kind === 'removed' && last.position === position) this.placeChanges.pop();
    else this.placeChanges.push({ kind: 'added', position });
    add(this.rows, status, 1);
  }

  removeRow(status: RowViewStatus, position: number): void {
    this.rowCount -= 1;
    this.placeChanges.push({ kind: 'removed', position });
    add(this.rows, status, -1);
  }

  addTask(operation: OperationPath, status: TaskStatus): void {
    this.taskCount += 1;
    add(this.#tasksOf(operation), status, 1);
  }

  removeTask(operation: OperationPath, status: TaskStatus): void {
    this.taskCount -= 1;
    add(this.#tasksOf(operation), status, -1);
  }

  addProblems({ errors, warnings }: ProblemCounts): void {
    this.errors += errors;
    this.warnings += warnings;
  }

  #tasksOf(operation: OperationPath): Map<TaskStatus, number> {
    const tasks = this.tasks.get(operation) ?? new Map<TaskStatus, number>();
    this.tasks.set(operation, tasks);
    return tasks;
  }
}

function add<K>(counts: Map<K, number>, key: K, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count);
}
