import { expect, onTestFinished, test, vi } from 'vitest';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import { startCuttingProxy } from '../support/cutting-proxy.ts';
import { clusterSocket } from '../support/postgres-cluster.ts';
import { addressThrough } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { workerWorld } from '../support/worker-world.ts';
import { makeRow, newBatch } from '../contract/task-store-fixtures.ts';

const LEASE_S = 3;
/** Each statement is on its way for so long, and there are three for every 32 rows: about three leases. */
const LAG_MS = 40;
const ROWS = 2_400;
/** The import is over by then. */
const ANSWER_MS = 5_000 * LEASE_S;

test('an import that takes longer than a lease leaves workers their accounts, and what is paid for becomes known', async () => {
  const { worker, run, address, submits, paid, statuses } = await workerWorld({
    faults: [{ kind: 'slow', when: 'submit', delayMs: ANSWER_MS, probability: 1 }],
  });
  const proxy = await startCuttingProxy(clusterSocket());
  onTestFinished(() => proxy.close());
  worker('first', LEASE_S);
  const night = run(6);
  await vi.waitFor(() => expect(submits()).toBeGreaterThan(0), { timeout: 60_000, interval: 20 });
  const desk = await openStoreThread(temporaryFolder(), {
    server: addressThrough(address, proxy.port),
    isShared: true,
  });
  if (!desk.ok) throw new Error(desk.error.message);
  onTestFinished(() => desk.value.close());
  proxy.lag(LAG_MS);
  const began = performance.now();
  await desk.value.store.createBatch(newBatch({ rows: Array.from({ length: ROWS }, (_, i) => makeRow(i + 2)) }));
  expect(performance.now() - began).toBeGreaterThan(2 * LEASE_S * 1000);
  proxy.lag(0);
  // No account was lost, and taken anew.
  const epochs = (await desk.value.leases.fleet()).leases.map(({ epoch }) => epoch);
  expect(night.process.exitCode).toBeNull();
  expect(await night.ended).toMatchObject({ exitCode: 0 });
  expect(await statuses()).toMatchObject({ done: 6 });
  expect(new Set(paid()).size).toBe(6);
  expect(submits()).toBe(6);
  expect(epochs).toEqual([1, 1]);
}, 180_000);
