/**
 * The languages that Nocturne speaks, and the part of the message catalogue that the domain uses. The command line
 * loads only this part: what only the window says is in `words.ts`.
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
 * The messages in the language of this process; English until `speak`. A module's tables are made before that: outside
 * the window, whose page has one language, they must not keep what they read here.
 */
export const domainWords: typeof DOMAIN_ENGLISH = { ...DOMAIN_ENGLISH };

/**
 * BCP 47 tags. Code that reads one from outside checks it there, so that a command that reads none loads no library for
 * it.
 */
export const LANGUAGES = ['en', 'zh-Hans'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language's name in that language, so that a user who looks for it can read it. */
export const LANGUAGE_NAMES = { en: 'English', 'zh-Hans': '简体中文' } as const satisfies Record<Language, string>;

/** The user's choice; `system`: the first of the system's languages that Nocturne speaks. */
export const LANGUAGE_CHOICES = ['system', ...LANGUAGES] as const;
export type LanguageChoice = (typeof LANGUAGE_CHOICES)[number];

/** The language of this process, for the processes that it starts. */
export function spokenLanguage(): Language {
  return languageFor('system', [domainWords.common.locale]);
}

/**
 * The language for a choice. `preferred`: the system's languages in order (BCP 47 tags). A user who reads traditional
 * characters is not given simplified ones.
 */
export function languageFor(choice: LanguageChoice, preferred: readonly string[]): Language {
  if (choice !== 'system') return choice;
  for (const tag of preferred) {
    if (/^en\b/iu.test(tag)) return 'en';
    if (/^zh\b/iu.test(tag) && !/\b(?:hant|tw|hk|mo)\b/iu.test(tag)) return 'zh-Hans';
  }
  return 'en';
}
