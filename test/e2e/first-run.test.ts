/** What a person does who opens the window for the first time. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { answerDialogs, newFolder, rowDetail, test, waitForState } from './launch.ts';
import { readVerifiedManifest } from './proof.ts';

const SMALL_SHEET = [
  'row,operation,prompt,title,lyrics_model,tags',
  'one,lyrics,A lullaby about a lighthouse,,v1,',
  'two,image,A lighthouse at night,,,',
  'three,music,A slow lullaby,Lighthouse,,calm|piano',
].join('\n');

function sheetFile(name: string, text: string): string {
  const path = join(newFolder('sheet'), name);
  writeFileSync(path, text);
  return path;
}

/**
 * Drops a file as the user's hand does, until the page takes it; a script's drop would not be trusted. Chromium does not
 * wait for the page's answer to a drag, and a hand that is so quick drops nothing.
 */
async function dropFile(page: Page, path: string, isTaken: () => Promise<void>): Promise<void> {
  await expect(async () => {
    await dropOnce(page, path);
    await isTaken();
  }).toPass({ timeout: 60_000 });
}

async function dropOnce(page: Page, path: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const data = { items: [], files: [path], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 400, y: 300, data });
  }
  await session.detach();
}

test('three clicks lead from nothing to a rehearsed night, with every file on the disk', async ({ open }) => {
  test.slow();
  const launched = await open(5);
  const { page, ask } = launched;
  await page.getByRole('button', { name: 'Rehearse with the built-in gateway' }).click();
  await page.getByRole('button', { name: 'A night of 60 rows' }).click();
  await page.getByRole('button', { name: 'Start rehearsal' }).click();
  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
  const [batch] = await ask('batch.list');
  const finished = await waitForState(launched, batch?.id ?? '', 'finished');
  expect(finished).toMatchObject({ rehearsal: true, rowCount: 60, rows: { skipped: 1 } });
  await expect(page.getByText(/^100\s?%$/).first()).toBeVisible();
  // The documents of the folder are written by themselves when the batch comes to its end.
  await expect
    .poll(() => {
      try {
        return readVerifiedManifest(finished.folder).files.length;
      } catch {
        return 0;
      }
    })
    .toBe(finished.files);
  await launched.close();
});

test('the mistakes of a sheet are shown before anything is sent', async ({ open }) => {
  const launched = await open();
  const { page, ask } = launched;
  await page.getByRole('button', { name: 'Rehearse with the built-in gateway' }).click();
  await page.getByRole('button', { name: 'A sheet full of mistakes' }).click();
  const sheet = await ask('sheet.sample', { sample: 'mistakes' });
  const [error] = sheet.problems;
  expect(sheet.errorCount).toBeGreaterThan(5);
  await expect(page.getByText(error?.message ?? '', { exact: false }).first()).toBeVisible();
  await expect(page.getByText(error?.remedy ?? '', { exact: false }).first()).toBeVisible();
  expect(await ask('batch.list')).toEqual([]);
});

test('a sheet is chosen by dialog, a folder too, and its rows end there', async ({ open }) => {
  const folder = newFolder('chosen');
  const launched = await open(5);
  const { app, page, ask } = launched;
  await answerDialogs(app, [sheetFile('Lighthouse.csv', SMALL_SHEET), folder]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Lighthouse');
  await page.getByRole('button', { name: 'Choose…' }).click();
  await expect(page.getByText(folder)).toBeVisible();
  await page.getByRole('button', { name: 'Start rehearsal' }).click();
  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
  const [batch] = await ask('batch.list');
  const finished = await waitForState(launched, batch?.id ?? '', 'finished');
  expect(finished.folder).toBe(folder);
  const page1 = await ask('rows.page', {
    batchId: finished.id,
    filter: { status: ['done', 'failed'] },
    sort: { column: 'line', direction: 'ascending' },
    offset: 0,
    limit: 10,
  });
  expect(page1.rows.map((row) => [row.row, row.status])).toEqual([
    ['one', 'done'],
    ['two', 'done'],
    ['three', 'done'],
  ]);
});

test('a sheet is dropped on the window', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  await expect(page.getByRole('button', { name: 'Import a sheet' })).toBeVisible();
  const isNamed = (name: string): Promise<void> =>
    expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue(name, { timeout: 3_000 });
  await dropFile(page, sheetFile('Dropped.csv', SMALL_SHEET), () => isNamed('Dropped'));
  await dropFile(page, sheetFile('Broken.xlsx', 'no workbook at all'), () => isNamed('Broken'));
});

test('a sheet named at the start is open in the window', async ({ open }) => {
  const path = sheetFile('Named.csv', SMALL_SHEET);
  const launched = await open();
  const { app, page } = launched;
  await app.evaluate(({ app: running }, sheet) => {
    running.emit('second-instance', {}, ['nocturne', sheet], '/', null);
  }, path);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Named');
});

test('files are heard, seen and sought through by their id', async ({ open }) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  await answerDialogs(app, [sheetFile('Media.csv', SMALL_SHEET)]);
  const sheet = await ask('sheet.choose');
  const created = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Media',
    rehearsal: true,
    start: true,
  });
  await waitForState(launched, created.id, 'finished');
  const detail = await rowDetail(launched, created.id, 'three');
  const [song] = detail.tasks[0]?.files ?? [];
  const image = (await rowDetail(launched, created.id, 'two')).tasks[0]?.files[0];
  const seen = await page.evaluate(
    async ([songId, imageId]) => {
      const audio = new Audio(`media://file/${songId}`);
      await new Promise((resolve, reject) => {
        audio.addEventListener('canplaythrough', resolve);
        audio.addEventListener('error', () => reject(new Error(audio.error?.message)));
      });
      audio.currentTime = audio.duration / 2;
      await new Promise((resolve) => {
        audio.addEventListener('seeked', resolve);
      });
      const picture = new Image();
      picture.src = `media://file/${imageId}`;
      await picture.decode();
      const missing = new Image();
      missing.src = 'media://file/999-1';
      const isMissing = await missing.decode().then(
        () => false,
        () => true,
      );
      return { seconds: audio.duration, at: audio.currentTime, width: picture.naturalWidth, isMissing };
    },
    [song?.id, image?.id],
  );
  expect(seen.seconds).toBeGreaterThan(1);
  expect(seen.at).toBeGreaterThan(0.4);
  expect(seen.width).toBeGreaterThan(100);
  expect(seen.isMissing).toBe(true);
});

test('a folder that cannot be written is said to be, and nothing is made', async ({ open }) => {
  const launched = await open();
  const { app, ask, tryToAsk } = launched;
  const file = sheetFile('file', '');
  const below = join(file, 'inside');
  await answerDialogs(app, [below]);
  const sheet = await ask('sheet.sample', { sample: 'night' });
  const chosen = await ask('folder.choose');
  const reply = await tryToAsk('batch.create', {
    sheetId: sheet.sheetId,
    name: 'x',
    rehearsal: true,
    start: true,
    folderId: chosen?.folderId,
  });
  expect(reply).toMatchObject({ ok: false, error: { code: 'refused' } });
  expect(JSON.stringify(reply)).toContain(below);
  expect(await ask('batch.list')).toEqual([]);
});

test('a batch on the user’s gateway needs its base URL and its key', async ({ open }) => {
  const launched = await open();
  const { ask, tryToAsk } = launched;
  const sheet = await ask('sheet.sample', { sample: 'night' });
  const input = { sheetId: sheet.sheetId, name: 'x', rehearsal: false, start: true };
  expect(await tryToAsk('batch.create', input)).toMatchObject({ ok: false, error: { code: 'refused' } });
  await ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/api' });
  expect(await tryToAsk('batch.create', input)).toMatchObject({ ok: false, error: { code: 'refused' } });
});

test('a store that is damaged is left alone, and the window says so', async ({ open }) => {
  const dataFolder = newFolder('damaged');
  mkdirSync(join(dataFolder, 'store'));
  const store = join(dataFolder, 'store', 'nocturne.db');
  const text = 'this is no database, and it must stay as it is';
  writeFileSync(store, text);
  const launched = await open(1, dataFolder);
  const { ask, tryToAsk } = launched;
  await expect.poll(async () => (await ask('app.info')).safeMode ?? '').toContain('nocturne.db');
  expect(await tryToAsk('batch.list')).toMatchObject({ ok: false, error: { code: 'unavailable' } });
  await launched.close();
  expect(readFileSync(store, 'utf8')).toBe(text);
});
