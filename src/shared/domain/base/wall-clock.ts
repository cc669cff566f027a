/**
 * The wall clock of a time zone, for the zones that JavaScript itself knows. A wall time is written as the milliseconds
 * that it would be since the epoch if the zone were UTC, so days and hours can be counted with plain numbers.
 */

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;

/** Making a formatter takes a hundred times as long as using it. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(zone);
  if (known !== undefined) return known;
  const numeric = 'numeric' as const;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: numeric,
    month: numeric,
    day: numeric,
    hour: numeric,
    minute: numeric,
    second: numeric,
  });
  FORMATS.set(zone, format);
  return format;
}

/** Whether JavaScript knows this zone, such as `Europe/Berlin`. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** Offsets already looked up, by zone and minute: a formatter takes as long as a small commit. */
const OFFSETS = new Map<string, number>();
const MOST_OFFSETS = 1000;

/** What the clock of a zone shows at an instant, in milliseconds since the epoch. */
export function wallAt(zone: string, at: number): number {
  // No clock changes within a minute.
  const minute = Math.floor(at / MINUTE_MS);
  const name = `${minute} ${zone}`;
  let offset = OFFSETS.get(name);
  if (offset === undefined) {
    if (OFFSETS.size >= MOST_OFFSETS) OFFSETS.clear();
    offset = offsetIn(zone, minute * MINUTE_MS);
    OFFSETS.set(name, offset);
  }
  return at + offset;
}

function offsetIn(zone: string, at: number): number {
  const parts: Partial<Record<Intl.DateTimeFormatPartTypes, number>> = {};
  for (const { type, value } of formatOf(zone).formatToParts(at)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - at;
}

/**
 * The first instant at which the clock of a zone shows this wall time or a later one. A time that exists twice, because
 * the clock is set back, means the first of the two; one that does not exist, because the clock is set forward, means
 * the moment of the change.
 */
export function instantOf(zone: string, wall: number): number {
  // The clock changes at most once in these two days, so one of the two offsets holds.
  const earlier = wall - offsetAt(zone, wall + DAY_MS);
  const later = wall - offsetAt(zone, wall - DAY_MS);
  const [first, last] = earlier < later ? [earlier, later] : [later, earlier];
  if (wallAt(zone, first) === wall) return first;
  if (wallAt(zone, last) === wall) return last;
  // The time is skipped: `first` is before the change, `last` is after it.
  let [before, after] = [first, last];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallAt(zone, middle) < wall) before = middle;
    else after = middle;
  }
  return after;
}

/** The first moment of the calendar month in a zone to which `at` belongs. */
export function monthBegan(at: number, zone: string): number {
  const shown = new Date(wallAt(zone, at));
  return instantOf(zone, Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth(), 1));
}

const LONGEST_MONTH_MS = 31 * DAY_MS;

/** The first moment of the calendar month after the one to which `at` belongs. */
export function nextMonth(at: number, zone: string): number {
  // A month may be an hour longer than its days, and one more day is still within the next month.
  return monthBegan(monthBegan(at, zone) + LONGEST_MONTH_MS + DAY_MS, zone);
}

function offsetAt(zone: string, at: number): number {
  return wallAt(zone, at) - at;
}
