import type { BatchViews, FullRow } from '../../src/shared/domain/task/batch-view.ts';

/** Everything about the row that has this id now; undefined where none has. */
export function rowDetailOf(views: BatchViews, batchId: string, row: string): FullRow | undefined {
  const [found] = views.rowsByIds(batchId, [row]);
  return found && views.rowDetail(batchId, found.key);
}
