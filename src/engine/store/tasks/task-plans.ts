import { isDeepStrictEqual } from 'node:util';
import { present } from '../../../shared/domain/base/result.ts';
import type { PlannedTask, TaskPlan } from '../../../shared/domain/task/plan-tasks.ts';
import { heldAs, inTurn, madeAgain, type StandingTurn } from '../../../shared/domain/task/new-tasks.ts';
import { timesAgain } from '../../../shared/domain/task/batch.ts';
import { isToMakeAgain, TERMINAL_STATUSES, type Task } from '../../../shared/domain/task/task.ts';
import { transition } from '../../../shared/domain/task/task-machine.ts';
import { without } from '../../../shared/domain/task/task-results.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { SheetTally } from '../sheets/sheet-tally.ts';
import type { StoreParts } from './store-parts.ts';
import type { TaskHead } from './task-records.ts';

/** Writes the planned changes of a row's tasks, inside a transaction. */
export function openTaskPlans(parts: StoreParts) {
  const { batchRecords, rowRecords, taskRecords, evidenceRecords, problemRecords, freshKeys } = parts;
  const headOf = (id: number): TaskHead => {
    const head = taskRecords.head(id);
    if (head === undefined) throw new Error(`Unknown task: ${id}`);
    return head;
  };

  function isAt(row: number, { id, revision }: PlannedTask, superseded: 0 | 1): boolean {
    const head = taskRecords.head(id);
    return head?.row === row && head.revision === revision && head.superseded === superseded;
  }

  function remove(id: number, at: number, tally: SheetTally): void {
    if (evidenceRecords.hasAttempt(id)) {
      // The task was never sent, but an attempt was recorded, and that must not be lost.
      supersede({ id }, at, tally);
      return;
    }
    const { operation, status } = headOf(id);
    if (status !== 'queued') throw new Error(`Task ${id} is removed while it is ${status}`);
    taskRecords.delete(id);
    tally.removeTask(operation, status);
    tally.hasDeleted = true;
  }

  function supersede(
    { id, askedAnew }: Pick<TaskPlan['supersede'][number], 'id' | 'askedAnew'>,
    at: number,
    tally: SheetTally,
  ): void {
    const { operation, status } = headOf(id);
    tally.removeTask(operation, status);
    if (!TERMINAL_STATUSES.has(status)) cancel(id, at);
    taskRecords.setSuperseded(id, true);
    if (askedAnew !== undefined) rewrite(id, (task) => ({ ...task, askedAnew }));
  }

  /** Writes what else changes in a task that is superseded, or that counts again. */
  function rewrite(id: number, change: (task: Task) => Task): void {
    const task = taskRecords.task(id);
    if (task === undefined) return;
    const next = change(task);
    if (isDeepStrictEqual(next, task)) return;
    taskRecords.update({ ...next, revision: task.revision + 1 }, task.revision);
  }

  /** Ends a waiting task, so that it is never shown as still waiting. */
  function cancel(id: number, at: number): void {
    const task = taskRecords.task(id);
    const event: TaskEvent = { kind: 'cancel-requested' };
    const next = task && transition(task, event, at);
    if (!next?.ok || next.value.status !== 'cancelled') throw new Error(`Task ${id} is superseded before its end`);
    taskRecords.update(next.value, headOf(id).revision);
    evidenceRecords.appendEvents([{ taskId: id, at, event }]);
  }

  function unsupersede(
    { id, madeAgain }: TaskPlan['unsupersede'][number],
    turn: StandingTurn,
    tally: SheetTally,
  ): void {
    const { operation, status } = headOf(id);
    taskRecords.setSuperseded(id, false);
    rewrite(id, (task) => ({ ...without(heldAs(task, turn), 'askedAnew'), ...present({ madeAgain }) }));
    tally.addTask(operation, status);
  }

  function update(next: Task, tally: SheetTally): void {
    const { operation, status } = headOf(next.id);
    if (!taskRecords.update(next, next.revision - 1)) throw new Error(`Task ${next.id} changed inside a transaction`);
    taskRecords.updateIdentity(next);
    tally.removeTask(operation, status);
    tally.addTask(operation, next.status);
  }

  return {
    /**
     * Sets aside a task whose take is to be rendered again, and inserts a task in its place; undefined if that is no
     * longer wanted: its batch is not running or does not render it again, or its row is held, removed, skipped, in
     * error or asks for fewer takes.
     */
    makeAgain({ batch, row: key }: Pick<TaskHead, 'batch' | 'row'>, flagged: Task, at: number): Task | undefined {
      const { record } = batchRecords.bySeq(batch);
      const { state, settings } = record;
      const [head, row, turn] = [rowRecords.head(key), rowRecords.rowByKey(key), rowRecords.turn(key)];
      if (state !== 'running' || !isToMakeAgain(flagged, timesAgain(record, flagged))) return undefined;
      if (head === undefined || row === undefined || head.removed !== 0 || turn.isHeld === true) return undefined;
      const problems = problemRecords.ofRows([key]).get(key) ?? [];
      const isBlocked = problems.some(({ severity }) => severity === 'error');
      const made = madeAgain(flagged, { row, position: head.position, isBlocked }, turn, at);
      if (made === undefined) return undefined;
      const task = { ...made, id: freshKeys.tasks.next() };
      taskRecords.setSuperseded(flagged.id, true);
      taskRecords.insert(batch, [{ row: key, task }], settings.accounts !== undefined);
      return task;
    },
    /** False if a task has changed since the plan was made. */
    isCurrent: (row: number, plan: TaskPlan) =>
      [...plan.remove, ...plan.supersede, ...plan.keep].every((task) => isAt(row, task, 0)) &&
      plan.update.every(({ id, revision }) => isAt(row, { id, revision: revision - 1 }, 0)) &&
      plan.unsupersede.every((task) => isAt(row, task, 1)),
    write(batch: number, row: number, plan: TaskPlan, at: number, tally: SheetTally) {
      // Whatever the plan assumed: all new takes of a row pass through here.
      const turn = rowRecords.turn(row);
      for (const { id } of plan.remove) remove(id, at, tally);
      for (const task of plan.supersede) supersede(task, at, tally);
      for (const task of plan.unsupersede) unsupersede(task, turn, tally);
      for (const task of plan.update) update(task, tally);
      const hasSeveral = batchRecords.bySeq(batch).record.settings.accounts !== undefined;
      for (const task of plan.add) {
        taskRecords.insert(batch, [{ row, task: { ...inTurn(task, turn), id: freshKeys.tasks.next() } }], hasSeveral);
        tally.addTask(task.operation, task.status);
      }
    },
  };
}
