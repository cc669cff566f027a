import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { runCli } from '../support/run-cli.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

// Each starts processes of its own, several of them.
vi.setConfig({ testTimeout: 120_000 });

const KEYS = { main: 'canary-key-main-41c0', spare: 'canary-key-spare-9f27' } as const;
type Name = keyof typeof KEYS;
let dir: string;

beforeEach(() => {
  dir = temporaryFolder();
});

function file(name: string, text: string): string {
  const target = path.join(dir, name);
  writeFileSync(target, text, { mode: 0o600 });
  return target;
}

async function gatewayOf(name: Name, behaviour: BehaviourInput = {}): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, ...behaviour },
    acceptKey: (key) => key === KEYS[name],
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

/** `--account` and `--account-key` of a gateway. */
function account(name: Name, { baseUrl }: ObservedGateway): readonly string[] {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const limits = { requestsPerSecond: 200, activePerFamily: { 'videogen-b': 2 }, downloads: 4 };
  const profile = file(`${name}.json`, JSON.stringify({ name, baseUrl, status: { 'videogen-b': status }, limits }));
  return ['--account', `${name}=${profile}`, '--account-key', `${name}=${file(`${name}.key`, KEYS[name])}`];
}

function sheetOf(cells: readonly string[]): string {
  const lines = cells.map((cell, i) => `r${i + 1},image,a fox number ${i + 1},${cell}`);
  return file('s.csv', `row,operation,prompt,account\n${lines.join('\n')}\n`);
}

function run(sheet: string, ...more: string[]) {
  const out = path.join(dir, 'out');
  return runCli(['run', sheet, '--out', out, '--data', path.join(dir, 'data'), ...more]);
}

test('a batch is rendered with two gateways; a row goes where its cell says, and each gets its own key alone', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const sheet = sheetOf(['', '', '', '', '', 'spare', 'spare', 'main']);
  const end = await run(sheet, ...account('main', main), ...account('spare', spare), '--json');
  expect([end.exitCode, end.stderr]).toEqual([0, '']);
  expect(main.chargeLog().length + spare.chargeLog().length).toBe(8);
  expect(spare.chargeLog().length).toBeGreaterThanOrEqual(2);
  expect(main.chargeLog().length).toBeGreaterThanOrEqual(1);
  const manifest = readFileSync(path.join(dir, 'out', 'manifest.json'), 'utf8');
  for (const key of Object.values(KEYS)) expect(end.stdout + manifest).not.toContain(key);
  const status = await runCli(['status', '--json', '--data', path.join(dir, 'data')]);
  expect(JSON.parse(status.stdout)).toMatchObject([
    { accounts: [{ name: 'main' }, { name: 'spare' }], choice: 'first' },
  ]);
});

test('one whose key is refused stands still alone, and goes on when the batch is resumed with the right key', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const spareArguments = account('spare', spare);
  const mainArguments = account('main', main);
  file('main.key', 'canary-key-of-nobody');
  const end = await run(sheetOf(['', '', '', '', '', '']), ...mainArguments, ...spareArguments);
  expect(end.exitCode).toBe(5);
  expect(end.stdout).toContain('The account “main” stands still');
  expect(main.chargeLog()).toHaveLength(0);
  const left = 6 - spare.chargeLog().length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(2);
  file('main.key', KEYS.main);
  const keys = [...mainArguments, ...spareArguments].flatMap((argument, i, all) =>
    all[i - 1] === '--account-key' ? ['--account-key', argument] : [],
  );
  const resumed = await runCli(['resume', '--data', path.join(dir, 'data'), ...keys]);
  expect([resumed.exitCode, main.chargeLog().length]).toEqual([0, left]);
});

test('limits hold for each account', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const limits = ['--account-max-requests', 'main=1', '--account-max-requests', 'spare=2'];
  const end = await run(sheetOf(['', '', '', '', '']), ...account('main', main), ...account('spare', spare), ...limits);
  expect([end.exitCode, main.chargeLog().length, spare.chargeLog().length]).toEqual([5, 1, 2]);
});

test('what does not fit together is refused, and nothing is sent', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const [sheet, mainArguments, spareArguments] = [sheetOf(['nobody']), account('main', main), account('spare', spare)];
  const refusals: readonly (readonly [args: readonly string[], words: string])[] = [
    [[...mainArguments, ...spareArguments], 'The batch has no account “nobody”.'],
    [mainArguments, 'A batch with one account needs no --account.'],
    [[...mainArguments, ...mainArguments], 'Two accounts are called “main”.'],
    [[...mainArguments, ...spareArguments, '--base-url', main.baseUrl], '--account names a profile itself.'],
    [[...mainArguments, ...spareArguments, '--account-key', 'other=x'], 'there is no account “other”'],
    [['--base-url', main.baseUrl, '--cheapest'], '--cheapest is for a batch with several accounts.'],
    [['--account', 'main', ...spareArguments], 'not a name and a value'],
  ];
  for (const [args, words] of refusals) {
    const end = await run(sheet, ...args);
    expect([end.exitCode, end.stderr]).toEqual([2, expect.stringContaining(words)]);
  }
  expect(main.stats().submits + spare.stats().submits).toBe(0);
});
