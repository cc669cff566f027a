import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startCli, type RunningCli } from '../../support/run-cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// It starts a process of its own, and some requests are slow on purpose.
vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let cli: RunningCli;
let port: number;
let token: string;

beforeAll(async () => {
  const dir = temporaryFolder();
  cli = startCli(['serve', '--data', dir, '--port', '0', '--out', path.join(dir, 'out'), '--rehearse', '--json']);
  const { url, tokenFile } = JSON.parse(await cli.lineWith('listening')) as Record<'url' | 'tokenFile', string>;
  port = Number(new URL(url).port);
  token = readFileSync(tokenFile, 'utf8').trim();
});

afterAll(async () => {
  cli.process.kill('SIGKILL');
  await cli.ended;
});

interface Wire {
  readonly socket: Socket;
  readonly closed: Promise<string>;
}

/** Bytes as they are, and all that comes back until the connection ends. */
function wire(...parts: readonly (string | Buffer)[]): Wire {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
  });
  let text = '';
  const closed = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
  for (const part of parts) socket.write(part);
  return { socket, closed };
}

const head = (line: string, ...headers: readonly string[]): string =>
  [line, `Host: localhost:${port}`, 'Connection: close', ...headers, '', ''].join('\r\n');
const authorized = (line: string, ...headers: readonly string[]): string =>
  head(line, `Authorization: Bearer ${token}`, ...headers);
const JSON_TYPE = 'Content-Type: application/json';

async function post(body: string | Buffer, ...headers: readonly string[]): Promise<string> {
  const bytes = Buffer.from(body);
  const line = authorized('POST /v1/check_sheet HTTP/1.1', JSON_TYPE, `Content-Length: ${bytes.length}`, ...headers);
  return wire(line, bytes).closed;
}

async function isWell(): Promise<void> {
  expect(await wire(head('GET /health HTTP/1.1')).closed).toMatch(/^HTTP\/1\.1 200 /u);
}

test('answers nothing but its health without the token', async () => {
  await isWell();
  for (const line of [
    'GET /openapi.json',
    'GET /v1/events',
    'GET /v1/files/1-1',
    'POST /v1/list_batches',
    'GET /x',
    'PUT /',
  ]) {
    const answer = await wire(head(`${line} HTTP/1.1`, JSON_TYPE, 'Content-Length: 0')).closed;
    expect(answer).toMatch(/^HTTP\/1\.1 401 /u);
    expect(answer).toContain('www-authenticate: Bearer');
  }
});

test('answers no page: a foreign origin, a foreign host, a question of a browser before it asks', async () => {
  const foreign = authorized('GET /openapi.json HTTP/1.1', 'Origin: https://evil.example');
  expect(await wire(foreign).closed).toMatch(/^HTTP\/1\.1 403 /u);
  const rebound = `GET /openapi.json HTTP/1.1\r\nHost: localhost.evil:${port}\r\nAuthorization: Bearer ${token}\r\nConnection: close\r\n\r\n`;
  expect(await wire(rebound).closed).toMatch(/^HTTP\/1\.1 421 /u);
  const before = authorized('OPTIONS /v1/start_batch HTTP/1.1', 'Access-Control-Request-Method: POST');
  const answer = await wire(before).closed;
  expect(answer).toMatch(/^HTTP\/1\.1 405 /u);
  expect(answer.toLowerCase()).not.toContain('access-control-allow');
  // What a form of a page can send without asking.
  const form = authorized('POST /v1/list_batches HTTP/1.1', 'Content-Type: text/plain', 'Content-Length: 2');
  expect(await wire(form, '{}').closed).toMatch(/^HTTP\/1\.1 415 /u);
});

test('takes no request that two readers could read in two ways', async () => {
  const both = authorized(
    'POST /v1/list_batches HTTP/1.1',
    JSON_TYPE,
    'Content-Length: 2',
    'Transfer-Encoding: chunked',
  );
  expect(await wire(both, '2\r\n{}\r\n0\r\n\r\n').closed).toMatch(/^HTTP\/1\.1 400 /u);
  const twice = authorized('POST /v1/list_batches HTTP/1.1', JSON_TYPE, 'Content-Length: 2', 'Content-Length: 2');
  expect(await wire(twice, '{}').closed).toMatch(/^HTTP\/1\.1 400 /u);
  const hosts = authorized('GET /openapi.json HTTP/1.1', 'Host: evil');
  expect(await wire(hosts).closed).toMatch(/^HTTP\/1\.1 400 /u);
  const tokens = authorized('GET /openapi.json HTTP/1.1', `Authorization: Bearer ${token}`);
  expect(await wire(tokens).closed).toMatch(/^HTTP\/1\.1 400 /u);
  const proxied = `GET http://evil/health HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`;
  expect(await wire(proxied).closed).toMatch(/^HTTP\/1\.1 400 /u);
  expect(await wire('\x16\x03\x01\x02\x00\x01\x00', 'hello\r\n\r\n').closed).toMatch(/^HTTP\/1\.1 400 /u);
  expect(await wire(authorized('GET /health HTTP/1.1', `X-Long: ${'x'.repeat(20_000)}`)).closed).toMatch(
    /^HTTP\/1\.1 4/u,
  );
  await isWell();
});

test.each([
  ['broken UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ['half a character', Buffer.from('{"csv":"\u{1F98A}').subarray(0, 11)],
  ['no JSON', '{'],
  ['nothing', ''],
  ['a list', '[]'],
  ['null', 'null'],
  ['a number without end', '1'.repeat(1_000_000)],
  ['deep lists', '['.repeat(5_000_000)],
  ['deep lists in a field', `{"csv":${'['.repeat(200_000)}${']'.repeat(200_000)}}`],
  ['deep objects in a cell', `{"rows":[{"a":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}]}`],
  ['a field of everybody', '{"csv":"row\\n1","__proto__":{"x":1},"constructor":1}'],
  ['an unknown field', '{"csv":"row\\n1","more":1}'],
  ['two sheets', '{"csv":"row\\n1","rows":[{"a":"1"}]}'],
  ['too many rows', JSON.stringify({ rows: Array.from({ length: 20_001 }, () => ({ a: '' })) })],
])('refuses a body of %s, and stays well', async (_name, body) => {
  expect(await post(body)).toMatch(/^HTTP\/1\.1 400 /u);
  await isWell();
});

test('reads no body that is too large, whatever it says of its length', async () => {
  const said = authorized('POST /v1/check_sheet HTTP/1.1', JSON_TYPE, 'Content-Length: 99999999999');
  expect(await wire(said).closed).toMatch(/^HTTP\/1\.1 413 /u);
  const unsaid = wire(authorized('POST /v1/check_sheet HTTP/1.1', JSON_TYPE, 'Transfer-Encoding: chunked'));
  const piece = Buffer.concat([Buffer.from('100000\r\n'), Buffer.alloc(0x10_00_00, 0x20), Buffer.from('\r\n')]);
  for (let sent = 0; sent < 25; sent += 1) unsaid.socket.write(piece);
  expect(await unsaid.closed).toMatch(/^(?:HTTP\/1\.1 413 |$)/u);
  expect(await post('{}', 'Content-Encoding: gzip')).toMatch(/^HTTP\/1\.1 415 /u);
  await isWell();
});

test('does not wait for whoever sends nothing, or little by little; others are answered meanwhile', async () => {
  const began = performance.now();
  const silent = Array.from({ length: 30 }, () => wire('GET /health HTTP/1.1\r\nHost: local'));
  const slow = wire(authorized('POST /v1/check_sheet HTTP/1.1', JSON_TYPE, 'Content-Length: 100000'));
  const drops = setInterval(() => slow.socket.write(' '), 200);
  onTestFinished(() => clearInterval(drops));
  await isWell();
  await Promise.all(silent.map(({ closed }) => closed));
  await slow.closed;
  expect(performance.now() - began).toBeLessThan(60_000);
  await isWell();
});

test('finds no file by a path, and none that is not there', async () => {
  for (const id of [
    '../token',
    '..%2ftoken',
    '%2e%2e/token',
    '1-1',
    'doors/token',
    'a'.repeat(65),
    '',
    '1-1/../x',
    '1-1%00',
  ]) {
    expect(await wire(authorized(`GET /v1/files/${id} HTTP/1.1`)).closed).toMatch(/^HTTP\/1\.1 404 /u);
  }
});

test('has few readers of events, and cuts off whoever does not read', async () => {
  const readers = Array.from({ length: 17 }, () => wire(authorized('GET /v1/events HTTP/1.1')));
  const refused = await Promise.race(readers.map(({ closed }) => closed));
  expect(refused).toMatch(/^HTTP\/1\.1 503 /u);
  for (const { socket } of readers) socket.destroy();
  await vi.waitFor(async () => {
    const again = wire(authorized('GET /v1/events HTTP/1.1'));
    const first = await new Promise<Buffer>((resolve) => again.socket.once('data', resolve));
    expect(first.toString('latin1')).toMatch(/^HTTP\/1\.1 200 /u);
  });
  await isWell();
});

test('has come to no bug by all of this, and printed no token', async () => {
  cli.process.kill('SIGTERM');
  const { exitCode, stderr, stdout } = await cli.ended;
  expect({ exitCode, stdout: stdout.trim().split('\n').length }).toEqual({ exitCode: 0, stdout: 1 });
  expect(stderr).not.toMatch(/ at .*\.js/u);
  expect(stderr + stdout).not.toContain(token);
});
