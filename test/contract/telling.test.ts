/** Every way of telling against a real server or program, well-behaved and hostile. */
import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { systemClock, tellByWays } from '../../src/engine/index.ts';
import { TEST_MESSAGE } from '../../src/shared/domain/telling/night-message.ts';
import { originOfAddress, tellingSecretProblem, tellingWays } from '../../src/shared/domain/telling/ways.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

interface Received {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A server that notes what it gets and answers each request in turn with the next of these; the last one again. */
async function serve(...answers: readonly ((response: ServerResponse) => void)[]) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      received.push({ url: request.url ?? '', headers: request.headers, body });
      (answers[received.length - 1] ?? answers.at(-1))?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const status =
  (code: number, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(code, headers).end('whatever');
  };

/** Time passes as soon as somebody waits for it; `waited` says how long. */
function hurriedClock(longest = Number.POSITIVE_INFINITY) {
  const waited: number[] = [];
  return {
    waited,
    now: () => Date.UTC(2026, 10, 24, 3, 12),
    monotonic: () => 0,
    setTimer(ms: number, ring: () => void) {
      if (ms > longest) return () => undefined;
      waited.push(ms);
      const soon = setImmediate(ring);
      return () => clearImmediate(soon);
    },
  };
}
/** Only waits between attempts pass at once: not the deadline of one. */
const patient = () => {
  const hurried = hurriedClock();
  return {
    ...hurried,
    setTimer: (ms: number, ring: () => void) =>
      ms === 15_000 ? systemClock.setTimer(ms, ring) : hurried.setTimer(ms, ring),
  };
};

const SECRET = `whsec_${Buffer.from('a secret of 24 bytes or so..').toString('base64')}`;
const message = { ...TEST_MESSAGE, kind: 'needs-you', title: '“Nächte” is paused', body: 'Look.' } as const;

describe('a webhook', () => {
  test('is signed as the Standard Webhooks specification has it, over the bytes that were sent', async () => {
    const { url, received } = await serve(status(204));
    const clock = patient();
    const ways = tellingWays.parse({ webhook: { url: `${url}/hook?x=1` } });
    const told = await tellByWays(message, { ways, secrets: { webhook: SECRET }, clock });
    expect(told).toEqual([{ way: 'webhook', isOk: true, text: 'accepted with HTTP 204' }]);
    const [{ headers, body, url: path } = { headers: {}, body: '', url: '' }] = received;
    expect(path).toBe('/hook?x=1');
    // The receiver's side, as the specification describes it.
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
    const expected = createHmac('sha256', key).update(signed).digest('base64');
    expect(String(headers['webhook-signature']).split(' ')).toContain(`v1,${expected}`);
    expect(headers['webhook-timestamp']).toBe(String(Math.floor(clock.now() / 1000)));
    expect(JSON.parse(body)).toMatchObject({
      type: 'night.needs-you',
      timestamp: '2026-11-24T03:12:00.000Z',
      data: { title: message.title, message: 'Look.', batches: 0 },
    });
  });

  test('is sent again under the same id while the server is down, and not for ever', async () => {
    const up = await serve(status(503), status(429), status(200));
    const clock = patient();
    const ways = tellingWays.parse({ webhook: { url: up.url } });
    const told = await tellByWays(message, { ways, secrets: { webhook: SECRET }, clock });
    expect(told).toEqual([{ way: 'webhook', isOk: true, text: 'accepted with HTTP 200, at attempt 3' }]);
    expect(new Set(up.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(clock.waited).toEqual([5_000, 30_000]);
    const down = await serve(status(500));
    const gaveUp = await tellByWays(message, {
      ways: tellingWays.parse({ webhook: { url: down.url } }),
      secrets: { webhook: SECRET },
      clock: patient(),
    });
    expect(gaveUp).toEqual([{ way: 'webhook', isOk: false, text: 'refused with HTTP 500, at attempt 4' }]);
    expect(down.received).toHaveLength(4);
  });

  test('is not sent unsigned', async () => {
    const { url, received } = await serve(status(200));
    const ways = tellingWays.parse({ webhook: { url } });
    expect(await tellByWays(message, { ways, secrets: {}, clock: patient() })).toMatchObject([{ isOk: false }]);
    expect(received).toEqual([]);
  });
});

describe('ntfy', () => {
  test('gets the text, its title in a header that may carry it, and the token', async () => {
    const { url, received } = await serve(status(200));
    const ways = tellingWays.parse({ ntfy: { url: `${url}/my-nights` } });
    const told = await tellByWays(message, { ways, secrets: { ntfy: 'tk_secret' }, clock: patient() });
    expect(told).toMatchObject([{ way: 'ntfy', isOk: true }]);
    expect(received).toMatchObject([
      { url: '/my-nights', body: 'Look.', headers: { authorization: 'Bearer tk_secret', priority: 'high' } },
    ]);
    const title = /^=\?UTF-8\?B\?(?<text>.*)\?=$/u.exec(String(received[0]?.headers['title']))?.groups?.['text'] ?? '';
    expect(Buffer.from(title, 'base64').toString()).toBe(message.title);
  });

  test('a redirect is not followed: the token is for this server alone', async () => {
    const thief = await serve(status(200));
    const { url, received } = await serve(status(307, { location: thief.url }));
    const ways = tellingWays.parse({ ntfy: { url } });
    const told = await tellByWays(message, { ways, secrets: { ntfy: 'tk_secret' }, clock: patient() });
    expect(told).toMatchObject([{ isOk: false, text: expect.stringContaining('a redirect') as string }]);
    expect(received).toHaveLength(1);
    expect(thief.received).toEqual([]);
  });

  test('a server that never stops talking, one that never answers, and none at all', async () => {
    const endless = await serve((response) => {
      response.writeHead(200);
      const more = (): void => {
        if (!response.destroyed) response.write('x'.repeat(65_536), () => setImmediate(more));
      };
      more();
    });
    const test = (url: string, clock: typeof systemClock) =>
      tellByWays(TEST_MESSAGE, { ways: tellingWays.parse({ ntfy: { url } }), secrets: {}, clock, isOnce: true });
    expect(await test(endless.url, systemClock)).toMatchObject([{ isOk: true }]);
    const silent = await serve(() => undefined);
    expect(await test(silent.url, hurriedClock())).toMatchObject([{ isOk: false, text: 'no answer within 15 s' }]);
    const { url } = await serve();
    closers.pop()?.();
    expect(await test(url, systemClock)).toMatchObject([
      { isOk: false, text: expect.stringContaining('could not be reached') as string },
    ]);
  });
});

describe('a command', () => {
  const run = (argv: readonly string[], clock = systemClock) =>
    tellByWays(message, { ways: tellingWays.parse({ command: { argv } }), secrets: {}, clock });

  test('gets the message as JSON and in its environment, its arguments as they are, and no key', async () => {
    const out = path.join(temporaryFolder(), 'got.json');
    const script = path.join(temporaryFolder(), 'told.mjs');
    writeFileSync(
      script,
      `import { readFileSync, writeFileSync } from 'node:fs';
       const { NOCTURNE_EVENT, NOCTURNE_TITLE, NOCTURNE_BODY, NOCTURNE_AI_KEY, NOCTURNE_STORE, PGPASSWORD } = process.env;
       const env = { NOCTURNE_EVENT, NOCTURNE_TITLE, NOCTURNE_BODY, NOCTURNE_AI_KEY, NOCTURNE_STORE, PGPASSWORD };
       const input = JSON.parse(readFileSync(0, 'utf8'));
       writeFileSync(process.argv[2], JSON.stringify({ env, input, args: process.argv.slice(3) }));`,
    );
    const secrets = ['NOCTURNE_AI_KEY', 'NOCTURNE_STORE', 'PGPASSWORD'];
    for (const name of secrets) process.env[name] = 'a-key-that-stays';
    try {
      expect(await run([process.execPath, script, out, '$(id); "a b"'])).toEqual([
        { way: 'command', isOk: true, text: 'ended well' },
      ]);
    } finally {
      for (const name of secrets) delete process.env[name];
    }
    expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
      env: { NOCTURNE_EVENT: 'night.needs-you', NOCTURNE_TITLE: message.title, NOCTURNE_BODY: 'Look.' },
      input: { type: 'night.needs-you' },
      args: ['$(id); "a b"'],
    });
    expect(readFileSync(out, 'utf8')).not.toContain('a-key-that-stays');
  });

  test('that fails, is not there or does not end is told as it is', async () => {
    const failing = [process.execPath, '-e', 'console.error("no bell here"); process.exit(3)'];
    expect(await run(failing)).toMatchObject([{ isOk: false, text: 'ended with code 3: no bell here' }]);
    expect(await run([path.join(temporaryFolder(), 'nothing')])).toMatchObject([
      { isOk: false, text: 'could not be started: there is no such program' },
    ]);
    const endless = [process.execPath, '-e', 'setInterval(() => {}, 1000)'];
    expect(await run(endless, hurriedClock())).toMatchObject([{ isOk: false, text: 'was ended after 30 s' }]);
  });
});

describe('the settings of a way', () => {
  test.each([
    ['https://ntfy.sh/topic', false, true],
    ['http://localhost:8080/topic', false, true],
    ['http://192.168.1.4/topic', false, false],
    ['http://192.168.1.4/topic', true, true],
    ['http://ntfy.sh/topic', false, false],
    ['http://8.8.8.8/topic', true, false],
    ['https://me:secret@ntfy.sh/topic', false, false],
    ['ftp://ntfy.sh/topic', false, false],
  ])('%s, plain http allowed: %s: %s', (url, allowPlainHttp, isFine) => {
    expect(tellingWays.safeParse({ ntfy: { url, allowPlainHttp } }).success).toBe(isFine);
  });

  test('a secret belongs to the origin of its address', () => {
    expect(originOfAddress('HTTPS://Ntfy.sh:8443/topic?x')).toBe('https://ntfy.sh:8443');
    expect(originOfAddress('nothing')).toBeUndefined();
  });

  test('a signing secret has 24 to 64 bytes', () => {
    const of = (bytes: number) => tellingSecretProblem('webhook', `whsec_${Buffer.alloc(bytes).toString('base64')}`);
    expect([23, 24, 25, 64, 65].map((bytes) => of(bytes) === undefined)).toEqual([false, true, true, true, false]);
    expect(tellingSecretProblem('webhook', SECRET.slice('whsec_'.length))).toBeDefined();
    expect(tellingSecretProblem('ntfy', 'two words')).toBeDefined();
  });
});
