import { useEffect, useState } from 'react';
import type { BatchView, UnknownSummary } from '../../../shared/ipc/batches.ts';
import { useAppModel } from '../app-context.ts';
import { statusTotals } from './batch-progress.ts';

interface UnknownNow {
  readonly summary: UnknownSummary | undefined;
  /** False while it still describes the previous rows: the user must not decide by it. */
  readonly isCurrent: boolean;
}

/**
 * Which takes are unknown, of these rows or of the whole batch, and what resubmitting would cost; undefined until
 * known. Read again when their number changes, and after further requests, which may be unknown in their place.
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
