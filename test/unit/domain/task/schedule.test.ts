import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DAY_MS, instantOf, MINUTE_MS, wallAt } from '../../../../src/shared/domain/base/wall-clock.ts';
import {
  gateAt,
  openStretches,
  WEEKDAYS,
  type DailyWindow,
  type Schedule,
  type Weekday,
} from '../../../../src/shared/domain/task/schedule.ts';

const HOUR_MS = 60 * MINUTE_MS;

function nightly(from: string, to: string, days: DailyWindow['days'] = WEEKDAYS): DailyWindow {
  return { from, to, days };
}

function at(iso: string): number {
  return Date.parse(iso);
}

/** Whether each minute of a year is inside some window, by the clock alone: nothing of the rules is used. */
function minutesOpen(zone: string, from: number, to: number, windows: readonly DailyWindow[]): Uint8Array {
  const open = new Uint8Array((to - from) / MINUTE_MS);
  let highest = Number.NEGATIVE_INFINITY;
  eachMinute(zone, from - 4 * DAY_MS, to, (minute, wall) => {
    // A time has come once the clock has shown it or a later one.
    highest = Math.max(highest, wall);
    if (minute >= from) open[(minute - from) / MINUTE_MS] = windows.some((one) => isInside(one, highest)) ? 1 : 0;
  });
  return open;
}

/** What the clock shows at each minute. Between two equal offsets, close to each other, it runs evenly. */
function eachMinute(zone: string, from: number, to: number, visit: (at: number, wall: number) => void): void {
  const block = 6 * HOUR_MS;
  for (let start = from; start < to; start += block) {
    const offset = wallAt(zone, start) - start;
    const isEven = wallAt(zone, start + block) - start - block === offset;
    for (let minute = start; minute < Math.min(to, start + block); minute += MINUTE_MS) {
      visit(minute, isEven ? minute + offset : wallAt(zone, minute));
    }
  }
}

function isInside({ from, to, days }: DailyWindow, wall: number): boolean {
  const clock = (wall % DAY_MS) / MINUTE_MS;
  const [opens, closes] = [minutesOf(from), minutesOf(to)];
  const begins = (daysAgo: number): boolean => days.includes(dayName(wall - daysAgo * DAY_MS));
  if (closes > opens) return begins(0) && clock >= opens && clock < closes;
  return (begins(0) && clock >= opens) || (begins(1) && clock < closes);
}

function dayName(wall: number): Weekday {
  return (['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const)[new Date(wall).getUTCDay()] ?? 'Sun';
}

function minutesOf(time: string): number {
  return Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
}

/** The same by the rules. */
function minutesByGate(schedule: Schedule, from: number, to: number): Uint8Array {
  const open = new Uint8Array((to - from) / MINUTE_MS);
  for (let minute = from; minute < to;) {
    const gate = gateAt(schedule, minute);
    const until = Math.min(to, gate.kind === 'over' ? to : (gate.until ?? to));
    if (until <= minute) throw new Error(`It stands still at ${new Date(minute).toISOString()}`);
    if (gate.kind === 'open') open.fill(1, (minute - from) / MINUTE_MS, Math.ceil((until - from) / MINUTE_MS));
    minute += Math.ceil((until - minute) / MINUTE_MS) * MINUTE_MS;
  }
  return open;
}

const ZONES = [
  ['Europe/Berlin', 2026],
  ['America/New_York', 2026],
  ['Australia/Lord_Howe', 2026],
  ['Asia/Kolkata', 2026],
  // It left out 30 December 2011, and had a summer time.
  ['Pacific/Apia', 2011],
] as const;

describe('windows of the day', () => {
  test.each(ZONES)('%s %i: as the clock on the wall shows it, each minute of the year', (zone, year) => {
    const from = Date.UTC(year, 0, 1);
    const to = Date.UTC(year + 1, 0, 1);
    const windows = [
      nightly('22:00', '06:00', ['Mon', 'Tue', 'Wed', 'Thu', 'Fri']),
      nightly('01:40', '02:20', ['Sat', 'Sun']),
      nightly('02:10', '02:40', ['Sun']),
      nightly('23:30', '00:15', ['Sun']),
    ];
    expect(Buffer.compare(minutesByGate({ windows, zone }, from, to), minutesOpen(zone, from, to, windows))).toBe(0);
  });

  test('any windows around any change of the clock', () => {
    const time = fc.tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 })).map(hourText);
    const window = fc.record({
      from: time,
      to: time,
      days: fc.subarray([...WEEKDAYS], { minLength: 1 }),
    });
    const changes = [
      ['Europe/Berlin', at('2026-03-29T01:00Z')],
      ['Europe/Berlin', at('2026-10-25T01:00Z')],
      ['America/New_York', at('2026-03-08T07:00Z')],
      ['America/New_York', at('2026-11-01T06:00Z')],
      ['Australia/Lord_Howe', at('2026-04-04T15:00Z')],
      ['Australia/Lord_Howe', at('2026-10-03T15:30Z')],
      ['Pacific/Apia', at('2011-12-30T10:00Z')],
    ] as const;
    fc.assert(
      fc.property(
        fc.constantFrom(...changes),
        fc.array(window, { minLength: 1, maxLength: 3 }),
        ([zone, change], windows) => {
          const from = change - 2 * DAY_MS;
          const to = change + 2 * DAY_MS;
          const expected = minutesOpen(zone, from, to, windows);
          expect(Buffer.compare(minutesByGate({ windows, zone }, from, to), expected)).toBe(0);
        },
      ),
      { numRuns: 40, seed: 5 },
    );
  });

  test('a window belongs to the day on which it begins', () => {
    const friday = { windows: [nightly('22:00', '06:00', ['Fri'])], zone: 'Europe/Berlin' };
    // 27 November 2026 is a Friday.
    expect(gateAt(friday, at('2026-11-27T05:00+01:00'))).toEqual({
      kind: 'waits',
      until: at('2026-11-27T22:00+01:00'),
    });
    expect(gateAt(friday, at('2026-11-28T05:59+01:00'))).toEqual({
      kind: 'open',
      until: at('2026-11-28T06:00+01:00'),
    });
    expect(gateAt(friday, at('2026-11-28T06:00+01:00'))).toEqual({
      kind: 'waits',
      until: at('2026-12-04T22:00+01:00'),
    });
  });

  test('a time that the clock leaves out counts as the moment of the change', () => {
    // On 29 March 2026, 02:00 is 03:00.
    const opening = { windows: [nightly('02:30', '06:00')], zone: 'Europe/Berlin' };
    expect(gateAt(opening, at('2026-03-29T01:59+01:00'))).toMatchObject({ until: at('2026-03-29T03:00+02:00') });
    const closing = { windows: [nightly('22:00', '02:30')], zone: 'Europe/Berlin' };
    expect(gateAt(closing, at('2026-03-29T01:59+01:00'))).toMatchObject({
      kind: 'open',
      until: at('2026-03-29T03:00+02:00'),
    });
    const left = { windows: [nightly('02:10', '02:50', ['Sun'])], zone: 'Europe/Berlin' };
    expect(gateAt(left, at('2026-03-29T00:00+01:00'))).toMatchObject({ until: at('2026-04-05T02:10+02:00') });
  });

  test('a time that comes twice counts when it comes first', () => {
    // On 25 October 2026, 03:00 is 02:00 again.
    const opening = { windows: [nightly('02:30', '06:00')], zone: 'Europe/Berlin' };
    expect(gateAt(opening, at('2026-10-25T01:00+02:00'))).toMatchObject({ until: at('2026-10-25T02:30+02:00') });
    const closing = { windows: [nightly('22:00', '02:30')], zone: 'Europe/Berlin' };
    expect(gateAt(closing, at('2026-10-25T01:00+02:00'))).toMatchObject({ until: at('2026-10-25T02:30+02:00') });
    expect(gateAt(closing, at('2026-10-25T02:15+01:00'))).toMatchObject({ kind: 'waits' });
  });

  test('windows that meet are one stretch', () => {
    const windows = [nightly('22:00', '06:00'), nightly('06:00', '07:30'), nightly('05:00', '06:30')];
    const [first] = openStretches({ windows, zone: 'Asia/Kolkata' }, at('2026-11-23T20:00+05:30'));
    expect(first).toEqual({ from: at('2026-11-23T22:00+05:30'), to: at('2026-11-24T07:30+05:30') });
  });

  test('from and to the same: a whole day', () => {
    const schedule = { windows: [nightly('09:00', '09:00', ['Sat'])], zone: 'Europe/Berlin' };
    expect(gateAt(schedule, at('2026-11-29T08:59+01:00'))).toMatchObject({ kind: 'open' });
    expect(gateAt(schedule, at('2026-11-29T09:00+01:00'))).toMatchObject({ kind: 'waits' });
  });
});

describe('a start and an end', () => {
  const windows = [nightly('22:00', '06:00')];
  const zone = 'Europe/Berlin';
  const noon = at('2026-11-23T12:00+01:00');

  test('without a schedule it is always open', () => {
    expect(gateAt(undefined, noon)).toEqual({ kind: 'open' });
    expect(gateAt({ windows: [], zone }, noon)).toEqual({ kind: 'open' });
  });

  test('it waits for its start, and then for a window', () => {
    const startAt = at('2026-11-25T12:00+01:00');
    expect(gateAt({ windows: [], zone, startAt }, noon)).toEqual({ kind: 'waits', until: startAt });
    expect(gateAt({ windows, zone, startAt }, noon)).toEqual({ kind: 'waits', until: at('2026-11-25T22:00+01:00') });
    const within = at('2026-11-25T23:00+01:00');
    expect(gateAt({ windows, zone, startAt: within }, noon)).toEqual({ kind: 'waits', until: within });
  });

  test('after the time to finish by it does not open again', () => {
    const finishBy = at('2026-11-24T05:00+01:00');
    const schedule: Schedule = { windows, zone, finishBy };
    expect(gateAt(schedule, noon)).toMatchObject({ kind: 'waits' });
    expect(gateAt(schedule, finishBy - 1)).toEqual({ kind: 'open', until: finishBy });
    expect(gateAt(schedule, finishBy)).toEqual({ kind: 'over' });
    expect(gateAt({ windows, zone, finishBy: noon + HOUR_MS }, noon)).toEqual({ kind: 'over' });
  });
});

test('the clock of a zone and back', () => {
  for (const [zone] of ZONES) {
    for (let instant = Date.UTC(2026, 0, 1); instant < Date.UTC(2027, 0, 1); instant += 17 * HOUR_MS) {
      const again = instantOf(zone, wallAt(zone, instant));
      // A time that comes twice means the first one.
      expect([0, -HOUR_MS, -HOUR_MS / 2]).toContain(again - instant);
    }
  }
});

function hourText([hours, minutes]: readonly [number, number]): string {
  return `${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
