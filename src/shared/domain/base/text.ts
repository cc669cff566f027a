/**
 * C0 and C1 controls, bidirectional controls and other characters that change how the text around them is shown; a
 * terminal or a screen must never act on those from a prompt or a gateway's message.
 */
const INVISIBLE = new RegExp(
  '[\\u0000-\\u0008\\u000B-\\u001F\\u007F-\\u009F\\u061C\\u200B\\u200E\\u200F' +
    '\\u2028-\\u202E\\u2060-\\u2064\\u2066-\\u206F\\uFEFF]',
  'gu',
);

/** The text with every invisible or controlling character written as its escape; tabs and line feeds stay. */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`);
}

const UNSEEN = /[\p{C}\p{Z}]/gu;

/**
 * A text in which every character can be seen: unchanged if it is plain, else in quotation marks, with escapes for
 * whatever shows nothing but is no space.
 */
export function exactText(text: string): string {
  const isPlain = /^[^\s"\\]+$/u.test(text);
  return (isPlain ? text : JSON.stringify(text)).replace(UNSEEN, (character) =>
    character === ' ' ? ' ' : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** The visible text on one line, cut to `length` characters. */
export function visibleLine(text: string, length: number): string {
  // Cut before and after: a huge text is never processed whole.
  const line = visibleText(
    text
      .slice(0, length * 4)
      .replace(/\s+/gu, ' ')
      .trim(),
  );
  const characters = Array.from(line);
  return characters.length > length ? `${characters.slice(0, Math.max(0, length - 1)).join('')}…` : line;
}

/**
 * The text without the characters at its end that `isLoose` names. A pattern that ends with `+$` starts again at every
 * character of a run that is not at the end: 100,000 dots took it 20 s.
 */
export function trimEnd(text: string, isLoose: (char: string) => boolean): string {
  let end = text.length;
  while (end > 0 && isLoose(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** A count with a thousands separator: `100,000`. Line numbers are names, not counts, and stay as they are. */
export function countText(count: number): string {
  // Not by `toLocaleString`, which takes 7 ms of a command's start to load its locale.
  return String(count).replace(/\B(?=(?:\d{3})+$)/gu, ',');
}

/** A count and its noun, singular or plural: `1 row`, `2,000 rows`. */
export function countOf(count: number, singular: string, plural = `${singular}s`): string {
  return `${countText(count)} ${count === 1 ? singular : plural}`;
}

/** The day of a moment (milliseconds since the epoch) in the machine's time zone: `2026-11-21`. */
export function localDate(ms: number): string {
  const date = new Date(ms);
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
}

/** The time of day of a moment: `03:12`. */
export function localTime(ms: number): string {
  const date = new Date(ms);
  return `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}

/** True for a cell that shows nothing: it sends nothing. */
export function isBlank(cell: string | undefined): boolean {
  return cell === undefined || cell === '' || cell.trim() === '';
}

/** FNV-1a over the code units, as a whole number of 32 bits. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}

/**
 * The same, finished with the mixing of MurmurHash3: the upper bits of FNV-1a alone barely depend on the last
 * characters. What a sheet draws follows from it (see `draw`), so never replace it.
 */
export function spreadHashOf(text: string): number {
  let hash = hashOf(text);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** A size in decimal units with at most three digits: `4.21 MB`. */
export function formatBytes(bytes: number): string {
  const step = bytes < 1000 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  const value = bytes / 1000 ** step;
  const decimals = step === 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return `${value.toFixed(decimals)} ${UNITS[step] ?? 'B'}`;
}

/** A name that none of the others has: the wanted one, or that with a number. */
export function freeName(wanted: string, names: readonly string[]): string {
  const base = wanted.slice(0, 190);
  if (!names.includes(base)) return base;
  let number = 2;
  while (names.includes(`${base} ${number}`)) number += 1;
  return `${base} ${number}`;
}

/**
 * Somebody else's words as a sentence, so that the next one does not run into it. A Chinese sentence gets a Chinese
 * full stop.
 */
export function asSentence(text: string): string {
  const own = text.trimEnd();
  if (own === '' || /[.!?…。！？:：]["”’)）]?$/u.test(own)) return own;
  // The text may end in a path or a code; what it quotes may be in any language.
  const unquoted = own.replaceAll(/“[^”]*”/gu, '');
  const isChinese = /\p{Script=Han}["”’)）]?$/u.test(own) || /[，：；、（。？！]/u.test(unquoted);
  return isChinese ? `${own}。` : `${own}.`;
}
