/** Every screen and dialog, one after another, in both languages: in both themes, at three sizes, with nothing in the console. */
import { expect, type Locator, type Page } from '@playwright/test';
import { LANGUAGES, type Language } from '../../src/shared/words/domain-words.ts';
import { Examiner } from './examine.ts';
import { batchLink, newFolder, test, waitForState, type Launched } from './launch.ts';
import { spokenIn, type Name } from './spoken.ts';
import { startNight } from './whole-night.ts';

const SPEED = 60;
/** Of samples and their rows. */
const NAMES = ['Every kind of mistake', 'a song from lyrics'];

/** One walk in one language. */
class Walk {
  readonly examiner: Examiner;
  readonly page: Page;
  readonly launched: Launched;
  readonly say: ReturnType<typeof spokenIn>;

  private constructor(launched: Launched, language: Language) {
    this.launched = launched;
    this.page = launched.page;
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

  test(`what is looked at in the morning, ${language}`, async ({ open }) => {
    const launched = await open(SPEED);
    const { ask } = launched;
    const walk = await Walk.begin(launched, language);
    const { page } = walk;
    const { sheetId } = await ask('sheet.sample', { sample: 'all-operations' });
    const { id } = await ask('batch.create', { sheetId, name: 'Everything', rehearsal: true, start: true });
    await waitForState(launched, id, 'finished');
    await walk.openBatch(/^Everything/u);
    await walk.look('finished');
    await page.getByTestId('row-grid').click({ position: { x: 100, y: 34 + 17 } });
    await page.keyboard.press('Control+i');
    await expect(page.getByTestId('inspector')).toBeVisible();
    await walk.look('inspector');
    await page.keyboard.press('Space');
    await walk.look('look');
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
