import { idleStatus, rowProgress } from '../../../shared/domain/task/row-status.ts';
import type { TaskPlan } from '../../../shared/domain/task/plan-tasks.ts';
import type { SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import { assertNever } from '../../../shared/domain/base/result.ts';
import type { RowChange, RowContent } from '../../ports/sheet-store.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import type { RowHead } from './row-records.ts';
import type { SheetTally } from './sheet-tally.ts';
import type { StoreParts } from '../tasks/store-parts.ts';
import { openTaskPlans } from '../tasks/task-plans.ts';

const NO_TASKS: TaskPlan = { remove: [], supersede: [], unsupersede: [], add: [], update: [], keep: [] };

/** Writes the changes of single rows, inside the transaction of an edit. */
export function openRowWriter(parts: StoreParts) {
  const { rowRecords, taskRecords, problemRecords, freshKeys } = parts;
  const plans = openTaskPlans(parts);

  function headOf(key: number): RowHead {
    const head = rowRecords.head(key);
    if (head === undefined) throw new Error(`Unknown row: ${key}`);
    return head;
  }

  /** How many paid requests a draft will make. */
  function draftSubmits(key: number, { draft, takes }: Pick<RowHead, 'draft' | 'takes'>): number {
    return draft === 0 ? 0 : Math.max(0, takes - taskRecords.takesOfRow(key, takes));
  }

  /** Sets a row's progress and counts it, once the row is written; `head` is the row before. */
  function settle(key: number, content: RowContent, tally: SheetTally, head?: RowHead): void {
    const idle = idleStatus(content.row, content.problems, content.isDraft);
    const progress = rowProgress(taskRecords.rowStatuses(key), idle);
    rowRecords.writeProgress(key, progress, head);
    tally.addRow(progress.status, content.position);
    tally.draftSubmits += draftSubmits(key, { draft: content.isDraft ? 1 : 0, takes: content.row.takes });
  }

  /** Takes the row out of the counts; `settle` adds it again. */
  function unsettle(key: number, head: RowHead, tally: SheetTally): void {
    tally.removeRow(head.status, head.position);
    tally.draftSubmits -= draftSubmits(key, head);
  }

  function insert(batch: StoredBatch, change: Extract<RowChange, { kind: 'insert' }>, at: number, tally: SheetTally) {
    const { content } = change;
    const key = change.key ?? freshKeys.rows.next();
    rowRecords.insert(batch.seq, batch.columns, [{ key, content, status: 'invalid' }]);
    if (content.unused.length > 0) tally.hasUnusedChanged = true;
    tally.addProblems(problemRecords.replace(batch.seq, key, content.problems));
    rowRecords.takeTurn(key, batch.seq, content.row.id);
    plans.write(batch.seq, key, { ...NO_TASKS, add: change.add }, at, tally);
    settle(key, content, tally);
    return key;
  }

  function update(
    batch: StoredBatch,
    { key, content, tasks }: { readonly key: number; readonly content: RowContent; readonly tasks: TaskPlan },
    at: number,
    tally: SheetTally,
  ): void {
    const head = headOf(key);
    if (head.removed === 0) unsettle(key, head, tally);
    if (rowRecords.update(key, batch.seq, batch.columns, content, head)) tally.hasUnusedChanged = true;
    tally.addProblems(problemRecords.replace(batch.seq, key, content.problems));
    const { row, position } = content;
    if (row.id !== head.row_id || position !== head.position) taskRecords.followRow(key, row.id, position);
    if (head.removed > 0) rowRecords.takeTurn(key, batch.seq, row.id);
    plans.write(batch.seq, key, tasks, at, tally);
    settle(key, content, tally, head);
  }

  function writeProblems(batch: number, key: number, problems: readonly SheetProblem[], tally: SheetTally): void {
    tally.addProblems(problemRecords.replace(batch, key, problems));
    rowRecords.writeProblem(key, problems);
    const head = headOf(key);
    const row = rowRecords.rowByKey(key);
    // A row with tasks shows their progress; one without may have become skipped or invalid, or stopped being so.
    if (row === undefined || (head.status !== 'invalid' && head.status !== 'skipped')) return;
    const status = idleStatus(row, problems, false);
    rowRecords.writeProgress(key, { status });
    tally.removeRow(head.status, head.position);
    tally.addRow(status, head.position);
  }

  function move({ key, position, line }: Extract<RowChange, { kind: 'move' }>, tally: SheetTally): void {
    const head = headOf(key);
    rowRecords.move(key, position, line);
    taskRecords.followRow(key, head.row_id, position);
    tally.removeRow(head.status, head.position);
    tally.addRow(head.status, position);
    tally.hasUnusedChanged = true;
  }

  function remove(batch: number, key: number, plan: TaskPlan, at: number, tally: SheetTally): void {
    const head = headOf(key);
    unsettle(key, head, tally);
    plans.write(batch, key, plan, at, tally);
    tally.addProblems(problemRecords.replace(batch, key, []));
    tally.hasUnusedChanged = true;
    const { all, superseded } = taskRecords.countOfRow(key);
    if (all > superseded) throw new Error(`Row ${key} is removed with tasks that count`);
    // A row that is put back is still held.
    if (all > 0 || head.turn !== null) {
      rowRecords.hide(key, at);
      return;
    }
    rowRecords.delete(key);
    tally.hasDeleted = true;
  }

  return {
    /** False if the row or one of its tasks has changed since the change was planned. */
    isCurrent(batch: number, change: RowChange) {
      if (change.kind === 'insert') return true;
      const head = rowRecords.head(change.key);
      if (head === undefined || head.batch !== batch) return false;
      if (head.removed > 0 !== (change.kind === 'restore')) return false;
      return !('tasks' in change) || plans.isCurrent(change.key, change.tasks);
    },
    /** Returns the row's key. */
    write(batch: StoredBatch, change: RowChange, at: number, tally: SheetTally) {
      switch (change.kind) {
        case 'insert':
          return insert(batch, change, at, tally);
        case 'update':
        case 'restore':
          update(batch, change, at, tally);
          return change.key;
        case 'problems':
          writeProblems(batch.seq, change.key, change.problems, tally);
          return change.key;
        case 'edits':
          rowRecords.writeEdits(change.key, change.edits);
          return change.key;
        case 'move':
          move(change, tally);
          return change.key;
        case 'remove':
          remove(batch.seq, change.key, change.tasks, at, tally);
          return change.key;
        default:
          return assertNever(change);
      }
    },
  };
}
