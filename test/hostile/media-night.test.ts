import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { BOTTOMLESS, endlessFilm } from '../support/bottomless-media.ts';
import { serveHonestly } from '../support/media-server.ts';
import { runCli, startCli, type RunningCli } from '../support/run-cli.ts';
import { openCliNight, type CliNight } from './cli-night.ts';

vi.setConfig({ testTimeout: 400_000 });

const KEY = 'a-key-of-some-length';
const PNG = readFileSync(path.join(import.meta.dirname, '../fixtures/media/picture.png'));
/** How long a night with such files may take: they are asked for again, a few times and soon. */
const MOST_MS = 150_000;

const FILMS: Readonly<Record<string, Buffer>> = {
  'endless-film': endlessFilm(200),
  'empty-boxes': BOTTOMLESS['48 MiB of empty boxes'](),
};
const BAD = [...Object.keys(FILMS), 'deep-result'];
const GOOD = ['good-1', 'good-2', 'good-3', 'good-4', 'good-5', 'good-6'];
const DEPTH = 5_000;

interface TaskEvent {
  readonly row: string;
  readonly failure?: { readonly message: string };
}

interface HostileGateway {
  readonly baseUrl: string;
  /** Prompts that were submitted. */
  readonly submitted: string[];
  /** Called when all of a bad film was sent. */
  onFilm: () => void;
}

/** A gateway that charges for everything and gives some rows files that make a careless reader run wild. */
async function openHostileGateway(): Promise<HostileGateway> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://gateway');
      const host = `http://${request.headers.host}`;
      const say = (result: string): void => {
        response.setHeader('content-type', 'application/json');
        response.end(`{"code":200,"success":true,"result":${result}}`);
      };
      if (request.method === 'POST') {
        const { prompt } = JSON.parse(Buffer.concat(chunks).toString()) as { prompt: string };
        gateway.submitted.push(prompt);
        return say(JSON.stringify({ taskCode: prompt }));
      }
      const name = path.basename(pathname);
      const film = FILMS[name];
      if (pathname.startsWith('/media/')) {
        if (film !== undefined) response.on('finish', () => gateway.onFilm());
        return serveHonestly(request, response, film ?? PNG);
      }
      const taskCode = searchParams.get('taskCode') ?? '';
      const status = `"taskId":"${taskCode}","status":2,"message":"","addTime":"","endTime":"x"`;
      if (taskCode === 'deep-result') {
        return say(`{${status},"lyrics":${'['.repeat(DEPTH)}"la"${']'.repeat(DEPTH)}}`);
      }
      const field = taskCode in FILMS ? 'videoUrl' : 'imageUrl';
      say(`{${status},"${field}":"${host}/media/${taskCode}"}`);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const gateway: HostileGateway = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    submitted: [],
    onFilm: () => undefined,
  };
  return gateway;
}

/** The sheet of such a night and how it is begun. */
async function prepare(gateway: HostileGateway): Promise<CliNight & { readonly begin: () => RunningCli }> {
  const night = await openCliNight(KEY);
  const operations: Readonly<Record<string, string>> = { 'deep-result': 'lyrics' };
  const lines = [...BAD, ...GOOD].map((id) => `${id},${operations[id] ?? (id in FILMS ? 'video-a' : 'image')},${id}`);
  const sheet = night.file('night.csv', `row,operation,prompt\n${lines.join('\n')}\n`);
  const profile = night.profile({ baseUrl: gateway.baseUrl });
  return {
    ...night,
    begin: () =>
      startCli(['run', sheet, '--out', night.out, '--data', night.data, '--profile', profile, '--json'], {
        NOCTURNE_AI_KEY: KEY,
      }),
  };
}

/** What became of each row, by the sheet of results. */
function endsIn(night: CliNight): Readonly<Record<string, string>> {
  const text = readFileSync(path.join(night.out, 'sheet.results.csv'), 'utf8').trim();
  const [headers = [], ...lines] = text.split(/\r?\n/).map((line) => line.split(','));
  const status = headers.indexOf('status');
  return Object.fromEntries(lines.map((cells) => [cells[0] ?? '', cells[status] ?? ''] as const));
}

/** The documents of the folder are there, and each file in it is what the manifest says. */
async function expectWholeFolder(night: CliNight): Promise<void> {
  for (const name of ['manifest.json', 'manifest.csv', 'sheet.results.csv', 'index.html']) {
    expect(readFileSync(path.join(night.out, name), 'utf8')).toContain('good-1');
  }
  expect((await runCli(['verify', night.out])).exitCode).toBe(0);
}

const ENDS: Readonly<Record<string, string>> = Object.fromEntries(
  [...BAD, ...GOOD].map((id) => [id, BAD.includes(id) ? 'failed' : 'done'] as const),
);

test('files and results that make readers run wild fail their rows, with a reason, and the night goes on', async () => {
  const gateway = await openHostileGateway();
  const night = await prepare(gateway);
  const startedMs = performance.now();
  const { exitCode, stdout, stderr } = await night.begin().ended;
  expect(performance.now() - startedMs).toBeLessThan(MOST_MS);
  expect({ exitCode, stderr }).toEqual({ exitCode: 3, stderr: '' });
  const events = stdout.trim().split('\n');
  const failures = events.map((line) => JSON.parse(line) as TaskEvent).filter(({ failure }) => failure !== undefined);
  expect(Object.fromEntries(failures.map(({ row, failure }) => [row, failure?.message]))).toEqual({
    'endless-film': expect.stringContaining('its last samples are missing') as string,
    'empty-boxes': expect.stringContaining('more pieces than any recording has') as string,
    'deep-result': expect.stringContaining('more than 100 levels') as string,
  });
  expect(endsIn(night)).toEqual(ENDS);
  expect(gateway.submitted.toSorted()).toEqual([...BAD, ...GOOD].toSorted());
  await expectWholeFolder(night);
});

test('Ctrl-C while such a file is looked at ends the night, and the next one goes on with it', async () => {
  const gateway = await openHostileGateway();
  const night = await prepare(gateway);
  const running = night.begin();
  gateway.onFilm = () => running.process.kill('SIGINT');
  const startedMs = performance.now();
  const interrupted = await running.ended;
  expect(performance.now() - startedMs).toBeLessThan(MOST_MS);
  expect(interrupted.exitCode).toBe(130);
  expect(interrupted.stderr).not.toContain('bug');
  expect(Object.keys(endsIn(night)).toSorted()).toEqual(Object.keys(ENDS).toSorted());
  expect((await runCli(['verify', night.out])).exitCode).toBe(0);

  gateway.onFilm = () => undefined;
  const resumed = await runCli(['resume', '--data', night.data], { NOCTURNE_AI_KEY: KEY });
  expect(resumed.exitCode).toBe(3);
  expect(endsIn(night)).toEqual(ENDS);
  expect(gateway.submitted.toSorted()).toEqual([...BAD, ...GOOD].toSorted());
  await expectWholeFolder(night);
});
