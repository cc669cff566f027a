import { request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { healthPlace, openHealthServer } from '../../../../src/cli/fleet/health/health-server.ts';

async function opened(
  isWell: () => boolean,
  place = '0',
  metrics: () => Promise<string> = () => Promise.resolve('a 1\n'),
): Promise<string> {
  const reasons = (): string[] => (isWell() ? [] : ['The store is away: db.example']);
  const briefly = (): string[] => (isWell() ? [] : ['The store is away.']);
  const server = await openHealthServer(healthPlace(place), {
    health: () => ({ isWell: isWell(), reasons: reasons(), briefly: briefly() }),
    metrics,
  });
  if (!server.ok) throw new Error(server.error);
  onTestFinished(() => server.value.close());
  return server.value.url;
}

test('a place is a port of this machine, or an address and a port', () => {
  expect(healthPlace('9464')).toEqual({ host: '127.0.0.1', port: 9464 });
  expect(healthPlace('0.0.0.0:80')).toEqual({ host: '0.0.0.0', port: 80 });
  expect(healthPlace('[::]:80')).toEqual({ host: '::', port: 80 });
  for (const wrong of ['', ':80', 'x', '65536', '::1:80', 'http://a:80', '80 ']) {
    expect(() => healthPlace(wrong)).toThrow('not a port');
  }
});

test('health is in the status and in words, and metrics are text of their version', async () => {
  let isWell = true;
  const url = await opened(() => isWell);
  const well = await fetch(`${url}/healthz`);
  expect([well.status, await well.json()]).toEqual([200, { status: 'ok', reasons: [] }]);
  isWell = false;
  const unwell = await fetch(`${url}/healthz?x`);
  expect([unwell.status, await unwell.json()]).toEqual([
    503,
    { status: 'unavailable', reasons: ['The store is away: db.example'] },
  ]);
  const metrics = await fetch(`${url}/metrics`);
  expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(await metrics.text()).toBe('a 1\n');
});

test('a network is not told where things are', async () => {
  const { port } = new URL(await opened(() => false, '0.0.0.0:0'));
  const told = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect([told.status, await told.json()]).toEqual([503, { status: 'unavailable', reasons: ['The store is away.'] }]);
});

test('counts that cannot be had end that one connection, and nothing else', async () => {
  const url = await opened(
    () => true,
    '0',
    () => Promise.reject(new Error('a bug')),
  );
  await expect(fetch(`${url}/metrics`)).rejects.toThrow('fetch failed');
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
});

test('nothing else is answered, and no page of a browser', async () => {
  const url = await opened(() => true);
  expect((await fetch(`${url}/`)).status).toBe(404);
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${url}/metrics`, { headers: { Origin: 'https://evil.example' } })).status).toBe(403);
  const rebound = await new Promise<number | undefined>((resolve, reject) => {
    const asked = request(`${url}/metrics`, { headers: { Host: 'evil.example' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    asked.on('error', reject);
    asked.end();
  });
  expect(rebound).toBe(421);
});

test('a port that is taken is no crash, but words', async () => {
  const { port } = new URL(await opened(() => true));
  const second = await openHealthServer(healthPlace(port), {
    health: () => ({ isWell: true, reasons: [], briefly: [] }),
    metrics: () => Promise.resolve(''),
  });
  expect(second).toMatchObject({ ok: false, error: expect.stringContaining('EADDRINUSE') as string });
});
