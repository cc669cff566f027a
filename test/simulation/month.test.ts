import { expect, test } from 'vitest';
import { makeMonth } from './make-month.ts';
import { runNight } from './night.ts';
import { SimDisk } from './sim-disk.ts';

const MONTH_MS = 30 * 24 * 3_600_000;

test.each(['autumn', 'spring'] as const)(
  'a month within windows, in which clocks are set in %s: nothing leaves outside of them, and every row ends',
  async (season) => {
    const disk = new SimDisk();
    const plan = makeMonth(1, season);
    const { violations, simulatedMs, coverage } = await runNight(plan, { disk });
    expect(violations).toEqual([]);
    expect(simulatedMs).toBeGreaterThan(MONTH_MS);
    const counts = Object.fromEntries(coverage.counts);
    expect(counts['status done']).toBe(plan.batches.flatMap(({ rows }) => rows).length);
    expect(Math.min(counts['deed sleep'] ?? 0, counts['deed kill'] ?? 0)).toBeGreaterThan(9);
    // Nearly all of it was done within windows, on most of the days; what is left over runs once the user removes them.
    const sentAt = disk.db.prepare<{ readonly at: number }>('SELECT started_at AS at FROM attempts ORDER BY id').all();
    const days = new Set(sentAt.map(({ at }) => Math.floor(at / 86_400_000)));
    expect(days.size).toBeGreaterThan(20);
  },
  120_000,
);
