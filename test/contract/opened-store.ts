import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { promisedStore, type PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import { postgresAddress } from '../support/postgres.ts';
import { seededRandom } from './task-store-fixtures.ts';

/** A store that is expected to open. */
export function openedStore(dir: string, random = seededRandom()): OpenStore {
  const opened = openStore(dir, { random });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** The same on PostgreSQL; each folder stands for a store. */
export function openedOnPostgres(dir: string, random = seededRandom()): OpenStore {
  const opened = openStore(dir, { random, server: postgresAddress(dir) });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** A store in threads of its own that is expected to open. */
export async function openedThreads(dir: string): Promise<PromisedStore> {
  const opened = await openStoreThread(dir);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** The databases that a store may be in, for tests that ask it at once, and how many runs of a property each gets. */
export const DATABASES: readonly (readonly [string, typeof openedStore, runs: number])[] = [
  ['SQLite', openedStore, 60],
  // Each question is a journey to a server.
  ['PostgreSQL', openedOnPostgres, 6],
];

/** The ways in which a program has a store: the same tests hold for all. */
export const WAYS: readonly (readonly [string, (dir: string) => Promise<PromisedStore>])[] = [
  ['at once', async (dir) => promisedStore(openedStore(dir))],
  ['in threads', openedThreads],
  ['on PostgreSQL', async (dir) => promisedStore(openedOnPostgres(dir))],
];
