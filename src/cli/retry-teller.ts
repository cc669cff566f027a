import { remedyOf } from '../shared/domain/task/failure.ts';
import { isStuck } from '../shared/domain/files/outputs.ts';
import type { Task } from '../shared/domain/task/task.ts';
import { localTime, visibleLine } from '../shared/domain/base/text.ts';
import type { Console } from './console.ts';

/** So many rows are told of one by one. */
const ROWS_TOLD = 20;

/** Tells of files that are asked for again in minutes or hours: to people once for each row, and of the first ones only. */
export function retryTeller(console: Pick<Console, 'event' | 'line'>): (task: Task) => void {
  const toldOf = new Map<number, number>();
  return ({ id, rowId, take, status, outputs, failure, dueAt }) => {
    if (status !== 'downloading' || failure === undefined || !isStuck({ outputs })) return;
    const before = toldOf.get(id);
    if (before !== undefined && before >= dueAt) return;
    toldOf.set(id, dueAt);
    const { code, message } = failure;
    console.event('retry', { row: rowId, take, at: new Date(dueAt).toISOString(), failure: { code, message } });
    if (before !== undefined || toldOf.size > ROWS_TOLD) return;
    console.line(
      `row ${visibleLine(rowId, 40)}: trying again at ${localTime(dueAt)}: ${visibleLine(message, 300)}\n    → ${remedyOf(code, status)}`,
    );
  };
}
