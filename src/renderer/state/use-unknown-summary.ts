import { useEffect, useState } from 'react';
import type { BatchView, UnknownSummary } from '../../shared/ipc/views.ts';
import { useAppModel } from './app-context.ts';
import { statusTotals } from './batch-progress.ts';

/**
 * How many takes of a batch are unknown, of these rows or of all, and what they would cost; undefined until that is
 * known. Asked again when their number changes.
 */
export function useUnknownSummary(batch: BatchView, rows: readonly string[] | undefined): UnknownSummary | undefined {
  const model = useAppModel();
  const [summary, setSummary] = useState<UnknownSummary>();
  const { id } = batch;
  const unknown = statusTotals(batch.counts)['submit-unknown'];
  const key = rows === undefined ? undefined : JSON.stringify(rows);
  useEffect(() => {
    if (unknown === 0) return undefined;
    let isCurrent = true;
    const named = key === undefined ? {} : { rows: JSON.parse(key) as string[] };
    void model.client.request('batch.unknown', { batchId: id, ...named }).then((reply) => {
      if (isCurrent && reply.ok) setSummary(reply.value);
    });
    return () => {
      isCurrent = false;
    };
  }, [model, id, key, unknown]);
  return unknown === 0 ? undefined : summary;
}
