import { describe, expect, test } from 'vitest';
import { scheduleOf } from '../../../src/cli/options/schedule-options.ts';
import { WEEKDAYS } from '../../../src/shared/domain/task/schedule.ts';

const NOON = Date.parse('2026-11-23T12:00+01:00');
const zone = 'Europe/Berlin';
const HOUR = 3_600_000;
const weekdays = { from: '22:00', to: '06:00', days: WEEKDAYS.slice(0, 5) };

describe('when a batch may submit, as options', () => {
  test('all of them', () => {
    const window = ['22:00-06:00 Mon-Fri', '10:00-12:00 Sat,Sun'];
    expect(scheduleOf({ at: 'in 2h', window, finishBy: '2026-11-25T06:00', zone }, undefined, NOON)).toEqual({
      startAt: NOON + 2 * HOUR,
      windows: [weekdays, { from: '10:00', to: '12:00', days: ['Sat', 'Sun'] }],
      zone,
      finishBy: Date.parse('2026-11-25T06:00+01:00'),
    });
  });

  test('a start that has passed is refused only where it is given: the minute of now is none, nor is one from before', () => {
    expect(scheduleOf({ at: '2026-11-23T12:00', zone }, undefined, NOON + 30_000)).toMatchObject({ startAt: NOON });
    const before = { windows: [], zone, startAt: NOON - HOUR };
    expect(scheduleOf({ window: ['22:00-06:00 Mon-Fri'] }, before, NOON)).toMatchObject({ startAt: NOON - HOUR });
  });

  test('none of them, or all lifted: at any time', () => {
    expect(scheduleOf({}, undefined, NOON)).toBeUndefined();
    const before = { windows: [weekdays], zone, startAt: NOON, finishBy: NOON };
    expect(scheduleOf({ at: 'now', window: ['always'], finishBy: 'never' }, before, NOON)).toBeUndefined();
  });

  test('what is not given stays, also its zone', () => {
    const before = { windows: [weekdays], zone: 'Asia/Kolkata', finishBy: NOON - HOUR };
    expect(scheduleOf({ finishBy: '2026-11-25T06:00' }, before, NOON)).toEqual({
      ...before,
      finishBy: Date.parse('2026-11-25T06:00+05:30'),
    });
  });

  test.each([
    [{ at: 'soon' }, '--at: “soon” is not a time.'],
    [{ window: ['22-06'] }, '--window: “22-06” is not a window of time.'],
    [{ window: ['always', '22:00-06:00'] }, '--window always lifts all hours, and other hours are given beside it.'],
    [{ zone: 'Nowhere/Land' }, '--zone Nowhere/Land: no such time zone'],
    [{ window: ['22:00-06:00'], finishBy: '21:00' }, 'nothing could be submitted'],
    [{ at: '22:00', finishBy: '21:00' }, 'nothing could be submitted'],
    [{ at: '2025-11-25T22:00' }, '--at 2025-11-25T22:00: that time has passed.'],
    [{ at: '2026-11-23T11:59' }, 'that time has passed'],
  ])('%o is refused', (options, words) => {
    expect(() => scheduleOf({ zone, ...options }, undefined, NOON)).toThrow(words);
  });
});
