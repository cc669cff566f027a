import { createStore } from 'zustand/vanilla';
import { queueRanks } from '../../shared/domain/task/batch-standing.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';
import { shownLine } from '../format/shown-text.ts';
import { percentDone, standingOf, statusTotals } from './batch/batch-progress.ts';

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

/** Whether a batch is in use: it was neither archived nor deleted. */
export function isInUse({ shelf }: Pick<BatchView, 'shelf'>): boolean {
  return shelf === undefined;
}

/** The batches that run, in the order of their turns; batches of the same rank take turns. */
export function queueOf(batches: readonly BatchView[]): readonly (readonly BatchView[])[] {
  return queueRanks(batches.filter(({ state }) => state === 'running'));
}

/** Whether a step in the queue changes anything: it leaves the others of its rank, or joins the next one. */
export function canStep(queue: readonly (readonly BatchView[])[], batchId: string, step: 'up' | 'down'): boolean {
  const rank = queue.findIndex((batches) => batches.some(({ id }) => id === batchId));
  if (rank < 0) return false;
  return queue[rank]?.length !== 1 || queue[rank + (step === 'up' ? -1 : 1)] !== undefined;
}

/** The batches in use that wait for their user. */
export function batchesInNeed(batches: readonly BatchView[]): readonly BatchView[] {
  return batches.filter((batch) => isInUse(batch) && standingOf(batch).tone === 'needs-you');
}

/**
 * The batches in use that stand still with something left that only their user can do, though nothing has stopped them:
 * never started, paused by the user, or ended with rows that failed, are invalid or have not run since they changed.
 */
export function batchesLeftOver(batches: readonly BatchView[]): readonly BatchView[] {
  const needing = batchesInNeed(batches);
  return batches.filter((batch) => {
    const { state, rows, draftSubmits, counts } = batch;
    if (!isInUse(batch) || state === 'running' || needing.includes(batch)) return false;
    return state !== 'finished' || rows.invalid + rows.draft + draftSubmits + statusTotals(counts).failed > 0;
  });
}

/** The batch in use to look at first: one that runs, then one that is paused or needs the user, then the newest. */
export function mostUrgentBatch(all: readonly BatchView[]): BatchView | undefined {
  const batches = all.filter(isInUse);
  return (
    batches.find((batch) => batch.state === 'running') ??
    batches.find((batch) => batch.state === 'paused' || standingOf(batch).tone === 'needs-you') ??
    batches[0]
  );
}

/**
 * The window's title, for a list of windows: what needs the user, otherwise the progress, as in the side bar. Like the
 * taskbar, it is about what runs or is paused.
 */
export function windowTitle(all: readonly BatchView[]): string {
  const open = all.filter((batch) => isInUse(batch) && (batch.state === 'running' || batch.state === 'paused'));
  const needing = batchesInNeed(open);
  const running = open.filter(({ state }) => state === 'running');
  const [first, ...others] = needing.length > 0 ? needing : running.length > 0 ? running : open;
  if (first === undefined) return 'Nocturne';
  const name = others.length === 0 ? shownLine(first.name) : words.common.batches(others.length + 1);
  return `${titleWord(first, others)} – ${name} – Nocturne`;
}

/** What several batches have in common; for one, all that the side bar says. */
function titleWord(first: BatchView, others: readonly BatchView[]): string {
  const standing = standingOf(first);
  if (standing.tone === 'needs-you') return words.notices.needsYou;
  if (others.length === 0 && first.waitsUntil !== undefined) return standing.words;
  const totals = [first, ...others].map(({ counts }) => statusTotals(counts));
  const percent = percentDone(...totals);
  return first.state === 'paused' ? words.notices.pausedAt(percent) : percent;
}
