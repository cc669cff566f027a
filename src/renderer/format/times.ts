/** Times for people. All are milliseconds since the epoch, shown in the machine's zone unless a zone is given. */
import { words } from '../../shared/words/words.ts';

const DAY_MS = 86_400_000;
/** Within this distance nobody can mistake a time of day for another day's. */
const UNAMBIGUOUS_MS = 20 * 3_600_000;

/** `03:40` */
export function formatClock(at: number, timeZone?: string): string {
  return format(at, { hour: '2-digit', minute: '2-digit' }, timeZone);
}

/** `03:40:07` */
export function formatClockSeconds(at: number, timeZone?: string): string {
  return format(at, { hour: '2-digit', minute: '2-digit', second: '2-digit' }, timeZone);
}

/** `Sat 21 Nov, 03:40` */
export function formatDayAndClock(at: number, timeZone?: string): string {
  return format(at, { weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' }, timeZone);
}

/** The time of day if that is enough, otherwise with its day. */
export function formatNearby(at: number, now: number, timeZone?: string): string {
  return Math.abs(at - now) < UNAMBIGUOUS_MS ? formatClock(at, timeZone) : formatDayAndClock(at, timeZone);
}

/** When something is expected: `about 03:40`. */
export function formatExpectedEnd(at: number, now: number, timeZone?: string): string {
  if (at - now < 60_000) return words.common.inAMinute;
  return words.common.about(formatNearby(at, now, timeZone));
}

/** A duration in its two largest units: `1 h 04 min`, `3 min 20 s`, `12 s`. */
export function formatDuration(lengthMs: number): string {
  const seconds = Math.max(0, Math.round(lengthMs / 1000));
  if (seconds < 60) return words.common.seconds(seconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return words.common.minutes(minutes, pad(seconds % 60));
  const hours = Math.floor(minutes / 60);
  if (lengthMs < DAY_MS) return words.common.hours(hours, pad(minutes % 60));
  return words.common.days(Math.floor(hours / 24), hours % 24);
}

/** A position in a recording: `1:07`. */
export function formatPosition(seconds: number): string {
  const whole = Number.isFinite(seconds) ? Math.max(0, Math.floor(seconds)) : 0;
  return `${Math.floor(whole / 60)}:${pad(whole % 60)}`;
}

/** The zone that this machine is in, such as `Europe/Berlin`. */
export function localZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** Making a formatter takes a hundred times as long as using it, and the grid uses one for each cell. */
const FORMATS = new Map<string, Intl.DateTimeFormat>();

function format(at: number, options: Intl.DateTimeFormatOptions, timeZone: string | undefined): string {
  const { locale } = words.common;
  const key = `${locale} ${Object.keys(options).join(' ')} ${timeZone ?? ''}`;
  let known = FORMATS.get(key);
  if (known === undefined) {
    const zone = timeZone === undefined ? {} : { timeZone };
    known = new Intl.DateTimeFormat(locale, { ...options, ...zone, hourCycle: 'h23' });
    FORMATS.set(key, known);
  }
  return known.format(at);
}
