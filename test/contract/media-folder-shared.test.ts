/** A media folder that other programs use, too: Nocturne with another store, or one that tags or moves what appears. */
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import type { FetchOutcome, MediaFolder } from '../../src/engine/ports/media-folder.ts';
import { createMemoryJournal, type MemoryJournal } from '../support/memory-journal.ts';
import { longerPng, setUpMediaRig, sha256 } from '../support/media-rig.ts';
import { cutAfter, serveHonestly } from '../support/media-server.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
/** Too long to be written in one go. */
const LONG_PNG = longerPng(PNG, 100_000);

const rig = setUpMediaRig();

describe('another store', () => {
  const opened: MediaFolder[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((media) => media.close())));

  function folderOf(owner: string): MediaFolder {
    const media = createMediaFolder({ clock: rig.clock, minFreeBytes: 0, owner });
    opened.push(media);
    return media;
  }

  function fetchInto(media: MediaFolder, journal: MemoryJournal = createMemoryJournal()): Promise<FetchOutcome> {
    return media.fetch(journal.next(rig.requestFor()), rig.profile, journal, new AbortController().signal);
  }

  test('has outputs of the same ids: its parts are neither swept, continued nor removed', async () => {
    const [ours, theirs] = [folderOf('ours'), folderOf('theirs')];
    rig.server.answer((_, response) => {
      response.writeHead(200, { 'content-length': LONG_PNG.length, etag: '"a"' });
      cutAfter(response, LONG_PNG.subarray(0, 90_000));
    });
    const journal = createMemoryJournal();
    await fetchInto(theirs, journal);
    const part = ['theirs-7-1.1.part'];
    expect(await rig.filesIn('image')).toEqual(part);
    await writeFile(join(rig.folder, 'image', '7-1.1.part'), 'without a mark');

    await ours.sweep(rig.folder, () => false);
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    expect(await fetchInto(ours)).toMatchObject({ kind: 'verified' });
    expect(await rig.filesIn('image')).toEqual(['7-1.1.part', 'r1-moon.png', ...part]);

    const asked: string[] = [];
    await theirs.sweep(rig.folder, (outputId) => asked.push(outputId) === 0);
    expect(asked).toEqual(['7-1']);
    expect(await rig.filesIn('image')).toEqual(['7-1.1.part', 'r1-moon.png']);
  });

  test('has documents of the same ids', async () => {
    await mkdir(join(rig.folder, 'data'));
    await writeFile(join(rig.folder, 'data', '7-1.1.part'), 'theirs');
    const { url: _, ...request } = rig.requestFor('/', { kind: 'data' });
    await folderOf('ours').writeDocument({ ...request, document: '{}' }, createMemoryJournal());
    expect(await rig.filesIn('data')).toEqual(['7-1.1.part', 'r1-moon.json']);
  });
});

describe('another worker of the same store', () => {
  const opened: MediaFolder[] = [];
  afterEach(() => Promise.all(opened.splice(0).map((media) => media.close())));

  function folderOf(worker: string): MediaFolder {
    const media = createMediaFolder({ clock: rig.clock, minFreeBytes: 0, owner: 'store', worker });
    opened.push(media);
    return media;
  }

  function fetchInto(media: MediaFolder, journal: MemoryJournal, signal = new AbortController().signal) {
    return media.fetch(journal.next(rig.requestFor()), rig.profile, journal, signal);
  }

  function cutOff(): void {
    rig.server.answer((_, response) => {
      response.writeHead(200, { 'content-length': LONG_PNG.length, etag: '"a"' });
      cutAfter(response, LONG_PNG.subarray(0, 90_000));
    });
  }

  test('writes parts of its own for the same output, and does not continue ours', async () => {
    cutOff();
    const journal = createMemoryJournal();
    await fetchInto(folderOf('a1'), journal);
    await fetchInto(folderOf('b2'), journal);
    expect(await rig.filesIn('image')).toEqual(['store_a1-7-1.1.part', 'store_b2-7-1.2.part']);
    rig.server.answer((request, response) => serveHonestly(request, response, LONG_PNG));
    expect(await fetchInto(folderOf('c3'), journal)).toMatchObject({ kind: 'verified' });
    expect(await rig.bytesOf('image/r1-moon.png')).toEqual(LONG_PNG);
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png', 'store_a1-7-1.1.part', 'store_b2-7-1.2.part']);
  });

  test('that is gone leaves parts, which are swept by its name; those of one at work stay', async () => {
    await mkdir(join(rig.folder, 'image'));
    const names = [
      'store-7-1.1.part',
      'store_a1-7-1.1.part',
      'store_b2-7-1.1.part',
      'store_b2-7-2.1.part',
      'other_b2-7-1.1.part',
    ];
    for (const name of names) await writeFile(join(rig.folder, 'image', name), 'x');
    const asked: string[] = [];
    await folderOf('a1').sweep(rig.folder, (outputId, worker) => {
      asked.push(`${outputId} of ${worker ?? 'this one'}`);
      return worker === 'b2';
    });
    expect(asked.sort()).toEqual(['7-1 of ', '7-1 of b2', '7-1 of this one', '7-2 of b2']);
    expect(await rig.filesIn('image')).toEqual(['other_b2-7-1.1.part', 'store_b2-7-1.1.part', 'store_b2-7-2.1.part']);
  });

  test('that is gone had a whole file whose name is committed: it is placed, although its address has expired', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, LONG_PNG));
    const journal = createMemoryJournal();
    const killed: MemoryJournal = {
      ...journal,
      async placing(placement, started) {
        await journal.placing(placement, started);
        throw new Error('killed here');
      },
    };
    expect(await fetchInto(folderOf('a1'), { ...killed, next: (request) => journal.next(request) })).toEqual({
      kind: 'interrupted',
    });
    expect(await rig.filesIn('image')).toEqual(['store_a1-7-1.1.part']);
    await writeFile(join(rig.folder, 'image', 'store_c3-7-1.1.part'), 'not whole');
    rig.server.answer((_, response) => response.writeHead(403).end());
    expect(await fetchInto(folderOf('b2'), journal)).toMatchObject({
      kind: 'verified',
      placement: { path: 'image/r1-moon.png' },
    });
    expect(await rig.bytesOf('image/r1-moon.png')).toEqual(LONG_PNG);
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png', 'store_c3-7-1.1.part']);
  });

  test.each([
    ['short', PNG],
    ['long', LONG_PNG],
  ] as const)(
    'writes a %s file that it had committed when this one has the download: it is there once',
    async (_, png) => {
      rig.server.answer((request, response) => serveHonestly(request, response, png));
      const journal = createMemoryJournal();
      // The other one has committed this name, and holds the whole file in its memory.
      const path = 'image/r1-moon.png';
      await journal.placing({ path, sha256: sha256(png), bytes: png.length, mediaType: 'image/png' });
      const late: MemoryJournal = {
        ...journal,
        async placing(placement, started) {
          const isOwn = await journal.placing(placement, started);
          await mkdir(join(rig.folder, 'image'), { recursive: true });
          // It stood still until now, and no fence holds what it writes.
          await writeFile(join(rig.folder, placement.path), png, { flag: 'wx' });
          return isOwn;
        },
      };
      expect(await fetchInto(folderOf('b2'), late)).toMatchObject({
        kind: 'verified',
        placement: { path: 'image/r1-moon.png' },
      });
      expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
    },
  );
});

describe('a long file', () => {
  function fetchLong(journal = createMemoryJournal()): Promise<FetchOutcome> {
    rig.server.answer((request, response) => serveHonestly(request, response, LONG_PNG));
    return rig.fetchIt(rig.requestFor(), journal);
  }

  test.each([
    ['of the same length is not placed', Buffer.alloc(LONG_PNG.length), 'download-failed'],
    ['of the same content is placed', LONG_PNG, 'verified'],
  ] as const)('whose part is replaced by one %s', async (_, other, kind) => {
    const journal = createMemoryJournal();
    const replacing: MemoryJournal = {
      ...journal,
      placing(placement, started) {
        const part = join(rig.folder, 'image', '7-1.1.part');
        writeFileSync(`${part}-2`, other);
        renameSync(`${part}-2`, part);
        return journal.placing(placement, started);
      },
    };
    expect(await fetchLong(replacing)).toMatchObject({ kind });
    expect(await rig.filesIn('image')).toEqual(kind === 'verified' ? ['r1-moon.png'] : []);
  });

  test.each([
    ['tagged', (path: string) => writeFileSync(path, 'tagged'), ['r1-moon.png'], 'verified'],
    ['moved away', (path: string) => rmSync(path), [], 'verified'],
    ['a link', (path: string) => symlinkSync(path, `${path}-2`), [], 'download-failed'],
  ] as const)('that is %s once it has its name', async (_, change, left, kind) => {
    const path = join(rig.folder, 'image', 'r1-moon.png');
    const unwatch = watchCrashPoints((name) => {
      if (name !== 'place.part-removed') return;
      change(path);
      if (kind !== 'verified') renameSync(`${path}-2`, path);
    });
    onTestFinished(unwatch);
    expect(await fetchLong()).toMatchObject({ kind });
    expect(await rig.filesIn('image')).toEqual(left);
    if (left.length > 0) expect(await readFile(path, 'utf8')).toBe('tagged');
  });
});

test.each([
  ['short', PNG],
  ['long', LONG_PNG],
])('a folder under the name of an older part holds up no %s file', async (_, body) => {
  rig.server.answer((request, response) => serveHonestly(request, response, body));
  await mkdir(join(rig.folder, 'image', '7-1.1.part', 'theirs'), { recursive: true });
  const request = rig.requestFor('/a', { generation: 1 });
  expect(await rig.fetchIt(request)).toMatchObject({ kind: 'verified' });
  expect(await rig.filesIn('image')).toEqual(['7-1.1.part', 'r1-moon.png']);
});
