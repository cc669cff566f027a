import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { openPlace, ReplacedFolderError } from '../../../../src/engine/media-folder/fetch/place.ts';
import { createKnownFolders, identityOf } from '../../../../src/engine/media-folder/known-folders.ts';
import { startFileThreads } from '../../../../src/engine/media-folder/thread/file-threads.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const files = startFileThreads();

afterEach(() => files.close());

test('a folder behind a link, too, is looked at before something is written there', async () => {
  const base = temporaryFolder();
  const [disk, away, media] = [join(base, 'disk'), join(base, 'away'), join(base, 'media')];
  mkdirSync(disk);
  symlinkSync(disk, media);
  const place = await openPlace({ folders: createKnownFolders(), files }, media, 'image', await identityOf(media));
  const content = (): Buffer<ArrayBuffer> => Buffer.from(Uint8Array.of(1).buffer);
  expect(await place.keep('7-1', 1, content(), undefined)).toMatchObject({ path: join(disk, 'image', '7-1.1.part') });
  renameSync(disk, away);
  mkdirSync(join(disk, 'image'), { recursive: true });
  await expect(place.keep('7-1', 2, content(), undefined)).rejects.toThrow(ReplacedFolderError);
  expect(readdirSync(join(disk, 'image'))).toEqual([]);
  expect(existsSync(join(away, 'image', '7-1.1.part'))).toBe(true);
});
