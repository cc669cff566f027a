import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { assistantIn, untilState, type Assistant, whatPays } from '../../support/assistant.ts';
import { CLI_SPEED } from '../../support/built-cli.ts';
import { startObservedGateway } from '../../support/observed-gateway.ts';
import { postgresUrl } from '../../support/postgres.ts';
import { startCli } from '../../support/run-cli.ts';
import { images } from '../../support/served-door.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 120_000 });

const KEY = 'canary-key-92d6b1';
const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };
/** Leases end by the server's clock, which no test hurries. */
const REAL_TIME = { [CLI_SPEED]: '1' };

test('an assistant without a key has a worker render under its cap, settles what is left, and starts nothing without one', async () => {
  // The first row's answer is lost; its task fails, and so does the second row's.
  const started = await startObservedGateway({
    behaviour: {
      timeScale: 0.001,
      media: { detail: 'tiny' },
      faults: [
        { kind: 'lost', when: 'submit', charged: true, nth: [1] },
        { kind: 'remote-failure', when: 'submit', nth: [2] },
      ],
    },
    acceptKey: (key) => key === KEY,
  });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  onTestFinished(() => gateway.close());
  const dir = temporaryFolder();
  const [sheets, out] = [path.join(dir, 'sheets'), path.join(dir, 'out')];
  mkdirSync(sheets);
  const prices = { 'videogen-b/image/generate': { amount: 0.1, currency: 'EUR' } };
  const profile = path.join(dir, 'profile.json');
  writeFileSync(profile, JSON.stringify({ baseUrl: gateway.baseUrl, status: { 'videogen-b': STATUS }, prices }));
  const keyFile = path.join(dir, 'key');
  writeFileSync(keyFile, KEY, { mode: 0o600 });
  const store = ['--store', postgresUrl(dir)];
  const assistant = (...args: readonly string[]): Promise<Assistant> =>
    assistantIn(dir, [...store, '--profile', profile, '--out', out, '--sheets', sheets, ...args], REAL_TIME);

  const careful = await assistant();
  // There is no store yet, and nothing is wrong with that.
  expect(await careful.tell('list_batches')).toMatchObject({ isError: false, value: { total: 0, batches: [] } });
  const made = await careful.tell('create_batch', { name: 'Foxes', rows: images(3) });
  const batchId = String(made.value.batch['id']);
  for (const [name, given] of whatPays(batchId, 'r0')) {
    const refused = await careful.tell(name, given);
    expect([refused.isError, refused.text]).toEqual([
      true,
      expect.stringContaining('start the door again with --max-cost'),
    ]);
  }
  await careful.client.close();

  const worker = startCli(['worker', '--lease', '6', '--data', path.join(dir, 'worker'), ...store], {
    NOCTURNE_AI_KEY: KEY,
    ...REAL_TIME,
  });
  onTestFinished(async () => {
    worker.process.kill('SIGKILL');
    await worker.ended;
  });
  const told = await assistant('--max-cost', '0.50 EUR');
  const { tools } = await told.client.listTools();
  expect(tools.find(({ name }) => name === 'start_batch')?.annotations).toMatchObject({ destructiveHint: true });
  expect((await told.tell('write_sheet', { name: 'owls', rows: images(2, 'owl') })).value).toMatchObject({
    file: 'owls.csv',
  });
  expect((await told.tell('check_sheet', { file: 'owls.csv' })).value).toMatchObject({ errors: 0, requests: 2 });
  expect((await told.tell('plan_run', { file: 'owls.csv' })).value).toMatchObject({
    costs: [{ amount: 0.2, currency: 'EUR' }],
    cap: { cost: { amount: 0.5, currency: 'EUR' } },
  });
  expect(gateway.stats().submits).toBe(0);

  expect((await told.tell('start_batch', { batchId })).value.batch).toMatchObject({ state: 'running' });
  await untilState(told, batchId, 'finished');
  expect(gateway.chargeLog()).toHaveLength(3);
  expect((await told.tell('list_failures', { batchId })).value).toMatchObject({ total: 2 });
  expect((await told.tell('read_ledger', { batchId })).value).toMatchObject({ stages: { planned: 3, verified: 1 } });
  expect((await told.tell('get_spending')).value).toMatchObject({ night: { spent: { requests: 3 } } });
  const unknown = gateway.chargeLog()[0];
  const row = /"prompt":"r (\d)"/.exec(JSON.stringify(unknown?.body))?.[1] ?? '';
  // A code is asked about from here, for which a door needs the key.
  const adopt = { batchId, row: `r${row}`, decision: 'adopt', taskCode: unknown?.taskCode };
  const keyless = await told.tell('resolve_row', adopt);
  expect([keyless.isError, keyless.text]).toEqual([true, expect.stringContaining('--key-file FILE')]);
  await told.client.close();
  const keyed = await assistant('--max-cost', '0.50 EUR', '--key-file', keyFile);
  expect(await keyed.tell('resolve_row', adopt)).toMatchObject({ isError: false, value: { takes: 1 } });
  await untilState(keyed, batchId, 'finished');
  expect((await keyed.tell('retry_rows', { batchId })).value).toMatchObject({ paid: 1, batch: { state: 'running' } });
  await untilState(keyed, batchId, 'finished');
  expect(gateway.chargeLog()).toHaveLength(4);
  const files = await keyed.tell('list_files', { batchId });
  const { folder, files: listed } = files.value as unknown as {
    readonly folder: string;
    readonly files: readonly { readonly path: string }[];
  };
  expect(listed).toHaveLength(3);
  for (const file of listed) expect(existsSync(path.join(folder, file.path))).toBe(true);
  // Two more do not fit into what is left of the cap.
  const more = await keyed.tell('create_batch', { name: 'Owls', file: 'owls.csv' });
  const over = await keyed.tell('start_batch', { batchId: String(more.value.batch['id']) });
  expect([over.isError, over.text]).toEqual([
    true,
    expect.stringContaining('The cap of this door is 0.50 EUR a night'),
  ]);
  expect(gateway.chargeLog()).toHaveLength(4);
});
