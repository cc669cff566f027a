import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { runCli, startCli, type CliEnd, type RunningCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 180_000 });

const KEY = 'canary-key-5f2a9c';
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

/** A gateway with a profile that says that it keeps keys of requests. */
async function world(behaviour: BehaviourInput, idempotency: object = {}) {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.001, ...behaviour },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const dir = temporaryFolder();
  const data = ['--data', path.join(dir, 'data')];
  const profile = path.join(dir, 'profile.json');
  writeFileSync(
    profile,
    JSON.stringify({
      baseUrl: started.value.baseUrl,
      limits: { requestsPerSecond: 50 },
      status: { musicgen: STATUS },
      prices: { 'musicgen/music/lyrics': { amount: 0.1, currency: 'USD' } },
      idempotency: { header: 'Idempotency-Key', ...idempotency },
      ...(behaviour.balance && { balance: { path: '/account', field: 'result.credits', currency: 'USD' } }),
    }),
  );
  const say = (...args: readonly string[]): Promise<CliEnd> =>
    runCli([...args, ...data, '--profile', profile], { NOCTURNE_AI_KEY: KEY });
  const probe = (...args: readonly string[]): Promise<CliEnd> =>
    say('profile', 'probe', '--out', path.join(dir, 'probe'), ...args);
  const runArguments = (rows: number): readonly string[] => {
    const sheet = path.join(dir, 'sheet.csv');
    const lines = Array.from({ length: rows }, (_, i) => `r${i},lyrics,a song about ${i}`);
    writeFileSync(sheet, ['row,operation,prompt', ...lines].join('\n'));
    return ['run', sheet, '--out', path.join(dir, 'out'), '--profile', profile, ...data];
  };
  const run = (rows: number): Promise<CliEnd> => runCli(runArguments(rows), { NOCTURNE_AI_KEY: KEY });
  const tell = (...args: readonly string[]): Promise<CliEnd> => runCli([...args, ...data], { NOCTURNE_AI_KEY: KEY });
  const start = (rows: number): RunningCli => startCli(runArguments(rows), { NOCTURNE_AI_KEY: KEY });
  return { gateway: started.value, probe, run, start, tell };
}

test('a gateway with keys that loses one answer in five: no unknown is left, and nothing is charged twice', async () => {
  const lost: NonNullable<BehaviourInput['faults']>[number] = {
    kind: 'lost',
    when: 'submit',
    charged: true,
    nth: [1, 6, 11, 16],
  };
  const { gateway, run } = await world({
    idempotency: { onDuplicate: 'replay' },
    faults: [lost],
    cost: { amount: 0.125 },
    balance: { path: '/account', before: 1.5 },
  });
  const ended = await run(16);
  expect(ended).toMatchObject({ exitCode: 0 });
  expect(ended.stderr).toContain('nobody has tried whether this gateway charges only once');
  expect(ended.stdout).toContain('The account has 1.50 USD.');
  expect(ended.stderr).toContain('warning: the account has 1.50 USD, and this may cost 1.60 USD.');
  expect(ended.stdout).toContain('The account has -0.50 USD.');
  const charges = gateway.chargeLog();
  expect(new Set(charges.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(16);
  expect([charges.length, gateway.stats().submits]).toEqual([16, 20]);
});

test('a probe says its price first, and believes a gateway that keeps its word', async () => {
  const { gateway, probe, run } = await world({ idempotency: { onDuplicate: 'replay' } });
  const asked = await probe();
  expect(asked).toMatchObject({ exitCode: 2 });
  expect(asked.stdout).toContain('charges 0.10 USD, any other 0.20 USD');
  expect(gateway.stats().submits).toBe(0);
  const tried = await probe('--yes');
  expect(tried.stdout).toContain('this gateway charges only once for one Idempotency-Key');
  expect(tried.exitCode).toBe(0);
  expect([gateway.chargeLog().length, gateway.stats().submits]).toEqual([1, 2]);
  expect((await run(1)).stderr).not.toContain('nobody has tried');
  // What it has shown before is not what the next probe shows.
  gateway.setBehaviour({ moderation: { words: ['forbidden'], at: 'submit' } });
  const refused = await probe('--yes', '--prompt', 'a forbidden song');
  expect(refused.stderr).toContain('No answer has shown');
});

test.each([['reject'], ['reject-with-code']] as const)(
  'a gateway that refuses duplicates (%s) passes, too',
  async (on) => {
    const { gateway, probe } = await world({ idempotency: { onDuplicate: on } }, { onDuplicate: 'reject' });
    const tried = await probe('--yes');
    expect(tried.stdout).toContain('this gateway charges only once for one Idempotency-Key');
    expect([tried.exitCode, gateway.chargeLog().length]).toEqual([0, 1]);
  },
);

test('a gateway that only claims to keep keys is found out, and nothing is sent again there', async () => {
  const { gateway, probe, run } = await world({});
  const tried = await probe('--yes');
  expect(tried.exitCode).toBe(5);
  expect(tried.stderr).toContain('this gateway charges twice for one Idempotency-Key');
  const codes = gateway.chargeLog().map(({ taskCode }) => taskCode);
  expect(codes).toHaveLength(2);
  for (const code of codes) expect(tried.stdout + tried.stderr).toContain(code);
  gateway.setBehaviour({ faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1] }] });
  const ended = await run(2);
  expect(ended).toMatchObject({ exitCode: 4 });
  expect([gateway.chargeLog().length, gateway.stats().submits]).toEqual([4, 4]);
  expect(gateway.chargeLog().at(-1)).not.toHaveProperty('idempotencyKey');
});

test('what settles itself is not resubmitted without a word that says so', async () => {
  const { gateway, start, tell } = await world({
    idempotency: { onDuplicate: 'replay' },
    faults: [{ kind: 'lost', when: 'submit', charged: true, nth: [1, 2, 3, 4, 5, 6, 7, 8] }],
  });
  const running = start(1);
  const shown = async (): Promise<string> => (await tell('status')).stdout;
  await vi.waitUntil(async () => (await shown()).includes('1 settling'), { timeout: 60_000, interval: 50 });
  running.process.kill('SIGKILL');
  await running.ended;
  expect(await shown()).not.toContain('outcome unknown');
  const resubmit = ['resolve', 'sheet', '--row', 'r0', '--resubmit'];
  const refused = await tell(...resubmit);
  expect(refused).toMatchObject({ exitCode: 2 });
  expect(refused.stderr).toContain('Row r0 settles itself');
  expect(refused.stderr).toContain('--yes');
  gateway.setBehaviour({ faults: [] });
  expect(gateway.chargeLog()).toHaveLength(1);
  expect(await tell(...resubmit, '--yes')).toMatchObject({ exitCode: 0 });
  expect(gateway.chargeLog()).toHaveLength(2);
});
