import type { BatchRecord } from '../../../shared/domain/task/batch.ts';

/**
 * The batch that a user means by an id, a name, or the beginning of an id. Of several with one name it is the newest;
 * a beginning that fits several means none.
 */
export function findBatch(batches: readonly BatchRecord[], idOrName: string): BatchRecord | undefined {
  const exact = batches.find((batch) => batch.id === idOrName) ?? batches.findLast((batch) => batch.name === idOrName);
  if (exact !== undefined || idOrName === '') return exact;
  const begun = batches.filter((batch) => batch.id.startsWith(idOrName));
  return begun.length === 1 ? begun[0] : undefined;
}
