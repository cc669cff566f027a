import { countOf, formatCount } from '../../format/numbers.ts';

/** What becomes of requests that a limit does not let through. */
export function limitHint(limit: number | undefined, submits: number): string {
  if (limit !== undefined && limit < submits) {
    const left = submits - limit;
    return `Rendering pauses after ${formatCount(limit)}; ${formatCount(left)} ${left === 1 ? 'waits' : 'wait'} until you raise the limit.`;
  }
  return 'Rendering pauses at this number. Retries count.';
}

export const NOTHING_TO_START = 'There is nothing to start yet.';

/** What the button says that starts it: how much is paid at most. */
export function startWords(isRehearsal: boolean, submits: number, limit: number | undefined): string {
  if (isRehearsal) return 'Start rehearsal';
  if (submits === 0) return 'Start';
  return limit !== undefined && limit < submits
    ? `Start (up to ${countOf(limit, 'paid request')})`
    : `Start ${countOf(submits, 'paid request')}`;
}
