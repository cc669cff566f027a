/** A difference in words. */
import type { BatchView } from '../../shared/ipc/batches.ts';
import { moneyText } from '../../shared/domain/base/money.ts';
import type { DifferenceView } from '../../shared/ipc/living.ts';
import { requestsOf } from '../format/costs.ts';

export interface CountChip {
  readonly kind: keyof DifferenceView['counts'];
  readonly count: number;
  readonly words: string;
}

const CHIPS: readonly Omit<CountChip, 'count'>[] = [
  { kind: 'new', words: 'new' },
  { kind: 'changed', words: 'changed' },
  { kind: 'details', words: 'with other notes or names' },
  { kind: 'removed', words: 'not in the file' },
  { kind: 'locked', words: 'being rendered, stay as they are' },
  { kind: 'unchanged', words: 'unchanged' },
];

/** How many rows of each kind there are; zero counts are left out. */
export function countChips({ counts }: DifferenceView): readonly CountChip[] {
  return CHIPS.map((chip) => ({ ...chip, count: counts[chip.kind] })).filter(({ count }) => count > 0);
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
  if (submits === 0) return 'Nothing is rendered, nothing is paid.';
  if (batch?.state === 'ready') return 'Nothing is rendered before you start the batch.';
  const isRehearsal = batch?.rehearsal === true;
  if (isRehearsal) return `${requestsOf(submits, isRehearsal)} to the built-in gateway: nothing is paid.`;
  const isWhole = submits === difference.submits;
  const sums = difference.cost.map(moneyText).join(' and ');
  const price =
    sums !== '' && isWhole
      ? `, ${sums} by the profile’s prices`
      : submits === 1
        ? ', which may be charged'
        : ', each may be charged';
  return `${requestsOf(submits, isRehearsal)}${price}.`;
}

export function applyWords(submits: number, isRehearsal: boolean): string {
  return `Apply and run ${requestsOf(submits, isRehearsal)}`;
}
