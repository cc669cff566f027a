/** When a batch may submit, as options of a command. */
import type { Command } from 'commander';
import { isZone, MINUTE_MS } from '../../shared/domain/base/wall-clock.ts';
import { gateAt, type DailyWindow, type Schedule } from '../../shared/domain/task/schedule.ts';
import { readMoment, readWindow } from '../../shared/domain/task/schedule-text.ts';
import { wrongUsage } from '../ending.ts';
import { collect } from './common-options.ts';

export interface ScheduleOptions {
  readonly at?: string;
  readonly window?: readonly string[];
  readonly finishBy?: string;
  readonly zone?: string;
}

/** Adds the options for when a batch may submit. */
export function withScheduleOptions(command: Command): Command {
  return command
    .option(
      '--at <time>',
      'submit nothing before this time: 22:00 (the next one), “in 2h”, 2026-11-24T22:00; now lifts it',
    )
    .option(
      '--window <hours>',
      'submit only within these hours, such as "22:00-06:00 Mon-Fri"; can be repeated; always lifts them',
      collect,
    )
    .option('--finish-by <time>', 'submit nothing that is not expected to be done by then; never lifts it')
    .option('--zone <name>', 'time zone of these times, such as Europe/Berlin; this machine’s by default');
}

/**
 * The schedule before, changed as the options say; undefined for none. What no option names stays as it was. Throws
 * {@link CommandFailure} for what cannot be read, and for times at which nothing could ever be submitted.
 */
export function scheduleOf(options: ScheduleOptions, before: Schedule | undefined, now: number): Schedule | undefined {
  const { at, window, finishBy, zone = before?.zone ?? Intl.DateTimeFormat().resolvedOptions().timeZone } = options;
  if (!isZone(zone)) {
    throw wrongUsage(`--zone ${zone}: no such time zone`, 'Give the name of one, such as Europe/Berlin or UTC.');
  }
  const moment = (name: string, text: string | undefined, lifted: string, known: number | undefined) =>
    text === undefined ? known : text === lifted ? undefined : momentOf(name, text, zone, now);
  const startAt = moment('--at', at, 'now', before?.startAt);
  // A time of day means the next one: only a date can have passed. The minute that it names may already have begun.
  if (at !== undefined && startAt !== undefined && startAt + MINUTE_MS <= now) {
    throw wrongUsage(`--at ${at}: that time has passed.`, 'Give one to come, or --at now to begin at once.');
  }
  const endAt = moment('--finish-by', finishBy, 'never', before?.finishBy);
  const windows = windowsOf(window) ?? before?.windows ?? [];
  if (startAt === undefined && endAt === undefined && windows.length === 0) return undefined;
  const schedule: Schedule = {
    windows,
    zone,
    ...(startAt === undefined ? {} : { startAt }),
    ...(endAt === undefined ? {} : { finishBy: endAt }),
  };
  if (isGiven(options) && gateAt(schedule, now).kind === 'over') {
    throw wrongUsage(
      'At these times nothing could be submitted: the time to finish by comes first.',
      'Give a later --finish-by, or lift it with --finish-by never.',
    );
  }
  return schedule;
}

/** Whether a command was told anything about when to submit. */
export function isGiven({ at, window, finishBy, zone }: ScheduleOptions): boolean {
  return [at, window, finishBy, zone].some((option) => option !== undefined);
}

function momentOf(name: string, text: string, zone: string, now: number): number {
  const read = readMoment(text, zone, now);
  if (read.ok) return read.value;
  throw wrongUsage(`${name}: ${read.error}`, `For example ${name} 22:00 or ${name} "in 2h".`);
}

function windowsOf(texts: readonly string[] | undefined): readonly DailyWindow[] | undefined {
  if (texts === undefined) return undefined;
  const hours = texts.filter((text) => text !== 'always');
  if (hours.length === 0) return [];
  if (hours.length < texts.length) {
    throw wrongUsage(
      '--window always lifts all hours, and other hours are given beside it.',
      'Give only --window always, or only the hours.',
    );
  }
  return texts.map((text) => {
    const read = readWindow(text);
    if (read.ok) return read.value;
    throw wrongUsage(`--window: ${read.error}`, 'For example --window "22:00-06:00 Mon-Fri".');
  });
}
