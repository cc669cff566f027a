import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CLI_FOLDER } from '../support/built-cli.ts';
import { importThatNotes, loadingThreads, type LoadingThread } from '../support/loaded-modules.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { startCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Each starts processes of its own.
vi.setConfig({ testTimeout: 120_000 });

/** Words of what only a server, a fleet, a bucket or a door needs. */
const NOT_FOR_A_WORKSTATION: Readonly<Record<string, string>> = {
  pg: 'Client has encountered a connection error and is not queryable',
  'pg-boss': 'pgboss',
  aws4fetch: 'aws4_request',
  'the health of a worker': 'version=0.0.4',
  'the Model Context Protocol': 'StdioServerTransport',
  'the door over HTTP': ': still here',
  'the commands of the doors': 'describe_operations',
};

const KEY = 'canary-key-main-41c0';
const STATUS = {
  musicgen: { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' },
};

test('each of these words is somewhere in what is built', () => {
  const files = readdirSync(fileURLToPath(new URL('parts/', CLI_FOLDER))).filter((name) => name.endsWith('.js'));
  const text = files.map((name) => readFileSync(fileURLToPath(new URL(`parts/${name}`, CLI_FOLDER)), 'utf8')).join('');
  expect(Object.entries(NOT_FOR_A_WORKSTATION).filter(([, word]) => !text.includes(word))).toEqual([]);
});

/** All that a program of the built command line loads before it does anything, as one text. */
function loadedAtOnce(program: string, seen = new Set<string>()): string {
  if (seen.has(program)) return '';
  seen.add(program);
  const text = readFileSync(fileURLToPath(new URL(`parts/${program}`, CLI_FOLDER)), 'utf8');
  const others = [...text.matchAll(/^import .*"\.\/(?<name>[^"]+)";$/gmu)].map(({ groups }) => groups?.['name'] ?? '');
  return [text, ...others.map((name) => loadedAtOnce(name, seen))].join('');
}

test('the reader of sheets loads at once what a text needs, and only for a workbook what that needs', () => {
  const loaded = loadedAtOnce('sheet-worker.js');
  expect(loaded).toContain('papaparse');
  // A part of a workbook, and what writes one with results in it.
  for (const word of ['xl/workbook.xml', 'function zipSync']) {
    expect(loaded.includes(word)).toBe(false);
  }
});

/** What of it is in any of these threads. */
function foundIn(threads: readonly LoadingThread[]): readonly string[] {
  const texts = [...new Set(threads.flatMap(({ loaded }) => loaded))].map((url) =>
    readFileSync(fileURLToPath(url), 'utf8'),
  );
  return Object.keys(NOT_FOR_A_WORKSTATION).filter((what) =>
    texts.some((text) => text.includes(NOT_FOR_A_WORKSTATION[what] ?? '')),
  );
}

/** Runs a command to its end; gives its threads, and the programs of those that are not the main thread. */
async function watched(dir: string, args: readonly string[]) {
  const notes = path.join(dir, `notes-${args[0] ?? ''}`);
  mkdirSync(notes);
  const command = startCli([...args, '--data', path.join(dir, 'data')], {}, [importThatNotes(notes)]);
  const { exitCode, stderr } = await command.ended;
  expect([exitCode, stderr]).toEqual([0, expect.any(String)]);
  const threads = loadingThreads(notes, CLI_FOLDER);
  const programs = threads
    .filter(({ isMain }) => !isMain)
    .map(({ loaded }) => path.basename(loaded.find((url) => url.endsWith('-worker.js')) ?? ''));
  return { threads, programs: programs.toSorted(), started: threads.flatMap(({ started }) => started) };
}

test('a store in a folder loads nothing of servers, fleets, buckets and doors, and starts no thread or process for them', async () => {
  const dir = temporaryFolder();
  const gateway = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' } },
    acceptKey: (key) => key === KEY,
  });
  if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
  onTestFinished(() => gateway.value.close());
  const file = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text, { mode: 0o600 });
    return path.join(dir, name);
  };
  const profile = file(
    'profile.json',
    JSON.stringify({ name: 'main', baseUrl: gateway.value.baseUrl, status: STATUS }),
  );
  const sheet = file('s.csv', 'row,operation,prompt\na,music,rain\nb,image,a fox\n');
  const out = path.join(dir, 'out');
  const keys = ['--profile', profile, '--key-file', file('main.key', KEY)];
  const run = await watched(dir, ['run', sheet, '--out', out, ...keys]);
  const status = await watched(dir, ['status']);
  expect(foundIn(run.threads)).toEqual([]);
  // A slow disk is given more threads than one.
  expect([...new Set(run.programs)]).toEqual(['file-worker.js', 'media-check-worker.js', 'store-worker.js']);
  // Its owner, who answers everything while the store is small.
  expect(run.programs.filter((name) => name === 'store-worker.js')).toHaveLength(1);
  // Where there is an ffmpeg, it makes small pictures of what has come.
  const started = run.started.filter((program) => !program.includes('/ffmpeg '));
  expect(started.map((program) => path.basename(program))).toEqual(['sheet-reader-process.js']);
  expect(foundIn(status.threads)).toEqual([]);
  expect([status.programs, status.started]).toEqual([[], []]);
});
