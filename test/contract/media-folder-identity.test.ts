/** The folder of a batch, known wherever it is mounted: by an identity that it carries, on real mounts. */
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, type TestContext } from 'vitest';
import { remedyOf } from '../../src/shared/domain/base/failure.ts';
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import type { FetchOutcome, FolderNeeds, MediaFolder } from '../../src/engine/ports/media-folder.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import { longerPng, setUpMediaRig } from '../support/media-rig.ts';
import { serveHonestly } from '../support/media-server.ts';
import { mountAgain, mountFreezable, mountOver, mountWithoutLinks, type Mount } from '../support/mounts.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
/** Too long to be written in one go. */
const LONG_PNG = longerPng(PNG, 100_000);
const NAME = '.nocturne-folder.json';
const REPLACED = { ok: false, error: { code: 'DISK_DENIED', data: { replaced: true } } };

const rig = setUpMediaRig();
const opened: MediaFolder[] = [];
afterEach(() => Promise.all(opened.splice(0).map((media) => media.close())));

/** As another machine, or the same after a restart: it remembers nothing. */
function machine(): MediaFolder {
  const media = createMediaFolder({ clock: rig.clock, minFreeBytes: 0, owner: 'store' });
  opened.push(media);
  return media;
}

function prepare(media: MediaFolder, folder: string, needs: Partial<FolderNeeds> = {}) {
  return media.prepare(folder, { mayMake: false, mayReplace: false, ...needs });
}

async function identityOf(folder: string, needs: Partial<FolderNeeds> = {}): Promise<string> {
  const prepared = await prepare(machine(), folder, needs);
  if (!prepared.ok) throw new Error(prepared.error.message);
  return prepared.value;
}

function fetchInto(media: MediaFolder, folder: string, stem = 'r1-moon'): Promise<FetchOutcome> {
  const request = rig.requestFor('/a', { folder, stem });
  return media.fetch(request, rig.profile, createMemoryJournal(), new AbortController().signal);
}

function orSkip(context: TestContext, mount: Mount | undefined): Mount {
  return mount ?? context.skip('what this needs can be mounted by root only, where its programs are installed');
}

/** A song of the batch is on record. */
const recorded = { files: () => Promise.resolve([{ path: 'music/song.mp3', bytes: 4 }]) };

async function putSong(folder: string): Promise<void> {
  await mkdir(join(folder, 'music'));
  await writeFile(join(folder, 'music', 'song.mp3'), 'song');
}

/** Another machine gives the folder its identity, right before ours would get its name. */
function anotherIsFirst(folder: string): string {
  const identity = randomUUID();
  let isGiven = false;
  onTestFinished(
    watchCrashPoints((name) => {
      if (name === 'folder.identity-written' && !isGiven)
        writeFileSync(join(folder, NAME), JSON.stringify({ folder: identity }));
      isGiven ||= name === 'folder.identity-written';
    }),
  );
  return identity;
}

describe('an identity', () => {
  test('is never replaced by one that was made at the same time', async () => {
    const theirs = anotherIsFirst(rig.folder);
    expect(await identityOf(rig.folder)).toBe(theirs);
    expect(await identityOf(rig.folder)).toBe(theirs);
    expect(await readdir(rig.folder)).toEqual([NAME]);
  });

  test('is given once, stays, and is read by those who share the folder', async () => {
    const identity = await identityOf(rig.folder);
    const text = await readFile(join(rig.folder, NAME), 'utf8');
    expect(JSON.parse(text)).toEqual({ version: 1, folder: identity });
    expect((await stat(join(rig.folder, NAME))).mode & 0o007).toBe(0);
    expect(await identityOf(rig.folder)).toBe(identity);
    expect(await identityOf(rig.folder, { identity })).toBe(identity);
    expect(await readFile(join(rig.folder, NAME), 'utf8')).toBe(text);
    expect(await readdir(rig.folder)).toEqual([NAME]);
  });

  test('is one, however many machines give it at once, in whatever place each has the folder', async (context) => {
    const again = orSkip(context, mountAgain(context, rig.folder));
    const places = Array.from({ length: 16 }, (_, i) => (i % 2 === 0 ? rig.folder : again.path));
    const identities = await Promise.all(places.map((place) => identityOf(place)));
    expect(new Set(identities).size).toBe(1);
    expect(await readdir(rig.folder)).toEqual([NAME]);
  });

  test('that is damaged stops everything, until it is whole or gone', async () => {
    await writeFile(join(rig.folder, NAME), '');
    const damaged = await prepare(machine(), rig.folder, { mayReplace: true });
    expect(damaged).toMatchObject({ ok: false, error: { code: 'DISK_DENIED' } });
    expect(damaged).not.toMatchObject(REPLACED);
    expect(await readFile(join(rig.folder, NAME), 'utf8')).toBe('');
    await rm(join(rig.folder, NAME));
    expect(await prepare(machine(), rig.folder)).toMatchObject({ ok: true });
  });

  test('is not read through a link', async () => {
    const elsewhere = join(rig.folder, 'elsewhere');
    await mkdir(elsewhere);
    await identityOf(elsewhere);
    await symlink(join(elsewhere, NAME), join(rig.folder, NAME));
    expect(await prepare(machine(), rig.folder)).toMatchObject({ ok: false, error: { code: 'DISK_DENIED' } });
  });

  test('may say more, as a later version writes it', async () => {
    const folder = '3f2b8b8e-8f0c-4d3c-9d0f-1c2b3a4d5e6f';
    await writeFile(join(rig.folder, NAME), JSON.stringify({ version: 2, folder, more: {} }));
    expect(await identityOf(rig.folder)).toBe(folder);
  });
});

describe('another folder in its place', () => {
  test('is noticed after a restart: an empty mount point of a disk that is not mounted', async (context) => {
    const disk = orSkip(context, mountOver(context, rig.folder));
    const identity = await identityOf(rig.folder);
    const running = machine();
    expect(await prepare(running, rig.folder, { identity })).toMatchObject({ ok: true });
    disk.unmount();
    expect(await prepare(machine(), rig.folder, { identity, mayMake: true })).toMatchObject(REPLACED);
    expect(await prepare(running, rig.folder, { identity })).toMatchObject(REPLACED);
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    expect(await fetchInto(running, rig.folder)).toMatchObject({ kind: 'disk-failed', failure: REPLACED.error });
    expect(await readdir(rig.folder)).toEqual([]);
  });

  test('is noticed on another machine that mounts a wrong one', async () => {
    const wrong = join(rig.folder, 'wrong');
    await mkdir(wrong);
    await putSong(wrong);
    await identityOf(wrong);
    const identity = await identityOf(rig.folder);
    const another = await prepare(machine(), wrong, { identity, ...recorded });
    expect(another).toMatchObject(REPLACED);
    // Whoever resumes with it knows that its files are not there; nobody knows whether they are lost.
    expect(another).toHaveProperty('error.message', expect.stringContaining('not brought over'));
    expect(another.ok ? '' : remedyOf(another.error.code, 'queued')).not.toContain('lost');
  });

  test('is taken for it at the user’s word, from then on', async () => {
    const identity = await identityOf(rig.folder);
    const another = join(rig.folder, 'another');
    await mkdir(another);
    const prepared = await prepare(machine(), another, { identity, mayReplace: true });
    expect(prepared).toMatchObject({ ok: true });
    expect(prepared).not.toMatchObject({ value: identity });
    expect(await identityOf(another)).toBe(prepared.ok && prepared.value);
  });

  test('is none that is made where it is missing: its disk is not there', async () => {
    const identity = await identityOf(rig.folder);
    const gone = join(rig.folder, 'gone');
    const missing = { ok: false, error: { code: 'DISK_DENIED' } };
    expect(await prepare(machine(), gone, { identity, mayMake: true })).toMatchObject(missing);
    expect(await readdir(rig.folder)).toEqual([NAME]);
  });
});

describe('the folder itself', () => {
  test('is known on another disk, to which it was moved: files go there at once', async (context) => {
    const identity = await identityOf(rig.folder);
    const running = machine();
    await prepare(running, rig.folder, { identity });
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    expect(await fetchInto(running, rig.folder)).toMatchObject({ kind: 'verified' });
    const kept = `${rig.folder}-kept`;
    await cp(rig.folder, kept, { recursive: true });
    orSkip(context, mountOver(context, rig.folder));
    await cp(kept, rig.folder, { recursive: true });
    await rm(kept, { recursive: true });
    expect(await prepare(running, rig.folder, { identity })).toEqual({ ok: true, value: identity });
    expect(await fetchInto(running, rig.folder, 'r2-sun')).toMatchObject({ kind: 'verified' });
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png', 'r2-sun.png']);
  });

  test('gets the same identity again if somebody has removed it, recognised by the files of the batch', async () => {
    const identity = await identityOf(rig.folder);
    await rm(join(rig.folder, NAME));
    const needs = { identity, ...recorded };
    expect(await prepare(machine(), rig.folder, needs)).toMatchObject(REPLACED);
    expect(await readdir(rig.folder)).toEqual([]);
    await putSong(rig.folder);
    expect(await prepare(machine(), rig.folder, needs)).toEqual({ ok: true, value: identity });
    expect(await identityOf(rig.folder)).toBe(identity);
  });

  test('keeps it in a night that saw it before, although no file shows that it is the one', async () => {
    const running = machine();
    await prepare(running, rig.folder);
    const identity = await identityOf(rig.folder);
    await rm(join(rig.folder, NAME));
    expect(await prepare(running, rig.folder, { identity })).toEqual({ ok: true, value: identity });
  });

  test('from before folders had one gets it, if the batch’s files are there, or there are none', async () => {
    const [full, empty] = [join(rig.folder, 'full'), join(rig.folder, 'empty')];
    await mkdir(full);
    await putSong(full);
    await mkdir(empty);
    expect(await prepare(machine(), full, recorded)).toMatchObject({ ok: true });
    expect(await prepare(machine(), empty, { files: () => Promise.resolve([]) })).toMatchObject({ ok: true });
    await rm(join(empty, NAME));
    expect(await prepare(machine(), empty, recorded)).toMatchObject(REPLACED);
    expect(await readdir(empty)).toEqual([]);
    // A file of that name that is another one shows nothing.
    await mkdir(join(empty, 'music'));
    await writeFile(join(empty, 'music', 'song.mp3'), 'another');
    expect(await prepare(machine(), empty, recorded)).toMatchObject(REPLACED);
  });

  test('that is mounted read-only here says so', async (context) => {
    const identity = await identityOf(rig.folder);
    const again = orSkip(context, mountAgain(context, rig.folder, 'ro'));
    const refused = await prepare(machine(), again.path, { identity });
    expect(refused).toMatchObject({ ok: false, error: { code: 'DISK_DENIED' } });
    expect(refused.ok ? '' : refused.error.message).toContain('read-only');
  });
});

test('a share that hangs holds up no other folder, however many ask for it, and goes on once it is back', async (context) => {
  const share = mountFreezable(context) ?? context.skip('a disk that can be frozen needs root');
  const media = machine();
  const known = await prepare(media, share.path);
  share.freeze();
  let answers = 0;
  const hanging = Array.from({ length: 8 }, async () => {
    const prepared = await prepare(media, share.path);
    answers += 1;
    return prepared;
  });
  for (let times = 0; times < 5; times += 1) expect(await prepare(media, rig.folder)).toMatchObject({ ok: true });
  expect(answers).toBe(0);
  share.thaw();
  expect(await Promise.all(hanging)).toEqual(Array.from({ length: 8 }, () => known));
});

describe('a disk without hard links, where names that differ in case alone are one', () => {
  beforeEach(() => rig.server.answer((request, response) => serveHonestly(request, response, PNG)));

  test('has one identity, however many give it at once', async (context) => {
    const { path } = orSkip(context, mountWithoutLinks(context));
    const prepared = await Promise.all(Array.from({ length: 8 }, () => prepare(machine(), path)));
    // Some may see the file while it has no content yet: they ask again.
    const identities = new Set(prepared.flatMap((one) => (one.ok ? [one.value] : [])));
    expect(identities.size).toBe(1);
    for (const one of prepared) if (!one.ok) expect(one).not.toMatchObject(REPLACED);
    expect(identities).toContain(await identityOf(path));
    expect(await readdir(path)).toEqual([NAME]);
  });

  test('keeps the identity that another machine gives it at the same time', async (context) => {
    const { path } = orSkip(context, mountWithoutLinks(context));
    const theirs = anotherIsFirst(path);
    expect(await identityOf(path)).toBe(theirs);
    expect(await readdir(path)).toEqual([NAME]);
  });

  for (const [length, content] of [
    ['short', PNG],
    ['long', LONG_PNG],
  ] as const) {
    test(`takes a ${length} file whole, and replaces none`, async (context) => {
      const { path } = orSkip(context, mountWithoutLinks(context));
      rig.server.answer((request, response) => serveHonestly(request, response, content));
      await mkdir(join(path, 'image'));
      await writeFile(join(path, 'image', 'R1-Moon.PNG'), 'mine');
      const media = machine();
      const identity = await prepare(media, path);
      expect(identity).toMatchObject({ ok: true });
      expect(await fetchInto(media, path)).toMatchObject({ placement: { path: 'image/r1-moon-2.png' } });
      expect(await readFile(join(path, 'image', 'r1-moon-2.png'))).toEqual(content);
      expect(await readFile(join(path, 'image', 'R1-Moon.PNG'), 'utf8')).toBe('mine');
      expect((await readdir(join(path, 'image'))).sort()).toEqual(['R1-Moon.PNG', 'r1-moon-2.png']);
      expect(await prepare(media, path)).toEqual(identity);
    });
  }
});
