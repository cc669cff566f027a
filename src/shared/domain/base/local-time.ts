/** Calendar time in a zone. Pure: the zone is given by its name, such as Europe/Berlin. */

/** What a clock on the wall shows; months and days from 1. */
export interface LocalTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The time that a clock in `zone` shows at `at`, milliseconds since the epoch. */
export function localTimeOf(at: number, zone: string): LocalTime {
  let format = formats.get(zone);
  if (format === undefined) {
    const each = 'numeric' as const;
    const fields = { year: each, month: each, day: each, hour: each, minute: each, second: each };
    format = new Intl.DateTimeFormat('en-US', { ...fields, timeZone: zone, hourCycle: 'h23', calendar: 'gregory' });
    formats.set(zone, format);
  }
  const shown = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = (
    ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
  ).map((part) => shown.get(part));
  return { year, month, day, hour, minute, second };
}

/** The first moment of the calendar month in `zone` to which `at` belongs. */
export function monthBegan(at: number, zone: string): number {
  const { year, month } = localTimeOf(at, zone);
  const wanted = Date.UTC(year, month - 1, 1);
  // Twice: the first guess may lie behind a change of the clocks.
  let began = wanted;
  for (let i = 0; i < 2; i += 1) began -= shownAsUtc(began, zone) - wanted;
  return began;
}

function shownAsUtc(at: number, zone: string): number {
  const { year, month, day, hour, minute, second } = localTimeOf(at, zone);
  return Date.UTC(year, month - 1, day, hour, minute, second) + (((at % 1000) + 1000) % 1000);
}
