import { nightsWords } from '../../words/en/nights.ts';
import { DAY_MS, instantOf, wallAt } from '../base/wall-clock.ts';

/**
 * Everything that batches do from noon to noon, from the start of the first until none is running any more. Times are
 * milliseconds since the epoch.
 */
export interface NightRecord {
  readonly id: number;
  readonly beganAt: number;
  /** Absent while a batch runs. */
  readonly endedAt?: number;
}

/** What a night is, in a sentence for the command line; the window says `words.nights.whatIsNight`. */
export const NIGHT_WORDS = nightsWords.whatIsNight;

/**
 * An open night without a sign of life for this long was slept through, waited for its time, or was ended by a kill.
 */
const QUIET_MS = 3_600_000;
const NOON_MS = DAY_MS / 2;
/**
 * A night that is further ahead than this was recorded by a clock that was wrong then, and has been set right since.
 */
const AHEAD_MS = 3 * DAY_MS;

/**
 * Whether what happens at `at` belongs to a night, or begins the next. A night goes from noon to noon in the machine's
 * time zone, so that a limit for a night holds however often something is paused and started in it. A night that is
 * still at work at noon goes on: its limit would otherwise be spent twice while nobody looks. A clock that was set back
 * begins no new night, unless it had been ahead by days: the limit would otherwise have to last for all nights until
 * then.
 * @param lastSignAt When anything last happened in the night; asked only if it decides.
 */
export function isOfNight(
  { beganAt, endedAt }: NightRecord,
  lastSignAt: () => number,
  at: number,
  zone: string,
): boolean {
  if (dayOf(beganAt, zone) === dayOf(at, zone)) return true;
  const lastAt = endedAt ?? lastSignAt() + QUIET_MS - 1;
  return at <= lastAt && lastAt - at <= AHEAD_MS;
}

/**
 * From when until when payments count towards the limit of a night that began at `at`, whichever night they were made
 * in: so that no more than the limit is paid from noon to noon either. In addition, all of the night itself counts.
 */
export function dayOfNight(at: number, zone: string): { readonly from: number; readonly until: number } {
  const noon = dayOf(at, zone) * DAY_MS + NOON_MS;
  return { from: instantOf(zone, noon), until: instantOf(zone, noon + DAY_MS) };
}

/** The day, from noon to noon, to which a moment belongs: a number that grows by one each day. */
function dayOf(at: number, zone: string): number {
  return Math.floor((wallAt(zone, at) - NOON_MS) / DAY_MS);
}
