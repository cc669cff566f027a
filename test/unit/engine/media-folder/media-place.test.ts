import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { diskFailure } from '../../../../src/engine/media-folder/disk-failure.ts';
import { parsePartName, partName } from '../../../../src/engine/media-folder/fetch/part-file.ts';
import { moveWithoutReplacing } from '../../../../src/engine/media-folder/place-file.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** A disk that has no hard links, as FAT32 and some network disks. */
vi.mock('node:fs/promises', async (importOriginal) => ({
  ...(await importOriginal<typeof import('node:fs/promises')>()),
  link: () => Promise.reject(Object.assign(new Error('no links'), { code: 'EPERM', syscall: 'link' })),
}));

describe('where there are no hard links', () => {
  let folder: string;

  beforeEach(async () => {
    folder = temporaryFolder();
    await writeFile(join(folder, '1-1.1.part'), 'ours');
  });

  test('a file gets its name by a copy', async () => {
    expect(await moveWithoutReplacing(join(folder, '1-1.1.part'), folder, 'moon.png')).toBe(true);
    expect(await readdir(folder)).toEqual(['moon.png']);
    expect(await readFile(join(folder, 'moon.png'), 'utf8')).toBe('ours');
  });

  test('a file that is there is not replaced', async () => {
    await writeFile(join(folder, 'moon.png'), 'mine');
    expect(await moveWithoutReplacing(join(folder, '1-1.1.part'), folder, 'moon.png')).toBe(false);
    expect((await readdir(folder)).sort()).toEqual(['1-1.1.part', 'moon.png']);
    expect(await readFile(join(folder, 'moon.png'), 'utf8')).toBe('mine');
  });
});

describe('failures of the disk', () => {
  function diskError(code: string): Error {
    return Object.assign(new Error(code), { code, syscall: 'write', errno: -1 });
  }

  test.each(['ENOSPC', 'EDQUOT'])('%s is a full disk', (code) => {
    expect(diskFailure(diskError(code), '/media').code).toBe('DISK_FULL');
  });

  test.each(['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'EIO', 'EFBIG', 'EWHATEVER'])(
    '%s is a folder that cannot be used',
    (code) => {
      expect(diskFailure(diskError(code), '/media')).toMatchObject({ code: 'DISK_DENIED', data: { code } });
    },
  );

  test('an error of another kind is a bug and goes on', () => {
    expect(() => diskFailure(new TypeError('undefined is not a function'), '/media')).toThrow(TypeError);
  });
});

test('a part’s name gives the output’s id back, whatever it holds', () => {
  for (const id of ['7-1', 'a.b', '../x', 'Ü/…', '~', '']) {
    const name = partName(id, 3);
    expect(name).toMatch(/^[\w~-]*\.3\.part$/u);
    if (id !== '') expect(parsePartName(name)).toEqual({ outputId: id, generation: 3 });
  }
  expect(parsePartName('notes.part')).toBeUndefined();
});
