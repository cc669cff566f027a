import { readFileSync, statSync } from 'node:fs';
import { parseProfile, type Profile } from '../../shared/domain/gateway/profile.ts';
import type { ProfileProblem } from '../../shared/domain/gateway/profile-problem.ts';
import { err, type Result } from '../../shared/domain/base/result.ts';

/** A file of this size is not a profile and is not read. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a profile file: UTF-8 JSON, with or without a byte order mark. The error lists every problem and its place.
 * @param baseUrl The gateway's, if the file names none.
 */
export function loadProfile(path: string, baseUrl?: string): Result<Profile, ProfileProblem[]> {
  let bytes: Uint8Array;
  try {
    if (!mayBeRead(path) && !statSync(path).isDirectory()) {
      return fileProblem('This is not a regular file.', 'Name a profile file.');
    }
    bytes = readFileSync(path);
  } catch (error) {
    return err([unreadable(error)]);
  }
  if (bytes.length > MAX_BYTES) return fileProblem('The file is too large for a profile.', 'Name a profile file.');
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return fileProblem('The file is not UTF-8 text.', 'Save it as UTF-8.');
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return fileProblem(`The file is not JSON: ${describePlace(text, syntaxErrorAt(text))}.`, 'Correct it there.');
  }
  const isNameless =
    typeof json === 'object' && json !== null && !Array.isArray(json) && !Object.hasOwn(json, 'baseUrl');
  return parseProfile(isNameless && baseUrl !== undefined ? Object.assign({ baseUrl }, json) : json);
}

/**
 * True if reading a file that the user named comes to an end: it is a plain file or what a shell passes (`<(…)`,
 * `/dev/stdin`), not some other pipe or a device. Throws the error of the disk.
 */
export function mayBeRead(path: string): boolean {
  return /^\/(?:dev\/(?:fd\/\d+|stdin)|proc\/self\/fd\/\d+)$/u.test(path) || statSync(path).isFile();
}

function fileProblem(message: string, remedy: string): Result<Profile, ProfileProblem[]> {
  return err([{ path: '', message, remedy }]);
}

function unreadable(error: unknown): ProfileProblem {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  switch (code) {
    case 'ENOENT':
      return { path: '', message: 'There is no such file.', remedy: 'Check the path.' };
    case 'EISDIR':
      return { path: '', message: 'This is a folder.', remedy: 'Name a profile file.' };
    case 'EACCES':
    case 'EPERM':
      return {
        path: '',
        message: 'You are not allowed to read this file.',
        remedy: 'Change its permissions so that you can read it.',
      };
    default:
      return { path: '', message: `The file cannot be read (${code}).`, remedy: 'Check the path and the disk.' };
  }
}

function describePlace(text: string, offset: number): string {
  const before = text.slice(0, offset).split(/\r\n|[\r\n]/);
  const place = `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
  const found = text.slice(offset).trimStart();
  return found === '' ? `it ends too early at ${place}` : `“${Array.from(found)[0] ?? ''}” is unexpected at ${place}`;
}

/**
 * Where a text stops being JSON: the offset of the first character that cannot stand there. The runtime's own message
 * has a position only for some errors, and differs between versions.
 */
function syntaxErrorAt(text: string): number {
  let at = 0;
  const take = (token: RegExp): boolean => {
    token.lastIndex = at;
    const found = token.exec(text);
    if (found) at += found[0].length;
    return found !== null;
  };
  const list = (close: RegExp, element: () => boolean): boolean => {
    if (take(close)) return true;
    do {
      if (!element()) return false;
    } while (take(COMMA));
    return take(close);
  };
  const value = (): boolean => {
    if (take(SCALAR)) return true;
    if (take(OPEN_BRACE)) return list(CLOSE_BRACE, () => take(STRING) && take(COLON) && value());
    return take(OPEN_BRACKET) && list(CLOSE_BRACKET, value);
  };
  take(BLANK);
  try {
    if (value()) take(BLANK);
  } catch {
    // Nested deeper than the stack: every reader fails at the offset reached.
  }
  take(BLANK);
  return at;
}

const BLANK = /[ \t\r\n]*/y;
const STRING = /[ \t\r\n]*"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"[ \t\r\n]*/uy;
const SCALAR =
  /[ \t\r\n]*(?:"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"|true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)[ \t\r\n]*/uy;
const OPEN_BRACE = /[ \t\r\n]*\{[ \t\r\n]*/y;
const CLOSE_BRACE = /[ \t\r\n]*\}[ \t\r\n]*/y;
const OPEN_BRACKET = /[ \t\r\n]*\[[ \t\r\n]*/y;
const CLOSE_BRACKET = /[ \t\r\n]*\][ \t\r\n]*/y;
const COLON = /:[ \t\r\n]*/y;
const COMMA = /,[ \t\r\n]*/y;
