/** What a night on the command line does for somebody who is asleep: tells them, and puts the computer to sleep. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CLI_SPEED } from '../support/built-cli.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, startCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Every test starts processes of its own; a busy machine takes its time for each.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'asleep-key-77ab01';
const TOKEN = 'tk_of_the_topic';

test.runIf(process.platform === 'linux')('--notify tells once, --then sleeps unless it is called off', async () => {
  const gateway = await startObservedGateway({
    behaviour: { timeScale: 0.01, faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1] }] },
    acceptKey: (key) => key === KEY,
  });
  if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
  onTestFinished(() => gateway.value.close());
  const told: { readonly body: string; readonly token: string | undefined; readonly title: string }[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      told.push({ body, token: request.headers.authorization, title: String(request.headers['title']) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());

  const folder = temporaryFolder();
  const at = (name: string): string => path.join(folder, name);
  writeFileSync(at('a secret film.csv'), 'row,operation,prompt\na,lyrics,a secret song\nb,lyrics,snow\n');
  writeFileSync(at('token'), `${TOKEN}\n`, { mode: 0o600 });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/nights`;
  const ways = { ntfy: { url, tokenFile: 'token' }, command: { argv: ['sh', '-c', `cat >> "$0"`, at('told.jsonl')] } };
  writeFileSync(at('notify.json'), JSON.stringify(ways));
  // The system's command, which a test must not reach; it is given no key.
  mkdirSync(at('bin'));
  const systemctl = (code: number): void => {
    writeFileSync(
      at('bin/systemctl'),
      `#!/bin/sh\necho "$@$NOCTURNE_AI_KEY" >> '${at('asked')}'\necho refused >&2\nexit ${code}\n`,
    );
    for (const name of ['systemctl', 'loginctl']) {
      if (name === 'loginctl') writeFileSync(at(`bin/${name}`), readFileSync(at('bin/systemctl')));
      chmodSync(at(`bin/${name}`), 0o755);
    }
  };
  systemctl(0);
  const asked = (): string => (existsSync(at('asked')) ? readFileSync(at('asked'), 'utf8') : '');
  const environment = { NOCTURNE_AI_KEY: KEY, PATH: `${at('bin')}:${process.env['PATH']}`, [CLI_SPEED]: '50' };
  const store = ['--data', at('data'), '--json'];
  const ending = ['--notify', at('notify.json'), '--then'];

  const sheet = at('a secret film.csv');
  const run = ['run', sheet, '--out', at('out'), ...store, '--base-url', gateway.value.baseUrl, ...ending];
  const wrong = await runCli([...run, 'hibernate'], environment);
  expect(wrong).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('--then hibernate') as string });
  const night = await runCli([...run, 'sleep'], environment);
  expect(night.exitCode).toBe(4);
  // A lost answer may come a moment before the end, or together with it: never more than these two, and no name in them.
  expect(told.length === 1 || told.length === 2).toBe(true);
  expect(told.at(-1)).toMatchObject({ title: 'A batch is finished', token: `Bearer ${TOKEN}` });
  const program = readFileSync(at('told.jsonl'), 'utf8');
  expect(program.trim().split('\n')).toHaveLength(told.length);
  for (const text of [JSON.stringify(told), program]) expect(text).not.toMatch(/secret|film|snow/u);
  expect(night.stdout).not.toContain(TOKEN);
  expect(night.stdout).toContain('"event":"notified","way":"ntfy","ok":true');
  expect(asked()).toBe('suspend\n');

  // At rest since: there is nothing to tell again, and a system that refuses is told of.
  const before = told.length;
  systemctl(1);
  const refused = await runCli(['resume', ...store, ...ending, 'shutdown'], environment);
  expect(refused).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('could not be shut down') as string });
  expect(asked()).toBe('suspend\npoweroff\npoweroff\n');
  expect(told).toHaveLength(before);

  const calledOff = startCli(['resume', ...store, ...ending, 'sleep'], { ...environment, [CLI_SPEED]: '1' });
  await calledOff.lineWith('"event":"warning"');
  calledOff.process.kill('SIGINT');
  expect(await calledOff.ended).toMatchObject({ exitCode: 4, stderr: expect.stringContaining('Called off') as string });
  expect(asked()).toBe('suspend\npoweroff\npoweroff\n');

  const tried = await runCli(['notify', at('notify.json'), '--json'], environment);
  expect(tried.exitCode).toBe(0);
  expect(told.at(-1)?.title).toBe('Nocturne: a test');
});
