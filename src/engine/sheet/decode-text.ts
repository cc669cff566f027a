import { isUtf8 } from 'node:buffer';
import { err, ok } from '../../shared/domain/result.ts';
import type { Result } from '../../shared/domain/result.ts';
import type { SheetProblem } from '../../shared/domain/row.ts';

export interface DecodedText {
  readonly text: string;
  readonly encoding: 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';
  readonly problems: readonly SheetProblem[];
}

/** What Windows-1252 has at 0x80 to 0x9F, where Latin-1 has control characters; its gaps stay what they are. */
const WINDOWS_1252_FROM_80 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/**
 * The text of a file: by its byte order mark, else UTF-8, else Windows-1252 with a warning, because any bytes are valid
 * Windows-1252 and it may be the wrong guess.
 */
export function decodeText(bytes: Buffer): Result<DecodedText, SheetProblem> {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes.subarray(2), 'utf-16le');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes.subarray(2), 'utf-16be');
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = hasMark ? bytes.subarray(3) : bytes;
  if (isUtf8(body)) return ok({ text: body.toString('utf8'), encoding: 'utf-8', problems: [] });
  if (hasMark) {
    return err(unreadable('The file says that it is UTF-8, but has bytes in it that are not.'));
  }
  return ok({ text: decodeWindows1252(body), encoding: 'windows-1252', problems: [GUESSED] });
}

const GUESSED: SheetProblem = {
  severity: 'warning',
  code: 'encoding-guessed',
  message: 'The file is not UTF-8; it was read as Windows-1252.',
  remedy: 'Look at its letters with accents. If they are wrong, save the sheet again as “CSV UTF-8”.',
};

function unreadable(message: string): SheetProblem {
  return { severity: 'error', code: 'unreadable', message, remedy: 'Save the sheet again as “CSV UTF-8”.' };
}

/** Node's own text decoder would hide halves of surrogate pairs behind U+FFFD; a Buffer keeps them to be reported. */
function decodeUtf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): Result<DecodedText, SheetProblem> {
  if (bytes.length % 2 === 1) return err(unreadable('The file is UTF-16 and ends in the middle of a character.'));
  const littleEndian = encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16();
  return ok({ text: littleEndian.toString('utf16le'), encoding, problems: [] });
}

/** By hand, because decoders of some Node versions take Windows-1252 for Latin-1. */
function decodeWindows1252(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252_FROM_80[character.charCodeAt(0) - 0x80] ?? character);
}
