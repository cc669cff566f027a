import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { runCli, startCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Each starts processes of its own, several of them.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'canary-key-77b1c2';
const ENVIRONMENT = { NOCTURNE_AI_KEY: KEY };
let dir: string;

interface LedgerDocument {
  readonly groups: readonly { readonly group: string; readonly rows: readonly string[] }[];
}

beforeEach(() => {
  dir = temporaryFolder();
});

function file(name: string, text: string): string {
  const target = path.join(dir, name);
  writeFileSync(target, text, { mode: 0o600 });
  return target;
}

async function gatewayHere(): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' } },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

/** One request at a time: a kill after a charge finds nothing else under way. */
function profileOf(gateway: ObservedGateway, prices: object = {}): string {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const one = { musicgen: 1, 'videogen-a': 1, 'videogen-b': 1 };
  const limits = { requestsPerSecond: 200, activePerFamily: one, downloads: 4 };
  const all = { musicgen: status, 'videogen-a': status, 'videogen-b': status };
  return file('profile.json', JSON.stringify({ baseUrl: gateway.baseUrl, status: all, limits, prices }));
}

function sheetOf(name: string, operations: readonly string[]): string {
  const lines = operations.map((operation, i) => `${name}${i},${operation},${operation} number ${i} of ${name}`);
  return file(`${name}.csv`, `row,operation,prompt\n${lines.join('\n')}\n`);
}

const data = (): readonly string[] => ['--data', path.join(dir, 'data')];

function runArguments(sheet: string, profile: string, ...more: string[]): readonly string[] {
  const out = path.join(dir, path.parse(sheet).name);
  return ['run', sheet, '--out', out, '--profile', profile, '--no-canary', ...data(), ...more];
}

async function until(isSo: () => boolean): Promise<void> {
  await vi.waitUntil(isSo, { timeout: 60_000, interval: 5 });
}

test('a limit for a night holds over batches and a kill: the gateway has charged just as many', async () => {
  const gateway = await gatewayHere();
  const profile = profileOf(gateway);
  expect((await runCli(['limits', '--night-requests', '40', ...data()])).stdout).toContain(
    'A night:  40 paid requests',
  );
  const first = startCli(
    runArguments(
      sheetOf(
        'a',
        Array.from({ length: 30 }, () => 'image'),
      ),
      profile,
    ),
    ENVIRONMENT,
  );
  await until(() => gateway.chargeLog().length === 12);
  first.process.kill('SIGKILL');
  await first.ended;
  // What was under way may wait for the user's word; it counts.
  expect([0, 4]).toContain((await runCli(['resume', ...data()], ENVIRONMENT)).exitCode);
  expect(gateway.chargeLog()).toHaveLength(30);
  const second = sheetOf(
    'b',
    Array.from({ length: 30 }, () => 'lyrics'),
  );
  const ended = await runCli(runArguments(second, profile), ENVIRONMENT);
  expect(ended.exitCode).toBe(5);
  expect(ended.stderr).toContain('You allow 40 paid requests for one night');
  expect(gateway.chargeLog()).toHaveLength(40);
  expect((await runCli(['resume', ...data()], ENVIRONMENT)).exitCode).toBe(5);
  expect(gateway.chargeLog()).toHaveLength(40);
  // The ledger of the night says where the other 20 are, and what to type.
  const ledger = JSON.parse((await runCli(['ledger', '--json', ...data()])).stdout) as LedgerDocument;
  expect(ledger).toMatchObject({ planned: 60, submitted: 40 });
  const held = ledger.groups.filter(({ group }) => group === 'raise-limit');
  expect(held).toMatchObject([{ takes: 20, codes: ['CAP_REACHED'], limit: { of: 'night', lacks: 'requests' } }]);
  expect(held[0]?.rows).toEqual(Array.from({ length: 20 }, (_, i) => `b${i + 10}`));
  expect((await runCli(['ledger', ...data()])).stdout).toMatch(
    /nocturne limits --night-requests N && nocturne resume \S+$/mu,
  );
  await runCli(['limits', '--night-requests', 'off', ...data()]);
  expect((await runCli(['resume', ...data()], ENVIRONMENT)).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(60);
});

test('a limit that is used up is told with the option that raises it, and one below what was used is refused', async () => {
  const gateway = await gatewayHere();
  const sheet = sheetOf('r', ['image', 'image', 'image']);
  const ended = await runCli(runArguments(sheet, profileOf(gateway), '--max-submits', '2'), ENVIRONMENT);
  expect(ended.exitCode).toBe(5);
  expect(ended.stdout).toMatch(/continue with: nocturne resume \S+ --max-submits N$/mu);
  for (const limit of ['1', '2']) {
    const refused = await runCli(['resume', ...data(), '--max-submits', limit], ENVIRONMENT);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(`--max-submits ${limit}: batch`);
    expect(refused.stderr).toContain('Give more than 2. Nothing was changed.');
  }
  expect((await runCli(['resume', ...data(), '--max-submits', '3'], ENVIRONMENT)).exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(3);
});

test('a limit in money is used as far as rows fit, and is raised when resuming', async () => {
  const gateway = await gatewayHere();
  const prices = {
    'musicgen/music/generate': { amount: 0.4, currency: 'EUR' },
    'videogen-b/image/generate': { amount: 0.1, currency: 'EUR' },
  };
  const profile = profileOf(gateway, prices);
  const sheet = sheetOf('m', ['music', 'music', 'music', 'image', 'image', 'image']);
  const unpriced = await runCli(
    runArguments(sheetOf('u', ['image', 'lyrics']), profile, '--max-cost', '1'),
    ENVIRONMENT,
  );
  expect(unpriced.exitCode).toBe(2);
  expect(unpriced.stderr).toContain('musicgen/music/lyrics');
  expect(gateway.stats().submits).toBe(0);
  const ended = await runCli(runArguments(sheet, profile, '--max-cost', '1 EUR'), ENVIRONMENT);
  expect(ended.exitCode).toBe(5);
  const charged = gateway.chargeLog().map(({ operation }) => prices[operation as keyof typeof prices].amount);
  expect(ended.stdout).toMatch(/continue with: nocturne resume \S+ --max-cost AMOUNT$/mu);
  // Two songs of 0.40 and two images of 0.10, or one song and all three images.
  expect([10, 7]).toContain(Math.round(charged.reduce((sum, amount) => sum + amount * 10, 0)));
  const resumed = await runCli(['resume', ...data(), '--max-cost', '1.50 EUR'], ENVIRONMENT);
  expect(resumed.exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(6);
});
