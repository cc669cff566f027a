import { createStore } from 'zustand/vanilla';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { standingOf } from './batch/batch-progress.ts';

/** The views of all batches. */
export class Batches {
  /** Newest first. */
  readonly store = createStore<{ readonly batches: readonly BatchView[] }>(() => ({ batches: [] }));

  replaceAll(batches: readonly BatchView[]): void {
    this.store.setState({ batches: newestFirst(batches) });
  }

  /** Takes the newer view of a batch, or a new batch. */
  put(batch: BatchView): void {
    const others = this.store.getState().batches.filter((other) => other.id !== batch.id);
    this.store.setState({ batches: newestFirst([...others, batch]) });
  }

  find(batchId: string): BatchView | undefined {
    return this.store.getState().batches.find((batch) => batch.id === batchId);
  }
}

function newestFirst(batches: readonly BatchView[]): readonly BatchView[] {
  return [...batches].sort((a, b) => b.createdAt - a.createdAt || b.id.localeCompare(a.id));
}

/** Whether a batch stands with the others: it was neither archived nor deleted. */
export function isInUse({ shelf }: Pick<BatchView, 'shelf'>): boolean {
  return shelf === undefined;
}

/** Those of the batches in use that wait for their user. */
export function batchesInNeed(batches: readonly BatchView[]): readonly BatchView[] {
  return batches.filter((batch) => isInUse(batch) && standingOf(batch).tone === 'needs-you');
}

/** The batch in use to look at first: one that runs, else one that is paused or needs the user, else the newest. */
export function mostUrgentBatch(all: readonly BatchView[]): BatchView | undefined {
  const batches = all.filter(isInUse);
  return (
    batches.find((batch) => batch.state === 'running') ??
    batches.find((batch) => batch.state === 'paused' || standingOf(batch).tone === 'needs-you') ??
    batches[0]
  );
}
