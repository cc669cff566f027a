import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { assistantIn, untilState, type Assistant, whatPays } from '../../support/assistant.ts';
import { startObservedGateway, type ObservedGateway } from '../../support/observed-gateway.ts';
import { startCli } from '../../support/run-cli.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Each starts processes of its own.
vi.setConfig({ testTimeout: 120_000 });

const KEY = 'canary-key-4f0a91';
let dir: string;

beforeEach(() => {
  dir = temporaryFolder();
  mkdirSync(path.join(dir, 'sheets'));
});

const assistant = (args: readonly string[], environment?: NodeJS.ProcessEnv): Promise<Assistant> =>
  assistantIn(dir, args, environment);

async function gatewayHere(): Promise<{ readonly gateway: ObservedGateway; readonly profile: string }> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' } },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  onTestFinished(() => started.value.close());
  const status = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
  const all = { musicgen: status, 'videogen-a': status, 'videogen-b': status };
  const prices = { 'videogen-b/image/generate': { amount: 0.1, currency: 'EUR' } };
  const file = path.join(dir, 'profile.json');
  writeFileSync(file, JSON.stringify({ baseUrl: started.value.baseUrl, status: all, prices }));
  return { gateway: started.value, profile: file };
}

function images(count: number): readonly Record<string, string>[] {
  return Array.from({ length: count }, (_, i) => ({ row: `r${i}`, operation: 'image', prompt: `fox number ${i}` }));
}

test('an assistant writes a sheet, checks it, sees its price, starts it under the cap, and reads its morning', async () => {
  const { gateway, profile } = await gatewayHere();
  const args = ['--profile', profile, '--out', path.join(dir, 'out'), '--sheets', path.join(dir, 'sheets')];
  const told = await assistant([...args, '--max-cost', '0.50 EUR'], { NOCTURNE_AI_KEY: KEY });

  const { tools } = await told.client.listTools();
  const hints = new Map(tools.map(({ name, annotations }) => [name, annotations]));
  expect(hints.get('check_sheet')).toMatchObject({ readOnlyHint: true });
  expect(hints.get('start_batch')).toMatchObject({ readOnlyHint: false, destructiveHint: true, openWorldHint: true });
  expect(hints.get('create_batch')).toMatchObject({ destructiveHint: false });

  const columns = await told.tell('describe_operations', { operation: 'image' });
  for (const column of ['prompt', 'account', 'seed']) expect(columns.text).toContain(`"column":"${column}"`);
  const broken = await told.tell('check_sheet', { rows: [{ row: 'a', operation: 'imige', prompt: 'x' }] });
  expect(broken.value).toMatchObject({ errors: 1, problems: [{ code: 'operation-unknown', row: 'a' }] });
  const written = await told.tell('write_sheet', { name: 'foxes', rows: images(4) });
  expect(written.value).toMatchObject({ file: 'foxes.csv' });
  expect(await told.tell('check_sheet', { file: 'foxes.csv' })).toMatchObject({
    value: { errors: 0, requests: 4, costs: [{ amount: 0.4, currency: 'EUR' }] },
  });
  expect((await told.tell('plan_run', { file: 'foxes.csv' })).value).toMatchObject({
    requests: 4,
    costs: [{ amount: 0.4, currency: 'EUR' }],
    cap: { cost: { amount: 0.5, currency: 'EUR' } },
  });

  const made = await told.tell('create_batch', { name: 'Foxes', file: 'foxes.csv' });
  expect(made.value.batch).toMatchObject({ state: 'ready', rowCount: 4 });
  const batchId = String(made.value.batch['id']);
  expect(gateway.chargeLog()).toHaveLength(0);
  expect((await told.tell('start_batch', { batchId })).value.batch).toMatchObject({ state: 'running' });
  await untilState(told, batchId, 'finished');
  expect(gateway.chargeLog()).toHaveLength(4);

  const ledger = await told.tell('read_ledger', { batchId });
  expect(ledger.value).toMatchObject({ stages: { planned: 4, verified: 4 }, requests: { spent: 4 } });
  const files = (await told.tell('list_files', { batchId })).value as unknown as {
    readonly folder: string;
    readonly files: readonly { readonly path: string }[];
  };
  expect(files.files).toHaveLength(4);
  for (const file of files.files) expect(existsSync(path.join(files.folder, file.path))).toBe(true);
  expect((await told.tell('list_failures', { batchId })).value).toMatchObject({ total: 0 });
  // A fifth and a sixth do not fit into what is left.
  const more = await told.tell('create_batch', { name: 'More', rows: images(2) });
  const refused = await told.tell('start_batch', { batchId: String(more.value.batch['id']) });
  expect(refused).toMatchObject({ isError: true });
  expect(refused.text).toContain('This costs 0.20 EUR. The cap of this door is 0.50 EUR a night, and 0.40 EUR of that');
  expect(gateway.chargeLog()).toHaveLength(4);
  expect(told.stderr()).not.toContain(KEY);
});

test('without a cap nothing is paid: it says that the user starts the batch, and leaves the store to others', async () => {
  const { gateway, profile } = await gatewayHere();
  const told = await assistant(['--profile', profile, '--out', path.join(dir, 'out')], { NOCTURNE_AI_KEY: KEY });
  const made = await told.tell('create_batch', { name: 'Foxes', rows: images(1) });
  const batchId = String(made.value.batch['id']);
  for (const [name, given] of whatPays(batchId, 'r0')) {
    const refused = await told.tell(name, given);
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain('Start the batch in the window, or start the door again with --max-cost');
  }
  expect(gateway.stats().submits).toBe(0);
  // The user's own word, beside it.
  const own = await startCli(['resume', batchId, '--data', path.join(dir, 'data')], { NOCTURNE_AI_KEY: KEY }).ended;
  expect(own.exitCode).toBe(0);
  expect(gateway.chargeLog()).toHaveLength(1);
  expect((await told.tell('get_batch', { batchId })).value.batch).toMatchObject({ state: 'finished' });
});

test('reads and writes in the folders of the user alone, and replaces nothing', async () => {
  writeFileSync(path.join(dir, 'secret.csv'), 'row,operation,prompt\n1,image,secret\n');
  const told = await assistant(['--rehearse', '--sheets', path.join(dir, 'sheets')]);
  for (const file of ['../secret.csv', path.join(dir, 'secret.csv'), '/etc/passwd', 'nothing.csv', 'a\0b', '.']) {
    const refused = await told.tell('check_sheet', { file });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).not.toContain('secret,');
  }
  for (const name of ['../x', 'a/b', '.hidden', 'x\0', '-o', 'x.', 'C:\\x']) {
    expect(await told.tell('write_sheet', { name, csv: 'row\n' })).toMatchObject({ isError: true });
  }
  writeFileSync(path.join(dir, 'sheets', 'mine.csv'), 'mine');
  expect(await told.tell('write_sheet', { name: 'mine', csv: 'theirs' })).toMatchObject({ isError: true });
  expect(readFileSync(path.join(dir, 'sheets', 'mine.csv'), 'utf8')).toBe('mine');
  // There is no place for files, as the user named none.
  expect((await told.tell('create_batch', { name: 'x', rows: images(1) })).text).toContain('--out DIR');
});

test('a message that is too long is refused, and the next one is answered', async () => {
  const told = await assistant(['--rehearse', '--out', path.join(dir, 'out')]);
  const csv = 'x'.repeat(21 * 1024 * 1024);
  await expect(told.tell('check_sheet', { csv })).rejects.toThrow('longer than 20 MiB');
  expect(await told.tell('list_batches')).toMatchObject({ isError: false });
  expect(told.stderr()).toContain('longer than 20 MiB');
});

test('rehearses a night without a key or a cap, and ends with its input', async () => {
  const told = await assistant(['--rehearse', '--out', path.join(dir, 'out')]);
  // There is no store yet, and nothing is wrong with that.
  expect(await told.tell('list_batches')).toMatchObject({ isError: false, value: { total: 0, batches: [] } });
  expect(await told.tell('get_spending')).toMatchObject({
    isError: false,
    value: { night: { spent: { requests: 0 } } },
  });
  expect((await told.tell('get_batch', { batchId: 'x' })).text).toContain('There are no batches yet.');
  expect(existsSync(path.join(dir, 'data', 'nocturne.db'))).toBe(false);
  // What is wrong is said in words, and by whom no tool is known, too.
  const wrong = await told.tell('create_batch', {
    name: '',
    rows: images(1),
    maxCost: { amount: -1, currency: 'EUR' },
  });
  expect(wrong).toMatchObject({
    isError: true,
    text: 'The input of create_batch is not valid: name shows nothing.\n→ Give it a letter or a digit.',
  });
  expect(await told.tell('create_batches')).toMatchObject({
    isError: true,
    text: expect.stringContaining('no such tool') as string,
  });
  const made = await told.tell('create_batch', { name: 'Rehearsal', rows: images(2) });
  const batchId = String(made.value.batch['id']);
  await told.tell('start_batch', { batchId });
  const done = await untilState(told, batchId, 'finished');
  expect(done.value.batch).toMatchObject({ rehearsal: true, rows: { done: 2 } });
});
