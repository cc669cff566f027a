/** A key that is a canary: after a whole night it is looked for everywhere but where it belongs. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerDialogs, launch, newFolder, openGateway, test, waitForState } from './launch.ts';

const KEY = 'sk-canary-e2e-91b6d03f5a';
const SHEET = ['row,operation,prompt,lyrics_model', 'one,lyrics,A lullaby about a lighthouse,v1', 'two,image,Waves,'];

/** Files below a folder that hold a text in UTF-8, UTF-16 or base64. */
function filesHolding(folder: string, text: string): string[] {
  const forms = [Buffer.from(text), Buffer.from(text, 'utf16le'), Buffer.from(Buffer.from(text).toString('base64'))];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => forms.some((form) => readFileSync(path).includes(form)));
}

/** Whether the page's JavaScript and DOM still hold a text, after everything that is garbage was collected. */
async function isInHeap(page: Page, text: string): Promise<boolean> {
  const session = await page.context().newCDPSession(page);
  const chunks: string[] = [];
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(chunk));
  await session.send('HeapProfiler.enable');
  await session.send('HeapProfiler.collectGarbage');
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false });
  await session.detach();
  return chunks.join('').includes(text);
}

test('after a whole night the key is in no file, log, command line, heap of the page, or foreign request', async () => {
  const gateway = await startObservedGateway({ seed: 5, behaviour: { ...PRESETS.default, auth: { keys: [KEY] } } });
  if (!gateway.ok) throw new Error(JSON.stringify(gateway.error));
  const running = gateway.value;
  const dataFolder = newFolder('canary');
  const mediaFolder = newFolder('canary-media');
  const launched = await launch({ dataFolder, args: ['--password-store=basic'], speed: 5 });
  const { app, page, ask } = launched;
  await app.evaluate(({ session }) => {
    const addresses: string[] = [];
    Object.assign(globalThis, { addresses });
    session.defaultSession.webRequest.onBeforeRequest((details, callback) => {
      addresses.push(details.url);
      callback({});
    });
  });

  await openGateway(page);
  await page.getByLabel('Base URL').fill(running.baseUrl);
  await page.getByLabel('Key', { exact: true }).pressSequentially(KEY);
  expect(await isInHeap(page, KEY)).toBe(true);
  await page.getByRole('button', { name: 'Save connection' }).click();
  await expect(page.getByTestId('key-place')).toContainText(`ending in ${KEY.slice(-4)}`);
  await expect(page.getByLabel('Key', { exact: true })).toHaveValue('');
  await page.getByRole('button', { name: 'Help' }).first().click();

  const sheetPath = join(newFolder('canary-sheet'), 'Canary.csv');
  writeFileSync(sheetPath, SHEET.join('\n'));
  await answerDialogs(app, [sheetPath, mediaFolder]);
  const sheet = await ask('sheet.choose');
  const folderId = (await ask('folder.choose'))?.folderId ?? '';
  const batch = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Canary',
    rehearsal: false,
    start: true,
    folderId,
  });
  await waitForState(launched, batch.id, 'finished');
  const evidence = join(newFolder('canary-evidence'), 'evidence.json');
  await app.evaluate(({ dialog }, filePath) => {
    dialog.showSaveDialog = () => Promise.resolve({ canceled: false, filePath });
  }, evidence);
  const view = { filter: {}, sort: { column: 'line', direction: 'ascending' } } as const;
  const { rows } = await ask('rows.page', { batchId: batch.id, ...view, offset: 0, limit: 2 });
  await ask('evidence.export', { batchId: batch.id, rows: rows.map(({ key }) => key) });
  expect(readFileSync(evidence, 'utf8')).not.toContain(KEY);

  expect(await isInHeap(page, KEY)).toBe(false);
  const processes = await app.evaluate(({ app: running }) => running.getAppMetrics().map((metric) => metric.pid));
  for (const pid of process.platform === 'linux' ? processes : []) {
    expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).not.toContain(KEY);
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toContain(KEY);
  }
  const addresses = await app.evaluate(() => (globalThis as unknown as { addresses: string[] }).addresses);
  expect(addresses.filter((address) => !/^(?:app|media|devtools|data):/.test(address))).toEqual([]);
  const crashFolder = await app.evaluate(({ app: running }) => running.getPath('crashDumps'));
  await launched.close();
  // Its own data folder holds the log, the store, and Chromium's caches and crash reports.
  expect(crashFolder.startsWith(dataFolder)).toBe(true);
  expect(filesHolding(dataFolder, KEY)).toEqual([]);
  expect(filesHolding(mediaFolder, KEY)).toEqual([]);
  expect(running.stats().keyLeaks).toBe(0);
  await running.close();
});
