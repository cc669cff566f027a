import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { createServer as createTlsServer } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { FakeClock } from '../support/fake-clock.ts';
import { KEY, MUSIC, SONG, openClient, profileFor } from './gateway-client-under-test.ts';
import { SELF_SIGNED } from './gateway-client-certificate.ts';

/** An address of this machine that others can reach. */
/** As many submits are under way at once. */
const MAX_SUBMITS = 32;
const ownAddress = Object.values(networkInterfaces())
  .flatMap((addresses) => addresses ?? [])
  .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

/** Real sockets that misbehave: whether a submit "was sent" is decided by what left, and nothing ever leaves twice. */

interface RawServer {
  readonly url: string;
  /** Everything that arrived, over all connections. */
  received(): string;
  connections(): number;
  /** Resolves with the first socket on which a whole head has arrived. */
  readonly firstRequest: Promise<Socket>;
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A TCP server that does with each socket what the test says. */
async function openRawServer(onSocket: (socket: Socket, heard: () => string) => void): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let received = '';
  let connections = 0;
  let tell: (socket: Socket) => void = () => undefined;
  const firstRequest = new Promise<Socket>((resolve) => {
    tell = resolve;
  });
  const server = createTcpServer((socket) => {
    let heard = '';
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      heard += chunk.toString('latin1');
      received += chunk.toString('latin1');
      if (heard.includes('\r\n\r\n')) tell(socket);
    });
    onSocket(socket, () => heard);
  });
  const port = await listen(server);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${port}/api`,
    received: () => received,
    connections: () => connections,
    firstRequest,
  };
}

/** A server that answers every request with the same bytes, then ends the connection or leaves it open. */
async function openScriptedServer(answer: string | Buffer, end: 'end' | 'keep' | 'reset' = 'end'): Promise<RawServer> {
  return openRawServer((socket, heard) => {
    socket.on('data', () => {
      if (!heard().includes('\r\n\r\n')) return;
      socket.write(answer, () => {
        if (end === 'end') socket.end();
        if (end === 'reset') socket.resetAndDestroy();
      });
    });
  });
}

function http(body: string | Buffer, head = 'HTTP/1.1 200 OK'): Buffer {
  const content = Buffer.from(body);
  return Buffer.concat([Buffer.from(`${head}\r\nContent-Length: ${content.length}\r\n\r\n`), content]);
}

function requestsIn(received: string): number {
  return received.split('POST /api/musicgen/music/generate HTTP/1.1').length - 1;
}

const ACCEPTED = '{"code":200,"info":"success","result":{"taskCode":"t-1"},"success":true,"failure":false}';

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('nothing was sent', () => {
  test('to a port that refuses', async () => {
    const server = createTcpServer();
    const port = await listen(server);
    server.close();
    const { outcome } = await openClient(profileFor(`http://127.0.0.1:${port}`)).submit(SONG);
    expect(outcome).toMatchObject({ kind: 'not-sent', failure: { code: 'NETWORK_NOT_SENT' } });
  });

  test('before it was said that the key is about to leave, which is said of a connected gateway alone', async () => {
    let calls = 0;
    const beforeKeyIsSent = (): void => {
      calls += 1;
      throw new Error('the disk is full');
    };
    const server = await openScriptedServer(http(ACCEPTED));
    const told = await openClient(profileFor(server.url), { beforeKeyIsSent }).submit(SONG);
    expect(told.outcome).toMatchObject({
      kind: 'not-sent',
      failure: { message: expect.stringContaining('disk is full') as string },
    });
    expect(calls).toBe(1);
    expect(server.received()).toBe('');
    await openClient(profileFor('https://gateway.invalid/api'), { beforeKeyIsSent }).submit(SONG);
    expect(calls).toBe(1);
  });

  test('to a host that has no address', async () => {
    const { outcome } = await openClient(profileFor('https://gateway.invalid/api')).submit(SONG);
    expect(outcome).toMatchObject({ kind: 'not-sent' });
  });

  test.skipIf(ownAddress === undefined)(
    'by plain http to an address that turns out to be beyond this machine',
    async () => {
      const heard: string[] = [];
      const server = createTcpServer((socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (chunk) => heard.push(chunk.toString('latin1')));
      });
      server.listen(0, ownAddress);
      await once(server, 'listening');
      onTestFinished(() => void server.close());
      const baseUrl = `http://${ownAddress}:${(server.address() as AddressInfo).port}/api`;
      // Such a profile is refused; a stored one may have been changed, and a name may lead elsewhere the next time.
      const { outcome } = await openClient({ ...profileFor('http://localhost/api'), baseUrl }).submit(SONG);
      expect(outcome).toMatchObject({ kind: 'not-sent', failure: { code: 'NETWORK_NOT_SENT' } });
      expect(JSON.stringify(outcome)).toContain('plain http would send the key unencrypted');
      expect(heard).toEqual([]);
    },
  );

  test('to a server that speaks no TLS', async () => {
    const server = await openRawServer((socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    });
    const { outcome } = await openClient(profileFor(server.url.replace('http:', 'https:'))).submit(SONG);
    expect(outcome).toMatchObject({ kind: 'not-sent' });
    expect(server.received()).not.toContain(KEY);
  });

  test.each(['', '0'])(
    'to a server whose certificate nobody vouches for (NODE_TLS_REJECT_UNAUTHORIZED="%s")',
    async (value) => {
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', value);
      let received = '';
      const server = createTlsServer(SELF_SIGNED, (socket) => {
        socket.on('error', () => undefined);
        socket.on('data', (chunk: Buffer) => {
          received += chunk.toString();
        });
      });
      server.on('tlsClientError', () => undefined);
      const port = await listen(server);
      onTestFinished(() => void server.close());
      const { outcome } = await openClient(profileFor(`https://127.0.0.1:${port}`)).submit(SONG);
      expect(outcome).toMatchObject({ kind: 'not-sent' });
      expect(received).toBe('');
    },
  );

  test('when the deadline passes before the connection stands, and nothing is sent later', async () => {
    const server = await openScriptedServer(http(ACCEPTED));
    const clock = new FakeClock();
    const client = openClient(profileFor(server.url, { deadlines: { submitSeconds: 5 } }), { clock });
    const report = client.submit(SONG);
    await clock.advance(5000);
    expect((await report).outcome).toMatchObject({ kind: 'not-sent' });
    await client.close();
    expect(server.received()).toBe('');
  });

  test('when the request was aborted before it began', async () => {
    const server = await openScriptedServer(http(ACCEPTED));
    const { outcome } = await openClient(profileFor(server.url)).submit(SONG, AbortSignal.abort());
    expect(outcome).toMatchObject({ kind: 'not-sent' });
    expect(server.connections()).toBe(0);
  });

  test.each([
    ['', 'KEY_MISSING'],
    ['two words', 'AUTH_REJECTED'],
    ['line\r\nbreak', 'AUTH_REJECTED'],
    ['ключ-из-букв', 'AUTH_REJECTED'],
  ])('with a key that cannot stand in a header: %j', async (key, code) => {
    const server = await openScriptedServer(http(ACCEPTED));
    const { outcome } = await openClient(profileFor(server.url), { key }).submit(SONG);
    expect(outcome).toMatchObject({ kind: 'held', failure: { code } });
    expect(server.connections()).toBe(0);
  });
});

describe('it was sent, and nobody knows what came of it', () => {
  test('a reset before an answer', async () => {
    const server = await openRawServer((socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    const { outcome } = await openClient(profileFor(server.url)).submit(SONG);
    expect(outcome).toMatchObject({ kind: 'unknown', failure: { code: 'SUBMIT_OUTCOME_UNKNOWN' } });
    expect(requestsIn(server.received())).toBe(1);
  });

  test('a connection that closes after the head, on each of several submits', async () => {
    const server = await openRawServer((socket) => {
      socket.once('data', () => socket.end());
    });
    const client = openClient(profileFor(server.url));
    for (let i = 1; i <= 3; i += 1) {
      expect((await client.submit(SONG)).outcome.kind).toBe('unknown');
      expect(requestsIn(server.received())).toBe(i);
    }
  });

  test('a kept connection that closes when the next submit arrives on it', async () => {
    let answers = 0;
    const server = await openRawServer((socket, heard) => {
      socket.on('data', () => {
        if (!heard().endsWith('}')) return;
        answers += 1;
        if (answers === 1) socket.write(http(ACCEPTED));
        else socket.destroy();
      });
    });
    const client = openClient(profileFor(server.url));
    expect((await client.submit(SONG)).outcome.kind).toBe('accepted');
    expect((await client.submit(SONG)).outcome.kind).toBe('unknown');
    expect(requestsIn(server.received())).toBe(2);
  });

  test('a server that never answers, until the deadline', async () => {
    const server = await openRawServer(() => undefined);
    const clock = new FakeClock();
    const report = openClient(profileFor(server.url), { clock }).submit(SONG);
    await server.firstRequest;
    await clock.advance(121_000);
    expect((await report).outcome).toMatchObject({ kind: 'unknown' });
  });

  test('a server whose answer came while the process stood still past the deadline is heard', async () => {
    const server = await openRawServer(() => undefined);
    const clock = new FakeClock();
    const report = openClient(profileFor(server.url), { clock }).submit(SONG);
    const socket = await server.firstRequest;
    clock.standStill(130_000);
    await clock.advance(0);
    socket.write(http(ACCEPTED));
    expect((await report).outcome).toMatchObject({ kind: 'accepted', taskCode: 't-1' });
  });

  test('a server that has not answered when the process goes on, a few seconds later', async () => {
    const server = await openRawServer(() => undefined);
    const clock = new FakeClock();
    const report = openClient(profileFor(server.url), { clock }).submit(SONG);
    await server.firstRequest;
    clock.standStill(130_000);
    await clock.advance(5000);
    expect((await report).outcome).toMatchObject({ kind: 'unknown' });
  });

  test('a proxy that gives up, behind which the answer still comes: no later submit takes it for its own', async () => {
    const server = await openRawServer((socket, heard) => {
      socket.on('data', () => {
        const requests = requestsIn(heard());
        if (!heard().endsWith('}')) return;
        if (server.connections() === 1 && requests === 1) socket.write(http('late', 'HTTP/1.1 504 Gateway Timeout'));
        else socket.write(http(requests === 1 ? ACCEPTED.replace('t-1', 't-2') : ACCEPTED));
      });
    });
    const client = openClient(profileFor(server.url));
    expect((await client.submit(SONG)).outcome).toMatchObject({ kind: 'unknown' });
    // From the next turn on its connection would be free.
    await new Promise((resolve) => setImmediate(resolve));
    expect((await client.submit(SONG)).outcome).toMatchObject({ kind: 'accepted', taskCode: 't-2' });
    expect(server.connections()).toBe(2);
  });

  test('a proxy that gives up on several at once: the connections that came after them stay', async () => {
    const waiting: Socket[] = [];
    const server = await openRawServer((socket, heard) => {
      const isEarly = server.connections() <= 2;
      socket.on('data', () => {
        if (!heard().endsWith('}')) return;
        if (isEarly) waiting.push(socket);
        else socket.write(http(ACCEPTED));
      });
    });
    const giveUp = (nth: number) => waiting[nth]?.write(http('late', 'HTTP/1.1 503 Service Unavailable'));
    const client = openClient(profileFor(server.url));
    const reports = [client.submit(SONG), client.submit(SONG)];
    await vi.waitFor(() => expect(waiting).toHaveLength(2));
    giveUp(0);
    await Promise.race(reports);
    expect((await client.submit(SONG)).outcome).toMatchObject({ kind: 'accepted' });
    giveUp(1);
    await Promise.all(reports);
    expect((await client.submit(SONG)).outcome).toMatchObject({ kind: 'accepted' });
    expect(server.connections()).toBe(3);
  });

  test('a proxy that gives up while more wait than there are connections: none of them takes the late answer for its own', async () => {
    const heard: Socket[] = [];
    const giveUp = (socket: Socket) => socket.write(http('late', 'HTTP/1.1 504 Gateway Timeout'));
    const server = await openRawServer((socket, said) => {
      socket.on('data', () => {
        if (!said().endsWith('}')) return;
        const nth = heard.push(socket);
        if (nth === MAX_SUBMITS) giveUp(socket);
        else if (nth > MAX_SUBMITS) socket.write(http(ACCEPTED));
      });
    });
    const client = openClient(profileFor(server.url));
    const reports = Array.from({ length: MAX_SUBMITS + 1 }, async () => client.submit(SONG));
    expect((await reports[MAX_SUBMITS])?.outcome).toMatchObject({ kind: 'accepted' });
    expect(new Set(heard).size).toBe(MAX_SUBMITS + 1);
    for (const socket of heard.slice(0, MAX_SUBMITS - 1)) giveUp(socket);
    await Promise.all(reports);
  });

  test('a server that goes on byte by byte, until the same deadline', async () => {
    const server = await openRawServer(() => undefined);
    const clock = new FakeClock();
    const report = openClient(profileFor(server.url), { clock }).submit(SONG);
    const socket = await server.firstRequest;
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n');
    for (let second = 0; second < 121; second += 1) {
      socket.write(' ');
      await clock.advance(1000);
    }
    expect((await report).outcome).toMatchObject({ kind: 'unknown' });
  });

  test.each([
    [
      'an answer that breaks off in its body',
      Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n${ACCEPTED}`),
      't-1',
    ],
    ['a status line and no more', Buffer.from('HTTP/1.1 200 OK\r\n'), undefined],
    ['something that is not HTTP', Buffer.from('220 mail.example ESMTP\r\n'), undefined],
    ['a number in place of an object', http('42'), undefined],
    ['a redirect elsewhere', http('', 'HTTP/1.1 307 Temporary Redirect\r\nLocation: http://127.0.0.1:1/'), undefined],
  ])('%s', async (_name, answer, taskCode) => {
    const server = await openScriptedServer(answer);
    const { outcome } = await openClient(profileFor(server.url)).submit(SONG);
    expect(outcome).toMatchObject(taskCode === undefined ? { kind: 'unknown' } : { kind: 'unknown', taskCode });
    expect(requestsIn(server.received())).toBe(1);
  });

  test('an answer of more than 1 MiB is cut and not believed', async () => {
    const server = await openScriptedServer(http(`{"x":"${'x'.repeat(3 * 1024 * 1024)}",${ACCEPTED.slice(1)}`), 'keep');
    const { outcome, raw } = await openClient(profileFor(server.url)).submit(SONG);
    expect(outcome.kind).toBe('unknown');
    expect(raw).toMatchObject({ truncated: true, httpStatus: 200 });
    expect(raw?.body.length).toBe(1024 * 1024);
  });
});

describe('what leaves', () => {
  test('exactly the headers of the interface, the frozen body, and the key nowhere else', async () => {
    const server = await openScriptedServer(http(ACCEPTED));
    const { outcome } = await openClient(profileFor(server.url, { userAgent: 'Night/1' })).submit(SONG);
    expect(outcome).toEqual({ kind: 'accepted', taskCode: 't-1' });
    const [head = '', body] = server.received().split('\r\n\r\n');
    const [line, ...headers] = head.split('\r\n');
    expect(line).toBe('POST /api/musicgen/music/generate HTTP/1.1');
    expect(headers.map((header) => header.replace(/:\d+$/, '')).sort()).toEqual([
      'Accept: application/json, */*',
      'Content-Type: application/json',
      'User-Agent: Night/1',
      `aiKey: ${KEY}`,
      'connection: keep-alive',
      'content-length: 28',
      'host: 127.0.0.1',
    ]);
    expect(body).toBe('{"prompt":"a quiet harbour"}');
  });

  test('a key that the gateway repeats is in no report', async () => {
    const echo = ACCEPTED.replace('success"', `your key is ${KEY}"`);
    const server = await openScriptedServer(http(echo, `HTTP/1.1 200 OK\r\nX-Echo: ${KEY}`));
    const report = await openClient(profileFor(server.url)).submit(SONG);
    expect(report.outcome.kind).toBe('accepted');
    const { body = new Uint8Array(), headers } = report.raw ?? {};
    expect(new TextDecoder().decode(body) + JSON.stringify(headers)).not.toContain(KEY);
  });

  test('a body that was compressed without being asked to is read', async () => {
    const server = await openScriptedServer(http(gzipSync(ACCEPTED), 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip'));
    expect((await openClient(profileFor(server.url)).submit(SONG)).outcome.kind).toBe('accepted');
  });

  test('a compressed body that swells beyond 1 MiB is not', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const server = await openScriptedServer(http(bomb, 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip'));
    expect((await openClient(profileFor(server.url)).submit(SONG)).outcome.kind).toBe('unknown');
  });
});

describe('polls', () => {
  test('a redirect is not followed: the key goes to no other origin', async () => {
    const other = createServer((_request, response) => response.end(ACCEPTED));
    const port = await listen(other);
    onTestFinished(() => void other.close());
    const asked = vi.fn<() => void>();
    other.on('request', asked);
    const server = await openScriptedServer(http('', `HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:${port}/`));
    const { answer } = await openClient(profileFor(server.url)).poll(MUSIC, 't-1');
    expect(answer.kind).toBe('error');
    expect(asked).not.toHaveBeenCalled();
  });

  test('do not leave where they may no longer, once there is a connection', async () => {
    const server = await openScriptedServer(http('{}'));
    let isConnected = false;
    const mayLeave = (): boolean => {
      isConnected = server.connections() > 0;
      return false;
    };
    const { answer } = await openClient(profileFor(server.url)).poll(MUSIC, 't-1', undefined, mayLeave);
    expect([answer.kind, isConnected]).toEqual(['error', true]);
    expect(server.received()).toBe('');
  });

  test('end when they are given up', async () => {
    const server = await openRawServer(() => undefined);
    const ending = new AbortController();
    const report = openClient(profileFor(server.url)).poll(MUSIC, 't-1', ending.signal);
    await server.firstRequest;
    ending.abort();
    expect((await report).answer.kind).toBe('error');
  });

  test('end at their deadline', async () => {
    const server = await openRawServer(() => undefined);
    const clock = new FakeClock();
    const report = openClient(profileFor(server.url), { clock }).poll(MUSIC, 't-1');
    await server.firstRequest;
    await clock.advance(31_000);
    expect((await report).answer).toMatchObject({ kind: 'error', failure: { code: 'GATEWAY_UNAVAILABLE' } });
  });

  test('a code that cannot be a segment of a path is not asked for by one', async () => {
    const server = await openScriptedServer(http('{}'));
    const client = openClient(profileFor(server.url, { taskCode: { in: 'path' } }));
    expect((await client.poll(MUSIC, '..')).answer).toMatchObject({
      kind: 'error',
      failure: { code: 'GATEWAY_PROTOCOL' },
    });
    expect(server.connections()).toBe(0);
  });
});
