/** What another process does to the same batches counts here, too, even if this one hears of it late. */
import { expect, test } from 'vitest';
import { gatewayKey } from '../../src/shared/domain/task/batch.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { only } from '../contract/task-store-fixtures.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { profileAt } from '../support/accounts-night.ts';
import { profileWith, rows } from '../support/night-harness.ts';
import { unknownOutcome } from '../support/scripted-gateway.ts';

const GATEWAY = 'https://gateway.example/api';

test('a request is not sent again under its key once another process has found that its gateway charges twice', async () => {
  const fleet = new FleetNight();
  const idempotency = { header: 'Idempotency-Key', onDuplicate: 'replay', keepHours: 24 } as const;
  const batchId = await fleet.bringIn(rows(1), { profile: { ...profileWith(), idempotency } });
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  gateway.onSubmit = () => unknownOutcome();
  await fleet.worker('w1');
  await fleet.clock.advanceUntil(async () => (await fleet.tasks(batchId))[0]?.status === 'submit-unknown');
  const sent = gateway.submits.length;
  const task = only((await fleet.tasks(batchId))[0]);
  const { settings } = only(await fleet.store.batch(batchId));
  const at = fleet.clock.now();
  // As with the answer to a request of another process.
  const proof = { gateway: gatewayKey(batchId, settings), header: 'idempotency-key', verdict: 'refuted', at } as const;
  const next = { ...task, revision: task.revision + 1 };
  const event = { kind: 'code-offered', taskCode: 'code-1' } as const;
  const change = { expectedRevision: task.revision, next, event, at, proof };
  expect(await fleet.store.commit([change])).toEqual(['committed']);
  await fleet.clock.advance(3 * 3_600_000);
  expect(gateway.submits).toHaveLength(sent);
  expect(only((await fleet.tasks(batchId))[0]).failure?.message).toContain('charge twice');
  expect(fleet.bugs).toEqual([]);
});

test('an edit of the sheet here does not undo what another process has set at the same time', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(3));
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  const { settings } = only(await fleet.store.batch(batchId));
  await fleet.store.updateBatchSettings(batchId, { ...settings, maxSubmits: 1 });
  await user.scheduler.sheetChanged(batchId);
  await user.scheduler.configure(batchId, (batch) => ({ ...batch.settings, priority: 3 }));
  expect((await fleet.store.batch(batchId))?.settings).toMatchObject({ maxSubmits: 1, priority: 3 });
});

test('news that could not be taken over at once is taken over later', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(1));
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt(GATEWAY);
  gateway.onSubmit = () => unknownOutcome();
  const worker = await fleet.worker('w1');
  await fleet.clock.advanceUntil(async () => (await fleet.tasks(batchId))[0]?.status === 'submit-unknown');
  await fleet.clock.advance(3_000);
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  worker.lost.add('spendingLimits');
  expect((await user.scheduler.adopt(only((await fleet.tasks(batchId))[0]), 'code-1')).ok).toBe(true);
  await fleet.clock.advance(3_000);
  worker.lost.clear();
  await fleet.clock.advance(3_600_000);
  expect((await fleet.tasks(batchId)).map(({ status }) => status)).toEqual(['done']);
});

test('a start that did not reach the store does not undo what the user has said elsewhere since', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(50), { profile: profileAt('a1', { places: 1 }) });
  await fleet.start(batchId);
  await fleet.worker('w1');
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  await user.scheduler.pauseByUser(batchId);
  user.isCutOff = true;
  const started = user.scheduler.start(batchId).catch(() => undefined);
  await fleet.clock.advance(60_000);
  await fleet.start(batchId);
  await fleet.clock.advance(5_000);
  await fleet.store.setBatchState(batchId, 'paused', { by: 'user' }, fleet.clock.now());
  await fleet.clock.advance(10_000);
  const sent = fleet.sent().length;
  user.isCutOff = false;
  await fleet.clock.advance(60_000);
  await started;
  expect(await fleet.state(batchId)).toBe('paused');
  expect(fleet.sent()).toHaveLength(sent);
});

test('a batch that is resumed in a window has all of its fuse again', async () => {
  const fleet = new FleetNight();
  const profile = profileAt('a1', { places: 1 });
  const batchId = await fleet.bringIn(rows(60), { fuse: 4, profile });
  await fleet.start(batchId);
  const why = failure('INPUT_INVALID', 'No.');
  fleet.gatewayAt(profile.baseUrl).onSubmit = () => ({ outcome: { kind: 'rejected', failure: why } });
  await fleet.worker('w1');
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  const counts: number[] = [];
  for (let i = 0; i < 3; i += 1) {
    await fleet.clock.advanceUntil(async () => (await fleet.state(batchId)) === 'paused');
    counts.push(fleet.sent().length);
    await fleet.clock.advance(3_000);
    await user.scheduler.start(batchId);
  }
  expect(counts).toEqual([4, 8, 12]);
});

test('a pause holds also for a batch that was started elsewhere a moment ago', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(3));
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  await fleet.start(batchId);
  await user.scheduler.pauseByUser(batchId);
  expect(await fleet.state(batchId)).toBe('paused');
});

test('a batch of which the accounts cannot be told keeps no other from being rendered', async () => {
  const fleet = new FleetNight();
  const broken = await fleet.bringIn(rows(1), { profile: { ...profileWith(), baseUrl: 'nowhere' } });
  const batchId = await fleet.bringIn(rows(3));
  await fleet.start(broken);
  await fleet.start(batchId);
  await fleet.worker('w1');
  await fleet.untilFinished(batchId);
  expect(fleet.sent()).toEqual(['r1', 'r2', 'r3']);
});
