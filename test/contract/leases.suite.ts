import { beforeEach, describe, expect, test } from 'vitest';
import type { Fence, LeaseStore } from '../../src/engine/ports/fleet.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import { gatewayKey, type BatchSettings } from '../../src/shared/domain/task/batch.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';

/** A store with leases, and its one clock. */
export interface LeasesUnderTest {
  readonly leases: LeaseStore;
  readonly store: TaskStore;
  /** Lets time pass on the store's clock. */
  readonly pass: (ms: number) => Promise<void>;
}

const ACCOUNT = 'https://gateway.example key-1';
const FOR_MS = 30_000;

/** What holds for the leases of every store. */
export function testLeases(open: () => Promise<LeasesUnderTest>): void {
  let leases: LeaseStore;
  let store: TaskStore;
  let pass: LeasesUnderTest['pass'];
  beforeEach(async () => ({ leases, store, pass } = await open()));

  const take = async (holder: string, account = ACCOUNT) => only(await leases.take(holder, account, FOR_MS));

  const living = async () => (await leases.fleet()).workers.map(({ holder }) => holder);

  test('an account has one holder at a time', async () => {
    expect(await leases.take('a', ACCOUNT, FOR_MS)).toEqual({ account: ACCOUNT, epoch: 1 });
    expect(await leases.take('b', ACCOUNT, FOR_MS)).toBeUndefined();
    expect(await leases.take('b', 'another', FOR_MS)).toEqual({ account: 'another', epoch: 1 });
    expect((await leases.fleet()).leases.map(({ account, holder }) => [account, holder])).toEqual([
      ['another', 'b'],
      [ACCOUNT, 'a'],
    ]);
  });

  test('one that has ended is taken with a higher epoch', async () => {
    await take('a');
    await pass(FOR_MS - 1);
    expect(await leases.take('b', ACCOUNT, FOR_MS)).toBeUndefined();
    await pass(1);
    expect(await leases.take('b', ACCOUNT, FOR_MS)).toEqual({ account: ACCOUNT, epoch: 2 });
  });

  test('a renewal holds for the whole time from then on', async () => {
    const held = await take('a');
    await pass(FOR_MS - 1);
    const { at, leases: now, workers } = await leases.renew('a', [held], FOR_MS);
    expect(now).toEqual([{ ...held, holder: 'a', until: at + FOR_MS }]);
    expect(workers).toEqual([{ holder: 'a', wishes: [], since: at, seen: at }]);
    await pass(FOR_MS - 1);
    expect(await leases.take('b', ACCOUNT, FOR_MS)).toBeUndefined();
  });

  test('a lease that has ended is not renewed, even if nobody has taken it', async () => {
    const held = await take('a');
    await pass(FOR_MS);
    expect((await leases.renew('a', [held], FOR_MS)).leases).toEqual([]);
    expect(await leases.take('b', ACCOUNT, FOR_MS)).toEqual({ account: ACCOUNT, epoch: 2 });
  });

  test('whoever has lost an account neither renews it nor gives it back', async () => {
    const lost = await take('a');
    await pass(FOR_MS);
    const held = await take('b');
    await leases.renew('a', [lost], 10 * FOR_MS);
    await leases.release('a', [lost]);
    // Nor with the epoch of the other one.
    await leases.renew('a', [held], 10 * FOR_MS);
    await leases.release('a', [held]);
    const { leases: now } = await leases.fleet();
    expect(now.map(({ holder, epoch }) => [holder, epoch])).toEqual([['b', 2]]);
    await pass(FOR_MS);
    expect((await leases.fleet()).leases).toEqual([]);
  });

  test('what is given back is free at once, and whoever takes it next has a higher epoch', async () => {
    await leases.release('a', [await take('a')]);
    expect((await leases.fleet()).leases).toEqual([]);
    expect(await take('b')).toEqual({ account: ACCOUNT, epoch: 2 });
  });

  test('a worker may take its own account once more: what it began before is of an earlier epoch', async () => {
    const before = await take('a');
    const now = await take('a');
    expect(now.epoch).toBe(before.epoch + 1);
    expect((await leases.renew('a', [before], 10 * FOR_MS)).leases.map(({ epoch }) => epoch)).toEqual([now.epoch]);
    await pass(FOR_MS);
    expect((await leases.fleet()).leases).toEqual([]);
  });

  test('whoever takes an account goes on with the pace that its last holder has left', async () => {
    const held = await take('a');
    await leases.renew('a', [{ ...held, pace: { waitMs: 50_000, share: 0.25 } }], FOR_MS);
    await pass(FOR_MS);
    const taken = await take('b');
    expect(taken).toEqual({ account: ACCOUNT, epoch: 2, pace: { waitMs: 20_000, share: 0.25 } });
    // Of one who has lost it, nothing counts; what says nothing leaves it as it is.
    await leases.renew('a', [{ ...held, pace: { waitMs: 0, share: 1 } }], FOR_MS);
    await leases.release('b', [{ account: ACCOUNT, epoch: 2 }]);
    const third = await take('c');
    expect(third.pace).toEqual({ waitMs: 20_000, share: 0.25 });
    await leases.release('c', [{ ...third, pace: { waitMs: 0, share: 1 } }]);
    expect(await take('d')).toEqual({ account: ACCOUNT, epoch: 4 });
  });

  test('a worker lives as long as it says so, or until it leaves', async () => {
    await leases.renew('a', [], FOR_MS);
    await leases.renew('b', [], FOR_MS);
    expect(await living()).toEqual(['a', 'b']);
    await pass(FOR_MS - 1);
    await leases.renew('b', [], FOR_MS);
    await pass(1);
    expect(await living()).toEqual(['b']);
    await leases.leave('b');
    expect(await living()).toEqual([]);
  });

  test('of a worker it is known since when it lives, when it was heard of, and what is wrong with its clock', async () => {
    const { at: since } = await leases.renew('a', [], FOR_MS, { clockAheadMs: -61_000.5 });
    await pass(FOR_MS - 1);
    const { at: seen, workers } = await leases.renew('a', [], FOR_MS, { clockAheadMs: 47_000 });
    expect(workers).toEqual([{ holder: 'a', wishes: [], since, seen, clockAheadMs: 47_000 }]);
    await leases.renew('a', [], FOR_MS);
    expect((await leases.fleet()).workers[0]).not.toHaveProperty('clockAheadMs');
    // One that has left and comes again lives since then.
    await leases.leave('a');
    const { at: again, workers: now } = await leases.renew('a', [], FOR_MS);
    expect(now).toEqual([{ holder: 'a', wishes: [], since: again, seen: again }]);
  });

  test('any text is the name of an account or of a worker', async () => {
    const odd = `o'hara; "quoted" ?1 $2 \\ %\t\u{1F319}`;
    expect(await leases.take(odd, odd, FOR_MS)).toEqual({ account: odd, epoch: 1 });
    expect(await leases.renew(odd, [{ account: odd, epoch: 1 }], FOR_MS, { wishes: [odd] })).toMatchObject({
      workers: [{ holder: odd, wishes: [odd] }],
      leases: [{ account: odd, holder: odd }],
    });
  });

  describe('a change that names its right', () => {
    const PRICE = { amount: 2, currency: 'EUR' };
    let tasks: readonly Task[];
    let revision: number;
    let batchId: string;

    async function running(different: Partial<BatchSettings> = {}): Promise<void> {
      const made = newBatch({ rows: [makeRow(2), makeRow(3), makeRow(4)], settings: settings(different) });
      batchId = (await store.createBatch(made)).id;
      revision = only(await store.setBatchState(batchId, 'running', undefined, NOW));
      tasks = await listOf(store.tasksByStatus(['queued'], batchId));
    }
    /** As chosen by a worker that has read the batch as it was started. */
    const intent = (task: Task | undefined, under: Fence, more: object = {}) =>
      change(only(task), { status: 'submitting' }, { openAttempt: { ...INTENT, ...more }, under, terms: { revision } });

    test('is written while it holds, and refused once another one has taken the account', async () => {
      await running();
      const first = await take('a');
      expect(await store.commit([intent(tasks[0], first)])).toEqual(['committed']);
      await pass(FOR_MS);
      const second = await take('b');
      const answer = { answeredAt: NOW, outcome: 'accepted' } as const;
      const sent = only(await store.task(only(tasks[0]).id));
      const late = change(sent, { status: 'rendering', taskCode: 'c' }, { closeAttempt: answer, under: first });
      expect(await store.commit([late])).toEqual(['lease-lost']);
      expect(await store.task(sent.id)).toEqual(sent);
      expect(await store.attempts(sent.id)).toMatchObject([{ id: expect.any(Number) as number }]);
      expect((await store.attempts(sent.id))[0]).not.toHaveProperty('answeredAt');
      expect(await store.commit([{ ...late, under: second }])).toEqual(['committed']);
    });

    test('of a download is written by one worker at a time, and no right to one comes twice', async () => {
      await running();
      const { id } = only(tasks[0]);
      // Nothing is left to fetch of what waits.
      expect(await leases.takeDownload('a', id, FOR_MS)).toBeUndefined();
      const before = only(await store.task(id));
      expect(await store.commit([change(before, { status: 'downloading' })])).toEqual(['committed']);
      const first = only(await leases.takeDownload('a', id, FOR_MS));
      expect(first.task).toMatchObject({ id, status: 'downloading' });
      expect(await leases.takeDownload('a', id, FOR_MS)).toBeUndefined();
      expect(await leases.takeDownload('b', id, FOR_MS)).toBeUndefined();
      // It is no account: nobody's share depends on it.
      expect((await leases.fleet()).leases).toEqual([]);
      await pass(FOR_MS);
      expect(await leases.renewDownloads('a', [first.fence], FOR_MS)).toEqual([]);
      const second = only(await leases.takeDownload('b', id, FOR_MS));
      expect(await leases.renewDownloads('b', [first.fence, second.fence], FOR_MS)).toEqual([second.fence]);
      const placed = change(second.task, { status: 'done' }, { under: first.fence });
      expect(await store.commit([placed])).toEqual(['lease-lost']);
      await leases.releaseDownloads('a', [first.fence]);
      expect(await store.commit([{ ...placed, under: second.fence }])).toEqual(['committed']);
      await leases.releaseDownloads('b', [second.fence]);
      expect(await leases.takeDownload('a', id, FOR_MS)).toBeUndefined();
      // The user has it rendered again: whoever had it before still writes nothing.
      expect(await store.commit([change(only(await store.task(id)), { status: 'downloading' })])).toEqual([
        'committed',
      ]);
      const third = only(await leases.takeDownload('c', id, FOR_MS));
      for (const { fence } of [first, second]) expect(third.fence.epoch).toBeGreaterThan(fence.epoch);
    });

    test('intends no paid request once its lease has ended, but records an answer while nobody has taken it', async () => {
      await running();
      const held = await take('a');
      expect(await store.commit([intent(tasks[0], held)])).toEqual(['committed']);
      await pass(FOR_MS);
      expect(await store.commit([intent(tasks[1], held)])).toEqual(['lease-lost']);
      const sent = only(await store.task(only(tasks[0]).id));
      const closeAttempt = { answeredAt: NOW, outcome: 'accepted' } as const;
      const answer = change(sent, { status: 'rendering', taskCode: 'c' }, { closeAttempt, under: held });
      expect(await store.commit([answer])).toEqual(['committed']);
    });

    test('intends no paid request of a batch that was paused, or changed, since it was read', async () => {
      await running();
      const held = await take('a');
      const now = only(await store.updateBatchSettings(batchId, settings({ fuse: 3 })));
      expect(now).toBe(revision + 1);
      expect(await store.commit([intent(tasks[0], held)])).toEqual(['batch-changed']);
      revision = now;
      expect(await store.commit([intent(tasks[0], held)])).toEqual(['committed']);
      revision = only(await store.setBatchState(batchId, 'paused', { by: 'user' }, NOW));
      expect(await store.commit([intent(tasks[1], held)])).toEqual(['batch-changed']);
    });

    test.each([
      ['requests of a batch', { maxSubmits: 2 }, {}],
      ['money of a batch', { maxCost: { amount: 5, currency: 'EUR' } }, {}],
      ['requests of a night', {}, { night: { requests: 2 } }],
      ['requests of a door that started the batch', { ceiling: { requests: 2 } }, {}],
      ['money of a door that started the batch', { ceiling: { cost: { amount: 5, currency: 'EUR' } } }, {}],
      ['money of a month', {}, { month: { cost: { amount: 5, currency: 'EUR' } } }],
    ] as const)('passes no limit of %s, in one transaction or in several', async (_, own, limits) => {
      await store.setSpendingLimits(limits);
      await running(own);
      const held = await take('a');
      const [first, second, third] = tasks.map((task) => intent(task, held, { price: PRICE }));
      expect(await store.commit([only(first)])).toEqual(['committed']);
      expect(await store.commit([only(second), only(third)])).toEqual(['committed', 'over-limit']);
      expect(await store.commit([only(third)])).toEqual(['over-limit']);
      // What turns out to be free makes room again.
      const sent = only(await store.task(only(tasks[0]).id));
      const refused = change(sent, { status: 'failed' }, { closeAttempt: { answeredAt: NOW, outcome: 'rejected' } });
      expect(await store.commit([refused, only(third)])).toEqual(['committed', 'committed']);
    });

    test('is not sent again under its key where another process has found the gateway to charge twice', async () => {
      await running();
      const held = await take('a');
      const { settings: own } = only(await store.batch(batchId));
      const idempotency = { header: 'Idempotency-Key', key: 'key-1', baseUrl: own.profile.baseUrl };
      const at = NOW;
      const proof = { gateway: gatewayKey(batchId, own), header: 'idempotency-key', verdict: 'refuted', at } as const;
      expect(await store.commit([intent(tasks[0], held, { idempotency, isAgain: true })])).toEqual(['committed']);
      const sent = only(await store.task(only(tasks[0]).id));
      const closeAttempt = { answeredAt: NOW, outcome: 'unknown' } as const;
      expect(await store.commit([change(sent, { status: 'submit-unknown' }, { closeAttempt, proof })])).toEqual([
        'committed',
      ]);
      expect(await store.commit([intent(tasks[1], held, { idempotency, isAgain: true })])).toEqual(['key-refuted']);
      expect(await store.commit([intent(tasks[1], held, { idempotency })])).toEqual(['committed']);
    });
  });

  test('an answer that kept the word about keys outweighs none that broke it, unless it is a probe made since', async () => {
    const proofAt = async (
      verdict: 'passed' | 'refuted',
      batch: Parameters<typeof newBatch>[0],
      at: number,
    ): Promise<void> => {
      const { id, settings: own } = await store.createBatch(newBatch({ rows: [makeRow(2)], ...batch }));
      const task = only((await store.tasksOfRow(id, 'r2'))[0]);
      const proof = { gateway: gatewayKey(id, own), header: 'idempotency-key', verdict, at };
      expect(await store.commit([change(task, {}, { proof })])).toEqual(['committed']);
    };
    const verdicts = async () => (await store.idempotencyProofs()).map(({ verdict }) => verdict);
    await proofAt('passed', {}, NOW);
    await proofAt('refuted', {}, NOW + 1);
    // Of a worker that does not know it yet.
    await proofAt('passed', {}, NOW + 2);
    expect(await verdicts()).toEqual(['refuted']);
    await proofAt('passed', { settings: settings({ probe: true }), createdAt: NOW }, NOW + 3);
    expect(await verdicts()).toEqual(['refuted']);
    await proofAt('passed', { settings: settings({ probe: true }), createdAt: NOW + 4 }, NOW + 5);
    expect(await verdicts()).toEqual(['passed']);
  });

  test('a state or settings that were read before another change are not written', async () => {
    const { id, revision } = await store.createBatch(newBatch({ rows: [makeRow(2)] }));
    const running = only(await store.setBatchState(id, 'running', undefined, NOW, [], undefined, revision));
    expect(await store.setBatchState(id, 'paused', { by: 'user' }, NOW, [], undefined, revision)).toBeUndefined();
    expect(await store.updateBatchSettings(id, settings({ fuse: 9 }), 'other', revision)).toBeUndefined();
    expect(await store.batch(id)).toMatchObject({ state: 'running', name: 'night', revision: running });
    // Something of it may still be sent, whatever this process believes.
    expect(await store.setBatchState(id, 'finished', undefined, NOW, [], undefined, running)).toBeUndefined();
    const [task] = await listOf(store.tasksByStatus(['queued'], id));
    await store.commit([change(only(task), { status: 'done' })]);
    expect(await store.setBatchState(id, 'finished', undefined, NOW, [], undefined, running)).toBe(running + 1);
  });
}
