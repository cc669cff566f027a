import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createMediaFolder } from '../../../../src/engine/media-folder/media-folder.ts';
import { FakeClock } from '../../../support/fake-clock.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A disk on which nobody may write to a folder `video`. */
vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs/promises')>()),
  access: (path: string) =>
    path.endsWith('video')
      ? Promise.reject(Object.assign(new Error('not permitted'), { code: 'EPERM', syscall: 'access' }))
      : Promise.resolve(),
}));

test('a subfolder that may not be written to is refused where its files are to come', async () => {
  const folder = temporaryFolder();
  for (const kind of ['music', 'video']) mkdirSync(join(folder, kind));
  const media = createMediaFolder({ clock: new FakeClock(), minFreeBytes: 0 });
  const may = { mayMake: false, mayReplace: false };
  expect(await media.prepare(folder, { ...may, kinds: ['music'] })).toBeUndefined();
  const refused = { code: 'DISK_DENIED', message: expect.stringContaining('you may not write to it') as string };
  expect(await media.prepare(folder, { ...may, kinds: ['video'] })).toMatchObject(refused);
  await media.close();
});
