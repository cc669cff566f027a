import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli, startCli } from '../support/run-cli.ts';
import type { CliEnd } from '../support/run-cli.ts';
import { bytesBelow, openCliNight } from './cli-night.ts';

vi.setConfig({ testTimeout: 60_000 });

const CANARY = 'canary-9f4c1e77-b2d0-4a6e';
const isLinux = process.platform === 'linux';

/** The key as it is, and as it may have been written on its way. */
const TRACES: readonly Buffer[] = [
  Buffer.from(CANARY),
  Buffer.from(CANARY, 'utf16le'),
  Buffer.from(Buffer.from(CANARY).toString('base64').slice(0, 30)),
  Buffer.from(Buffer.from(CANARY).toString('hex')),
  // A part of it is too much, too.
  Buffer.from(CANARY.slice(3, 19)),
];

function holdsKey(bytes: Buffer): boolean {
  return TRACES.some((trace) => bytes.includes(trace));
}

/** What a gateway that repeats the key in every answer says before it passes one on. */
type Interruption = (request: IncomingMessage, response: ServerResponse, key: string) => boolean;

/** A gateway before the gateway: repeats the key in the headers and the body of each of its answers. */
async function openEchoingGateway(origin: string, interrupt: Interruption): Promise<string> {
  const server = createServer((request, response) => {
    const key = String(request.headers['aikey'] ?? '');
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (interrupt(request, response, key)) return;
      const body = request.method === 'POST' ? { body: Buffer.concat(chunks) } : {};
      const headers = { aiKey: key, 'content-type': 'application/json' };
      void fetch(`${origin}${request.url}`, { method: request.method ?? 'GET', headers, ...body }).then(
        async (answer) => {
          const text = (await answer.text()).replace('"info":"success"', `"info":"hello ${key}, success"`);
          response.writeHead(answer.status, { 'x-your-key': key, 'set-cookie': `key=${key}` }).end(text);
        },
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers that fail, each of them with the key in it. */
function failing(counts: { posts: number; gets: number; revoked: boolean }): Interruption {
  return (request, response, key) => {
    const say = (status: number, body: string, headers: Record<string, string> = {}): true => {
      response.writeHead(status, { 'x-your-key': key, ...headers }).end(body);
      return true;
    };
    const envelope = JSON.stringify({ code: 500, info: `error for ${key}`, result: {}, success: false, failure: true });
    if (counts.revoked) return say(401, envelope);
    if (request.method === 'POST') {
      counts.posts += 1;
      if (counts.posts === 1) return say(422, envelope);
      if (counts.posts === 2) return say(200, `<html>your aiKey is ${key}</html>`);
      if (counts.posts === 3) return say(500, `Traceback: key=${key} at line 7 {"taskCode":"${key}"}`);
      return false;
    }
    counts.gets += 1;
    if (counts.gets === 1) return say(500, envelope);
    if (counts.gets === 2) return say(307, '', { location: `http://localhost:1/${key}?aiKey=${key}` });
    if (counts.gets === 3) return say(200, `{"broken ${key}`);
    return false;
  };
}

test.skipIf(!isLinux)('the key is nowhere after a night with a gateway that repeats it in every answer', async () => {
  const night = await openCliNight(CANARY, {
    media: { detail: 'tiny', redirect: 'cross-origin' },
    faults: [{ kind: 'http', when: 'download', status: 500, nth: [1] }],
  });
  const counts = { posts: 0, gets: 0, revoked: false };
  const { origin, pathname, host } = new URL(night.gateway.baseUrl);
  const base = (await openEchoingGateway(origin, failing(counts))) + pathname;
  const other = new URL(night.gateway.otherOrigin).host;
  const profile = night.profile({ baseUrl: base, media: { allowHosts: [host, other] } });
  const keyFile = night.file('key', `${CANARY}\n`);
  const rows = Array.from(
    { length: 9 },
    (_, i) => `r${i},${['image', 'music', 'lyrics'][i % 3]},a quiet harbour ${i}\n`,
  );
  const sheet = night.file('s.csv', `row,operation,prompt\n${rows.join('')}leak,image,my key is ${CANARY}\n`);
  const temporary = path.join(path.dirname(night.data), 'tmp');
  const said: string[] = [];
  const commandLines = new Set<string>();

  const follow = async (...args: string[]): Promise<CliEnd> => {
    const cli = startCli([...args, '--data', night.data], { TMPDIR: temporary });
    const { pid = 0 } = cli.process;
    const looking = setInterval(() => {
      for (const one of processTree(pid)) commandLines.add(one);
    }, 50);
    const ended = await cli.ended;
    clearInterval(looking);
    said.push(ended.stdout, ended.stderr);
    return ended;
  };
  const run = await follow('run', sheet, '--out', night.out, '--profile', profile, '--key-file', keyFile, '--json');
  expect(run.exitCode).toBe(4);
  const { batch } = JSON.parse(run.stdout.split('\n')[0] ?? '{}') as { batch: string };
  counts.revoked = true;
  const refused = await follow('retry', batch, '--failed', '--key-file', keyFile);
  expect(refused.exitCode).toBe(5);
  counts.revoked = false;
  await follow('resume', batch, '--key-file', keyFile);
  await follow('status', batch, '--json');
  await follow('export', batch, '--out', path.join(night.out, 'copy'));
  expect((await follow('check', sheet, '--json')).exitCode).toBe(0);

  expect(counts.posts).toBeGreaterThan(8);
  expect(night.gateway.stats()).toMatchObject({ keyLeaks: 0 });
  expect(night.gateway.stats().downloads).toBeGreaterThan(4);
  // The sheet is the user's own file, and `check` is not given the key: it may repeat what the sheet says.
  const files = [night.data, night.out].flatMap(bytesBelow);
  expect(files.length).toBeGreaterThan(8);
  expect(files.filter(({ bytes }) => holdsKey(bytes)).map((file) => file.path)).toEqual([]);
  expect(said.slice(0, -2).filter((text) => holdsKey(Buffer.from(text)))).toEqual([]);
  expect([...commandLines].some((line) => line.includes('nocturne.js'))).toBe(true);
  expect([...commandLines].filter((line) => holdsKey(Buffer.from(line)))).toEqual([]);
});

/** Command lines and environments of a process and of what it started. */
function processTree(pid: number): readonly string[] {
  try {
    const own = ['cmdline', 'environ'].map((name) => readFileSync(`/proc/${pid}/${name}`, 'utf8'));
    const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
    );
    return [...own, ...children.flatMap((child) => processTree(Number(child)))];
  } catch {
    return [];
  }
}

test('a key given in the environment reaches no proxy, and a proxy’s password no file and no line', async () => {
  const night = await openCliNight(CANARY);
  let asked = 0;
  const proxy = createServer((_, response) => {
    asked += 1;
    response.writeHead(502).end();
  });
  proxy.on('connect', (_, socket) => {
    asked += 1;
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void proxy.close());
  const address = `http://tenant:proxy-password-31@127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const sheet = night.file('s.csv', 'row,operation,prompt\na,image,a fox\n');
  const variables = Object.fromEntries(
    ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY'].map((name) => [name, address]),
  );
  const ended = await night.run(sheet, ['--profile', night.profile()], { ...variables, NOCTURNE_AI_KEY: CANARY });
  expect(ended.exitCode).toBe(0);
  expect(asked).toBe(0);
  const secret = Buffer.from('proxy-password-31');
  expect([night.data, night.out].flatMap(bytesBelow).filter(({ bytes }) => bytes.includes(secret))).toEqual([]);
  expect(ended.stdout + ended.stderr).not.toContain('proxy-password-31');
});

test('a key that was pasted into a name or a note is in no document, and not on the screen', async () => {
  const night = await openCliNight(CANARY);
  const sheet = night.file('s.csv', 'row,operation,prompt\na,image,a fox\n');
  const say = (...args: readonly string[]): Promise<CliEnd> =>
    runCli([...args, '--data', night.data], { NOCTURNE_AI_KEY: CANARY });
  const run = await night.run(sheet, ['--profile', night.profile(), '--name', `night ${CANARY}`]);
  const batch = /Batch (\S+):/u.exec(run.stdout)?.[1] ?? '';
  const reviewed = await say('review', batch, '--row', 'a', '--note', `made with ${CANARY}`);
  const renamed = await say('rename', batch, `again ${CANARY}`);
  const mistyped = await say(
    'run',
    sheet,
    '--out',
    night.out,
    '--base-url',
    `https://gateway.example/?aiKey=${CANARY}`,
  );
  const ends = [run, reviewed, renamed, mistyped];
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 2]);
  expect([night.data, night.out].flatMap(bytesBelow).filter(({ bytes }) => holdsKey(bytes))).toEqual([]);
  expect(ends.filter(({ stdout, stderr }) => holdsKey(Buffer.from(stdout + stderr)))).toEqual([]);
});

test('a key on the command line is no option at all', async () => {
  const ended = await runCli(['run', 's.csv', '--out', 'x', '--key', CANARY]);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).not.toContain(CANARY);
});
