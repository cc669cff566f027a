/** How commands end where something is still open: a server, an input, a terminal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { CLI_ENTRY } from '../support/built-cli.ts';
import { makeReadOnly, mountOver } from '../support/mounts.ts';
import { runCli, startCli, type CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Each starts processes of its own.
vi.setConfig({ testTimeout: 120_000 });

let dir: string;

beforeEach(() => {
  dir = temporaryFolder();
});

test('a worker whose store cannot be opened ends, also while its health is asked for', async () => {
  const key = path.join(dir, 'key');
  writeFileSync(key, 'key-of-a-worker-1234', { mode: 0o600 });
  const store = ['--store', 'postgres://nobody@127.0.0.1:1/none', '--data', path.join(dir, 'data')];
  const cli = startCli(['worker', ...store, '--health', '0', '--key-file', key, '--json']);
  onTestFinished(() => void cli.process.kill('SIGKILL'));
  await cli.lineWith('"event":"error"');
  const late = new Promise((resolve) => setTimeout(resolve, 15_000, 'still running'));
  expect(await Promise.race([cli.ended, late])).toMatchObject({ exitCode: 2 });
});

test('a door whose input ends while it opens the store closes that store, and ends', async () => {
  const data = path.join(dir, 'data');
  const door = spawn(process.execPath, [CLI_ENTRY, 'mcp', '--rehearse', '--data', data], { stdio: 'pipe' });
  onTestFinished(() => void door.kill('SIGKILL'));
  const ended = once(door, 'close');
  const hello = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const messages = [
    { id: 1, method: 'initialize', params: hello },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'pause_all', arguments: {} } },
  ];
  door.stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''));
  const late = new Promise((resolve) => setTimeout(resolve, 15_000, 'still running'));
  expect(await Promise.race([ended, late])).toEqual([0, null]);
});

test('a command that cannot do all of it prints one document or events with --json, and never both', async (context) => {
  const [out, data] = [path.join(dir, 'out'), path.join(dir, 'data')];
  mkdirSync(out);
  const disk = mountOver(context, out, 'size=600m');
  expect((await runCli(['demo', '--rows', '1', '--out', out, '--data', data])).exitCode).toBe(0);
  const { rows } = JSON.parse(readFileSync(path.join(out, 'manifest.json'), 'utf8')) as {
    readonly rows: readonly { readonly row: string }[];
  };
  const row = ['--row', rows[0]?.row ?? ''];
  const say = (...args: readonly string[]): Promise<CliEnd> => runCli([...args, '--data', data, '--json']);
  const existing = path.join(dir, 'existing.json');
  writeFileSync(existing, '{}');
  const evidence = await say('evidence', 'Rehearsal night', ...row, '--out', existing);
  expect([evidence.exitCode, JSON.parse(evidence.stdout)]).toMatchObject([2, { event: 'error' }]);
  if (disk === undefined) return;
  expect((await say('review', 'Rehearsal night', ...row, '--reject')).exitCode).toBe(0);
  makeReadOnly(disk);
  const deleted = await say('rejected', 'Rehearsal night', '--delete');
  const problem = expect.stringContaining('read-only') as string;
  expect([deleted.exitCode, JSON.parse(deleted.stdout)]).toMatchObject([5, { problem }]);
  expect(deleted.stderr).toContain(' --delete');
});
