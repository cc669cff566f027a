import { expect, test, vi } from 'vitest';
import type { TaskChange } from '../../src/engine/ports.ts';
import { makePlan } from './make-plan.ts';
import { runNight } from './night.ts';
import type { NightPlan } from './plan.ts';
import { nightText } from './replay-file.ts';
import { shrink } from './shrink.ts';
import { SimDisk } from './sim-disk.ts';
import type { AnswerPart } from './sim-store.ts';

/** As many as take about ten seconds of a processor. */
const NIGHTS = 40;

test('in whole nights from fixed seeds no promise is broken', async () => {
  const disk = new SimDisk();
  for (let seed = 1; seed <= NIGHTS; seed += 1) {
    const { violations } = await runNight(makePlan(seed), { disk });
    expect(violations, `npm run simulate -- --seed ${seed}`).toEqual([]);
  }
}, 300_000);

test('the same seed is the same night to the last turn, and no clock and no chance of this machine is in it', async () => {
  const outside = [
    vi.spyOn(Date, 'now'),
    vi.spyOn(Math, 'random'),
    vi.spyOn(globalThis, 'setTimeout'),
    vi.spyOn(performance, 'now'),
  ];
  for (const seed of [3, 6, 18]) {
    const used = new SimDisk();
    await runNight(makePlan(seed + 1), { disk: used });
    for (const spy of outside) spy.mockClear();
    const [once, again] = [
      await runNight(makePlan(seed), { disk: used }),
      await runNight(makePlan(seed), { disk: new SimDisk() }),
    ];
    for (const spy of outside) expect(spy).not.toHaveBeenCalled();
    expect([again.hash, again.turns, again.simulatedMs]).toEqual([once.hash, once.turns, once.simulatedMs]);
    expect((await runNight({ ...makePlan(seed), seed: 999 }, { disk: used })).hash).not.toBe(once.hash);
  }
  vi.restoreAllMocks();
}, 120_000);

test('an emptied disk is as a new one', async () => {
  const used = new SimDisk();
  await runNight(makePlan(6), { disk: used });
  expect(used.contents()).not.toEqual(new SimDisk().contents());
  used.empty();
  expect(used.contents()).toEqual(new SimDisk().contents());
});

/** A store that says that it has committed intents, and has not. */
const FORGETFUL =
  (answer: AnswerPart): AnswerPart =>
  (part, method, args) => {
    const [changes] = args as [readonly TaskChange[]];
    const isIntent = method === 'commit' && changes.some(({ event }) => event.kind === 'submit-started');
    return isIntent ? changes.map(() => 'committed') : answer(part, method, args);
  };

test('a store that lies about an intent is found out, in a night of one row', async () => {
  const disk = new SimDisk();
  const breaks = async (plan: NightPlan): Promise<boolean> => {
    const { violations } = await runNight(plan, { disk, twist: FORGETFUL });
    return violations[0]?.rule === 'intent';
  };
  const plan = makePlan(23);
  expect(await breaks(plan)).toBe(true);
  const smallest = await shrink(plan, breaks);
  expect(smallest.batches.flatMap(({ rows }) => rows)).toHaveLength(1);
  expect([smallest.faults, smallest.spells]).toEqual([[], []]);
  expect(smallest.deeds.length).toBeLessThanOrEqual(1);
  expect(JSON.parse(nightText(smallest))).toEqual(smallest);
}, 120_000);
