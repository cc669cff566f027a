/** The window is closed in the middle of a night: nothing becomes of it without a word. */
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication } from '@playwright/test';
import { electronLaunchOptions } from '../../scripts/electron-runtime.ts';
import { answerQuestions, launch, newFolder, questionsOf, REPOSITORY, test, waitForState } from './launch.ts';
import { rehearsalCharges } from './proof.ts';
import { startNight } from './whole-night.ts';

// Whole nights: on a busy machine each takes as long as several other tests.
test.describe.configure({ timeout: 480_000 });

/** Asks for it and comes back first: the application may be gone once the window is. */
function closeWindow(app: ElectronApplication): Promise<void> {
  return app.evaluate(({ BrowserWindow }) => {
    setImmediate(() => BrowserWindow.getAllWindows()[0]?.close());
  });
}

const charged = (dataFolder: string): number =>
  [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);

test('kept running in the background, the night goes on, and a second start brings the window back', async ({
  open,
}) => {
  const dataFolder = newFolder('background');
  const launched = await launch({ dataFolder });
  const { app } = launched;
  const batchId = await startNight(launched, newFolder('media'));

  await answerQuestions(app, 'Cancel');
  await closeWindow(app);
  await expect.poll(() => questionsOf(app)).toEqual(['Rendering is still running.']);
  expect(app.windows()).toHaveLength(1);

  await answerQuestions(app, 'Keep running in the background');
  await closeWindow(app);
  await expect.poll(() => app.windows().length).toBe(0);
  const before = charged(dataFolder);
  await expect.poll(() => charged(dataFolder), { timeout: 60_000 }).toBeGreaterThan(before);

  const sheet = join(newFolder('sheets'), 'morning.csv');
  writeFileSync(sheet, 'row,operation,prompt\na,lyrics,A song for the morning\n');
  const { executablePath, args } = electronLaunchOptions(REPOSITORY, [`--user-data-dir=${dataFolder}`]);
  const shown = app.waitForEvent('window');
  spawn(executablePath, [...args, sheet], { stdio: 'ignore', cwd: REPOSITORY });
  const page = await shown;
  await page.waitForLoadState('load');
  await expect(page.getByText('Night', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('A song for the morning').first()).toBeVisible();

  await answerQuestions(app, 'Stop and quit');
  const ended = new Promise((resolve) => app.process().once('exit', resolve));
  await closeWindow(app);
  await ended;

  // The system's session ends: nobody is there to answer.
  const logout = await launch({ dataFolder });
  await expect.poll(async () => (await logout.ask('batch.get', { batchId })).state).toBe('running');
  await answerQuestions(logout.app, 'Cancel');
  const loggedOut = new Promise((resolve) => logout.app.process().once('exit', resolve));
  logout.app.process().kill('SIGTERM');
  await loggedOut;

  const next = await open(5, dataFolder);
  const batch = await waitForState(next, batchId, 'finished');
  expect(charged(dataFolder)).toBe(batch.taskCount);
  await next.close();
});

test('a window closes also where its place cannot be noted, for example on a full disk', async () => {
  const running = await launch({ dataFolder: newFolder('data') });
  const { app, dataFolder } = running;
  await app.evaluate(({ dialog }) => {
    // A box that nobody answers would hold up the test.
    dialog.showErrorBox = (title, text) => console.error(`${title}: ${text}`);
  });
  const problems: string[] = [];
  app.process().stderr?.on('data', (chunk: Buffer) => problems.push(chunk.toString()));
  rmSync(join(dataFolder, 'settings.json'), { force: true });
  mkdirSync(join(dataFolder, 'settings.json', 'in the way'), { recursive: true });
  const closed = app.waitForEvent('close');
  await closeWindow(app);
  await closed;
  expect(problems.join('')).not.toContain('JavaScript error');
});

test('what is said where nobody reads it any more is no error that a box would speak of', async ({ open }) => {
  const { app } = await open();
  await app.evaluate(({ dialog }) => {
    const boxes: string[] = [];
    Object.assign(globalThis, { boxes });
    dialog.showErrorBox = (title, text) => void boxes.push(`${title}: ${text}`);
  });
  // What started the program, or the system’s journal, has ended since.
  app.process().stderr?.destroy();
  // As what the engine says before it ends.
  const said = await app.evaluate(
    () =>
      new Promise((resolve) => {
        process.stderr.write('The engine ended.\n', (problem) => setTimeout(resolve, 100, String(problem)));
      }),
  );
  const boxes = await app.evaluate(() => (globalThis as unknown as { readonly boxes: readonly string[] }).boxes);
  expect([said, boxes]).toEqual(['Error: write EPIPE', []]);
});
