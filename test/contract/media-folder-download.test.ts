import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, mkdir, readFile, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMediaFolder } from '../../src/engine/files/media-folder.ts';
import type { FetchOutcome, FetchRequest, MediaFolder } from '../../src/engine/ports.ts';
import { parseProfile } from '../../src/shared/domain/profile.ts';
import type { Profile } from '../../src/shared/domain/profile.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import type { MemoryJournal } from '../support/memory-journal.ts';
import { cutAfter, serveHonestly, startMediaServer } from '../support/media-server.ts';
import type { MediaServer } from '../support/media-server.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
const MP4 = readFileSync(new URL('../fixtures/media/clip.mp4', import.meta.url));
const LIVE_WEBM = readFileSync(new URL('../fixtures/media/clip-live.webm', import.meta.url));

let server: MediaServer;
let clock: FakeClock;
let media: MediaFolder;
let folder: string;
let profile: Profile;

beforeEach(async () => {
  server = await startMediaServer();
  clock = new FakeClock();
  media = createMediaFolder({ clock, minFreeBytes: 0 });
  folder = await mkdtemp(join(tmpdir(), 'nocturne-media-'));
  profile = profileWith({ allowHosts: [server.host] });
});

afterEach(async () => {
  await media.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

function profileWith(mediaSettings: Record<string, unknown>, baseUrl = ''): Profile {
  const parsed = parseProfile({ baseUrl, media: mediaSettings });
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

function requestFor(path = '/a.bin', changes: Partial<FetchRequest> = {}): FetchRequest {
  return {
    outputId: '7-1',
    url: server.url(path),
    folder,
    kind: 'image',
    stem: 'r1-moon',
    generation: 0,
    ...changes,
  };
}

function fetchIt(
  request: FetchRequest = requestFor(),
  journal: MemoryJournal = createMemoryJournal(),
  signal: AbortSignal = new AbortController().signal,
): Promise<FetchOutcome> {
  return media.fetch(request, profile, journal, signal);
}

async function filesIn(kind: string): Promise<readonly string[]> {
  return (await readdir(join(folder, kind))).sort();
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function bytesOf(path: string): Promise<Buffer> {
  return readFile(join(folder, path));
}

describe('an honest server', () => {
  test('a file is placed under its name with the extension of what it is, and its sha256 is true', async () => {
    server.answer((request, response) => serveHonestly(request, response, PNG));
    const outcome = await fetchIt(requestFor('/named.mp4'));
    expect(outcome).toEqual({
      kind: 'verified',
      placement: { path: 'image/r1-moon.png', sha256: sha256(PNG), bytes: PNG.length, mediaType: 'image/png' },
    });
    expect(await bytesOf('image/r1-moon.png')).toEqual(PNG);
    expect(await filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('the request carries no key and asks for the bytes as they are', async () => {
    server.answer((request, response) => serveHonestly(request, response, PNG));
    await fetchIt();
    expect(Object.keys(server.requests[0]?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
    expect(server.requests[0]?.headers['accept-encoding']).toBe('identity');
  });

  test('a file is kept in the folder of its operation even when it is something else', async () => {
    server.answer((request, response) => serveHonestly(request, response, MP4));
    const outcome = await fetchIt();
    expect(outcome).toMatchObject({
      kind: 'verified',
      placement: { path: 'image/r1-moon.mp4', mediaType: 'video/mp4' },
    });
  });

  test('a body without a length is taken when the container ends properly', async () => {
    server.answer((_, response) => response.writeHead(200).end(PNG));
    expect(await fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test('many large blocks arrive whole', async () => {
    const filler = pngChunk('fiLl', Buffer.alloc(9_000_001, 7));
    const large = Buffer.concat([PNG.subarray(0, PNG.length - 12), filler, PNG.subarray(PNG.length - 12)]);
    server.answer((request, response) => serveHonestly(request, response, large));
    const outcome = await fetchIt();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(large), bytes: large.length } });
  });
});

function pngChunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const numbers = Buffer.alloc(8);
  numbers.writeUInt32BE(data.length, 0);
  numbers.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([numbers.subarray(0, 4), body, numbers.subarray(4)]);
}

describe('lengths that lie', () => {
  test('a body that is shorter than its length is no success', async () => {
    server.answer((_, response) => {
      response.writeHead(200, { 'content-length': PNG.length });
      cutAfter(response, PNG.subarray(0, 100));
    });
    expect(await fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
    expect(await filesIn('image')).toEqual(['7-1.1.part']);
  });

  test('a body without a length that the server cuts is no success', async () => {
    server.answer((_, response) => {
      response.useChunkedEncodingByDefault = false;
      response.shouldKeepAlive = false;
      response.writeHead(200);
      response.end(PNG.subarray(0, 200));
    });
    expect(await fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
  });

  test('a body without a length in a format without an end is kept aside, not called done', async () => {
    server.answer((_, response) => response.writeHead(200).end(LIVE_WEBM));
    expect(await fetchIt()).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1-moon.webm' });
  });

  test('an empty file is tried again', async () => {
    server.answer((_, response) => response.writeHead(200, { 'content-length': 0 }).end());
    expect(await fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'DOWNLOAD_CORRUPT' } });
  });

  test('a declared size over the cap and an endless body both stop at the cap', async () => {
    profile = profileWith({ allowHosts: [server.host], maxBytes: 100_000 });
    server.answer((_, response) => {
      response.writeHead(200);
      const pour = (): void => {
        while (response.write(Buffer.alloc(16_384, 1)));
        response.once('drain', pour);
      };
      pour();
    });
    expect(await fetchIt()).toMatchObject({ kind: 'unverifiable', failure: { code: 'OUTPUT_UNVERIFIABLE' } });
    expect(await filesIn('image')).toEqual([]);
    server.answer((_, response) => response.writeHead(200, { 'content-length': 100_001 }).end(Buffer.alloc(100_001)));
    expect(await fetchIt()).toMatchObject({ kind: 'unverifiable' });
    expect(await filesIn('image')).toEqual([]);
  });
});

describe('what a file is', () => {
  test('a web page named .mp4 is set aside and explained', async () => {
    const page = Buffer.from('<!DOCTYPE html><title>Sign in</title>');
    server.answer((request, response) => serveHonestly(request, response, page));
    const outcome = await fetchIt(requestFor('/clip.mp4'));
    expect(outcome).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1-moon.txt' });
    expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('is a web page') as string } });
    expect(await bytesOf('set-aside/r1-moon.txt')).toEqual(page);
    expect(await filesIn('image')).toEqual([]);
  });

  test('a file that is cut off at its source is set aside, whatever its length says', async () => {
    server.answer((request, response) => serveHonestly(request, response, MP4.subarray(0, 3000)));
    expect(await fetchIt()).toMatchObject({ kind: 'unverifiable', path: 'set-aside/r1-moon.mp4' });
  });

  test('a compressed body is never inflated', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    server.answer((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bomb.length }).end(bomb),
    );
    const outcome = await fetchIt();
    expect(outcome).toMatchObject({
      kind: 'unverifiable',
      path: 'set-aside/r1-moon.bin',
      failure: { message: expect.stringContaining('compressed the file') as string },
    });
    expect((await bytesOf('set-aside/r1-moon.bin')).length).toBe(bomb.length);
  });

  test('a second file that is set aside does not replace the first', async () => {
    server.answer((request, response) => serveHonestly(request, response, Buffer.from('no media')));
    await fetchIt();
    expect(await fetchIt()).toMatchObject({ path: 'set-aside/r1-moon-2.txt' });
  });
});

describe('resuming', () => {
  /** Cuts the first answer in the middle of the file. */
  function cutFirst(body: Buffer, etag: string, then: Parameters<MediaServer['answer']>[0]): void {
    server.answer((request, response, number) => {
      if (number > 1) return then(request, response, number);
      response.writeHead(200, { 'content-length': body.length, etag });
      cutAfter(response, body.subarray(0, body.length >> 1));
    });
  }

  async function fetchTwice(): Promise<{ readonly outcome: FetchOutcome; readonly journal: MemoryJournal }> {
    const journal = createMemoryJournal();
    expect(await fetchIt(requestFor(), journal)).toMatchObject({ kind: 'download-failed' });
    return { outcome: await fetchIt(journal.next(requestFor()), journal), journal };
  }

  test('the rest is asked for by its strong ETag and appended', async () => {
    cutFirst(MP4, '"v1"', (request, response) => serveHonestly(request, response, MP4));
    const { outcome, journal } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(MP4), bytes: MP4.length } });
    expect(server.requests[1]?.headers).toMatchObject({ 'if-range': '"v1"', range: `bytes=${MP4.length >> 1}-` });
    expect(journal.generation).toBe(1);
  });

  test('a weak ETag is never resumed', async () => {
    cutFirst(MP4, 'W/"v1"', (request, response) => serveHonestly(request, response, MP4));
    const { outcome } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified' });
    expect(server.requests[1]?.headers.range).toBeUndefined();
  });

  test('a file that changed in between is fetched anew: the parts are never joined', async () => {
    const changed = Buffer.from(MP4);
    changed.write('other brand', 16, 'latin1');
    cutFirst(MP4, '"v1"', (request, response) => serveHonestly(request, response, changed, '"v2"'));
    const { outcome, journal } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(changed) } });
    expect(journal).toMatchObject({ generation: 2, validator: '"v2"' });
    expect(await filesIn('image')).toEqual(['r1-moon.mp4']);
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
    expect(server.requests[2]?.headers.range).toBeUndefined();
  });

  test('416 with the right total: the part is whole and is verified as it is', async () => {
    server.answer((request, response, number) => {
      if (number > 1) return serveHonestly(request, response, MP4);
      response.writeHead(200, { 'content-length': MP4.length + 1, etag: '"v1"' });
      return cutAfter(response, MP4);
    });
    const { outcome } = await fetchTwice();
    expect(outcome).toMatchObject({ kind: 'verified', placement: { sha256: sha256(MP4) } });
    expect(server.requests.length).toBe(2);
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
      const before = server.requests.length;
      await fetchTwice();
      expect(server.requests[before + 1]?.headers.range?.slice(0, 5)).toBe(expected);
    }
  });

  test('the generation and its validator are committed before the first byte is written', async () => {
    server.answer((request, response) => serveHonestly(request, response, PNG, '"v9"'));
    const journal = createMemoryJournal();
    const seen: (readonly string[])[] = [];
    const watching: MemoryJournal = {
      ...journal,
      async generationStarted(generation, validator) {
        seen.push(await filesIn('image'), [String(generation), String(validator)]);
        await journal.generationStarted(generation, validator);
      },
    };
    await fetchIt(requestFor(), watching);
    expect(seen).toEqual([[], ['1', '"v9"']]);
  });

  test('a commit that is lost stops the download', async () => {
    server.answer((request, response) => serveHonestly(request, response, PNG));
    const journal = createMemoryJournal();
    const lost = { ...journal, generationStarted: () => Promise.reject(new Error('stale')) };
    expect(await fetchIt(requestFor(), lost)).toEqual({ kind: 'interrupted' });
    expect(await filesIn('image')).toEqual([]);
  });
});

describe('addresses', () => {
  async function outcomeOf(url: string): Promise<FetchOutcome> {
    return fetchIt(requestFor('/', { url }));
  }

  test.each([
    'file:///etc/passwd',
    'data:text/plain,hello',
    'ftp://media.example/a.mp3',
    'javascript:alert(1)',
    'not an address',
    'http://user:secret@media.example/a.mp3',
  ])('%s is refused', async (url) => {
    const outcome = await outcomeOf(url);
    expect(outcome).toMatchObject({ kind: 'unverifiable', failure: { code: 'OUTPUT_UNVERIFIABLE' } });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });

  test('a private address is refused at the connected socket: the request is never written', async () => {
    profile = profileWith({});
    const port = server.host.split(':')[1];
    for (const host of [
      '127.0.0.1',
      'localhost',
      '[::ffff:127.0.0.1]',
      '0x7f000001',
      '2130706433',
      '0177.0.0.1',
      '127.1',
    ]) {
      const outcome = await outcomeOf(`http://${host}:${port}/a.png`);
      expect([host, outcome.kind]).toEqual([host, 'unverifiable']);
      expect(outcome).toMatchObject({ failure: { message: expect.stringContaining('private network') as string } });
    }
    expect(server.requests).toEqual([]);
  });

  test('the gateway of the profile may live on a private address', async () => {
    profile = profileWith({}, `http://${server.host}/api`);
    server.answer((request, response) => serveHonestly(request, response, PNG));
    expect(await fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test('a redirect is followed, and every hop is checked', async () => {
    server.answer((request, response) => {
      if (request.url === '/there') serveHonestly(request, response, PNG);
      else response.writeHead(302, { location: '/there' }).end();
    });
    expect(await fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test.each(['http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/', 'file:///etc/passwd', 'http://[fd00::1]/'])(
    'a redirect to %s is refused',
    async (location) => {
      server.answer((_, response) => response.writeHead(302, { location }).end());
      expect(await fetchIt()).toMatchObject({ kind: 'unverifiable' });
    },
  );

  test('a redirect to another private port is refused though the first host is exempt', async () => {
    const other = await startMediaServer();
    server.answer((_, response) => response.writeHead(307, { location: other.url('/a.png') }).end());
    expect(await fetchIt()).toMatchObject({ kind: 'unverifiable' });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test('redirects that go round end', async () => {
    server.answer((_, response) => response.writeHead(302, { location: '/again' }).end());
    expect(await fetchIt()).toMatchObject({ kind: 'unverifiable' });
    expect(server.requests.length).toBe(6);
  });
});

describe('answers without a file', () => {
  test.each([401, 403, 404, 410])('HTTP %i asks for a fresh address', async (status) => {
    server.answer((_, response) => response.writeHead(status).end());
    expect(await fetchIt()).toMatchObject({ kind: 'url-expired', failure: { code: 'RESULT_EXPIRED' } });
  });

  test('HTTP 400 asks for a fresh address only when the address says that it has expired', async () => {
    server.answer((_, response) => response.writeHead(400).end());
    expect(await fetchIt(requestFor('/a?Expires=1700000000'))).toMatchObject({ kind: 'url-expired' });
    expect(await fetchIt(requestFor('/a?Expires=4000000000'))).toMatchObject({ kind: 'download-failed' });
  });

  test.each([429, 500, 503])('HTTP %i is tried again after the time that the server asks for', async (status) => {
    server.answer((_, response) => response.writeHead(status, { 'retry-after': '120' }).end());
    expect(await fetchIt()).toMatchObject({ kind: 'download-failed', retryAfterMs: 120_000 });
    server.answer((_, response) => response.writeHead(status, { 'retry-after': '315360000' }).end());
    expect(await fetchIt()).toMatchObject({ kind: 'download-failed', retryAfterMs: 900_000 });
  });

  test('a host that is not there is tried again', async () => {
    await server.close();
    expect(await fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'GATEWAY_UNAVAILABLE' } });
  });

  test('a server that falls silent is given up after a minute, and the part is kept', async () => {
    let isUnderWay = (): void => undefined;
    const underWay = new Promise<void>((resolve) => (isUnderWay = resolve));
    server.answer((_, response) => {
      response.writeHead(200, { 'content-length': MP4.length, etag: '"v1"' });
      response.write(MP4.subarray(0, 1000));
    });
    const journal = createMemoryJournal();
    const watching = {
      ...journal,
      async generationStarted(generation: number, validator: string | undefined) {
        await journal.generationStarted(generation, validator);
        isUnderWay();
      },
    };
    const outcome = fetchIt(requestFor(), watching);
    await underWay;
    let end: FetchOutcome | undefined;
    while (end === undefined) {
      await clock.advance(10_000);
      const nextTurn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
      end = await Promise.race([outcome, nextTurn]);
    }
    expect(end).toMatchObject({
      kind: 'download-failed',
      failure: { message: expect.stringContaining('nothing arrived for 60 s') as string },
    });
    expect(await filesIn('image')).toEqual(['7-1.1.part']);
  });

  test('an interrupted download says so and keeps its part', async () => {
    const controller = new AbortController();
    server.answer((_, response) => {
      response.writeHead(200, { 'content-length': MP4.length, etag: '"v1"' });
      response.write(MP4.subarray(0, 1000), () => setImmediate(() => controller.abort()));
    });
    const journal = createMemoryJournal();
    expect(await fetchIt(requestFor(), journal, controller.signal)).toEqual({ kind: 'interrupted' });
    server.answer((request, response) => serveHonestly(request, response, MP4));
    expect(await fetchIt(journal.next(requestFor()), journal)).toMatchObject({
      kind: 'verified',
      placement: { sha256: sha256(MP4) },
    });
  });
});

describe('names and places', () => {
  beforeEach(() => server.answer((request, response) => serveHonestly(request, response, PNG)));

  test('a file that is there is never replaced', async () => {
    await mkdir(join(folder, 'image'));
    await writeFile(join(folder, 'image', 'r1-moon.png'), 'mine');
    expect(await fetchIt()).toMatchObject({ placement: { path: 'image/r1-moon-2.png' } });
    expect(await readFile(join(folder, 'image', 'r1-moon.png'), 'utf8')).toBe('mine');
  });

  test('a path that the store gave to another output is not taken, in any case', async () => {
    const taken = new Set(['image/r1-moon.png']);
    const outcome = await fetchIt(requestFor('/a', { stem: 'R1-MOON' }), createMemoryJournal(taken));
    expect(outcome).toMatchObject({ placement: { path: 'image/R1-MOON-2.png' } });
  });

  test('a subfolder that leads out of the media folder is refused', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'nocturne-elsewhere-'));
    await symlink(elsewhere, join(folder, 'image'));
    expect(await fetchIt()).toMatchObject({ kind: 'disk-failed', failure: { code: 'DISK_DENIED' } });
    expect(await readdir(elsewhere)).toEqual([]);
    await rm(elsewhere, { recursive: true });
  });

  test('a folder that is gone pauses the night', async () => {
    const gone = join(folder, 'unplugged');
    expect(await fetchIt(requestFor('/a', { folder: gone }))).toMatchObject({
      kind: 'disk-failed',
      failure: { code: 'DISK_DENIED' },
    });
    expect(await readdir(folder)).toEqual([]);
  });

  test('the part is placed only after its place was committed', async () => {
    const journal = createMemoryJournal();
    const atCommit: (readonly string[])[] = [];
    const watching = {
      ...journal,
      placing: async (placement: Parameters<MemoryJournal['placing']>[0]) => {
        atCommit.push(await filesIn('image'));
        return journal.placing(placement);
      },
    };
    await fetchIt(requestFor(), watching);
    expect(atCommit).toEqual([['7-1.1.part']]);
  });
});

describe('after a stop between the commit and the end', () => {
  const placement = { path: 'image/r1-moon.png', sha256: sha256(PNG), bytes: PNG.length, mediaType: 'image/png' };

  test('the file is at its place: nothing is fetched', async () => {
    await mkdir(join(folder, 'image'));
    await writeFile(join(folder, 'image', 'r1-moon.png'), PNG);
    await writeFile(join(folder, 'image', '7-1.1.part'), PNG);
    expect(await fetchIt(requestFor('/a', { generation: 1, placement }))).toEqual({ kind: 'verified', placement });
    expect(server.requests).toEqual([]);
    expect(await filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('the part is still there: it is placed', async () => {
    await mkdir(join(folder, 'image'));
    await writeFile(join(folder, 'image', '7-1.1.part'), PNG);
    expect(await fetchIt(requestFor('/a', { generation: 1, placement }))).toEqual({ kind: 'verified', placement });
    expect(server.requests).toEqual([]);
    expect(await filesIn('image')).toEqual(['r1-moon.png']);
  });

  test('a copy was begun where there are no hard links: it is finished', async () => {
    await mkdir(join(folder, 'image'));
    await writeFile(join(folder, 'image', '7-1.1.part'), PNG);
    await writeFile(join(folder, 'image', 'r1-moon.png'), PNG.subarray(0, 50));
    expect(await fetchIt(requestFor('/a', { generation: 1, placement }))).toEqual({ kind: 'verified', placement });
  });

  test('somebody else’s file is at the place: it stays, and ours gets another name', async () => {
    await mkdir(join(folder, 'image'));
    await writeFile(join(folder, 'image', '7-1.1.part'), PNG);
    await writeFile(join(folder, 'image', 'r1-moon.png'), 'mine');
    expect(await fetchIt(requestFor('/a', { generation: 1, placement }))).toMatchObject({
      kind: 'verified',
      placement: { path: 'image/r1-moon-2.png' },
    });
    expect(await readFile(join(folder, 'image', 'r1-moon.png'), 'utf8')).toBe('mine');
  });

  test('neither is there, or the part is damaged: it is fetched anew', async () => {
    server.answer((request, response) => serveHonestly(request, response, PNG));
    await mkdir(join(folder, 'image'));
    await writeFile(join(folder, 'image', '7-1.1.part'), Buffer.alloc(PNG.length));
    expect(await fetchIt(requestFor('/a', { generation: 1, placement }))).toMatchObject({ kind: 'verified' });
    expect(server.requests.length).toBe(1);
    expect(await bytesOf('image/r1-moon.png')).toEqual(PNG);
  });
});

describe('documents and sweeping', () => {
  const document = '{"lyrics":"Sleep, 睡吧"}';

  test('a document is placed like a download', async () => {
    const { url: _, ...request } = requestFor('/', { kind: 'data', stem: 'r2-lyrics' });
    const outcome = await media.writeDocument({ ...request, document }, createMemoryJournal());
    expect(outcome).toEqual({
      kind: 'verified',
      placement: {
        path: 'data/r2-lyrics.json',
        sha256: sha256(Buffer.from(document)),
        bytes: Buffer.byteLength(document),
        mediaType: 'application/json',
      },
    });
    expect(await filesIn('data')).toEqual(['r2-lyrics.json']);
  });

  test('parts of outputs that are not live are swept, and nothing else', async () => {
    await mkdir(join(folder, 'image'));
    for (const name of ['7-1.1.part', '7-2.3.part', 'notes.part', 'moon.png']) {
      await writeFile(join(folder, 'image', name), 'x');
    }
    await media.sweep(folder, new Set(['7-2']));
    expect(await filesIn('image')).toEqual(['7-2.3.part', 'moon.png', 'notes.part']);
  });
});

describe('preparing', () => {
  test('a folder is made, and nothing is left in it', async () => {
    const fresh = join(folder, 'new', 'night');
    expect(await media.prepare(fresh)).toBeUndefined();
    expect(await readdir(fresh)).toEqual([]);
  });

  test('a file in the way, and too little room, are said', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await media.prepare(join(folder, 'file'))).toMatchObject({ code: 'DISK_DENIED' });
    const tight = createMediaFolder({ clock, minFreeBytes: Number.MAX_SAFE_INTEGER });
    expect(await tight.prepare(folder)).toMatchObject({ code: 'DISK_FULL' });
    await tight.close();
  });

  test('a folder that disappeared is not made anew behind the user’s back', async () => {
    const disk = join(folder, 'disk');
    expect(await media.prepare(disk)).toBeUndefined();
    await rm(disk, { recursive: true });
    expect(await media.prepare(disk)).toMatchObject({ code: 'DISK_DENIED' });
    expect(await media.prepare(disk)).toBeUndefined();
  });
});
