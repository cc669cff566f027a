import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { CLI_SPEED } from '../../support/built-cli.ts';
import { startObservedGateway } from '../../support/observed-gateway.ts';
import { postgresUrl } from '../../support/postgres.ts';
import { runCli, startCli } from '../../support/run-cli.ts';
import { images, serveIn } from '../../support/served-door.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-7b1f03';
/** Leases end by the server's clock, which no test hurries. */
const REAL_TIME = { [CLI_SPEED]: '1' };

test('on a server a worker renders what a door starts: under its cap, which the user’s own start lifts', async () => {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' } },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  onTestFinished(() => gateway.close());
  const dir = temporaryFolder();
  const store = postgresUrl(dir);
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const profile = path.join(dir, 'profile.json');
  writeFileSync(profile, JSON.stringify({ baseUrl: gateway.baseUrl, status: { 'videogen-b': status } }));
  mkdirSync(path.join(dir, 'worker'));
  const place = ['--store', store, '--data', path.join(dir, 'worker')];
  const worker = startCli(['worker', ...place], { NOCTURNE_AI_KEY: KEY, ...REAL_TIME });
  onTestFinished(async () => {
    worker.process.kill('SIGKILL');
    await worker.ended;
  });
  // It has no key: nothing is sent from here.
  const door = await serveIn(dir, ['--store', store, '--profile', profile, '--max-requests', '3'], REAL_TIME);
  const make = async (name: string): Promise<{ readonly id: string; readonly folder: string }> =>
    (await door.ask('create_batch', { name, rows: images(2, name) })).body.batch as never;
  const until = (batchId: string, state: string): Promise<void> =>
    vi.waitFor(async () => expect((await door.ask('get_batch', { batchId })).body.batch['state']).toBe(state), {
      timeout: 60_000,
      interval: 100,
    });
  const [a, b] = [await make('a'), await make('b')];
  expect((await door.ask('start_batch', { batchId: a.id })).status).toBe(200);
  await until(a.id, 'finished');
  await vi.waitFor(() => expect(existsSync(path.join(a.folder, 'manifest.json'))).toBe(true), { timeout: 20_000 });
  expect(gateway.chargeLog()).toHaveLength(2);
  const refused = await door.ask('start_batch', { batchId: b.id });
  expect(refused).toMatchObject({ status: 409, body: { type: 'urn:nocturne:problem:over-cap' } });
  expect((await door.ask('start_batch', { batchId: b.id, maxRequests: 1 })).status).toBe(200);
  await until(b.id, 'paused');
  expect(gateway.chargeLog()).toHaveLength(3);
  expect(await door.end()).toBe(0);
  const resumed = await runCli(['resume', b.id, '--max-requests', '2', ...place], REAL_TIME);
  expect([resumed.exitCode, gateway.chargeLog().length]).toEqual([0, 4]);
  const rehearsal = await runCli(['serve', '--rehearse', '--port', '0', ...place], REAL_TIME);
  expect([rehearsal.exitCode, rehearsal.stderr]).toEqual([2, expect.stringContaining('needs a store in a folder')]);
});
