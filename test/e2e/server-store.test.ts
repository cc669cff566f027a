/** The window on a store on a server: a worker of its own process renders, the window shows and decides. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { killServer, letIn, startCluster, startServer, stopCluster } from '../support/postgres-cluster.ts';
import { postgresUrl } from '../support/postgres.ts';
import {
  answerDialogs,
  answerQuestions,
  launch,
  newFolder,
  questionsOf,
  REPOSITORY,
  test,
  waitForState,
  type Launched,
} from './launch.ts';

test.describe.configure({ mode: 'default', timeout: 480_000 });

const KEY = 'sk-of-the-worker-5f2a9c';
const PASSWORD = 'p@ss/w#rd?5f2a9c %41';
const ROWS = 40;
const CLUSTER = join('/dev/shm', `nocturne-window-${process.pid}`);

let gateway: ObservedGateway;
const workers: ChildProcess[] = [];

test.beforeAll(async () => {
  mkdirSync(CLUSTER, { mode: 0o755 });
  startCluster(CLUSTER);
  await letIn(CLUSTER, 'ada', PASSWORD);
  const behaviour = { ...PRESETS.default, timeScale: 0.05, auth: { keys: [KEY] } };
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  gateway = started.value;
});

test.afterAll(async () => {
  for (const worker of workers) worker.kill('SIGKILL');
  await gateway?.close();
  stopCluster(CLUSTER);
});

/** For the user whom the server lets in without a password. */
const urlOf = (name: string): string => postgresUrl(name, CLUSTER);

function startWorker(store: string, name: string): ChildProcess {
  const folder = newFolder(name);
  const key = join(folder, 'key');
  writeFileSync(key, KEY, { mode: 0o600 });
  const args = ['worker', '--store', store, '--data', folder, '--name', name, '--key-file', key, '--lease', '6'];
  const worker = spawn(
    process.execPath,
    [join(REPOSITORY, 'src/cli/nocturne.ts'), ...args, '--send-key-to', gateway.baseUrl],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  workers.push(worker);
  return worker;
}

async function useStore({ page }: Launched, address: string, password = ''): Promise<void> {
  await page.getByRole('button', { name: 'Settings', exact: true }).click();
  const form = page.getByRole('form', { name: 'Store' });
  await form.getByRole('radio', { name: 'On a server' }).click();
  await form.getByLabel('Address').fill(address);
  await form.getByLabel('Password').fill(password);
}

async function startBatch({ app, ask }: Launched, rows = ROWS): Promise<string> {
  const sheetFile = join(newFolder('sheet'), 'Songs.csv');
  const lines = Array.from({ length: rows }, (_, i) => `r${i},lyrics,a song about ${i},v1`);
  writeFileSync(sheetFile, ['row,operation,prompt,lyrics_model', ...lines].join('\n'));
  await answerDialogs(app, [sheetFile, newFolder('media')]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  const sheet = await ask('sheet.choose');
  const chosen = await ask('folder.choose');
  const batch = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Songs',
    rehearsal: false,
    start: true,
    canary: false,
    ...(chosen === undefined ? {} : { folderId: chosen.folderId }),
  });
  return batch.id;
}

/** Every byte that the application has written, as text. */
function writtenIn(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');
}

async function shoot({ page, ask }: Launched, name: string): Promise<void> {
  const folder = process.env['NOCTURNE_SHOTS'];
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  for (const theme of ['light', 'dark'] as const) {
    await ask('settings.update', { theme });
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
  }
}

test('a worker renders what the window starts without its key; pause all, a server that goes and comes back, the end', async () => {
  const store = urlOf('night');
  const launched = await launch({ dataFolder: newFolder('window'), args: [`--store=${store}`] });
  const { app, page, ask } = launched;
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(1280, 800));
  const panel = page.getByTestId('store-panel');
  await expect(panel).toContainText('No worker is running');
  const batchId = await startBatch(launched);
  const banner = page.getByTestId('store-banner');
  await expect(banner).toContainText('No worker is running on this store');
  await shoot(launched, 'no-worker');
  // No folder has the batch's mark yet: nothing is written or opened where the store says.
  for (const way of ['batch.openGallery', 'batch.openFolder'] as const)
    expect(await launched.tryToAsk(way, { batchId })).toMatchObject({ ok: false, error: { code: 'refused' } });

  const worker = startWorker(store, 'render-1');
  await expect(panel).toContainText('1 worker: render-1 (1 account)', { timeout: 60_000 });
  await expect(banner).toHaveCount(0);
  await page.getByText('Songs').first().click();
  await expect.poll(() => gateway.stats().submits).toBeGreaterThan(2);
  // A cell of the grid is drawn; what stands for it is not.
  await expect(page.getByText('Done', { exact: true }).first()).toBeAttached({ timeout: 60_000 });
  await shoot(launched, 'rendering');
  // It is no night of this computer.
  await answerQuestions(app, 'Cancel');
  expect(await app.evaluate(({ powerSaveBlocker }) => powerSaveBlocker.isStarted(0))).toBe(false);

  await page.getByRole('button', { name: 'Pause all' }).click();
  await waitForState(launched, batchId, 'paused');
  await expect.poll(async () => (await ask('batch.get', { batchId })).counts.musicgen.rendering).toBe(0);
  const paused = gateway.stats().submits;
  expect(paused).toBeLessThan(ROWS);
  await shoot(launched, 'paused');

  killServer(CLUSTER);
  await expect(banner).toContainText('The server has not answered since', { timeout: 60_000 });
  const refused = await launched.tryToAsk('batch.resume', { batchId });
  expect(refused).toMatchObject({ ok: false, error: { code: 'refused' } });
  await shoot(launched, 'away');
  startServer(CLUSTER);
  await expect(banner).toHaveCount(0, { timeout: 60_000 });
  expect(gateway.stats().submits).toBe(paused);

  await ask('batch.resume', { batchId });
  await waitForState(launched, batchId, 'finished');
  await expect.poll(async () => (await ask('batch.get', { batchId })).files).toBe(ROWS);
  const prompts = gateway.chargeLog().map(({ bodySha256 }) => bodySha256);
  expect([prompts.length, new Set(prompts).size]).toEqual([ROWS, ROWS]);
  await shoot(launched, 'finished');
  expect(await questionsOf(app)).toEqual([]);
  worker.kill('SIGTERM');
  await launched.close();
});

test('a wrong password, a server that is not there, and the way to them and back; no file holds the password', async () => {
  const dataFolder = newFolder('chosen');
  const launched = await launch({ dataFolder });
  const { app, page, ask } = launched;
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setSize(1280, 800));
  expect(await ask('store.get')).toEqual({ kind: 'folder' });
  const address = urlOf('chosen').replace('postgres@', 'ada@');
  const form = page.getByRole('form', { name: 'Store' });
  await useStore(launched, address, 'wrong');
  await answerQuestions(app, 'Connect');
  await form.getByRole('button', { name: 'Test' }).click();
  await expect(form).toContainText('This store cannot be used');
  await expect(form).toContainText('password authentication failed');
  await shoot(launched, 'test-refused');
  await form.getByLabel('Password').fill(PASSWORD);
  await form.getByRole('button', { name: 'Test' }).click();
  await expect(form).toContainText('The server is ready for a store');
  await form.getByLabel('Password').fill('wrong');
  await answerQuestions(app, 'Use it');
  await form.getByRole('button', { name: 'Use this store' }).click();
  await page.getByRole('button', { name: 'Welcome', exact: true }).click();
  const screen = page.getByTestId('no-store');
  await expect(screen).toContainText('password authentication failed', { timeout: 60_000 });
  await shoot(launched, 'wrong-password');
  await screen.getByLabel('Password').fill(PASSWORD);
  await screen.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByTestId('store-panel')).toContainText('No worker is running', { timeout: 60_000 });
  await shoot(launched, 'opened');
  await useStore(launched, address);
  await form.getByRole('button', { name: 'Test' }).click();
  await expect(form).toContainText('A store was found');
  await shoot(launched, 'test-found');

  killServer(CLUSTER);
  try {
    await expect(page.getByTestId('store-banner')).toContainText('has not answered since', { timeout: 60_000 });
    await form.getByLabel('Address').fill('postgres://ada:hunter2@127.0.0.1:9/none');
    await form.getByRole('button', { name: 'Use this store' }).click();
    await page.getByRole('button', { name: 'Welcome', exact: true }).click();
    await expect(screen).toContainText('127.0.0.1:9', { timeout: 40_000 });
    await expect(screen).not.toContainText('hunter2');
    await shoot(launched, 'not-there');
    await screen.getByRole('button', { name: 'Work on this computer' }).click();
    await expect(screen).toHaveCount(0, { timeout: 60_000 });
    await expect.poll(() => ask('store.get')).toEqual({ kind: 'folder' });
    expect(await ask('batch.list')).toEqual([]);
  } finally {
    startServer(CLUSTER);
  }
  await launched.close();
  const written = writtenIn(dataFolder);
  for (const secret of [PASSWORD, encodeURIComponent(PASSWORD), 'hunter2']) expect(written).not.toContain(secret);
});
