import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { SELF_SIGNED } from '../contract/gateway-client-certificate.ts';
import { createMemoryJournal } from '../support/memory-journal.ts';
import { profileWith, setUpMediaRig } from '../support/media-rig.ts';
import { serveHonestly } from '../support/media-server.ts';

vi.setConfig({ testTimeout: 60_000 });

const rig = setUpMediaRig();
const PNG = readFileSync(join(import.meta.dirname, '../fixtures/media/picture.png'));

afterEach(() => {
  vi.unstubAllEnvs();
});

test.each(['', '0'])(
  'a file from who cannot prove who it is is not taken (NODE_TLS_REJECT_UNAUTHORIZED=%j)',
  async (value) => {
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
    let requests = 0;
    const server = createServer(SELF_SIGNED, (_, response) => {
      requests += 1;
      response.end(PNG);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    rig.profile = profileWith({ allowHosts: [host] });
    const outcome = await rig.fetchIt(rig.requestFor('/', { url: `https://${host}/a.png` }));
    expect(outcome.kind).not.toBe('verified');
    expect(requests).toBe(0);
  },
);

describe('whatever a server sends', () => {
  const head = fc.record({
    status: fc.constantFrom(200, 200, 200, 203, 204, 206, 304, 400, 404, 416, 500),
    type: fc.constantFrom('image/png', 'video/mp4', 'text/html', 'x'.repeat(2000), ''),
    length: fc.constantFrom('true' as const, 'none' as const, 'more' as const, 'less' as const),
    extra: fc.constantFrom(
      {},
      { 'content-range': 'bytes 0-9/10' },
      { 'content-range': 'bytes 9-3/*' },
      { 'content-encoding': 'gzip' },
      { etag: 'W/"x"' },
      { etag: '"'.repeat(500) },
      { 'content-disposition': 'attachment; filename="../../evil.png"' },
    ),
  });
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.nat(PNG.length).map((length) => PNG.subarray(0, length)),
    fc.constant(PNG),
    fc.constant(Buffer.from('<!doctype html><title>Not here</title>')),
  );

  test('is a file that is whole, or no file: nothing throws, and nothing lands outside', async () => {
    let number = 0;
    await fc.assert(
      fc.asyncProperty(head, body, async ({ status, type, length, extra }, bytes) => {
        number += 1;
        const declared = { true: bytes.length, more: bytes.length + 7, less: Math.max(0, bytes.length - 7) };
        rig.server.answer((_, response) => {
          const lengths = length === 'none' ? {} : { 'content-length': declared[length] };
          response.strictContentLength = false;
          response.writeHead(status, { 'content-type': type, ...lengths, ...extra });
          response.end(bytes, () => response.socket?.destroy());
        });
        const outcome = await rig.fetchIt(rig.requestFor('/a.png', { outputId: `${number}-1`, stem: `r${number}` }));
        if (outcome.kind !== 'verified') return;
        expect(await rig.bytesOf(outcome.placement.path)).toEqual(PNG);
        expect(outcome.placement.path).toBe(`image/r${number}.png`);
      }),
      { numRuns: 250 },
    );
    expect(await rig.filesIn('.')).toEqual(['image', 'set-aside']);
  });

  test('a name that the server gives is not the file’s', async () => {
    rig.server.answer((request, response) => {
      response.setHeader('content-disposition', 'attachment; filename="../../evil.exe"');
      serveHonestly(request, response, PNG);
    });
    const url = rig.server.url('/..%2f..%2fevil.exe');
    const outcome = await rig.fetchIt(rig.requestFor('/', { url }), createMemoryJournal());
    expect(outcome).toMatchObject({ kind: 'verified', placement: { path: 'image/r1-moon.png' } });
  });
});
