import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEngine, type Engine } from '../../src/engine/index.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import { fastClock } from '../support/fast-clock.ts';
import { row } from '../support/night-harness.ts';
import { storeAtOnce } from '../support/store-at-once.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

vi.setConfig({ testTimeout: 60_000 });

test('what two keys of one gateway render is not asked for with a third: it waits for them', async () => {
  const came: { readonly key: string; readonly method: string }[] = [];
  const server = createServer((request, response) => {
    came.push({ key: String(request.headers['aikey']), method: request.method ?? '' });
    const isSubmit = request.method === 'POST';
    const result = isSubmit ? { taskCode: `T-${came.length}` } : { status: 1 };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ code: 200, success: true, result }));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const dir = temporaryFolder();
  const open = async (): Promise<Engine> => {
    const clock = fastClock(20, Date.now());
    const made = await createEngine({ dataDir: path.join(dir, 'data'), openStore: storeAtOnce, clock });
    if (!made.ok) throw new Error(made.error.message);
    return made.value;
  };
  const night = await open();
  for (const name of ['a', 'b']) night.setKey(origin, `the-key-of-${name}`, undefined, name);
  const profile = profileSchema.parse({ baseUrl: origin, status: { musicgen: { '1': 'running', '2': 'succeeded' } } });
  const rows = ['a', 'b'].map((account, i) => row(account, i + 2, { account }));
  const accounts = { first: { name: 'a', keyName: 'a' }, others: [{ name: 'b', keyName: 'b', profile }] };
  const { id } = await night.createBatch({
    sheet: { headers: ['row', 'operation', 'prompt', 'account'], rows, problems: [] },
    name: 'Two keys',
    settings: { folder: path.join(dir, 'out'), profile, accounts, filename: '{row}', rehearsal: false },
  });
  await night.start(id);
  await vi.waitFor(() => expect(came.filter(({ method }) => method === 'GET').length).toBeGreaterThan(1), 30_000);
  await night.stop();
  const before = came.length;

  const window = await open();
  onTestFinished(async () => void (await window.stop()));
  window.setKey(origin, 'the-key-of-the-window');
  await window.start(id);
  const { pause } = await window.settled(id);
  expect(pause).toMatchObject({ failure: { code: 'KEY_MISSING', data: { origin, keyName: 'a', account: 'a' } } });
  expect(new Set(came.slice(0, before).map(({ key }) => key))).toEqual(new Set(['the-key-of-a', 'the-key-of-b']));
  expect(came.slice(before)).toEqual([]);
});
