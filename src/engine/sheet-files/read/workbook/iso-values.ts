/** ISO 8601 dates, times of day and durations, and the text that a person sees for them. */
import { clockText, timeOfDayText, withoutMidnight } from '../xlsx/xlsx-values.ts';

const DATE = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d(?:[.,]\d{1,30})?))?)?$/;
const TIME_OF_DAY = /^T?(\d\d):(\d\d)(?::(\d\d(?:[.,]\d{1,30})?))?$/;
const DURATION = /^(-?)P(?:(\d{1,7})D)?(?:T(?:(\d{1,7})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d{1,30})?)S)?)?$/;
/** A sheet shows the time that its author wrote, in whatever time zone. */
const OFFSET = /(\d)(?:Z|[+-]\d\d(?::?\d\d)?)$/;

/** A cell of type `d` (ECMA-376 part 1, 18.18.11): a date, a time, both, or a duration. Other text stays as it is. */
export function isoText(stored: string): string {
  const plain = stored.trim();
  if (DURATION.test(plain)) return isoDurationText(plain);
  // Without a time of day, the end of a date would look like an offset.
  const local = plain.includes(':') ? plain.replace(OFFSET, '$1') : plain;
  const [, hours, minutes = '', seconds = '0'] = TIME_OF_DAY.exec(local) ?? [];
  if (hours === undefined) return dateOf(local) ?? stored;
  if (!isOnClock(hours, minutes, seconds)) return stored;
  return timeOfDayText(Number(hours) * 3600 + Number(minutes) * 60 + wholeSeconds(seconds));
}

/** A date, with its time of day if there is one; to the second, as in every sheet. Other text stays as it is. */
export function isoDateText(stored: string): string {
  return dateOf(stored) ?? stored;
}

/** Undefined for a day or a time that no calendar and no clock has. */
function dateOf(local: string): string | undefined {
  const [, year, month, day, hours = '0', minutes = '0', seconds = '0'] = DATE.exec(local) ?? [];
  if (year === undefined || !isOnClock(hours, minutes, seconds)) return undefined;
  const midnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  if (midnight.toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return undefined;
  const at = midnight.getTime() + (Number(hours) * 3600 + Number(minutes) * 60 + wholeSeconds(seconds)) * 1000;
  const text = new Date(at).toISOString();
  // Rounded up, the last second of 9999 falls in a year of five digits.
  return text.startsWith('+') ? undefined : withoutMidnight(text.slice(0, 19));
}

function isOnClock(hours: string, minutes: string, seconds: string): boolean {
  return Number(hours) < 24 && Number(minutes) < 60 && Number(seconds.replace(',', '.')) < 60;
}

/** `hh:mm:ss`: a time of day, or a duration with possibly more than 24 hours. */
export function isoDurationText(stored: string): string {
  const found = DURATION.exec(stored);
  if (!found) return stored;
  const [, sign = '', days = '0', hours = '0', minutes = '0', seconds = '0'] = found;
  return sign + clockText((Number(days) * 24 + Number(hours)) * 3600 + Number(minutes) * 60 + wholeSeconds(seconds));
}

function wholeSeconds(text: string): number {
  return Math.round(Number(text.replace(',', '.')));
}
