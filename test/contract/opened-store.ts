import { openStore, type OpenStore } from '../../src/engine/store/open/open-store.ts';
import { seededRandom } from './task-store-fixtures.ts';

/** A store that is expected to open. */
export function openedStore(dir: string, random = seededRandom()): OpenStore {
  const opened = openStore(dir, { random });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}
