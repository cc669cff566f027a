import { describe, expect, test } from 'vitest';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import type { ObservedGateway } from '../support/observed-gateway.ts';
import { download, NOW, openGateway, poll, submitted } from './gateway-sim-client.ts';

const IMAGE = 'videogen-b/image/generate';
const AT_ONCE: BehaviourInput = { timeScale: 0, media: { detail: 'tiny' } };

interface Rendered {
  readonly gateway: ObservedGateway;
  readonly code: string;
  readonly url: string;
}

/** An image that was finished the moment it was submitted. */
async function rendered(behaviour: BehaviourInput = {}): Promise<Rendered> {
  const gateway = await openGateway({
    behaviour: { ...AT_ONCE, ...behaviour, media: { detail: 'tiny', ...behaviour.media } },
  });
  const code = await submitted(gateway, IMAGE, { prompt: 'x' });
  return { gateway, code, url: await urlNow(gateway, code) };
}

async function urlNow(gateway: ObservedGateway, code: string): Promise<string> {
  return String((await poll(gateway, IMAGE, code)).envelope.result['videoUrl']);
}

describe('a range', () => {
  test('is given as it was asked for', async () => {
    const { url } = await rendered();
    const whole = await download(url);
    const total = whole.content.length;
    expect(whole.response.headers.get('accept-ranges')).toBe('bytes');
    for (const [range, start, end] of [
      ['100-199', 100, 200],
      ['100-', 100, total],
      ['-50', total - 50, total],
      [`0-${total + 5}`, 0, total],
    ] as const) {
      const { response, content } = await download(url, { Range: `bytes=${range}` });
      expect(response.status).toBe(206);
      expect(response.headers.get('content-range')).toBe(`bytes ${start}-${end - 1}/${total}`);
      expect(response.headers.get('etag')).toBe(whole.response.headers.get('etag'));
      expect(content).toEqual(whole.content.subarray(start, end));
    }
  });

  test('beyond the end is refused with the true length', async () => {
    const { url, gateway, code } = await rendered();
    const { response } = await download(url, { Range: 'bytes=9999999-' });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe(`bytes */${gateway.outputs(code)[0]?.bytes}`);
  });

  test('holds only under the ETag that it was asked for', async () => {
    const { url } = await rendered();
    const etag = (await download(url)).response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"/);
    expect((await download(url, { Range: 'bytes=5-', 'If-Range': etag })).response.status).toBe(206);
    expect((await download(url, { Range: 'bytes=5-', 'If-Range': '"another"' })).response.status).toBe(200);
  });

  test('is ignored by a server that knows none, and never fits a weak ETag', async () => {
    const none = await rendered({ media: { ranges: false, etag: 'none' } });
    const { response } = await download(none.url, { Range: 'bytes=5-' });
    expect([response.status, response.headers.get('accept-ranges'), response.headers.get('etag')]).toEqual([
      200,
      null,
      null,
    ]);
    const weak = await rendered({ media: { etag: 'weak' } });
    const etag = (await download(weak.url)).response.headers.get('etag') ?? '';
    expect(etag).toMatch(/^W\/"/);
    expect((await download(weak.url, { Range: 'bytes=5-', 'If-Range': etag })).response.status).toBe(200);
  });
});

test.each(['declared', 'chunked', 'close'] as const)('the length is %s', async (length) => {
  const { gateway, code, url } = await rendered({ media: { length } });
  const { response, content } = await download(url);
  const [output] = gateway.outputs(code);
  expect(content.length).toBe(output?.bytes);
  expect(response.headers.get('content-length')).toBe(length === 'declared' ? `${output?.bytes}` : null);
  expect(response.headers.get('transfer-encoding')).toBe(length === 'chunked' ? 'chunked' : null);
});

test('HEAD tells of the file without it', async () => {
  const { gateway, code, url } = await rendered();
  const response = await fetch(url, { method: 'HEAD' });
  expect(response.headers.get('content-length')).toBe(`${gateway.outputs(code)[0]?.bytes}`);
  expect((await response.arrayBuffer()).byteLength).toBe(0);
  expect((await fetch(url, { method: 'POST' })).status).toBe(405);
});

test.each(['same-origin', 'cross-origin'] as const)('a file behind redirects, %s', async (redirect) => {
  const { gateway, code, url } = await rendered({ media: { redirect, redirectHops: 3 } });
  const first = await download(url);
  expect(first.response.status).toBe(302);
  const target = new URL(first.response.headers.get('location') ?? '').origin;
  expect(target).toBe(redirect === 'cross-origin' ? gateway.otherOrigin : new URL(gateway.baseUrl).origin);
  const followed = await fetch(url);
  expect(followed.redirected).toBe(true);
  expect((await followed.arrayBuffer()).byteLength).toBe(gateway.outputs(code)[0]?.bytes);
  expect(gateway.stats().downloads).toBe(5);
});

describe('a URL', () => {
  test.each(['Expires', 'se', 'X-Amz', 'hidden'] as const)(
    'runs out, its end said in %s; a poll renews it',
    async (expiryIn) => {
      const { gateway, code, url } = await rendered({ urls: { lifeSeconds: 100, expiryIn, expiredHttp: 410 } });
      gateway.advance(99_000);
      expect((await download(url)).response.status).toBe(200);
      gateway.advance(2000);
      expect((await download(url)).response.status).toBe(410);
      const renewed = await urlNow(gateway, code);
      expect(renewed).not.toBe(url);
      expect((await download(renewed)).response.status).toBe(200);
    },
  );

  test('says when it runs out, where it says so', async () => {
    const endsAt = NOW / 1000 + 100;
    const under = async (expiryIn: 'Expires' | 'se' | 'X-Amz') =>
      new URL((await rendered({ urls: { lifeSeconds: 100, expiryIn } })).url).searchParams;
    expect((await under('Expires')).get('Expires')).toBe(`${endsAt}`);
    expect((await under('se')).get('se')).toBe(`${endsAt}`);
    const amazon = await under('X-Amz');
    expect([amazon.get('X-Amz-Date'), amazon.get('X-Amz-Expires')]).toEqual(['20260304T050607Z', '100']);
  });

  test('stays the same between two polls, or is new each time, or is never renewed', async () => {
    const stable = await rendered({ urls: { lifeSeconds: 100 } });
    stable.gateway.advance(30_000);
    expect(await urlNow(stable.gateway, stable.code)).toBe(stable.url);
    const restless = await rendered({ urls: { renewed: 'each-poll' } });
    expect(await urlNow(restless.gateway, restless.code)).not.toBe(restless.url);
    const final = await rendered({ urls: { lifeSeconds: 100, renewed: 'never' } });
    final.gateway.advance(200_000);
    expect(await urlNow(final.gateway, final.code)).toBe(final.url);
    expect((await download(final.url)).response.status).toBe(403);
  });

  test('cannot be made up or carried over to another file', async () => {
    const { url, gateway } = await rendered();
    await submitted(gateway, IMAGE, { prompt: 'y' });
    for (const forged of [
      url.replace('/1-0.png', '/2-0.png'),
      url.replace(/Expires=\d+/, 'Expires=9999999999'),
      url.replace(/\?.*/, ''),
    ]) {
      expect((await download(forged)).response.status).toBe(403);
    }
  });
});
