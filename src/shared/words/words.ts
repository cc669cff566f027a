/**
 * The catalogue of messages: everything that Nocturne says on screen, by where it says it. English is its source and
 * its type, so a language that lacks a message, or has one with different facts, does not compile.
 */
import { DOMAIN_ENGLISH, domainWords } from './domain-words.ts';
import { batchWords } from './en/batch.ts';
import { desktopWords } from './en/desktop.ts';
import { galleryWords } from './en/gallery.ts';
import { findWords, gridWords } from './en/grid.ts';
import { helpWords } from './en/help.ts';
import { homeWords } from './en/home.ts';
import { inspectorWords } from './en/inspector.ts';
import { ledgerWords } from './en/ledger.ts';
import { noticesWords } from './en/notices.ts';
import { reviewWords } from './en/review.ts';
import { settingsWords } from './en/settings.ts';
import { sheetWords } from './en/sheet.ts';
import { shellWords } from './en/shell.ts';
import { startWords } from './en/start.ts';

/** The source of all other languages. */
export const ENGLISH = {
  ...DOMAIN_ENGLISH,
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
  desktop: desktopWords,
};

/** All messages in one language. A message with facts in it is a function of these facts. */
export type Words = typeof ENGLISH;

/**
 * The messages in the language of this process, like {@link domainWords}: the same object, with what only the window
 * says added.
 */
export const words: Words = Object.assign(domainWords, ENGLISH);

/** Sets the language of everything that this process says from now on. */
export function speak(messages: Words): void {
  Object.assign(words, messages);
}
