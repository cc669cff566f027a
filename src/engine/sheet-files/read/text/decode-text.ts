import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import { err, ok, type Result } from '../../../../shared/domain/base/result.ts';
import type { SheetProblem } from '../../../../shared/domain/sheet/problems.ts';
import type { TextEncoding } from '../../../../shared/domain/sheet/sheet-raw.ts';
import { domainWords } from '../../../../shared/words/domain-words.ts';
import { guessEncoding } from './guess-encoding.ts';

/** The bytes of a text without its byte order mark, and their encoding. */
export interface RecognisedText {
  readonly body: Buffer;
  readonly encoding: TextEncoding;
  readonly problems: readonly SheetProblem[];
}

/** Windows-1252 at 0x80 to 0x9F, where Latin-1 has control characters; its gaps stay as they are. */
export const WINDOWS_1252_FROM_80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';
/** How many bytes to examine for UTF-16 without a byte order mark. */
const HEADER_BYTES = 512;
/** A whole number of characters in every encoding but UTF-8, GBK and Shift-JIS, whose decoders keep cut characters. */
const PIECE_BYTES = 1024 * 1024;

/**
 * The encoding of a file's text: the user's choice, or else by its byte order mark, or else UTF-8, or else a guess,
 * which is reported as one.
 */
export function recogniseText(bytes: Buffer, wanted?: TextEncoding): Result<RecognisedText, SheetProblem> {
  const [marked, markBytes] = byteOrderMark(bytes);
  const body = bytes.subarray(markBytes);
  const encoding = wanted ?? marked ?? unmarkedUtf16(body) ?? (isUtf8(body) ? 'utf-8' : guessEncoding(body));
  if (encoding === 'utf-8' && !isUtf8(body)) {
    return err(unreadable(domainWords.problems.file.notUtf8));
  }
  if ((encoding === 'utf-16le' || encoding === 'utf-16be') && body.length % 2 === 1) {
    return err(unreadable(domainWords.problems.file.halfCharacter));
  }
  const isGuess = wanted === undefined && marked === undefined && encoding !== 'utf-8';
  return ok({ body, encoding, problems: isGuess ? [guessed(encoding)] : [] });
}

/** A header line has separators, and most have Latin letters: in UTF-16, every other byte of these is zero. */
function unmarkedUtf16(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const start = bytes.subarray(0, HEADER_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of start.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  const most = Math.max(even, odd);
  if (start.length < 4 || bytes.length % 2 === 1 || most * 4 < start.length || Math.min(even, odd) * 10 > most)
    return undefined;
  return odd > even ? 'utf-16le' : 'utf-16be';
}

function byteOrderMark(bytes: Buffer): [TextEncoding | undefined, number] {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return ['utf-16le', 2];
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return ['utf-16be', 2];
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? ['utf-8', 3] : [undefined, 0];
}

/** The first piece is smaller so that the first rows come soon; it contains the characters searched for the header. */
export const FIRST_PIECE_BYTES = 256 * 1024;

/** The text of the bytes, piece by piece, so that a large file is never one huge string. */
export function* decodePieces(
  { body, encoding }: Pick<RecognisedText, 'body' | 'encoding'>,
  pieceBytes = PIECE_BYTES,
): Generator<string> {
  const decode = pieceDecoder(encoding);
  let start = 0;
  while (start < body.length) {
    const end = start + (start === 0 ? Math.min(pieceBytes, FIRST_PIECE_BYTES) : pieceBytes);
    yield decode(body.subarray(start, end), end >= body.length);
    start = end;
  }
}

function pieceDecoder(encoding: TextEncoding): (piece: Buffer, isLast: boolean) => string {
  switch (encoding) {
    case 'utf-8': {
      const decoder = new StringDecoder('utf8');
      return (piece, isLast) => decoder.write(piece) + (isLast ? decoder.end() : '');
    }
    // Node's own text decoder would hide halves of surrogate pairs behind U+FFFD; a Buffer keeps them for the report.
    case 'utf-16le':
      return (piece) => piece.toString('utf16le');
    case 'utf-16be':
      return (piece) => Buffer.from(piece).swap16().toString('utf16le');
    case 'windows-1252':
      return decodeWindows1252;
    case 'windows-1251':
    case 'gbk':
    case 'shift_jis': {
      // Under the name GBK, the decoders of some Node versions lack the characters that GB 18030 adds.
      const decoder = new TextDecoder(encoding === 'gbk' ? 'gb18030' : encoding);
      return (piece, isLast) => decoder.decode(piece, { stream: !isLast });
    }
  }
}

function guessed(encoding: TextEncoding): SheetProblem {
  const { guessed: guessedAs, encodings } = domainWords.problems.file;
  return {
    severity: 'warning',
    code: 'encoding-guessed',
    ...guessedAs(encoding in encodings ? encodings[encoding as keyof typeof encodings] : 'UTF-16'),
  };
}

function unreadable(words: Pick<SheetProblem, 'message' | 'remedy'>): SheetProblem {
  return { severity: 'error', code: 'unreadable', ...words };
}

/** Without Node's decoder, because some versions of it treat Windows-1252 as Latin-1. */
export function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252_FROM_80[character.charCodeAt(0) - 0x80] ?? character);
}
