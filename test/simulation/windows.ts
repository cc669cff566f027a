/**
 * Whether a schedule is open, judged only by what the clock of its zone has shown in the last hours, by no rule of the
 * engine.
 */
import type { DailyWindow, Schedule } from '../../src/shared/domain/task/schedule.ts';

const MINUTE_MS = 60_000;
const DAY_MINUTES = 24 * 60;
/** No clock is set by more than this. */
const LOOK_BACK_MINUTES = 130;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const clocks = new Map<string, Intl.DateTimeFormat>();

/** Whether something may be submitted at this moment, in milliseconds since the epoch. */
export function isOpenAt(schedule: Schedule | undefined, at: number): boolean {
  if (schedule === undefined) return true;
  const { startAt = at, finishBy = Number.POSITIVE_INFINITY, windows, zone } = schedule;
  if (at < startAt || at >= finishBy) return false;
  if (windows.length === 0) return true;
  // A time has come once the clock has shown it or a later one: when the clock is set back, nothing comes a second
  // time.
  let shown = minutesShown(zone, at);
  for (let back = 1; back <= LOOK_BACK_MINUTES; back += 1) {
    shown = Math.max(shown, minutesShown(zone, at - back * MINUTE_MS));
  }
  return windows.some((window) => isInside(window, shown));
}

/** What the clock of a zone shows, in minutes since the epoch if it were in UTC. */
function minutesShown(zone: string, at: number): number {
  const known =
    clocks.get(zone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  clocks.set(zone, known);
  return Date.parse(`${known.format(at).replace(' ', 'T')}Z`) / MINUTE_MS;
}

function isInside({ from, to, days }: DailyWindow, shown: number): boolean {
  const clock = shown % DAY_MINUTES;
  const [opens, closes] = [minutesOf(from), minutesOf(to)];
  const begins = (daysAgo: number): boolean => {
    const day = DAYS[new Date((shown - daysAgo * DAY_MINUTES) * MINUTE_MS).getUTCDay()];
    return day !== undefined && days.includes(day);
  };
  if (closes > opens) return begins(0) && clock >= opens && clock < closes;
  return (begins(0) && clock >= opens) || (begins(1) && clock < closes);
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}
