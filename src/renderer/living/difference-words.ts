/** A difference in words. */
import type { SheetDifference } from '../../shared/ipc/sheet-views.ts';
import { countOf } from '../format/numbers.ts';

export interface CountChip {
  readonly kind: keyof SheetDifference['counts'];
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

/** How many rows there are of each kind, without the kinds that there are none of. */
export function countChips({ counts }: SheetDifference): readonly CountChip[] {
  return CHIPS.map((chip) => ({ ...chip, count: counts[chip.kind] })).filter(({ count }) => count > 0);
}

/** True where taking it over would change nothing. */
export function isSame({ counts, headersAdded, headersRemoved }: SheetDifference): boolean {
  const rows = counts.new + counts.changed + counts.details + counts.removed;
  return rows + headersAdded.length + headersRemoved.length === 0;
}

/** What the changed and new rows cost; `submits` counts what is chosen. */
export function costWords(difference: SheetDifference, submits: number, isRehearsal: boolean): string {
  if (submits === 0) return 'Nothing is rendered, nothing is paid.';
  if (isRehearsal) return `${countOf(submits, 'request')} to the built-in gateway: nothing is paid.`;
  const isWhole = submits === difference.submits;
  const sums = difference.cost.map(({ amount, currency }) => `${amount.toFixed(2)} ${currency}`).join(' and ');
  const price = sums !== '' && isWhole ? `, ${sums} by the profile’s prices` : ', each may be charged';
  return `${countOf(submits, 'paid request')}${price}.`;
}

export function applyWords(submits: number): string {
  return `Apply and run ${countOf(submits, 'paid request')}`;
}
