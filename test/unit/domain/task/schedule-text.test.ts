import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ok } from '../../../../src/shared/domain/base/result.ts';
import { WEEKDAYS } from '../../../../src/shared/domain/task/schedule.ts';
import {
  momentText,
  readClock,
  readMoment,
  readWindow,
  windowText,
} from '../../../../src/shared/domain/task/schedule-text.ts';

const ZONE = 'Europe/Berlin';
const NOON = Date.parse('2026-11-23T12:00+01:00');

describe('windows as written', () => {
  test.each([
    ['22:00-06:00', '22:00', '06:00', WEEKDAYS],
    ['22:00–6:00 Mon-Fri', '22:00', '06:00', ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']],
    ['9:30 - 17:00 sat, SUNDAY', '09:30', '17:00', ['Sat', 'Sun']],
    ['22:00-06:00 Fri-Mon', '22:00', '06:00', ['Mon', 'Fri', 'Sat', 'Sun']],
    ['00:00-00:00 daily', '00:00', '00:00', WEEKDAYS],
  ] as const)('%s', (text, from, to, days) => {
    expect(readWindow(text)).toEqual(ok({ from, to, days }));
  });

  test.each(['', '22:00', '25:00-06:00', '22:00-06:60', '22:00-06:00 Foo', '22:00-06:00 M', '22:00-06:00 Mon-Tue-Wed'])(
    'not %s',
    (text) => {
      expect(readWindow(text)).toMatchObject({ ok: false });
    },
  );

  test('what is written is read again as the same', () => {
    const time = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
      .map(([hours, minutes]) => `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`);
    const window = fc.record({ from: time, to: time, days: fc.subarray([...WEEKDAYS], { minLength: 1 }) });
    fc.assert(
      fc.property(window, (one) => {
        expect(readWindow(windowText(one))).toEqual(ok(one));
      }),
    );
  });
});

describe('moments as written', () => {
  test.each([
    ['22:00', '2026-11-23T22:00+01:00'],
    ['12:00', '2026-11-24T12:00+01:00'],
    ['7:05', '2026-11-24T07:05+01:00'],
    ['in 2h', '2026-11-23T14:00+01:00'],
    ['in 90 min', '2026-11-23T13:30+01:00'],
    ['in 1h30m', '2026-11-23T13:30+01:00'],
    ['2 小时后', '2026-11-23T14:00+01:00'],
    ['1个小时30分钟后', '2026-11-23T13:30+01:00'],
    ['tomorrow 22:00', '2026-11-24T22:00+01:00'],
    ['Tomorrow, at 6:30', '2026-11-24T06:30+01:00'],
    ['22:00 tomorrow', '2026-11-24T22:00+01:00'],
    ['today 22:00', '2026-11-23T22:00+01:00'],
    ['tonight 23:30', '2026-11-23T23:30+01:00'],
    ['明天 22:00', '2026-11-24T22:00+01:00'],
    ['明晚22:00', '2026-11-24T22:00+01:00'],
    ['今天22:00', '2026-11-23T22:00+01:00'],
    ['2026-12-01T22:00', '2026-12-01T22:00+01:00'],
    ['2026-07-01 22:00:00', '2026-07-01T22:00+02:00'],
    ['2026-12-01T22:00Z', '2026-12-01T22:00Z'],
    ['2026-12-01T22:00-05:00', '2026-12-01T22:00-05:00'],
  ])('%s', (text, expected) => {
    expect(readMoment(text, ZONE, NOON)).toEqual(ok(Date.parse(expected)));
  });

  test.each([
    '',
    'soon',
    'in',
    'tomorrow',
    'tomorrow 25:00',
    'in 2 days',
    '24:00',
    '2026-02-30T22:00',
    '2027-02-31T22:00Z',
    '2026-13-01T22:00Z',
  ])('not %s', (text) => {
    expect(readMoment(text, ZONE, NOON)).toMatchObject({ ok: false });
  });

  test('in words, with the day where it could be mistaken', () => {
    expect(momentText(NOON + 10 * 3_600_000, ZONE, NOON)).toBe('22:00');
    expect(momentText(NOON + 34 * 3_600_000, ZONE, NOON)).toBe('Tue 24 Nov, 22:00');
    expect(readClock('6:00')).toBe('06:00');
  });
});
