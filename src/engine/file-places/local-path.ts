/** What a cell means by the path of a file on this computer. */
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readdir } from 'node:fs/promises';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { foldName } from '../../shared/domain/base/nearest-name.ts';

/** Where relative paths begin, and whose `~` is meant. */
export interface PathContext {
  /** The folder of the sheet's file; undefined for a sheet that was typed. */
  readonly folder: string | undefined;
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
}

/** A folder with more names is not searched for the one that was meant. */
const MOST_NAMES = 20_000;

/** The absolute path that is meant; the error says in a sentence why there is none. Looks at no disk. */
export function absolutePathOf(written: string, context: PathContext): Result<string, Reason> {
  const { folder, home = homedir(), platform = process.platform } = context;
  const isWindows = platform === 'win32';
  const rules = isWindows ? path.win32 : path.posix;
  if (written.includes('\0')) return err(reason('file.nul'));
  if (/^file:/iu.test(written)) return pathOfAddress(written, isWindows);
  // Windows accepts either slash: looking at such a path would tell another computer who the user is.
  if ((isWindows ? /^[\\/]{2}/u : /^(?:\\\\|\/\/)/u).test(written)) return err(reason('file.elsewhere'));
  if (!isWindows && /^[a-z]:/iu.test(written)) return err(reason('file.ofWindows'));
  if (isWindows && /^[a-z]:(?![\\/])/iu.test(written)) return err(reason('file.noFolderOfDrive'));
  if (written.startsWith('~')) {
    if (!/^~(?:[\\/]|$)/u.test(written)) return err(reason('file.otherHome'));
    return ok(rules.join(home, written.slice(1)));
  }
  if (rules.isAbsolute(written)) return ok(rules.normalize(written));
  if (folder === undefined) return err(reason('file.noStart'));
  return ok(rules.resolve(folder, written));
}

function pathOfAddress(written: string, isWindows: boolean): Result<string, Reason> {
  if (!URL.canParse(written)) return err(reason('file.noAddress'));
  const { host } = new URL(written);
  if (host !== '' && host !== 'localhost') return err(reason('file.elsewhereToo'));
  try {
    return ok(fileURLToPath(written.replace(/^file:\/\/localhost\//iu, 'file:///'), { windows: isWindows }));
  } catch {
    return err(reason('file.addressOfNone'));
  }
}

/** For a missing file: what else may have been meant, as a sentence. */
export async function nearestFile(missing: string): Promise<Reason | undefined> {
  const names = await readdir(path.dirname(missing)).catch(() => undefined);
  if (names === undefined) return reason('file.noFolder');
  if (names.length > MOST_NAMES) return undefined;
  const wanted = path.basename(missing);
  const spelt = names.find((name) => name.normalize('NFC') === wanted.normalize('NFC'));
  if (spelt !== undefined) return reason('file.accents', spelt);
  const cased = names.find((name) => name.normalize('NFC').toLowerCase() === wanted.normalize('NFC').toLowerCase());
  if (cased !== undefined) return reason('file.letters', cased);
  const decoded = decodedName(wanted);
  if (decoded !== wanted && names.includes(decoded)) return reason('file.percent', decoded);
  const folded = names.find((name) => foldName(name) === foldName(wanted));
  return folded === undefined ? undefined : reason('file.similar', folded);
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
