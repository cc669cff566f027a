/** Schedules as people write and read them: `22:00-06:00 Mon-Fri`, `in 2h`, `Fri 27 Nov, 22:00`. */
import { domainWords } from '../../words/domain-words.ts';
import { reason, say, type Saying } from '../base/reason.ts';
import { err, ok, type Result } from '../base/result.ts';
import { DAY_MS, instantOf, MINUTE_MS, wallAt } from '../base/wall-clock.ts';
import { WEEKDAYS, type DailyWindow, type Weekday } from './schedule.ts';

/** A time of day: `06:00`, `6:00`. */
const TIME = String.raw`([01]?\d|2[0-3]):([0-5]\d)`;
const CLOCK = new RegExp(`^${TIME}$`);
const WINDOW = new RegExp(String.raw`^${TIME}\s*[-–]\s*${TIME}(?:\s+(.+))?$`);
const DATE = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i;
/** `tomorrow 22:00`, `22:00 tomorrow`, `明天 22:00`. */
const DAY_WORD = '(today|tonight|今天|今晚|tomorrow|明天|明晚)';
const DAY_AND_TIME = [
  new RegExp(String.raw`^${DAY_WORD}[\s,，]*(?:at\s+)?(\d.*)$`, 'iu'),
  new RegExp(String.raw`^(\d\S*)[\s,，]+${DAY_WORD}$`, 'iu'),
];
const IS_TOMORROW = /^(?:tomorrow|明)/iu;
const AHEAD = [
  /^in\s+(?:(\d{1,4})\s*h(?:ours?)?)?\s*(?:(\d{1,5})\s*m(?:in(?:utes?)?)?)?$/i,
  /^(?:(\d{1,4})\s*个?小时)?\s*(?:(\d{1,5})\s*分钟?)?后$/u,
];

/** `22:00`; undefined if the text is no time of day. */
export function readClock(text: string): string | undefined {
  const [, hours = '', minutes = ''] = CLOCK.exec(text.trim()) ?? [];
  return minutes === '' ? undefined : `${hours.padStart(2, '0')}:${minutes}`;
}

/** A window such as `22:00-06:00 Mon-Fri`; without days it begins on every day. */
export function readWindow(text: string): Result<DailyWindow, string> {
  const [, fromHours = '', fromMinutes = '', toHours = '', toMinutes = '', names] = WINDOW.exec(text.trim()) ?? [];
  if (toMinutes === '') return err(domainWords.nights.schedule.noWindow(text));
  const days = names === undefined ? WEEKDAYS : readDays(names);
  if (days === undefined) return err(domainWords.nights.schedule.noDays(names ?? ''));
  return ok({
    from: `${fromHours.padStart(2, '0')}:${fromMinutes}`,
    to: `${toHours.padStart(2, '0')}:${toMinutes}`,
    days,
  });
}

/** `Mon-Fri`, `Fri-Mon`, `Sat,Sun`, `daily`. */
function readDays(text: string): readonly Weekday[] | undefined {
  if (/^(?:daily|every day)$/i.test(text.trim())) return WEEKDAYS;
  const named = new Set<number>();
  for (const part of text.split(/[\s,;]+/)) {
    const ends = part.split(/[-–]/).map(dayNumber);
    const [first, last = first] = ends;
    if (first === undefined || last === undefined || first < 0 || last < 0 || ends.length > 2) return undefined;
    for (let day = first; ; day = (day + 1) % 7) {
      named.add(day);
      if (day === last) break;
    }
  }
  return WEEKDAYS.filter((_, day) => named.has(day));
}

/** From Monday on, from 0; -1 if the name is no day. */
function dayNumber(name: string): number {
  const word = name.toLowerCase();
  return word.length < 3 ? -1 : LONG_DAYS.findIndex((day) => day.startsWith(word));
}

const LONG_DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** `22:00–06:00 Mon–Fri`; every day goes without saying. */
export function windowText({ from, to, days }: DailyWindow): string {
  const runs = daysText(days);
  return runs === '' ? `${from}–${to}` : `${from}–${to} ${runs}`;
}

/** `Mon–Fri`, `Mon, Wed, Sat–Sun`; empty for every day. */
function daysText(days: readonly Weekday[]): string {
  if (WEEKDAYS.every((day) => days.includes(day))) return '';
  const runs: Weekday[][] = [];
  let before = -2;
  for (const [number, day] of WEEKDAYS.entries()) {
    if (!days.includes(day)) continue;
    const last = runs.at(-1);
    if (last !== undefined && before === number - 1) last.push(day);
    else runs.push([day]);
    before = number;
  }
  const { dayNames, runsOfDays } = domainWords.nights.schedule;
  return runsOfDays(runs.map((run) => run.map((day) => dayNames[day])));
}

/** The next moment after `now` at which the clock of a zone shows this time of day (`22:00`). */
export function nextTime(clock: string, zone: string, now: number): number {
  const today = timeOnDay(clock, 0, zone, now);
  return today > now ? today : timeOnDay(clock, 1, zone, now);
}

/** A time of day (`22:00`) by the clock of a zone, so many days after today. */
function timeOnDay(clock: string, days: number, zone: string, now: number): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number);
  const midnight = Math.floor(wallAt(zone, now) / DAY_MS) * DAY_MS;
  return instantOf(zone, midnight + days * DAY_MS + (hours * 60 + minutes) * MINUTE_MS);
}

/** `tomorrow 22:00`; undefined if the text is no time of today or tomorrow. */
function readNamedDay(text: string, zone: string, now: number): number | undefined {
  const found = DAY_AND_TIME.map((form) => form.exec(text)).find((one) => one !== null);
  const [first = '', second = ''] = found?.slice(1) ?? [];
  const [day, time] = readClock(first) === undefined ? [first, second] : [second, first];
  const clock = readClock(time);
  return clock === undefined ? undefined : timeOnDay(clock, IS_TOMORROW.test(day) ? 1 : 0, zone, now);
}

/**
 * A moment as written: `22:00` is the next one, `tomorrow 22:00` that of tomorrow, `in 2h`, `in 1h30m` and `2 小时后` count
 * from now, and a date such as `2026-11-24 22:00` is in the zone unless it names another. In milliseconds since the
 * epoch.
 */
export function readMoment(text: string, zone: string, now: number): Result<number, string> {
  const written = text.trim();
  const clock = readClock(written);
  if (clock !== undefined) return ok(nextTime(clock, zone, now));
  const [, hours, minutes] = AHEAD.map((form) => form.exec(written)).find((found) => found !== null) ?? [];
  if ((hours ?? minutes) !== undefined) return ok(now + (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * MINUTE_MS);
  const at = readNamedDay(written, zone, now) ?? readDate(written, zone);
  return at === undefined ? err(domainWords.nights.schedule.noMoment(text)) : ok(at);
}

function readDate(text: string, zone: string): number | undefined {
  const [, year, month, day, hour, minute, offset] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const plain = `${year}-${month}-${day}T${hour}:${minute}`;
  const wall = Date.parse(`${plain}Z`);
  // A date that the calendar does not have is read as another day.
  if (Number.isNaN(wall) || new Date(wall).toISOString().slice(0, 16) !== plain) return undefined;
  if (offset === undefined) return instantOf(zone, wall);
  const at = Date.parse(`${plain}${offset.toUpperCase()}`);
  return Number.isNaN(at) ? undefined : at;
}

/** Within this distance, nobody mistakes a time of day for that of another day. */
const NEAR_MS = 20 * 3_600_000;

/** A moment on the clock of a zone: `22:00`; with its day, `Fri 27 Nov, 22:00`, if it is not near `now`. */
export function momentText(at: number, zone: string, now: number): string {
  return say(momentReason(at, zone, now));
}

/** The same, for use inside another text. */
export function momentReason(at: number, zone: string, now: number): Saying {
  const wall = wallAt(zone, at);
  const clock = new Date(wall).toISOString().slice(11, 16);
  if (Math.abs(at - now) < NEAR_MS) return clock;
  const date = new Date(wall);
  const weekday = WEEKDAYS[(date.getUTCDay() + 6) % 7] ?? 'Mon';
  return reason('moment', reason('weekday', weekday), date.getUTCMonth() + 1, date.getUTCDate(), clock);
}
