/** Reads the options of a command, and reports every mistake in them. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { loadProfile, mayBeRead, type ReadSheetOptions } from '../engine/index.ts';
import { keyProblem } from '../shared/domain/base/key-finder.ts';
import { bucketAddressText, isBucketAddress, parseBucketAddress } from '../shared/domain/files/bucket-address.ts';
import {
  MOST_AGAIN,
  readGate,
  readGateSettings,
  USUAL_GATES,
  type GateSettings,
} from '../shared/domain/gates/gate-settings.ts';
import { say } from '../shared/domain/base/reason.ts';
import { present } from '../shared/domain/base/result.ts';
import { delimiterOf, TEXT_ENCODINGS, type TextEncoding } from '../shared/domain/sheet/sheet-raw.ts';
import { baseUrlProblem, DEFAULT_PROFILE, parseProfile, type Profile } from '../shared/domain/gateway/profile.ts';
import { CommandFailure, wrongUsage } from './ending.ts';
import { wholeNumber, type GateOptions, type ProfileOptions, type SheetOptions } from './options/common-options.ts';
import { OFF } from './options/spending-options.ts';

const MAX_JSON_BYTES = 1024 * 1024;

/** How to read a sheet's file. Throws {@link CommandFailure} for an unknown encoding, delimiter or line. */
export function sheetReading({ encoding, delimiter, sheet, headerLine }: SheetOptions): ReadSheetOptions {
  const line = wholeNumber('--header-line', headerLine, 1, 1_048_576);
  return {
    ...(encoding === undefined ? {} : { encoding: encodingOf(encoding) }),
    ...(delimiter === undefined ? {} : { delimiter: delimiterCharacter(delimiter) }),
    ...(sheet === undefined ? {} : { sheet }),
    ...(line === undefined ? {} : { headerLine: line }),
  };
}

/** The media folder that `--out` names: a bucket's address, or an absolute path. Throws {@link CommandFailure}. */
export function mediaFolderOf(folder: string): string {
  if (!isBucketAddress(folder)) return path.resolve(folder);
  const address = parseBucketAddress(folder);
  if (!address.ok) throw wrongUsage(say(address.error), 'Give it as s3://BUCKET/PREFIX.');
  return bucketAddressText(address.value);
}

/** The same for what only works in a folder of this machine. */
export function localFolderOf(option: string, folder: string): string {
  if (!isBucketAddress(folder)) return path.resolve(folder);
  throw wrongUsage(`${option} ${folder} is in a bucket.`, 'Name a folder on this machine; run takes a bucket.');
}

function encodingOf(name: string): TextEncoding {
  const known = TEXT_ENCODINGS.find((candidate) => candidate === name.toLowerCase());
  if (known !== undefined) return known;
  throw wrongUsage(
    `--encoding ${name}: not known`,
    `Give one of ${TEXT_ENCODINGS.join(', ')}, or leave the option out to have it recognised.`,
  );
}

function delimiterCharacter(text: string): string {
  const delimiter = delimiterOf(text);
  if (delimiter !== undefined) return delimiter;
  throw wrongUsage(
    `--delimiter ${text}: not a single character that can separate cells`,
    'Give the character, such as --delimiter ";", or one of comma, semicolon, tab, pipe.',
  );
}

/** The profile that `--profile` and `--base-url` give; the defaults without them. Throws {@link CommandFailure}. */
export function profileOf(options: ProfileOptions, baseUrl?: string): Profile {
  const profile = options.profile === undefined ? DEFAULT_PROFILE : readProfile(options.profile, baseUrl);
  if (options.baseUrl === undefined) return profile;
  const problem = baseUrlProblem(options.baseUrl);
  if (problem !== undefined) {
    throw wrongUsage(
      `--base-url ${options.baseUrl}: ${problem}`,
      'Give the gateway’s base URL, including its path, such as https://gateway.example/api.',
    );
  }
  const parsed = parseProfile({ ...profile, baseUrl: options.baseUrl });
  if (!parsed.ok) {
    const { message = '', remedy = '' } = parsed.error[0] ?? {};
    throw wrongUsage(`--base-url ${options.baseUrl}: ${message}`, remedy);
  }
  return parsed.value;
}

/** Reads a profile file. Throws {@link CommandFailure} with every problem in it. */
export function readProfile(file: string, baseUrl?: string): Profile {
  const loaded = loadProfile(path.resolve(file), baseUrl);
  if (loaded.ok) return loaded.value;
  const lines = loaded.error.map((problem) => `  ${problem.path || file}: ${problem.message}\n    → ${problem.remedy}`);
  throw wrongUsage(
    `The profile ${file} cannot be used:\n${lines.join('\n')}`,
    'Correct it, then check it with: nocturne profile check FILE',
  );
}

/** The key, from `--key-file` or the environment; never from an argument. Throws {@link CommandFailure}. */
export function readKey(keyFile: string | undefined): string | undefined {
  const text = keyFile === undefined ? process.env['NOCTURNE_AI_KEY'] : readSecretFile('key', keyFile);
  const key = text?.trim();
  if (keyFile !== undefined && !key) {
    throw wrongUsage(`The key file ${keyFile} is empty.`, 'Write the key into it, on one line.');
  }
  const problem = key ? keyProblem(key) : undefined;
  if (problem !== undefined) {
    throw wrongUsage(problem, 'Copy it again: one line, without spaces or quotes.');
  }
  return key || undefined;
}

/** The text of a file that holds one secret: a key, a token. Throws {@link CommandFailure}. */
export function readSecretFile(what: string, named: string): string {
  const file = path.resolve(named);
  try {
    if (isReadableByOthers(file)) {
      throw wrongUsage(
        `The ${what} file ${named} can be read by other users of this machine.`,
        `Make it readable only by you, then try again: chmod 600 ${named}`,
      );
    }
    if (!mayBeRead(file)) {
      throw wrongUsage(
        `The ${what} file ${named} is not a regular file.`,
        `Name a file that holds the ${what} and nothing else.`,
      );
    }
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw wrongUsage(
      `The ${what} file ${named} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      `Name a file that holds the ${what} and nothing else.`,
    );
  }
}

/** A file of JSON that an option names; `fields` says where its fields are described. Throws {@link CommandFailure}. */
export function readJsonFile(named: string, fields: string): unknown {
  const file = path.resolve(named);
  try {
    if (!mayBeRead(file)) throw wrongUsage(`${named} is not a regular file.`, 'Name a JSON file.');
    const bytes = readFileSync(file);
    if (bytes.length > MAX_JSON_BYTES) throw wrongUsage(`${named} is too large.`, 'Name a JSON file.');
    return JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/u, ''));
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const why = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    const reason = error instanceof Error ? error.message : String(error);
    throw wrongUsage(`${named} ${why}: ${reason}`, fields);
  }
}

/**
 * As ssh does: files that belong to others (secrets that a system mounts) are not the user's to protect. Windows has no
 * modes.
 */
function isReadableByOthers(file: string): boolean {
  if (process.getuid === undefined) return false;
  const found = statSync(file);
  return found.isFile() && found.uid === process.getuid() && (found.mode & 0o077) !== 0;
}

/** The seed of a built-in gateway. Throws {@link CommandFailure}. */
export function seedOf({ seed }: { readonly seed?: string }): number {
  return wholeNumber('--seed', seed, 0, 2 ** 31 - 1) ?? 1;
}

/**
 * The gates before, changed as the options say: `--gates` replaces them, `--gate` adds to them, `--gate-again` says how
 * often what they flag is rendered again. Undefined for none. Throws {@link CommandFailure} for what cannot be read.
 */
export function gatesOf(
  { gates, gate = [], gateAgain }: GateOptions,
  before: GateSettings | undefined,
): GateSettings | undefined {
  const base = gates === undefined ? before : namedGates(gates);
  const on = gate.map((text) => {
    const read = readGate(text);
    if (!read.ok) throw wrongUsage(`--gate ${text}: ${read.error.message}`, read.error.remedy);
    return read.value;
  });
  const again = wholeNumber('--gate-again', gateAgain, 0, MOST_AGAIN) ?? base?.again;
  const merged: GateSettings = {
    on: Object.assign({}, base?.on, ...on) as GateSettings['on'],
    ...present({ again: again === 0 ? undefined : again }),
  };
  if (Object.keys(merged.on).length > 0) return merged;
  if (gateAgain === undefined || merged.again === undefined) return undefined;
  throw wrongUsage(
    '--gate-again without gates: nothing is flagged.',
    'Give --gates default, or --gate black, beside it.',
  );
}

function namedGates(named: string): GateSettings | undefined {
  if (named === OFF) return undefined;
  if (named === 'default') return USUAL_GATES;
  let text;
  try {
    if (!mayBeRead(named)) throw new Error('This is not a regular file.');
    text = readFileSync(named, 'utf8');
  } catch (error) {
    throw wrongUsage(
      `--gates ${named}: ${error instanceof Error ? error.message : String(error)}`,
      'Give a file, default or off.',
    );
  }
  const read = readGateSettings(text);
  if (!read.ok) throw wrongUsage(`--gates ${named}: ${read.error.message}`, read.error.remedy);
  return read.value;
}
