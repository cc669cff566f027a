/** A night and the identity of its folder: noted before anything is paid, held to across restarts, changed by the user alone. */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verifyFolder } from '../../src/engine/media-folder/documents/verify-folder.ts';
import { writeIdentity } from '../../src/engine/media-folder/folder-identity.ts';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import { listOf } from '../../src/shared/domain/base/result.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { exportBatch, missingFiles } from '../../src/engine/store-view.ts';
import { NightHarness, profileWith, rows } from '../support/night-harness.ts';
import { ANOTHER_FOLDER } from '../support/scripted-folder.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MINUTE = 60_000;
const PAUSED = { state: 'paused', pause: { by: 'failure', failure: ANOTHER_FOLDER } };

async function identityIn(night: NightHarness, id: string): Promise<string | undefined> {
  return (await night.store.batch(id))?.settings.folderIdentity;
}

/** A batch whose files are about to be fetched when the process ends. */
async function cutBeforeFiles(night: NightHarness): Promise<string> {
  night.folder.onFetch = () => new Promise(() => undefined);
  const id = await night.bringIn(rows(3));
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => night.folder.fetched.length === 3);
  night.folder.onFetch = () => undefined;
  night.folder.fetched.length = 0;
  return id;
}

test('is stored before anything is paid, and not anew', async () => {
  const night = new NightHarness();
  const noted: (string | undefined)[] = [];
  const writes: string[] = [];
  night.open((store) => ({
    ...store,
    commit: async (changes) => {
      for (const { openAttempt, next } of changes)
        if (openAttempt !== undefined) noted.push((await store.batch(next.batchId))?.settings.folderIdentity);
      return store.commit(changes);
    },
    updateBatchSettings: async (batchId, settings, name) => {
      writes.push(settings.folderIdentity ?? 'none');
      return store.updateBatchSettings(batchId, settings, name);
    },
  }));
  const id = await night.bringIn(rows(5));
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(noted).toEqual(Array.from({ length: 5 }, () => 'the folder'));
  expect(writes).toEqual(['the folder']);
});

test('after a restart no file goes into another folder, and the night continues once its own is back', async () => {
  const night = new NightHarness();
  const id = await cutBeforeFiles(night);
  night.folder.identity = 'an empty mount point';
  night.open();
  await night.scheduler.attach(id);
  await night.clock.advance(30 * MINUTE);
  expect(night.folder.fetched).toEqual([]);
  expect(await night.store.batch(id)).toMatchObject(PAUSED);
  night.folder.identity = 'the folder';
  await night.clock.advance(5 * MINUTE);
  expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  expect(night.gateway.submits).toHaveLength(3);
  expect(await identityIn(night, id)).toBe('the folder');
});

test('nor while the user has it paused, when files still come', async () => {
  const night = new NightHarness();
  const id = await cutBeforeFiles(night);
  await night.scheduler.pauseByUser(id);
  night.folder.identity = 'an empty mount point';
  night.open();
  await night.scheduler.attach(id);
  await night.clock.advance(30 * MINUTE);
  expect(night.folder.fetched).toEqual([]);
  expect(await night.store.batch(id)).toMatchObject({ state: 'paused', pause: { by: 'user', disk: ANOTHER_FOLDER } });
  night.folder.identity = 'the folder';
  await night.clock.advance(5 * MINUTE);
  expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  expect(await night.state(id)).toBe('finished');
});

test('a resume takes another folder only if the user was told of it', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(4), { profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
  await night.scheduler.start(id);
  await night.clock.advanceUntil(async () => (await night.statuses(id)).includes('done'));
  await night.scheduler.pauseByUser(id);
  await night.clock.advance(30 * MINUTE);
  const paid = night.gateway.submits.length;
  night.folder.identity = 'another disk';
  night.open();
  await night.scheduler.start(id);
  await night.clock.advance(MINUTE);
  expect(await night.store.batch(id)).toMatchObject(PAUSED);
  expect(night.gateway.submits).toHaveLength(paid);
  expect(await identityIn(night, id)).toBe('the folder');
  // In another process, too.
  night.open();
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await night.statuses(id)).toEqual(['done', 'done', 'done', 'done']);
  expect(await identityIn(night, id)).toBe('another disk');
});

test('the user’s word for another folder holds in the process that looks at it first, and is used up there', async () => {
  const night = new NightHarness();
  const id = await cutBeforeFiles(night);
  night.folder.identity = 'another disk';
  night.open();
  await night.scheduler.attach(id);
  await night.clock.advanceUntil(async () => (await night.state(id)) === 'paused');
  night.folder.problem = failure('DISK_FULL', 'no space left');
  await night.scheduler.start(id);
  night.open();
  night.folder.problem = undefined;
  await night.scheduler.attach(id);
  await night.clock.advance(5 * MINUTE);
  expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  expect((await night.store.batch(id))?.settings).toMatchObject({ folderIdentity: 'another disk' });
  expect((await night.store.batch(id))?.settings).not.toHaveProperty('folderAccepted');
});

test('one resume is enough, however long the folder is looked at', async () => {
  const night = new NightHarness();
  const id = await cutBeforeFiles(night);
  night.folder.identity = 'another disk';
  night.open();
  await night.scheduler.attach(id);
  await night.clock.advanceUntil(async () => (await night.state(id)) === 'paused');
  const prepare = night.folder.prepare.bind(night.folder);
  let looks = 0;
  night.folder.prepare = async (...of) => {
    looks += 1;
    const prepared = await prepare(...of);
    await new Promise<void>((resolve) => night.clock.setTimer(20, resolve));
    return prepared;
  };
  // As `nocturne resume` does: the night looks at the folder as soon as it has the batch.
  night.open();
  await night.scheduler.attach(id);
  await night.clock.advanceUntil(() => looks > 0);
  await night.scheduler.start(id);
  await night.clock.advance(10_000);
  expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
  expect(await identityIn(night, id)).toBe('another disk');
});

test('a file that was on its way into the folder before does not pause what the user has resumed in another', async () => {
  const night = new NightHarness();
  const id = await cutBeforeFiles(night);
  const ends: (() => void)[] = [];
  night.folder.onFetch = (_request, nth) =>
    nth > 3
      ? undefined
      : new Promise((resolve) => ends.push(() => resolve({ kind: 'disk-failed', failure: ANOTHER_FOLDER })));
  night.open();
  await night.scheduler.attach(id);
  await night.clock.advanceUntil(() => ends.length === 3);
  night.folder.identity = 'another disk';
  ends[0]?.();
  await night.clock.advanceUntil(async () => (await night.state(id)) === 'paused');
  await night.scheduler.start(id);
  await night.clock.advanceUntil(async () => (await identityIn(night, id)) === 'another disk');
  ends[1]?.();
  ends[2]?.();
  await night.clock.advance(1_000);
  expect(await night.state(id)).toBe('running');
  await night.clock.advance(MINUTE);
  expect(await night.statuses(id)).toEqual(['done', 'done', 'done']);
});

test('what is only in the folder before is counted, and only if the user has taken another one', async () => {
  const night = new NightHarness();
  const folder = temporaryFolder();
  const other = await night.bringIn(rows(2), { folder: temporaryFolder() });
  const id = await night.bringIn(rows(4), { folder, profile: profileWith({ activePerFamily: { musicgen: 1 } }) });
  await night.scheduler.start(other);
  await night.untilRest(other);
  await night.scheduler.start(id);
  await night.clock.advanceUntil(async () => (await night.statuses(id)).includes('done'));
  await night.scheduler.pauseByUser(id);
  await night.clock.advance(30 * MINUTE);
  night.folder.identity = randomUUID();
  night.open();
  await night.scheduler.start(id);
  await night.clock.advance(MINUTE);
  await night.scheduler.start(id);
  await night.untilRest(id);
  expect(await missingFiles(night.opened, id)).toBe(0);
  await writeIdentity(folder, night.folder.identity);
  // As the night has placed the others there.
  mkdirSync(join(folder, 'music'));
  const done = await listOf(night.store.tasksByStatus(['done'], id));
  const files = done.flatMap(({ outputs }) => outputs.flatMap(({ path }) => path ?? []));
  expect(files).toHaveLength(4);
  for (const path of files.slice(1)) writeFileSync(join(folder, path), 'abc');
  expect(await missingFiles(night.opened, id)).toBe(1);
  expect(await missingFiles(night.opened, other)).toBe(0);
  const settings = (await night.store.batch(id))?.settings;
  if (settings === undefined) throw new Error('No settings');
  await night.scheduler.configure(id, { ...settings, maxSubmits: 7 });
  expect(await missingFiles(night.opened, id)).toBe(1);
});

test('a store that cannot keep it pays for nothing', async () => {
  const night = new NightHarness();
  night.open((store) => ({
    ...store,
    updateBatchSettings: () => Promise.reject(new Error('The disk of the store is full.')),
  }));
  const id = await night.bringIn(rows(2));
  await night.scheduler.start(id);
  await night.clock.advance(MINUTE);
  expect(night.gateway.submits).toEqual([]);
  expect(night.bugs).toHaveLength(1);
});

test('stays with its folder when settings change, and is not known of another', async () => {
  const night = new NightHarness();
  const id = await night.bringIn(rows(2));
  await night.scheduler.start(id);
  await night.untilRest(id);
  const settings = (await night.store.batch(id))?.settings;
  if (settings === undefined) throw new Error('No settings');
  const { folderIdentity: _, ...without } = settings;
  await night.scheduler.configure(id, { ...without, maxSubmits: 7 });
  expect(await identityIn(night, id)).toBe('the folder');
  await night.scheduler.configure(id, { ...settings, folder: '/elsewhere' });
  expect(await identityIn(night, id)).toBeUndefined();
  // The same for a batch that is not part of a night.
  const other = await night.bringIn(rows(1), { folderIdentity: 'the folder' });
  await night.scheduler.configure(other, { ...settings, folder: '/elsewhere' });
  expect(await identityIn(night, other)).toBeUndefined();
});

test('is not lost to settings that change while it is being noted', async () => {
  const night = new NightHarness();
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let isNoting = false;
  night.open((store) => ({
    ...store,
    updateBatchSettings: async (batchId, settings, name) => {
      if (settings.folderIdentity !== undefined && !isNoting) {
        isNoting = true;
        await released;
      }
      return store.updateBatchSettings(batchId, settings, name);
    },
  }));
  const id = await night.bringIn(rows(1));
  await night.scheduler.start(id);
  await night.clock.advanceUntil(() => isNoting);
  const configured = night.scheduler.configure(id, ({ settings }) => ({ ...settings, maxSubmits: 7 }));
  await night.clock.advance(10);
  release();
  await configured;
  expect((await night.store.batch(id))?.settings).toMatchObject({ folderIdentity: 'the folder', maxSubmits: 7 });
});

test('of a folder that another process saw first is the batch’s: what is mounted here is another', async () => {
  const night = new NightHarness();
  let isFirst = true;
  night.open((store) => ({
    ...store,
    updateBatchSettings: async (batchId, settings, name, asRead) => {
      if (!isFirst) return store.updateBatchSettings(batchId, settings, name, asRead);
      isFirst = false;
      await store.updateBatchSettings(batchId, { ...settings, folderIdentity: 'seen elsewhere' }, name);
      return undefined;
    },
  }));
  const id = await night.bringIn(rows(2));
  await night.scheduler.start(id);
  await night.clock.advance(MINUTE);
  expect(night.gateway.submits).toEqual([]);
  expect(await night.store.batch(id)).toMatchObject(PAUSED);
  night.folder.identity = 'seen elsewhere';
  await night.untilRest(id);
  await night.clock.advance(5 * MINUTE);
  expect(await night.statuses(id)).toEqual(['done', 'done']);
});

test('the documents of a batch are not written into another folder, and its identity is no file that nobody knows', async () => {
  const night = new NightHarness();
  const [own, another] = [temporaryFolder(), temporaryFolder()];
  const media = createMediaFolder({ clock: night.clock, minFreeBytes: 0 });
  for (const folder of [own, another]) {
    const prepared = await media.prepare(folder, { mayMake: false, mayReplace: false });
    night.folder.identity = prepared.ok && folder === own ? prepared.value : night.folder.identity;
  }
  await media.close();
  const id = await night.bringIn(rows(1), { folder: own });
  await night.scheduler.start(id);
  await night.untilRest(id);
  const store = night.opened;
  expect(await exportBatch(store, id)).toBeUndefined();
  expect((await verifyFolder(own)).extras).toEqual([]);

  const before = readdirSync(another);
  const settings = (await night.store.batch(id))?.settings;
  if (settings === undefined) throw new Error('No settings');
  await night.store.updateBatchSettings(id, { ...settings, folder: another });
  const refused = { code: 'DISK_DENIED', message: expect.stringContaining('the mark of another') as string };
  expect(await exportBatch(store, id)).toMatchObject(refused);
  expect(await exportBatch(store, id, own)).toMatchObject(refused);
  rmSync(join(another, '.nocturne-folder.json'));
  expect(await exportBatch(store, id)).toMatchObject({ code: 'DISK_DENIED' });
  expect(readdirSync(another)).toEqual(before.filter((name) => name !== '.nocturne-folder.json'));
  rmSync(another, { recursive: true });
  const missing = { code: 'DISK_DENIED', message: expect.stringContaining('it is missing') as string };
  expect(await exportBatch(store, id)).toMatchObject(missing);
});
