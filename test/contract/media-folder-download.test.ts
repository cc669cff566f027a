import { linkSync, lstatSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMediaFolder } from '../../src/engine/media-folder/media-folder.ts';
import type { FetchOutcome, FetchRequest, MediaFolder } from '../../src/engine/ports/media-folder.ts';
import { KeyRing } from '../../src/engine/gateway/key-ring.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import type { MemoryJournal } from '../support/memory-journal.ts';
import { longerPng, profileWith, sha256, setUpMediaRig } from '../support/media-rig.ts';
import { cutAfter, serveHonestly } from '../support/media-server.ts';
import type { MediaServer } from '../support/media-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
const MP4 = readFileSync(new URL('../fixtures/media/clip.mp4', import.meta.url));
const MP3 = readFileSync(new URL('../fixtures/media/tone-cbr.mp3', import.meta.url));
const LIVE_WEBM = readFileSync(new URL('../fixtures/media/clip-live.webm', import.meta.url));

const rig = setUpMediaRig();

describe('an honest server', () => {
  test('a file is placed under its name with the extension of what it is, and its sha256 is true', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    const outcome = await rig.fetchIt(rig.requestFor('/named.mp4'));
    expect(outcome).toEqual({
      kind: 'verified',
      placement: { path: 'image/r1-moon.png', sha256: sha256(PNG), bytes: PNG.length, mediaType: 'image/png' },
    });
    expect(await rig.bytesOf('image/r1-moon.png')).toEqual(PNG);
    expect(await rig.filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('a file that is another output of its task already is not placed once more', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    const outcome = await rig.fetchIt(rig.requestFor('/b', { others: [sha256(PNG)] }));
    expect(outcome).toMatchObject({ kind: 'unverifiable', likeness: sha256(PNG) });
    expect(await rig.filesIn('image')).toEqual([]);
  });

  test('the request carries no key and asks for the bytes as they are', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    await rig.fetchIt();
    expect(Object.keys(rig.server.requests[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
    expect(rig.server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('a file is kept in the folder of its operation even when it is something else', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, MP4));
    const outcome = await rig.fetchIt();
    expect(outcome).toMatchObject({
      kind: 'verified',
      placement: { path: 'image/r1-moon.mp4', mediaType: 'video/mp4', seconds: 0.6 },
    });
  });

  test('a body without a length is taken when the container ends properly', async () => {
    rig.server.answer((_, response) => response.writeHead(200).end(PNG));
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test('many large blocks arrive whole', async () => {
    const large = longerPng(PNG, 9_000_001);
    rig.server.answer((request, response) => serveHonestly(request, response, large));
    const outcome = await rig.fetchIt();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(large), bytes: large.length } });
  });
});

describe('lengths that lie', () => {
  test('a body that is shorter than its length is no success', async () => {
    rig.server.answer((_, response) => {
      response.writeHead(200, { 'content-length': PNG.length });
      cutAfter(response, PNG.subarray(0, 100));
    });
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
    expect(await rig.filesIn('image')).toEqual(['7-1.1.part']);
  });

  test('a body without a length that the server cuts is no success', async () => {
    rig.server.answer((_, response) => {
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      response.writeHead(200);
      response.end(PNG.subarray(0, 200));
    });
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
  });

  test('a body without a length in a format without an end is kept aside, not called done', async () => {
    rig.server.answer((_, response) => response.writeHead(200).end(LIVE_WEBM));
    expect(await rig.fetchIt()).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1-moon.webm' });
  });

  test('an empty file is tried again', async () => {
    rig.server.answer((_, response) => response.writeHead(200, { 'content-length': 0 }).end());
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
  });

  test('a declared size over the cap and an endless body both stop at the cap', async () => {
    rig.profile = profileWith({ allowHosts: [rig.server.host], maxBytes: 100_000 });
    rig.server.answer((_, response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (response.write(Buffer.alloc(16_384, 1)));
        response.once('drain', pour);
      };
      pour();
    });
    expect(await rig.fetchIt()).toMatchObject({ kind: 'unverifiable', failure: { code: 'OUTPUT_UNVERIFIABLE' } });
    expect(await rig.filesIn('image')).toEqual([]);
    rig.server.answer((_, response) =>
      response.writeHead(200, { 'content-length': 100_001 }).end(Buffer.alloc(100_001)),
    );
    expect(await rig.fetchIt()).toMatchObject({ kind: 'unverifiable' });
    expect(await rig.filesIn('image')).toEqual([]);
  });
});

describe('what a file is', () => {
  test('a web page named .mp4 is set aside and explained', async () => {
    const page = Buffer.from('<!DOCTYPE html><title>Sign in</title>');
    rig.server.answer((request, response) => serveHonestly(request, response, page));
    const outcome = await rig.fetchIt(rig.requestFor('/clip.mp4'));
    expect(outcome).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1-moon.txt' });
    expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('is a web page') as string } });
    expect(await rig.bytesOf('set-aside/r1-moon.txt')).toEqual(page);
    expect(await rig.filesIn('image')).toEqual([]);
  });

  test('an error in JSON is no song, whatever its status', async () => {
    const words = Buffer.from('{"error":"busy"}');
    rig.server.answer((request, response) => serveHonestly(request, response, words));
    const outcome = await rig.fetchIt(rig.requestFor('/song.mp3', { kind: 'music' }));
    expect(outcome).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1-moon.txt' });
    expect(outcome).not.toHaveProperty('likeness');
    expect(await rig.filesIn('music')).toEqual([]);
  });

  test('a file that is cut off at its source is set aside, whatever its length says', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, MP4.subarray(0, 3000)));
    expect(await rig.fetchIt()).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1-moon.mp4' });
  });

  test('a compressed body is never inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    rig.server.answer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb),
    );
    const outcome = await rig.fetchIt();
    expect(outcome).toMatchObject({
      kind: 'unverifiable',
      path: 'set-aside/r1-moon.bin',
      failure: { message: expect.stringContaining('compressed the file') as string },
    });
    expect((await rig.bytesOf('set-aside/r1-moon.bin')).length).toBe(bomb.length);
  });

  test.each(['aws-chunked', 'UTF-8', 'binary', ' identity , '])('%j is no compression', async (encoding) => {
    rig.server.answer((request, response) => {
      response.setHeader('content-encoding', encoding);
      serveHonestly(request, response, PNG);
    });
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test('of what cannot be verified, every version is kept once', async () => {
    const send = (text: string): void =>
      rig.server.answer((request, response) => serveHonestly(request, response, Buffer.from(text)));
    send('no media');
    const first = await rig.fetchIt();
    expect(first).toMatchObject({ kept: { path: 'set-aside/r1-moon.txt', bytes: 8 } });
    const kept = first.kind === 'unverifiable' && first.kept !== undefined ? [first.kept] : [];
    const again = await rig.fetchIt(rig.requestFor('/a.bin', { kept, generation: 1 }));
    expect(again).toMatchObject({ path: 'set-aside/r1-moon.txt' });
    expect(again).not.toHaveProperty('kept');
    expect(await rig.filesIn('set-aside')).toEqual(['r1-moon.txt']);
    send('no media either');
    const other = await rig.fetchIt(rig.requestFor('/a.bin', { kept, generation: 2 }));
    expect(other).toMatchObject({ kept: { path: 'set-aside/r1-moon-2.txt' } });
    expect(await rig.filesIn('image')).toEqual([]);
  });

  test('versions without end are not kept without end, and one that was removed is kept again', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, Buffer.from('no media')));
    const kept = Array.from({ length: 8 }, (_, i) => ({ path: `set-aside/${i}.txt`, sha256: `${i}`, bytes: 1 }));
    expect(await rig.fetchIt(rig.requestFor('/a.bin', { kept }))).not.toHaveProperty('path');
    expect(await rig.filesIn('image')).toEqual([]);
    const removed = [{ path: 'set-aside/gone.txt', sha256: sha256(Buffer.from('no media')), bytes: 8 }];
    expect(await rig.fetchIt(rig.requestFor('/a.bin', { kept: removed }))).toMatchObject({
      path: 'set-aside/r1-moon.txt',
    });
  });

  test('broken media are told apart by their bytes, pages are not: these may give way to the file', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, MP4.subarray(0, 3000)));
    expect(await rig.fetchIt()).toMatchObject({ likeness: sha256(MP4.subarray(0, 3000)) });
    rig.server.answer((_, response) => response.writeHead(200).end(MP4.subarray(0, 3000)));
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed', likeness: sha256(MP4.subarray(0, 3000)) });
    rig.server.answer((request, response) => serveHonestly(request, response, Buffer.from('<!doctype html>')));
    expect(await rig.fetchIt()).not.toHaveProperty('likeness');
    expect(await rig.fetchIt(rig.requestFor('/', { url: 'file:///etc/passwd' }))).toHaveProperty('likeness');
  });

  test('a second file that is set aside does not replace the first', async () => {
    rig.server.answer((request, response) => serveHonestly(request, response, Buffer.from('no media')));
    await rig.fetchIt();
    expect(await rig.fetchIt()).toMatchObject({ path: 'set-aside/r1-moon-2.txt' });
  });
});

describe('resuming', () => {
  /** Cuts the first answer in the middle of the file. */
  function cutFirst(body: Buffer, etag: string, then: Parameters<MediaServer['answer']>[0]): void {
    rig.server.answer((request, response, number) => {
      if (number > 1) return then(request, response, number);
      response.writeHead(200, { 'content-length': body.length, etag });
      cutAfter(response, body.subarray(0, body.length >> 1));
    });
  }

  async function fetchTwice(): Promise<{ readonly outcome: FetchOutcome; readonly journal: MemoryJournal }> {
    const journal = createMemoryJournal();
    expect(await rig.fetchIt(rig.requestFor(), journal)).toMatchObject({ kind: 'download-failed' });
    return { outcome: await rig.fetchIt(journal.next(rig.requestFor()), journal), journal };
  }

  test('the rest is asked for by its strong ETag and appended', async () => {
    cutFirst(MP4, '"v1"', (request, response) => serveHonestly(request, response, MP4));
    const { outcome, journal } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(MP4), bytes: MP4.length } });
    expect(rig.server.requests[1]?.headers).toMatchObject({ 'if-range': '"v1"', range: `bytes=${MP4.length >> 1}-` });
    expect(journal.generation).toBe(1);
  });

  test.each([['a link', symlinkSync] as const, ['a second name', linkSync] as const])(
    'a part that has become %s of a file elsewhere is not written to: the file is fetched anew',
    async (_, become) => {
      const elsewhere = join(temporaryFolder(), 'theirs.mp4');
      const half = MP4.subarray(0, MP4.length >> 1);
      writeFileSync(elsewhere, half);
      cutFirst(MP4, '"v1"', (request, response) => serveHonestly(request, response, MP4));
      const journal = createMemoryJournal();
      await rig.fetchIt(rig.requestFor(), journal);
      const part = join(rig.folder, 'image', '7-1.1.part');
      expect(readFileSync(part)).toEqual(half);
      rmSync(part);
      become(elsewhere, part);
      expect(await rig.fetchIt(journal.next(rig.requestFor()), journal)).toMatchObject({ kind: 'verified' });
      expect(readFileSync(elsewhere)).toEqual(half);
      expect(lstatSync(join(rig.folder, 'image', 'r1-moon.mp4')).isFile()).toBe(true);
    },
  );

  test('a part that becomes a link while the rest is on its way is not written to', async () => {
    const elsewhere = join(temporaryFolder(), 'theirs.mp4');
    writeFileSync(elsewhere, MP4.subarray(0, MP4.length >> 1));
    cutFirst(MP4, '"v1"', (request, response) => {
      const part = join(rig.folder, 'image', '7-1.1.part');
      if (request.headers.range !== undefined) {
        rmSync(part);
        symlinkSync(elsewhere, part);
      }
      serveHonestly(request, response, MP4);
    });
    const { outcome, journal } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(MP4) } });
    expect(journal.generation).toBe(2);
    expect(readFileSync(elsewhere).length).toBe(MP4.length >> 1);
  });

  test('a weak ETag is never resumed', async () => {
    cutFirst(MP4, 'W/"v1"', (request, response) => serveHonestly(request, response, MP4));
    const { outcome } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified' });
    expect(rig.server.requests[1]?.headers.range).toBeUndefined();
  });

  test('a file that changed in between is fetched anew: the parts are never joined', async () => {
    const changed = Buffer.from(MP4);
    changed.write('other brand', 16, 'latin1');
    cutFirst(MP4, '"v1"', (request, response) => serveHonestly(request, response, changed, '"v2"'));
    const { outcome, journal } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(changed) } });
    expect(journal).toMatchObject({ generation: 2, validator: '"v2"' });
    expect(await rig.filesIn('image')).toEqual(['r1-moon.mp4']);
  });

  const lies: readonly (readonly [string, (half: number) => Record<string, string | number>])[] = [
    [
      'another start',
      (half) => ({ 'content-range': `bytes 0-${MP4.length - 1}/${MP4.length}`, etag: '"v1"', 'content-length': half }),
    ],
    ['another ETag', (half) => ({ 'content-range': `bytes ${half}-${MP4.length - 1}/${MP4.length}`, etag: '"v2"' })],
    ['no ETag', (half) => ({ 'content-range': `bytes ${half}-${MP4.length - 1}/${MP4.length}` })],
    ['no total', (half) => ({ 'content-range': `bytes ${half}-${MP4.length - 1}/*`, etag: '"v1"' })],
    [
      'an end before the end',
      (half) => ({ 'content-range': `bytes ${half}-${MP4.length - 2}/${MP4.length}`, etag: '"v1"' }),
    ],
    ['no range', () => ({ etag: '"v1"' })],
  ];

  test.each(lies)('a 206 with %s is not appended: the file is fetched anew', async (_, headersOf) => {
    cutFirst(MP4, '"v1"', (request, response, number) => {
      if (number === 2) response.writeHead(206, headersOf(MP4.length >> 1)).end(Buffer.alloc(MP4.length >> 1, 0x58));
      else serveHonestly(request, response, MP4);
    });
    const { outcome } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(MP4) } });
    expect(rig.server.requests[2]?.headers.range).toBeUndefined();
  });

  test('416 with the right total: the part is whole and is verified as it is', async () => {
    rig.server.answer((request, response, number) => {
      if (number > 1) return serveHonestly(request, response, MP4);
      response.writeHead(200, { 'content-length': MP4.length + 1, etag: '"v1"' });
      return cutAfter(response, MP4);
    });
    const { outcome } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(MP4) } });
    expect(rig.server.requests.length).toBe(2);
  });

  test('416 with another total: start over', async () => {
    cutFirst(MP4, '"v1"', (request, response, number) => {
      if (number === 2) response.writeHead(416, { 'content-range': 'bytes */9' }).end();
      else serveHonestly(request, response, MP4);
    });
    expect((await fetchTwice()).outcome).toMatchObject({ kind: 'verified' });
  });

  test('after two fruitless resumes a host is not asked for ranges any more', async () => {
    for (const expected of ['bytes', 'bytes', undefined]) {
      cutFirst(MP4, '"v1"', (_, response) =>
        response.writeHead(200, { 'content-length': MP4.length, etag: '"v1"' }).end(MP4),
      );
      const before = rig.server.requests.length;
      await fetchTwice();
      expect(rig.server.requests[before + 1]?.headers.range?.slice(0, 5)).toBe(expected);
    }
  });

  /** Files whose first byte is written while they arrive, after all of them, and when they have broken off. */
  const ways: readonly (readonly [string, Parameters<MediaServer['answer']>[0]])[] = [
    ['that streams', (request, response) => serveHonestly(request, response, longerPng(PNG, 100_000), '"v9"')],
    ['that is short', (request, response) => serveHonestly(request, response, PNG, '"v9"')],
    ['that turns out long', (_, response) => response.writeHead(200, { etag: '"v9"' }).end(longerPng(PNG, 100_000))],
    ['that is no media', (request, response) => serveHonestly(request, response, Buffer.from('words'), '"v9"')],
    [
      'that breaks off',
      (_, response) => {
        response.writeHead(200, { 'content-length': PNG.length, etag: '"v9"' });
        cutAfter(response, PNG.subarray(0, 100));
      },
    ],
  ];

  test.each(ways)(
    'of a file %s, the generation and its validator are committed before the first byte is written',
    async (_, answer) => {
      rig.server.answer(answer);
      const journal = createMemoryJournal();
      const seen: unknown[] = [];
      const watching: MemoryJournal = {
        ...journal,
        async generationStarted(generation, validator) {
          seen.push(await rig.filesIn('image'), { generation, validator });
          await journal.generationStarted(generation, validator);
        },
        async placing(placement, started) {
          if (started !== undefined) seen.push(await rig.filesIn('image'), started);
          return journal.placing(placement, started);
        },
      };
      await rig.fetchIt(rig.requestFor(), watching);
      expect(seen).toEqual([[], { generation: 1, validator: '"v9"' }]);
    },
  );

  test.each(ways)('of a file %s, a commit that is lost stops the download', async (_, answer) => {
    rig.server.answer(answer);
    const journal = createMemoryJournal();
    const lose = (): Promise<never> => Promise.reject(new Error('stale'));
    const lost = { ...journal, generationStarted: lose, placing: lose };
    expect(await rig.fetchIt(rig.requestFor(), lost)).toEqual({ kind: 'interrupted' });
    expect(await rig.filesIn('image')).toEqual([]);
  });
});

describe('a server that knows the key', () => {
  const KEY = 'sk-night"owl/1234567890';
  let media: MediaFolder;
  let keys: KeyRing;
  let blockSeen: () => void;

  beforeEach(() => {
    keys = new KeyRing();
    blockSeen = () => undefined;
    keys.set('http://localhost:1', KEY);
    media = createMediaFolder({
      clock: rig.clock,
      minFreeBytes: 0,
      holdsKey: (text) => keys.finder.holds(text),
      holdsKeyPlainly: (bytes) => {
        const isHeld = keys.isPlainlyIn(bytes);
        blockSeen();
        return isHeld;
      },
      keysKnown: () => keys.known,
    });
  });
  afterEach(() => media.close());

  function fetchWith(journal: MemoryJournal, kind: FetchRequest['kind'] = 'image'): Promise<FetchOutcome> {
    return media.fetch(rig.requestFor('/a', { kind }), rig.profile, journal, new AbortController().signal);
  }

  test('an ETag that repeats it is not kept', async () => {
    const etag = `"${encodeURIComponent(KEY)}"`;
    rig.server.answer((_, response) => {
      response.writeHead(200, { 'content-length': MP4.length, etag });
      cutAfter(response, MP4.subarray(0, 3000));
    });
    const journal = createMemoryJournal();
    await fetchWith(journal);
    expect(journal).toMatchObject({ generation: 1, validator: undefined });
  });

  const forms: readonly (readonly [string, Buffer])[] = [
    ['as it is', Buffer.from(KEY)],
    ['as JSON has it', Buffer.from(JSON.stringify({ key: KEY }))],
    ['in UTF-16', Buffer.from(KEY, 'utf16le')],
    ['in UTF-16, the other way round', Buffer.from(KEY, 'utf16le').swap16()],
  ];

  test.each(forms)('a whole file with it in its tags, %s, is not kept', async (_, text) => {
    const song = Buffer.concat([id3With(text), MP3]);
    rig.server.answer((request, response) => serveHonestly(request, response, song));
    expect(await fetchWith(createMemoryJournal(), 'music')).toMatchObject({
      kind: 'unverifiable',
      likeness: sha256(song),
      failure: { message: 'The file is complete. It contains your gateway’s key, so it was not kept.' },
    });
    expect(await rig.filesIn('music')).toEqual([]);
    const harmless = Buffer.concat([id3With(Buffer.from('night owl')), MP3]);
    rig.server.answer((request, response) => serveHonestly(request, response, harmless));
    expect(await fetchWith(createMemoryJournal(), 'music')).toMatchObject({ kind: 'verified' });
  });

  test('the memory of a short body that is cut or compressed is used for the next', async () => {
    const seen: ArrayBufferLike[] = [];
    const watched = createMediaFolder({
      clock: rig.clock,
      minFreeBytes: 0,
      holdsKeyPlainly: ({ buffer }) => seen.push(buffer) === 0,
    });
    rig.server.answer((_, response, number) => {
      const encoding = number === 2 ? { 'content-encoding': 'gzip' } : {};
      response.writeHead(200, { 'content-length': 200_000, ...encoding });
      if (number === 1) cutAfter(response, Buffer.alloc(100_000));
      else response.end(Buffer.alloc(200_000));
    });
    for (let generation = 0; generation < 3; generation += 1) {
      await watched.fetch(
        rig.requestFor('/a', { generation }),
        rig.profile,
        createMemoryJournal(),
        new AbortController().signal,
      );
    }
    await watched.close();
    expect(seen).toHaveLength(3);
    expect(new Set(seen).size).toBe(1);
  });

  test('a key that is added during a download is looked for in what came before, too', async () => {
    const added = 'sk-late-owl-0987654321';
    const picture = longerPng(PNG, Buffer.concat([Buffer.from(added), Buffer.alloc(2 << 20, 7)]));
    rig.server.answer((_, response) => {
      response.writeHead(200, { 'content-length': picture.length });
      response.write(picture.subarray(0, 3 << 19));
      blockSeen = () => {
        blockSeen = () => undefined;
        keys.set('http://localhost:2', added);
        response.end(picture.subarray(3 << 19));
      };
    });
    expect(await fetchWith(createMemoryJournal())).toMatchObject({
      kind: 'unverifiable',
      failure: { message: 'The file is complete. It contains your gateway’s key, so it was not kept.' },
    });
    expect(await rig.filesIn('image')).toEqual([]);
  });
});

/** A tag of ID3v2.4 with one comment. */
function id3With(text: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from('\0eng\0', 'latin1'), text]);
  const frame = Buffer.concat([Buffer.from('COMM'), sizeOf(body.length), Buffer.alloc(2), body]);
  return Buffer.concat([Buffer.from('ID3\x04\0\0', 'latin1'), sizeOf(frame.length), frame]);
}

/** Seven bits a byte. */
function sizeOf(length: number): Buffer {
  return Buffer.from([0, 0, length >> 7, length & 0x7f]);
}
