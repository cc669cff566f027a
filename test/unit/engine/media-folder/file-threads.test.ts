import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKnownFolders, numberOf } from '../../../../src/engine/media-folder/known-folders.ts';
import type { Place } from '../../../../src/engine/media-folder/fetch/place.ts';
import { diskFailure } from '../../../../src/engine/media-folder/disk-failure.ts';
import { placeVerified } from '../../../../src/engine/media-folder/place-file.ts';
import { startFileThreads, type FileThreads } from '../../../../src/engine/media-folder/thread/file-threads.ts';
import { sha256 } from '../../../support/media-rig.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

let folder: string;
let files: FileThreads;

beforeEach(() => {
  folder = temporaryFolder();
  files = startFileThreads();
});

afterEach(() => files.close());

/** In memory of its own, which can be given away. */
function apart(text: string): Buffer<ArrayBuffer> {
  return Buffer.from(Uint8Array.from(Buffer.from(text)).buffer);
}

describe('a short body', () => {
  test('is written, what is older is gone, and its memory comes back', async () => {
    const [part, older] = [join(folder, '1-1.2.part'), join(folder, '1-1.1.part')];
    writeFileSync(older, 'old');
    const content = apart('new');
    const kept = await files.write(folder, { part, older: [older, join(folder, 'gone')], content });
    // Nobody else writes into what is being written.
    expect(content.length).toBe(0);
    expect(kept.kind).toBe('kept');
    expect(kept.content.toString()).toBe('new');
    expect(readdirSync(folder)).toEqual(['1-1.2.part']);
  });

  test('is not written through a link, nor where its folder is another one', async () => {
    const theirs = join(temporaryFolder(), 'theirs');
    writeFileSync(theirs, 'theirs');
    const image = join(folder, 'image');
    mkdirSync(image);
    const part = join(image, '1-1.1.part');
    symlinkSync(theirs, part);
    const folders = createKnownFolders();
    await folders.open(folder, 'image', undefined);
    const marks = folders.marksOf(folder, 'image', await numberOf(folder));
    if (marks === undefined) throw new Error('The folder is not known.');
    expect(await files.write(folder, { part, older: [], content: apart('a'), marks })).toMatchObject({ kind: 'kept' });
    expect(readFileSync(theirs, 'utf8')).toBe('theirs');
    for (const replace of [() => mkdirSync(image), () => symlinkSync(join(folder, 'away-0'), image), () => undefined]) {
      renameSync(image, join(folder, `away-${readdirSync(folder).length - 1}`));
      replace();
      const kept = await files.write(folder, { part: join(image, 'b.part'), older: [], content: apart('b'), marks });
      expect(kept).toMatchObject({ kind: 'moved-away' });
      expect(kept.content.toString()).toBe('b');
      expect(existsSync(join(image, 'b.part'))).toBe(false);
      if (!existsSync(image)) mkdirSync(image);
    }
    expect(folders.marksOf(folder, 'image', 'another')).toBeUndefined();
  });

  test('that the disk refuses is refused with the disk’s own code, and the next is written', async () => {
    const gone = { part: join(folder, 'gone', 'a.part'), older: [], content: apart('a') };
    const error: unknown = await files.write(folder, gone).catch((refused: unknown) => refused);
    expect(diskFailure(error, folder)).toMatchObject({ code: 'DISK_DENIED', data: { code: 'ENOENT' } });
    const next = { part: join(folder, 'a.part'), older: [], content: apart('a') };
    expect(await files.write(folder, next)).toMatchObject({ kind: 'kept' });
  });
});

describe('bodies that get their names at once', () => {
  test('get each its own answer, and replace nothing', async () => {
    writeFileSync(join(folder, '2.png'), 'mine');
    symlinkSync(join(folder, '2.png'), join(folder, '3.part'));
    symlinkSync(join(folder, 'nowhere'), join(folder, '4.png'));
    const answers = await Promise.all(
      ['1', '2', '3', '4'].map((name) =>
        files.write(folder, {
          part: join(folder, `${name}.part`),
          older: [],
          content: apart('ours'),
          name: `${name}.png`,
        }),
      ),
    );
    expect(answers.map(({ kind }) => kind)).toEqual(['placed', 'taken', 'placed', 'taken']);
    expect(readdirSync(folder).sort()).toEqual(['1.png', '2.png', '3.png', '4.png']);
    expect(['2.png', '3.png'].map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(['mine', 'ours']);
  });

  test('are copied where there are no hard links', async () => {
    const part = join(folder, '1-1.1.part');
    const place: Place = {
      path: folder,
      look: () => Promise.resolve(),
      write({ content }) {
        writeFileSync(part, content);
        return Promise.resolve({ kind: 'no-links', path: part });
      },
    };
    const named = { kind: 'image', stem: 'moon', extension: 'png', mediaType: 'image/png' };
    const content = apart('ours');
    const order = { part: { outputId: '1-1', generation: 1, content }, ...named, sha256: sha256(content), bytes: 4 };
    expect(await placeVerified(order, place, () => Promise.resolve(true))).toMatchObject({ path: 'image/moon.png' });
    expect(readdirSync(folder)).toEqual(['moon.png']);
  });
});

describe('a thread', () => {
  /** Hangs where a part's name says so, and ends where it says that; else it says that a part was placed. */
  const STUBBORN = `
    const { parentPort } = require('node:worker_threads');
    parentPort.on('message', (orders) => {
      if (orders.some(({ part }) => part === 'end')) process.exit();
      if (orders.some(({ part }) => part === 'hang')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      parentPort.postMessage({ kind: 'answers', answers: orders.map(() => ({ kind: 'placed' })), contents: [] });
    });`;

  const PROGRAM = `data:text/javascript,${encodeURIComponent(`import{createRequire}from'node:module';const require=createRequire('/');${STUBBORN}`)}`;
  let program: URL;

  beforeEach(() => {
    program = new URL(PROGRAM);
    files = startFileThreads({ program, patienceMs: 0 });
  });

  async function write(media: string, part: string): Promise<string> {
    const { kind } = await files.write(media, { part, content: apart('a'), older: [], name: 'a' });
    return kind;
  }

  test('that waits for a disk holds up no other disk', async () => {
    const hanging = Array.from({ length: 50 }, () => write('/hung', 'hang'));
    let isAnswered = false;
    for (const one of hanging) void one.then(() => (isAnswered = true));
    for (let i = 0; i < 3; i += 1) expect(await write('/sound', 'a')).toBe('placed');
    expect(isAnswered).toBe(false);
  });

  test('that ends rejects what it was asked, and another goes on', async () => {
    const error = await write('/media', 'end').catch((ended: unknown) => ended);
    expect(error).toMatchObject({ message: 'The thread for files has ended.' });
    expect(diskFailure(error, '/media')).toMatchObject({ code: 'DISK_DENIED', data: { code: 'NO_THREAD' } });
    expect(await write('/media', 'a')).toBe('placed');
  });

  test('that cannot be started rejects what is asked like a disk that fails, and is tried again', async () => {
    program.href = 'nowhere:';
    const refused = await Promise.all(
      ['a', 'b'].map((part) => write(`/${part}`, part).catch((error: unknown) => error)),
    );
    for (const error of refused) {
      expect(diskFailure(error, '/media')).toMatchObject({ code: 'DISK_DENIED', data: { code: 'NO_THREAD' } });
    }
    program.href = PROGRAM;
    expect(await write('/media', 'a')).toBe('placed');
  });

  test('that cannot be started beside another is tried again while something waits', async () => {
    void write('/hung', 'hang');
    await setImmediate();
    program.href = 'nowhere:';
    const waiting = write('/sound', 'a');
    await setImmediate();
    program.href = PROGRAM;
    expect(await waiting).toBe('placed');
  });
});
