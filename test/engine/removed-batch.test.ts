import { expect, test, vi } from 'vitest';
import { removeDeleted, shelveBatch, withoutShelf } from '../../src/engine/night/batches/shelf.ts';
import { BRING_BACK_MS } from '../../src/shared/domain/task/batch-standing.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { NightHarness } from '../support/night-harness.ts';
import { makeRow, only } from '../contract/task-store-fixtures.ts';

/** A batch in the night, deleted so long ago that it can be removed. */
async function deletedLongAgo(night: NightHarness, batchId: string): Promise<void> {
  const at = night.clock.now() - BRING_BACK_MS;
  await night.scheduler.configure(batchId, ({ settings }) => ({ ...settings, shelf: { is: 'deleted', at } }));
}

function rethrow(error: unknown): never {
  throw error;
}

/** The look that is taken once a day. */
function look(night: NightHarness, onAsked = (): void => undefined): Promise<readonly string[]> {
  const { store, scheduler, clock } = night;
  const configure = scheduler.configure.bind(scheduler);
  const remove = (id: string) =>
    scheduler.removing(id, () => {
      onAsked();
      return store.removeBatch(id, clock.now());
    });
  return removeDeleted({ store, configure, onFailed: rethrow }, remove, clock.now(), false);
}

async function nightOf(rows: number): Promise<readonly [NightHarness, string]> {
  const night = new NightHarness();
  const batchId = await night.bringIn(Array.from({ length: rows }, (_row, i) => makeRow(i + 2)));
  return [night, batchId];
}

test('a deleted batch that has run in this night is removed from it, and the others go on', async () => {
  const [night, batchId] = await nightOf(2);
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  await deletedLongAgo(night, batchId);
  const other = await night.bringIn([makeRow(2)]);
  await night.scheduler.start(other);
  expect(await look(night)).toEqual([batchId]);
  expect(await night.store.batch(batchId)).toBeUndefined();
  await expect(night.scheduler.start(batchId)).rejects.toThrow('No such batch');
  await night.untilRest(other);
  expect((await night.tasks(other)).map(({ status }) => status)).toEqual(['done']);
  expect(night.gateway.submits).toHaveLength(3);
  expect(await night.opened.whole.checkIntegrity()).toEqual([]);
});

test('a batch of which something is in flight, or that is being edited, is not removed', async () => {
  const [night, batchId] = await nightOf(1);
  night.gateway.onPoll = () => RUNNING;
  await night.scheduler.start(batchId);
  await night.clock.advanceUntil(async () => (await night.tasks(batchId))[0]?.status === 'rendering');
  await night.scheduler.pauseByUser(batchId);
  await deletedLongAgo(night, batchId);
  // Not even for a moment the night lets go of it.
  const asked = vi.fn();
  expect(await look(night, asked)).toEqual([]);
  expect(asked).not.toHaveBeenCalled();
  night.gateway.onPoll = () => rendered('https://media.example/a.mp3');
  await night.clock.advanceUntil(async () => (await night.tasks(batchId))[0]?.status === 'done');
  expect(await night.scheduler.holdingSubmits(batchId, () => look(night))).toEqual([]);
  expect(await look(night)).toEqual([batchId]);
  expect(night.gateway.submits).toHaveLength(1);
});

test('a batch that has run and was paused after the look at its takes is not deleted with a take on its way', async () => {
  const [night, batchId] = await nightOf(1);
  night.gateway.onPoll = () => RUNNING;
  const { store, scheduler, opened } = night;
  await scheduler.attach(batchId);
  const batchSummary = vi.fn((id: string) => opened.views.batchSummary(id));
  batchSummary.mockImplementationOnce(async (id) => {
    const before = await opened.views.batchSummary(id);
    await scheduler.start(id);
    await night.clock.advanceUntil(async () => (await night.tasks(id))[0]?.status === 'rendering');
    await scheduler.pauseByUser(id);
    return before;
  });
  const parts = {
    store,
    views: { batchSummary },
    configure: scheduler.configure.bind(scheduler),
    overruleStarts: scheduler.overruleStarts.bind(scheduler),
  };
  expect((await shelveBatch(parts, batchId, { is: 'deleted', at: night.clock.now() })).ok).toBe(false);
  expect((await store.batch(batchId))?.settings.shelf).toBeUndefined();
});

test('a batch that is brought back as it is looked at stays in the night, and runs', async () => {
  const [night, batchId] = await nightOf(1);
  await night.scheduler.attach(batchId);
  await deletedLongAgo(night, batchId);
  const back = night.scheduler.configure(batchId, withoutShelf);
  // By what was read before that.
  const removed = night.scheduler.removing(batchId, () => night.store.removeBatch(batchId, night.clock.now()));
  await back;
  expect(await removed).toBe(false);
  await night.scheduler.pauseByUser(batchId);
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  expect((await night.tasks(batchId)).map(({ status }) => status)).toEqual(['done']);
});

test('what is said about a file whose batch is being removed changes nothing, and is no bug', async () => {
  const [night, batchId] = await nightOf(1);
  let removeFirst = (): Promise<unknown> => Promise.resolve();
  night.open((store) => ({
    ...store,
    commit: async (changes) => {
      await removeFirst();
      return store.commit(changes);
    },
  }));
  await night.scheduler.start(batchId);
  await night.untilRest(batchId);
  const { id: taskId } = only((await night.tasks(batchId))[0]);
  await deletedLongAgo(night, batchId);
  removeFirst = () => night.store.removeBatch(batchId, night.clock.now());
  expect(await night.scheduler.decide([{ taskId, event: { kind: 'reviewed', index: 1, change: { rating: 3 } } }])).toBe(
    0,
  );
  await night.clock.advance(1000);
  expect([await night.store.batch(batchId), night.bugs]).toEqual([undefined, []]);
});

test('a batch that another process has removed is let go of, and no start begins with it', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn([makeRow(2)]);
  const [window, remover] = [await fleet.worker('window', false), await fleet.worker('remover', false)];
  await window.scheduler.attach(batchId);
  const { settings } = only(await fleet.store.batch(batchId));
  const at = fleet.clock.now() - BRING_BACK_MS;
  await fleet.store.updateBatchSettings(batchId, { ...settings, shelf: { is: 'deleted', at } });
  await fleet.clock.advance(10_000);
  const remove = () => fleet.store.removeBatch(batchId, fleet.clock.now());
  expect(await remover.scheduler.removing(batchId, remove)).toBe(true);
  await fleet.clock.advance(10_000);
  await expect(window.scheduler.start(batchId)).rejects.toThrow(batchId);
  expect([fleet.sent(), fleet.bugs]).toEqual([[], []]);
});
