/** The encoding of an XML part: the declared one, or else UTF-8 (XML 1.0, 4.3.3 and appendix F). Nothing is guessed. */
import { isUtf8 } from 'node:buffer';
import { decodeWindows1252 } from '../text/decode-text.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';

/** The text of a part; if its bytes have an error, only the text before it. */
export interface DecodedXml {
  readonly text: string;
  /** As the end of a sentence about the part. */
  readonly problem?: string;
}

const LOOKED_AT_BYTES = 512;
const DECLARATION = /^<\?xml\s[^?>]{0,200}?\sencoding\s*=\s*["']([\w.:-]{1,40})["']/;

/** Decodes a whole part. */
export function decodeXml(bytes: Buffer): DecodedXml {
  const [family, markBytes] = familyOf(bytes);
  const body = bytes.subarray(markBytes);
  const declared = declaredEncoding(body);
  if (family === '8-bit') return decodeEightBit(body, markBytes > 0 ? 'utf-8' : declared);
  if (declared !== undefined && !/^(?:utf-16(?:le|be)?|iso-10646-ucs-2|ucs-2)$/.test(declared)) {
    return { text: '', problem: domainWords.problems.file.damage.isUtf16(declared) };
  }
  const text = (family === 'utf-16be' ? Buffer.from(body.subarray(0, body.length & ~1)).swap16() : body).toString(
    'utf16le',
  );
  return body.length % 2 === 0 ? { text } : { text, problem: domainWords.problems.file.damage.halfCharacter };
}

/** The encoding declared at the start of a part, in lower case; undefined if there is none. */
export function declaredEncoding(bytes: Buffer): string | undefined {
  // Without the NULs, UTF-16 is ASCII here.
  const start = bytes.toString('latin1', 0, LOOKED_AT_BYTES).replaceAll('\0', '');
  return DECLARATION.exec(start.slice(Math.max(0, start.indexOf('<'))))?.[1]?.toLowerCase();
}

/** An encoding that contains ASCII, or UTF-16. */
type Family = '8-bit' | 'utf-16le' | 'utf-16be';

/** Judged by the byte order mark, or else by how `<`, the start of every document, is written. */
function familyOf(bytes: Buffer): readonly [Family, number] {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return ['utf-16le', 2];
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return ['utf-16be', 2];
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return ['8-bit', 3];
  if (bytes[0] === 0x3c && bytes[1] === 0) return ['utf-16le', 0];
  return bytes[0] === 0 && bytes[1] === 0x3c ? ['utf-16be', 0] : ['8-bit', 0];
}

function decodeEightBit(body: Buffer, declared = 'utf-8'): DecodedXml {
  switch (declared) {
    case 'us-ascii':
    case 'ascii':
    case 'utf8':
    case 'utf-8': {
      const valid = validUtf8Bytes(body);
      const text = body.toString('utf8', 0, valid);
      return valid === body.length ? { text } : { text, problem: domainWords.problems.file.damage.notUtf8 };
    }
    case 'iso-8859-1':
    case 'latin1':
      return { text: body.toString('latin1') };
    case 'windows-1252':
      return { text: decodeWindows1252(body) };
    default:
      return decodeDeclared(body, declared);
  }
}

function decodeDeclared(body: Buffer, declared: string): DecodedXml {
  if (/^(?:utf-?16|utf-?32|ucs|iso-10646)/.test(declared)) {
    return { text: '', problem: domainWords.problems.file.damage.otherEncoding(declared) };
  }
  try {
    return { text: new TextDecoder(declared, { fatal: true }).decode(body) };
  } catch (error) {
    if (error instanceof RangeError)
      return { text: '', problem: domainWords.problems.file.damage.unknownEncoding(declared) };
    if (error instanceof TypeError)
      return { text: '', problem: domainWords.problems.file.damage.otherEncoding(declared) };
    throw error;
  }
}

/** How many bytes from the first one are UTF-8; in linear time. */
function validUtf8Bytes(bytes: Buffer): number {
  if (isUtf8(bytes)) return bytes.length;
  let valid = 0;
  let broken = bytes.length;
  while (broken - valid > 8) {
    let middle = (valid + broken) >> 1;
    // A cut must not split a character; no character has more than three bytes after its first.
    for (let back = 0; back < 3 && ((bytes[middle] ?? 0) & 0xc0) === 0x80; back++) middle--;
    if (isUtf8(bytes.subarray(valid, middle))) valid = middle;
    else broken = middle;
  }
  while (valid < broken) {
    const next = [1, 2, 3, 4].find((length) => isUtf8(bytes.subarray(valid, valid + length)));
    if (next === undefined) break;
    valid += next;
  }
  return valid;
}

const PIECE_CHARACTERS = 1024 * 1024;

/** What to replace in a text, and how to cut the text without splitting a match. */
export interface Replacement {
  readonly pattern: RegExp;
  /** The character that every match begins with. */
  readonly start: string;
  /** No match has more characters. */
  readonly longest: number;
  readonly by: (whole: string, ...groups: (string | undefined)[]) => string;
}

/**
 * `text.replace(pattern, by)` for untrusted texts. The engine's own replacement keeps every match until the end and
 * runs out of memory at some ten million of them, in a way that nothing can stop; so a long text is replaced in pieces.
 */
export function replaceInPieces(text: string, { pattern, start, longest, by }: Replacement): string {
  if (text.length <= PIECE_CHARACTERS) return text.replace(pattern, by);
  const pieces: string[] = [];
  for (let from = 0; from < text.length;) {
    let to = from + PIECE_CHARACTERS;
    const lastStart = text.lastIndexOf(start, to - 1);
    if (to < text.length && lastStart > to - longest) to = lastStart;
    pieces.push(text.slice(from, to).replace(pattern, by));
    from = to;
  }
  return pieces.join('');
}
