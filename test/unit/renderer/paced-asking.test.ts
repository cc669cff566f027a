import { expect, test } from 'vitest';
import { PacedAsking } from '../../../src/renderer/state/paced-asking.ts';
import { ManualSchedule, settle } from './manual-schedule.ts';

function setUp(tookMs: number) {
  const rest = new ManualSchedule();
  let now = 0;
  let asked = 0;
  const asking = new PacedAsking(
    () => {
      asked += 1;
      now += tookMs;
      return Promise.resolve();
    },
    { now: () => now, schedule: rest.schedule },
  );
  return { asking, rest, asked: () => asked };
}

test('what changed is asked again once, as often as a tenth of the time allows', async () => {
  const { asking, rest, asked } = setUp(4_000);
  asking.changed();
  await settle();
  expect([asked(), rest.delays]).toEqual([1, [36_000]]);
  asking.changed();
  asking.changed();
  expect(asked()).toBe(1);
  rest.runAll();
  await settle();
  expect(asked()).toBe(2);
  rest.runAll();
  expect(asked()).toBe(2);
  asking.changed();
  expect(asked()).toBe(3);
});

test('a quick answer is asked for once a second at most, and not at all after the end', async () => {
  const { asking, rest, asked } = setUp(3);
  await settle();
  expect(rest.delays).toEqual([1_000]);
  asking.changed();
  asking.stop();
  rest.runAll();
  expect(asked()).toBe(1);
});
