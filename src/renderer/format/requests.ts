/** What the requests of a row cost, in words. */
import type { RequestCounts, RowDetail } from '../../shared/ipc/views.ts';
import { countOf, formatCount } from './numbers.ts';

/** The submits of one take: `1 paid request, and 5 that were refused`. Nothing is paid in a rehearsal. */
export function requestWords({ paid, refused }: RequestCounts, isRehearsal: boolean): string {
  if (paid === 0) return refused === 0 ? 'nothing sent' : countOf(refused, 'refused request');
  const words = countOf(paid, isRehearsal ? 'request' : 'paid request');
  return refused === 0 ? words : `${words}, and ${formatCount(refused)} that ${refused === 1 ? 'was' : 'were'} refused`;
}

/** What was paid for a row that waits for its turn; nothing is said of a rehearsal. */
export function queuedCost({ tasks, earlierTakes }: RowDetail, isRehearsal: boolean): string | undefined {
  if (isRehearsal) return undefined;
  const paid = tasks.reduce((sum, { requests }) => sum + requests.paid, 0);
  if (paid > 0) return `${countOf(paid, 'paid request')} so far.`;
  return earlierTakes.paidRequests > 0 ? 'Nothing has been paid for this version.' : 'Nothing has been paid.';
}
