import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createMediaFolder } from '../../../../src/engine/media-folder/media-folder.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A disk on which nobody may write to a folder `video`, and `image` is made right after it was found to be missing. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const actual = await importOriginal<typeof import('node:fs/promises')>();
  return {
    ...actual,
    access: (path: string) =>
      path.endsWith('video')
        ? Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM', syscall: 'access' }))
        : Promise.resolve(),
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
