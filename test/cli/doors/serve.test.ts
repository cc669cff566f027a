import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { RequestOpts } from '@oazapfts/runtime';
import fc from 'fast-check';
import { generateSource } from 'oazapfts';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { startObservedGateway, type ObservedGateway } from '../../support/observed-gateway.ts';
import { startCli } from '../../support/run-cli.ts';
import { images, serveIn, type Body, type Served } from '../../support/served-door.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Each starts processes of its own.
vi.setConfig({ testTimeout: 120_000 });

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const KEY = 'canary-key-80c1d2';
let dir: string;

beforeEach(() => {
  dir = temporaryFolder();
});

function serve(args: readonly string[], environment: NodeJS.ProcessEnv = { NOCTURNE_AI_KEY: KEY }): Promise<Served> {
  return serveIn(dir, args, environment);
}

async function gatewayHere(
  behaviour: object = {},
): Promise<{ readonly gateway: ObservedGateway; readonly profile: string }> {
  const started = await startObservedGateway({
    behaviour: { timeScale: 0.01, media: { detail: 'tiny' }, ...behaviour },
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

async function make(served: Served, count: number, name: string): Promise<string> {
  const { status, body } = await served.ask('create_batch', { name, rows: images(count, name) });
  expect(status).toBe(200);
  return body.batch.id;
}

async function untilState(served: Served, batchId: string, state: string): Promise<void> {
  await vi.waitFor(async () => expect((await served.ask('get_batch', { batchId })).body.batch['state']).toBe(state), {
    timeout: 60_000,
    interval: 50,
  });
}

/** What the client that oazapfts writes has, as far as it is used here. */
interface GeneratedClient {
  readonly defaults: RequestOpts;
  createBatch(input: object): Promise<{ status: number; data: Body }>;
  startBatch(input: object): Promise<{ status: number; data: Body }>;
  getBatch(input: object): Promise<{ status: number; data: Body }>;
  listFiles(
    input: object,
  ): Promise<{ status: number; data: { readonly files: readonly { id: string; path: string }[] } }>;
  getFile(id: string): Promise<{ status: number; data: Blob }>;
  readLedger(input: object): Promise<{ status: number; data: Body }>;
}

test('a client that is generated from its OpenAPI document walks a night, and gets the files', async () => {
  const { gateway, profile } = await gatewayHere();
  const served = await serve(['--profile', profile, '--max-requests', '5']);
  const answer = await fetch(`${served.url}/openapi.json`, { headers: { authorization: `Bearer ${served.token}` } });
  const document = path.join(dir, 'openapi.json');
  writeFileSync(document, await answer.text());
  // Beside the packages that the written module imports.
  const folder = path.join(ROOT, 'node_modules/.cache/nocturne-client');
  const module = path.join(folder, `${process.pid}.ts`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(module, { force: true }));
  writeFileSync(module, await generateSource(document));
  const client = (await import(pathToFileURL(module).href)) as GeneratedClient;
  client.defaults.baseUrl = served.url;
  client.defaults.headers = { authorization: `Bearer ${served.token}` };

  const made = await client.createBatch({ name: 'Foxes', rows: images(3), key: 'program-1' });
  expect(made).toMatchObject({ status: 200, data: { isNew: true, batch: { state: 'ready' } } });
  // Asked again after a lost answer, it is the same batch; another sheet under the same key is refused.
  // The order of its fields means nothing.
  const turned = images(3).map((row) => Object.fromEntries(Object.entries(row).toReversed()));
  const again = await client.createBatch({ name: 'Foxes', rows: turned, key: 'program-1' });
  expect(again.data).toMatchObject({ isNew: false, batch: { id: made.data.batch.id } });
  expect((await client.createBatch({ name: 'Foxes', rows: images(4), key: 'program-1' })).status).toBe(409);
  const batchId = made.data.batch.id;
  expect((await client.startBatch({ batchId })).status).toBe(200);
  await untilState(served, batchId, 'finished');
  expect(gateway.chargeLog()).toHaveLength(3);
  const files = (await client.listFiles({ batchId })).data.files;
  expect(files).toHaveLength(3);
  const expected = gateway.chargeLog().flatMap(({ taskCode }) => gateway.outputs(taskCode).map(({ sha256 }) => sha256));
  const received = await Promise.all(
    files.map(async ({ id }) => {
      const bytes = await fetch(`${served.url}/v1/files/${id}`, {
        headers: { authorization: `Bearer ${served.token}` },
      });
      return createHash('sha256')
        .update(Buffer.from(await bytes.arrayBuffer()))
        .digest('hex');
    }),
  );
  expect(received.toSorted()).toEqual(expected.toSorted());
  expect((await client.readLedger({ batchId })).data).toMatchObject({ stages: { verified: 3 } });
  expect(await served.end()).toBe(0);
  const { stdout, stderr } = await served.cli.ended;
  expect(stdout + stderr).not.toContain(served.token);
  expect(stdout + stderr).not.toContain(KEY);
});

test('the token is for its user alone, and is the same after a restart', async () => {
  const first = await serve(['--rehearse']);
  expect(statSync(path.join(dir, 'data/doors/token')).mode & 0o777).toBe(0o600);
  expect(await first.end()).toBe(0);
  const second = await serve(['--rehearse']);
  expect(second.token).toBe(first.token);
  // The store has one owner.
  const other = startCli(['serve', '--data', path.join(dir, 'data'), '--port', '0', '--rehearse']);
  expect((await other.ended).exitCode).toBe(6);
});

test('the cap holds for starts at once, for what a request asks for, and across a restart', async () => {
  const { gateway, profile } = await gatewayHere();
  const args = ['--profile', profile, '--max-requests', '5'];
  const served = await serve(args);
  const ids = [await make(served, 3, 'a'), await make(served, 3, 'b')];
  expect((await served.ask('create_batch', { name: 'x', rows: images(1), maxRequests: 6 })).status).toBe(409);
  expect((await served.ask('start_batch', { batchId: ids[0], maxRequests: 6 })).body['type']).toContain('over-cap');
  expect(gateway.stats().submits).toBe(0);
  const started = await Promise.all(ids.map((batchId) => served.ask('start_batch', { batchId })));
  expect(started.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  const first = ids.find((_, i) => started[i]?.status === 200) ?? '';
  const other = ids.find((_, i) => started[i]?.status !== 200) ?? '';
  await untilState(served, first, 'finished');
  expect(gateway.chargeLog()).toHaveLength(3);
  await served.end();
  const next = await serve(args);
  const refused = await next.ask('start_batch', { batchId: other });
  expect(refused).toMatchObject({ status: 409, body: { type: 'urn:nocturne:problem:over-cap' } });
  expect(refused.body['detail']).toContain('The cap of this door is 5 a night, and 3 of them are used');
  expect(gateway.stats().submits).toBe(3);
  // Within its own lower limit it fits.
  expect((await next.ask('start_batch', { batchId: other, maxRequests: 2 })).status).toBe(200);
  await untilState(next, other, 'paused');
  expect(gateway.chargeLog()).toHaveLength(5);
  expect((await next.ask('retry_rows', { batchId: other })).status).toBe(409);
});

test('whatever programs ask at once, the gateway charges no more than the cap, and no row twice', async () => {
  // Every third request fails, so that there is something to retry.
  const faults = [{ kind: 'remote-failure', when: 'submit', nth: [2, 5, 8, 11] }];
  const { gateway, profile } = await gatewayHere({ faults });
  const served = await serve(['--profile', profile, '--max-requests', '7']);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c', 'd']) ids.push(await make(served, 3, name));
  const asked = fc.sample(
    fc.tuple(fc.constantFrom('start_batch', 'start_batch', 'retry_rows', 'pause_batch', 'export_batch'), fc.nat(3)),
    { numRuns: 80, seed: 7447 },
  );
  const statuses = new Set<number>();
  for (let i = 0; i < asked.length; i += 20) {
    const answers = await Promise.all(
      asked.slice(i, i + 20).map(([command, which]) => served.ask(command, { batchId: ids[which] })),
    );
    for (const { status } of answers) statuses.add(status);
  }
  for (const batchId of ids) await served.ask('start_batch', { batchId });
  await vi.waitFor(
    async () => {
      const { batches } = (await served.ask('list_batches')).body as unknown as { batches: { state: string }[] };
      expect(batches.map(({ state }) => state)).not.toContain('running');
    },
    { timeout: 60_000, interval: 50 },
  );
  expect(gateway.stats().submits).toBeGreaterThan(2);
  expect(gateway.chargeLog().length).toBeLessThanOrEqual(7);
  const done = await Promise.all(ids.map((batchId) => served.ask('list_files', { batchId })));
  const files = done.flatMap(({ body }) =>
    (body as unknown as { files: { row: string }[] }).files.map(({ row }) => row),
  );
  expect(new Set(files).size).toBe(files.length);
  expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true);
});

test('without a cap nothing that pays is done', async () => {
  const { gateway, profile } = await gatewayHere();
  const served = await serve(['--profile', profile]);
  const batchId = await make(served, 1, 'a');
  for (const [command, input] of [
    ['start_batch', { batchId, maxRequests: 1 }],
    ['retry_rows', { batchId }],
    ['resolve_row', { batchId, row: 'a0', decision: 'resubmit' }],
  ] as const) {
    expect(await served.ask(command, input)).toMatchObject({
      status: 403,
      body: { type: 'urn:nocturne:problem:needs-cap' },
    });
  }
  expect(gateway.stats().submits).toBe(0);
});

test('a server that was killed continues what ran, under its cap; its programs miss nothing of it', async () => {
  const { gateway, profile } = await gatewayHere({ timeScale: 0.05 });
  const args = ['--profile', profile, '--max-requests', '40'];
  const served = await serve(args);
  const batchId = await make(served, 20, 'a');
  await served.ask('start_batch', { batchId });
  await vi.waitUntil(() => gateway.chargeLog().length >= 4, { timeout: 60_000, interval: 5 });
  served.cli.process.kill('SIGKILL');
  await served.cli.ended;
  const next = await serve(args);
  await vi.waitUntil(() => gateway.chargeLog().length >= 19, { timeout: 60_000, interval: 20 });
  await vi.waitFor(
    async () => expect((await next.ask('get_batch', { batchId })).body.batch['state']).not.toBe('running'),
    { timeout: 60_000, interval: 50 },
  );
  // No row twice; one may wait for the user, whose request was under way.
  const prompts = gateway.chargeLog().map(({ body }) => body['prompt']);
  expect(new Set(prompts).size).toBe(prompts.length);
  expect(await next.end()).toBe(0);
});

test('no answer and no file holds the key, whatever a program sends', async () => {
  const { profile } = await gatewayHere();
  const served = await serve(['--profile', profile, '--sheets', dir]);
  const rows = [...images(1), { row: 'k', operation: 'image', prompt: `my key is ${KEY}` }];
  const answers = [
    await served.ask('check_sheet', { rows }),
    await served.ask('check_sheet', { rows, operation: KEY }),
    await served.ask('create_batch', { name: `a ${KEY}`, rows: images(1) }),
    await served.ask('create_batch', { name: 'a', rows }),
    await served.ask('create_batch', { name: 'a', rows: images(1), key: `${KEY}-1` }),
    await served.ask('create_batch', {
      name: 'a',
      rows: images(1),
      variables: { mood: Buffer.from(KEY).toString('hex') },
    }),
    await served.ask('write_sheet', { name: 'a', rows }),
    await served.ask('list_batches'),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 409, 409, 409, 409, 409, 200]);
  expect(answers.at(-1)?.body).toMatchObject({ total: 0 });
  expect(JSON.stringify(answers)).not.toContain(KEY);
  expect(answers[0]?.body['problems']).toMatchObject([{ code: 'contains-key', row: 'k', column: 'prompt' }]);
  expect(readdirSync(dir, { recursive: true }).filter((name) => String(name).includes(KEY))).toEqual([]);
});

test('ends in the middle of a night as a run does: nothing is lost, and its exit says so', async () => {
  const { gateway, profile } = await gatewayHere({ timeScale: 0.5 });
  const args = ['--profile', profile, '--max-requests', '5'];
  const served = await serve(args);
  const batchId = await make(served, 3, 'a');
  await served.ask('start_batch', { batchId });
  await vi.waitUntil(() => gateway.chargeLog().length === 3, { timeout: 60_000, interval: 5 });
  expect(await served.end()).toBe(130);
  gateway.setBehaviour({ timeScale: 0.01 });
  const next = await serve(args);
  await untilState(next, batchId, 'finished');
  expect(gateway.chargeLog()).toHaveLength(3);
});

test('events tell of a night, and of what was missed', async () => {
  const served = await serve(['--rehearse'], {});
  const batchId = await make(served, 2, 'a');
  const first = await listen(served, {});
  await served.ask('start_batch', { batchId });
  await vi.waitUntil(() => first.text().includes('"state":"finished"'), { timeout: 60_000, interval: 20 });
  first.end();
  const ids = [...first.text().matchAll(/^id: (\S+)$/gmu)].map(([, id]) => id ?? '');
  expect(ids.length).toBeGreaterThan(1);
  const [seen = ''] = ids;
  const back = await listen(served, { 'last-event-id': seen });
  await vi.waitUntil(() => back.text().includes('"state":"finished"'), { timeout: 60_000, interval: 20 });
  const missed = [...back.text().matchAll(/^id: (\S+)$/gmu)].map(([, id]) => id);
  // The last of the first reader may not be the last of all.
  expect(missed.slice(0, ids.length - 1)).toEqual(ids.slice(1));
  back.end();
  for (const unknown of ['another-1', `${seen.split('-')[0]}-999`, 'x', '-1']) {
    const reset = await listen(served, { 'last-event-id': unknown });
    await vi.waitUntil(() => reset.text().includes('event: reset'), { timeout: 60_000, interval: 20 });
    reset.end();
  }
  // A heartbeat comes to whoever hears nothing else.
  const quiet = await listen(served, {});
  await vi.waitUntil(() => quiet.text().includes(': still here'), { timeout: 60_000, interval: 50 });
  // Of another batch it is told nothing.
  const another = await make(served, 1, 'b');
  const other = await listen(served, { 'last-event-id': seen }, `?batchId=${another}`);
  // Its own import may still be told.
  await vi.waitUntil(() => other.text().includes(': still here'), { timeout: 60_000, interval: 50 });
  expect(other.text()).not.toContain(batchId);
});

async function listen(
  served: Served,
  headers: Readonly<Record<string, string>>,
  query = '',
): Promise<{ readonly text: () => string; readonly end: () => void }> {
  const cut = new AbortController();
  onTestFinished(() => cut.abort());
  const answer = await fetch(`${served.url}/v1/events${query}`, {
    headers: { authorization: `Bearer ${served.token}`, ...headers },
    signal: cut.signal,
  });
  expect(answer.status).toBe(200);
  let text = '';
  const decoder = new TextDecoder();
  void (async () => {
    for await (const chunk of answer.body as unknown as AsyncIterable<Uint8Array>) text += decoder.decode(chunk);
  })().catch(() => undefined);
  return { text: () => text, end: () => cut.abort() };
}
