import { describe, expect, test } from 'vitest';
import type { BatchAccounts } from '../../src/shared/domain/task/accounts/account.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import { profileAt } from '../support/accounts-night.ts';
import { FleetNight } from '../support/fleet-night.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { profileWith, rows } from '../support/night-harness.ts';
import { accepted, rendered, RUNNING, unknownOutcome } from '../support/scripted-gateway.ts';

/** Longer than a lease. */
const LONG_MS = 60_000;

/** A batch with so many accounts, each at a gateway of its own. */
function accountsAt(count: number): Partial<BatchSettings> {
  const [first, ...others] = Array.from({ length: count }, (_, i) => {
    const name = `a${i + 1}`;
    return { name, keyName: name, profile: profileAt(name, { places: 2 }) };
  });
  if (first === undefined) throw new Error('No accounts');
  const { profile, ...terms } = first;
  const accounts: BatchAccounts = { first: terms, others };
  return { profile, accounts };
}

function numberOf<T>(all: readonly T[]): ReadonlyMap<T, number> {
  const counts = new Map<T, number>();
  for (const one of all) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

test('one worker renders a batch that somebody else has started', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(5));
  await fleet.worker('w1');
  await fleet.start(batchId);
  await fleet.untilFinished(batchId);
  expect(fleet.sent().toSorted()).toEqual(['r1', 'r2', 'r3', 'r4', 'r5']);
  expect((await fleet.tasks(batchId)).map(({ status }) => status)).toEqual(Array(5).fill('done'));
  expect(fleet.bugs).toEqual([]);
});

test('whoever has chosen the folder of a batch says which it is: an empty mount point of the first worker is not', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(3));
  const { folderIdentity: before } = (await fleet.store.batch(batchId))?.settings ?? {};
  const starter = await fleet.worker('starter', false);
  await starter.scheduler.claimFolder(batchId);
  await starter.scheduler.start(batchId);
  const { folderIdentity } = (await fleet.store.batch(batchId))?.settings ?? {};
  expect([before, folderIdentity]).toEqual([undefined, 'the folder']);
  fleet.folder.identity = 'an empty mount point';
  await fleet.worker('w1');
  await fleet.clock.advance(5 * 60_000);
  expect([fleet.sent(), fleet.folder.fetched]).toEqual([[], []]);
  fleet.folder.identity = 'the folder';
  await fleet.untilFinished(batchId);
  expect(fleet.sent()).toHaveLength(3);
});

test('accounts are shared among the workers, also with one that comes later', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(400), accountsAt(4));
  await fleet.start(batchId);
  await fleet.worker('w1');
  await fleet.clock.advance(5_000);
  expect(numberOf(Object.values(await fleet.holders()))).toEqual(new Map([['w1', 4]]));
  await fleet.worker('w2');
  await fleet.clock.advance(40_000);
  expect(numberOf(Object.values(await fleet.holders()))).toEqual(
    new Map(
      [
        ['w1', 2],
        ['w2', 2],
      ].map(([a, b]) => [a, b] as [string, number]),
    ),
  );
  await fleet.untilFinished(batchId);
  expect(fleet.sent()).toHaveLength(400);
  expect(new Set(fleet.sent()).size).toBe(400);
  expect(fleet.bugs).toEqual([]);
});

describe('the limits of an account, measured at its gateway, hold to the request while it goes from one worker to another', () => {
  const PACE = 3;
  const PLACES = 4;
  const RENDERS_MS = 1_700;

  /** What the gateway sees: requests beyond the pace, of which as many as come in a second may come at once; and places. */
  function measured(fleet: FleetNight) {
    const gateway = fleet.gatewayAt('https://gateway.example/api');
    const most = { ahead: 0, atOnce: 0 };
    const finishesAt = new Map<string, number>();
    let ahead = 0;
    let notedAt = 0;
    const note = (): number => {
      const now = fleet.clock.monotonic();
      ahead = Math.max(0, ahead - ((now - notedAt) / 1000) * PACE) + 1;
      notedAt = now;
      most.ahead = Math.max(most.ahead, ahead);
      return now;
    };
    gateway.onSubmit = (_, nth) => {
      const now = note();
      finishesAt.set(`code-${nth}`, now + RENDERS_MS);
      most.atOnce = Math.max(most.atOnce, [...finishesAt.values()].filter((at) => at > now).length);
      return accepted(`code-${nth}`);
    };
    gateway.onPoll = (code) =>
      note() < (finishesAt.get(code) ?? 0) ? RUNNING : rendered(`https://media.example/${code}.mp3`);
    return { gateway, most };
  }

  test.each(['ends', 'is killed', 'stands still', 'is cut off'] as const)('because the first one %s', async (why) => {
    const fleet = new FleetNight();
    const limits = { requestsPerSecond: PACE, activePerFamily: { musicgen: PLACES } };
    const batchId = await fleet.bringIn(rows(80), { profile: profileWith(limits) });
    await fleet.start(batchId);
    const { gateway, most } = measured(fleet);
    const first = await fleet.worker('w1');
    const second = await fleet.worker('w2');
    await fleet.clock.advanceUntil(() => gateway.submits.length >= 20);
    const [holder, other] = Object.values(await fleet.holders())[0] === 'w1' ? [first, second] : [second, first];
    if (why === 'ends') void holder.end();
    if (why === 'is killed') holder.kill();
    if (why === 'stands still') holder.stop();
    if (why === 'is cut off') holder.isCutOff = true;
    await fleet.clock.advanceUntil(() => other.posts.length >= 10);
    holder.goOn();
    holder.isCutOff = false;
    await fleet.untilFinished(batchId);
    expect(Math.min(holder.posts.length, other.posts.length)).toBeGreaterThanOrEqual(10);
    // It was made use of, or this would show nothing.
    expect(most.ahead).toBeGreaterThan(PACE - 1);
    expect(most.ahead).toBeLessThanOrEqual(PACE + 1e-6);
    expect(most.atOnce).toBe(PLACES);
    expect(new Set(fleet.sent()).size).toBe(fleet.sent().length);
    expect(fleet.bugs).toEqual([]);
  });
});

describe('a worker that is gone', () => {
  test('leaves its accounts to another one, which makes its open requests unknown', async () => {
    const fleet = new FleetNight();
    const batchId = await fleet.bringIn(rows(6));
    await fleet.start(batchId);
    const gateway = fleet.gatewayAt('https://gateway.example/api');
    gateway.onSubmit = (_, nth) => (nth === 2 ? new Promise(() => undefined) : accepted(`code-${nth}`));
    const first = await fleet.worker('w1');
    await fleet.clock.advanceUntil(() => gateway.submits.length >= 2);
    first.kill();
    await fleet.worker('w2');
    await fleet.untilFinished(batchId);
    const tasks = await fleet.tasks(batchId);
    expect(tasks.filter(({ status }) => status === 'submit-unknown')).toHaveLength(1);
    expect(tasks.filter(({ status }) => status === 'done')).toHaveLength(5);
    expect(new Set(fleet.sent()).size).toBe(6);
    expect(fleet.sent()).toHaveLength(6);
    expect(fleet.bugs).toEqual([]);
  });

  test('gives them back at once if it ends by itself', async () => {
    const fleet = new FleetNight();
    const batchId = await fleet.bringIn(rows(100));
    await fleet.start(batchId);
    const first = await fleet.worker('w1');
    await fleet.clock.advance(3_000);
    const ended = first.end();
    await fleet.clock.advance(1_000);
    expect(await ended).toEqual([]);
    expect(await fleet.holders()).toEqual({});
    expect((await fleet.leases.fleet()).workers).toEqual([]);
    await fleet.worker('w2');
    await fleet.clock.advance(1_000);
    expect(Object.values(await fleet.holders())).toEqual(['w2']);
    await fleet.untilFinished(batchId);
    expect(new Set(fleet.sent()).size).toBe(100);
    expect(fleet.sent()).toHaveLength(100);
  });
});

describe('a worker that stood still for longer than its lease, with a request out', () => {
  async function stoodStill() {
    const fleet = new FleetNight();
    const batchId = await fleet.bringIn(rows(3));
    await fleet.start(batchId);
    const gateway = fleet.gatewayAt('https://gateway.example/api');
    const first = await fleet.worker('w1');
    gateway.onSubmit = (_, nth) => {
      if (nth === 1) first.stop();
      return accepted(`code-${nth}`);
    };
    await fleet.clock.advanceUntil(() => gateway.submits.length >= 1);
    await fleet.worker('w2');
    await fleet.clock.advance(LONG_MS);
    return { fleet, batchId, first, gateway };
  }

  test('sends nothing more of what it had chosen, and its late answers are offered', async () => {
    const { fleet, batchId, first, gateway } = await stoodStill();
    const before = (await fleet.tasks(batchId)).filter(({ status }) => status === 'submit-unknown');
    expect(before.length).toBeGreaterThan(0);
    first.goOn();
    await fleet.clock.advance(5_000);
    const late = (await fleet.tasks(batchId)).filter(({ taskCode }) => taskCode === 'code-1');
    expect(late).toMatchObject([{ status: 'submit-unknown' }]);
    expect(late[0]?.failure?.message).toContain('code-1');
    expect(new Set(fleet.sent()).size).toBe(fleet.sent().length);
    // The user adopts it.
    const user = await fleet.worker('window', false);
    await user.scheduler.attach(batchId);
    if (late[0] === undefined) throw new Error('None');
    expect((await user.scheduler.adopt(late[0], 'code-1')).ok).toBe(true);
    await user.scheduler.start(batchId);
    await fleet.clock.advanceUntil(async () => (await fleet.store.taskByCode(batchId, 'code-1'))?.status === 'done');
    expect(gateway.submits.length).toBeLessThanOrEqual(3);
    expect(fleet.bugs).toEqual([]);
  });

  test('its late answer is not taken for that of a request that was sent since', async () => {
    const { fleet, batchId, first, gateway } = await stoodStill();
    const user = await fleet.worker('window', false);
    await user.scheduler.attach(batchId);
    const unknown = (await fleet.tasks(batchId)).find(({ status }) => status === 'submit-unknown');
    if (unknown === undefined) throw new Error('None');
    let answer: () => void = () => undefined;
    const sentBefore = gateway.submits.length;
    gateway.onSubmit = (_, nth) =>
      new Promise((resolve) => {
        answer = () => resolve(accepted(`code-${nth}`));
      });
    await user.scheduler.decide([{ taskId: unknown.id, event: { kind: 'user-resubmit' } }]);
    await user.scheduler.start(batchId);
    await fleet.clock.advanceUntil(() => gateway.submits.length > sentBefore);
    first.goOn();
    await fleet.clock.advance(2_000);
    answer();
    await fleet.untilFinished(batchId);
    const again = await fleet.store.task(unknown.id);
    expect(again).toMatchObject({ status: 'done', taskCode: `code-${sentBefore + 1}` });
    expect((await fleet.store.events(unknown.id)).map(({ event }) => event.kind)).toContain('code-offered');
  });
});

test('accounts of a batch that has ended are let go, and taken again for what the user makes of its rows', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(2), { profile: profileAt('a1', { places: 2 }) });
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt('https://a1.example/api');
  gateway.onSubmit = (_, nth) => (nth === 1 ? unknownOutcome() : accepted(`code-${nth}`));
  await fleet.worker('w1');
  await fleet.untilFinished(batchId);
  await fleet.clock.advance(30_000);
  expect(await fleet.holders()).toEqual({});
  const user = await fleet.worker('window', false);
  await user.scheduler.attach(batchId);
  const unknown = (await fleet.tasks(batchId)).find(({ status }) => status === 'submit-unknown');
  if (unknown === undefined) throw new Error('None');
  expect((await user.scheduler.adopt(unknown, 'code-9')).ok).toBe(true);
  await fleet.clock.advanceUntil(async () => (await fleet.store.taskByCode(batchId, 'code-9'))?.status === 'done');
  expect(fleet.bugs).toEqual([]);
});

test('a worker that is sure of an account that another one has taken sends nothing', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(300), { profile: profileAt('a1', { places: 2 }) });
  await fleet.start(batchId);
  const first = await fleet.worker('w1');
  await fleet.clock.advance(2_000);
  first.slowDown();
  first.hasNoLeases = true;
  const second = await fleet.worker('w2');
  await fleet.clock.advanceUntil(async () => Object.values(await fleet.holders()).includes('w2'));
  const sent = first.posts.length;
  await fleet.clock.advance(1_000);
  const left = (await fleet.tasks(batchId)).filter(({ status }) => status === 'queued');
  expect(left.length).toBeGreaterThan(100);
  await fleet.untilFinished(batchId);
  expect(first.posts).toHaveLength(sent);
  expect(second.posts).toHaveLength(300 - sent);
  expect(new Set(fleet.sent()).size).toBe(300);
});

test('a request whose batch was changed between the choice and the commit is not sent', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(40), { profile: profileAt('a1', { places: 1 }) });
  await fleet.start(batchId);
  const worker = await fleet.worker('w1');
  await fleet.clock.advance(3_000);
  // By another process: nothing tells the worker of it before its next look.
  await fleet.store.setBatchState(batchId, 'paused', { by: 'user' }, fleet.clock.now());
  const sent = worker.posts.length;
  await fleet.clock.advance(900);
  expect(worker.posts).toHaveLength(sent);
  await fleet.clock.advance(60_000);
  expect(worker.posts).toHaveLength(sent);
  expect(await fleet.state(batchId)).toBe('paused');
});

test('a row that the user cancels elsewhere, while its request is out, keeps its code', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(1));
  await fleet.start(batchId);
  const gateway = fleet.gatewayAt('https://gateway.example/api');
  let answer: () => void = () => undefined;
  gateway.onSubmit = () =>
    new Promise((resolve) => {
      answer = () => resolve(accepted('code-1'));
    });
  await fleet.worker('w1');
  await fleet.clock.advanceUntil(() => gateway.submits.length === 1);
  const user = await fleet.worker('window', false);
  const [task] = await fleet.tasks(batchId);
  if (task === undefined) throw new Error('None');
  await user.scheduler.decide([{ taskId: task.id, event: { kind: 'cancel-requested' } }]);
  answer();
  await fleet.clock.advance(5_000);
  expect(await fleet.store.task(task.id)).toMatchObject({ status: 'cancelled', taskCode: 'code-1' });
});

test('a limit holds for two workers that begin at the same moment', async () => {
  const fleet = new FleetNight();
  const batchId = await fleet.bringIn(rows(20), { ...accountsAt(2), maxSubmits: 3 });
  await fleet.store.setBatchState(batchId, 'paused', { by: 'user' }, fleet.clock.now());
  await fleet.worker('w1', true, 20);
  await fleet.worker('w2', true, 20);
  await fleet.clock.advance(60_000);
  expect(new Set(Object.values(await fleet.holders())).size).toBe(2);
  await fleet.start(batchId);
  await fleet.clock.advanceUntil(async () => (await fleet.state(batchId)) === 'paused');
  expect(fleet.sent()).toHaveLength(3);
  expect(new Set(fleet.workers.map(({ posts }) => posts.length > 0))).toEqual(new Set([true]));
  expect(await fleet.store.batch(batchId)).toMatchObject({ pause: { failure: { code: 'CAP_REACHED' } } });
  expect(fleet.bugs).toEqual([]);
});

test('on PostgreSQL, where each has a connection of its own, nothing is paid for twice either', async () => {
  const fleet = new FleetNight(postgresAddress(temporaryFolder()));
  const batchId = await fleet.bringIn(rows(16), { ...accountsAt(3), maxSubmits: 14 });
  const first = await fleet.worker('w1');
  const second = await fleet.worker('w2');
  await fleet.start(batchId);
  await fleet.clock.advance(3_000);
  first.kill();
  second.stop();
  await fleet.clock.advance(LONG_MS);
  await fleet.worker('w3');
  await fleet.clock.advance(10_000);
  second.goOn();
  await fleet.clock.advanceUntil(async () => (await fleet.state(batchId)) === 'paused');
  // What is rendering goes on.
  await fleet.clock.advance(10_000);
  expect(fleet.sent()).toHaveLength(14);
  expect(new Set(fleet.sent()).size).toBe(14);
  expect((await fleet.tasks(batchId)).filter(({ status }) => status === 'done')).toHaveLength(14);
  expect(fleet.bugs).toEqual([]);
}, 60_000);
