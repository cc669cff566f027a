import { ENGLISH, speak, type Words } from './words.ts';
import { type Language } from './domain-words.ts';
import { batchZh } from './zh/batch.ts';
import { commonZh } from './zh/common.ts';
import { costsZh } from './zh/costs.ts';
import { desktopZh } from './zh/desktop.ts';
import { galleryZh } from './zh/gallery.ts';
import { findZh, gridZh } from './zh/grid.ts';
import { helpZh } from './zh/help.ts';
import { homeZh } from './zh/home.ts';
import { inspectorZh } from './zh/inspector.ts';
import { ledgerZh } from './zh/ledger.ts';
import { nightsZh } from './zh/nights.ts';
import { noticesZh } from './zh/notices.ts';
import { operationsZh } from './zh/operations.ts';
import { problemsZh } from './zh/problems.ts';
import { reasonsZh } from './zh/reasons.ts';
import { reviewZh } from './zh/review.ts';
import { settingsZh } from './zh/settings.ts';
import { sheetZh } from './zh/sheet.ts';
import { shellZh } from './zh/shell.ts';
import { startZh } from './zh/start.ts';

const CHINESE: Words = {
  common: commonZh,
  batch: batchZh,
  grid: gridZh,
  inspector: inspectorZh,
  find: findZh,
  sheet: sheetZh,
  start: startZh,
  home: homeZh,
  review: reviewZh,
  gallery: galleryZh,
  ledger: ledgerZh,
  settings: settingsZh,
  help: helpZh,
  shell: shellZh,
  notices: noticesZh,
  costs: costsZh,
  operations: operationsZh,
  problems: problemsZh,
  nights: nightsZh,
  reasons: reasonsZh,
  desktop: desktopZh,
};

/** The messages in each language. */
export const CATALOGUES: Readonly<Record<Language, Words>> = { en: ENGLISH, 'zh-Hans': CHINESE };

/** Makes this process speak a language from now on. */
export function speakLanguage(language: Language): void {
  speak(CATALOGUES[language]);
}
