import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isCrashPointWatched, watchCrashPoints, type CrashPointName } from '../../../../src/engine/crash-point.ts';
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

/** Places `ours` as `1.png`, while another program does something at a point; returns what came of it, and what is there. */
function placeWhile(point: CrashPointName, act: (part: string, target: string) => void): readonly string[] {
  const folder = temporaryFolder();
  const [part, target] = [join(folder, '1.part'), join(folder, '1.png')];
  const unwatch = watchCrashPoints((name) => {
    if (name === point) act(part, target);
  });
  const content = Uint8Array.from(Buffer.from('ours'));
  const [answer] = writeParts([{ part, content, older: [], name: '1.png' }]);
  unwatch();
  return [answer?.kind ?? '', ...readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))];
}

test('what has taken the place of a part is not placed, unless it is the same', () => {
  const replaceBy = (text: string) => (part: string) => {
    writeFileSync(`${part}-2`, text);
    renameSync(`${part}-2`, part);
  };
  expect(placeWhile('download.part-synced', replaceBy('ours'))).toEqual(['placed', 'ours']);
  expect(placeWhile('download.part-synced', replaceBy('xxxx'))).toEqual(['replaced']);
});

test('a part that is moved away is lost before it has its name, and not missed after', () => {
  const moveAway = (part: string): void => rmSync(part);
  expect(placeWhile('download.part-synced', moveAway)).toEqual(['replaced']);
  expect(placeWhile('place.linked', moveAway)).toEqual(['placed', 'ours']);
});

test('no part is left beside a file that has taken its name', () => {
  const take = (_: string, target: string): void => writeFileSync(target, '');
  expect(placeWhile('download.part-synced', take)).toEqual(['taken', '']);
});

test('crash points are watched no longer than somebody asks for', () => {
  const unwatch = watchCrashPoints(() => undefined);
  expect(isCrashPointWatched()).toBe(true);
  unwatch();
  expect(isCrashPointWatched()).toBe(false);
});

test('what another program does with a file that has its name is its own', () => {
  const tag = (_: string, target: string): void => writeFileSync(target, 'tagged');
  expect(placeWhile('place.part-removed', tag)).toEqual(['placed', 'tagged']);
  expect(placeWhile('place.part-removed', (_, target) => rmSync(target))).toEqual(['placed']);
  const link = (_: string, target: string): void => {
    rmSync(target);
    symlinkSync('nowhere', target);
  };
  expect(placeWhile('place.part-removed', link)).toEqual(['replaced']);
});
