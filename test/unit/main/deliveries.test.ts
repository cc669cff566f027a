import { expect, test } from 'vitest';
import { Deliveries } from '../../../src/main/engine-process/deliveries.ts';
import type { ExportedRow } from '../../../src/shared/domain/task/batch-view.ts';
import type { News } from '../../../src/shared/ipc/contract.ts';
import { NightHarness, rows } from '../../support/night-harness.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

/** Deliveries that list the files of a batch once they may. */
async function rig() {
  const night = new NightHarness();
  const batchId = await night.bringIn(rows(1), { folder: temporaryFolder() });
  const told: News<'delivery.changed'>[] = [];
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  async function* exportRows(): AsyncIterable<ExportedRow> {
    await may;
    yield* [];
  }
  const { store, opened } = night;
  const deliveries = new Deliveries({
    store,
    views: Object.assign(Object.create(opened.views) as typeof opened.views, { exportRows }),
    clock: night.clock,
    tell: (event, payload) => {
      if (event === 'delivery.changed') told.push(payload as News<'delivery.changed'>);
    },
  });
  const wish = { isKeptOnly: true, hasTags: false, hasSidecars: false, hasTimeline: false, isZip: false };
  const deliver = async () => deliveries.handlers['batch.deliver']({ batchId, folder: temporaryFolder(), ...wish });
  return { batchId, deliveries, deliver, told, go: () => go() };
}

test('a batch is delivered once at a time, and the window is told of the beginning and the end', async () => {
  const { batchId, deliver, told, go } = await rig();
  const first = deliver();
  expect(await deliver()).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('being delivered') as string },
  });
  go();
  expect(await first).toMatchObject({ ok: true, value: { outcome: 'nothing' } });
  expect(told).toEqual([
    { batchId, isUnderWay: true },
    { batchId, isUnderWay: false },
  ]);
  expect(await deliver()).toMatchObject({ ok: true });
});

test('the end of the engine waits for what is under way', async () => {
  const { batchId, deliveries, deliver, go } = await rig();
  const delivered = deliver();
  const turn = async () => deliveries.handlers['batch.deliveryColumns']({ batchId });
  await turn();
  let isEnded = false;
  const ended = deliveries.end().then(() => (isEnded = true));
  await turn();
  expect(isEnded).toBe(false);
  go();
  await ended;
  expect(await delivered).toMatchObject({ ok: true });
});
