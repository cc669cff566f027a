import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { writeParts } from '../../../../src/engine/media-folder/thread/file-steps.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const synced: string[] = [];

/** A disk that cannot sync its folder `broken`. */
vi.mock('../../../../src/engine/whole-file.ts', async (importOriginal) => ({
  ...(await importOriginal<typeof import('../../../../src/engine/whole-file.ts')>()),
  syncFolderSync: (path: string) => {
    if (path.endsWith('broken')) throw Object.assign(new Error('i/o error'), { code: 'EIO', syscall: 'fsync' });
    synced.push(path);
  },
}));

test('each folder that parts got their names in is synced once, and one that cannot be fails alone', () => {
  const media = temporaryFolder();
  const folderOf = (kind: string): string => join(media, kind);
  for (const kind of ['broken', 'image', 'data', 'music']) mkdirSync(folderOf(kind));
  // The last name of all is another file's.
  writeFileSync(join(folderOf('music'), '4.png'), 'mine');
  const orders = ['broken', 'image', 'data', 'image', 'music'].map((kind, i) => ({
    part: join(folderOf(kind), `${i}.part`),
    content: Uint8Array.from(Buffer.from('ours')),
    older: [],
    name: `${i}.png`,
  }));
  expect(writeParts(orders)).toEqual([
    { kind: 'failed', message: 'i/o error', code: 'EIO', syscall: 'fsync' },
    { kind: 'placed' },
    { kind: 'placed' },
    { kind: 'placed' },
    { kind: 'taken' },
  ]);
  expect(synced).toEqual(['image', 'data'].map(folderOf));
  expect(existsSync(join(folderOf('data'), '2.png'))).toBe(true);
});
