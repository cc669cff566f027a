/**
 * Walks through an evening, a night and a morning, and photographs what the documentation shows. The gateway is the
 * built-in one, with prices and some faults; the sheet, its seed and what goes wrong are the same each time.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { BehaviourInput } from '../../../src/gateway-sim/faults/behaviour.ts';
import { startObservedGateway, type ObservedGateway } from '../../support/observed-gateway.ts';
import { zoneAt } from '../../support/zone-at.ts';
import { answerDialogs, answerQuestions, launch, newFolder, test, type Launched } from '../launch.ts';
import { ALBUM_SHEET } from './album-sheet.ts';
import { photograph, setSize } from './camera.ts';

const NAME = 'Lullabies';
const KEY = 'sk-pictures-11aa22bb';
/** How many times faster time passes in the night, for the gateway as for the engine. */
const NIGHT_SPEED = 12;
/** The hour at which the night begins, by the clock in the pictures: they show nights, whenever they are taken. */
const EVENING = 23;
/** What the pictures show of the machine is the same on every machine. */
const PORT = 8787;
const STUDIO = '/tmp/studio';

const BEHAVIOUR: BehaviourInput = {
  auth: { keys: [KEY] },
  timeScale: 1,
  durations: {
    musicgen: { law: 'uniform', minSeconds: 40, maxSeconds: 90 },
    'videogen-a': { law: 'uniform', minSeconds: 150, maxSeconds: 260 },
    'videogen-b': { law: 'uniform', minSeconds: 40, maxSeconds: 110 },
  },
  cost: { in: 'poll', amount: 0.12 },
  balance: { path: '/account/balance', before: 42 },
  faults: [
    {
      kind: 'rejected',
      when: 'submit',
      operations: ['videogen-a'],
      code: 400,
      info: 'content policy violation: prompt contains sensitive words',
      nth: [4],
    },
    { kind: 'remote-failure', when: 'submit', operations: ['videogen-b'], nth: [8] },
    { kind: 'lost', when: 'submit', operations: ['musicgen'], charged: true, nth: [15] },
  ],
};

const PROFILE = {
  name: 'Studio gateway',
  limits: { requestsPerSecond: 2, activePerFamily: { musicgen: 4, 'videogen-a': 2, 'videogen-b': 3 } },
  status: {
    musicgen: { 0: 'queued', 1: 'running', 2: 'succeeded', 3: 'failed' },
    'videogen-a': { 0: 'queued', 1: 'running', 2: 'succeeded', 3: 'failed' },
    'videogen-b': { 0: 'queued', 1: 'running', 2: 'succeeded', 3: 'failed' },
  },
  prices: {
    'musicgen/music/generate': { amount: 0.12, currency: 'USD' },
    'musicgen/music/lyrics': { amount: 0.02, currency: 'USD' },
    'videogen-a/video/generate': { amount: 0.6, currency: 'USD' },
    'videogen-b/video/generate': { amount: 0.4, currency: 'USD' },
    'videogen-b/image/generate': { amount: 0.05, currency: 'USD' },
  },
  balance: { path: '/account/balance', field: 'result.credits', currency: 'USD' },
};

/** The gateway's clock goes with the engine's. */
class NightClock {
  #passed = 0;
  #speed = 1;
  #since = performance.now();
  readonly #startedAt = Date.now();

  readonly now = (): number => Math.round(this.#startedAt + this.#elapsed());

  async pass(launched: Launched, speed: number): Promise<void> {
    this.#passed = this.#elapsed();
    this.#since = performance.now();
    this.#speed = speed;
    await launched.hurry('engine', speed);
  }

  #elapsed(): number {
    return this.#passed + (performance.now() - this.#since) * this.#speed;
  }
}

async function connect({ app, ask }: Launched, gateway: ObservedGateway): Promise<void> {
  const profile = JSON.parse((await ask('profile.get')).text) as object;
  await answerQuestions(app, 'Apply changes');
  await ask('profile.set', { text: JSON.stringify({ ...profile, ...PROFILE, baseUrl: gateway.baseUrl }) });
  await ask('key.set', { key: KEY });
}

function go(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Nocturne' }).getByRole('button', { name, exact: true }).click();
}

/** Moves the keyboard to a row of the grid, by its place. */
async function moveTo(page: Page, index: number): Promise<void> {
  await page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 17 } });
  const down = Array.from({ length: index }, () => 'ArrowDown');
  for (const key of ['Control+Home', ...down]) await page.keyboard.press(key);
}

/** Opens the inspector of a row. */
async function inspect(page: Page, index: number, row: string): Promise<void> {
  await moveTo(page, index);
  const inspector = page.getByTestId('inspector');
  if (!(await inspector.isVisible())) await page.keyboard.press('Control+i');
  await expect(inspector).toContainText(row);
}

/** Begins to correct the prompt of a row. */
async function edit(page: Page, index: number): Promise<void> {
  await page.getByRole('button', { name: 'Close the inspector' }).click();
  await moveTo(page, index);
  // Past the status, the results, and the operation.
  for (let steps = 0; steps < 9; steps += 1) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await expect(page.getByTestId('cell-editor')).toBeVisible();
}

test('the pictures of the documentation', async () => {
  const clock = new NightClock();
  const started = await startObservedGateway({ seed: 12, port: PORT, behaviour: BEHAVIOUR, now: clock.now });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const sheetFile = join(STUDIO, `${NAME}.csv`);
  const media = join(STUDIO, NAME);
  mkdirSync(STUDIO);
  mkdirSync(media);
  writeFileSync(sheetFile, ALBUM_SHEET);
  const launched = await launch({ dataFolder: newFolder('data'), speed: 1, env: { TZ: zoneAt(EVENING) } });
  const { app, page, ask } = launched;
  try {
    await setSize(launched);
    await expect(page.getByRole('button', { name: 'Rehearse with the built-in gateway' })).toBeVisible();
    await photograph(launched, 'welcome');

    await connect(launched, gateway);
    await page.reload();
    await answerDialogs(app, [sheetFile, media]);
    await page.getByRole('button', { name: 'Import a sheet' }).first().click();
    await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue(NAME);
    await page.getByRole('button', { name: 'Choose…' }).click();
    await expect(page.getByText(media)).toBeVisible();
    await page.getByTestId('forecast').scrollIntoViewIfNeeded();
    await photograph(launched, 'start');

    await clock.pass(launched, NIGHT_SPEED);
    await page.getByRole('button', { name: /^Start \d+ paid requests$/u }).click();
    const dialog = page.getByRole('dialog');
    if (await dialog.isVisible()) await dialog.getByRole('button', { name: /^Start/u }).click();
    await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
    const [batch] = await ask('batch.list');
    const batchId = batch?.id ?? '';
    const doneShare = async (): Promise<number> => (await ask('batch.get', { batchId })).rows.done / 48;
    await expect.poll(doneShare, { intervals: [300], timeout: 400_000 }).toBeGreaterThan(0.4);
    await clock.pass(launched, 1);
    await photograph(launched, 'night');

    await clock.pass(launched, NIGHT_SPEED);
    const state = async (): Promise<string> => (await ask('batch.get', { batchId })).state;
    await expect.poll(state, { intervals: [300], timeout: 400_000 }).not.toBe('running');
    await clock.pass(launched, 1);
    await photograph(launched, 'morning');
    await inspect(page, 2, 'cover-01');
    await photograph(launched, 'row');
    await inspect(page, 31, 'film-08');
    await photograph(launched, 'failed-row');
    await edit(page, 31);
    await photograph(launched, 'editing');
    await page.keyboard.press('Escape');
    await go(page, 'Ledger');
    await expect(page.getByTestId('ledger-screen')).toBeVisible();
    await photograph(launched, 'ledger');
    await go(page, 'Settings');
    await photograph(launched, 'settings');
    await go(page, 'Help');
    await photograph(launched, 'help');
  } finally {
    await launched.close();
    await gateway.close();
    rmSync(STUDIO, { recursive: true });
  }
});
