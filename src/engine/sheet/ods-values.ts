/** How OpenDocument keeps values, and the text that a person sees for them (OASIS ODF 1.3 part 3, 18.2 and 19.385). */
import { numberText } from './xlsx-values.ts';

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d(?:[.,]\d+)?))?$/;
const DURATION = /^(-?)P(?:(\d{1,7})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d+)?)S)?)?$/;

/** ISO 8601: a date, or a date and a time of day where there is one; to the second, as every sheet is read. */
export function odsDateText(stored: string): string {
  const [, year, month, day, hours = '0', minutes = '0', seconds = '0'] = DATE.exec(stored) ?? [];
  if (year === undefined) return stored;
  const ms = Date.UTC(Number(year), Number(month) - 1, Number(day), Number(hours), Number(minutes));
  const at = new Date(ms + wholeSeconds(seconds) * 1000);
  const iso = Number.isNaN(at.getTime()) ? stored : at.toISOString().slice(0, 19);
  return iso.endsWith('T00:00:00') ? iso.slice(0, 10) : iso;
}

/** `hh:mm:ss`: a time of day, or a duration, whose hours may be more than 24. */
export function odsTimeText(stored: string): string {
  const found = DURATION.exec(stored);
  if (!found) return stored;
  const [, sign = '', days = '0', hours = '0', minutes = '0', seconds = '0'] = found;
  const all = (Number(days) * 24 + Number(hours)) * 3600 + Number(minutes) * 60 + wholeSeconds(seconds);
  const parts = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60];
  return sign + parts.map((part) => String(part).padStart(2, '0')).join(':');
}

function wholeSeconds(text: string): number {
  return Math.round(Number(text.replace(',', '.')));
}

/** A number's text. Leading zeros are kept where they were shown: such a number is an id. */
export function odsNumberText(stored: string, shown: string): string {
  const text = numberText(stored, { kind: 'number' }, false);
  return /^0\d{1,100}$/.test(shown) && Number(shown) === Number(stored) ? shown : text;
}

/**
 * LibreOffice stores what a formula says to be true or false as 1 or 0, and shows it as a word of its language; of such a
 * cell this gives the boolean, and undefined of any other.
 */
export function odsTruth(stored: string, shown: string): 'true' | 'false' | undefined {
  if (!/^\p{L}+$/u.test(shown)) return undefined;
  return stored === '1' ? 'true' : stored === '0' ? 'false' : undefined;
}
