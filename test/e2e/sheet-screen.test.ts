/** What the screen of an opened sheet says and asks before anything is sent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/faults/presets.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { sheetXml, workbookParts, zipParts } from '../support/workbook-parts.ts';
import { answerDialogs, batchLink, countOf, launch, newFolder, rowDetail, test, waitForState } from './launch.ts';

function sheetFile(name: string, content: string | Buffer): string {
  const path = join(newFolder('sheet'), name);
  writeFileSync(path, content);
  return path;
}

test('what was answered about an open sheet is not lost to another sheet, or to another language', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const text = 'row,operation,prompt\none,lyrics,A lighthouse\n';
  const paths = ['One.csv', 'Two.csv', 'Three.csv'].map((name) => sheetFile(name, text));
  await answerDialogs(app, paths);
  const importSheet = async (name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Import a sheet' }).click();
    await expect(page.getByRole('heading', { level: 1, name: name.slice(0, -4) })).toBeVisible();
  };
  const batches = async () =>
    (await ask('batch.list')).map(({ name, state, maxSubmits }) => ({ name, state, maxSubmits }));
  await importSheet('One.csv');
  await page.getByRole('textbox', { name: 'Name' }).fill('My night');
  await page.getByLabel('Request limit').fill('3');
  await importSheet('Two.csv');
  await expect(page.getByText('“My night” was imported but not started.').first()).toBeVisible();
  const first = { name: 'My night', state: 'ready', maxSubmits: 3 };
  await expect.poll(batches).toEqual([first]);
  // Of this one, nothing was said.
  await importSheet('Three.csv');
  expect(await batches()).toEqual([first]);

  // An answer that cannot be understood yet does not take the others with it.
  await page.getByRole('textbox', { name: 'Name' }).fill('My morning');
  await page.getByLabel('Request limit').fill('7');
  await page.getByLabel('Spending limit').fill('many');
  await page.getByRole('button', { name: 'Settings' }).click();
  // What is typed and not saved outlives the screen, and the change of language: but a secret is never written down for it.
  const ntfy = page.getByTestId('way-ntfy').getByRole('textbox');
  await ntfy.first().fill('https://ntfy.sh/nights');
  await ntfy.last().fill('tk_of_the_topic');
  await page.getByRole('button', { name: 'Help' }).click();
  await page.getByRole('button', { name: 'Settings' }).click();
  await expect(ntfy.first()).toHaveValue('https://ntfy.sh/nights');
  await expect(ntfy.last()).toHaveValue('tk_of_the_topic');
  await page.getByRole('combobox', { name: 'Language' }).press('Enter');
  await page.getByRole('option', { name: '简体中文' }).press('Enter');
  await page.waitForURL((url) => url.searchParams.get('language') === 'zh-Hans');
  await expect(page.getByRole('heading', { level: 1, name: '设置' })).toBeVisible();
  await expect(ntfy.first()).toHaveValue('https://ntfy.sh/nights');
  await expect(ntfy.last()).toHaveValue('');
  // Neither is what was told, in the language in which it was.
  await page.keyboard.press('F9');
  const list = page.getByRole('dialog', { name: '通知' });
  await expect(list.getByText('“My night” was imported but not started.')).toBeVisible();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Three' }).click();
  await expect(page.getByRole('textbox', { name: '名称' })).toHaveValue('My morning');
  await expect(page.getByLabel('请求上限')).toHaveValue('7');
  await expect(page.getByLabel('支出上限')).toHaveValue('many');
  expect(await batches()).toEqual([first]);
});

test('what is wanted of the window while it opens in another language is done once it has', async ({ open }) => {
  const { app, page } = await open();
  await expect(page.getByRole('button', { name: 'Import a sheet' })).toBeVisible();
  await app.evaluate(({ app: running, BrowserWindow }) => {
    const [contents] = BrowserWindow.getAllWindows().map(({ webContents }) => webContents);
    // As the page goes: somebody presses the notification of a night.
    contents?.once('did-start-navigation', () =>
      running.emit('second-instance', {}, ['nocturne', 'nocturne://ledger'], '/', null),
    );
    void contents?.executeJavaScript("void nocturne.request('settings.update', { language: 'zh-Hans' })");
  });
  await page.waitForURL((url) => url.searchParams.get('language') === 'zh-Hans');
  await expect(page.getByRole('heading', { level: 1, name: '账本' })).toBeVisible();
});

test('what was answered about an open sheet is not lost with the window', async () => {
  const dataFolder = newFolder('data');
  const first = await launch({ dataFolder });
  // It cannot be imported before somebody says which operation is meant.
  await answerDialogs(first.app, [sheetFile('One.csv', 'prompt,Album,Lyrics\n"A lighthouse, {when}",Sea,A light\n')]);
  await first.page.getByRole('button', { name: 'Import a sheet' }).click();
  // One is the author's own, and one is often meant to be sent.
  await expect(first.page.getByRole('row', { name: 'Album Not a known column – not sent' })).toBeVisible();
  await expect(first.page.getByRole('row', { name: 'Lyrics Not sent – is it “prompt”?' })).toBeVisible();
  await first.page.getByRole('textbox', { name: 'Name' }).fill('My night');
  await first.page.getByLabel('Request limit').fill('3');
  // Applied only when the field loses the focus.
  await first.page.getByLabel('{when}').fill('at dusk');
  await first.close();

  const { page, ask, close } = await launch({ dataFolder });
  await expect(page.getByRole('heading', { level: 1, name: 'One' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('My night');
  await expect(page.getByLabel('Request limit')).toHaveValue('3');
  await expect(page.getByLabel('{when}')).toHaveValue('at dusk');
  await page.getByRole('button', { name: /Choose an operation$/u }).click();
  await page.getByRole('option', { name: /^Lyrics/u }).click();
  await page.getByRole('button', { name: 'Import without starting' }).click();
  await expect(batchLink(page, /^My night/u)).toBeVisible();
  expect(await ask('batch.list')).toMatchObject([{ name: 'My night', state: 'ready', maxSubmits: 3 }]);
  await close();
});

test('a file that was imported before is called that, with what it would cost and the way to its batch', async ({
  open,
}) => {
  const key = 'sk-sheet-screen-55bb';
  const started = await startObservedGateway({ seed: 7, behaviour: { ...PRESETS.default, auth: { keys: [key] } } });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  try {
    const launched = await open(5);
    const { app, page, ask } = launched;
    const path = sheetFile(
      'Twice.csv',
      'row,operation,prompt,takes\none,image,A lighthouse,2\ntwo,image,A harbour,1\n',
    );
    await answerDialogs(app, [path, path, path]);
    await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
    await ask('key.set', { key });
    await page.getByRole('button', { name: 'Import a sheet' }).click();
    await page.getByRole('radio', { name: 'Rehearsal' }).click();
    await expect(page.getByText('before as')).toBeHidden();
    await page.getByRole('button', { name: 'Import without starting' }).click();
    await expect(page.getByTestId('sheet-screen')).toBeHidden();

    await page.getByRole('button', { name: 'Import a sheet' }).click();
    await expect(page.getByText(/^Imported before as Twice on .*, not started\.$/)).toBeVisible();
    await page.getByRole('radio', { name: 'Your gateway' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Paid for');
    await page.getByRole('button', { name: 'Start 3 paid requests' }).click();
    await expect.poll(async () => (await ask('batch.list')).length).toBe(2);
    const paid = (await ask('batch.list')).find((batch) => batch.name === 'Paid for');
    await waitForState(launched, paid?.id ?? '', 'finished');

    await page.getByRole('button', { name: 'Import a sheet' }).click();
    await expect(page.getByText(/^Imported before as Paid for on /)).toBeVisible();
    await expect(page.getByText('renders and pays for all of it again: 3 paid requests.')).toBeVisible();
    await page.screenshot({ path: test.info().outputPath('earlier.png') });
    await page.getByRole('button', { name: 'Open that batch' }).click();
    await expect(page.getByTestId('sheet-screen')).toBeHidden();
    await expect(page.getByRole('heading', { name: 'Paid for' })).toBeVisible();
    expect(gateway.chargeLog()).toHaveLength(3);
    await launched.close();
  } finally {
    await gateway.close();
  }
});

test('a very long text is sent only after a question', async ({ open }) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  const path = sheetFile('Long.csv', `row,operation,prompt,lyrics_model\none,lyrics,${'la '.repeat(40_000)},v1\n`);
  await answerDialogs(app, [path]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  await page.getByRole('button', { name: 'Start rehearsal' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('1 row holds more than 100 kB of text. It is sent unchanged.');
  await dialog.getByRole('button', { name: 'Back' }).click();
  await expect(dialog).toBeHidden();
  expect(await ask('batch.list')).toEqual([]);
  await page.getByRole('button', { name: 'Start rehearsal' }).click();
  await dialog.getByRole('button', { name: 'Start' }).click();
  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
  const [batch] = await ask('batch.list');
  await waitForState(launched, batch?.id ?? '', 'finished');
});

test('the encoding of a text file is shown, and another one reads it again', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  const bytes = Buffer.from('row,operation,prompt,lyrics_model\none,lyrics,Ein Lied für Möwen,v1\n', 'latin1');
  await answerDialogs(app, [sheetFile('Möwen.csv', bytes)]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  const encoding = screen.getByRole('combobox', { name: 'Encoding' });
  const seagulls = screen.getByRole('cell', { name: 'Ein Lied für Möwen' });
  const start = screen.getByRole('button', { name: 'Start rehearsal' });
  await expect(encoding).toContainText('Windows-1252');
  await expect(seagulls).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('encoding.png') });
  await screen.getByRole('textbox', { name: 'Name' }).fill('Seagulls');

  await encoding.click();
  await page.getByRole('option', { name: 'UTF-8' }).click();
  await expect(encoding).toContainText('UTF-8');
  await expect(start).toBeDisabled();

  await encoding.click();
  await page.getByRole('option', { name: 'Windows-1252' }).click();
  await expect(seagulls).toBeVisible();
  await expect(start).toBeEnabled();
  await expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('Seagulls');
});

test('a header below a title is found, and can be chosen by its line', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  await answerDialogs(app, [sheetFile('Titled.csv', 'My pictures\n\nrow;operation;prompt\none;image;A fox\n')]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  const line = screen.getByRole('combobox', { name: 'Line of the header' });
  await expect(line).toHaveText(/Header in line 3/u);
  await line.click();
  await expect(page.getByRole('option')).toHaveText([
    'Header in line 1 My pictures',
    'Header in line 3 row · operation · prompt',
    'Header in line 4 one · image · A fox',
  ]);
  await page.getByRole('option', { name: 'Header in line 1' }).click();
  await expect(screen.getByText('Line 1 was read as the header')).toBeVisible();
  await line.click();
  await page.getByRole('option', { name: 'Header in line 3' }).click();
  await expect(screen.getByText('was read as the header')).toBeHidden();
  await expect(screen.getByRole('cell', { name: 'A fox' })).toBeVisible();
  await expect(screen.getByRole('combobox', { name: 'Delimiter' })).toContainText('Semicolon');
  await page.screenshot({ path: test.info().outputPath('header-line.png') });
});

/** A workbook of two sheets. */
function workbookFile(): string {
  const parts = workbookParts(
    sheetXml([
      ['row', 'operation', 'prompt'],
      ['one', 'image', 'A picture of a fox'],
    ]),
  );
  const second = [
    ['row', 'operation', 'prompt', 'num_images'],
    ['one', 'image', 'A picture of a heron', '2'],
    ['two', 'image', 'A picture of a moth', 'many'],
  ];
  const twice = (part: string, from: RegExp): string =>
    part.replace(from, (one) => one + one.replaceAll('1', '2').replace('One', 'Second'));
  const bytes = zipParts({
    ...parts,
    'xl/workbook.xml': twice(parts['xl/workbook.xml'] ?? '', /<sheet [^>]*>/),
    'xl/_rels/workbook.xml.rels': twice(parts['xl/_rels/workbook.xml.rels'] ?? '', /<Relationship [^>]*>/),
    'xl/worksheets/sheet2.xml': sheetXml(second),
  });
  return sheetFile('Two sheets.xlsx', Buffer.from(bytes));
}

const STRANGE = 'ID,Task,Prompt text,Mood,Remarks\none,lyrics,A lullaby about {place},calm,mine\n';

test('headers that are not ours are shown for what they are taken for, confirmed once, and known the next time', async ({
  open,
}) => {
  const launched = await open(5);
  const { app, page } = launched;
  const first = sheetFile('Strange.csv', STRANGE);
  const second = sheetFile('Stranger.csv', STRANGE.replace('calm', 'loud'));
  await answerDialogs(app, [first, second]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  const meaning = (header: string) => screen.getByRole('button', { name: `Mapping of “${header}”` });
  await expect(meaning('Prompt text')).toHaveAccessibleName('Mapping of “Prompt text”: prompt');
  await expect(screen.getByText('to confirm')).toBeVisible();
  await screen.getByRole('button', { name: /^Confirm \d headers?$/ }).click();
  await expect(screen.getByText('to confirm')).toBeHidden();
  await expect(screen.getByText('Chosen by you').first()).toBeVisible();

  await meaning('Task').click();
  await page.getByRole('combobox', { name: 'Search: Mapping of “Task”' }).fill('operation');
  await page.keyboard.press('Enter');
  await expect(meaning('Task')).toHaveAccessibleName('Mapping of “Task”: operation');
  const place = screen.getByRole('textbox', { name: '{place}' });
  await expect(screen.getByText('1 variable without a value')).toBeVisible();
  await place.fill('a harbour');
  await place.press('Enter');
  await expect(screen.getByText('1 variable with a value')).toBeVisible();
  await expect(screen.getByRole('cell', { name: 'A lullaby about a harbour' })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('mapping.png') });
  await screen.getByRole('button', { name: 'Start rehearsal' }).click();
  await expect.poll(async () => (await launched.ask('batch.list')).length).toBe(1);
  const [batch] = await launched.ask('batch.list');
  await waitForState(launched, batch?.id ?? '', 'finished');
  const detail = await rowDetail(launched, batch?.id ?? '', 'one');
  expect(JSON.parse(detail.body)).toEqual({ prompt: 'A lullaby about a harbour' });

  await page.getByRole('button', { name: 'Import a sheet' }).click();
  await expect(screen.getByText('Using what you last chose for these headers.')).toBeVisible();
  await expect(meaning('Task')).toHaveAccessibleName('Mapping of “Task”: operation');
  await screen.getByRole('button', { name: 'Reset mapping' }).click();
  await expect(screen.getByText('to confirm')).toBeVisible();
  await expect(meaning('Task')).not.toHaveAccessibleName(/: operation$/u);
});

test('a sheet of a workbook is chosen, and a problem is fixed in the grid', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  await answerDialogs(app, [workbookFile()]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  await screen.getByRole('combobox', { name: 'Sheet of the workbook' }).click();
  await page.getByRole('option', { name: 'Second' }).click();
  await expect(screen.getByRole('cell', { name: 'A picture of a heron' })).toBeVisible();
  await screen.getByRole('button', { name: 'Fix it here' }).first().click();
  await expect(page.getByTestId('batch-screen')).toBeVisible();
  const [batch] = await launched.ask('batch.list');
  expect(batch).toMatchObject({ state: 'ready', rowCount: 2, rows: { invalid: 1 } });
  const sheet = await launched.ask('sheet.get', { batchId: batch?.id ?? '' });
  expect(sheet.errorCount).toBe(1);
  await page.screenshot({ path: test.info().outputPath('fixing.png') });
});

test('a template is begun, started by its dialog, and rehearsed to the end', async ({ open }) => {
  const launched = await open(5);
  const { page, ask } = launched;
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await page.screenshot({ path: test.info().outputPath('templates.png') });
  await page.getByRole('button', { name: 'Picture to video' }).click();
  await expect(page.getByTestId('batch-screen')).toBeVisible();
  await page.getByRole('button', { name: 'Start…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Start' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Lighthouse');
  await page.screenshot({ path: test.info().outputPath('start.png') });
  await dialog.getByRole('button', { name: 'Start rehearsal' }).click();
  await expect(dialog).toBeHidden();
  const [batch] = await ask('batch.list');
  const finished = await waitForState(launched, batch?.id ?? '', 'finished');
  expect(finished).toMatchObject({ name: 'Lighthouse', rehearsal: true, submitsUsed: 3 });
  expect(countOf(finished, 'done')).toBe(3);
  expect(finished.folder).toMatch(/Lighthouse$/);

  await batchLink(page, /^Lighthouse/).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Duplicate' }).click();
  await expect(page.getByRole('heading', { name: 'Lighthouse copy' })).toBeVisible();
  const copy = (await ask('batch.list')).find(({ name }) => name === 'Lighthouse copy');
  expect(copy).toMatchObject({ state: 'ready', rowCount: 3, taskCount: 3, submitsUsed: 0 });
});

test('a table that is pasted becomes a sheet, and the last files are offered again', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  const path = sheetFile('Recent.csv', 'row,operation,prompt\none,lyrics,A song\n');
  await answerDialogs(app, [path]);
  await page.getByRole('button', { name: 'Import a file…' }).click();
  await page.getByRole('button', { name: 'Discard' }).click();
  await expect(page.getByRole('button', { name: /Recent\.csv/ }).first()).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('welcome.png') });

  const text = 'row\toperation\tprompt\none\tlyrics\t"A song\nof two lines"\n';
  await app.evaluate(async ({ clipboard }, content) => clipboard.writeText(content), text);
  await page.getByRole('heading', { name: 'Start with a sheet' }).click();
  await page.keyboard.press('ControlOrMeta+V');
  const screen = page.getByTestId('sheet-screen');
  await expect(screen.getByText('Pasted table').first()).toBeVisible();
  await expect(screen.getByRole('button', { name: 'Start rehearsal' })).toBeEnabled();
  await expect(screen.getByText('1 column mapped', { exact: false })).toBeHidden();

  await screen.getByRole('button', { name: 'Discard' }).click();
  await page
    .getByRole('button', { name: /Recent\.csv/ })
    .first()
    .click();
  await expect(screen.getByRole('cell', { name: 'A song' })).toBeVisible();
});

test('a list that a sheet draws from is added in the settings', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  await answerDialogs(app, [sheetFile('Lists.csv', 'row,operation,prompt\none,image,An old __animals__\n')]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  await expect(screen.getByText('There is no such list: the text is sent as written.')).toBeVisible();
  await screen.getByRole('button', { name: 'Open your lists' }).click();
  await page.getByRole('button', { name: 'New list' }).click();
  const dialog = page.getByRole('dialog', { name: 'New list' });
  await dialog.getByRole('textbox', { name: 'Name' }).fill('animals');
  await dialog.getByRole('textbox', { name: 'Items, one per line' }).fill('owl\nfox');
  await dialog.getByRole('button', { name: 'Save the list' }).click();
  await expect(page.getByTestId('settings-screen').getByText('2 items')).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('lists.png') });
  await page.getByRole('navigation', { name: 'Nocturne' }).getByRole('button', { name: 'Lists' }).click();
  await expect(screen.getByText('There is no such list: the text is sent as written.')).toBeHidden();
});

test('one word that is wrong in many rows is corrected in all of them at once, and back', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const rows = Array.from({ length: 62 }, (_, n) => `v${n},Vidoe-A,Waves ${n}`);
  await answerDialogs(app, [sheetFile('Many.csv', ['row,Type,prompt', ...rows, 'k,Clip,Rain'].join('\n'))]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  const all = screen.getByRole('button', { name: 'Use video-a for all 62' });
  await all.click();
  await expect(screen.getByText('Type: “Vidoe-A” is read as “video-a”.')).toBeVisible();
  await expect(all).toBeHidden();
  await screen.getByRole('button', { name: 'Read “Vidoe-A” as it is written' }).click();
  await all.click();
  await expect(all).toBeHidden();
  await screen.getByRole('button', { name: 'Instead of Clip: Choose an operation' }).click();
  await page.getByRole('option', { name: 'Video B' }).click();
  await page.screenshot({ path: test.info().outputPath('corrections.png') });
  await expect(screen.getByText('The operation is not known')).toBeHidden();
  await screen.getByRole('button', { name: 'Import without starting' }).click();
  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
  const [batch] = await ask('batch.list');
  expect(batch).toMatchObject({ rowCount: 63, taskCount: 63 });
});

test('all suggestions are used in one step, and taken back in one; what leaves a choice stays', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const rows = ['Vidoe-A', 'Vidoe-A', 'musick', 'imgae', 'clip', 'song', 'photo', 'qqqqqqqq'];
  const lines = ['row,Type,prompt,mood', ...rows.map((word, n) => `r${n},${word},Waves ${n},calm`)];
  await answerDialogs(app, [sheetFile('Mixed.csv', lines.join('\n'))]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  const all = screen.getByRole('button', { name: 'Use all 3 suggestions' });
  await expect(all).toHaveAccessibleDescription('Corrects 4 cells. 2 errors, 2 warnings stay.');
  await page.screenshot({ path: test.info().outputPath('suggestions.png') });
  await all.focus();
  await page.keyboard.press('Enter');
  await expect(screen.getByText('Type: “musick” is read as “music”.')).toBeVisible();
  await expect(screen.getByText('Type: “Vidoe-A” is read as “video-a”.')).toBeVisible();
  await expect(all).toBeHidden();
  await expect(screen.getByRole('group', { name: 'Errors and warnings' })).toBeFocused();
  await screen.getByRole('button', { name: 'Read all as written' }).click();
  await expect(all).toBeVisible();

  // The same beside the grid, as one edit. Of what leaves a choice, each is one press away.
  await screen.getByRole('button', { name: 'Import without starting' }).click();
  await page.getByRole('button', { name: '6 errors, 2 warnings' }).click();
  const panel = page.getByTestId('problems-panel');
  await expect(all).toBeHidden();
  const inGrid = panel.getByRole('button', { name: 'Use all 3 suggestions' });
  await expect(inGrid).toHaveAccessibleDescription('Corrects 4 cells. 2 errors, 2 warnings stay.');
  await page.screenshot({ path: test.info().outputPath('suggestions-in-grid.png') });
  const [batch] = await ask('batch.list');
  const batchId = batch?.id ?? '';
  const errors = async (): Promise<number> => (await ask('sheet.get', { batchId })).errorCount;
  await inGrid.focus();
  await page.keyboard.press('Enter');
  await expect.poll(errors).toBe(2);
  await expect(panel.getByRole('group', { name: 'Problems of the sheet' })).toBeFocused();
  await panel.getByRole('button', { name: 'Use video-b', exact: true }).click();
  await expect.poll(errors).toBe(1);
  await page.getByRole('button', { name: /^Undo/u }).click();
  await page.getByRole('button', { name: 'Undo: Correct 4 rows' }).click();
  await expect.poll(errors).toBe(6);
});

test('warnings of a kind are ignored while a sheet is brought in and beside the grid, and taken back', async ({
  open,
}) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const lines = [
    'row,operation,prompt,mood,who',
    'one,music,An owl at night,calm,Ada',
    'two,music,A fox in snow,loud,Ben',
    'three,musick,A lake,calm,Cy',
  ];
  await answerDialogs(app, [sheetFile('Songs.csv', `${lines.join('\n')}\n`)]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  await expect(screen.getByText('1 error, 2 warnings.')).toBeVisible();
  await screen.getByRole('button', { name: 'Ignore this kind: Unknown column · mood' }).click();
  await expect(screen.getByText('1 error, 1 warning.')).toBeVisible();
  // Nobody loses the place: the focus is where the kind has gone.
  const ignored = screen.getByRole('button', { name: /^Ignored/u });
  await expect(ignored).toBeFocused();
  await expect(screen.getByRole('button', { name: /^Ignore this kind: The operation is not known/u })).toHaveCount(0);
  await page.keyboard.press('Enter');
  await page.screenshot({ path: test.info().outputPath('ignored-opened-sheet.png') });
  await screen.getByRole('button', { name: 'Count again: Unknown column · mood' }).click();
  await expect(screen.getByText('1 error, 2 warnings.')).toBeVisible();
  await screen.getByRole('button', { name: 'Ignore for all 2 columns' }).click();
  await expect(screen.getByText('1 error.')).toBeVisible();
  await screen.getByRole('button', { name: 'Import without starting' }).click();

  const problems = page.getByRole('toolbar').getByRole('button', { name: '1 error' });
  await problems.click();
  const panel = page.getByTestId('problems-panel');
  await panel.getByRole('button', { name: /^Ignored/u }).click();
  await panel.getByRole('button', { name: 'Count again: Unknown column · who' }).click();
  await expect(page.getByRole('toolbar').getByRole('button', { name: '1 error, 1 warning' })).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('ignored-panel.png') });
  await panel.getByRole('button', { name: 'Ignore this kind: Unknown column · who' }).click();
  await expect(problems).toHaveText('1 error');
  await expect(panel.getByRole('button', { name: /^Ignored/u })).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(problems).toHaveText('1 error, 1 warning');
  await page.keyboard.press('Control+y');
  await expect(problems).toHaveText('1 error');
  const [batch] = await ask('batch.list');
  expect((await ask('sheet.get', { batchId: batch?.id ?? '' })).ignored).toEqual([
    { code: 'unknown-column', column: 'mood', count: 1 },
    { code: 'unknown-column', column: 'who', count: 1 },
  ]);
});

test('a folder that cannot be used is said at its field, which has the focus, until another one is chosen', async ({
  open,
}) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  const path = sheetFile('Folder.csv', 'row,operation,prompt\none,image,A fox\n');
  await answerDialogs(app, [path, join(path, 'below'), newFolder('media')]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const panel = page.getByRole('complementary', { name: 'Start' });
  const choose = panel.getByRole('button', { name: 'Choose…' });
  await choose.click();
  await expect(panel.getByText(join(path, 'below'))).toBeVisible();
  await panel.getByRole('button', { name: 'Start rehearsal' }).click();
  const refusal = panel.getByRole('alert');
  await expect(refusal).toContainText('Choose another folder.');
  await expect(choose).toBeFocused();
  await expect(choose).toHaveAccessibleDescription(/^No folder can be made in /u);
  await expect(page.getByRole('navigation').getByText('Choose another folder.')).toHaveCount(0);
  await page.screenshot({ path: test.info().outputPath('refused-folder.png') });
  // What has nothing to do with it leaves it there.
  await panel.getByRole('textbox', { name: 'Request limit' }).fill('5');
  await expect(refusal).toBeVisible();
  await choose.click();
  await expect(refusal).toBeHidden();
  await panel.getByRole('button', { name: 'Start rehearsal' }).click();
  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
});
