/**
 * The languages that Nocturne speaks, and the part of the catalogue of messages that the domain speaks from. The command line
 * loads no more of it: what only the window says is in `words.ts`.
 */
import { commonWords } from './en/common.ts';
import { costsWords } from './en/costs.ts';
import { nightsWords } from './en/nights.ts';
import { operationsWords } from './en/operations.ts';
import { problemsWords } from './en/problems.ts';
import { reasonsWords } from './en/reasons.ts';

export const DOMAIN_ENGLISH = {
  common: commonWords,
  costs: costsWords,
  operations: operationsWords,
  problems: problemsWords,
  nights: nightsWords,
  reasons: reasonsWords,
};

/**
 * The messages in the language of this process; English until `speak`. Tables of a module are made before that: outside of
 * the window, whose page has one language, they must not keep what they read here.
 */
export const domainWords: typeof DOMAIN_ENGLISH = { ...DOMAIN_ENGLISH };

/** BCP 47 tags. Who reads one from outside checks it there: a command that reads nothing loads no library for that. */
export const LANGUAGES = ['en', 'zh-Hans'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language in its own words: whoever looks for it can read that. */
export const LANGUAGE_NAMES = { en: 'English', 'zh-Hans': '简体中文' } as const satisfies Record<Language, string>;

/** The user's choice; `system`: the first language of the system's that Nocturne speaks. */
export const LANGUAGE_CHOICES = ['system', ...LANGUAGES] as const;
export type LanguageChoice = (typeof LANGUAGE_CHOICES)[number];

/** The language of this process, for those that it starts. */
export function spokenLanguage(): Language {
  return languageFor('system', [domainWords.common.locale]);
}

/**
 * The language for a choice. `preferred` are the system's languages, the first one first (BCP 47 tags). Who reads
 * traditional characters is not given simplified ones.
 */
export function languageFor(choice: LanguageChoice, preferred: readonly string[]): Language {
  if (choice !== 'system') return choice;
  for (const tag of preferred) {
    if (/^en\b/iu.test(tag)) return 'en';
    if (/^zh\b/iu.test(tag) && !/\b(?:hant|tw|hk|mo)\b/iu.test(tag)) return 'zh-Hans';
  }
  return 'en';
}
