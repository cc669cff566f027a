import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import { paidTasks } from '../../../shared/domain/task/paid-tasks.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { encodeRequestBody } from '../../request-body.ts';
import type { SheetStore } from '../../sheet-ports.ts';

const ROWS_AT_A_TIME = 500;

/** A row as it is going to be, under the key that it has. */
export interface KeyedRow {
  readonly key: number;
  readonly row: Row;
}

/** The superseded tasks of rows that were paid for exactly what these ask for, by key; see `paidTasks`. */
export function paidBefore(
  sheets: Pick<SheetStore, 'earlierTasks'>,
  batch: BatchRecord,
  rows: readonly KeyedRow[],
): ReadonlyMap<number, readonly Task[]> {
  const { id, settings } = batch;
  const found = new Map<number, readonly Task[]>();
  for (let from = 0; from < rows.length; from += ROWS_AT_A_TIME) {
    const some = rows.slice(from, from + ROWS_AT_A_TIME);
    const earlier = sheets.earlierTasks(
      id,
      some.map(({ key }) => key),
    );
    for (const { key, row } of some) {
      const own = earlier.get(key);
      if (own === undefined) continue;
      const stored = new TextEncoder().encode(JSON.stringify(row.body));
      const paid = paidTasks(row, encodeRequestBody(settings.profile, stored), own);
      if (paid.length > 0) found.set(key, paid);
    }
  }
  return found;
}
