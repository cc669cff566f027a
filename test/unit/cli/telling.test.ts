import { expect, test } from 'vitest';
import { watchNight } from '../../../src/cli/telling.ts';
import { failure } from '../../../src/shared/domain/base/failure.ts';
import { WEEKDAYS } from '../../../src/shared/domain/task/schedule.ts';
import type { NightNews } from '../../../src/shared/domain/telling/night-news.ts';
import { NightHarness, rows } from '../../support/night-harness.ts';
import { accepted } from '../../support/scripted-gateway.ts';

const HOUR = 60 * 60_000;

test('of a batch whose rest waits for other hours, one is told once that its night is over, and again at its end', async () => {
  const night = new NightHarness();
  let takesMore = false;
  const limited = { outcome: { kind: 'rate-limited', failure: failure('RATE_LIMITED', 'later') } } as const;
  night.gateway.onSubmit = (_, nth) => (nth === 1 || takesMore ? accepted(`code-${nth}`) : limited);
  const windows = [{ from: '22:00', to: '22:30', days: WEEKDAYS }];
  const id = await night.bringIn(rows(3), { schedule: { windows, zone: 'UTC' } });
  const told: NightNews[] = [];
  // Nothing of the batch changes when its hours are over.
  const engine = {
    views: night.opened.views,
    standing: { unstored: () => undefined },
    onChange: () => () => undefined,
  };
  const done = await watchNight(engine, id, async (news) => void told.push(news), night.clock);
  await night.scheduler.start(id);
  await night.clock.advance(20 * 60_000);
  expect(told).toEqual([]);
  await night.clock.advance(3 * HOUR);
  expect(told).toMatchObject([{ kind: 'ended', batches: [{ waits: true, takes: { done: 1, queued: 2 } }] }]);
  takesMore = true;
  await night.clock.advance(24 * HOUR);
  expect(await night.state(id)).toBe('finished');
  const timers = night.clock.timers();
  await done(false);
  expect(night.clock.timers()).toBeLessThan(timers);
  expect(told).toHaveLength(2);
  expect(told[1]).toMatchObject({ kind: 'ended', batches: [{ state: 'finished' }] });
});
