/**
 * The catalogue of messages: everything that Nocturne says on screen, by where it is said. English is its source and
 * its type, so a language that lacks a message, or has one with other facts in it, does not compile.
 */
import { batchWords } from './en/batch.ts';
import { commonWords } from './en/common.ts';
import { costsWords } from './en/costs.ts';
import { desktopWords } from './en/desktop.ts';
import { findWords } from './en/find.ts';
import { galleryWords } from './en/gallery.ts';
import { gridWords } from './en/grid.ts';
import { helpWords } from './en/help.ts';
import { homeWords } from './en/home.ts';
import { inspectorWords } from './en/inspector.ts';
import { ledgerWords } from './en/ledger.ts';
import { nightsWords } from './en/nights.ts';
import { noticesWords } from './en/notices.ts';
import { operationsWords } from './en/operations.ts';
import { problemsWords } from './en/problems.ts';
import { reviewWords } from './en/review.ts';
import { settingsWords } from './en/settings.ts';
import { sheetWords } from './en/sheet.ts';
import { shellWords } from './en/shell.ts';
import { startWords } from './en/start.ts';

/** The source of all others. */
export const ENGLISH = {
  common: commonWords,
  batch: batchWords,
  grid: gridWords,
  inspector: inspectorWords,
  find: findWords,
  sheet: sheetWords,
  start: startWords,
  home: homeWords,
  review: reviewWords,
  gallery: galleryWords,
  ledger: ledgerWords,
  settings: settingsWords,
  help: helpWords,
  shell: shellWords,
  notices: noticesWords,
  costs: costsWords,
  operations: operationsWords,
  problems: problemsWords,
  nights: nightsWords,
  desktop: desktopWords,
};

/** All messages in one language. A message with facts in it is a function of these facts. */
export type Words = typeof ENGLISH;

/**
 * The messages in the language of this process; English until `speak`. Tables of a module are made before that:
 * outside of the window, whose page has one language, they must not keep what they read here.
 */
export const words: Words = { ...ENGLISH };

/** Sets the language of this process: of all that it says from now on. */
export function speak(messages: Words): void {
  Object.assign(words, messages);
}

/** BCP 47 tags. Who reads one from outside checks it there: a command that reads nothing loads no library for that. */
export const LANGUAGES = ['en', 'zh-Hans'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Each language in its own words: whoever looks for it can read that. */
export const LANGUAGE_NAMES = { en: 'English', 'zh-Hans': '简体中文' } as const satisfies Record<Language, string>;

/** The user's choice; `system`: the first language of the system's that Nocturne speaks. */
export const LANGUAGE_CHOICES = ['system', ...LANGUAGES] as const;
export type LanguageChoice = (typeof LANGUAGE_CHOICES)[number];

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
