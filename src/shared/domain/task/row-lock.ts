import { assertNever } from '../base/result.ts';
import type { RowViewStatus } from './row-status.ts';

/**
 * Why the cells of a row with these takes cannot be edited now, as a sentence for the user; undefined where they can. A
 * take that is at the gateway must end for what was asked of it. A failure that was only inferred locks nothing: its take
 * is watched on, whatever becomes of the row. Instead of its takes the status of the row will do: it is that of a take in
 * flight where there is one.
 */
export function whyLocked(takes: readonly { readonly status: RowViewStatus }[]): string | undefined {
  for (const take of takes) {
    const reason = reasonOf(take.status);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

function reasonOf(status: RowViewStatus): string | undefined {
  switch (status) {
    case 'submitting':
      return 'It is being submitted: edit it when it is done, or duplicate it.';
    case 'submit-unknown':
      return 'It is not known whether it was submitted: decide that first, or duplicate the row.';
    case 'rendering':
      return 'It is being rendered: edit it when it is done, or duplicate it.';
    case 'downloading':
      return 'Its files are being fetched: edit it when it is done, or duplicate it.';
    case 'failed':
    case 'queued':
    case 'done':
    case 'cancelled':
    case 'draft':
    case 'invalid':
    case 'skipped':
      return undefined;
    default:
      return assertNever(status);
  }
}
