import { expect, test } from 'vitest';
import { Deliveries } from '../../../src/main/engine-process/deliveries.ts';
import type { ExportedRow } from '../../../src/shared/domain/task/batch-view.ts';
import type { News } from '../../../src/shared/ipc/contract.ts';
import { NightHarness, row, rows } from '../../support/night-harness.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const EXPORTED: ExportedRow = {
  row: row('r1', 2),
  status: 'done',
  tasks: [
    {
      take: 1,
      taskCode: 'c1',
      status: 'done',
      outputs: [{ index: 1, path: 'music/r1.mp3', sha256: 'a'.repeat(64), bytes: 1, mediaType: 'audio/mpeg' }],
    },
  ],
};

/** Deliveries that list the files of a batch once they may. */
async function rig(exported: readonly ExportedRow[] = []) {
  const night = new NightHarness();
  const batchId = await night.bringIn(rows(1), { folder: temporaryFolder() });
  const told: News<'delivery.changed'>[] = [];
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  async function* exportRows(): AsyncIterable<ExportedRow> {
    await may;
    yield* exported;
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
  const wish = { isKeptOnly: false, hasTags: false, hasSidecars: false, hasTimeline: false, isZip: false };
  const deliver = async (wanted: { isZip?: boolean; folder?: string } = {}) =>
    deliveries.handlers['batch.deliver']({ batchId, folder: temporaryFolder(), ...wish, ...wanted });
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

test('a delivery is cancelled as soon as it is asked for, also where the store is slow', async () => {
  const { batchId, deliveries, deliver, go } = await rig([EXPORTED]);
  const delivered = deliver();
  deliveries.handlers['batch.stopDelivery']({ batchId });
  go();
  expect(await delivered).toMatchObject({ ok: true, value: { outcome: 'cancelled' } });
});

test('a ZIP that is cancelled is said to be nowhere', async () => {
  const { batchId, deliveries, deliver, go } = await rig([EXPORTED]);
  const folder = temporaryFolder();
  const delivered = deliver({ isZip: true, folder });
  deliveries.handlers['batch.stopDelivery']({ batchId });
  go();
  expect(await delivered).toMatchObject({ ok: true, value: { outcome: 'cancelled', place: folder } });
});

test('the end of the engine waits for what is under way, as soon as it is asked for', async () => {
  const { batchId, deliveries, deliver, go } = await rig();
  const delivered = deliver();
  const turn = async () => deliveries.handlers['batch.deliveryColumns']({ batchId });
  let isEnded = false;
  const ended = deliveries.end().then(() => (isEnded = true));
  await turn();
  expect(isEnded).toBe(false);
  go();
  await ended;
  expect(await delivered).toMatchObject({ ok: true });
});
