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

async function gatewayOf(
  name: Name,
  behaviour: BehaviourInput = {},
  keys: readonly string[] = [KEYS[name]],
): Promise<ObservedGateway> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, ...behaviour },
    acceptKey: (key) => keys.includes(key),
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  return started.value;
}

/** `--account` of a gateway. */
function accountAlone(name: Name, { baseUrl }: ObservedGateway): readonly string[] {
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const limits = { requestsPerSecond: 200, activePerFamily: { 'videogen-b': 2 }, downloads: 4 };
  const profile = file(`${name}.json`, JSON.stringify({ name, baseUrl, status: { 'videogen-b': status }, limits }));
  return ['--account', `${name}=${profile}`];
}

/** The same with its `--account-key`. */
function account(name: Name, gateway: ObservedGateway): readonly string[] {
  return [...accountAlone(name, gateway), '--account-key', `${name}=${file(`${name}.key`, KEYS[name])}`];
}

function sheetOf(cells: readonly string[]): string {
  const lines = cells.map((cell, i) => `r${i + 1},image,a fox number ${i + 1},${cell}`);
  return file('s.csv', `row,operation,prompt,account\n${lines.join('\n')}\n`);
}

function run(sheet: string, ...more: string[]) {
  const out = path.join(dir, 'out');
  return runCli(['run', sheet, '--out', out, '--data', path.join(dir, 'data'), ...more]);
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\r\n');
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
  // What was sent where is in the folder, and in the accountant's file.
  const written = JSON.parse(manifest) as Record<'rows' | 'files', readonly { readonly row: string }[]>;
  const own = { row: 'r7', tasks: [{ account: 'spare' }] };
  expect(written.rows.filter(({ row }) => row === 'r7')).toMatchObject([own]);
  expect(written.files.filter(({ row }) => row === 'r8')).toMatchObject([{ account: 'main' }]);
  expect(linesOf(path.join(dir, 'out', 'manifest.csv')).find((line) => line.startsWith('r7,'))).toMatch(/,spare$/u);
  const csv = path.join(dir, 'ledger.csv');
  // As an earlier version wrote it: without this column, and it is replaced.
  writeFileSync(csv, '\uFEFFtime,batch,row,take,operation,task code,outcome,price,cost,currency\r\n');
  expect((await runCli(['ledger', '--csv', csv, '--data', path.join(dir, 'data')])).exitCode).toBe(0);
  const [header, ...paid] = linesOf(csv);
  expect(header).toMatch(/,currency,account$/u);
  const spares = paid.filter((line) => line.endsWith(',spare'));
  expect([paid.length, spares.length]).toEqual([8, spare.chargeLog().length]);
  const status = await runCli(['status', '--json', '--data', path.join(dir, 'data')]);
  expect(JSON.parse(status.stdout)).toMatchObject([
    {
      accounts: [
        { name: 'main', baseUrl: main.baseUrl, requests: main.chargeLog().length, spent: [] },
        { name: 'spare', baseUrl: spare.baseUrl, requests: spare.chargeLog().length, spent: [] },
      ],
      choice: 'first',
    },
  ]);
  const said = await runCli(['status', '--data', path.join(dir, 'data')]);
  expect(said.stdout).toContain(`account spare: ${spare.chargeLog().length} paid requests · ${spare.baseUrl}`);
});

test('without any key, each account is told where to get its own, and nothing is sent', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const sheet = sheetOf(['', 'spare']);
  const end = await run(sheet, ...accountAlone('main', main), ...accountAlone('spare', spare));
  expect([end.exitCode, end.stderr]).toEqual([
    2,
    expect.stringContaining('--account-key "main=FILE" --account-key "spare=FILE"'),
  ]);
  expect(end.stderr).not.toContain('NOCTURNE_AI_KEY');
  expect(main.stats().submits + spare.stats().submits).toBe(0);
});

test('an account without a price is said to be passed over under a limit in money', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const prices = { 'videogen-b/image/generate': { amount: 0.1, currency: 'EUR' } };
  const priced = file('priced.json', JSON.stringify({ name: 'main', baseUrl: main.baseUrl, prices }));
  const keys = (['main', 'spare'] as const).flatMap((name) => [
    '--account-key',
    `${name}=${file(`${name}.key`, KEYS[name])}`,
  ]);
  const args = ['--account', `main=${priced}`, ...accountAlone('spare', spare), ...keys];
  const end = await run(sheetOf(['', '']), ...args, '--max-cost', '1 EUR');
  expect([end.exitCode, main.chargeLog().length, spare.chargeLog().length]).toEqual([0, 2, 0]);
  expect(end.stderr).toContain('the account “spare” has no price in EUR for Image');
});

test('a plan says what the limits of all accounts hold back, and takes their keys to look for them in the sheet', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const accounts = [...account('main', main), ...account('spare', spare)];
  const sheet = sheetOf(['', '', '', '', '']);
  const plan = (...more: string[]) => runCli(['plan', sheet, '--data', path.join(dir, 'data'), ...accounts, ...more]);
  const one = await plan('--account-max-requests', 'main=1');
  expect([one.exitCode, one.stdout]).toEqual([0, expect.not.stringContaining('Not in')]);
  const both = await plan('--account-max-requests', 'main=1', '--account-max-requests', 'spare=2');
  expect(both.stdout).toContain(
    '2 more paid requests do not fit within the limit of 3 paid requests for its accounts together',
  );
  writeFileSync(sheet, `row,operation,prompt\nr1,image,${KEYS.spare}\n`);
  expect(await plan()).toMatchObject({ exitCode: 2 });
  expect(main.stats().submits + spare.stats().submits).toBe(0);
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
  const other = await runCli(['resume', '--data', path.join(dir, 'data'), ...keys, '--account', 'spare']);
  expect([other.exitCode, other.stderr]).toEqual([2, expect.stringContaining('these do: “main”')]);
  const resumed = await runCli(['resume', '--data', path.join(dir, 'data'), ...keys, '--account', 'main']);
  expect([resumed.exitCode, main.chargeLog().length]).toEqual([0, left]);
});

test('limits hold for each account', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const limits = ['--account-max-requests', 'main=1', '--account-max-requests', 'spare=2'];
  const end = await run(sheetOf(['', '', '', '', '']), ...account('main', main), ...account('spare', spare), ...limits);
  expect([end.exitCode, main.chargeLog().length, spare.chargeLog().length]).toEqual([5, 1, 2]);
  // Which one it is, and where its limit is raised.
  expect(end.stdout).toMatch(/for the account “(main|spare)”, and none of them is left/u);
  const { stdout } = await runCli(['status', '--data', path.join(dir, 'data')]);
  expect(stdout).toMatch(/nocturne resume --account-max-requests "(main|spare)=N"/u);
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

test('one key goes to the gateways of two accounts only once the user names the other one, and is noted for both', async () => {
  const key = 'canary-key-of-both-77d1';
  const [main, spare] = [await gatewayOf('main', {}, [key]), await gatewayOf('spare', {}, [key])];
  const args = [...accountAlone('main', main), ...accountAlone('spare', spare), '--key-file', file('both.key', key)];
  const sheet = sheetOf(['main', 'spare']);
  const refused = await run(sheet, ...args);
  const [mainOrigin, spareOrigin] = [main, spare].map(({ baseUrl }) => new URL(baseUrl).origin);
  expect([refused.exitCode, refused.stderr]).toEqual([2, expect.stringContaining(`--send-key-to ${spareOrigin}`)]);
  expect(refused.stderr).toContain('--account-key "spare=FILE"');
  expect(main.stats().submits + spare.stats().submits).toBe(0);
  const said = await run(sheet, ...args, '--send-key-to', spareOrigin ?? '');
  expect([said.exitCode, said.stderr]).toEqual([0, '']);
  const notes = readFileSync(path.join(dir, 'data', 'key-origins.json'), 'utf8');
  const { notes: noted } = JSON.parse(notes) as { notes: readonly { origin: string }[] };
  expect(new Set(noted.map(({ origin }) => origin))).toEqual(new Set([mainOrigin, spareOrigin]));
  expect((await run(sheet, ...args)).exitCode).toBe(0);
});

test('the keys of two accounts that are first used together are both noted', async () => {
  const [main, spare] = [await gatewayOf('main'), await gatewayOf('spare')];
  const end = await run(sheetOf(['main', 'spare']), ...account('main', main), ...account('spare', spare));
  expect([end.exitCode, end.stderr]).toEqual([0, '']);
  const notes = readFileSync(path.join(dir, 'data', 'key-origins.json'), 'utf8');
  for (const { baseUrl } of [main, spare]) expect(notes).toContain(new URL(baseUrl).origin);
});

test('of two keys at one gateway none takes the place of the other', async () => {
  const gateway = await gatewayOf('main', {}, Object.values(KEYS));
  const keys = [...account('main', gateway), ...account('spare', gateway)];
  const end = await run(sheetOf(['main', 'spare']), ...keys.slice(0, -2));
  expect(end.stderr).toContain('the account “spare” has no key');
  expect(end.stdout).toContain('--account-key "spare=FILE"');
  expect([end.exitCode, gateway.chargeLog().length]).toEqual([5, 1]);
  const both = (['main', 'spare'] as const).flatMap((name) => account(name, gateway).slice(2));
  const resumed = await runCli(['resume', '--data', path.join(dir, 'data'), ...both]);
  expect([resumed.exitCode, gateway.chargeLog().length]).toEqual([0, 2]);
});

test('a corrected profile that may be of two accounts is refused with words', async () => {
  const gateway = await gatewayOf('main', {}, Object.values(KEYS));
  const args = [...account('main', gateway), ...account('spare', gateway)];
  expect((await run(sheetOf(['main', 'spare']), ...args)).exitCode).toBe(0);
  const other = file(
    'other.json',
    JSON.stringify({ name: 'other', baseUrl: `${new URL(gateway.baseUrl).origin}/else` }),
  );
  const end = await runCli(['resume', '--data', path.join(dir, 'data'), '--profile', other]);
  expect([end.exitCode, end.stderr]).toEqual([2, expect.stringContaining('says whose it is')]);
});

test('a sheet is checked with the same accounts as it is run', async () => {
  const main = await gatewayOf('main');
  const sheet = sheetOf(['main', 'spare']);
  const named = await runCli(['check', sheet, ...accountAlone('main', main), '--account', 'spare']);
  expect([named.exitCode, named.stderr]).toEqual([0, '']);
});

test.each([['test'], ['probe', '--out', 'x']])(
  'profile %s has one account, and takes the key of none',
  async (...command) => {
    const end = await runCli(['profile', ...command, '--account-key', 'main=x']);
    expect([end.exitCode, end.stderr]).toEqual([2, expect.stringContaining('--account-key')]);
  },
);
