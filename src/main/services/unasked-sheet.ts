/** What counts as a sheet if it comes unasked: dropped on the window, or named at the start. */
import { existsSync, statSync } from 'node:fs';
import { extname, isAbsolute, resolve } from 'node:path';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';

/** Extensions of the files that count as sheets if they come unasked, and that the file dialog offers. */
export const SHEET_EXTENSIONS = ['csv', 'tsv', 'txt', 'xlsx', 'xlsm', 'ods'] as const;

const ENDINGS: ReadonlySet<string> = new Set(SHEET_EXTENSIONS.map((extension) => `.${extension}`));

/** Whether a path has the extension of a sheet. */
function hasSheetExtension(path: string): boolean {
  return ENDINGS.has(extname(path).toLowerCase());
}

const PATH_MAX_CHARACTERS = 4096;

/**
 * The path of a dropped sheet. The preload takes it from a file that the user dropped, but a hijacked process of the
 * window could name any path. So only a sheet's file on a disk is opened: nothing else, and no device or pipe can
 * block. The error is for the user; undefined if there is nothing to say.
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

/** The arguments of the next start: with this sheet, or none, in place of the present one. */
export function argumentsFor(args: readonly string[], sheet: string | undefined): string[] {
  const others = args.filter((argument) => argument.startsWith('-') || !hasSheetExtension(argument));
  return sheet === undefined ? others : [...others, sheet];
}
