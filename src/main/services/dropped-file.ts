/** What main takes of a drop, whatever the window's process says. */
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { hasSheetExtension, SHEET_EXTENSIONS } from './sheet-extensions.ts';

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
