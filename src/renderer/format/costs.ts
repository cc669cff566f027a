import type { UnknownSummary } from '../../shared/ipc/views.ts';
import { countOf } from './numbers.ts';

/** What it may cost to submit takes again whose outcome is unknown, as one sentence. */
export function resubmitCost(summary: UnknownSummary | undefined, isRehearsal: boolean): string {
  if (isRehearsal) return 'This is a rehearsal: nothing is paid.';
  if (summary === undefined || summary.cost.length === 0) {
    return 'If the first request went through, you pay again. No price is set.';
  }
  const sums = summary.cost.map(({ amount, currency }) => `${amount.toFixed(2)} ${currency}`).join(' and ');
  const others = summary.takesWithoutPrice;
  const rest = others === 0 ? '' : `, and ${countOf(others, 'take')} more without a price`;
  return `A new paid request costs ${sums}${rest}. If the first one went through, you pay again.`;
}

/** The end of “12 submits from 9 rows…”: what they cost, as far as that is known. */
export function sumText(isRehearsal: boolean, cost: UnknownSummary['cost'], withoutPrice = 0): string {
  if (isRehearsal) return ', nothing is paid.';
  if (cost.length === 0) return ', each may be charged.';
  const sums = cost.map(({ amount, currency }) => `${amount.toFixed(2)} ${currency}`).join(' and ');
  const rest = withoutPrice === 0 ? '' : `, and ${countOf(withoutPrice, 'paid request')} more without a price`;
  return `: ${sums} by the profile’s prices${rest}.`;
}
