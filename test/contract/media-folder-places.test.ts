import { readFileSync } from 'node:fs';
import { lstat, mkdir, readFile, readdir, rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import type { MediaFolder } from '../../src/engine/ports/media-folder.ts';
import type { Failure } from '../../src/shared/domain/base/failure.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import type { MemoryJournal } from '../support/memory-journal.ts';
import { longerPng, sha256, setUpMediaRig } from '../support/media-rig.ts';
import { serveHonestly } from '../support/media-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
/** Too long to be written in one go. */
const LONG_PNG = longerPng(PNG, 100_000);

const rig = setUpMediaRig();

/** A journal, and the pictures in the folder whenever a place is about to be committed. */
function watchPlacing(): { readonly watching: MemoryJournal; readonly seen: readonly (readonly string[])[] } {
  const journal = createMemoryJournal();
  const seen: (readonly string[])[] = [];
  const watching: MemoryJournal = {
    ...journal,
    async placing(placement, started) {
      seen.push(await rig.filesIn('image'));
      return journal.placing(placement, started);
    },
  };
  return { watching, seen };
}

const MAY = { mayMake: true, mayReplace: false };

async function problemOf(...folder: Parameters<MediaFolder['prepare']>): Promise<Failure | undefined> {
  const prepared = await rig.media.prepare(...folder);
  return prepared.ok ? undefined : prepared.error;
}

describe('names and places', () => {
  beforeEach(() => rig.server.answer((request, response) => serveHonestly(request, response, PNG)));

  test('a file that is there is never replaced', async () => {
    await mkdir(join(rig.folder, 'image'));
    await writeFile(join(rig.folder, 'image', 'r1-moon.png'), 'mine');
    expect(await rig.fetchIt()).toMatchObject({ placement: { path: 'image/r1-moon-2.png' } });
    expect(await readFile(join(rig.folder, 'image', 'r1-moon.png'), 'utf8')).toBe('mine');
  });

  test('nothing is written beside an empty file of its name: it would look like a copy that was begun', async () => {
    await mkdir(join(rig.folder, 'image'));
    await writeFile(join(rig.folder, 'image', 'r1-moon.png'), '');
    const { watching, seen } = watchPlacing();
    expect(await rig.fetchIt(rig.requestFor(), watching)).toMatchObject({ placement: { path: 'image/r1-moon-2.png' } });
    expect(seen).toEqual([['r1-moon.png'], ['r1-moon.png']]);
    expect(await rig.filesIn('image')).toEqual(['r1-moon-2.png', 'r1-moon.png']);
    expect(await rig.bytesOf('image/r1-moon-2.png')).toEqual(PNG);
  });

  test('a path that the store gave to another output is not taken, in any case', async () => {
    const taken = new Set(['image/r1-moon.png']);
    const outcome = await rig.fetchIt(rig.requestFor('/a', { stem: 'R1-MOON' }), createMemoryJournal(taken));
    expect(outcome).toMatchObject({ placement: { path: 'image/R1-MOON-2.png' } });
  });

  test('a subfolder that leads out of the media folder is refused', async () => {
    const elsewhere = temporaryFolder();
    await symlink(elsewhere, join(rig.folder, 'image'));
    expect(await rig.fetchIt()).toMatchObject({ kind: 'disk-failed', failure: { code: 'DISK_DENIED' } });
    expect(await readdir(elsewhere)).toEqual([]);
  });

  test('a subfolder that is replaced while the night goes on is looked at again', async () => {
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
    const [image, elsewhere] = [join(rig.folder, 'image'), temporaryFolder()];
    await rm(image, { recursive: true });
    await symlink(elsewhere, image);
    expect(await rig.fetchIt()).toMatchObject({ kind: 'disk-failed', failure: { code: 'DISK_DENIED' } });
    expect(await readdir(elsewhere)).toEqual([]);
    await rm(image);
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('what lies under the name of a new part is not written to', async () => {
    const theirs = join(temporaryFolder(), 'theirs.png');
    await writeFile(theirs, 'theirs');
    await mkdir(join(rig.folder, 'image'));
    await symlink(theirs, join(rig.folder, 'image', '7-1.1.part'));
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
    expect(await readFile(theirs, 'utf8')).toBe('theirs');
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('nothing is placed in a folder that has replaced the prepared one', async () => {
    const [disk, away] = [join(rig.folder, 'disk'), join(rig.folder, 'away')];
    expect(await rig.media.prepare(disk, MAY)).toMatchObject({ ok: true });
    const request = rig.requestFor('/a', { folder: disk });
    expect(await rig.fetchIt(request)).toMatchObject({ kind: 'verified' });
    await rename(disk, away);
    await mkdir(disk);
    // With the very subfolder that files were placed in before.
    await rename(join(away, 'image'), join(disk, 'image'));
    expect(await rig.fetchIt(request)).toMatchObject({ kind: 'disk-failed', failure: { data: { replaced: true } } });
    expect(await readdir(join(disk, 'image'))).toEqual(['r1-moon.png']);
  });

  test.each(['music', 'set-aside'])('a link %s that leads out is named before anything is paid for', async (name) => {
    await symlink(temporaryFolder(), join(rig.folder, name));
    const problem = await problemOf(rig.folder, MAY);
    expect(problem).toMatchObject({ code: 'DISK_DENIED' });
    expect(problem?.message).toContain(`${join(rig.folder, name)} is a link that leads out of the media folder`);
  });

  test('a subfolder that cannot be used is named, and not the folder around it', async () => {
    const image = join(rig.folder, 'image');
    await symlink('image', image);
    const problem = await problemOf(rig.folder, { ...MAY, kinds: ['image'] });
    expect(problem).toMatchObject({
      code: 'DISK_DENIED',
      message: `${image} cannot be used: its path contains a loop of links.`,
    });
  });

  test.each([
    ['a file', (path: string) => writeFile(path, '')],
    ['a link that leads nowhere', (path: string) => symlink('nowhere', path)],
  ])('%s in the place of a subfolder is named before anything is paid for', async (_, put) => {
    const video = join(rig.folder, 'video');
    await put(video);
    expect(await rig.media.prepare(rig.folder, { ...MAY, kinds: ['music'] })).toMatchObject({ ok: true });
    const problem = await problemOf(rig.folder, { ...MAY, kinds: ['music', 'video'] });
    expect(problem).toMatchObject({ code: 'DISK_DENIED' });
    expect(problem?.message).toContain(`${video} is a file, or a link that leads nowhere, where a folder should be`);
    await rm(video);
    await mkdir(video);
    expect(await rig.media.prepare(rig.folder, { ...MAY, kinds: ['music', 'video'] })).toMatchObject({ ok: true });
  });

  test('what takes the place of a part after its check is not placed', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, LONG_PNG));
    const theirs = join(temporaryFolder(), 'theirs.png');
    await writeFile(theirs, PNG);
    const part = join(rig.folder, 'image', '7-1.1.part');
    const journal = createMemoryJournal();
    const replacing = {
      ...journal,
      placing: async (placement: Parameters<MemoryJournal['placing']>[0]) => {
        await rm(part);
        await symlink(theirs, part);
        return journal.placing(placement);
      },
    };
    expect(await rig.fetchIt(rig.requestFor(), replacing)).toMatchObject({
      kind: 'download-failed',
      failure: { code: 'DOWNLOAD_CORRUPT' },
    });
    expect(await rig.filesIn('image')).toEqual([]);
    expect(await rig.fetchIt(journal.next(rig.requestFor()), journal)).toMatchObject({ kind: 'verified' });
    const [placed = ''] = await rig.filesIn('image');
    expect((await lstat(join(rig.folder, 'image', placed))).isFile()).toBe(true);
  });

  test('what takes the place of a short part before it is written gives way to it', async () => {
    const theirs = join(temporaryFolder(), 'theirs.png');
    await writeFile(theirs, 'theirs');
    const journal = createMemoryJournal();
    const replacing: MemoryJournal = {
      ...journal,
      async placing(placement, started) {
        await symlink(theirs, join(rig.folder, 'image', '7-1.1.part'));
        return journal.placing(placement, started);
      },
    };
    expect(await rig.fetchIt(rig.requestFor(), replacing)).toMatchObject({ kind: 'verified' });
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
    expect((await lstat(join(rig.folder, 'image', 'r1-moon.png'))).isFile()).toBe(true);
    expect(await readFile(theirs, 'utf8')).toBe('theirs');
  });

  test('a folder that is gone pauses the night', async () => {
    const gone = join(rig.folder, 'unplugged');
    expect(await rig.fetchIt(rig.requestFor('/a', { folder: gone }))).toMatchObject({
      kind: 'disk-failed',
      failure: { code: 'DISK_DENIED' },
    });
    expect(await readdir(rig.folder)).toEqual([]);
  });

  test.each([
    ['that streams', LONG_PNG, ['7-1.1.part']],
    ['that is short', PNG, []],
  ] as const)('a file %s gets its name only after its place was committed', async (_, body, atCommit) => {
    rig.server.answer((request, response) => serveHonestly(request, response, body));
    const { watching, seen } = watchPlacing();
    await rig.fetchIt(rig.requestFor(), watching);
    expect(seen).toEqual([atCommit]);
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
  });
});

describe('after a stop between the commit and the end', () => {
  const placement = { path: 'image/r1-moon.png', sha256: sha256(PNG), bytes: PNG.length, mediaType: 'image/png' };

  test('the file is at its place: nothing is fetched', async () => {
    await mkdir(join(rig.folder, 'image'));
    await writeFile(join(rig.folder, 'image', 'r1-moon.png'), PNG);
    await writeFile(join(rig.folder, 'image', '7-1.1.part'), PNG);
    expect(await rig.fetchIt(rig.requestFor('/a', { generation: 1, placement }))).toEqual({
      kind: 'verified',
      placement,
    });
    expect(rig.server.requests).toEqual([]);
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('the part is still there: it is placed', async () => {
    await mkdir(join(rig.folder, 'image'));
    await writeFile(join(rig.folder, 'image', '7-1.1.part'), PNG);
    expect(await rig.fetchIt(rig.requestFor('/a', { generation: 1, placement }))).toEqual({
      kind: 'verified',
      placement,
    });
    expect(rig.server.requests).toEqual([]);
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('a copy was begun where there are no hard links: it is finished', async () => {
    await mkdir(join(rig.folder, 'image'));
    await writeFile(join(rig.folder, 'image', '7-1.1.part'), PNG);
    await writeFile(join(rig.folder, 'image', 'r1-moon.png'), PNG.subarray(0, 50));
    expect(await rig.fetchIt(rig.requestFor('/a', { generation: 1, placement }))).toEqual({
      kind: 'verified',
      placement,
    });
  });

  test('somebody else’s empty file was at the place before: it stays, and ours gets another name', async () => {
    await mkdir(join(rig.folder, 'image'));
    const theirs = join(rig.folder, 'image', 'r1-moon.png');
    await writeFile(theirs, '');
    await utimes(theirs, 1000, 1000);
    await writeFile(join(rig.folder, 'image', '7-1.1.part'), PNG);
    expect(await rig.fetchIt(rig.requestFor('/a', { generation: 1, placement }))).toMatchObject({
      kind: 'verified',
      placement: { path: 'image/r1-moon-2.png' },
    });
    expect(await readFile(theirs, 'utf8')).toBe('');
  });

  test('somebody else’s file is at the place: it stays, and ours gets another name', async () => {
    await mkdir(join(rig.folder, 'image'));
    await writeFile(join(rig.folder, 'image', '7-1.1.part'), PNG);
    await writeFile(join(rig.folder, 'image', 'r1-moon.png'), 'mine');
    expect(await rig.fetchIt(rig.requestFor('/a', { generation: 1, placement }))).toMatchObject({
      kind: 'verified',
      placement: { path: 'image/r1-moon-2.png' },
    });
    expect(await readFile(join(rig.folder, 'image', 'r1-moon.png'), 'utf8')).toBe('mine');
  });

  test('neither is there, or the part is damaged: it is fetched anew', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    await mkdir(join(rig.folder, 'image'));
    await writeFile(join(rig.folder, 'image', '7-1.1.part'), Buffer.alloc(PNG.length));
    expect(await rig.fetchIt(rig.requestFor('/a', { generation: 1, placement }))).toMatchObject({ kind: 'verified' });
    expect(rig.server.requests.length).toBe(1);
    expect(await rig.bytesOf('image/r1-moon.png')).toEqual(PNG);
  });
});

describe('documents and sweeping', () => {
  const document = '{"lyrics":"Sleep, 睡吧"}';

  test('a document is placed like a download', async () => {
    const { url: _, ...request } = rig.requestFor('/', { kind: 'data', stem: 'r2-lyrics' });
    const outcome = await rig.media.writeDocument({ ...request, document }, createMemoryJournal());
    expect(outcome).toEqual({
      kind: 'verified',
      placement: {
        path: 'data/r2-lyrics.json',
        sha256: sha256(Buffer.from(document)),
        bytes: Buffer.byteLength(document),
        mediaType: 'application/json',
      },
    });
    expect(await rig.filesIn('data')).toEqual(['r2-lyrics.json']);
  });

  test('parts of outputs that are not live are swept, and nothing else', async () => {
    await mkdir(join(rig.folder, 'image'));
    for (const name of ['7-1.1.part', '7-2.3.part', 'notes.part', 'moon.png']) {
      await writeFile(join(rig.folder, 'image', name), 'x');
    }
    await rig.media.sweep(rig.folder, (outputId) => outputId === '7-2');
    expect(await rig.filesIn('image')).toEqual(['7-2.3.part', 'moon.png', 'notes.part']);
  });
});

describe('preparing', () => {
  test('a folder is made, and nothing is left in it but what it is known by', async () => {
    const fresh = join(rig.folder, 'new', 'night');
    expect(await rig.media.prepare(fresh, MAY)).toMatchObject({ ok: true });
    expect(await readdir(fresh)).toEqual(['.nocturne-folder.json']);
  });

  test('a file in the way, and too little room, are said', async () => {
    await writeFile(join(rig.folder, 'file'), '');
    expect(await rig.media.prepare(join(rig.folder, 'file'), MAY)).toMatchObject({ error: { code: 'DISK_DENIED' } });
    const tight = createMediaFolder({ clock: rig.clock, minFreeBytes: Number.MAX_SAFE_INTEGER });
    expect(await tight.prepare(rig.folder, MAY)).toMatchObject({ error: { code: 'DISK_FULL' } });
    await tight.close();
  });

  test('a folder that must be there already is not made', async () => {
    const gone = join(rig.folder, 'unplugged');
    expect(await rig.media.prepare(gone, { ...MAY, mayMake: false })).toMatchObject({ error: { code: 'DISK_DENIED' } });
    expect(await readdir(rig.folder)).not.toContain('unplugged');
  });

  test('a folder that disappeared is not made anew behind the user’s back', async () => {
    const disk = join(rig.folder, 'disk');
    expect(await rig.media.prepare(disk, MAY)).toMatchObject({ ok: true });
    // Not removed: another folder could get its number then.
    await rename(disk, join(rig.folder, 'unplugged'));
    expect(await rig.media.prepare(disk, MAY)).toMatchObject({ error: { code: 'DISK_DENIED' } });
    expect(await rig.media.prepare(disk, MAY)).toMatchObject({ error: { code: 'DISK_DENIED' } });
    // Another one in its place is taken for it at the user's word only.
    await mkdir(disk);
    const replaced = { code: 'DISK_DENIED', data: { replaced: true } };
    expect(await rig.media.prepare(disk, MAY)).toMatchObject({ error: replaced });
    expect(await rig.media.prepare(disk, MAY)).toMatchObject({ error: replaced });
    expect(await rig.media.prepare(disk, { ...MAY, mayReplace: true })).toMatchObject({ ok: true });
    expect(await rig.media.prepare(disk, MAY)).toMatchObject({ ok: true });
  });
});
