/**
 * When a batch may submit: from a moment on, within windows of the day, until a moment. What is at the gateway is asked
 * about and fetched at any time.
 *
 * A window belongs to the day on which it begins: `22:00` to `06:00` on Friday ends on Saturday morning. It opens and
 * closes when the clock of its zone first shows that time or a later one. So when the clock is set back, a time that
 * comes twice counts the first time; when it is set forward, a time that is skipped counts as the moment of the change.
 */
import { DAY_MS, instantOf, MINUTE_MS, wallAt } from '../base/wall-clock.ts';

/** From Monday on. */
export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A part of the day, by the clock on the wall: `{ from: '22:00', to: '06:00', days: ['Fri'] }`. */
export interface DailyWindow {
  readonly from: string;
  /** If before `from`, on the next day; if the same as `from`, a whole day. */
  readonly to: string;
  /** The days on which it begins; at least one. */
  readonly days: readonly Weekday[];
}

/** When a batch may submit. Moments are milliseconds since the epoch. */
export interface Schedule {
  /** Nothing is submitted before this moment. */
  readonly startAt?: number;
  /** Nothing is submitted outside them; if there are none, at any time. */
  readonly windows: readonly DailyWindow[];
  /** The zone whose clock the windows follow, such as `Europe/Berlin`. */
  readonly zone: string;
  /** Nothing is submitted that is not expected to be done by this moment. */
  readonly finishBy?: number;
}

/** Whether a batch may submit at a moment, and until when that holds. */
export type Gate =
  | { readonly kind: 'open'; readonly until?: number }
  | { readonly kind: 'waits'; readonly until: number }
  /** It does not open again: the time to finish by has passed, or comes before the next opening. */
  | { readonly kind: 'over' };

/** A stretch of time: from the first instant up to, but not including, the second. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

const OPEN: Gate = { kind: 'open' };
/** A window opens at least once a week; two weeks, because a zone's calendar may leave out a day. */
const DAYS_AHEAD = 15;
/** Usually, it is enough to know this many days. */
const DAYS_NEAR = 3;
/** A window that began the day before may still be open, and a zone may leave out a day. */
const DAYS_BACK = 3;

/** Whether a batch may submit at this moment; one without a schedule always may. */
export function gateAt(schedule: Schedule | undefined, at: number): Gate {
  if (schedule === undefined) return OPEN;
  const { startAt = at, finishBy, windows } = schedule;
  if (finishBy !== undefined && at >= finishBy) return { kind: 'over' };
  const from = Math.max(at, startAt);
  const next = windows.length === 0 ? { from, to: undefined } : firstStretch(schedule, from);
  if (next === undefined) return { kind: 'over' };
  const opensAt = Math.max(next.from, from);
  if (finishBy !== undefined && opensAt >= finishBy) return { kind: 'over' };
  if (opensAt > at) return { kind: 'waits', until: opensAt };
  const until = Math.min(next.to ?? Number.POSITIVE_INFINITY, finishBy ?? Number.POSITIVE_INFINITY);
  return until === Number.POSITIVE_INFINITY ? OPEN : { kind: 'open', until };
}

/** Until when a running batch waits for its schedule; undefined if it does not. */
export function waitingUntil(
  { state, settings }: { readonly state: string; readonly settings: { readonly schedule?: Schedule } },
  now: number,
): number | undefined {
  const gate = state === 'running' ? gateAt(settings.schedule, now) : OPEN;
  return gate.kind === 'waits' ? gate.until : undefined;
}

function firstStretch(schedule: Schedule, after: number): Stretch | undefined {
  const [near] = openStretches(schedule, after, DAYS_NEAR);
  // A stretch that ends on the last of these days may go on in a window of the next.
  const isWhole = near !== undefined && near.to < after + (DAYS_NEAR - 1) * DAY_MS;
  return isWhole ? near : openStretches(schedule, after)[0];
}

/** When a schedule's windows are open: the stretches that end after this moment, in the next days, in order. */
export function openStretches(
  { windows, zone }: Pick<Schedule, 'windows' | 'zone'>,
  after: number,
  days = DAYS_AHEAD,
): readonly Stretch[] {
  const today = Math.floor(wallAt(zone, after) / DAY_MS) * DAY_MS;
  const stretches: Stretch[] = [];
  for (let day = -DAYS_BACK; day < days; day += 1) {
    for (const window of windows) {
      const stretch = stretchOn(window, today + day * DAY_MS, zone);
      if (stretch !== undefined && stretch.to > after) stretches.push(stretch);
    }
  }
  return joined(stretches.sort((a, b) => a.from - b.from));
}

/**
 * When a window that begins on a day is open, with the day given as its midnight on the wall; undefined if none begins
 * on it.
 */
function stretchOn({ from, to, days }: DailyWindow, midnight: number, zone: string): Stretch | undefined {
  if (!days.includes(weekdayOf(midnight))) return undefined;
  const [fromMs, toMs] = [wallMs(from), wallMs(to)];
  const opens = instantOf(zone, midnight + fromMs);
  const closes = instantOf(zone, midnight + toMs + (toMs > fromMs ? 0 : DAY_MS));
  // The whole window may fall into an hour that the clock leaves out.
  return closes > opens ? { from: opens, to: closes } : undefined;
}

function joined(stretches: readonly Stretch[]): readonly Stretch[] {
  const all: Stretch[] = [];
  for (const stretch of stretches) {
    const last = all.at(-1);
    if (last === undefined || stretch.from > last.to) all.push(stretch);
    else all[all.length - 1] = { from: last.from, to: Math.max(last.to, stretch.to) };
  }
  return all;
}

/** The day of the week of a wall time. */
function weekdayOf(wall: number): Weekday {
  // The epoch was a Thursday.
  const day = (((Math.floor(wall / DAY_MS) + 3) % 7) + 7) % 7;
  return WEEKDAYS[day] ?? 'Mon';
}

/** `22:00` as milliseconds since midnight. */
function wallMs(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return (hours * 60 + minutes) * MINUTE_MS;
}
