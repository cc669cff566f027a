import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import { CLI_FOLDER } from '../../support/built-cli.ts';
import { runCli, startCli } from '../../support/run-cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Each starts processes of its own.
vi.setConfig({ testTimeout: 120_000 });

/** Words of what only a door needs: the protocol’s library, the server, the commands. */
const ONLY_DOORS = ['StdioServerTransport', ': still here', 'describe_operations'] as const;

/** What a process has loaded of the command line, by what Node says of its scripts at its end. */
function loadedIn(folder: string): string {
  const documents = readdirSync(folder).map((file) => readFileSync(path.join(folder, file), 'utf8'));
  const scripts = documents.flatMap((text) => (JSON.parse(text) as { result: { url: string }[] }).result);
  const ours = new Set(scripts.map(({ url }) => url).filter((url) => url.startsWith(CLI_FOLDER.href)));
  expect(ours.size).toBeGreaterThan(1);
  return Array.from(ours, (url) => readFileSync(fileURLToPath(url), 'utf8')).join('\n');
}

test('whoever uses neither door loads nothing of them', async () => {
  const dir = temporaryFolder();
  const commands = [
    ['status'],
    ['check', 'resources/samples/night.csv'],
    ['demo', '--rows', '1', '--out', path.join(dir, 'out')],
    ['--help'],
  ];
  for (const [i, args] of commands.entries()) {
    const folder = path.join(dir, `scripts-${i}`);
    const data = args.includes('--help') ? [] : ['--data', path.join(dir, 'data')];
    await runCli([...args, ...data], { NODE_V8_COVERAGE: folder });
    const loaded = loadedIn(folder);
    for (const word of ONLY_DOORS) expect(loaded.includes(word), `${args[0]}: ${word}`).toBe(false);
  }
});

/** Words of the libraries that check what is given: profiles, manifests, answers. */
const READS_WHAT_IS_GIVEN = ['ZodError', 'unrecognized_keys', 'RE2JSException'] as const;

test.each([
  ['a list of commands', ['--help'], [...READS_WHAT_IS_GIVEN, 'CREATE TABLE']],
  ['a look at what is stored', ['status'], READS_WHAT_IS_GIVEN],
] as const)('%s loads no library that reads what is given', async (_, args, words) => {
  const dir = temporaryFolder();
  const folder = path.join(dir, 'scripts');
  const data = args[0] === 'status' ? ['--data', path.join(dir, 'data')] : [];
  if (data.length > 0) await runCli(['demo', '--rows', '1', '--out', path.join(dir, 'out'), ...data]);
  await runCli([...args, ...data], { NODE_V8_COVERAGE: folder });
  const loaded = loadedIn(folder);
  expect(words.filter((word) => loaded.includes(word))).toEqual([]);
});

test('and who uses the one loads nothing of the other’s protocol', async () => {
  const dir = temporaryFolder();
  const folder = path.join(dir, 'scripts');
  const cli = startCli(['serve', '--rehearse', '--port', '0', '--json', '--data', path.join(dir, 'data')], {
    NODE_V8_COVERAGE: folder,
  });
  await cli.lineWith('listening');
  cli.process.kill('SIGTERM');
  await cli.ended;
  const loaded = loadedIn(folder);
  expect(ONLY_DOORS.map((word) => loaded.includes(word))).toEqual([false, true, true]);
});
