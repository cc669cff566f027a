/** A difference in words. */
import type { BatchView } from '../../shared/ipc/batches.ts';
import { moneyText } from '../../shared/domain/base/money.ts';
import type { DifferenceView } from '../../shared/ipc/living.ts';
import { words } from '../../shared/words/words.ts';

const KINDS = ['new', 'changed', 'details', 'removed', 'locked', 'unchanged'] as const;

/** How many rows of each kind there are; zero counts are left out. */
export function shownCounts({ counts }: DifferenceView) {
  return KINDS.map((kind) => ({ kind, count: counts[kind] })).filter(({ count }) => count > 0);
}

/** True if applying it would change nothing. */
export function isSame({ counts, headersAdded, headersRemoved }: DifferenceView): boolean {
  const rows = counts.new + counts.changed + counts.details + counts.removed;
  return rows + headersAdded.length + headersRemoved.length === 0;
}

/** The cost of the changed and new rows of a batch that runs or ran; `submits` counts the chosen ones. */
export function costWords(
  difference: DifferenceView,
  submits: number,
  batch: Pick<BatchView, 'state' | 'rehearsal'> | undefined,
): string {
  if (submits === 0) return words.home.difference.nothingPaid;
  if (batch?.state === 'ready') return words.home.difference.notStarted;
  if (batch?.rehearsal === true) return words.home.difference.rehearsed(submits);
  const isWhole = submits === difference.submits;
  const sum = words.common.and(difference.cost.map(moneyText));
  return sum !== '' && isWhole ? words.home.difference.priced(submits, sum) : words.home.difference.unpriced(submits);
}
