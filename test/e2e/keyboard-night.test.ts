/** An evening, a night and the morning after it, by the keyboard alone: no action is far from where a part begins. */
import { globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerDialogs, answerQuestions, inWindow, newFolder, rowDetail, test, waitForState } from './launch.ts';

const KEY = 'sk-keyboard-night-77bb';
const LYRICS = 'musicgen/music/lyrics';
const IMAGE = 'videogen-b/image/generate';
const MOST_TABS = 12;
const HOUR_S = 3_600;
/** So many rows have an operation that there is not, in two spellings. */
const [WORDS, PICTURES] = [390, 10];
/** So many are rendered in this night. */
const LIMIT = 40;
/** The gateway refuses these, and takes them the second time. */
const REFUSED = [3, 9, 20];
const SHEET = [
  'Songs of the harbour;;;;',
  'Last changed by Ana;;;;',
  'No.;What to make;Idea;Owner;Mood',
  ...Array.from({ length: WORDS }, (_, i) => `w${i + 1};Lirycs;A shanty about ship ${i + 1};Ana;calm`),
  ...Array.from({ length: PICTURES }, (_, i) => `p${i + 1};Poster;A poster of ship ${i + 1};Ben;calm`),
].join('\n');

type Part = 'side' | 'screen' | 'tools' | 'grid' | 'panel' | 'start';

/** Somebody without a mouse, who reads what is focused and goes on with Tab. */
class Hands {
  /** How many Tabs it was to each thing. */
  readonly ways: string[] = [];
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.#page.keyboard.press(key);
  }

  type(text: string): Promise<void> {
    return this.#page.keyboard.type(text);
  }

  part(): Promise<string | undefined> {
    return this.#page.evaluate(() => document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region']);
  }

  /** To the beginning of a part of the window. */
  async goTo(part: Part): Promise<void> {
    for (let presses = 0; presses < 7; presses += 1) {
      await this.press('F6');
      if ((await this.part()) === part) return;
    }
    throw new Error(`F6 does not lead to the part “${part}”.`);
  }

  /** On with Tab from where the keyboard is, to what has this name. */
  async tabTo(name: RegExp): Promise<void> {
    const passed: string[] = [];
    for (let tabs = 0; tabs <= MOST_TABS; tabs += 1) {
      const said = await this.#page.evaluate(() => {
        const { activeElement: element } = document;
        const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
        return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim();
      });
      if (name.test(said)) {
        this.ways.push(`${tabs} to ${name}`);
        return;
      }
      passed.push(said.slice(0, 40));
      await this.press('Tab');
    }
    throw new Error(`${name} is more than ${MOST_TABS} Tabs away: ${passed.join(' | ')}`);
  }

  /** Says yes in the dialog that has just opened. */
  async confirm(name: RegExp): Promise<void> {
    await expect(this.#page.getByRole('alertdialog')).toBeVisible();
    await this.pressOn(name);
    await expect(this.#page.getByRole('alertdialog')).toBeHidden();
  }

  /** Opens a list that is searched, and chooses what is found first. */
  async choose(list: RegExp, search: string): Promise<void> {
    await this.pressOn(list);
    await expect(this.#page.getByRole('combobox', { name: /^Search: /u })).toBeFocused();
    await this.type(search);
    await this.press('Enter');
  }

  async pressOn(name: RegExp): Promise<void> {
    await this.tabTo(name);
    await this.press('Enter');
  }
}

test('an evening, a night and a morning without a mouse', async ({ open }) => {
  test.slow();
  const behaviour = {
    timeScale: 0.001,
    auth: { keys: [KEY] },
    limits: { submits: { count: 25, seconds: HOUR_S }, retryAfterSeconds: 9 },
    faults: [
      {
        kind: 'rejected',
        when: 'submit',
        operations: [LYRICS],
        code: 400,
        info: 'overloaded',
        nth: [3, 9, 20],
      },
    ],
  } satisfies BehaviourInput;
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const evening = await open(10);
  const { app, ask } = evening;
  let { page } = evening;
  let hands = new Hands(page);

  const profile = JSON.parse((await ask('profile.get')).text) as object;
  const prices = { [LYRICS]: { amount: 0.02, currency: 'EUR' }, [IMAGE]: { amount: 0.1, currency: 'EUR' } };
  const limits = { requestsPerSecond: 1_000, activePerFamily: { musicgen: 40, 'videogen-b': 10 } };
  await answerQuestions(app, 'Apply changes');
  await ask('profile.set', { text: JSON.stringify({ ...profile, baseUrl: gateway.baseUrl, prices, limits }) });
  await ask('key.set', { key: KEY });
  const sheet = join(newFolder('harbour'), 'Harbour.csv');
  writeFileSync(sheet, SHEET);
  await answerDialogs(app, [sheet]);

  // The evening: a file with titles above its header, and headers that are not ours.
  await expect.poll(() => hands.part()).toBe('screen');
  await hands.goTo('side');
  await hands.pressOn(/^Import a sheet$/u);
  const screen = page.getByTestId('sheet-screen');
  await expect(screen.getByRole('heading', { level: 1 })).toBeFocused();
  await hands.pressOn(/^Line of the header$/u);
  for (const line of [1, 2, 3]) {
    await expect(page.getByRole('option', { name: new RegExp(`^Header in line ${line}\\b`, 'u') })).toBeFocused();
    await hands.press(line < 3 ? 'ArrowDown' : 'Enter');
  }
  await expect(screen.getByRole('combobox', { name: 'Line of the header' })).toHaveText(/Header in line 3/u);
  for (const [header, column] of [
    ['What to make', 'operation'],
    ['Idea', 'prompt'],
    ['No\\.', 'row'],
  ] as const) {
    await hands.choose(new RegExp(`^Mapping of “${header}”`, 'u'), column);
    await expect(
      screen.getByRole('button', { name: new RegExp(`^Mapping of “${header}”: ${column}`, 'u') }),
    ).toBeVisible();
    await hands.goTo('screen');
  }

  // Four hundred rows in two edits.
  await hands.goTo('tools');
  await hands.pressOn(new RegExp(`^Use lyrics for all ${WORDS}$`, 'u'));
  await expect(screen.getByText('“Lirycs” is read as “lyrics”')).toBeVisible();
  await hands.goTo('tools');
  await hands.choose(/^Instead of Poster/u, 'image');
  await expect(screen.getByText('The operation is not known')).toBeHidden();

  // What it will come to, and no more than that.
  const card = page.getByTestId('forecast');
  await expect(card).toContainText('400 paid requests, 400 rows');
  await expect(card).toContainText('Costs 8.80 EUR');
  await hands.goTo('panel');
  await hands.tabTo(/^Request limit/u);
  await hands.type(String(LIMIT));
  await hands.tabTo(/^Spending limit/u);
  await hands.type('9.50');
  await expect(card).toContainText(`${LIMIT} of 400 paid requests, 400 rows`);
  await expect(card).toContainText('Costs 0.88 EUR');
  await page.screenshot({ path: test.info().outputPath('evening.png') });
  await hands.goTo('start');
  await hands.pressOn(/^Start/u);

  // The night: the gateway has had enough for now, which is said, and the window is closed over it.
  await expect(page.getByTestId('gateway-held')).toHaveText(/The gateway asks us to wait/u);
  await expect(page.getByText(/^pauses at the limit about/u)).toBeVisible();
  const [batch] = await ask('batch.list');
  const batchId = batch?.id ?? '';
  expect(batch).toMatchObject({ name: 'Harbour', maxSubmits: LIMIT, maxCost: { amount: 9.5, currency: 'EUR' } });
  await page.screenshot({ path: test.info().outputPath('night.png') });
  await answerQuestions(app, 'Keep running in the background');
  await app.evaluate(({ BrowserWindow }) => {
    setImmediate(() => BrowserWindow.getAllWindows()[0]?.close());
  });
  await expect.poll(() => app.windows().length).toBe(0);
  const lifted = gateway.setBehaviour({ limits: { submits: null } });
  if (!lifted.ok) throw new Error(JSON.stringify(lifted.error));
  await evening.hurry('engine', 100);
  await expect.poll(() => gateway.chargeLog().length).toBe(LIMIT);

  // The morning: another window.
  const shown = app.waitForEvent('window');
  await app.evaluate(({ app: running }) => running.emit('second-instance', {}, ['nocturne'], '/', null));
  page = await shown;
  await page.waitForLoadState('load');
  const first = hands;
  hands = new Hands(page);
  const morning = inWindow(evening, page);
  await waitForState(morning, batchId, 'paused');
  await hands.goTo('side');
  await hands.pressOn(/^Ledger$/u);
  const ledger = page.getByTestId('ledger-screen');
  await expect(ledger.getByRole('heading', { level: 1 })).toBeFocused();
  await expect(page.getByTestId('ledger-verified')).toContainText(String(LIMIT));
  await page.screenshot({ path: test.info().outputPath('morning.png') });

  // What failed is tried again, and the limit raised by so much.
  await hands.pressOn(/^Try 3 takes again…$/u);
  await hands.confirm(/^Retry 3 takes$/u);
  await expect(ledger.getByText('Try 3 takes again…')).toBeHidden();
  await hands.goTo('side');
  await hands.pressOn(/^Harbour/u);
  await expect.poll(() => hands.part()).toBe('grid');
  await hands.goTo('screen');
  await hands.pressOn(/^Raise limit…$/u);
  await expect(page.getByLabel('Request limit')).toBeFocused();
  await hands.type(String(LIMIT + REFUSED.length));
  await hands.pressOn(/^Raise and resume$/u);
  await expect.poll(async () => (await morning.ask('batch.get', { batchId })).rows.done).toBe(LIMIT + REFUSED.length);
  for (const row of REFUSED) expect((await rowDetail(morning, batchId, `w${row}`)).row.status).toBe('done');
  expect(gateway.chargeLog()).toHaveLength(LIMIT + REFUSED.length);

  // Two are kept and one is not; what is kept is handed on.
  await hands.press('F8');
  const review = page.getByTestId('review');
  for (const [row, key] of ['k', 'x', 'k'].entries()) {
    if (row > 0) await hands.press('ArrowDown');
    await expect(review.getByText(`Row w${row + 1} ·`)).toBeVisible();
    await expect(review.getByRole('listitem')).toHaveCount(1);
    await hands.press(key);
    await expect(page.getByTestId('review-counts')).toContainText(`${row + 1} of 43 files decided`);
  }
  await expect(page.getByTestId('review-counts')).toContainText('2 kept · 1 rejected');
  await page.screenshot({ path: test.info().outputPath('review.png') });
  await hands.press('Escape');
  await expect.poll(() => hands.part()).toBe('grid');
  const out = newFolder('delivery');
  await answerDialogs(app, [out]);
  await hands.goTo('screen');
  await hands.pressOn(/^Deliver$/u);
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await hands.pressOn(/^Choose folder…$/u);
  await expect(dialog.getByText(out)).toBeVisible();
  await hands.pressOn(/^Deliver$/u);
  await expect(dialog).toHaveAccessibleName('Delivered');
  const delivered = globSync('data/*.json', { cwd: out }).map((path) => /w\d+/u.exec(path)?.[0] ?? path);
  expect(delivered.toSorted((a, b) => a.localeCompare(b))).toEqual(['w1', 'w3']);
  test.info().annotations.push({ type: 'Tabs', description: [...first.ways, ...hands.ways].join(', ') });
  await morning.close();
  await gateway.close();
});
