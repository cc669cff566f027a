import { useEffect, useState } from 'react';
import type { BatchView, UnknownSummary } from '../../../shared/ipc/batches.ts';
import { useAppModel } from '../app-context.ts';
import { statusTotals } from './batch-progress.ts';

interface UnknownNow {
  readonly summary: UnknownSummary | undefined;
  /** False while it is still about the rows that were meant before: nothing is to be decided by it. */
  readonly isCurrent: boolean;
}

/**
 * Which takes of a batch are unknown, of the rows with these keys or of all, and what they would cost; undefined until
 * that is known. Asked again when their number changes, and after further submits, which may be unknown in their place.
 */
export function useUnknownSummary(batch: BatchView, rows: readonly number[] | undefined): UnknownNow {
  const model = useAppModel();
  const [found, setFound] = useState<{ readonly key: string; readonly summary: UnknownSummary }>();
  const { id, submitsUsed } = batch;
  const unknown = statusTotals(batch.counts)['submit-unknown'];
  const key = JSON.stringify([id, rows]);
  const question = JSON.stringify({ key, submitsUsed });
  useEffect(() => {
    if (unknown === 0) return undefined;
    let isCurrent = true;
    const about = (JSON.parse(question) as { readonly key: string }).key;
    const [batchId, keys] = JSON.parse(about) as [string, number[] | null];
    const named = keys === null ? {} : { rows: keys };
    void model.client.request('batch.unknown', { batchId, ...named }).then((reply) => {
      if (isCurrent && reply.ok) setFound({ key: about, summary: reply.value });
    });
    return () => {
      isCurrent = false;
    };
  }, [model, question, unknown]);
  return unknown === 0
    ? { summary: undefined, isCurrent: true }
    : { summary: found?.summary, isCurrent: found?.key === key };
}
