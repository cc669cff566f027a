import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { FetchOutcome } from '../../src/engine/ports/media-folder.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import { profileWith, sha256, setUpMediaRig } from '../support/media-rig.ts';
import { serveHonestly, startMediaServer } from '../support/media-server.ts';

const PNG = readFileSync(new URL('../fixtures/media/picture.png', import.meta.url));
const MP4 = readFileSync(new URL('../fixtures/media/clip.mp4', import.meta.url));

const rig = setUpMediaRig();

describe('addresses', () => {
  async function outcomeOf(url: string): Promise<FetchOutcome> {
    return rig.fetchIt(rig.requestFor('/', { url }));
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
    rig.profile = profileWith({});
    const port = rig.server.host.split(':')[1];
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
    expect(rig.server.requests).toEqual([]);
  });

  test('the gateway of the profile may live on a private address', async () => {
    rig.profile = profileWith({}, `http://${rig.server.host}/api`);
    rig.server.answer((request, response) => serveHonestly(request, response, PNG));
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test('a redirect is followed, and every hop is checked', async () => {
    rig.server.answer((request, response) => {
      if (request.url === '/there') serveHonestly(request, response, PNG);
      else response.writeHead(302, { location: '/there' }).end();
    });
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test.each(['http://169.254.169.254/latest/meta-data', 'http://10.0.0.1/', 'file:///etc/passwd', 'http://[fd00::1]/'])(
    'a redirect to %s is refused',
    async (location) => {
      rig.server.answer((_, response) => response.writeHead(302, { location }).end());
      expect(await rig.fetchIt()).toMatchObject({ kind: 'unverifiable' });
    },
  );

  test('a redirect to another private port is refused though the first host is exempt', async () => {
    const other = await startMediaServer();
    rig.server.answer((_, response) => response.writeHead(307, { location: other.url('/a.png') }).end());
    expect(await rig.fetchIt()).toMatchObject({ kind: 'unverifiable' });
    expect(other.requests).toEqual([]);
    await other.close();
  });

  test('a redirect may name its place in letters of every kind, as many servers send it', async () => {
    rig.server.answer((request, response) => {
      if (request.url === encodeURI('/曲 é.png')) serveHonestly(request, response, PNG);
      else response.writeHead(302, { location: Buffer.from('/曲 é.png').toString('latin1') }).end();
    });
    expect(await rig.fetchIt()).toMatchObject({ kind: 'verified' });
  });

  test('redirects that go round end', async () => {
    rig.server.answer((_, response) => response.writeHead(302, { location: '/again' }).end());
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed' });
    expect(rig.server.requests.length).toBe(6);
  });
});

describe('answers without a file', () => {
  test.each([401, 403, 404, 410])('HTTP %i asks for a fresh address', async (status) => {
    rig.server.answer((_, response) => response.writeHead(status).end());
    expect(await rig.fetchIt()).toMatchObject({ kind: 'url-expired', failure: { code: 'RESULT_EXPIRED' } });
  });

  test('HTTP 400 asks for a fresh address only when the address says that it has expired', async () => {
    rig.server.answer((_, response) => response.writeHead(400).end());
    expect(await rig.fetchIt(rig.requestFor('/a?Expires=1700000000'))).toMatchObject({ kind: 'url-expired' });
    expect(await rig.fetchIt(rig.requestFor('/a?Expires=4000000000'))).toMatchObject({ kind: 'download-failed' });
  });

  test.each([429, 500, 503])('HTTP %i is tried again after the time that the server asks for', async (status) => {
    rig.server.answer((_, response) => response.writeHead(status, { 'retry-after': '120' }).end());
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed', retryAfterMs: 120_000 });
    rig.server.answer((_, response) => response.writeHead(status, { 'retry-after': '315360000' }).end());
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed', retryAfterMs: 900_000 });
  });

  test('a host that is not there is tried again', async () => {
    await rig.server.close();
    expect(await rig.fetchIt()).toMatchObject({ kind: 'download-failed', failure: { code: 'GATEWAY_UNAVAILABLE' } });
  });

  test('a server that falls silent is given up after a minute, and the part is kept', async ({ signal }) => {
    let isUnderWay = (): void => undefined;
    const underWay = new Promise<void>((resolve) => (isUnderWay = resolve));
    rig.server.answer((_, response) => {
      response.writeHead(200, { 'content-length': 1 << 20, etag: '"v1"' });
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
    const outcome = rig.fetchIt(rig.requestFor(), watching);
    await underWay;
    let end: FetchOutcome | undefined;
    while (end === undefined && !signal.aborted) {
      await rig.clock.advance(10_000);
      const nextTurn = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
      end = await Promise.race([outcome, nextTurn]);
    }
    expect(end).toMatchObject({
      kind: 'download-failed',
      failure: { message: expect.stringContaining('nothing arrived for 60 s') as string },
    });
    expect(await rig.filesIn('image')).toEqual(['7-1.1.part']);
  });

  test('an interrupted download says so and keeps its part', async () => {
    const controller = new AbortController();
    rig.server.answer((_, response) => {
      response.writeHead(200, { 'content-length': MP4.length, etag: '"v1"' });
      response.write(MP4.subarray(0, 1000), () => setImmediate(() => controller.abort()));
    });
    const journal = createMemoryJournal();
    expect(await rig.fetchIt(rig.requestFor(), journal, controller.signal)).toEqual({ kind: 'interrupted' });
    rig.server.answer((request, response) => serveHonestly(request, response, MP4));
    expect(await rig.fetchIt(journal.next(rig.requestFor()), journal)).toMatchObject({
      kind: 'verified',
      placement: { sha256: sha256(MP4) },
    });
  });
});
