import { beforeEach, expect, test } from 'vitest';
import type { LeaseStore } from '../../src/engine/fleet-ports.ts';
import { only } from './task-store-fixtures.ts';

/** A store with leases, and its one clock. */
export interface LeasesUnderTest {
  readonly leases: LeaseStore;
  /** Lets time pass on the store's clock. */
  readonly pass: (ms: number) => Promise<void>;
}

const ACCOUNT = 'https://gateway.example key-1';
const FOR_MS = 30_000;

/** What holds for the leases of every store. */
export function testLeases(open: () => Promise<LeasesUnderTest>): void {
  let leases: LeaseStore;
  let pass: LeasesUnderTest['pass'];
  beforeEach(async () => ({ leases, pass } = await open()));

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
    expect(workers).toEqual([{ holder: 'a', wishes: [] }]);
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

  test('any text is the name of an account or of a worker', async () => {
    const odd = `o'hara; "quoted" ?1 $2 \\ %\t\u{1F319}`;
    expect(await leases.take(odd, odd, FOR_MS)).toEqual({ account: odd, epoch: 1 });
    expect(await leases.renew(odd, [{ account: odd, epoch: 1 }], FOR_MS, [odd])).toMatchObject({
      workers: [{ holder: odd, wishes: [odd] }],
      leases: [{ account: odd, holder: odd }],
    });
  });
}
