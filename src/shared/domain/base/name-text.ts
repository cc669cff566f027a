/** Makes text fit for file names on Linux, macOS and Windows at once. */
import { trimEnd } from './text.ts';

/** Names that Windows takes for devices, with or without an extension. Source: Microsoft, Naming Files, Paths, and Namespaces. */
const RESERVED = /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])\s*(?:\.|$)/iu;

/** Characters that at least one of the systems forbids in names. */
const FORBIDDEN = /[<>:"/\\|?*]/gu;

/** Controls, noncharacters, lone surrogates, and marks that turn or hide text; joiners of emoji stay. */
const INVISIBLE =
  /[\p{Cc}\p{Cs}\u{ad}\u{61c}\u{180e}\u{200b}\u{200e}\u{200f}\u{202a}-\u{202e}\u{2060}-\u{206f}\u{feff}\u{fff9}-\u{fffb}\u{fffe}\u{ffff}\u{e0001}]/gu;

/** Blanks of any kind, in runs of any length. */
const BLANKS = /[\s\u{85}\u{2028}\u{2029}]+/gu;

/**
 * Created only once a name is too long: creating it takes longer than anything else that a program loads at its start.
 */
let graphemes: Intl.Segmenter | undefined;

/** Length in UTF-8 bytes. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** One line without separators, controls or hidden marks; in NFC. Dots and spaces at its ends stay. */
export function plainNameText(text: string): string {
  return text.replaceAll(BLANKS, ' ').replaceAll(INVISIBLE, '').replaceAll(FORBIDDEN, '-').normalize('NFC');
}

const FOLDER_MAX_CHARACTERS = 80;
const FOLDER_MAX_BYTES = 160;

/** The name of the folder of a batch of this name. @param otherwise If nothing of the name is left. */
export function batchFolderName(batchName: string, otherwise: string): string {
  return safeName(shorten(plainNameText(batchName), FOLDER_MAX_CHARACTERS, FOLDER_MAX_BYTES), otherwise);
}

/**
 * Words of any script in lower case, joined by hyphens, at most `maxCharacters` long, cut between words if possible.
 */
export function slug(text: string, maxCharacters: number): string {
  // A prompt of 100 kB says at its beginning what it is about.
  const words = text.slice(0, 2000).replaceAll(BLANKS, ' ').replaceAll(INVISIBLE, '').normalize('NFC').toLowerCase();
  const whole = words
    .replaceAll(/['’]/gu, '')
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/gu, '');
  const cut = shorten(whole, maxCharacters, Number.POSITIVE_INFINITY);
  if (cut === whole) return whole;
  const lastBreak = cut.lastIndexOf('-');
  const isBetweenWords = whole[cut.length] === '-';
  return (isBetweenWords || lastBreak < maxCharacters / 2 ? cut : cut.slice(0, lastBreak)).replace(/-$/u, '');
}

/** The longest beginning within both limits that does not split a character as a reader sees it. */
export function shorten(text: string, maxCharacters: number, maxBytes: number): string {
  if (text.length <= maxCharacters && utf8Bytes(text) <= maxBytes) return text;
  graphemes ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  let length = 0;
  let bytes = 0;
  for (const { segment } of graphemes.segment(text)) {
    bytes += utf8Bytes(segment);
    if (length + segment.length > maxCharacters || bytes > maxBytes) break;
    length += segment.length;
  }
  return text.slice(0, length);
}

/**
 * Finishes a whole name: no dot, blank or hyphen at the start (hidden files, options), no dot or blank at the end, no
 * device name. `fallback` replaces an empty name, and is treated the same way.
 */
export function safeName(text: string, fallback: string): string {
  const trimmed = trimEnds(text) || trimEnds(fallback) || 'file';
  return RESERVED.test(trimmed) ? `_${trimmed}` : trimmed;
}

function trimEnds(text: string): string {
  return trimEnd(text.replace(/^[\s.~-]+/u, ''), (char) => /[\s.]/u.test(char));
}
