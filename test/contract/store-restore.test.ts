import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { backupStore, openStore } from '../../src/engine/store/open/open-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { inspectBackup, restoreStore } from '../../src/engine/store/open/restore-store.ts';
import { makeStoreOfSchema } from '../support/store-fixture.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { newBatch, NOW, only, seededRandom } from './task-store-fixtures.ts';

/** One machine: an application's folder with the store in it, and where its openings are noted. */
interface Place {
  readonly folder: string;
  readonly dir: string;
  readonly noted: { readonly file: string; readonly now: number };
}

function place(): Place {
  const folder = temporaryFolder();
  const dir = join(folder, 'store');
  mkdirSync(dir);
  return { folder, dir, noted: { file: join(folder, 'store-incarnation.json'), now: NOW } };
}

function opened({ dir, noted }: Place): OpenStore {
  const store = openStore(dir, { random: seededRandom(), noted });
  if (!store.ok) throw new Error(store.error.message);
  return store.value;
}

let here: Place;
let backup: string;

/** A batch that runs, with lists and settings beside it; backed up, and then a second batch. */
async function makeBackup(): Promise<{ batchId: string }> {
  const store = opened(here);
  const { id } = store.store.createBatch(newBatch());
  store.store.setBatchState(id, 'running', undefined, NOW);
  writeFileSync(join(here.folder, 'settings.json'), '{"theme":"dark"}');
  writeFileSync(join(here.folder, 'key.json'), 'the key');
  mkdirSync(join(here.dir, 'lists'));
  writeFileSync(join(here.dir, 'lists', 'animals.txt'), 'owl\n');
  symlinkSync(join(here.folder, 'key.json'), join(here.dir, 'lists', 'leads-out.txt'));
  expect(await backupStore(here.dir, backup)).toMatchObject({ ok: true });
  store.store.createBatch(newBatch({ name: 'later' }));
  store.close();
  writeFileSync(join(here.folder, 'settings.json'), '{"theme":"light"}');
  writeFileSync(join(here.dir, 'lists', 'animals.txt'), 'cat\n');
  return { batchId: id };
}

beforeEach(() => {
  here = place();
  backup = join(temporaryFolder(), 'all.db');
});

describe('a backup', () => {
  test('holds the store, its lists and the settings, and nothing else that lies beside them', async () => {
    await makeBackup();
    const db = new DatabaseSync(backup, { readOnly: true });
    expect(db.prepare('SELECT name, content FROM carried_files ORDER BY name').all()).toEqual([
      { name: 'lists/animals.txt', content: 'owl\n' },
      { name: 'settings.json', content: '{"theme":"dark"}' },
    ]);
    db.close();
    expect(inspectBackup(backup)).toEqual({
      ok: true,
      value: {
        batches: 1,
        newestAt: NOW,
        brings: ['With it: 1 list of words.', 'With it: the settings.'],
      },
    });
    expect(readFileSync(backup).includes('the key')).toBe(false);
  });

  test('becomes the store again; what it replaces is kept, and nothing goes on by itself', async () => {
    const { batchId } = await makeBackup();
    const restored = await restoreStore(here.dir, backup, NOW);
    expect(restored).toMatchObject({ ok: true, value: { batches: 1, newestAt: NOW, paused: 1 } });
    expect(readFileSync(join(here.folder, 'settings.json'), 'utf8')).toBe('{"theme":"dark"}');
    expect(readFileSync(join(here.dir, 'lists', 'animals.txt'), 'utf8')).toBe('owl\n');
    const aside = restored.ok ? restored.value.aside : [];
    expect(aside).toHaveLength(3);
    const [store = '', lists = '', settings = ''] = aside;
    expect(readFileSync(settings, 'utf8')).toBe('{"theme":"light"}');
    expect(readFileSync(join(lists, 'animals.txt'), 'utf8')).toBe('cat\n');
    expect(inspectBackup(store)).toMatchObject({ ok: true, value: { batches: 2 } });
    expect(statSync(store).mode & 0o777).toBe(0o600);

    const again = opened(here);
    // The first one that opens it is told, so that a start of what was never paused is the user's word, too.
    expect(again.isOlderCopy).toBe(true);
    expect(again.checkIntegrity()).toEqual([]);
    expect(again.store.batch(batchId)).toMatchObject(RESTORED);
    again.store.setBatchState(batchId, 'running', undefined, NOW);
    again.close();
    const resumed = opened(here);
    expect(resumed.isOlderCopy).toBe(false);
    expect(resumed.store.batch(batchId)).toMatchObject({ state: 'running' });
    resumed.close();
  });

  test('replaces nothing that an earlier restore has kept', async () => {
    await makeBackup();
    const first = await restoreStore(here.dir, backup, NOW);
    const second = await restoreStore(here.dir, backup, NOW);
    const kept = [first, second].flatMap((one) => (one.ok ? one.value.aside : []));
    expect(new Set(kept).size).toBe(6);
    expect(inspectBackup(only(kept[0]))).toMatchObject({ ok: true, value: { batches: 2 } });
    expect(readFileSync(only(kept[2]), 'utf8')).toBe('{"theme":"light"}');
    expect(inspectBackup(only(kept[3]))).toMatchObject({ ok: true, value: { batches: 1 } });
  });

  test('brings nothing into force that starts programs or sends messages, and says which profiles it brings', async () => {
    const store = opened(here);
    store.store.createBatch(newBatch());
    const settings = join(here.folder, 'settings.json');
    const foreign = {
      theme: 'dark',
      profile: { name: 'Studio', baseUrl: 'https://gateway.example/v1' },
      night: { keepAwake: false, afterNight: 'shutdown' },
      telling: { command: { argv: ['steal'] }, webhook: { url: 'https://elsewhere.example' } },
    };
    writeFileSync(settings, JSON.stringify(foreign));
    await backupStore(here.dir, backup);
    store.close();
    const own = { telling: { command: { argv: ['notify-me'] } }, night: { afterNight: 'sleep' } };
    writeFileSync(settings, JSON.stringify(own));
    const { theme, profile } = foreign;
    const restored = await restoreStore(here.dir, backup, NOW);
    expect(JSON.parse(readFileSync(settings, 'utf8'))).toEqual({
      theme,
      profile,
      telling: own.telling,
      night: { keepAwake: false, afterNight: 'sleep' },
    });
    const told = restored.ok ? restored.value.brought.join(' ') : '';
    expect(told).toContain('“Studio”, which sends to https://gateway.example/v1.');
    expect(told).toContain('Not with it: how a night is told of');
    const there = place();
    await restoreStore(there.dir, backup, NOW);
    expect(JSON.parse(readFileSync(join(there.folder, 'settings.json'), 'utf8'))).toEqual({
      theme,
      profile,
      night: { keepAwake: false },
    });
  });

  test('is told as restored where what belongs to it cannot be; that is as it was, and kept', async () => {
    await makeBackup();
    const lists = join(here.dir, 'lists');
    rmSync(lists, { recursive: true });
    writeFileSync(lists, 'no folder');
    const restored = await restoreStore(here.dir, backup, NOW);
    expect(restored).toMatchObject({ ok: true, value: { problem: { kind: 'denied' } } });
    expect(restored.ok && restored.value.aside).toHaveLength(3);
    expect(readFileSync(lists, 'utf8')).toBe('no folder');
    expect(inspectBackup(join(here.dir, 'nocturne.db'))).toMatchObject({ ok: true, value: { batches: 1 } });
  });

  test('starts nothing on another machine either, which knows nothing of what was paid', async () => {
    const { batchId } = await makeBackup();
    const there = place();
    expect(await restoreStore(there.dir, backup, NOW)).toMatchObject({
      ok: true,
      value: { paused: 1, aside: [] },
    });
    const moved = opened(there);
    expect(moved.store.batch(batchId)).toMatchObject(RESTORED);
    moved.close();
    expect(readFileSync(join(there.folder, 'settings.json'), 'utf8')).toBe('{"theme":"dark"}');
  });

  test('of an earlier version, or a plain copy of its database, is restored and brought up to date', async () => {
    const old = temporaryFolder();
    makeStoreOfSchema(3, old);
    const file = join(old, 'nocturne.db');
    expect(await restoreStore(here.dir, file, NOW)).toMatchObject({
      ok: true,
      value: { batches: 2, paused: 1 },
    });
    const store = opened(here);
    expect(store.store.batches().map(({ name }) => name)).toEqual(['night', 'cut']);
    store.close();
  });

  test('takes the place of a damaged store, which is kept with its log', async () => {
    await makeBackup();
    writeFileSync(join(here.dir, 'nocturne.db'), 'never a database '.repeat(500));
    writeFileSync(join(here.dir, 'nocturne.db-wal'), 'its log');
    writeFileSync(join(here.dir, 'nocturne-restoring.db'), 'left by a process that was killed');
    const restored = await restoreStore(here.dir, backup, NOW);
    expect(restored).toMatchObject({ ok: true, value: { batches: 1 } });
    const kept = restored.ok ? only(restored.value.aside[0]) : '';
    expect(readFileSync(kept, 'utf8')).toContain('never a database');
    expect(readFileSync(`${kept}-wal`, 'utf8')).toBe('its log');
    expect(existsSync(join(here.dir, 'nocturne-restoring.db'))).toBe(false);
  });
});

describe('what is not restored', () => {
  const spoilt: readonly (readonly [string, string, () => void])[] = [
    ['a file that is none', 'missing', () => (backup = join(here.folder, 'none.db'))],
    ['another program’s file', 'damaged', () => writeFileSync(backup, 'never a database '.repeat(500))],
    ['half a backup', 'damaged', () => truncateSync(backup, 4096 * 20)],
    ['a newer version’s', 'newer', () => tamper('PRAGMA user_version = 999')],
    ['another program’s database', 'damaged', () => tamper('PRAGMA application_id = 7')],
    ['the store itself', 'denied', () => (backup = join(here.dir, 'nocturne.db'))],
  ];

  function tamper(sql: string): void {
    const db = new DatabaseSync(backup);
    db.exec(sql);
    db.close();
  }

  test.each(spoilt)('%s: nothing is changed', async (_, kind, spoil) => {
    await makeBackup();
    spoil();
    const before = readFileSync(join(here.dir, 'nocturne.db'));
    const files = readdirSync(here.dir);
    const refused = await restoreStore(here.dir, backup, NOW);
    expect(refused).toMatchObject({ ok: false, error: { kind } });
    expect(readFileSync(join(here.dir, 'nocturne.db')).equals(before)).toBe(true);
    expect(readdirSync(here.dir)).toEqual(files);
  });

  test('anything while somebody reads a sound store, whose log holds its last commits', async () => {
    await makeBackup();
    const reader = openStore(here.dir, { owner: false, random: seededRandom() });
    const night = new DatabaseSync(join(here.dir, 'nocturne.db'));
    night.exec("INSERT INTO meta VALUES ('last', 'commit')");
    night.close();
    const before = readdirSync(here.dir);
    expect(before).toContain('nocturne.db-wal');
    expect(await restoreStore(here.dir, backup, NOW)).toMatchObject({ ok: false, error: { kind: 'owned' } });
    expect(readdirSync(here.dir)).toEqual(before);
    if (reader.ok) reader.value.close();
  });

  test('anything while somebody has the store', async () => {
    await makeBackup();
    const night = opened(here);
    const before = readdirSync(here.dir);
    expect(await restoreStore(here.dir, backup, NOW)).toMatchObject({ ok: false, error: { kind: 'owned' } });
    expect(readdirSync(here.dir)).toEqual(before);
    expect(night.store.batches()).toHaveLength(2);
    night.close();
  });
});

const RESTORED = { state: 'paused', pause: { by: 'failure', failure: { code: 'STORE_RESTORED' } } } as const;
