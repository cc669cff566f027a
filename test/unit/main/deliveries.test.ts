import { expect, test } from 'vitest';
import { Deliveries } from '../../../src/main/engine-process/deliveries.ts';
import { fileReviewEntries } from '../../../src/engine/review/file-review.ts';
import { outputIdOf } from '../../../src/shared/domain/task/task.ts';
import type { ExportedRow } from '../../../src/shared/domain/task/views/exported-row.ts';
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
  });
  const wish = { isKeptOnly: false, hasTags: false, hasSidecars: false, hasTimeline: false, isZip: false };
  const cancelling = new AbortController();
  const { signal } = cancelling;
  const deliver = async (wanted: { isZip?: boolean; folder?: string } = {}) =>
    deliveries.handlers['batch.deliver']({ batchId, folder: temporaryFolder(), ...wish, ...wanted }, { signal });
  const offered = async () => {
    const reply = await deliveries.handlers['batch.deliveryColumns']({ batchId });
    if (!reply.ok) throw new Error(reply.error.message);
    return reply.value;
  };
  return { night, batchId, offered, deliver, cancel: () => cancelling.abort(), go: () => go() };
}

test('a batch is delivered once at a time', async () => {
  const { deliver, go } = await rig();
  const first = deliver();
  expect(await deliver()).toMatchObject({
    ok: false,
    error: { message: expect.stringContaining('being delivered') as string },
  });
  go();
  expect(await first).toMatchObject({ ok: true, value: { outcome: 'nothing' } });
  expect(await deliver()).toMatchObject({ ok: true });
});

test('a delivery is cancelled as soon as it is asked for, also where the store is slow', async () => {
  const { deliver, cancel, go } = await rig([EXPORTED]);
  const delivered = deliver();
  cancel();
  go();
  expect(await delivered).toMatchObject({ ok: true, value: { outcome: 'cancelled' } });
});

test('a ZIP that is cancelled is said to be nowhere', async () => {
  const { deliver, cancel, go } = await rig([EXPORTED]);
  const folder = temporaryFolder();
  const delivered = deliver({ isZip: true, folder });
  cancel();
  go();
  expect(await delivered).toMatchObject({ ok: true, value: { outcome: 'cancelled', place: folder } });
});

test('a timeline is offered once there is a film or a song; how many files either choice has is said', async () => {
  const { night, batchId, offered } = await rig();
  expect(await offered()).toMatchObject({ hasClips: false, kept: 0, all: 0 });
  await night.scheduler.attach(batchId);
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  const { all } = await offered();
  expect(all).toBeGreaterThan(0);
  const [task = 0, position = 0] = await night.opened.views.filesFound(batchId, {});
  const said = await fileReviewEntries(night.store, outputIdOf(task, position), { kept: true }, 10);
  if (!said.ok) throw new Error(said.error.message);
  await night.scheduler.decide(said.value.entries);
  expect(await offered()).toMatchObject({ hasClips: true, kept: 1, all });
});
