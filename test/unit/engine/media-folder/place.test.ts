import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openPlace, ReplacedFolderError } from '../../../../src/engine/media-folder/fetch/place.ts';
import { createKnownFolders, numberOf } from '../../../../src/engine/media-folder/known-folders.ts';
import { startFileThreads } from '../../../../src/engine/media-folder/thread/file-threads.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const files = startFileThreads();
const part = (generation = 1) => ({ outputId: '7-1', generation, content: Buffer.from(Uint8Array.of(1).buffer) });

afterEach(() => files.close());

test('a folder behind a link, too, is looked at before something is written there', async () => {
  const base = temporaryFolder();
  const [disk, away, media] = [join(base, 'disk'), join(base, 'away'), join(base, 'media')];
  mkdirSync(disk);
  symlinkSync(disk, media);
  const place = await openPlace({ folders: createKnownFolders(), files }, media, 'image', await numberOf(media));
  expect(await place.write(part())).toEqual({ kind: 'kept', path: join(disk, 'image', '7-1.1.part') });
  renameSync(disk, away);
  mkdirSync(join(disk, 'image'), { recursive: true });
  await expect(place.write(part(2))).rejects.toThrow(ReplacedFolderError);
  expect(readdirSync(join(disk, 'image'))).toEqual([]);
  expect(existsSync(join(away, 'image', '7-1.1.part'))).toBe(true);
});

test('two media folders of one disk have their threads together', async () => {
  const write = vi.spyOn(files, 'write');
  for (const media of [temporaryFolder(), temporaryFolder()]) {
    const place = await openPlace({ folders: createKnownFolders(), files }, media, 'image', await numberOf(media));
    expect(await place.write(part(), 'moon.png')).toMatchObject({ kind: 'placed' });
  }
  const disks = write.mock.calls.map(([disk]) => disk);
  expect(disks).toHaveLength(2);
  expect(new Set(disks).size).toBe(1);
});
