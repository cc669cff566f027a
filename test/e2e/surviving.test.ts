/** Parts that die, stores that are not what they were, and what their owner is told. */
import { cpSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync, closeSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { DatabaseSync } from '@photostructure/sqlite';
import { countOf, launch, newFolder, test, waitForState, type Launched } from './launch.ts';
import { rehearsalCharges } from './proof.ts';
import { startNight } from './whole-night.ts';

// Whole nights: on a busy machine each takes as long as several other tests.
test.describe.configure({ timeout: 480_000 });

const SMALL_SHEET = [
  'row,operation,prompt,lyrics_model',
  'one,lyrics,A lullaby about a lighthouse,v1',
  'two,lyrics,A lullaby about a harbour,v1',
].join('\n');

/** Rehearses a whole night, or a sheet of two rows. */
function rehearse(launched: Launched, size: 'night' | 'small'): Promise<string> {
  return startNight(launched, newFolder('media'), size === 'small' ? { name: 'Small', text: SMALL_SHEET } : undefined);
}

async function waitUntilUnderWay({ ask }: Launched, batchId: string): Promise<void> {
  await expect
    .poll(async () => (await ask('batch.get', { batchId })).submitsUsed, { intervals: [50], timeout: 60_000 })
    .toBeGreaterThanOrEqual(8);
}

function enginePid({ app }: Launched): Promise<number> {
  return app.evaluate(
    ({ app: running }) => running.getAppMetrics().find((metric) => metric.name === 'Nocturne engine')?.pid ?? 0,
  );
}

function chargesOf(dataFolder: string): number {
  return [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);
}

test('the page crashes in the middle of a night: it comes back, and the engine never noticed', async () => {
  const dataFolder = newFolder('page');
  const launched = await launch({ dataFolder, speed: 1 });
  const { app, hurry } = launched;
  const batchId = await rehearse(launched, 'night');
  await waitUntilUnderWay(launched, batchId);
  const before = await enginePid(launched);
  await app.evaluate(({ BrowserWindow }) => {
    BrowserWindow.getAllWindows()[0]?.webContents.forcefullyCrashRenderer();
  });
  // Asked of main: a page that has crashed is lost for the one who drives it. One that is loading may never answer.
  const inPage = (code: string): Promise<unknown> =>
    app.evaluate(({ BrowserWindow }, text) => {
      const contents = BrowserWindow.getAllWindows()[0]?.webContents;
      if (contents === undefined || contents.isCrashed() || contents.isLoading()) return undefined;
      const givingUp = new Promise((resolve) => {
        setTimeout(resolve, 1_000);
      });
      return Promise.race([contents.executeJavaScript(text), givingUp]) as Promise<unknown>;
    }, code);
  await expect
    .poll(async () => String(await inPage('document.body.innerText')), { timeout: 60_000 })
    .toContain('The window stopped');
  await hurry('engine', 5);
  const state = `nocturne.request('batch.get', { batchId: '${batchId}' }).then((reply) => reply.value.state)`;
  await expect.poll(() => inPage(state), { timeout: 90_000 }).toBe('finished');
  expect(await enginePid(launched)).toBe(before);
  expect(readFileSync(join(dataFolder, 'logs', 'nocturne.log'), 'utf8')).toContain('the window’s page ended');
  await launched.close();
});

test('an engine that keeps dying is left alone: nothing is sent until the user says so', async ({ open }) => {
  const launched = await open();
  const { page, app, ask, tryToAsk, hurry, dataFolder } = launched;
  const batchId = await rehearse(launched, 'night');
  await waitUntilUnderWay(launched, batchId);
  const first = await enginePid(launched);
  process.kill(first, 'SIGKILL');
  await expect.poll(async () => [0, first].includes(await enginePid(launched)), { intervals: [50] }).toBe(false);
  process.kill(await enginePid(launched), 'SIGKILL');
  const banner = page.getByTestId('engine-banner');
  await expect(banner).toContainText('nothing is sent');
  await expect(banner).toContainText('twice within a minute');
  expect(await tryToAsk('batch.get', { batchId })).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  expect(await enginePid(launched)).toBe(0);
  const charged = chargesOf(dataFolder);

  await app.evaluate(({ shell }) => {
    shell.openPath = (path) => {
      Object.assign(globalThis, { openedPath: path });
      return Promise.resolve('');
    };
  });
  await banner.getByRole('button', { name: 'Open logs' }).click();
  const logFolder = join(dataFolder, 'logs');
  await expect.poll(() => app.evaluate(() => (globalThis as { openedPath?: string }).openedPath)).toBe(logFolder);
  expect(readFileSync(join(logFolder, 'nocturne.log'), 'utf8')).toContain('the engine’s process ended');
  expect(chargesOf(dataFolder)).toBe(charged);

  await banner.getByRole('button', { name: 'Try again' }).click();
  await expect(banner).toBeHidden();
  await hurry('engine', 5);
  const finished = await waitForState({ ask }, batchId, 'finished');
  expect(countOf(finished, 'done') + countOf(finished, 'submit-unknown')).toBe(finished.taskCount);
  expect(chargesOf(dataFolder)).toBeLessThanOrEqual(finished.taskCount);
  await launched.close();
});

test('an engine that hangs in the middle of a night is replaced, and the night goes on', async ({ open }) => {
  const launched = await open();
  const { page, ask, hurry } = launched;
  const batchId = await rehearse(launched, 'night');
  await waitUntilUnderWay(launched, batchId);
  const first = await enginePid(launched);
  process.kill(first, 'SIGSTOP');
  await hurry('main', 10);
  const banner = page.getByTestId('engine-banner');
  await expect(banner).toContainText('did not answer for 30 seconds and was restarted', { timeout: 60_000 });
  await hurry('main', 1);
  await hurry('engine', 5);
  expect([0, first]).not.toContain(await enginePid(launched));
  const finished = await waitForState({ ask }, batchId, 'finished');
  expect(countOf(finished, 'done') + countOf(finished, 'submit-unknown')).toBe(finished.taskCount);
  await launched.close();
});

test('a store that was put back from an older copy is noticed, and waits for the user’s word', async ({ open }) => {
  const first = await open();
  const { dataFolder } = first;
  const batchId = await rehearse(first, 'night');
  await waitUntilUnderWay(first, batchId);
  await first.close();
  const copy = join(newFolder('copy'), 'store');
  cpSync(join(dataFolder, 'store'), copy, { recursive: true });

  const second = await open(1, dataFolder);
  await second.ask('batch.get', { batchId });
  await second.close();
  rmSync(join(dataFolder, 'store'), { recursive: true });
  cpSync(copy, join(dataFolder, 'store'), { recursive: true });

  const third = await open(1, dataFolder);
  const batch = await third.ask('batch.get', { batchId });
  expect(batch).toMatchObject({ state: 'paused', pause: { failure: { code: 'STORE_RESTORED' } } });
  await expect(third.page.getByText('Paused: The store is an older copy')).toBeVisible();
  const banner = third.page.getByRole('alert').filter({ hasText: 'Paused: The store is an older copy' });
  await expect(banner).toContainText('paid for again');
  await expect(third.page.getByText('The store is an older copy.', { exact: true })).toBeVisible();
  expect(await third.ask('batch.resume', { batchId })).toMatchObject({ state: 'running' });
  await third.close();
});

/** What a store that is only looked at shows, and what it refuses. */
async function expectReadOnly(launched: Launched, batchId: string, reason: RegExp): Promise<void> {
  const { page, ask, tryToAsk } = launched;
  const banner = page.getByTestId('engine-banner');
  await expect(banner).toContainText('nothing is sent');
  await expect(banner).toContainText(reason);
  expect(await ask('batch.list')).toMatchObject([{ id: batchId, state: 'finished', taskCount: 2 }]);
  const rows = await ask('rows.page', {
    batchId,
    filter: {},
    sort: { column: 'line', direction: 'ascending' },
    offset: 0,
    limit: 10,
  });
  expect(rows.rows.map((row) => row.row)).toEqual(['one', 'two']);
  const commands = [
    () => tryToAsk('batch.start', { batchId }),
    () => tryToAsk('batch.cancel', { batchId }),
    () => tryToAsk('batch.retry', { batchId, takes: [] }),
  ];
  for (const command of commands) {
    const reply = await command();
    expect(reply).toMatchObject({ ok: false, error: { code: 'refused' } });
    expect(JSON.stringify(reply)).toMatch(reason);
  }
  await launched.close();
}

test('a store that is newer or damaged is shown as far as it can be read, and left as it is', async ({ open }) => {
  const first = await open(5);
  const { dataFolder } = first;
  const batchId = await rehearse(first, 'small');
  await waitForState(first, batchId, 'finished');
  await first.close();
  const folderLike = (name: string): { folder: string; store: string } => {
    const folder = newFolder(name);
    mkdirSync(join(folder, 'store'));
    const store = join(folder, 'store', 'nocturne.db');
    cpSync(join(dataFolder, 'store', 'nocturne.db'), store);
    return { folder, store };
  };

  const newer = folderLike('newer');
  const db = new DatabaseSync(newer.store);
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA user_version = 99');
  db.close();
  const untouched = readFileSync(newer.store);
  await expectReadOnly(await open(1, newer.folder), batchId, /newer version/);
  expect(readFileSync(newer.store).equals(untouched)).toBe(true);

  const damaged = folderLike('worn');
  const look = new DatabaseSync(damaged.store, { readOnly: true });
  const { rootpage } = look.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'completions'").get() as {
    rootpage: number;
  };
  const { page_size: pageSize } = look.prepare('PRAGMA page_size').get() as { page_size: number };
  look.close();
  const file = openSync(damaged.store, 'r+');
  writeSync(file, Buffer.alloc(64, 0xa5), 0, 64, (rootpage - 1) * pageSize);
  closeSync(file);
  const worn = readFileSync(damaged.store);
  await expectReadOnly(await open(1, damaged.folder), batchId, /damaged/);
  expect(readFileSync(damaged.store).equals(worn)).toBe(true);
});

test('the store is backed up in the middle of a night, and the copy is whole', async ({ open }) => {
  const launched = await open();
  const { app, page, tryToAsk, hurry } = launched;
  const batchId = await rehearse(launched, 'night');
  await waitUntilUnderWay(launched, batchId);
  const file = join(newFolder('backup-file'), 'copy.db');
  const answerSave = (filePath: string): Promise<void> =>
    app.evaluate(({ dialog }, path) => {
      dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath: path });
    }, filePath);
  await answerSave(file);
  await page.getByRole('button', { name: 'Settings' }).first().click();
  await page.getByRole('button', { name: 'Back up the store…' }).click();
  await expect(page.getByText('The store is backed up.', { exact: true })).toBeVisible();
  const db = new DatabaseSync(file, { readOnly: true });
  expect(db.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
  expect(db.prepare('SELECT count(*) AS count FROM batches').get()).toEqual({ count: 1 });
  db.close();
  expect(statSync(file).mode & 0o077).toBe(0);
  // Over the store itself nothing is ever written.
  await answerSave(join(launched.dataFolder, 'store', 'nocturne.db'));
  expect(await tryToAsk('store.backup')).toMatchObject({ ok: false, error: { code: 'refused' } });
  await hurry('engine', 5);
  await waitForState(launched, batchId, 'finished');
});

test('the system tells once that a night is over, unless its owner is looking', async () => {
  const launched = await launch({ dataFolder: newFolder('notify'), speed: 5 });
  const { app } = launched;
  const setFocus = (isFocused: boolean): Promise<void> =>
    app.evaluate(({ BrowserWindow, Notification }, focused) => {
      const told: string[] = [];
      Object.assign(globalThis, { told });
      Notification.isSupported = () => true;
      Notification.prototype.show = function show(this: Electron.Notification) {
        told.push(`${this.title}: ${this.body}`);
      };
      const [window] = BrowserWindow.getAllWindows();
      if (window !== undefined) window.isFocused = () => focused;
    }, isFocused);
  const told = (): Promise<readonly string[]> => app.evaluate(() => (globalThis as unknown as { told: string[] }).told);
  await setFocus(false);
  await waitForState(launched, await rehearse(launched, 'small'), 'finished');
  await expect.poll(told).toEqual(['“Small” is finished: 2 of 2 takes are done.']);
  await setFocus(true);
  await waitForState(launched, await rehearse(launched, 'small'), 'finished');
  expect(await told()).toEqual([]);
  await launched.close();
});
