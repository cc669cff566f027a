import { nightsWords } from '../../words/en/nights.ts';
import { DAY_MS, instantOf, wallAt } from '../base/wall-clock.ts';

/**
 * All that batches do from noon to noon, from when the first of them starts until none runs any more. Times are
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
 * Without a sign of life for this long, a night that is still open was slept through, or waited for its time, or was ended
 * by a kill.
 */
const QUIET_MS = 3_600_000;
const NOON_MS = DAY_MS / 2;
/** A night that lies further ahead than this was noted by a clock that was wrong by then, and has been set right. */
const AHEAD_MS = 3 * DAY_MS;

/**
 * Whether what happens at `at` belongs to a night, or begins the next. A night goes from noon to noon in the zone of the
 * machine, so that a limit for a night holds however often something is paused and started in it. One that is still at
 * work at noon goes on: its limit would otherwise be spent twice while nobody looks. A clock that was set back begins
 * none, unless it had been ahead by days: its limit would otherwise have to do for all nights until then.
 * @param lastSignAt When anything last happened in it; asked only if it decides.
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
 * Until when and since when what was paid counts for the limit of a night that began at `at`, whichever night it was paid
 * in: so that no more than the limit is paid from noon to noon either. Beside that, all of the night itself counts.
 */
export function dayOfNight(at: number, zone: string): { readonly from: number; readonly until: number } {
  const noon = dayOf(at, zone) * DAY_MS + NOON_MS;
  return { from: instantOf(zone, noon), until: instantOf(zone, noon + DAY_MS) };
}

/** The day, from noon to noon, to which a moment belongs: a number that grows by one with each. */
function dayOf(at: number, zone: string): number {
  return Math.floor((wallAt(zone, at) - NOON_MS) / DAY_MS);
}
