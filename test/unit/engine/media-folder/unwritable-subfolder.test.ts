import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createMediaFolder } from '../../../../src/engine/media-folder/media-folder.ts';
import { placeVerified, setAside } from '../../../../src/engine/media-folder/place-file.ts';
import { verifyFolder } from '../../../../src/engine/media-folder/documents/verify-folder.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { sha256 } from '../../../support/media-rig.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/**
 * A disk with short names, as an encrypted one has them, on which nobody may write to a folder `video` or look into
 * `lost+found`, and `image` is made right after it was found to be missing.
 */
vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof import('node:fs/promises')>();
  return {
    ...actual,
    lstat: (path: string, ...rest: []) =>
      Buffer.byteLength(basename(path)) > 143
        ? Promise.reject(Object.assign(new Error('name too long'), { code: 'ENAMETOOLONG', syscall: 'lstat' }))
        : actual.lstat(path, ...rest),
    access: (path: string) =>
      path.endsWith('video')
        ? Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM', syscall: 'access' }))
        : Promise.resolve(),
    readdir: (path: string, ...rest: []) =>
      path.endsWith('lost+found')
        ? Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES', syscall: 'scandir' }))
        : actual.readdir(path, ...rest),
    realpath: async (path: string) => {
      try {
        return await actual.realpath(path);
      } catch (error) {
        if (path.endsWith('image')) await actual.mkdir(path);
        throw error;
      }
    },
  };
});

test('a subfolder that may not be written to is refused where its files are to come', async () => {
  const folder = temporaryFolder();
  for (const kind of ['music', 'video']) mkdirSync(join(folder, kind));
  const media = createMediaFolder({ clock: new FakeClock(), minFreeBytes: 0 });
  const may = { mayMake: false, mayReplace: false };
  expect(await media.prepare(folder, { ...may, kinds: ['music'] })).toMatchObject({ ok: true });
  const refused = { code: 'DISK_DENIED', message: expect.stringContaining('you may not write to it') as string };
  expect(await media.prepare(folder, { ...may, kinds: ['video'] })).toMatchObject({ error: refused });
  await media.close();
});

test('a subfolder that a download makes during the check is none that is in the way', async () => {
  const media = createMediaFolder({ clock: new FakeClock(), minFreeBytes: 0 });
  const prepared = await media.prepare(temporaryFolder(), { mayMake: false, mayReplace: false, kinds: ['image'] });
  expect(prepared).toMatchObject({ ok: true });
  await media.close();
});

test('a media folder that is a whole disk is verified, although the disk has a folder that only the system may read', async () => {
  const folder = temporaryFolder();
  for (const kind of ['lost+found', 'music']) mkdirSync(join(folder, kind));
  for (const name of ['music/other.mp3', 'music/song.mp3']) writeFileSync(join(folder, name), 'la');
  const song = { path: 'music/song.mp3', bytes: 2, sha256: sha256(Buffer.from('la')), mediaType: 'audio/mpeg' };
  const files = [{ ...song, row: 'r', take: 1, index: 1, operation: 'musicgen/music/generate', taskCode: 'T' }];
  const manifest = { version: 1, batch: 'b', createdAt: '2026-01-01T00:00:00.000Z', rows: [], files };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest));
  const extras = ['music/other.mp3'];
  expect(await verifyFolder(folder)).toMatchObject({ ok: true, verified: 1, problems: [], extras });
});

test('a name that is too long for the disk is cut, each file keeping one of its own: no night stops for it', async () => {
  const folder = temporaryFolder();
  const place = { path: folder, look: () => Promise.resolve(), write: () => Promise.reject(new Error('not short')) };
  const stem = `r1-${'曲'.repeat(60)}`;
  const paths: string[] = [];
  for (const content of ['la', 'li', 'lo']) {
    const part = join(folder, 'x.part');
    writeFileSync(part, content);
    const media = { kind: 'music', stem, extension: 'mp3', bytes: 2, mediaType: 'audio/mpeg' };
    const order = { part, sha256: sha256(Buffer.from(content)), ...media };
    if (content !== 'lo') paths.push((await placeVerified(order, place, () => Promise.resolve(true)))?.path ?? '');
    else paths.push((await setAside({ path: part, bytes: 2 }, folder, stem, 'bin')) ?? '');
  }
  expect(paths[0]).toMatch(/^music\/r1-曲{30,}\.mp3$/u);
  expect(paths[1]).toBe(paths[0]?.replace('.mp3', '-2.mp3'));
  expect(paths[2]).toMatch(/^set-aside\/r1-曲{30,}\.bin$/u);
});
