/** How a workbook stores numbers and dates, and the text a person sees (ECMA-376 part 1, 18.8.30, 18.17.4). */
import { replaceInPieces, type Replacement } from '../workbook/decode-xml.ts';

/** What a number format turns a number into: a date, a duration, a text with leading zeros, or the number itself. */
export type NumberFormat =
  | { readonly kind: 'number' }
  | { readonly kind: 'date' }
  | { readonly kind: 'duration' }
  | { readonly kind: 'zeros'; readonly digits: number };

const NUMBER: NumberFormat = { kind: 'number' };
const DATE: NumberFormat = { kind: 'date' };
const DURATION: NumberFormat = { kind: 'duration' };
/** Hours, minutes or seconds that count beyond their usual limit. */
const ELAPSED = /\[(?:h+|m+|s+)\]/i;
/** The built-in format `[h]:mm:ss`. */
const DURATION_FORMAT_ID = 46;

/** The built-in formats for dates or times, including those of the East Asian languages. */
const DATE_FORMAT_IDS: readonly (readonly [number, number])[] = [
  [14, 22],
  [27, 36],
  [45, 47],
  [50, 58],
];

/** As long as spreadsheet programs allow (ECMA-376 part 1, 18.8.30). */
const LONGEST_FORMAT = 255;

/** @param code The format's own code, if the workbook declares one for this id. */
export function numberFormat(id: number, code: string | undefined): NumberFormat {
  if (code === undefined && id === DURATION_FORMAT_ID) return DURATION;
  if (code === undefined) return DATE_FORMAT_IDS.some(([first, last]) => id >= first && id <= last) ? DATE : NUMBER;
  if (/^0{2,100}$/.test(code)) return { kind: 'zeros', digits: code.length };
  const [positive = ''] = code.slice(0, LONGEST_FORMAT).split(';');
  // Literal text, escaped characters, fillers and conditions may contain the letters of dates without being dates.
  const letters = positive.replace(/"[^"]*"|\\.|[_*]./g, '').replace(/\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  if (ELAPSED.test(letters)) return DURATION;
  return /[ymdhs]/i.test(letters.replace(/general/gi, '')) ? DATE : NUMBER;
}

/** Excel keeps 15 significant digits: integers from here on have lost some. */
export const FIRST_IMPRECISE_NUMBER = 1e15;

/** A number's text as a person sees it: without the noise of binary fractions, and integers without an exponent. */
export function numberText(stored: string, format: NumberFormat, epoch1904: boolean): string {
  const value = Number(stored);
  if (stored.trim() === '' || !Number.isFinite(value)) return stored;
  const isDay = Math.abs(value) < FIRST_SERIAL_AFTER_9999;
  const date = format.kind === 'date' && value >= 0 && isDay ? dateText(value, epoch1904) : undefined;
  if (date !== undefined) return date;
  if (format.kind === 'duration' && isDay) return clockText(Math.round(value * DAY_SECONDS));
  const rounded = Number(value.toPrecision(15));
  const text = Number.isInteger(rounded) ? wholeText(rounded) : String(rounded);
  return format.kind === 'zeros' && /^\d+$/.test(text) ? text.padStart(format.digits, '0') : text;
}

/** Digits beyond the fifteenth are zeros, as a spreadsheet shows them, not those of the nearest binary number. */
function wholeText(value: number): string {
  if (Math.abs(value) < FIRST_IMPRECISE_NUMBER) return String(value);
  const [digits = '', exponent = '0'] = value.toExponential(14).split('e');
  const [whole = '', fraction = ''] = digits.split('.');
  return whole + fraction.padEnd(Number(exponent), '0');
}

const DAY_SECONDS = 86_400;
const DAY_MS = DAY_SECONDS * 1000;
/** The serial number of 1970-01-01. */
const UNIX_EPOCH_SERIAL = 25_569;
/** Spreadsheets have no later day than 9999-12-31, and show such a number as it is. */
const FIRST_SERIAL_AFTER_9999 = 2_958_466;
const DAYS_TO_1904 = 1462;
/** Excel counts 29 February 1900, which never existed. */
const FIRST_RIGHT_SERIAL = 60;

/** ISO 8601: a date, a time of day if there is no day, or both; undefined after 9999. */
function dateText(serial: number, epoch1904: boolean): string | undefined {
  const seconds = Math.round((serial % 1) * DAY_SECONDS);
  if (serial < 1) return timeOfDayText(seconds);
  const day = Math.floor(serial) + (epoch1904 ? DAYS_TO_1904 : serial < FIRST_RIGHT_SERIAL ? 1 : 0);
  const iso = new Date((day - UNIX_EPOCH_SERIAL) * DAY_MS + seconds * 1000).toISOString();
  return iso.startsWith('+') ? undefined : withoutMidnight(iso.slice(0, 19));
}

/** `hh:mm:ss`, with as many hours as there are. */
export function clockText(seconds: number): string {
  const all = Math.abs(seconds);
  const parts = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return (seconds < 0 ? '-' : '') + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

/** `hh:mm:ss`: the last second of a day is not rounded up into the next day, which would leave nothing to see. */
export function timeOfDayText(seconds: number): string {
  return clockText(Math.min(seconds, DAY_SECONDS - 1));
}

/** A day without its time of day if that is midnight: the text of a date. */
export function withoutMidnight(iso: string): string {
  return iso.endsWith('T00:00:00') ? iso.slice(0, 10) : iso;
}

/** Undoes `_x000D_`: how a workbook writes characters that XML cannot contain (ECMA-376 part 1, 22.9.2.19). */
export function unescapeText(text: string): string {
  return text.includes('_x') ? replaceInPieces(text, ESCAPES) : text;
}

const ESCAPES: Replacement = {
  pattern: /_x([\da-fA-F]{4})_/g,
  start: '_',
  longest: 7,
  by: (_match, code = '') => String.fromCharCode(Number.parseInt(code, 16)),
};
