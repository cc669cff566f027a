import { openStore, type OpenStore } from '../../src/engine/store/open/open-store.ts';
import { promisedStore, type PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import { seededRandom } from './task-store-fixtures.ts';

/** A store that is expected to open. */
export function openedStore(dir: string, random = seededRandom()): OpenStore {
  const opened = openStore(dir, { random });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** A store in threads of its own that is expected to open. */
export async function openedThreads(dir: string): Promise<PromisedStore> {
  const opened = await openStoreThread(dir);
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** The ways in which a program has a store: the same tests hold for both. */
export const WAYS: readonly (readonly [string, (dir: string) => Promise<PromisedStore>])[] = [
  ['at once', async (dir) => promisedStore(openedStore(dir))],
  ['in threads', openedThreads],
];
