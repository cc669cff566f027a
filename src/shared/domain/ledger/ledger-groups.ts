/** The groups of the ledger in words: what became of their takes, and what to do. */
import { FAILURE_POLICIES, type FailureCode } from '../base/failure.ts';
import { moneyText, type Money } from '../base/money.ts';
import type { LedgerGroup } from './take-stage.ts';

interface GroupWords {
  readonly what: string;
  readonly do: string;
  /** Nothing happens to them before the user does something. */
  readonly needsYou: boolean;
  /** Without this batch, the command that does it; undefined where there is none. */
  readonly command?: 'resume' | 'retry' | 'resolve' | 'update' | 'release' | 'review';
}

/** One entry for each group; the compiler names a missing one. */
export const GROUP_WORDS: Readonly<Record<LedgerGroup, GroupWords>> = {
  correct: {
    what: 'Refused by the gateway',
    do: 'Correct the prompt, or the row, and retry: the same words would be refused again.',
    needsYou: true,
    command: 'update',
  },
  retry: {
    what: 'Failed at the gateway',
    do: 'Try again: a new paid request each, unless the gateway still has the result.',
    needsYou: true,
    command: 'retry',
  },
  download: {
    what: 'Paid for, and the file is not here',
    do: 'Resume the downloads: nothing is paid again.',
    needsYou: true,
    command: 'retry',
  },
  'check-charge': {
    what: 'May have been charged',
    do: 'Check the charge at the gateway: adopt the task code, resubmit, or write off.',
    needsYou: true,
    command: 'resolve',
  },
  'raise-limit': {
    what: 'Stopped by a limit',
    do: 'Raise the limit and resume, or leave them for another night.',
    needsYou: true,
    command: 'resume',
  },
  'enter-key': {
    what: 'Stopped because of the key',
    do: 'Enter the key of the gateway, then resume.',
    needsYou: true,
    command: 'resume',
  },
  'top-up': {
    what: 'Stopped because the balance is used up',
    do: 'Top up your account at the gateway, then resume.',
    needsYou: true,
    command: 'resume',
  },
  'change-time': {
    what: 'Stopped by the schedule',
    do: 'Change when the batch runs, then resume.',
    needsYou: true,
    command: 'resume',
  },
  'free-disk': {
    what: 'Stopped by the disk',
    do: 'Make room on the disk, or the folder writable, then resume. Nothing that was rendered is lost.',
    needsYou: true,
    command: 'resume',
  },
  'check-settings': {
    what: 'Stopped by the profile',
    do: 'Correct the profile of the gateway, then resume.',
    needsYou: true,
    command: 'resume',
  },
  look: {
    what: 'Stopped because something went wrong',
    do: 'Look at what went wrong, then resume.',
    needsYou: true,
    command: 'resume',
  },
  resume: { what: 'Stopped', do: 'Resume the batch.', needsYou: true, command: 'resume' },
  start: { what: 'Not started', do: 'Start the batch.', needsYou: true, command: 'resume' },
  held: { what: 'Held by you', do: 'Release the rows, or leave them.', needsYou: true, command: 'release' },
  pick: {
    what: 'Wait for your pick',
    do: 'Pick a file of the row that they refer to: they are rendered from it.',
    needsYou: true,
    command: 'review',
  },
  drafts: { what: 'New or changed', do: 'Let them run, or leave them.', needsYou: true, command: 'update' },
  invalid: { what: 'Wrong in the sheet', do: 'Correct what each row names.', needsYou: true, command: 'update' },
  'settle-other-row': {
    what: 'Need another row',
    do: 'Settle the row that they refer to: they then continue by themselves.',
    needsYou: false,
  },
  'wait-hours': {
    what: 'Waiting for their hours',
    do: 'Nothing to do: when the schedule lets them run, they do so by themselves.',
    needsYou: false,
  },
  wait: {
    what: 'Under way',
    do: 'Nothing to do: they have their turn, or their time, by themselves.',
    needsYou: false,
  },
  'written-off': {
    what: 'Written off by you',
    do: 'Nothing to do. A retry is a new paid request.',
    needsYou: false,
    command: 'retry',
  },
  cancelled: {
    what: 'Cancelled by you',
    do: 'Nothing to do. Retry them if you want them after all.',
    needsYou: false,
    command: 'retry',
  },
  skipped: { what: 'Skipped in the sheet', do: 'Nothing to do.', needsYou: false },
};

/**
 * What to do about the takes of a group that are held, or failed, for these reasons.
 * @param areInferred Failures among them were only inferred.
 */
export function doOf(group: LedgerGroup, codes: readonly FailureCode[], areInferred: boolean): string {
  if (group === 'check-settings' && codes.length === 1 && codes[0] === 'PRICE_UNKNOWN')
    return 'Add the price to the profile of the gateway, or lift the limit in money; then resume.';
  return group === 'retry' && areInferred ? RETRY_INFERRED : GROUP_WORDS[group].do;
}

/** As long as a failure is inferred, nothing new is paid for: the way out of asking in vain is the status table. */
const RETRY_INFERRED =
  'The gateway gave no file, and no status that is known to mean failed: trying again asks it once more, for free. Say what its status means, and trying again is a new paid request.';

/** What limits count, where that is not what was spent; and why. */
export function countedWords(counted: readonly Money[]): string {
  return `Limits count ${counted.map(moneyText).join(' and ')}: the most that each request may have cost.`;
}

/** What became of the takes of a group: the reason, if all of them have the same. */
export function whatOf(group: LedgerGroup, codes: readonly FailureCode[]): string {
  const [only] = codes;
  return codes.length === 1 && only !== undefined ? FAILURE_POLICIES[only].title : GROUP_WORDS[group].what;
}
