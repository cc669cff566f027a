import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fingerprintOf } from '../../src/engine/gateway/key-seal.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, startCli, type CliEnd } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 240_000 });

const KEY = 'canary-key-5f2a9c';
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

interface Rig {
  readonly dir: string;
  readonly baseUrl: string;
  profile(different?: object): string;
  run(args: readonly string[], key?: string): Promise<CliEnd>;
}

async function openRig(): Promise<Rig> {
  const dir = temporaryFolder();
  const started = await startObservedGateway({ behaviour: { timeScale: 0.001, media: { detail: 'tiny' } } });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const { baseUrl } = started.value;
  writeFileSync(path.join(dir, 's.csv'), 'row,operation,prompt\na,image,a fox\n');
  return {
    dir,
    baseUrl,
    profile: (different = {}) => {
      const file = path.join(dir, 'profile.json');
      writeFileSync(file, JSON.stringify({ baseUrl, status: { 'videogen-b': STATUS }, ...different }));
      return file;
    },
    run: (args, key = KEY) => runCli([...args, '--data', path.join(dir, 'data')], { NOCTURNE_AI_KEY: key }),
  };
}

/** Somebody else's server, which the key must not reach. */
async function openStranger(): Promise<{ origin: string; keys: string[] }> {
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(String(request.headers['aikey'] ?? ''));
    response.writeHead(500).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, keys };
}

const sheet = ({ dir }: Rig): readonly string[] => ['run', path.join(dir, 's.csv'), '--out', path.join(dir, 'out')];

test('a key goes to no other gateway than the first, until the user names it', async () => {
  const rig = await openRig();
  const { origin } = new URL(rig.baseUrl);
  const first = await rig.run([...sheet(rig), '--profile', rig.profile()]);
  expect(first).toMatchObject({ exitCode: 0, stderr: '' });
  expect(first.stdout.indexOf(`The key goes to ${origin}`)).toBeGreaterThanOrEqual(0);
  expect(first.stdout.indexOf(`The key goes to ${origin}`)).toBeLessThan(first.stdout.indexOf('Batch '));

  const stranger = await openStranger();
  const shared = rig.profile({ baseUrl: `${stranger.origin}/api`, deadlines: { submitSeconds: 5 } });
  const elsewhere = [...sheet(rig), '--profile', shared];
  const refused = await rig.run(elsewhere);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain(`belongs to ${origin}`);
  expect(refused.stderr).toContain(`--send-key-to ${stranger.origin}`);
  expect((await rig.run([...elsewhere, '--send-key-to', origin])).exitCode).toBe(2);
  expect(stranger.keys).toEqual([]);

  const said = await rig.run([...elsewhere, '--send-key-to', `${stranger.origin}/`]);
  expect(said.exitCode).toBe(4);
  expect(stranger.keys).toEqual([KEY]);
  expect((await rig.run(['resume'])).exitCode).toBe(4);
  // Another key is another matter.
  expect((await rig.run([...sheet(rig), '--profile', shared], 'another-key-77aa')).exitCode).toBe(4);
  expect(stranger.keys.at(-1)).toBe('another-key-77aa');
});

test('an address that was mistyped, or only looked at, does not become the owner of the key', async () => {
  const rig = await openRig();
  const free = createServer();
  await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve));
  const nobody = `http://127.0.0.1:${(free.address() as AddressInfo).port}/api`;
  await new Promise((resolve) => free.close(resolve));
  const mistyped = startCli([...sheet(rig), '--base-url', nobody, '--data', path.join(rig.dir, 'data')], {
    NOCTURNE_AI_KEY: KEY,
  });
  await mistyped.lineWith('Batch ');
  mistyped.process.kill('SIGINT');
  await mistyped.ended;
  expect((await rig.run([...sheet(rig), '--profile', rig.profile()])).exitCode).toBe(0);

  const another = 'another-key-77aa';
  const looked = await rig.run(['update', 's', '--dry-run'], another);
  expect(looked.exitCode).toBe(0);
  expect(looked.stdout).not.toContain('goes to');
  const notes = JSON.parse(readFileSync(path.join(rig.dir, 'data', 'key-origins.json'), 'utf8')) as { notes: object[] };
  expect(notes.notes).toMatchObject([{ key: fingerprintOf(KEY), origin: new URL(rig.baseUrl).origin }]);
});

test('a profile that holds the key is not taken when a batch goes on with it either', async () => {
  const rig = await openRig();
  expect((await rig.run([...sheet(rig), '--profile', rig.profile()])).exitCode).toBe(0);
  const resumed = await rig.run(['resume', '--profile', rig.profile({ name: KEY })]);
  expect(resumed.exitCode).toBe(2);
  expect(resumed.stderr).toContain('contains the key');
  const store = readFileSync(path.join(rig.dir, 'data', 'nocturne.db'), 'latin1');
  expect(store).not.toContain(KEY);
});

test('no command sends the key where a stored batch was changed to lead', async () => {
  const rig = await openRig();
  const ran = await rig.run([...sheet(rig), '--profile', rig.profile()]);
  expect(ran.exitCode).toBe(0);
  const stranger = await openStranger();
  const changed = new DatabaseSync(path.join(rig.dir, 'data', 'nocturne.db'));
  const { origin } = new URL(rig.baseUrl);
  changed.exec(`UPDATE batches SET settings = replace(settings, '${origin}', '${stranger.origin}')`);
  changed.exec(`UPDATE tasks SET status = 'failed', state = replace(state, '"done"', '"failed"')`);
  changed.close();
  const commands = [
    ['resume'],
    ['retry', 's', '--failed'],
    ['retry', 's', '--row', 'a'],
    ['resolve', 's', '--row', 'a', '--resubmit'],
    ['resolve', 's', '--row', 'a', '--write-off'],
    ['update', 's'],
  ];
  const refusals = async (some: readonly (readonly string[])[]): Promise<void> => {
    for (const command of some) {
      const ended = await rig.run(command);
      expect([command[0], ended.exitCode]).toEqual([command[0], 2]);
      expect(ended.stderr).toContain('--send-key-to');
    }
  };
  await refusals(commands);
  const notes = path.join(rig.dir, 'data', 'key-origins.json');
  writeFileSync(notes, readFileSync(notes, 'utf8').replaceAll(origin, stranger.origin));
  await refusals([['resume']]);
  rmSync(notes);
  await refusals([['resume']]);
  expect(stranger.keys).toEqual([]);
});

test('an origin is the same however it is written, and a name with a dot at its end is another', async () => {
  const rig = await openRig();
  const check = async (baseUrl: string): Promise<string> => {
    const ended = await rig.run([
      ...sheet(rig),
      '--profile',
      rig.profile({ baseUrl }),
      '--send-key-to',
      'https://x.invalid',
    ]);
    return /gateway here is (\S+)\./.exec(ended.stderr)?.[1] ?? ended.stderr;
  };
  expect(await check('https://BÜCHER.example:443/api/')).toBe('https://xn--bcher-kva.example');
  expect(await check('https://xn--bcher-kva.example')).toBe('https://xn--bcher-kva.example');
  expect(await check('https://gateway.example.:443/api')).toBe('https://gateway.example.');
  expect(await check('https://gateway.example:8443/api')).toBe('https://gateway.example:8443');
});

test('a key in the profile or one that could not be kept out of files is refused, and nothing is sent', async () => {
  const rig = await openRig();
  const inAddress = await rig.run([...sheet(rig), '--base-url', `${rig.baseUrl}/${KEY}`]);
  expect(inAddress.exitCode).toBe(2);
  expect(inAddress.stdout + inAddress.stderr).not.toContain(KEY);
  const short = await rig.run([...sheet(rig), '--profile', rig.profile()], 'short');
  expect(short.exitCode).toBe(2);
  expect(short.stderr).toContain('shorter than 8');
  const files = readdirSync(path.join(rig.dir, 'data'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => name.includes('key-origins'))).toEqual([]);
});

test('plain http beyond this machine is refused without a word in the profile, and warned of with one', async () => {
  const rig = await openRig();
  const refused = await rig.run([...sheet(rig), '--base-url', 'http://gateway.invalid/api']);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain('allowPlainHttp');
  const allowed = rig.profile({ baseUrl: 'http://gateway.invalid/api', allowPlainHttp: true });
  // The warning comes before anything is sent: this run ends because of its folder.
  const warned = await rig.run([
    ...sheet(rig),
    '--profile',
    allowed,
    '--out',
    path.join(rig.dir, 's.csv', 'no-folder'),
  ]);
  expect(warned.exitCode).toBe(2);
  expect(warned.stderr).toContain('http://gateway.invalid is not encrypted');
});
