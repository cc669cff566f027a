/** Makes foreign text safe to look at: characters that are invisible or reorder their neighbours are shown. */
import { visibleText } from '../../shared/domain/base/text.ts';

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** Keeps line breaks and tabs, for blocks that show lines as they are. */
export function shownText(text: string): string {
  // A carriage return before a line feed is only an old line ending.
  return visibleText(text.replace(/\r\n/g, '\n')).replace(LONE_SURROGATES, '\ufffd');
}

/** The same on one line: a line break becomes ⏎, several blanks become one. */
export function shownLine(text: string): string {
  return shownText(text)
    .replace(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ⏎ ' : ' '))
    .trim();
}

/** About half a line of a narrow window, which has to say something of the name, too. */
const LONGEST_NAME = 32;
const NAME_END = 12;

/** The name of a file within a sentence: a long one without its middle, as names often differ only at their ends. */
export function nameToTell(name: string): string {
  const characters = Array.from(new Intl.Segmenter('en').segment(name), ({ segment }) => segment);
  if (characters.length <= LONGEST_NAME) return name;
  return `${characters.slice(0, LONGEST_NAME - NAME_END - 1).join('')}…${characters.slice(-NAME_END).join('')}`;
}

/** Bytes as pairs of hexadecimal digits, sixteen on a line. */
export function hexLines(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.codePointAt(0) ?? 0);
  const pairs = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const lines: string[] = [];
  for (let start = 0; start < pairs.length; start += 16) lines.push(pairs.slice(start, start + 16).join(' '));
  return lines.join('\n');
}
