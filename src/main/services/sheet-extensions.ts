import { extname } from 'node:path';

/** Endings of the files that are taken for sheets when they come unasked, and offered where they are asked for. */
export const SHEET_EXTENSIONS = ['csv', 'tsv', 'txt', 'xlsx', 'xlsm', 'ods'] as const;

const ENDINGS: ReadonlySet<string> = new Set(SHEET_EXTENSIONS.map((extension) => `.${extension}`));

/** Whether a path ends as a sheet's does. */
export function hasSheetExtension(path: string): boolean {
  return ENDINGS.has(extname(path).toLowerCase());
}
