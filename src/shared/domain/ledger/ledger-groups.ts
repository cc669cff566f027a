/** The groups of the ledger in words: what became of their takes, and what to do. */
import { domainWords } from '../../words/domain-words.ts';
import { FAILURE_POLICIES, type FailureCode } from '../base/failure.ts';
import { moneyText, type Money } from '../base/money.ts';
import { mapRecord } from '../base/result.ts';
import type { LedgerGroup } from './take-stage.ts';

interface GroupWords {
  readonly what: string;
  readonly do: string;
  /** Nothing happens to these takes until the user does something. */
  readonly needsYou: boolean;
  /** The command that does it, without the batch; undefined where there is none. */
  readonly command?: 'resume' | 'retry' | 'resolve' | 'update' | 'release' | 'review';
}

/** One entry for each group; the compiler names a missing one. */
const GROUPS: Readonly<Record<LedgerGroup, Omit<GroupWords, 'what' | 'do'>>> = {
  correct: {
    needsYou: true,
    command: 'update',
  },
  retry: {
    needsYou: true,
    command: 'retry',
  },
  download: {
    needsYou: true,
    command: 'retry',
  },
  'check-charge': {
    needsYou: true,
    command: 'resolve',
  },
  'raise-limit': {
    needsYou: true,
    command: 'resume',
  },
  'enter-key': {
    needsYou: true,
    command: 'resume',
  },
  'top-up': {
    needsYou: true,
    command: 'resume',
  },
  'change-time': {
    needsYou: true,
    command: 'resume',
  },
  'free-disk': {
    needsYou: true,
    command: 'resume',
  },
  'check-settings': {
    needsYou: true,
    command: 'resume',
  },
  look: {
    needsYou: true,
    command: 'resume',
  },
  resume: { needsYou: true, command: 'resume' },
  start: { needsYou: true, command: 'resume' },
  held: { needsYou: true, command: 'release' },
  pick: {
    needsYou: true,
    command: 'review',
  },
  drafts: { needsYou: true, command: 'update' },
  invalid: { needsYou: true, command: 'update' },
  'settle-other-row': {
    needsYou: false,
  },
  'wait-hours': {
    needsYou: false,
  },
  wait: {
    needsYou: false,
  },
  'written-off': {
    needsYou: false,
    command: 'retry',
  },
  deleted: { needsYou: false },
  cancelled: {
    needsYou: false,
    command: 'retry',
  },
  skipped: { needsYou: false },
};

/** The same with its words, in the language in use when somebody reads them. */
export const GROUP_WORDS: Readonly<Record<LedgerGroup, GroupWords>> = mapRecord(GROUPS, (group, about) => ({
  ...about,
  get what() {
    return domainWords.nights.groups[group].what;
  },
  get do() {
    return domainWords.nights.groups[group].do;
  },
}));

/**
 * What to do about the takes of a group that are held, or failed, for these reasons.
 * @param inferred How many of the failures were only inferred.
 */
export function doOf(group: LedgerGroup, codes: readonly FailureCode[], inferred: 'none' | 'some' | 'all'): string {
  if (group === 'check-settings' && codes.length === 1 && codes[0] === 'PRICE_UNKNOWN')
    return domainWords.nights.addPrice;
  // As long as a failure is inferred, nothing new is paid for: the status table is the way to stop asking in vain.
  if (group !== 'retry' || inferred === 'none') return GROUP_WORDS[group].do;
  return inferred === 'all' ? domainWords.nights.retryInferred : domainWords.nights.retrySomeInferred;
}

/** What limits count, where that differs from what was spent, and why. */
export function countedWords(counted: readonly Money[]): string {
  return domainWords.nights.limitsCount(counted.map(moneyText));
}

/** What became of the takes of a group: the reason, if all of them have the same and it still matters. */
export function whatOf(group: LedgerGroup, codes: readonly FailureCode[]): string {
  const [only] = codes;
  if (group === 'deleted') return GROUP_WORDS[group].what;
  return codes.length === 1 && only !== undefined ? FAILURE_POLICIES[only].title : GROUP_WORDS[group].what;
}
