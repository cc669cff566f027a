import { createHash } from 'node:crypto';
import { readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ThumbnailCache, type KeptThumbnail } from '../../../src/main/thumbnails/thumbnail-cache.ts';
import { Thumbnails, type ThumbnailMaker, type Wanted } from '../../../src/main/thumbnails/thumbnails.ts';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { refuse, type Reply } from '../../../src/shared/ipc/contract.ts';
import type { ServedFile } from '../../../src/main/shell/media-protocol.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const DAY_MS = 24 * 3_600_000;
const shaOf = (name: string): string => createHash('sha256').update(name).digest('hex');
const picture = (bytes: number): KeptThumbnail => ({ kind: 'made', bytes: new Uint8Array(bytes).fill(7) });

function cacheIn(folder: string, mostBytes = 1 << 20, clock = { at: Date.now() }): ThumbnailCache {
  return new ThumbnailCache({ folder, mostBytes, now: () => clock.at });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.'));
}

test('what is kept is there for the next start; what is deleted or left empty is no picture, and is kept again', async () => {
  const folder = join(temporaryFolder(), 'thumbnails');
  await cacheIn(folder).put(shaOf('a'), picture(10));
  const next = cacheIn(folder);
  expect(await next.get(shaOf('a'))).toEqual({ kind: 'made', bytes: Buffer.alloc(10, 7) });
  expect(await next.get(shaOf('b'))).toBeUndefined();
  rmSync(folder, { recursive: true });
  expect(await next.get(shaOf('a'))).toBeUndefined();
  await next.put(shaOf('a'), picture(10));
  expect(await next.get(shaOf('a'))).toBeDefined();
  writeFileSync(join(folder, filesIn(folder)[0] ?? ''), '');
  expect(await cacheIn(folder).get(shaOf('a'))).toBeUndefined();
});

test('the oldest use goes first, also when it was used before a restart', async () => {
  const folder = join(temporaryFolder(), 'thumbnails');
  const clock = { at: Date.now() };
  // Each takes two blocks of the disk; five of them fit.
  const first = cacheIn(folder, 40_960, clock);
  for (const name of ['a', 'b', 'c', 'd', 'e']) await first.put(shaOf(name), picture(5_000));
  for (const [age, name] of ['e', 'd', 'c', 'b', 'a'].entries()) {
    const at = (clock.at - (age + 2) * 3_600_000) / 1_000;
    utimesSync(join(folder, shaOf(name).slice(0, 2), `${shaOf(name)}.webp`), at, at);
  }
  await cacheIn(folder, 40_960, clock).get(shaOf('a'));
  const second = cacheIn(folder, 40_960, clock);
  await second.put(shaOf('f'), picture(5_000));
  const left = filesIn(folder).map((name) => name.slice(3, 67));
  // Room for one more is made at once: two go.
  expect(left.toSorted()).toEqual(['a', 'd', 'e', 'f'].map(shaOf).toSorted());
  expect(await second.get(shaOf('b'))).toBeUndefined();
});

test('what failed is remembered for a day, and replaced by what succeeds', async () => {
  const folder = join(temporaryFolder(), 'thumbnails');
  const clock = { at: Date.now() };
  await cacheIn(folder, 1 << 20, clock).put(shaOf('a'), { kind: 'failed' });
  const cache = cacheIn(folder, 1 << 20, clock);
  expect(await cache.get(shaOf('a'))).toEqual({ kind: 'failed' });
  clock.at += DAY_MS + 60_000;
  expect(await cache.get(shaOf('a'))).toBeUndefined();
  await cache.put(shaOf('a'), picture(1));
  expect(filesIn(folder)).toEqual([join(shaOf('a').slice(0, 2), `${shaOf('a')}.webp`)]);
});

test('a folder that cannot be written costs nothing but the keeping', async () => {
  const folder = join(temporaryFolder(), 'thumbnails');
  writeFileSync(folder, 'a file is in its place');
  const cache = cacheIn(folder);
  await cache.put(shaOf('a'), picture(1));
  expect(await cache.get(shaOf('a'))).toBeUndefined();
});

/** A maker that is told when it is done, and files that are told by their ids. */
function scripted(kept = new Map<string, KeptThumbnail>()) {
  const made: string[] = [];
  let finish: ((how: KeptThumbnail | 'unavailable') => void) | undefined;
  const maker: ThumbnailMaker = {
    make: ({ path }: ServedFile, kind: Wanted) => {
      made.push(`${kind} ${path}`);
      return new Promise((resolve) => (finish = resolve));
    },
    close: () => finish?.('unavailable'),
  };
  const locate = (id: string): Promise<Reply<ServedFile>> => {
    if (id === 'gone') return Promise.resolve(refuse('not-found', ''));
    const mediaType = id === 'words' ? 'application/json' : id.startsWith('song') ? 'audio/mpeg' : 'image/png';
    return Promise.resolve(
      ok({ path: id, mediaType, bytes: id === 'huge' ? 2 ** 40 : 1, sha256: shaOf(id.replace('same', 'a')) }),
    );
  };
  const cache = {
    get: (sha256: string) => Promise.resolve(kept.get(sha256)),
    put: async (sha256: string, one: KeptThumbnail) => void kept.set(sha256, one),
  };
  const end = async (how: KeptThumbnail | 'unavailable' = picture(1)): Promise<void> => {
    finish?.(how);
    await new Promise(setImmediate);
  };
  return { made, end, kept, thumbnails: new Thumbnails({ locate, cache, maker }) };
}

const settled = (): Promise<void> => new Promise(setImmediate);

test('pictures are made one at a time, in the order in which they are seen, and none that nobody sees any more', async () => {
  const { made, end, thumbnails } = scripted();
  thumbnails.keepOnly(['a', 'b', 'c', 'song']);
  const [a, , b, c] = ['a', 'song', 'b', 'c'].map((id) => thumbnails.of(id));
  await settled();
  expect(made).toEqual(['image a']);
  // Scrolled on: b is out of sight, and the song is seen before c.
  thumbnails.keepOnly(['a', 'song', 'c']);
  expect(await b).toBeUndefined();
  await end();
  expect(await a).toEqual(new Uint8Array([7]));
  expect(made).toEqual(['image a', 'audio song']);
  await end({ kind: 'failed' });
  await end();
  expect(await c).toBeDefined();
  expect(made).toEqual(['image a', 'audio song', 'image c']);
});

test('a content is made once: for two files, for the next time, and also if it failed', async () => {
  const { made, end, thumbnails } = scripted();
  const twice = ['a', 'same'].map((id) => thumbnails.of(id));
  await settled();
  await end();
  expect(await Promise.all(twice)).toEqual([new Uint8Array([7]), new Uint8Array([7])]);
  const failed = thumbnails.of('b');
  await settled();
  await end({ kind: 'failed' });
  expect(await failed).toBeUndefined();
  expect(await thumbnails.of('a')).toBeDefined();
  expect(await thumbnails.of('b')).toBeUndefined();
  expect(made).toEqual(['image a', 'image b']);
});

test('that nothing could be made says nothing about the file; documents and what is too large are not tried', async () => {
  const { made, end, kept, thumbnails } = scripted();
  const none = thumbnails.of('a');
  await settled();
  await end('unavailable');
  expect(await none).toBeUndefined();
  expect(kept.size).toBe(0);
  for (const id of ['words', 'gone', 'huge']) expect(await thumbnails.of(id)).toBeUndefined();
  expect(made).toEqual(['image a']);
});

test('a digest that is none leads to no file, and a maker that throws costs one picture', async () => {
  const { thumbnails } = withDigest('../../outside');
  expect(await thumbnails.of('1-1')).toBeUndefined();
  const { thumbnails: other, asked } = withDigest(shaOf('a'));
  expect([await other.of('1-1'), await other.of('1-2')]).toEqual([undefined, undefined]);
  expect(asked).toHaveLength(2);
});

function withDigest(sha256: string) {
  const asked: string[] = [];
  const thumbnails = new Thumbnails({
    locate: (fileId) => Promise.resolve(ok({ path: `/${fileId}`, mediaType: 'image/png', bytes: 1, sha256 })),
    cache: { get: () => Promise.resolve(undefined), put: () => Promise.reject(new Error('Nothing is to be kept.')) },
    maker: {
      make: ({ path }) => {
        asked.push(path);
        return Promise.reject(new Error('The page cannot be opened.'));
      },
      close: () => undefined,
    },
  });
  return { thumbnails, asked };
}

test('a sound is measured once, the one that was asked for last first; what the page says beside that is no sound', async () => {
  const { made, end, kept, thumbnails } = scripted();
  const said = { lufs: -14.2, peakDb: -0.3, levels: [0, 0.5, 1] };
  const asText = (value: unknown): KeptThumbnail => ({
    kind: 'made',
    bytes: new TextEncoder().encode(JSON.stringify(value)),
  });
  const [a, b, c] = ['song-a', 'song-b', 'song-c'].map((id) => thumbnails.soundOf(id));
  await settled();
  await end(asText(said));
  expect(made).toEqual(['sound song-a', 'sound song-c']);
  await end(asText({ ...said, levels: [2] }));
  await end({ kind: 'failed' });
  expect(await Promise.all([a, b, c])).toEqual([said, undefined, undefined]);
  expect(await thumbnails.soundOf('song-a')).toEqual(said);
  expect(made).toHaveLength(3);
  // No picture: nothing of it is kept on the disk.
  expect(kept.size).toBe(0);
  expect(await thumbnails.soundOf('a')).toBeUndefined();

  // Whoever goes on quickly does not wait for what was passed by.
  const many = Array.from({ length: 40 }, (_, at) => thumbnails.soundOf(`song-${at}`));
  await settled();
  expect(await Promise.race([many[1], Promise.resolve('waits')])).toBeUndefined();
  thumbnails.close();
});

test('once the application closes, nothing is made for a window that still asks', async () => {
  const { made, thumbnails } = scripted();
  const asked = thumbnails.of('a');
  const heard = thumbnails.soundOf('song');
  thumbnails.close();
  expect([await asked, await heard, await thumbnails.of('b'), await thumbnails.soundOf('song-b')]).toEqual(
    Array.from({ length: 4 }, () => undefined),
  );
  expect(made).toEqual([]);
});
