/** How commands end where something is still open: a server, an input, a terminal. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startCli } from '../support/run-cli.ts';
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
