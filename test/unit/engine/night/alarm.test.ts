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
