import { describe, expect, test } from 'vitest';
import { foretellRun, keepForetold } from '../../src/engine/night/foretold.ts';
import { BatchReader } from '../../src/main/engine-process/batch-reader.ts';
import { FileTotals } from '../../src/main/services/batch-files.ts';
import type { Profile } from '../../src/shared/domain/gateway/profile.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { NightHarness, profileWith, row, rows } from '../support/night-harness.ts';

const MINUTE = 60_000;
const SONG: OperationPath = 'musicgen/music/generate';
const FILM: OperationPath = 'videogen-a/video/generate';
const IMAGE: OperationPath = 'videogen-b/image/generate';

const profile: Profile = {
  ...profileWith({ activePerFamily: { musicgen: 3, 'videogen-a': 2, 'videogen-b': 2 } }),
  prices: { [SONG]: { amount: 0.1, currency: 'EUR' }, [FILM]: { amount: 0.4, currency: 'EUR' } },
};

/** A batch of rows, foretold and then run until nothing more is sent: what was foretold beside what was sent. */
class ForetoldNight {
  readonly night = new NightHarness();

  async bringIn(sheetRows: readonly Row[], settings: Partial<BatchSettings> = {}): Promise<string> {
    const id = await this.night.bringIn(sheetRows, { profile, ...settings });
    await this.night.scheduler.attach(id);
    return id;
  }

  async foretell(id: string) {
    const { store, clock } = this.night;
    const batch = await store.batch(id);
    if (batch === undefined) throw new Error('no batch');
    return foretellRun(store, await store.waitingWork(id, clock.now()), batch.settings, clock.now(), id);
  }

  /** How many requests of each operation a run makes. */
  async run(id: string) {
    const { gateway, scheduler, clock } = this.night;
    const before = gateway.submits.length;
    await scheduler.start(id);
    await clock.advance(60 * MINUTE);
    return countOf(gateway.submits.slice(before));
  }
}

function countOf(requests: readonly { readonly operation: OperationPath }[]): Partial<Record<OperationPath, number>> {
  const counts: Partial<Record<OperationPath, number>> = {};
  for (const { operation } of requests) counts[operation] = (counts[operation] ?? 0) + 1;
  return counts;
}

function sentBy({
  kinds,
}: {
  readonly kinds: readonly { readonly operation: OperationPath; readonly requests: number }[];
}) {
  return Object.fromEntries(kinds.map(({ operation, requests }) => [operation, requests]));
}

/** Songs and films in turn. */
function mixed(count: number): Row[] {
  return Array.from({ length: count }, (_, i) => row(`r${i + 1}`, i + 2, { operation: i % 2 === 0 ? SONG : FILM }));
}

describe('a forecast, held to the night that comes of it', () => {
  test('counts what the batch, the night and the month have spent already, and says which of them ends the run', async () => {
    const foretold = new ForetoldNight();
    const { scheduler } = foretold.night;
    await scheduler.attach(await foretold.bringIn(rows(1)));
    await scheduler.setLimits({ night: { requests: 9 }, month: { cost: { amount: 1, currency: 'EUR' } } });
    const first = await foretold.bringIn(rows(8), { maxSubmits: 5 });
    expect(await foretold.foretell(first)).toMatchObject({
      requests: 5,
      beyondLimit: 3,
      stop: { of: 'batch', lacks: 'requests', limit: { requests: 5 } },
    });
    expect(await foretold.run(first)).toEqual({ [SONG]: 5 });
    // All of its own limit is used.
    expect(await foretold.foretell(first)).toMatchObject({ requests: 0, beyondLimit: 3, stop: { of: 'batch' } });
    const second = await foretold.bringIn(rows(8));
    expect(await foretold.foretell(second)).toMatchObject({
      requests: 4,
      beyondLimit: 4,
      cost: [{ amount: 0.4, currency: 'EUR' }],
      stop: { of: 'night', lacks: 'requests' },
    });
    await scheduler.setLimits({ month: { cost: { amount: 1, currency: 'EUR' } } });
    expect(await foretold.foretell(second)).toMatchObject({ requests: 5, stop: { of: 'month', lacks: 'cost' } });
    expect(await foretold.run(second)).toEqual({ [SONG]: 5 });
  });

  test('takes rows as the night does: those that are too dear stay, and cheaper ones behind them go', async () => {
    const foretold = new ForetoldNight();
    // What goes for the last of the money depends on how long each takes: that is learned first.
    await foretold.run(await foretold.bringIn(mixed(20)));
    const id = await foretold.bringIn(mixed(20), { maxCost: { amount: 2.15, currency: 'EUR' } });
    const said = await foretold.foretell(id);
    expect(said.stop).toMatchObject({ of: 'batch', lacks: 'cost' });
    expect(sentBy(said)).toEqual(await foretold.run(id));
  });

  test('sends nothing where an operation has no price in the currency of a limit, and names it', async () => {
    const foretold = new ForetoldNight();
    const id = await foretold.bringIn([...rows(3), row('i', 9, { operation: IMAGE })], {
      maxCost: { amount: 5, currency: 'EUR' },
    });
    expect(await foretold.foretell(id)).toMatchObject({
      requests: 0,
      beyondLimit: 4,
      stop: { of: 'batch', lacks: 'price', operations: [IMAGE] },
    });
    expect(await foretold.run(id)).toEqual({});
  });

  test('reserves what the gateway was seen to charge, if that is more than the price', async () => {
    const foretold = new ForetoldNight();
    const { gateway } = foretold.night;
    const { onSubmit } = gateway;
    gateway.onSubmit = async (seen, nth) => ({
      ...(await onSubmit(seen, nth)),
      cost: { amount: 0.15, currency: 'EUR' },
    });
    await foretold.run(await foretold.bringIn(rows(1)));
    const id = await foretold.bringIn(rows(10), { maxCost: { amount: 1, currency: 'EUR' } });
    expect(await foretold.foretell(id)).toMatchObject({
      requests: 6,
      cost: [{ amount: 0.9, currency: 'EUR' }],
      dearer: [{ operation: SONG, cost: { amount: 0.15, currency: 'EUR' } }],
    });
    expect(await foretold.run(id)).toEqual({ [SONG]: 6 });
  });

  test('leaves out rows on hold and those that wait for them, and says how many', async () => {
    const foretold = new ForetoldNight();
    const text = [{ row: 'r2', path: { kind: 'task-code' as const }, text: 'r2.taskId' }];
    const links = [{ column: 'prompt', value: { kind: 'text' as const, text } }];
    const last = row('last', 9, { operation: FILM, links });
    const twice = { body: { prompt: 'the same' } };
    const id = await foretold.bringIn([row('r1', 2, twice), row('r2', 3), row('r3', 4, twice), row('r4', 5), last]);
    const tasks = await foretold.night.tasks(id);
    const held = tasks.filter(({ rowId }) => rowId === 'r2' || rowId === 'r3');
    await foretold.night.scheduler.decide(
      held.map(({ id: taskId }) => ({ taskId, event: { kind: 'put-on-hold' as const } })),
    );
    const said = await foretold.foretell(id);
    expect(said).toMatchObject({
      rows: 2,
      requests: 2,
      cost: [{ amount: 0.2, currency: 'EUR' }],
      unsent: 0,
      beyondLimit: 0,
      held: { rows: 3, requests: 3 },
      duplicates: { rows: 0 },
    });
    expect(sentBy(said)).toEqual(await foretold.run(id));
    expect(await foretold.foretell(id)).toMatchObject({ rows: 0, requests: 0, held: { rows: 3 } });
  });

  test('is made anew once it goes on under another limit, and is not shown beside one meanwhile', async () => {
    const foretold = new ForetoldNight();
    const { store, clock, opened, scheduler } = foretold.night;
    const id = await foretold.bringIn(rows(5), { maxCost: { amount: 0.25, currency: 'EUR' } });
    const reader = new BatchReader({
      store,
      ledger: opened.ledger,
      views: opened.views,
      totals: new FileTotals(() => Promise.resolve([])),
      isAtWork: true,
    });
    const shown = async () => (await reader.view(id))?.foretold?.requests;
    await keepForetold(store, id, clock.now());
    await foretold.run(id);
    expect(await shown()).toBe(2);
    await keepForetold(store, id, clock.now());
    expect(await shown()).toBe(2);
    await scheduler.configure(id, ({ settings }) => ({ ...settings, maxCost: { amount: 0.4, currency: 'EUR' } }));
    expect(await shown()).toBeUndefined();
    await keepForetold(store, id, clock.now());
    expect(await shown()).toBe(2);
    expect((await store.batch(id))?.forecast?.limit).toEqual({ cost: { amount: 0.4, currency: 'EUR' } });
  });

  test('beside a finished batch it is that of its first run in the night, with the limit of then, as in the ledger', async () => {
    const { night } = new ForetoldNight();
    const { store, clock, opened, scheduler } = night;
    const id = await night.bringIn(rows(5), { profile, maxSubmits: 3 });
    await scheduler.attach(id);
    const reader = new BatchReader({
      store,
      ledger: opened.ledger,
      views: opened.views,
      totals: new FileTotals(() => Promise.resolve([])),
      isAtWork: true,
    });
    const run = async () => {
      await keepForetold(store, id, clock.now());
      await scheduler.start(id);
      await clock.advance(60 * MINUTE);
      return reader.view(id);
    };
    expect(await run()).toMatchObject({ state: 'paused', foretold: { requests: 3 } });
    await scheduler.configure(id, ({ settings }) => ({ ...settings, maxSubmits: 5 }));
    const finished = await run();
    expect(finished).toMatchObject({
      state: 'finished',
      submitsUsed: 5,
      foretold: { requests: 3, limit: { requests: 3 } },
    });
    expect((await store.batch(id))?.forecast?.requests).toBe(2);
  });
});
