import { describe, expect, test } from 'vitest';
import { NightHarness, rows } from '../support/night-harness.ts';

const HOUR = 3_600_000;

describe('what is learned of completion times', () => {
  test('a rendering that is found in time is learned from', async () => {
    const night = new NightHarness();
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.untilRest(id);
    expect(night.store.completions(id, 'musicgen/music/generate', '')).toHaveLength(1);
  });

  test('a rendering that was found only after the machine had slept is not: later tasks would wait as long', async () => {
    const night = new NightHarness();
    const id = night.bringIn(rows(1));
    night.scheduler.start(id);
    await night.clock.advance(1000);
    expect(night.statuses(id)).toEqual(['rendering']);
    night.clock.jump(3 * HOUR);
    await night.untilRest(id);
    expect(night.statuses(id)).toEqual(['done']);
    expect(night.store.completions(id, 'musicgen/music/generate', '')).toEqual([]);
  });
});
