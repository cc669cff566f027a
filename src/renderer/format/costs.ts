import type { UnknownSummary } from '../../shared/ipc/views.ts';
import { countOf } from './numbers.ts';

/** What it may cost to submit takes again whose outcome is unknown, as one sentence. */
export function resubmitCost(summary: UnknownSummary | undefined, isRehearsal: boolean): string {
  if (isRehearsal) return 'This is a rehearsal: nothing is paid.';
  if (summary === undefined || summary.cost.length === 0) {
    return 'What was accepted is charged again; the profile names no price.';
  }
  const sums = summary.cost.map(({ amount, currency }) => `${amount.toFixed(2)} ${currency}`).join(' and ');
  const others = summary.takesWithoutPrice;
  const rest = others === 0 ? '' : `, and ${countOf(others, 'take')} more without a price in the profile`;
  return `A new submit costs ${sums}${rest}; what was accepted is charged a second time.`;
}
