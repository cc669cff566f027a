import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type OpenStore } from '../../src/engine/store/open-store.ts';
import { seededRandom } from './task-store-fixtures.ts';

/** A folder of its own for one test, and what removes it. */
export function makeTestDir(): { readonly dir: string; readonly remove: () => void } {
  const dir = mkdtempSync(join(tmpdir(), 'nocturne-store-'));
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
}

/** A store that is expected to open. */
export function openedStore(dir: string, random = seededRandom()): OpenStore {
  const opened = openStore(dir, { random });
  if (!opened.ok) throw new Error(opened.error.message);
  return opened.value;
}

/** A new store in a folder of its own; closing it removes both. */
export function openTestStore(): OpenStore {
  const { dir, remove } = makeTestDir();
  const opened = openedStore(dir);
  return {
    ...opened,
    close() {
      opened.close();
      remove();
    },
  };
}
