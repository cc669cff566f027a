/** When a batch may submit, as the user has entered it. */
import { z } from 'zod';
import { err, ok, present, type Result } from '../../../shared/domain/base/result.ts';
import { gateAt, WEEKDAYS, type DailyWindow, type Schedule } from '../../../shared/domain/task/schedule.ts';
import { momentText, readClock, readMoment, windowText } from '../../../shared/domain/task/schedule-text.ts';
import type { Seen } from '../../../shared/ipc/route.ts';
import { words } from '../../../shared/words/words.ts';
import { localZone } from '../../format/times.ts';

export const whenAnswers = z.object({
  /** At once, from a time on, or within hours of the day. */
  begin: z.enum(['now', 'at', 'hours']),
  /** As typed. */
  atText: z.string(),
  /** Their times as typed. */
  windows: z.array(z.object({ from: z.string(), to: z.string(), days: z.array(z.enum(WEEKDAYS)) })),
  /** As typed; empty for no such time. */
  finishText: z.string(),
  /** The zone that its times are in. */
  zone: z.string(),
});
export type WhenAnswers = Seen<typeof whenAnswers>;

/** The hours that are shown before the user enters others. */
export const USUAL_HOURS: DailyWindow = { from: '22:00', to: '06:00', days: WEEKDAYS };

/** The form for a schedule; without one it is empty. */
export function whenOf(schedule: Schedule | undefined, now: number): WhenAnswers {
  const { windows = [], zone = localZone(), startAt, finishBy } = schedule ?? {};
  const isToCome = startAt !== undefined && startAt > now;
  return {
    begin: windows.length > 0 ? 'hours' : isToCome ? 'at' : 'now',
    atText: isToCome ? dateText(startAt, zone) : '',
    windows: windows.length > 0 ? windows : [USUAL_HOURS],
    finishText: finishBy === undefined ? '' : dateText(finishBy, zone),
    zone,
  };
}

/** What to say about a time to finish by before which nothing would be sent. */
export const OVER_WORDS = words.costs.when.over;

/** The schedule that was entered; undefined for none. The error says what to correct. */
export function readWhen(answers: WhenAnswers, now: number): Result<Schedule | undefined, string> {
  const entered = scheduleEntered(answers, now);
  return entered.ok && gateAt(entered.value, now).kind === 'over' ? err(OVER_WORDS) : entered;
}

/** The same, even if nothing can be sent by it. */
export function scheduleEntered(answers: WhenAnswers, now: number): Result<Schedule | undefined, string> {
  const { begin, zone } = answers;
  // Hours may begin at a time, too, if one was given.
  const hasTime = begin === 'at' || (begin === 'hours' && answers.atText.trim() !== '');
  const at = hasTime ? readAt(answers, now) : ok(undefined);
  if (!at.ok) return at;
  const finish = readFinish(answers, now);
  if (!finish.ok) return finish;
  const windows: DailyWindow[] = [];
  for (const { days, ...typed } of begin === 'hours' ? answers.windows : []) {
    const [from, to] = [readClock(typed.from), readClock(typed.to)];
    if (from === undefined || to === undefined) return err(words.costs.when.bothTimes);
    windows.push({ from, to, days });
  }
  if (windows.some(({ days }) => days.length === 0)) return err(words.costs.when.oneDay);
  const schedule: Schedule = { windows, zone, ...present({ startAt: at.value, finishBy: finish.value }) };
  if (windows.length === 0 && at.value === undefined && finish.value === undefined) return ok(undefined);
  return ok(schedule);
}

/** The time that it begins at, as it was typed. */
export function readAt({ atText, zone }: WhenAnswers, now: number): Result<number, string> {
  return atText.trim() === '' ? err(words.costs.when.enterTime) : readMoment(atText, zone, now);
}

/** The time to finish by, as it was typed; undefined for none. */
export function readFinish({ finishText, zone }: WhenAnswers, now: number): Result<number | undefined, string> {
  return finishText.trim() === '' ? ok(undefined) : readMoment(finishText, zone, now);
}

/** What a schedule means now: when it begins, and until when it may go on at first. */
export function whenWords(schedule: Schedule | undefined, now: number): string {
  const { when } = words.costs;
  const gate = gateAt(schedule, now);
  if (gate.kind === 'over') return when.nothingMore;
  const zone = schedule?.zone ?? localZone();
  if (gate.kind === 'waits') return when.beginsAt(momentIn(zone, gate.until, now));
  return gate.until === undefined ? when.atOnce : when.atOnceUntil(momentIn(zone, gate.until, now));
}

/** All that a schedule says about when something is sent: `22:00–06:00 Mon–Fri, done by 05:30`. */
export function hoursWords({ startAt, windows, zone, finishBy }: Schedule, now: number): string {
  const { when } = words.costs;
  const from = startAt !== undefined && startAt > now ? [when.from(momentIn(zone, startAt, now))] : [];
  const end = finishBy === undefined ? [] : [when.doneBy(momentIn(zone, finishBy, now))];
  const hours = when.hours(windows.map(windowText));
  return words.common.list([hours === '' ? '' : inZone(hours, zone), ...from, ...end]);
}

/** A moment by the clock of a zone, which is named if it is not this machine's. */
export function momentIn(zone: string, at: number, now: number): string {
  return inZone(momentText(at, zone, now), zone);
}

function inZone(time: string, zone: string): string {
  return zone === localZone() ? time : words.common.inZone(time, zone);
}

/** In a form that can be read again, whatever the time is by then. */
function dateText(at: number, zone: string): string {
  const parts = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' });
  return parts.format(at);
}
