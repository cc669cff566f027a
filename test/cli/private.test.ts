import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Every test starts processes of its own; a busy machine takes its time for each.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'canary-key-77ab01';
const NAME = 'Night\u001B[2J\u001B]0;owned\u0007\u202E\u009B1m';
/** What a terminal obeys and what turns text around, but for the line feed. */
const STEERING = /[^\P{Cc}\n]|[\u202A-\u202E\u2066-\u2069]/u;

test.runIf(process.getuid !== undefined)('what a night holds is nobody else’s, and steers no terminal', async () => {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1] }] },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('sheet.csv'), 'row,operation,prompt\n"a\u001B[31m",lyrics,"a song\u001B[2J"\nb,lyrics,snow\n');
  writeFileSync(at('key'), `${KEY}\n`);
  chmodSync(at('key'), 0o640);
  const store = ['--data', at('data')];
  const run = ['run', at('sheet.csv'), '--out', at('out'), ...store, '--base-url', started.value.baseUrl];
  const night = [...run, '--name', NAME, '--key-file', at('key')];

  const refused = await runCli(night);
  expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('chmod 600') as string });
  expect(started.value.chargeLog()).toEqual([]);

  chmodSync(at('key'), 0o600);
  const ended = await runCli(night);
  expect(ended).toMatchObject({ exitCode: 4, stdout: expect.stringContaining('Night\\u001b[2J') as string });
  const evidence = await runCli(['evidence', NAME, ...store, '--out', at('evidence.json')]);
  const status = await runCli(['status', ...store, '--json']);
  for (const { stdout, stderr } of [ended, evidence, status]) expect(stdout + stderr).not.toMatch(STEERING);
  expect(JSON.stringify(JSON.parse(status.stdout))).toContain(JSON.stringify(NAME));

  const isForOthers = (file: string): boolean => (statSync(file).mode & 0o007) !== 0;
  const out = readdirSync(at('out'), { recursive: true, encoding: 'utf8' }).map((name) => path.join(at('out'), name));
  const files = out.filter((file) => statSync(file).isFile());
  expect(files.map((file) => path.basename(file))).toContain('manifest.json');
  expect(files.filter(isForOthers)).toEqual([]);
  expect([evidence.exitCode, statSync(at('evidence.json')).mode & 0o777]).toEqual([0, 0o600]);
  const own = readdirSync(at('data')).map((name) => path.join(at('data'), name));
  expect(own.filter((file) => (statSync(file).mode & 0o077) !== 0)).toEqual([]);
});

test('a wrong word on the command line steers no terminal, either', async () => {
  const ended = await runCli(['check', 'no\u001B[31m.csv', '--no\u001B[2Jway']);
  expect(ended.exitCode).toBe(2);
  expect(ended.stderr).toContain('\\u001b[2J');
  expect(ended.stdout + ended.stderr).not.toMatch(STEERING);
});

test('--version tells the version', async () => {
  const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')) as {
    readonly version: string;
  };
  expect(await runCli(['--version'])).toMatchObject({ exitCode: 0, stdout: `${version}\n`, stderr: '' });
});
