import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DownloadQueue } from '../../src/engine/ports/fleet.ts';
import { downloadQueue, jobSchemaOf } from '../../src/engine/store/postgres/download-queue.ts';
import { storeAddress, type StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const USER = 'queue_user';

function queueAt(address: StoreAddress, problems: string[] = []): DownloadQueue {
  const queue = downloadQueue(address, (message) => problems.push(message));
  onTestFinished(() => queue.close());
  return queue;
}

async function clientAt({ connection }: StoreAddress): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: connection });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('an offer reaches one worker, holds the number of a task alone, and is gone once it was received', async () => {
  const problems: string[] = [];
  const address = postgresAddress(temporaryFolder());
  const [one, other] = [queueAt(address, problems), queueAt(address, problems)];
  // Both make the tables.
  expect(await Promise.all([one.open(), other.open()])).toEqual([true, true]);
  await one.offer([1, 2, 3]);
  await other.offer([2, 3, 4]);
  const client = await clientAt(address);
  const jobs = () =>
    client.query<{ readonly data: unknown }>(`SELECT data FROM ${jobSchemaOf(address)}.job ORDER BY 1`);
  expect((await jobs()).rows.map(({ data }) => data)).toEqual([{ task: 1 }, { task: 2 }, { task: 3 }, { task: 4 }]);
  const first = await one.receive(2);
  const second = await other.receive(10);
  expect(first).toHaveLength(2);
  expect(new Set([...first, ...second])).toEqual(new Set([1, 2, 3, 4]));
  expect((await jobs()).rows).toEqual([]);
  // It may be offered again.
  await one.offer([1]);
  expect(await other.receive(10)).toEqual([1]);
  expect(await one.receive(10)).toEqual([]);
  expect(problems).toEqual([]);
});

test('who may make no schema is told which one to ask for, and uses it once it is there', async () => {
  const address = postgresAddress(temporaryFolder());
  const client = await clientAt(address);
  await client.query(`CREATE ROLE ${USER} LOGIN`);
  onTestFinished(async () => {
    await client.query(`DROP SCHEMA IF EXISTS ${jobSchemaOf(address)} CASCADE; DROP ROLE ${USER}`);
  });
  const url = new URL(address.connection);
  url.username = USER;
  url.searchParams.set('schema', address.schema);
  const theirs = storeAddress(url.href);
  if (!theirs.ok) throw new Error(theirs.error.message);
  const problems: string[] = [];
  const refused = queueAt(theirs.value, problems);
  expect(await refused.open()).toBe(false);
  const remedy = `CREATE SCHEMA ${jobSchemaOf(address)} AUTHORIZATION ${USER}`;
  expect(problems).toEqual([expect.stringContaining(remedy)]);
  // Without a queue, nothing is offered, and nothing breaks.
  await refused.offer([1]);
  expect(await refused.receive(1)).toEqual([]);
  await client.query(remedy);
  const queue = queueAt(theirs.value, problems);
  expect(await queue.open()).toBe(true);
  await queue.offer([7]);
  expect(await queue.receive(1)).toEqual([7]);
  expect(problems).toHaveLength(1);
});

test('a server that goes away loses nothing but offers', async () => {
  const problems: string[] = [];
  const address = postgresAddress(temporaryFolder());
  const queue = queueAt(address, problems);
  await queue.open();
  const client = await clientAt(address);
  // A connection that has begun, and asked for nothing of the schema yet, is not found at the first look.
  await vi.waitFor(
    async () => {
      await queue.offer([2]);
      const ended = await client.query(
        'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE $1 AND pid <> pg_backend_pid()',
        [`%${jobSchemaOf(address)}%`],
      );
      expect(ended.rowCount).toBeGreaterThan(0);
    },
    { timeout: 10_000 },
  );
  // The connections that were cut are noticed one by one.
  await vi.waitFor(
    async () => {
      await queue.offer([1]);
      expect(await queue.receive(5)).toContain(1);
    },
    { timeout: 10_000 },
  );
});
