/** The morning after a night in which much went wrong: the ledger says what to press, and pressing it settles every row. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { createEngine } from '../../src/engine/index.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import { mountSmallDisk } from '../faults/tmpfs.ts';
import { LeapingClock } from '../support/leaping-clock.ts';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import { storeAtOnce } from '../support/store-at-once.ts';
import { answerDialogs, answerQuestions, countOf, newFolder, test, waitForState, type Launched } from './launch.ts';

test.describe.configure({ timeout: 480_000 });

type Faults = NonNullable<BehaviourInput['faults']>;

const KEY = 'sk-ledger-night-11aa22';
const NEXT_KEY = 'sk-ledger-morning-33bb44';
const LYRICS = 'musicgen/music/lyrics';
const IMAGE = 'videogen-b/image/generate';
/** Enough for a 30th submit, and one that does not come to it. */
const SONGS = 31;
const POSTERS = 3;
const TAKES = SONGS + POSTERS;
/** More than has to be free before anything is paid. */
const DISK_MIB = 300;
const MOST_TABS = 120;
const HOUR_MS = 3_600_000;

/** Each counts the submits that reach it: five are refused, of three the answer is lost, and the 30th meets another key. */
const SUBMITS: Faults = [
  {
    kind: 'rejected',
    when: 'submit',
    operations: [LYRICS],
    code: 400,
    info: 'content policy violation',
    nth: [3, 5, 7, 9, 11],
  },
  { kind: 'lost', when: 'submit', operations: [LYRICS], charged: true, nth: [8, 10, 12] },
  { kind: 'http', when: 'submit', operations: [LYRICS], status: 401, info: 'invalid key', nth: [30] },
];

let gateway: ObservedGateway;

test.beforeEach(async () => {
  const behaviour = { timeScale: 0.001, auth: { keys: [KEY] } };
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  gateway = started.value;
});

test.afterEach(async () => {
  await gateway.close();
});

/** Starts a batch of these prompts, in a folder. */
async function start(
  { app, ask }: Launched,
  name: string,
  operation: string,
  rows: number,
  folder: string,
): Promise<string> {
  const lines = Array.from(
    { length: rows },
    (_, i) => `${name}-${i + 1},${operation},A lullaby about lighthouse ${i + 1}`,
  );
  const sheetPath = join(newFolder('ledger-sheet'), `${name}.csv`);
  writeFileSync(sheetPath, ['row,operation,prompt', ...lines].join('\n'));
  await answerDialogs(app, [sheetPath, folder]);
  const sheet = await ask('sheet.choose');
  const chosen = await ask('folder.choose');
  const { id } = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name,
    rehearsal: false,
    start: true,
    ...(chosen === undefined ? {} : { folderId: chosen.folderId }),
  });
  return id;
}

async function connect({ app, ask }: Launched): Promise<void> {
  const profile = JSON.parse((await ask('profile.get')).text) as object;
  const prices = { [LYRICS]: { amount: 0.02, currency: 'USD' }, [IMAGE]: { amount: 0.1, currency: 'USD' } };
  const limits = { requestsPerSecond: 1_000, activePerFamily: { musicgen: 3, 'videogen-a': 1, 'videogen-b': 1 } };
  await answerQuestions(app, 'Apply changes');
  await ask('profile.set', { text: JSON.stringify({ ...profile, baseUrl: gateway.baseUrl, prices, limits }) });
  await ask('key.set', { key: KEY });
}

/** What the keyboard is on: its name, as a screen reader would say it. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const element = document.activeElement;
    if (element instanceof HTMLInputElement) return element.labels?.[0]?.textContent ?? element.ariaLabel ?? '';
    return (element?.ariaLabel ?? element?.textContent ?? '').trim();
  });
}

function regionOf(page: Page): Promise<string | undefined> {
  return page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region']);
}

/** Goes on by Tab until the keyboard is on what has this name. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let tabs = 0; tabs < MOST_TABS; tabs += 1) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab leads to nothing named ${name}.`);
}

async function pressOn(page: Page, name: RegExp): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.press('Enter');
}

/** To the ledger of the night, from wherever the keyboard is. */
async function goToLedger(page: Page): Promise<void> {
  // A window that has just begun gives the keyboard to its screen.
  await expect.poll(() => regionOf(page)).toBeDefined();
  for (let presses = 0; (await regionOf(page)) !== 'side' && presses < 5; presses += 1) await page.keyboard.press('F6');
  await pressOn(page, /^Ledger$/u);
  await expect(page.getByTestId('ledger-screen').getByRole('heading', { level: 1 })).toBeFocused();
}

test('after a night of refusals, lost answers, a new key and a full disk, its buttons settle every row', async ({
  open,
}) => {
  const ends: (() => void)[] = [];
  const disk = mountSmallDisk({ onTestFinished: (end) => void ends.push(end) }, DISK_MIB);
  test.skip(disk === undefined, 'A small disk cannot be mounted here.');
  if (disk === undefined) return;
  const launched = await open(50);
  const { page, ask } = launched;
  const group = (name: string) => page.getByTestId(`ledger-group-${name}`);
  try {
    // The night.
    await connect(launched);
    // Not done before the disk is full.
    gateway.setBehaviour({ timeScale: 0.1 });
    const posters = await start(launched, 'Posters', 'image', POSTERS, disk.path);
    await disk.fill();
    await waitForState(launched, posters, 'paused');
    gateway.setBehaviour({ timeScale: 0.001, faults: SUBMITS });
    const songs = await start(launched, 'Songs', 'lyrics', SONGS, newFolder('songs'));
    expect((await waitForState(launched, songs, 'paused')).pause).toMatchObject({ failure: { code: 'AUTH_REJECTED' } });
    gateway.setBehaviour({ auth: { keys: [NEXT_KEY] }, faults: [] });

    // The morning, by the keyboard alone.
    await page.reload();
    await expect(page.getByRole('button', { name: 'Ledger' }).first()).toBeVisible();
    await goToLedger(page);
    await expect(page.getByTestId('ledger-planned')).toContainText(String(TAKES));
    for (const [name, takes] of [
      ['correct', 5],
      ['check-charge', 3],
    ] as const) {
      await expect(group(name)).toContainText(`${takes} takes of`);
    }

    await expect(group('free-disk')).toBeVisible();
    await tabTo(page, /^Key for /u);
    await page.keyboard.type(NEXT_KEY);
    await page.keyboard.press('Enter');
    await expect(group('enter-key')).toContainText('Stored. Resume');
    await pressOn(page, /^Resume$/u);
    await expect(group('enter-key')).toHaveCount(0);

    await pressOn(page, /^Resubmit 3 rows/u);
    await expect(page.getByRole('alertdialog')).toBeVisible();
    await pressOn(page, /^Resubmit 3 rows$/u);
    await expect(group('check-charge')).toHaveCount(0);

    await disk.free();
    // It may go on by itself before the button is reached.
    const isPaused = async (): Promise<boolean> => (await group('free-disk').count()) > 0;
    if (await isPaused())
      await pressOn(page, /^Resume$/u).catch(async (error: unknown) => {
        if (await isPaused()) throw error;
      });
    await expect(group('free-disk')).toHaveCount(0, { timeout: 60_000 });

    for (let row = 1; row <= 5; row += 1) {
      await pressOn(page, /^Correct in the sheet$/u);
      await expect.poll(() => regionOf(page)).toBe('grid');
      // The cursor comes a moment after the sheet: then its column is explained.
      await expect(page.getByText('The lyrics or the prompt.')).toBeVisible();
      await page.keyboard.type(`A kinder lullaby ${row}`);
      await page.keyboard.press('Enter');
      await expect.poll(async () => (await ask('batch.get', { batchId: songs })).rows.draft).toBe(row);
      await goToLedger(page);
    }
    await pressOn(page, /^Run 5 changed rows$/u);
    await pressOn(page, /^Run 5 rows$/u);

    // Every row is settled.
    for (const id of [posters, songs]) {
      // It may have finished before its changed rows ran.
      const unsettled = async (): Promise<number> => {
        const batch = await ask('batch.get', { batchId: id });
        return batch.state === 'finished' ? batch.taskCount - countOf(batch, 'done') : Infinity;
      };
      await expect.poll(unsettled, { timeout: 180_000 }).toBe(0);
    }
    await expect(page.getByTestId('ledger-verified')).toContainText(String(TAKES));
    await expect(page.getByTestId('ledger-screen')).toContainText('Every take is verified and in its folder');
    // The three that were lost may have been charged as well: that stays said.
    expect(gateway.chargeLog()).toHaveLength(TAKES + 3);
    const { money } = (await ask('ledger.read', {})) ?? {};
    expect(money?.requests).toMatchObject({ spent: TAKES, unknown: 3 });
  } finally {
    for (const end of ends) end();
  }
});

/** A night of the past on the real engine, in which no address of a file ever worked: at its end they are given up. */
async function nightOfDeadAddresses(dataFolder: string, rowIds: readonly string[]): Promise<string> {
  gateway.setBehaviour({ faults: [{ kind: 'http', when: 'download', status: 403, times: 1_000 }] });
  const clock = new LeapingClock(Date.now() - 12 * HOUR_MS);
  const made = await createEngine({ dataDir: join(dataFolder, 'store'), clock, openStore: storeAtOnce });
  if (!made.ok) throw new Error(made.error.message);
  const engine = made.value;
  engine.setKey(new URL(gateway.baseUrl).origin, KEY);
  const rows = rowIds.map((id, index): Row => ({
    id,
    line: index + 2,
    operation: IMAGE,
    body: { prompt: `A poster of lighthouse ${id}` },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: id },
  }));
  const { id } = await engine.createBatch({
    sheet: { headers: ['row', 'operation', 'prompt'], rows, problems: [] },
    name: 'Posters of the past',
    settings: {
      folder: newFolder('past-posters'),
      profile: profileSchema.parse({ baseUrl: gateway.baseUrl }),
      filename: '{row}',
      rehearsal: false,
    },
  });
  await engine.start(id);
  await engine.settled(id);
  await engine.stop();
  clock.stop();
  return id;
}

test('downloads that were given up are resumed by their button: with fresh addresses every row is done, and nothing is paid again', async ({
  open,
}) => {
  const dataFolder = newFolder('data');
  const batchId = await nightOfDeadAddresses(dataFolder, ['north', 'south']);
  gateway.setBehaviour({ faults: [] });
  const launched = await open(50, dataFolder);
  const { page, ask } = launched;
  await connect(launched);
  await goToLedger(page);
  await expect(page.getByTestId('ledger-rendered')).toContainText('2');
  await expect(page.getByTestId('ledger-group-download')).toContainText('2 takes');
  // Of a deleted batch nothing is to be done, and what is offered is the way back.
  await ask('batch.shelve', { batchId, to: 'deleted' });
  await expect(page.getByTestId('ledger-group-deleted')).toContainText('2 takes: Deleted with their batch');
  await expect(page.getByTestId('ledger-group-download')).toHaveCount(0);
  await page.screenshot({ path: test.info().outputPath('deleted.png') });
  await pressOn(page, /^Bring back$/u);
  await expect(page.getByTestId('ledger-group-download')).toContainText('2 takes');
  await pressOn(page, /^Resume 2 downloads$/u);

  await expect.poll(async () => countOf(await ask('batch.get', { batchId }), 'done'), { timeout: 60_000 }).toBe(2);
  await expect(page.getByTestId('ledger-verified')).toContainText('2');
  await expect(page.getByTestId('ledger-group-download')).toHaveCount(0);
  expect(gateway.chargeLog()).toHaveLength(2);
});
