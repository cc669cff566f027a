/** A batch in the real application, through everything that interrupts a night. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { countOf, launch, newFolder, test, waitForState, type Launched } from './launch.ts';
import { readVerifiedManifest, rehearsalCharges } from './proof.ts';
import { startNight } from './whole-night.ts';

// Whole nights: on a busy machine each takes as long as several other tests.
test.describe.configure({ timeout: 480_000 });

/** Waits until the night is well under way, with most of it still to come. */
async function waitUntilUnderWay({ ask }: Launched, batchId: string): Promise<void> {
  await expect
    .poll(async () => (await ask('batch.get', { batchId })).submitsUsed, { intervals: [100], timeout: 90_000 })
    .toBeGreaterThanOrEqual(20);
}

/** Has the folder's documents brought up to date, without opening the gallery in a browser. */
async function exportFolder({ app, ask }: Launched, batchId: string): Promise<void> {
  await app.evaluate(({ shell }) => {
    shell.openPath = () => Promise.resolve('');
  });
  await ask('batch.openGallery', { batchId });
}

/** Every row done, every file as it was recorded, and nothing paid for more often than the sheet asks. */
async function expectWholeNight(launched: Launched, batchId: string, folder: string): Promise<void> {
  const batch = await waitForState(launched, batchId, 'finished');
  expect(countOf(batch, 'done')).toBe(batch.taskCount);
  expect(batch.submitsUsed).toBe(batch.taskCount);
  await exportFolder(launched, batchId);
  const manifest = readVerifiedManifest(folder);
  expect(manifest.rows.filter((row) => row.status !== 'done').map((row) => row.status)).toEqual(['skipped']);
  expect(manifest.files).toHaveLength(batch.files);
  expect(readFileSync(join(folder, 'index.html'), 'utf8')).toContain('<html');
  const charged = [...rehearsalCharges(launched.dataFolder).values()].reduce((sum, count) => sum + count, 0);
  expect(charged).toBe(batch.taskCount);
}

test('pause keeps new submits back, resume goes on', async ({ open }) => {
  const folder = newFolder('pause-media');
  const launched = await open();
  const { ask, hurry } = launched;
  const batchId = await startNight(launched, folder);
  await waitUntilUnderWay(launched, batchId);
  const paused = await ask('batch.pause', { batchId });
  expect(paused.pause).toEqual({ by: 'user' });
  await hurry('engine', 5);
  // What is rendering is still fetched; then nothing moves.
  await expect
    .poll(
      async () => {
        const batch = await ask('batch.get', { batchId });
        return countOf(batch, 'submitting') + countOf(batch, 'rendering') + countOf(batch, 'downloading');
      },
      { timeout: 90_000 },
    )
    .toBe(0);
  const waiting = await ask('batch.get', { batchId });
  expect(countOf(waiting, 'queued')).toBeGreaterThan(0);
  expect(waiting.state).toBe('paused');
  await ask('batch.resume', { batchId });
  await expectWholeNight(launched, batchId, folder);
});

test('closed in the middle and opened again, a batch goes on by itself', async ({ open }) => {
  const folder = newFolder('close-media');
  const dataFolder = newFolder('close');
  const first = await launch({ dataFolder });
  const batchId = await startNight(first, folder);
  await waitUntilUnderWay(first, batchId);
  await first.close();

  const second = await open(1, dataFolder);
  const [batch] = await second.ask('batch.list');
  expect(batch).toMatchObject({ id: batchId, state: 'running' });
  await second.hurry('engine', 5);
  await expectWholeNight(second, batchId, folder);
  await second.close();
});

test('killed in the middle and opened again, nothing is paid for twice without the user’s word', async () => {
  const folder = newFolder('kill-media');
  const dataFolder = newFolder('kill');
  const first = await launch({ dataFolder });
  const batchId = await startNight(first, folder);
  await waitUntilUnderWay(first, batchId);
  await first.kill();

  const second = await launch({ dataFolder, speed: 5 });
  const batch = await waitForState(second, batchId, 'finished');
  const unknown = countOf(batch, 'submit-unknown');
  expect(countOf(batch, 'done') + unknown).toBe(batch.taskCount);
  const charged = [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);
  expect(charged).toBeLessThanOrEqual(batch.taskCount);
  await exportFolder(second, batchId);
  readVerifiedManifest(folder);
  await second.close();
});

test('the engine killed in the middle is started again and goes on', async ({ open }) => {
  const folder = newFolder('engine-media');
  const launched = await open();
  const { app, page, hurry } = launched;
  await page.evaluate(() => {
    const states: unknown[] = [];
    Object.assign(window, { engineStates: states });
    window.nocturne.subscribe((event, payload) => {
      if (event === 'engine.stateChanged') states.push((payload as { state: string }).state);
    });
  });
  const batchId = await startNight(launched, folder);
  await waitUntilUnderWay(launched, batchId);
  const pid = await app.evaluate(({ app: running }) => {
    return running.getAppMetrics().find((metric) => metric.name === 'Nocturne engine')?.pid ?? 0;
  });
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, 'SIGKILL');
  await expect
    .poll(() => page.evaluate(() => (window as unknown as { engineStates: string[] }).engineStates.at(-1)), {
      timeout: 60_000,
    })
    .toBe('restarted');
  await hurry('engine', 5);
  const batch = await waitForState(launched, batchId, 'finished');
  expect(countOf(batch, 'done') + countOf(batch, 'submit-unknown')).toBe(batch.taskCount);
  await exportFolder(launched, batchId);
  readVerifiedManifest(folder);
  await launched.close();
});

test('a batch that has used its paid requests goes on when their limit is raised, and never passes it', async ({
  open,
}) => {
  const launched = await open(5);
  const { ask, page, dataFolder } = launched;
  const sheet = await ask('sheet.sample', { sample: 'all-operations' });
  const { sheetId, name, submits } = sheet;
  const { id } = await ask('batch.create', { sheetId, name, rehearsal: true, start: true, maxSubmits: 3 });
  await waitForState(launched, id, 'paused');
  // The last of them are still on their way when the cap says that there may be no more.
  const charged = (): number => [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);
  await expect(() => expect(charged()).toBe(3)).toPass({ timeout: 10_000 });
  await page.getByRole('navigation').getByText(name).click();
  // Resuming alone would change nothing: the way on is a limit that the user says; none is said for them.
  await expect(page.getByRole('button', { name: 'Resume', exact: true })).toBeHidden();
  await page.getByRole('button', { name: 'Raise limit…' }).click();
  const limit = page.getByLabel('Request limit');
  await expect(limit).toBeFocused();
  await expect(limit).toHaveValue('');
  await expect(page.getByRole('button', { name: 'Raise and resume' })).toBeDisabled();
  await limit.fill('3');
  await expect(page.getByText('Enter more than 3: so many are used.')).toBeVisible();
  await limit.fill('4');
  await page.getByRole('button', { name: 'Raise and resume' }).click();
  await expect.poll(charged, { timeout: 10_000 }).toBe(4);
  // The field is gone meanwhile: the focus is on what the batch is resumed and paused by.
  await expect(page.getByRole('button', { name: 'Raise limit…' })).toBeFocused();
  await limit.fill(String(submits));
  await page.getByRole('button', { name: 'Raise and resume' }).click();
  const finished = await waitForState(launched, id, 'finished');
  expect(finished).toMatchObject({ maxSubmits: submits, submitsUsed: submits });
});
