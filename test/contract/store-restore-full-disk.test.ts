import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, type TestContext } from 'vitest';
import { backupStore, openStore } from '../../src/engine/store/open/open-store.ts';
import { inspectBackup, restoreStore } from '../../src/engine/store/open/restore-store.ts';
import { mountSmallDisk } from '../faults/tmpfs.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newBatch, NOW, seededRandom } from './task-store-fixtures.ts';

const DISK_MIB = 4;
const STEP_KIB = 32;
/** Longer than a step, so that it can be half written. */
const LIST = 'owl\n'.repeat(20_000);

/** Leaves so much room on a disk that has so much of it. */
function leave(kibibytes: number, filler: string): void {
  const file = openSync(filler, 'w');
  const page = Buffer.alloc(4096);
  try {
    for (;;) writeSync(file, page);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error;
  } finally {
    closeSync(file);
  }
  const kept = readFileSync(filler).length - kibibytes * 1024;
  rmSync(filler);
  writeFileSync(filler, Buffer.alloc(kept));
}

/** Left by whoever opens a store: its lock, and a log that is empty where there was no room for its index. */
const OF_OPENING = /owner\.lock$|nocturne\.db-(?:wal|shm)$/u;

/** What is in an application's folder: the store counts by what it says, as its log may have been merged into it. */
function found(folder: string) {
  const dir = join(folder, 'store');
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !OF_OPENING.test(name));
  return {
    names: names.toSorted((a, b) => a.localeCompare(b)),
    settings: readFileSync(join(folder, 'settings.json'), 'utf8'),
    animals: readFileSync(join(dir, 'lists/animals.txt'), 'utf8'),
    store: inspectBackup(join(dir, 'nocturne.db')),
  };
}

test('a disk that is full at any moment of a restore loses nothing: it is refused, and the store is as it was', async (context: TestContext) => {
  const disk = mountSmallDisk(context, DISK_MIB);
  if (disk === undefined) return context.skip('a small disk can be mounted by root only');
  const folder = join(disk.path, 'application');
  const dir = join(folder, 'store');
  mkdirSync(join(dir, 'lists'), { recursive: true });
  const opened = openStore(dir, { random: seededRandom() });
  if (!opened.ok) throw new Error(opened.error.message);
  opened.value.store.createBatch(newBatch());
  writeFileSync(join(dir, 'lists/animals.txt'), LIST);
  writeFileSync(join(folder, 'settings.json'), '{"theme":"dark"}');
  const backup = join(temporaryFolder(), 'all.db');
  await backupStore(dir, backup);
  opened.value.store.createBatch(newBatch({ name: 'later' }));
  opened.value.close();
  writeFileSync(join(dir, 'lists/animals.txt'), LIST.replaceAll('owl', 'cat'));
  writeFileSync(join(folder, 'settings.json'), '{"theme":"light"}');
  const before = found(folder);

  const filler = join(disk.path, 'filler');
  for (let left = 0; ; left += STEP_KIB) {
    leave(left, filler);
    const restored = await restoreStore(dir, backup, NOW);
    rmSync(filler);
    if (!restored.ok) {
      expect(restored.error.kind).toBe('full');
      expect(found(folder)).toEqual(before);
      continue;
    }
    // Once there is room for the copies, there is for the rest: the store that is replaced makes it.
    expect(restored.value.problem).toBeUndefined();
    const [store = '', lists = '', settings = ''] = restored.value.aside;
    expect(inspectBackup(store)).toEqual(before.store);
    expect(readFileSync(join(lists, 'animals.txt'), 'utf8')).toBe(before.animals);
    expect(readFileSync(settings, 'utf8')).toBe(before.settings);
    expect(found(folder)).toMatchObject({ settings: '{"theme":"dark"}', animals: LIST });
    expect(left).toBeGreaterThan(10 * STEP_KIB);
    return;
  }
});
