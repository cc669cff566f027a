import type { BatchViews } from '../../src/shared/domain/task/batch-view.ts';
import type { FullRow } from '../../src/shared/domain/task/views/full-row.ts';

/** Everything about the row that has this id now; undefined if none has. */
export async function rowDetailOf(views: BatchViews, batchId: string, row: string): Promise<FullRow | undefined> {
  const [found] = await views.rowsByIds(batchId, [row]);
  return found && (await views.rowDetail(batchId, found.key));
}
