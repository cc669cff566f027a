import { expect, test } from 'vitest';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { WEEKDAYS } from '../../../src/shared/domain/task/schedule.ts';
import { localZone } from '../../../src/renderer/format/times.ts';
import { schedule as scheduleRoute } from '../../../src/shared/ipc/batches.ts';
import {
  hoursWords,
  momentIn,
  readWhen,
  USUAL_HOURS,
  whenOf,
  whenWords,
  type WhenAnswers,
} from '../../../src/renderer/state/opening/when-answers.ts';

const NOON = Date.parse('2026-11-23T12:00+01:00');
const zone = 'Europe/Berlin';
const NOW: WhenAnswers = { begin: 'now', atText: '', windows: [USUAL_HOURS], finishText: '', zone };

test('what was entered becomes a schedule, and only what belongs to the choice', () => {
  expect(readWhen({ ...NOW, atText: 'soon' }, NOON)).toEqual(ok(undefined));
  const startAt = Date.parse('2026-11-23T22:00+01:00');
  expect(readWhen({ ...NOW, begin: 'at', atText: '22:00' }, NOON)).toEqual(ok({ windows: [], zone, startAt }));
  const finishBy = Date.parse('2026-11-24T06:30+01:00');
  const windows = [{ from: '9:00', to: '17:30', days: WEEKDAYS.slice(0, 5) }];
  expect(readWhen({ ...NOW, begin: 'hours', windows, finishText: '6:30' }, NOON)).toEqual(
    ok({ windows: [{ ...windows[0], from: '09:00' }], zone, finishBy }),
  );
});

test.each([
  [{ begin: 'at', atText: '' }, 'Enter a time'],
  [{ begin: 'at', atText: 'soon' }, 'is not a time'],
  [{ begin: 'hours', windows: [{ from: '22:00', to: '', days: WEEKDAYS }] }, 'Enter both times'],
  [{ begin: 'hours', windows: [{ from: '22:00', to: '06:00', days: [] }] }, 'at least one day'],
  [{ finishText: 'never' }, 'is not a time'],
  [{ begin: 'at', atText: '22:00', finishText: '21:00' }, 'comes before anything'],
] as const)('%o is to be corrected', (answers, words) => {
  const read = readWhen({ ...NOW, ...answers }, NOON);
  expect(read.ok ? '' : read.error).toContain(words);
});

test('a schedule comes back as it was entered', () => {
  const windows = [{ from: '21:30', to: '05:00', days: ['Fri'] as const }];
  const startAt = Date.parse('2026-12-01T22:00+01:00');
  const finishBy = Date.parse('2026-12-24T06:00+01:00');
  for (const schedule of [
    undefined,
    { windows, zone, finishBy },
    { windows: [], zone, startAt },
    { windows, zone, startAt },
  ]) {
    const form = whenOf(schedule, NOON);
    expect(readWhen({ ...form, zone }, NOON)).toEqual(ok(schedule));
  }
});

test('words speak by the clock of the schedule, and name its zone where it is another', () => {
  const far = localZone() === 'Asia/Tokyo' ? 'Europe/Berlin' : 'Asia/Tokyo';
  const windows = [{ from: '22:00', to: '06:00', days: WEEKDAYS }];
  const waiting = { windows: [], zone: far, startAt: NOON + 3_600_000 };
  expect(whenWords(waiting, NOON)).toBe(`Begins at ${momentIn(far, NOON + 3_600_000, NOON)}.`);
  expect(whenWords({ windows, zone: far }, NOON)).toMatch(new RegExp(`(22:00|06:00) \\(${far}\\)\\.$`, 'u'));
  expect(whenWords({ windows, zone: localZone() }, NOON)).toMatch(/(22:00|06:00)\.$/u);
});

test('a moment that no calendar has is refused before it is kept', () => {
  const accepts = (startAt: number) => scheduleRoute.safeParse({ windows: [], zone, startAt }).success;
  expect([NOON, -1, 0.5, 9e15, 8.64e15, Infinity].map(accepts)).toEqual([true, false, false, false, false, false]);
});

test('a batch that waits says its hours, their days and when it should be done', () => {
  const here = localZone();
  const days = WEEKDAYS.slice(0, 5);
  const windows = [{ from: '22:00', to: '06:00', days }];
  const finishBy = NOON + 18 * 3_600_000;
  const end = momentIn(here, finishBy, NOON);
  expect(hoursWords({ windows, zone: here, finishBy }, NOON)).toBe(`22:00–06:00 Mon–Fri, done by ${end}`);
  expect(hoursWords({ windows: [], zone: here, finishBy }, NOON)).toBe(`done by ${end}`);
});
