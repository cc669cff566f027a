import { expect, test } from 'vitest';
import { Alarm } from '../../../../src/engine/night/clock/steady-clock.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

test('an alarm rings at the earliest of its times, once, and again when it is set again', async () => {
  const clock = new FakeClock();
  let rings = 0;
  const alarm = new Alarm(clock, () => (rings += 1));
  alarm.set(2_000);
  alarm.set(1_000);
  alarm.set(3_000);
  await clock.advance(5_000);
  expect(rings).toBe(1);
  alarm.set(1_000);
  await clock.advance(1_000);
  expect(rings).toBe(2);
  alarm.set(1_000);
  alarm.stop();
  await clock.advance(5_000);
  expect(rings).toBe(2);
});

test('a timer that stood still while its time went by does not hold up what an alarm is set to then', async () => {
  const clock = new FakeClock();
  // As after a sleep: the time has gone on, and no timer has.
  const asleep = {
    now: () => clock.now(),
    monotonic: () => clock.monotonic() + late,
    setTimer: clock.setTimer.bind(clock),
  };
  let late = 0;
  let rings = 0;
  const alarm = new Alarm(asleep, () => (rings += 1));
  alarm.set(60_000);
  late = 300_000;
  alarm.set(5_000);
  await clock.advance(0);
  expect(rings).toBe(1);
  await clock.advance(120_000);
  expect(rings).toBe(1);
});
