/** What a cell means by the path of a file on this computer. */
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { readdir } from 'node:fs/promises';
import { err, ok, type Result } from '../../shared/domain/base/result.ts';
import { foldName } from '../../shared/domain/base/nearest-name.ts';

/** Where relative paths begin, and whose `~` is meant. */
export interface PathContext {
  /** The folder of the sheet's file; undefined for a sheet that was typed. */
  readonly folder: string | undefined;
  readonly home?: string;
  readonly platform?: NodeJS.Platform;
}

/** A folder with more is not searched for the name that was meant. */
const MOST_NAMES = 20_000;

/** The absolute path that is meant; the error says in a sentence why there is none. Looks at no disk. */
export function absolutePathOf(written: string, context: PathContext): Result<string, string> {
  const { folder, home = homedir(), platform = process.platform } = context;
  const isWindows = platform === 'win32';
  const rules = isWindows ? path.win32 : path.posix;
  if (written.includes('\0')) return err('Its path contains a NUL character.');
  if (/^file:/iu.test(written)) return pathOfAddress(written, isWindows);
  // Windows takes either slash for the other: looking there would tell that computer who the user is.
  if ((isWindows ? /^[\\/]{2}/u : /^(?:\\\\|\/\/)/u).test(written))
    return err('It is on another computer. Copy it to this one, or to the folder of the sheet, and name it there.');
  if (!isWindows && /^[a-z]:/iu.test(written))
    return err('That is a path of Windows, and this computer has no drives. Name the file as it is called here.');
  if (isWindows && /^[a-z]:(?![\\/])/iu.test(written))
    return err('What it means depends on where a program runs. Write the whole path, such as C:\\Pictures\\kite.png.');
  if (written.startsWith('~')) {
    if (!/^~(?:[\\/]|$)/u.test(written)) return err('Of the folders of users, only your own can be named by ~.');
    return ok(rules.join(home, written.slice(1)));
  }
  if (rules.isAbsolute(written)) return ok(rules.normalize(written));
  if (folder === undefined)
    return err('The sheet has no folder of its own that this could begin in. Write the whole path.');
  return ok(rules.resolve(folder, written));
}

function pathOfAddress(written: string, isWindows: boolean): Result<string, string> {
  if (!URL.canParse(written)) return err('It is no address of a file. Write file:///, and the path behind it.');
  const { host } = new URL(written);
  if (host !== '' && host !== 'localhost')
    return err('It is on another computer. Copy it to this one, and name it there.');
  try {
    return ok(fileURLToPath(written.replace(/^file:\/\/localhost\//iu, 'file:///'), { windows: isWindows }));
  } catch {
    return err('Its address names no file of this computer. Write file:///, and the path behind it.');
  }
}

/** Of a file that is not there: what else may have been meant, as a sentence. */
export async function nearestFile(missing: string): Promise<string | undefined> {
  const names = await readdir(path.dirname(missing)).catch(() => undefined);
  if (names === undefined) return 'Its folder is not there either.';
  if (names.length > MOST_NAMES) return undefined;
  const wanted = path.basename(missing);
  const spelt = names.find((name) => name.normalize('NFC') === wanted.normalize('NFC'));
  if (spelt !== undefined)
    return `There is “${spelt}”, whose letters with accents are written in another way: copy its name.`;
  const cased = names.find((name) => name.normalize('NFC').toLowerCase() === wanted.normalize('NFC').toLowerCase());
  if (cased !== undefined) return `There is “${cased}”, which differs in capital and small letters.`;
  const decoded = decodedName(wanted);
  if (decoded !== wanted && names.includes(decoded))
    return `There is “${decoded}”: only addresses that begin with file: are written with percent signs.`;
  const folded = names.find((name) => foldName(name) === foldName(wanted));
  return folded === undefined ? undefined : `There is “${folded}”.`;
}

function decodedName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
