/** What the screen of an opened sheet says and asks before anything is sent. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { PRESETS } from '../../src/gateway-sim/presets.ts';
import { startGateway } from '../../src/gateway-sim/start-gateway.ts';
import { answerDialogs, launch, newFolder, waitForState } from './launch.ts';

function sheetFile(name: string, content: string | Buffer): string {
  const path = join(newFolder('sheet'), name);
  writeFileSync(path, content);
  return path;
}

test('a file that was brought in before is said to be one, with what it would cost and the way to its batch', async () => {
  const key = 'sk-sheet-screen-55bb';
  const started = await startGateway({ seed: 7, behaviour: { ...PRESETS.default, auth: { keys: [key] } } });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  try {
    const launched = await launch({ dataFolder: newFolder('earlier') });
    const { app, page, ask } = launched;
    const path = sheetFile(
      'Twice.csv',
      'row,operation,prompt,takes\none,image,A lighthouse,2\ntwo,image,A harbour,1\n',
    );
    await answerDialogs(app, [path, path, path]);
    await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
    await ask('key.set', { key });
    await page.getByRole('button', { name: 'Bring in a sheet' }).click();
    await page.getByRole('radio', { name: 'Rehearsal' }).click();
    await expect(page.getByText('before as')).toBeHidden();
    await page.getByRole('button', { name: 'Bring in without starting' }).click();
    await expect(page.getByTestId('sheet-screen')).toBeHidden();

    await page.getByRole('button', { name: 'Bring in a sheet' }).click();
    await expect(page.getByText(/^Rehearsed before as Twice on /)).toBeVisible();
    await page.getByRole('radio', { name: 'Your gateway' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Paid for');
    await page.getByRole('button', { name: 'Start 3 submits' }).click();
    await expect.poll(async () => (await ask('batch.list')).length).toBe(2);
    const paid = (await ask('batch.list')).find((batch) => batch.name === 'Paid for');
    await waitForState(launched, paid?.id ?? '', 'finished');

    await page.getByRole('button', { name: 'Bring in a sheet' }).click();
    await expect(page.getByText(/^Brought in before as Paid for on /)).toBeVisible();
    await expect(page.getByText('renders and pays for 3 submits again.')).toBeVisible();
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

test('a very long text is sent only after a question', async () => {
  const launched = await launch({ dataFolder: newFolder('long') });
  const { app, page, ask } = launched;
  const path = sheetFile('Long.csv', `row,operation,prompt,lyrics_model\none,lyrics,${'la '.repeat(40_000)},v1\n`);
  await answerDialogs(app, [path]);
  await page.getByRole('button', { name: 'Bring in a sheet' }).click();
  await page.getByRole('button', { name: 'Start rehearsal' }).click();
  const dialog = page.getByRole('alertdialog');
  await expect(dialog).toContainText('1 row holds more than 100 kB of text. It is sent as it is.');
  await dialog.getByRole('button', { name: 'Back' }).click();
  await expect(dialog).toBeHidden();
  expect(await ask('batch.list')).toEqual([]);
  await page.getByRole('button', { name: 'Start rehearsal' }).click();
  await dialog.getByRole('button', { name: 'Start' }).click();
  await expect.poll(async () => (await ask('batch.list')).length).toBe(1);
  const [batch] = await ask('batch.list');
  await waitForState(launched, batch?.id ?? '', 'finished');
  await launched.close();
});

test('the encoding of a text file is shown, and another one reads it again', async () => {
  const launched = await launch({ dataFolder: newFolder('encoding') });
  const { app, page } = launched;
  const bytes = Buffer.from('row,operation,prompt,lyrics_model\none,lyrics,Ein Lied für Möwen,v1\n', 'latin1');
  await answerDialogs(app, [sheetFile('Möwen.csv', bytes)]);
  await page.getByRole('button', { name: 'Bring in a sheet' }).click();
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
  await launched.close();
});
