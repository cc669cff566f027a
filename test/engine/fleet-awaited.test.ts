/** A request that was paid for belongs to whoever waits for its answer, whatever becomes of leases and of the store meanwhile. */
import { expect, test } from 'vitest';
import type { SubmitReport } from '../../src/engine/ports/media-gateway.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { BatchAccounts } from '../../src/shared/domain/task/accounts/account.ts';
import { only } from '../contract/task-store-fixtures.ts';
import { profileAt } from '../support/accounts-night.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { rows } from '../support/night-harness.ts';
import { accepted } from '../support/scripted-gateway.ts';

const GATEWAY = 'https://gateway.example/api';

async function sentFor(answerMs: number) {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(1));
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  gateway.onSubmit = (_, nth) =>
    new Promise((resolve) => {
      fleet.clock.setTimer(answerMs, () => resolve(accepted(`code-${nth}`)));
    });
  const worker = await fleet.worker('w1');
  await fleet.clock.advanceUntil(() => gateway.submits.length === 1);
  return { fleet, batchId, worker };
}

test('a worker that ends keeps its account until the answer that it waits for has come', async () => {
  const { fleet, batchId, worker } = await sentFor(60_000);
  await fleet.worker('w2');
  const ended = worker.end();
  await fleet.clock.advance(55_000);
  expect(Object.values(await fleet.holders())).toEqual(['w1']);
  await fleet.clock.advance(10_000);
  expect(await ended).toEqual([]);
  await fleet.untilFinished(batchId);
  expect((await fleet.tasks(batchId)).map(({ status, taskCode }) => [status, taskCode])).toEqual([['done', 'code-1']]);
  expect(fleet.bugs).toEqual([]);
});

test.each([27_000, 33_000, 40_000])(
  'a worker that lost its way to the store for %i ms records the answer that came',
  async (awayMs) => {
    for (const answerMs of [10_000, 90_000]) {
      const { fleet, batchId, worker } = await sentFor(answerMs);
      worker.isCutOff = true;
      await fleet.clock.advance(awayMs);
      worker.isCutOff = false;
      await fleet.clock.advance(120_000);
      await fleet.untilFinished(batchId);
      expect((await fleet.tasks(batchId)).map(({ status, taskCode }) => [status, taskCode])).toEqual([
        ['done', 'code-1'],
      ]);
      expect(fleet.sent()).toEqual(['r1']);
    }
  },
);

test('an answer from before another worker had the account is not taken for that of a later request', async () => {
  const { fleet, batchId, worker } = await sentFor(1_200_000);
  const task = only((await fleet.tasks(batchId))[0]);
  worker.isCutOff = true;
  const second = await fleet.worker('w2');
  await fleet.clock.advanceUntil(async () => (await fleet.store.task(task.id))?.status === 'submit-unknown');
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  await user.scheduler.decide([{ taskId: task.id, event: { kind: 'user-resubmit' } }]);
  await user.scheduler.start(batchId);
  await fleet.clock.advanceUntil(() => fleet.sent().length === 2);
  second.kill();
  worker.isCutOff = false;
  await fleet.clock.advance(1_300_000);
  // Nobody waits for the second any more.
  expect(await fleet.store.task(task.id)).toMatchObject({ status: 'submit-unknown', attempts: 2 });
  expect(fleet.sent()).toHaveLength(2);
});

test('what the store has noted without saying so is not sent, and is not held up', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(30), { profile: profileAt('a1', { places: 2 }) });
  await fleet.start(batchId);
  const worker = await fleet.worker('w1');
  await fleet.clock.advance(2_000);
  const sent = fleet.sent().length;
  expect(sent).toBeGreaterThan(0);
  worker.unconfirmed = 1;
  await fleet.untilFinished(batchId);
  expect(worker.unconfirmed).toBe(0);
  expect((await fleet.tasks(batchId)).map(({ status }) => status)).toEqual(Array(30).fill('done'));
  expect(fleet.sent()).toHaveLength(30);
});

test('an account is not given back while its paid requests are being committed', async () => {
  const fleet = new FleetNight();
  const settings = (name: string) => ({ profile: profileAt(name, { places: 2 }) });
  const batchIds = [await fleet.bringIn(rows(400), settings('a1')), await fleet.bringIn(rows(400), settings('a2'))];
  for (const batchId of batchIds) await fleet.start(batchId);
  const first = await fleet.worker('w1');
  await fleet.clock.advance(4_000);
  await fleet.worker('w2');
  first.confirmsAfterMs = 12_000;
  await fleet.clock.advance(60_000);
  first.confirmsAfterMs = 0;
  await fleet.clock.advance(20_000);
  expect(new Set(Object.values(await fleet.holders()))).toEqual(new Set(['w1', 'w2']));
  const tasks = (await Promise.all(batchIds.map((batchId) => fleet.tasks(batchId)))).flat();
  expect(tasks.filter(({ status }) => status === 'submit-unknown')).toEqual([]);
});

test('a late code is offered once the outcome of its request counts as unknown', async () => {
  const { fleet, batchId, worker } = await sentFor(60_000);
  worker.hasNoLeases = true;
  const second = await fleet.worker('w2', true);
  // It has taken the account, and does not come to look into it.
  second.lost.add('tasksByStatus');
  await fleet.clock.advance(70_000);
  expect(Object.values(await fleet.holders())).toEqual(['w2']);
  expect((await fleet.tasks(batchId))[0]?.status).toBe('submitting');
  second.lost.clear();
  await fleet.clock.advance(60_000);
  expect((await fleet.tasks(batchId))[0]).toMatchObject({ status: 'submit-unknown', taskCode: 'code-1' });
});

/** A batch of one row that is started with a key, which another one may take the place of. */
async function paidWithOld() {
  const fleet = new FleetNight();
  const profile = profileAt('a1', { places: 2 });
  const keyed = (keyName: string): BatchAccounts => ({ first: { name: 'a1', keyName }, others: [] });
  const bringIn = () => fleet.bringIn(rows(1), { profile, accounts: keyed('old') });
  const batchId = await bringIn();
  await fleet.start(batchId);
  const payWithNew = async () => {
    const { settings } = only(await fleet.store.batch(batchId));
    await fleet.store.updateBatchSettings(batchId, { ...settings, accounts: keyed('new') });
  };
  return { fleet, batchId, gateway: fleet.gatewayAt(profile.baseUrl), bringIn, payWithNew };
}

/** A request of w1 that stays without an answer, sent with a key that its batch then no longer pays with; w2 has the new one. */
async function sentWithFormerKey() {
  const { fleet, batchId, gateway, payWithNew } = await paidWithOld();
  gateway.onSubmit = () => new Promise(() => undefined);
  fleet.keyless.add('w1 new').add('w2 old');
  const first = await fleet.worker('w1');
  await fleet.clock.advanceUntil(() => gateway.submits.length === 1);
  await payWithNew();
  const second = await fleet.worker('w2');
  await fleet.clock.advanceUntil(async () => Object.values(await fleet.holders()).includes('w2'));
  await fleet.clock.advance(2_000);
  return { fleet, batchId, first, second };
}

test('a request that was sent with another key is looked at until its worker is gone, and then counts as unknown', async () => {
  const { fleet, batchId, first } = await sentWithFormerKey();
  first.kill();
  await fleet.clock.advance(120_000);
  expect((await fleet.tasks(batchId))[0]?.status).toBe('submit-unknown');
});

test('a worker that ends names no request as not saved whose answer another waits for, and its own all the same', async () => {
  const { fleet, first, second } = await sentWithFormerKey();
  const ended = Promise.all([second.end(), first.end()]);
  await fleet.clock.advance(300_000);
  expect(await ended).toEqual([[], [{ batchId: expect.anything() as unknown, row: 'r1', take: 1, kind: 'submit' }]]);
});

/** The same for one worker that has both keys; meanwhile, it has lost its way to the store, and with it the lease. */
async function sentWithLostKey(answer: SubmitReport) {
  const { fleet, batchId, gateway, bringIn, payWithNew } = await paidWithOld();
  gateway.onSubmit = () =>
    new Promise((resolve) => {
      fleet.clock.setTimer(120_000, () => resolve(answer));
    });
  const worker = await fleet.worker('w1');
  await fleet.clock.advanceUntil(() => gateway.submits.length === 1);
  worker.isCutOff = true;
  await fleet.clock.advance(40_000);
  await payWithNew();
  /** Another worker takes the former account, for a batch of its own. */
  const takenBy = async (name: string) => {
    fleet.keyless.add(`${name} new`);
    const other = await bringIn();
    await fleet.start(other);
    const taker = await fleet.worker(name);
    await fleet.clock.advanceUntil(async () => Object.values(await fleet.holders()).includes(name));
    return taker;
  };
  return { fleet, batchId, worker, takenBy, task: async () => only((await fleet.tasks(batchId))[0]) };
}

test('a worker that has both keys waits for what it sent with the former one, whatever became of that lease', async () => {
  const { fleet, batchId, worker, task } = await sentWithLostKey(accepted('code-1'));
  worker.isCutOff = false;
  await fleet.clock.advance(120_000);
  await fleet.untilFinished(batchId);
  expect(await task()).toMatchObject({ status: 'done', taskCode: 'code-1' });
});

test('what it sent with a former key that another worker has by now is settled once that one is gone', async () => {
  const why = failure('INPUT_INVALID', 'No.');
  const { fleet, worker, takenBy, task } = await sentWithLostKey({ outcome: { kind: 'rejected', failure: why } });
  const taker = await takenBy('w2');
  worker.isCutOff = false;
  await fleet.clock.advance(120_000);
  expect((await task()).status).toBe('submitting');
  taker.kill();
  await fleet.clock.advance(120_000);
  expect(await task()).toMatchObject({ status: 'failed', failure: { message: 'No.' } });
});
