import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test, vi, type TestContext } from 'vitest';
import type { Manifest } from '../../src/shared/domain/files/manifest.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { CLI_SPEED } from '../support/built-cli.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { postgresUrl } from '../support/postgres.ts';
import { runCli, startCli, type CliEnd, type RunningCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-c4a07e';
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
const COST = { amount: 0.1, currency: 'EUR' };

/** A gateway, a sheet, and a store: in a folder, or on a server with a worker that alone has the key. */
async function world(
  { onTestFinished }: TestContext,
  kind: 'folder' | 'server',
  lines: readonly string[],
  behaviour: BehaviourInput = {},
  more: { readonly limits?: object; readonly idempotency?: object } = {},
) {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.001, media: { detail: 'tiny' }, ...behaviour },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  onTestFinished(() => gateway.close());
  const dir = temporaryFolder();
  const inDir = (name: string): string => path.join(dir, name);
  const writeSheet = (rows: readonly string[]): void =>
    writeFileSync(inDir('sheet.csv'), ['row,operation,prompt', ...rows, ''].join('\n'));
  writeSheet(lines);
  const status = { musicgen: STATUS, 'videogen-b': STATUS };
  const prices = { 'musicgen/music/lyrics': COST, 'videogen-b/image/generate': COST };
  const limits = { requestsPerSecond: 20, ...more.limits };
  const { idempotency } = more;
  writeFileSync(
    inDir('profile.json'),
    JSON.stringify({ baseUrl: gateway.baseUrl, status, prices, limits, idempotency }),
  );
  writeFileSync(inDir('key'), KEY, { mode: 0o600 });
  const data = ['--data', inDir('data')];
  const place = kind === 'folder' ? data : [...data, '--store', postgresUrl(dir)];
  // Leases end by the server's clock, which no test hurries.
  const environment = kind === 'folder' ? { NOCTURNE_AI_KEY: KEY } : { [CLI_SPEED]: '1' };
  const start = (...args: readonly string[]): RunningCli => startCli([...args, ...place], environment);
  const say = (...args: readonly string[]): Promise<CliEnd> => start(...args).ended;
  if (kind === 'server') {
    const [, , ...store] = place;
    const keyed = { NOCTURNE_AI_KEY: KEY, ...environment };
    // No worker takes over from another: on a busy machine, a short lease would end while a request is out.
    const worker = startCli(['worker', '--lease', '30', '--data', inDir('worker'), ...store], keyed);
    onTestFinished(async () => {
      worker.process.kill('SIGKILL');
      await worker.ended;
    });
  }
  return {
    gateway,
    inDir,
    writeSheet,
    place,
    say,
    start,
    json: async (...args: readonly string[]): Promise<unknown> => JSON.parse((await say(...args, '--json')).stdout),
    run: (...more: readonly string[]) =>
      say('run', inDir('sheet.csv'), '--out', inDir('out'), '--profile', inDir('profile.json'), ...more),
    /** What was paid for, by the number in each prompt. */
    paid: (): readonly string[] =>
      gateway.chargeLog().map(({ body }) => /number (\w+)/.exec(JSON.stringify(body))?.[1] ?? ''),
    manifest: (): Manifest => JSON.parse(readFileSync(inDir('out/manifest.json'), 'utf8')) as Manifest,
  };
}

// Most of each story is waiting for a gateway.
describe.concurrent.each(['folder', 'server'] as const)('a store: %s', (kind) => {
  test('what failed and what is unknown is seen, settled and tried again, and paid once for each word', async (context) => {
    const rows = ['a,image,number a', 'b,image,number b', 'f,lyrics,number f'];
    const { gateway, inDir, say, json, run, paid, manifest } = await world(context, kind, rows, {
      faults: [
        // In the order in which they come: two at first, and the resubmit.
        { kind: 'lost', when: 'submit', charged: true, operations: ['videogen-b'], nth: [1, 2, 3] },
        { kind: 'remote-failure', when: 'submit', operations: ['musicgen'], nth: [1] },
      ],
    });
    expect(await run('--name', 'night')).toMatchObject({ exitCode: 4 });
    expect(paid().toSorted()).toEqual(['a', 'b', 'f']);
    const evidence = ['a', 'b'].map((row) => ({
      row,
      status: 'submit-unknown',
      attempts: [{ body: { text: `{"prompt":"number ${row}"}` }, outcome: 'unknown' }],
    }));
    const adopt = ['resolve', 'night', '--row', 'a', '--key-file', inDir('key'), '--adopt'];
    const [known, wrong] = await Promise.all([json('evidence', 'night'), say(...adopt, 'no-such-code')]);
    expect(known).toMatchObject({ evidence });
    expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringContaining('knows no task no-such-code')]);
    const code = gateway.chargeLog()[paid().indexOf('a')]?.taskCode ?? '';
    // The other one waits on.
    expect(await say(...adopt, code)).toMatchObject({ exitCode: 4 });
    expect(paid()).toHaveLength(3);
    expect(await say('retry', 'night', '--row', 'f')).toMatchObject({ exitCode: 4 });
    expect(paid().slice(3)).toEqual(['f']);
    expect(await say('resolve', 'night', '--row', 'b', '--resubmit')).toMatchObject({ exitCode: 4 });
    expect(paid().slice(4)).toEqual(['b']);
    expect(await say('resolve', 'night', '--row', 'b', '--write-off')).toMatchObject({ exitCode: 3 });
    expect(paid()).toHaveLength(5);
    expect(await say('retry', 'night', '--failed')).toMatchObject({ exitCode: 0 });
    expect(paid().slice(5)).toEqual(['b']);

    expect(await say('review', 'night', '--row', 'a', '--keep', '--rate', '4')).toMatchObject({ exitCode: 0 });
    expect(manifest().files.find(({ row }) => row === 'a')).toMatchObject({ kept: true, rating: 4 });
    const [ledger, limits, verified, gates, seen, ...written] = await Promise.all([
      json('ledger', 'night'),
      json('limits'),
      json('verify', inDir('out')),
      json('gates', 'night'),
      json('profile', 'seen'),
      say('results', 'night'),
      say('export', 'night', '--out', inDir('whole')),
      say('export', 'night', '--out', inDir('kept'), '--kept'),
    ]);
    expect(ledger).toMatchObject({ verified: 3, money: { requests: { spent: 4, unknown: 2 } } });
    expect(limits).toMatchObject({ spent: { night: { requests: 6, cost: [{ amount: 0.6, currency: 'EUR' }] } } });
    expect(verified).toMatchObject({ ok: true, files: 3, verified: 3 });
    expect(gates).toMatchObject({ files: [{ row: 'a' }, { row: 'b' }] });
    expect(seen).toMatchObject({
      durations: [{ operation: 'musicgen/music/lyrics' }, { operation: 'videogen-b/image/generate' }],
    });
    expect(written.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
    expect(readFileSync(inDir('sheet.results.csv'), 'utf8')).toMatch(/^a,image,number a,done,/mu);
    expect(readdirSync(inDir('whole/image'))).toHaveLength(2);
    expect(readdirSync(inDir('kept/image'))).toHaveLength(1);
    expect(gateway.chargeLog()).toHaveLength(6);
  });

  test('rows are held, released and run next; a changed sheet and limits pay for what they say', async (context) => {
    const line = (row: string, more = ''): string => `${row},lyrics,number ${row}${more}`;
    const rows = ['r0', 'r1', 'r2', 'r3'];
    const { say, json, run, paid, writeSheet, inDir } = await world(
      context,
      kind,
      rows.map((row) => line(row)),
    );
    expect(await json('plan', inDir('sheet.csv'), '--profile', inDir('profile.json'))).toMatchObject({ requests: 4 });
    expect(await run('--max-submits', '1', '--name', 'night')).toMatchObject({ exitCode: 5 });
    expect(await say('hold', 'night', '--row', 'r1', '--row', 'r2')).toMatchObject({ exitCode: 0 });
    expect((await say('hold', 'night', '--row', 'r9')).exitCode).toBe(2);
    expect((await say('next', 'night', '--row', 'r1')).exitCode).toBe(0);
    expect((await say('resume', 'night', '--max-submits', '99', '--first')).exitCode).toBe(4);
    expect(paid()).toEqual(['r0', 'r1', 'r3']);
    expect(await json('plan', 'night')).toMatchObject({ requests: 0 });
    expect((await say('release', 'night', '--row', 'r2')).exitCode).toBe(0);
    expect(paid()).toEqual(['r0', 'r1', 'r3', 'r2']);

    writeSheet([line('r0'), line('r1'), line('r2', ' again'), line('r3'), line('r4')]);
    expect(await json('update', 'night', '--dry-run')).toMatchObject({ submits: 2, counts: { changed: 1, new: 1 } });
    expect(paid()).toHaveLength(4);
    expect((await say('update', 'night')).exitCode).toBe(0);
    expect(paid().slice(4).toSorted()).toEqual(['r2', 'r4']);

    expect(await json('limits', '--night-requests', '6')).toMatchObject({
      limits: { night: { requests: 6 } },
      spent: { night: { requests: 6 } },
    });
    writeSheet([line('r1'), line('r5')]);
    const over = await say('update', 'night', '--remove');
    expect([over.exitCode, over.stderr]).toEqual([5, expect.stringContaining('You allow 6 paid requests')]);
    expect(paid()).toHaveLength(6);
    expect((await say('limits', '--night-requests', 'off')).exitCode).toBe(0);
    expect((await say('resume', 'night')).exitCode).toBe(0);
    expect(paid().slice(6)).toEqual(['r5']);
    expect(await json('status', 'night')).toMatchObject([{ state: 'finished', rowCount: 2, submitsUsed: 7 }]);
  });
});

test.concurrent('what is held or goes next while workers render is so from the next request on', async (context) => {
  const rows = Array.from({ length: 4 }, (_, i) => `r${i},lyrics,number r${i}`);
  const one = { limits: { activePerFamily: { musicgen: 1 } } };
  // The first row renders until both have been said.
  const { gateway, say, start, run, paid } = await world(context, 'server', rows, { timeScale: 1_000 }, one);
  const night = run('--name', 'night');
  await vi.waitFor(() => expect(paid()).toEqual(['r0']), { timeout: 60_000, interval: 20 });
  expect(await say('hold', 'night', '--row', 'r1')).toMatchObject({ exitCode: 0 });
  const next = start('next', 'night', '--row', 'r3');
  await next.lineWith('to run next');
  gateway.setBehaviour({ timeScale: 0.001 });
  gateway.advance(24 * 3_600_000);
  expect([(await night).exitCode, (await next.ended).exitCode]).toEqual([4, 4]);
  expect(paid()).toEqual(['r0', 'r3', 'r2']);
});

test.concurrent('a probe on a server says what its worker has found out, and pays for no more than it said', async (context) => {
  const option = { idempotency: { header: 'Idempotency-Key' } };
  const { gateway, inDir, place } = await world(context, 'server', [], {}, option);
  const ask = ['profile', 'probe', '--yes', '--out', inDir('probe'), '--profile', inDir('profile.json'), ...place];
  const probed = await runCli(ask, { NOCTURNE_AI_KEY: KEY, [CLI_SPEED]: '1' });
  expect(gateway.chargeLog()).toHaveLength(2);
  // How its row ended says why, if nothing was found out.
  const says = 'this gateway charges twice for one Idempotency-Key';
  expect(probed).toEqual({ ...probed, stderr: expect.stringContaining(says) as string });
});

test('where a server has no store yet, another address is asked for, not a folder', async () => {
  const dir = temporaryFolder();
  const status = await runCli(['status', '--store', postgresUrl(dir), '--data', dir]);
  expect([status.exitCode, status.stderr]).toEqual([2, expect.stringContaining('--store')]);
  expect(status.stderr).not.toContain('folder');
});
