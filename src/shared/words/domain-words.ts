/**
 * The part of the catalogue of messages that the domain speaks from. The command line loads no more of it: what only the
 * window says is in `words.ts`.
 */
import { commonWords } from './en/common.ts';
import { costsWords } from './en/costs.ts';
import { nightsWords } from './en/nights.ts';
import { operationsWords } from './en/operations.ts';
import { problemsWords } from './en/problems.ts';

export const DOMAIN_ENGLISH = {
  common: commonWords,
  costs: costsWords,
  operations: operationsWords,
  problems: problemsWords,
  nights: nightsWords,
};

/**
 * The messages in the language of this process; English until `speak`. Tables of a module are made before that: outside of
 * the window, whose page has one language, they must not keep what they read here.
 */
export const domainWords: typeof DOMAIN_ENGLISH = { ...DOMAIN_ENGLISH };
