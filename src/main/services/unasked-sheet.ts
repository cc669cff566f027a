/** What is opened without the window asking for it: dropped on the window, or named at the start. */
import { existsSync, statSync } from 'node:fs';
import { extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { words } from '../../shared/words/words.ts';

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
 * window could name any path. So only a sheet's file on disk is opened: nothing else, and no device or pipe can block.
 * The error is for the user; undefined if there is nothing to say.
 */
export function droppedSheet(paths: unknown): Result<string, string | undefined> {
  const [path, another] = Array.isArray(paths) ? (paths as readonly unknown[]) : [];
  if (another !== undefined) return err(words.desktop.window.dropOne);
  if (typeof path !== 'string' || path.length > PATH_MAX_CHARACTERS || !isAbsolute(path)) return err(undefined);
  if (!hasSheetExtension(path)) return err(words.desktop.window.dropSheet(SHEET_EXTENSIONS));
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? ok(path) : err(words.desktop.window.dropFile);
}

/** The part of the addresses that the system gives to Nocturne, such as `nocturne://ledger`. */
const SCHEME = 'nocturne:';

/** What the application was opened with: a sheet, the folder of a batch, or what an address of Nocturne names. */
export type Unasked =
  | { readonly kind: 'sheet' | 'folder'; readonly path: string }
  /** Anybody may have written the address, even a page: it shows the ledger, and does nothing else. */
  | { readonly kind: 'ledger' };

/** The first of the arguments that can be opened. An address that names nothing only brings the window to the front. */
export function unaskedAmong(args: readonly string[], workingFolder: string): Unasked | undefined {
  for (const argument of args) {
    const found = unaskedIn(argument, workingFolder);
    if (found !== undefined) return found;
  }
  return undefined;
}

function unaskedIn(argument: string, workingFolder: string): Unasked | undefined {
  if (argument.startsWith('-')) return undefined;
  if (argument.startsWith(SCHEME)) return /^nocturne:\/\/ledger\/?$/iu.test(argument) ? { kind: 'ledger' } : undefined;
  const path = pathOf(argument, workingFolder);
  if (path === undefined) return undefined;
  if (hasSheetExtension(path)) return existsSync(path) ? { kind: 'sheet', path } : undefined;
  return existsSync(join(path, 'manifest.json')) ? { kind: 'folder', path } : undefined;
}

/** Some desktops name a file by its address. Undefined for a file on another machine. */
function pathOf(argument: string, workingFolder: string): string | undefined {
  if (!/^file:/iu.test(argument)) return resolve(workingFolder, argument);
  try {
    return fileURLToPath(argument);
  } catch {
    return undefined;
  }
}

/** The arguments of the next start: what is to be opened then, or nothing, in place of what these arguments name. */
export function argumentsFor(args: readonly string[], opened: Unasked | undefined): string[] {
  const isNamed = (argument: string): boolean =>
    hasSheetExtension(argument) || argument.startsWith(SCHEME) || unaskedIn(argument, process.cwd()) !== undefined;
  const others = args.filter((argument) => argument.startsWith('-') || !isNamed(argument));
  if (opened === undefined) return others;
  return [...others, opened.kind === 'ledger' ? `${SCHEME}//ledger` : opened.path];
}
