/** Every screen and dialog, one after another, in both languages: in both themes, at three sizes, with nothing in the console. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { LANGUAGES, type Language } from '../../src/shared/words/domain-words.ts';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { Examiner } from './examine.ts';
import { answerDialogs, batchLink, newFolder, test, waitForState, type Launched } from './launch.ts';
import { spokenIn, type Name } from './spoken.ts';
import { startNight } from './whole-night.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';

const SPEED = 60;
/** Of samples and their rows. */
const NAMES = ['Every kind of mistake', 'a song from lyrics'];

const KEY = 'sk-every-screen-31c7f0aa';
const BAD_SHEET = [
  'row,operation,prompt,image_urls',
  'silent,image,A lighthouse,',
  'dependent,image,The same at night,{{silent.output.1.url}}',
  'lost,image,A storm,',
  'fine,image,Waves,',
  'late,image,A harbour,',
].join('\n');
/** The first request fails without a word, the second is lost. */
const BAD_NIGHT: BehaviourInput = {
  auth: { keys: [KEY] },
  faults: [
    { kind: 'remote-failure', when: 'submit', nth: [1], message: '' },
    { kind: 'lost', when: 'submit', charged: true, nth: [2] },
  ],
};

const FILES_SHEET = [
  'row,operation,prompt,images',
  'small,music,A lighthouse,',
  'cut,image,A storm,',
  'placed,video-a,A kite,kite.png',
  'text,video-a,A note,note.png',
].join('\n');
/** The picture ends too early, as if that were all of it. */
const FILES_NIGHT: BehaviourInput = {
  auth: { keys: [KEY] },
  faults: [{ kind: 'truncated', when: 'download', lengthDeclared: 'short', operations: ['videogen-b/image/generate'] }],
};

/** One walk in one language. */
class Walk {
  readonly examiner: Examiner;
  readonly page: Page;
  readonly launched: Launched;
  readonly language: Language;
  readonly say: ReturnType<typeof spokenIn>;

  private constructor(launched: Launched, language: Language) {
    this.launched = launched;
    this.page = launched.page;
    this.language = language;
    this.say = spokenIn(language);
    this.examiner = new Examiner(launched, language, NAMES);
  }

  static async begin(launched: Launched, language: Language): Promise<Walk> {
    if (language !== 'en') {
      await launched.ask('settings.update', { language });
      await launched.page.waitForURL((url) => url.searchParams.get('language') === language);
      await launched.page.waitForLoadState('load');
    }
    return new Walk(launched, language);
  }

  look(name: string): Promise<void> {
    return this.examiner.look(name);
  }

  button(name: Name): Locator {
    return this.page.getByRole('button', { name: this.say(name) }).first();
  }

  go(name: Name): Promise<void> {
    return this.page
      .getByRole('navigation', { name: 'Nocturne' })
      .getByRole('button', { name: this.say(name) })
      .click();
  }

  /** Looks at what has just been opened, a dialog unless said otherwise, and closes it. */
  async lookAt(name: string, role: 'dialog' | 'alertdialog' | 'menu' = 'dialog'): Promise<void> {
    await expect(this.page.getByRole(role)).toBeVisible();
    await this.look(name);
    await this.page.keyboard.press('Escape');
    await expect(this.page.getByRole(role)).toBeHidden();
  }

  async gridIsReady(): Promise<void> {
    await expect(this.page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  }

  /** Shows a batch in its grid. */
  async openBatch(name: RegExp): Promise<void> {
    await batchLink(this.page, name).click();
    await this.gridIsReady();
  }

  /** Looks at one row after the other from the first on, each once the inspector says something of it. */
  async lookAtRows(
    rows: readonly (readonly [name: string, text: Readonly<Record<Language, string>>])[],
  ): Promise<void> {
    for (const [at, [name, text]] of rows.entries()) {
      await this.page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 34 * at + 17 } });
      if (at === 0) await this.page.keyboard.press('Control+i');
      await expect(this.page.getByTestId('inspector')).toContainText(text[this.language]);
      await this.look(name);
    }
  }

  /** However many actions a batch has, they stay beside its name: a running one has fewer, and its rows would move. */
  async expectActionsBesideName(): Promise<void> {
    const { app } = this.launched;
    const actions = this.page.getByTestId('batch-actions');
    await expect(actions.locator('[data-command="retry"]')).toBeVisible();
    await expect(actions.locator('[data-command="review"]')).toBeVisible();
    const name = this.page.getByRole('heading', { level: 1 });
    for (const width of [1_140, 1_200, 1_280, 1_400]) {
      await app.evaluate(({ BrowserWindow }, wide) => {
        BrowserWindow.getAllWindows()[0]?.setContentSize(wide, 800);
      }, width);
      await this.page.waitForFunction((wide) => window.innerWidth === wide, width);
      const [named, buttons] = [await name.boundingBox(), await actions.boundingBox()];
      expect(buttons?.y, `${width} px`).toBeLessThan((named?.y ?? 0) + (named?.height ?? 0));
      expect(buttons?.height, `${width} px`).toBeLessThan(40);
    }
  }

  /** Whatever was sent for a take, its number is readable, and nothing reaches beyond the inspector. */
  async expectTakeToFit(): Promise<void> {
    const line = this.page.getByTestId('inspector').getByTestId('take').first();
    const wide = await line.evaluate((take) => {
      const [name, , sent] = take.children;
      if (sent !== undefined) sent.textContent = '12 paid requests, and 34 that were refused';
      const panel = take.closest('[data-testid="inspector"]');
      return [name, panel].map((one) => (one === null || one === undefined ? 0 : one.scrollWidth - one.clientWidth));
    });
    expect(wide).toEqual([0, 0]);
  }

  /** Chooses something in the menu in the head of the batch. */
  async chooseMore(item: Name): Promise<void> {
    await this.button('More').press('Enter');
    await this.page.getByRole('menuitem', { name: this.say(item) }).press('Enter');
  }
}

for (const language of LANGUAGES) {
  const say = spokenIn(language);

  test(`the way to a first batch, ${language}`, async ({ open }) => {
    const walk = await Walk.begin(await open(SPEED), language);
    const { page } = walk;
    await expect(walk.button('Rehearse with the built-in gateway')).toBeVisible();
    await walk.look('welcome');
    await walk.button('New sheet from a template').click();
    await walk.look('templates');
    await walk.go('Welcome');
    await walk.button('Connect your gateway').click();
    await walk.look('connect');
    await walk.go('Welcome');
    await walk.button('Rehearse with the built-in gateway').click();
    await walk.look('rehearse');
    await walk.button({ en: /mistake/iu, 'zh-Hans': /错/u }).click();
    await expect(page.getByTestId('sheet-screen')).toBeVisible();
    await walk.look('sheet');
    await walk.button('Fix it here').click();
    await walk.gridIsReady();
    await walk.look('grid');
    await page.keyboard.press('F4');
    await expect(page.getByTestId('large-editor')).toBeVisible();
    await walk.look('large-editor');
    await page.keyboard.press('Escape');
    await walk.button('Start…').click();
    await walk.lookAt('start');
    await walk.button('Find and replace').click();
    await page
      .getByTestId('find-panel')
      .getByRole('textbox', { name: say('Find') })
      .fill('no');
    await page.keyboard.press('Enter');
    await expect(page.getByTestId('find-panel')).toContainText(
      { en: /\d+ of \d+ cells/u, 'zh-Hans': /\d+ .*\d+/u }[language],
    );
    await walk.look('find');
    await walk.button({ en: /errors?, \d+ warnings?/u, 'zh-Hans': /个错误.*个警告/u }).click();
    await walk.look('problems');
    await walk.button('Column').click();
    await walk.look('column-menu');
    await page.keyboard.press('Escape');
    await walk.button('Column').click();
    await page
      .getByTestId('header-menu')
      .getByRole('menuitem', { name: say('Show only rows with…') })
      .click();
    await expect(page.getByTestId('value-picker').getByRole('option').first()).toBeVisible();
    await walk.look('value-picker');
    expect(walk.examiner.found).toEqual([]);
  });

  test(`what can be changed while a batch runs, ${language}`, async ({ open }) => {
    const launched = await open(1);
    const walk = await Walk.begin(launched, language);
    const { page } = walk;
    const batchId = await startNight(launched, newFolder('media'));
    await walk.openBatch(/^Night/u);
    await walk.look('running');
    await walk.button('Pause').click();
    await waitForState(launched, batchId, 'paused');
    await walk.look('paused');
    await walk.button('More').click();
    await walk.lookAt('more', 'menu');
    for (const [item, name] of [
      ['When it runs…', 'when'],
      ['Limits…', 'limits'],
      ['Gates…', 'gates'],
    ] as const) {
      await walk.chooseMore(item);
      await walk.lookAt(name);
    }
    await walk.chooseMore('Cancel the remaining takes…');
    await walk.lookAt('cancel', 'alertdialog');
    await walk.go('Ledger');
    await expect(page.getByTestId('ledger-screen')).toBeVisible();
    await walk.look('ledger-running');
    expect(walk.examiner.found).toEqual([]);
  });

  test(`what went wrong, ${language}`, async ({ open }) => {
    const started = await startObservedGateway({ seed: 5, behaviour: BAD_NIGHT });
    if (!started.ok) throw new Error(JSON.stringify(started.error));
    const gateway = started.value;
    const launched = await open(5);
    const { app, ask } = launched;
    const walk = await Walk.begin(launched, language);
    const { page } = walk;
    const folder = newFolder('sheets');
    const choose = async (file: string, content: string) => {
      writeFileSync(join(folder, file), content);
      await answerDialogs(app, [join(folder, file)]);
    };
    await choose('Report.csv', '%PDF-1.7\n');
    await walk.button('Import a sheet').click();
    await expect(page.getByTestId('sheet-screen')).toContainText(
      { en: 'This is a PDF document, not a sheet.', 'zh-Hans': '这是 PDF 文档，不是表格。' }[language],
    );
    await walk.look('refused-sheet');

    await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
    await ask('key.set', { key: KEY });
    await choose('Bad.csv', BAD_SHEET);
    const { sheetId = '' } = (await ask('sheet.choose')) ?? {};
    const order = { sheetId, name: 'Bad', rehearsal: false, start: true, maxSubmits: 3, canary: false } as const;
    const { id } = await ask('batch.create', order);
    await waitForState(launched, id, 'paused');
    await walk.openBatch(/^Bad/u);
    await expect(page.getByTestId('batch-screen')).toContainText(
      { en: 'This batch has used all 3 paid requests', 'zh-Hans': '该批次已用完上限中的全部 3 个付费请求' }[language],
    );
    await walk.expectActionsBesideName();
    await walk.lookAtRows([
      ['silent-row', { en: 'The gateway gave no image, and did not say why.', 'zh-Hans': '网关没有给出图片' }],
      ['dependent-row', { en: 'It refers to row “silent”, which failed', 'zh-Hans': '它引用的行“silent”失败' }],
      ['lost-row', { en: 'no answer came', 'zh-Hans': '没有收到应答' }],
    ]);
    await walk.expectTakeToFit();
    await page.keyboard.press('Control+i');
    await walk.go('Ledger');
    await expect(page.getByTestId('ledger-screen')).toBeVisible();
    await walk.look('ledger-of-failures');
    expect(walk.examiner.found).toEqual([]);
    await gateway.close();
  });

  test(`what went wrong with files, ${language}`, async ({ open }) => {
    const started = await startObservedGateway({ seed: 5, behaviour: FILES_NIGHT });
    if (!started.ok) throw new Error(JSON.stringify(started.error));
    const gateway = started.value;
    const launched = await open(5);
    const { app, ask } = launched;
    const walk = await Walk.begin(launched, language);
    const { page } = walk;
    await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
    await ask('key.set', { key: KEY });
    const folder = newFolder('sheets');
    const file = (name: string, content: string): string => {
      writeFileSync(join(folder, name), content);
      return join(folder, name);
    };
    copyFileSync(new URL('../fixtures/media/picture.png', import.meta.url), join(folder, 'kite.png'));
    file('note.png', 'It is no picture.');
    const place = file('place.json', JSON.stringify({ command: { argv: ['/bin/sh', '-c', 'exit 3'] } }));
    const sheet = file('Files.csv', FILES_SHEET);
    await answerDialogs(app, [sheet, file('wrong.json', '{'), place, sheet, place]);
    await walk.button('Import a sheet').click();
    await walk.button('Choose a files place…').click();
    await expect(page.getByRole('alert').first()).toContainText(
      { en: 'is not JSON', 'zh-Hans': '不是 JSON' }[language],
    );
    await walk.look('refused-place');
    await walk.button('Choose a files place…').click();
    await expect(page.getByTestId('sheet-screen')).toContainText(
      { en: 'It should be a picture, and is text.', 'zh-Hans': '它应为图片，实际却不是（是文本）。' }[language],
    );
    await walk.look('local-files');

    const { sheetId = '' } = (await ask('sheet.choose')) ?? {};
    await ask('sheet.choosePlace', { sheetId });
    const order = { sheetId, name: 'Night', rehearsal: false, start: true, canary: false } as const;
    const { id } = await ask('batch.create', { ...order, gates: { on: { tiny: 1_000_000_000 } } });
    await walk.openBatch(/^Night/u);
    await walk.lookAtRows([
      ['flagged-row', { en: 'It has only', 'zh-Hans': '几乎没有内容' }],
      ['cut-row', { en: 'is cut off inside', 'zh-Hans': '被截断' }],
      ['unplaced-row', { en: 'ended with code 3', 'zh-Hans': '以代码 3 结束' }],
    ]);
    // A file that is fetched again and again would keep the application from closing unasked.
    await ask('batch.pause', { batchId: id });
    await waitForState(launched, id, 'paused');
    expect(walk.examiner.found).toEqual([]);
    await gateway.close();
  });

  test(`what is looked at in the morning, ${language}`, async ({ open }) => {
    const launched = await open(SPEED);
    const { ask } = launched;
    const walk = await Walk.begin(launched, language);
    const { page } = walk;
    const { sheetId } = await ask('sheet.sample', { sample: 'all-operations' });
    const { id } = await ask('batch.create', { sheetId, name: 'Everything', rehearsal: true, start: true });
    await waitForState(launched, id, 'finished');
    const view = { filter: {}, sort: { column: 'line', direction: 'ascending' }, offset: 0, limit: 1 } as const;
    const { rows } = await ask('rows.page', { batchId: id, ...view });
    const note = { rows: rows.map(({ key }) => key), added: 0, headers: ['note'], values: [['7']] };
    await ask('sheet.edit', { batchId: id, edit: { kind: 'set-cells', ...note } });
    await walk.openBatch(/^Everything/u);
    await walk.look('finished');
    await page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 17 } });
    await page.keyboard.press('Space');
    await walk.lookAt('look');
    await page.keyboard.press('Control+i');
    await page.getByTestId('row-edits').getByRole('button').click();
    await walk.look('inspector');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+F10');
    await walk.lookAt('row-menu', 'menu');
    await walk.button('Deliver').click();
    await walk.lookAt('deliver');
    await page.keyboard.press('Control+k');
    await expect(page.getByRole('dialog').getByRole('combobox')).toBeVisible();
    await walk.look('palette');
    await page.keyboard.press('Escape');
    await page.keyboard.press('F8');
    await expect(page.getByTestId('review')).toBeVisible();
    await walk.look('review');
    await page.keyboard.press('Escape');
    await walk.button('Gallery').click();
    await expect(page.getByTestId('gallery-screen')).toBeVisible();
    await walk.look('gallery');
    await page.keyboard.press('Shift+F10');
    await walk.lookAt('gallery-menu', 'menu');
    await walk.go('Ledger');
    await expect(page.getByTestId('ledger-screen')).toBeVisible();
    await walk.look('ledger');
    await walk.go('Welcome');
    await walk.look('home');
    await page.keyboard.press('?');
    await walk.lookAt('shortcuts');
    const menuOf = async (item: Name): Promise<void> => {
      await batchLink(page, /^Everything/u).click({ button: 'right' });
      await page.getByRole('menuitem', { name: say(item) }).click();
    };
    await menuOf('Rename…');
    await walk.lookAt('rename');
    await menuOf('Delete…');
    await walk.lookAt('delete', 'alertdialog');
    expect(walk.examiner.found).toEqual([]);
  });

  test(`settings and help, ${language}`, async ({ open }) => {
    const walk = await Walk.begin(await open(), language);
    const { page } = walk;
    await walk.go('Settings');
    await walk.look('settings');
    await walk.button({ en: /^My gateway/u, 'zh-Hans': /^My gateway/u }).click();
    await expect(page.getByTestId('gateway-screen')).toBeVisible();
    await walk.look('gateway');
    const parts = page.getByRole('navigation', { name: say('Parts of the gateway') });
    await parts.getByRole('button', { name: say('Limits, statuses and files') }).click();
    await walk.button({ en: /^Preset for Music/u, 'zh-Hans': /“音乐”的预设/u }).click();
    await page.getByRole('menuitem').first().click();
    await walk.look('profile');
    await page.getByRole('tab', { name: 'JSON' }).click();
    await walk.look('profile-json');
    await walk.button('All gateways').click();
    await walk.button('New list').click();
    await walk.look('new-list');
    await page.keyboard.press('Escape');
    await walk.button('Licences…').click();
    await walk.lookAt('licences');
    await walk.go('Help');
    await walk.look('help');
    await walk.button({ en: /diagnostics/iu, 'zh-Hans': /诊断/u }).click();
    await walk.look('diagnostics');
    expect(walk.examiner.found).toEqual([]);
  });
}
