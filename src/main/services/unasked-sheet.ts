/** What is taken for a sheet when it comes unasked: dropped on the window, or named at the start. */
import { existsSync, statSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';

/** Endings of the files that are taken for sheets when they come unasked, and offered where they are asked for. */
export const SHEET_EXTENSIONS = ['csv', 'tsv', 'txt', 'xlsx', 'xlsm', 'ods'] as const;

const ENDINGS: ReadonlySet<string> = new Set(SHEET_EXTENSIONS.map((extension) => `.${extension}`));

/** Whether a path ends as a sheet's does. */
function hasSheetExtension(path: string): boolean {
  return ENDINGS.has(extname(path).toLowerCase());
}

const PATH_MAX_CHARACTERS = 4096;

/**
 * The path of a dropped sheet. The preload takes it from a file that the user's hand let go; a process of the window
 * that somebody else has taken over could name any. So it gets no further than a sheet's file on a disk: nothing else
 * is opened, no device or pipe is waited for. The error is for the user; undefined where there is nothing to say.
 */
export function droppedSheet(path: unknown): Result<string, string | undefined> {
  if (typeof path !== 'string' || path.length > PATH_MAX_CHARACTERS || !isAbsolute(path)) return err(undefined);
  if (!hasSheetExtension(path)) return err(`Drop a sheet: a file that ends with ${SHEET_EXTENSIONS.join(', ')}.`);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? ok(path) : err('Drop a file, not a folder.');
}

/** The first sheet among the arguments, as when it was opened with the application. */
export function sheetAmong(args: readonly string[], workingFolder: string): string | undefined {
  return args
    .filter((argument) => !argument.startsWith('-') && hasSheetExtension(argument))
    .map((argument) => resolve(workingFolder, argument))
    .find((path) => existsSync(path));
}

/** The arguments of the next start: with this sheet, or none, in place of the one that this start was for. */
export function argumentsFor(args: readonly string[], sheet: string | undefined): string[] {
  const others = args.filter((argument) => argument.startsWith('-') || !hasSheetExtension(argument));
  return sheet === undefined ? others : [...others, sheet];
}
