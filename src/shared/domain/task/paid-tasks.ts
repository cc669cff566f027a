import type { Row } from '../sheet/row.ts';
import { type Task, mayStillGive } from './task.ts';

/** A superseded task, and the bytes that were sent for it last. */
export interface EarlierTask {
  readonly task: Task;
  readonly sent: Uint8Array;
}

/**
 * Of the superseded tasks of a row those that were paid for and asked for exactly what it asks for now, one for each take:
 * the newest that is done, else the newest that may still give something. None for a row that refers to others: what they
 * give may be something else by now.
 * @param body The bytes that would be sent for the row.
 */
export function paidTasks(row: Row, body: Uint8Array, earlier: readonly EarlierTask[]): readonly Task[] {
  if (row.links !== undefined && row.links.length > 0) return [];
  const best = new Map<number, Task>();
  for (const { task, sent } of earlier) {
    if (task.operation !== row.operation || !gives(task) || !areEqual(sent, body)) continue;
    const known = best.get(task.take);
    if (known === undefined || isBetter(task, known)) best.set(task.take, task);
  }
  return [...best.values()];
}

/** Its files are there, or may still come. */
function gives(task: Task): boolean {
  return task.status === 'done' || mayStillGive(task);
}

function isBetter(a: Task, b: Task): boolean {
  if ((a.status === 'done') !== (b.status === 'done')) return a.status === 'done';
  return a.id > b.id;
}

function areEqual(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
