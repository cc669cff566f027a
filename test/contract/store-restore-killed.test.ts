import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, expect, test } from 'vitest';
import { RESTORE_CRASH_POINTS } from '../../src/engine/crash-point.ts';
import { backupStore, openStore } from '../../src/engine/store/open/open-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { inspectBackup, restoreStore } from '../../src/engine/store/open/restore-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newBatch, NOW, seededRandom } from './task-store-fixtures.ts';

const CHILD = fileURLToPath(new URL('store-restore-killed-child.ts', import.meta.url));

/** What a night left behind: the kill that ended it left its last commits in the log. */
const BEFORE = ['night', 'later'];
const IN_BACKUP = ['night'];

let folder: string;
let dir: string;
let backup: string;

function opened(at = dir): OpenStore {
  const store = openStore(at, {
    random: seededRandom(),
    noted: { file: join(at, '../incarnations/a.json'), now: NOW },
  });
  if (!store.ok) throw new Error(store.error.message);
  return store.value;
}

beforeEach(async () => {
  const made = join(temporaryFolder(), 'store');
  mkdirSync(made);
  const night = opened(made);
  const { id } = night.store.createBatch(newBatch({ name: 'night' }));
  night.store.setBatchState(id, 'running', undefined, NOW);
  writeFileSync(join(made, '../settings.json'), '{"theme":"dark"}');
  mkdirSync(join(made, 'lists'));
  for (const name of ['animals', 'birds']) writeFileSync(join(made, 'lists', `${name}.txt`), `${name} of the backup\n`);
  backup = join(temporaryFolder(), 'all.db');
  await backupStore(made, backup);
  night.store.createBatch(newBatch({ name: 'later' }));

  folder = temporaryFolder();
  dir = join(folder, 'store');
  mkdirSync(join(dir, 'lists'), { recursive: true });
  for (const name of ['nocturne.db', 'nocturne.db-wal']) copyFileSync(join(made, name), join(dir, name));
  night.close();
  writeFileSync(join(folder, 'settings.json'), '{"theme":"light"}');
  writeFileSync(join(dir, 'lists', 'animals.txt'), 'animals from here\n');
});

function killedAt(point: string, pass: number): void {
  const child = spawnSync(process.execPath, [CHILD, dir, backup, point, String(pass)], { encoding: 'utf8' });
  expect([child.signal, child.stderr]).toEqual(['SIGKILL', '']);
}

/** The files that are kept of what was replaced, by the beginning of their names. */
function kept(at: string, of: string): readonly string[] {
  const names = readdirSync(at).filter((name) => name.startsWith(`${of}-replaced-`) && !name.endsWith('-wal'));
  return names.map((name) => join(at, name));
}

function batchesIn(store: OpenStore): readonly string[] {
  return store.store.batches().map(({ name }) => name);
}

function contents(file: string): string {
  return readFileSync(file, 'utf8');
}

/** What is where, with the store as its next owner finds it. */
function found() {
  const store = opened();
  const batches = batchesIn(store);
  expect(store.checkIntegrity()).toEqual([]);
  const isHeld = store.store.batches().every(({ state }) => state !== 'running');
  store.close();
  return { batches, isHeld, theme: contents(join(folder, 'settings.json')) };
}

const POINTS = RESTORE_CRASH_POINTS.filter((point) => point !== 'restore.log-moved').flatMap((point) =>
  (point === 'restore.kept' ? [1, 2, 3] : point === 'restore.list-put' ? [1, 2] : [1]).map((pass) => ({ point, pass })),
);

test.each(POINTS)(
  'a restore that is killed at $point, pass $pass, leaves the store of before or that of the backup, and loses neither',
  async ({ point, pass }) => {
    const isReplaced = RESTORE_CRASH_POINTS.indexOf(point) >= RESTORE_CRASH_POINTS.indexOf('restore.replaced');

    killedAt(point, pass);
    for (const file of kept(dir, 'nocturne'))
      expect(inspectBackup(file)).toMatchObject({ ok: true, value: { batches: 2 } });
    for (const lists of kept(dir, 'lists')) expect(readdirSync(lists)).toEqual(['animals.txt']);
    for (const settings of kept(folder, 'settings')) expect(contents(settings)).toBe('{"theme":"light"}');
    if (isReplaced) {
      expect(kept(dir, 'nocturne')).toHaveLength(1);
      expect(kept(dir, 'lists').map((lists) => contents(join(lists, 'animals.txt')))).toEqual(['animals from here\n']);
      expect(kept(folder, 'settings')).toHaveLength(1);
    }
    const { batches, isHeld, theme } = found();
    expect(batches).toEqual(isReplaced ? IN_BACKUP : BEFORE);
    // What was paid since the backup is not in it: nothing in it goes on.
    expect(isHeld).toBe(isReplaced);
    expect(theme).toBe(point === 'restore.settings-put' ? '{"theme":"dark"}' : '{"theme":"light"}');
    expect(readdirSync(dir).filter((name) => name.startsWith('nocturne-restoring'))).toEqual([]);
    expect(readdirSync(folder).filter((name) => name.startsWith('nocturne-restoring'))).toEqual([]);

    // Done again, it is whole.
    expect(await restoreStore(dir, backup, NOW + 1000)).toMatchObject({ ok: true, value: { paused: 1 } });
    expect(found()).toMatchObject({ batches: IN_BACKUP, isHeld: true, theme: '{"theme":"dark"}' });
    expect(readdirSync(join(dir, 'lists'))).toEqual(['animals.txt', 'birds.txt']);
    expect(contents(join(dir, 'lists/animals.txt'))).toBe('animals of the backup\n');
    const stores = kept(dir, 'nocturne').map(inspectBackup);
    expect(stores.filter((one) => one.ok && one.value.batches === 2).length).toBeGreaterThan(0);
    const lists = kept(dir, 'lists').map((one) => contents(join(one, 'animals.txt')));
    expect(lists).toContain('animals from here\n');
    expect(kept(folder, 'settings').map(contents)).toContain('{"theme":"light"}');
  },
);

test('a kill while a damaged store is replaced leaves it beside a copy with its log', async () => {
  writeFileSync(join(dir, 'nocturne.db'), 'never a database '.repeat(500));
  writeFileSync(join(dir, 'nocturne.db-wal'), 'its log');
  killedAt('restore.log-moved', 1);
  const copies = kept(dir, 'nocturne');
  expect(copies.map((copy) => [contents(copy).slice(0, 16), contents(`${copy}-wal`)])).toEqual([
    ['never a database', 'its log'],
  ]);
  expect(contents(join(dir, 'nocturne.db'))).toContain('never a database');
  expect(await restoreStore(dir, backup, NOW + 1000)).toMatchObject({ ok: true });
  expect(found().batches).toEqual(IN_BACKUP);
  expect(existsSync(join(dir, 'nocturne.db-wal.old'))).toBe(false);
});
