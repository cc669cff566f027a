import { readFileSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { inEnglish, reason } from '../../../../src/shared/domain/base/reason.ts';
import { fileSource } from '../../../../src/engine/media-folder/containers/container-check.ts';
import { threadMediaChecker } from '../../../../src/engine/media-folder/checks/media-checker.ts';
import type { MediaChecker } from '../../../../src/engine/media-folder/checks/media-checker.ts';
import { verifySource } from '../../../../src/engine/media-folder/checks/verify-media.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';
import { BOTTOMLESS, endlessFilm, inMovie } from '../../../support/bottomless-media.ts';

vi.setConfig({ testTimeout: 120_000 });

const GIF = readFileSync(new URL('../../../fixtures/media/picture.gif', import.meta.url));

let folder: string;
let checker: MediaChecker;

beforeEach(() => {
  folder = temporaryFolder();
  checker = threadMediaChecker();
});

afterEach(async () => {
  await checker.close();
});

async function put(name: string, bytes: Buffer): Promise<{ readonly path: string; readonly bytes: number }> {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { path, bytes: bytes.length };
}

test('a check begins once a thread is at work on it, the first one after the thread has started', async () => {
  const file = await put('picture.gif', GIF);
  const begun: string[] = [];
  const check = (name: string) => checker.check(file.path, file.bytes, undefined, () => begun.push(name));
  const both = Promise.all([check('one'), check('two')]);
  // The thread is asked for, but cannot have said anything yet.
  expect(begun).toEqual([]);
  await both;
  expect(begun).toEqual(['one', 'two']);
});

describe('a file that announces more than anybody can look at', () => {
  test('a film of some hundred bytes with 2³²−1 samples on each of 200 tracks is judged by arithmetic', async () => {
    const film = await put('film.mp4', endlessFilm(200));
    expect(await checker.check(film.path, film.bytes)).toMatchObject({
      kind: 'broken',
      reason: reason('media.cutLastSamples'),
    });
  });

  test.each(Object.entries(BOTTOMLESS))('%s', async (name, make) => {
    const file = await put(name, make());
    const check = await checker.check(file.path, file.bytes);
    expect(check.kind).toBe('broken');
    if (check.kind === 'broken') expect(inEnglish(check.reason)).toMatch(/than any|damaged movie header/u);
  });

  test('48 MiB of empty boxes take no memory to speak of', async () => {
    await checker.close();
    checker = threadMediaChecker({ memoryMb: 24, leastMs: 60_000, bytesPerSecond: 1 << 20 });
    const file = await put('boxes.mp4', BOTTOMLESS['48 MiB of empty boxes']());
    expect((await checker.check(file.path, file.bytes)).kind).toBe('broken');
    const movie = await put('movie.mp4', inMovie(48 << 20));
    expect((await checker.check(movie.path, movie.bytes)).kind).toBe('broken');
  });

  test('no byte of a file is read over and over', async () => {
    const file = await put('scans.jpg', BOTTOMLESS['a picture of nothing but scans']());
    const handle = await open(file.path, 'r');
    let read = 0;
    const counted = {
      read: async (...order: Parameters<typeof handle.read>) => {
        const found = await handle.read(...order);
        read += found.bytesRead;
        return found;
      },
    } as typeof handle;
    await verifySource(fileSource(counted, file.bytes));
    await handle.close();
    expect(read).toBeLessThan(2 * file.bytes);
  });
});

describe('a file that is in memory', () => {
  /** In memory of its own, which can be given away. */
  function apart(bytes: Buffer): Buffer<ArrayBuffer> {
    return Buffer.from(Uint8Array.from(bytes).buffer);
  }

  test('is not read, and gets the verdict that its bytes would get from the disk', async () => {
    for (const bytes of [GIF, GIF.subarray(0, 90), Buffer.from('<!doctype html>'), endlessFilm(200)]) {
      const file = await put('file', bytes);
      const verdict = await checker.check(file.path, file.bytes);
      expect(await checker.check(join(folder, 'gone'), bytes.length, apart(bytes))).toEqual(verdict);
    }
  });

  test('is given away: nobody writes into what is looked at', async () => {
    const content = apart(GIF);
    const check = checker.check(join(folder, 'gone'), content.length, content);
    expect(content.length).toBe(0);
    expect(await check).toMatchObject({ kind: 'media' });
  });

  test('and runs wild is given up after its time, and the next file is checked', async () => {
    await checker.close();
    checker = threadMediaChecker({ memoryMb: 256, leastMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY });
    const film = inMovie(1 << 20);
    const checks = [apart(film), apart(GIF)].map((content) => checker.check('gone', content.length, content));
    const [first] = await Promise.all(checks);
    expect(first).toEqual({ kind: 'unchecked', reason: reason('media.notInTime', 0) });
  });
});

describe('a check that runs wild', () => {
  test('is given up after its time, and the next file is checked', async () => {
    await checker.close();
    checker = threadMediaChecker({ memoryMb: 256, leastMs: 0, bytesPerSecond: Number.POSITIVE_INFINITY });
    const film = await put('film.mp4', inMovie(16 << 20));
    const [first, second] = await Promise.all([
      checker.check(film.path, film.bytes),
      checker.check(film.path, film.bytes),
    ]);
    expect(first).toEqual({ kind: 'unchecked', reason: reason('media.notInTime', 0) });
    expect(second.kind).toBe('unchecked');
  });

  test('is answered for once, whatever its thread says while it is ended', async () => {
    await checker.close();
    checker = threadMediaChecker({ memoryMb: 256, leastMs: 1500, bytesPerSecond: Number.POSITIVE_INFINITY });
    const small = await put('small.gif', GIF);
    await checker.check(small.path, small.bytes);
    const long = await put('long.mp4', inMovie(48 << 20));
    const checks = [checker.check(long.path, long.bytes), checker.check(small.path, small.bytes)];
    // The limit and the verdict fall due in the same moment, as after a stall of this process.
    setImmediate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2500));
    const [, second] = await Promise.all(checks);
    expect(second).toMatchObject({ kind: 'media' });
  });

  test('a file that is not there is the disk’s fault', async () => {
    await expect(checker.check(join(folder, 'gone.mp4'), 3)).rejects.toMatchObject({ code: 'ENOENT' });
    const small = await put('small.gif', GIF);
    expect(await checker.check(small.path, small.bytes)).toMatchObject({ kind: 'media' });
  });

  test('is answered for when the checker is closed', async () => {
    const film = await put('film.mp4', inMovie(16 << 20));
    const checks = [checker.check(film.path, film.bytes), checker.check(film.path, film.bytes)];
    await checker.close();
    expect((await Promise.all(checks)).map(({ kind }) => kind)).toEqual(['unchecked', 'unchecked']);
  });
});
