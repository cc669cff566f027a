import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { runCli } from '../support/run-cli.ts';
import { bytesBelow, openCliNight } from './cli-night.ts';

vi.setConfig({ testTimeout: 120_000 });

/** A key of every character that a key can have. */
const KEY = Array.from({ length: 0x7e - 0x20 }, (_, i) => String.fromCharCode(0x21 + i)).join('');

const hex = (char: string, width: number): string => char.charCodeAt(0).toString(16).padStart(width, '0');
const each = (write: (char: string) => string) => Array.from(KEY, write).join('');
const inJson = JSON.stringify(KEY).slice(1, -1);

/** The key as programs write it into a JSON string. */
const IN_JSON: Readonly<Record<string, string>> = {
  plain: inJson,
  slashes: inJson.replaceAll('/', '\\/'),
  gson: inJson.replaceAll(/[<>&='/]/g, (char) => `\\u${hex(char, 4)}`),
  every: each((char) => `\\u${hex(char, 4)}`),
  capitals: each((char) => `\\u${hex(char, 4).toUpperCase()}`),
  percent: each((char) => `%${hex(char, 2)}`),
  component: encodeURIComponent(KEY),
  html: each((char) => `&#${char.charCodeAt(0)};`),
  twice: JSON.stringify(JSON.stringify({ key: KEY })).slice(1, -1),
  base64: Buffer.from(KEY).toString('base64'),
};

const ENCODINGS: Readonly<Record<string, (body: string | Buffer) => Buffer>> = {
  identity: (body) => (typeof body === 'string' ? Buffer.from(body) : body),
  gzip: (body) => gzipSync(body),
  deflate: (body) => deflateSync(body),
  br: (body) => brotliCompressSync(body),
};

/** A file may be so long. */
const MAX_BYTES = 50_000;
const TOO_LARGE = Buffer.alloc(2 * MAX_BYTES);

/** What happens to a row: where the gateway repeats the key. */
const KINDS = [
  'success',
  'failure',
  'page',
  'media-page',
  'media-json',
  'media-broken-json',
  'media-latin1',
  'media-film',
  'media-bomb',
  'media-address',
  'media-redirect',
] as const;
type Kind = (typeof KINDS)[number];

interface Echo {
  readonly kind: Kind;
  readonly form: string;
  readonly encoding: string;
}

/** A row for every way in which a gateway may repeat the key. */
const ECHOES: readonly Echo[] = KINDS.flatMap((kind) =>
  Object.keys(IN_JSON).flatMap((form) => Object.keys(ENCODINGS).map((encoding) => ({ kind, form, encoding }))),
).filter(({ kind, form, encoding }) => {
  if (kind === 'media-bomb') return encoding !== 'identity' && form === 'plain';
  return !kind.startsWith('media') || encoding === 'identity' || form === 'plain';
});

const idOf = ({ kind, form, encoding }: Echo): string => `${kind}-${form}-${encoding}`;
const operationOf = ({ kind }: Echo): string => (kind.startsWith('media') ? 'image' : 'lyrics');

/** What comes instead of a file. */
function instead(kind: Kind, written: string): string | Buffer {
  if (kind === 'media-json') return `{"error":"wrong key: ${written}"}`;
  if (kind === 'media-broken-json') return `{"error":"wrong key: ${written}"`;
  if (kind === 'media-latin1') return Buffer.from(`Schlüssel ungültig: ${written}`, 'latin1');
  if (kind === 'media-film') return Buffer.from(`\0\0\0\x18ftypisom\0\0\0\0isommp42\0\0\0\0${written}`, 'latin1');
  const page = `<!doctype html><html><p>Your key: ${written}</p></html>`;
  return kind === 'media-bomb' ? page + ' '.repeat(9 << 20) : page;
}

/** A gateway that repeats the key wherever it can; the row's prompt says how. Counts how often it was asked for files. */
async function openEcho(fetched: Map<string, number>): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway');
      const body = Buffer.concat(chunks).toString();
      const named = body === '' ? (searchParams.get('taskCode') ?? pathname.split('/')[2] ?? '') : body;
      const echo = ECHOES.find((one) => named === idOf(one) || named.includes(`"${idOf(one)}"`));
      if (echo === undefined) return response.writeHead(404).end();
      const written = IN_JSON[echo.form] ?? '';
      const say = (status: number, text: string | Buffer, headers: Record<string, string> = {}): void => {
        const packed = ENCODINGS[echo.encoding]?.(text) ?? '';
        const encoding = echo.encoding === 'identity' ? {} : { 'content-encoding': echo.encoding };
        const seen = { 'x-seen': KEY, 'x-form': written, 'set-cookie': `k=${written}`, [`x-${hex('k', 2)}`]: KEY };
        response.writeHead(status, { ...seen, ...encoding, ...headers }).end(packed);
      };
      const host = `http://${request.headers.host}`;
      const envelope = (result: string, more = ''): string =>
        `{"code":200,"info":"hello ${written}","${written}":["${written}"],${more}"result":${result}}`;
      if (pathname.startsWith('/media/')) {
        // Asked for again and again, through the night, unless it is too large: then the row ends.
        const times = (fetched.get(named) ?? 0) + 1;
        fetched.set(named, times);
        if (times > 2) return response.writeHead(200).end(TOO_LARGE);
        if (echo.kind === 'media-redirect') return say(302, '', { location: `/elsewhere/x?k=${written}` });
        return say(200, instead(echo.kind, written), { 'content-type': 'text/html' });
      }
      if (request.method === 'GET') {
        const address = `${host}/media/${idOf(echo)}${echo.kind === 'media-address' ? `?k=${written}` : ''}`;
        const words = `"status":2,"endTime":"x","message":"for ${written}"`;
        const result = echo.kind === 'success' ? '"musicUrl":""' : `"imageUrl":"${address}"`;
        return say(200, envelope(`{${words},${result},"lyrics":"la ${written} la","${written}":1}`));
      }
      if (echo.kind === 'failure') return say(422, envelope('null', '"failure":true,'));
      if (echo.kind === 'page') return say(422, instead(echo.kind, written));
      return say(200, envelope(`{"taskCode":"${idOf(echo)}"}`));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Readings of bytes as somebody who looks for a key would try them, one inside of the other. */
function readings(bytes: Buffer): readonly string[] {
  const found = new Set([bytes.toString('latin1')]);
  for (
    let at = bytes.indexOf('\x1f\x8b\x08', 0, 'latin1');
    at >= 0;
    at = bytes.indexOf('\x1f\x8b\x08', at + 1, 'latin1')
  ) {
    try {
      found.add(gunzipSync(bytes.subarray(at), { finishFlush: 2 }).toString('latin1'));
    } catch {
      // No gzip after all.
    }
  }
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
  const ways = [
    (text: string) =>
      text.replaceAll(
        /\\u([0-9a-f]{4})|\\(["\\/])/gi,
        (_, code: string, char: string) => char ?? String.fromCharCode(Number.parseInt(code, 16)),
      ),
    (text: string) =>
      text.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16))),
    (text: string) =>
      text
        .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
        .replaceAll(/&(\w+);/g, (whole, name: string) => named[name] ?? whole),
    (text: string) =>
      text.replaceAll(/[A-Za-z0-9+/]{24,}={0,2}/g, (code) => Buffer.from(code, 'base64').toString('latin1')),
  ];
  for (let depth = 0; depth < 3; depth += 1) {
    const soFar = Array.from(found);
    for (const text of soFar) for (const way of ways) found.add(way(text));
  }
  return [...found];
}

function holdsKey(bytes: Buffer): boolean {
  // A half of it is too much, too.
  const traces = [KEY, KEY.slice(20, 50), KEY.slice(50, 90)];
  return readings(bytes).some((text) => traces.some((trace) => text.includes(trace)));
}

test('the search would find the key', () => {
  for (const written of Object.values(IN_JSON)) expect(holdsKey(Buffer.from(`"info":"${written}"`))).toBe(true);
  expect(holdsKey(gzipSync(`{"key":"${IN_JSON['gson']}"}`))).toBe(true);
  expect(holdsKey(Buffer.from('nothing of it'))).toBe(false);
});

test('a gateway that repeats the key in every form and encoding brings it into no file and no line', async () => {
  const night = await openCliNight(KEY);
  const fetched = new Map<string, number>();
  const base = await openEcho(fetched);
  const profile = night.profile({
    baseUrl: `${base}/api`,
    media: { maxBytes: MAX_BYTES },
    limits: {
      requestsPerSecond: 2000,
      activePerFamily: { musicgen: 60, 'videogen-a': 8, 'videogen-b': 60 },
      downloads: 16,
    },
  });
  const lines = ECHOES.map((echo) => `${idOf(echo)},${operationOf(echo)},${idOf(echo)}\n`);
  const sheet = night.file('s.csv', `row,operation,prompt\n${lines.join('')}`);
  const environment = { NOCTURNE_AI_KEY: KEY };
  // Nearly all of them fail, and none is to be left out.
  const ended = await night.run(sheet, ['--profile', profile, '--fuse', 'off', '--no-canary', '--json'], environment);
  expect(ended.exitCode).toBe(3);
  const { batch } = JSON.parse(ended.stdout.split('\n')[0] ?? '{}') as { batch: string };
  const rows = ['failure', 'page', 'success'].flatMap((kind) => ['--row', `${kind}-gson-br`]);
  const evidenceFile = path.join(night.out, 'evidence.json');
  const more = [
    await runCli(['evidence', batch, ...rows, '--out', evidenceFile, '--data', night.data]),
    await runCli(['evidence', batch, ...rows, '--data', night.data]),
    await runCli(['export', batch, '--out', path.join(night.out, 'copy'), '--data', night.data]),
    await runCli(['results', batch, '--data', night.data]),
    await runCli(['status', batch, '--json', '--data', night.data]),
    await runCli(['backup', '--out', path.join(night.out, 'store.db'), '--data', night.data]),
  ];
  const files = bytesBelow(path.dirname(night.data));
  expect(files.filter(({ bytes }) => holdsKey(bytes)).map((file) => file.path)).toEqual([]);
  const said = [ended, ...more].flatMap(({ stdout, stderr }) => [stdout, stderr]);
  expect(said.filter((text) => holdsKey(Buffer.from(text)))).toEqual([]);
  // What the gateway says is kept and shown all the same.
  const evidence = files.find((file) => file.path === evidenceFile)?.bytes.toString() ?? '';
  expect(evidence).toContain('hello ***your-key***');
  expect(evidence).not.toContain('content-encoding');
  const manifest = files.find((file) => file.path === path.join(night.out, 'manifest.json'))?.bytes.toString() ?? '';
  expect(manifest).toContain('***your-key***');
  // All of them came as files, and nothing was kept of them.
  expect([...fetched.keys()].filter((id) => !id.startsWith('media-address')).toSorted()).toEqual(
    ECHOES.filter(({ kind }) => kind.startsWith('media') && kind !== 'media-address')
      .map(idOf)
      .toSorted(),
  );
  expect(files.filter((file) => file.path.includes('set-aside')).map((file) => file.path)).toEqual([]);
  const done = JSON.parse(manifest) as { rows: { row: string; status: string }[] };
  expect(done.rows.filter((row) => row.status === 'done').map((row) => row.row.split('-')[0])).toEqual(
    ECHOES.filter(({ kind }) => kind === 'success').map(({ kind }) => kind),
  );
});
