/** From what is wrong with a sheet to the cell where it is put right, with everything that was answered before. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { answerDialogs, newFolder, rowDetail, test } from './launch.ts';

const SHEET = [
  'ID,Type,Prompt,Aspect',
  'one,Video A,Waves at night,16:9',
  'two,Video A,,16:9',
  'three,Image,A lighthouse,1:1',
  'four,,A harbour,',
].join('\n');

test('what was answered before a problem is fixed in the grid is kept, and the cursor is in the empty cell', async ({
  open,
}) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const path = join(newFolder('fixing'), 'Evening.csv');
  const folder = newFolder('films');
  writeFileSync(path, SHEET);
  await answerDialogs(app, [path, folder]);
  await ask('gateway.setBaseUrl', { baseUrl: 'https://gateway.example/api' });
  await ask('key.set', { key: 'sk-fixing-77aa88bb' });
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  // One header feeds the columns of both families, and the name that the window shows is an operation.
  await expect(screen.getByRole('button', { name: 'Mapping of “Aspect”' })).toHaveAccessibleName(
    'Mapping of “Aspect”: aspectRatio, aspect_ratio',
  );
  await expect(screen.getByText('There is no operation')).toBeHidden();

  await screen.getByRole('radio', { name: 'Your gateway' }).click();
  await screen.getByRole('textbox', { name: 'Name' }).fill('Films of the harbour');
  await screen.getByRole('button', { name: 'Choose…' }).click();
  await expect(screen.getByText(folder)).toBeVisible();
  await screen.getByRole('textbox', { name: 'Request limit' }).fill('7');
  await page.getByRole('listitem').filter({ hasText: 'two' }).getByRole('button', { name: 'Fix it here' }).click();
  await expect(page.getByTestId('batch-screen')).toBeVisible();
  const [batch] = await ask('batch.list');
  expect(batch).toMatchObject({
    name: 'Films of the harbour',
    state: 'ready',
    rehearsal: false,
    gateway: 'https://gateway.example',
    folder,
    maxSubmits: 7,
  });

  // In the prompt that is empty, and not in the row's id.
  const batchId = batch?.id ?? '';
  const cells = async (row: string) => {
    const { row: view } = await rowDetail(launched, batchId, row);
    const all = { batchId, filter: {}, sort: { column: 'line', direction: 'ascending' }, offset: 0, limit: 9 } as const;
    const { rows } = await ask('rows.page', { ...all, withCells: true });
    return rows.find(({ key }) => key === view.key)?.cells;
  };
  await expect(page.getByTestId('status-line')).toContainText('No prompt or source');
  await page.keyboard.type('Foam on the stones');
  await page.keyboard.press('Enter');
  await expect.poll(() => cells('two')).toEqual(['two', 'Video A', 'Foam on the stones', '16:9']);

  // In a column of known words, what one match is left of is written whole.
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.type('ima');
  await page.keyboard.press('Enter');
  await expect.poll(() => cells('four')).toEqual(['four', 'image', 'A harbour', '']);
  await expect.poll(async () => (await ask('sheet.get', { batchId })).errorCount).toBe(0);
  // The start still knows all of it.
  await page.getByRole('button', { name: 'Start…' }).click();
  const start = page.getByRole('dialog', { name: 'Start' });
  await expect(start.getByRole('textbox', { name: 'Request limit' })).toHaveValue('7');
  await expect(start.getByRole('radio', { name: 'Your gateway' })).toBeChecked();
  await expect(start.getByRole('textbox', { name: 'Name' })).toHaveValue('Films of the harbour');
});

test('values that nothing uses are cleared with one press, and the sheet’s own headers are named', async ({ open }) => {
  const { app, page, ask } = await open();
  const path = join(newFolder('fixing'), 'Sea.csv');
  const lines = [
    'ID,Type,Prompt,Aspect',
    'one,Image,A lighthouse,1:1',
    'two,Image,A lighthouse,1:1',
    'three,Lyrics,A song of the sea,1:1',
    'four,Lyrics,A song of snow,4:3',
    'five,Pantomime,A mime,',
  ];
  writeFileSync(path, lines.join('\n'));
  await answerDialogs(app, [path]);
  await page.getByRole('button', { name: 'Import a sheet' }).click();
  const screen = page.getByTestId('sheet-screen');
  await expect(screen.getByText('line 6 · five · Type')).toBeVisible();
  await screen.getByRole('button', { name: 'Confirm 3 headers' }).click();
  const unused = screen.getByRole('listitem').filter({ hasText: '“lyrics” has no field “Aspect”' });
  await unused.getByRole('button', { name: 'Fix it here' }).click();

  const panel = page.getByTestId('problems-panel');
  await expect(panel.getByText('line 6 · five · Type')).toBeVisible();
  await page.screenshot({ path: test.info().outputPath('panel.png') });
  const counts = page.getByRole('toolbar').getByRole('button', { name: /^1 error/u });
  await expect(counts).toHaveText('1 error, 2 warnings');
  const clear = panel.getByRole('button', { name: 'Clear these values: Aspect' });
  await clear.focus();
  await page.keyboard.press('Enter');
  await expect(counts).toHaveText('1 error, 1 warning');
  const [batch] = await ask('batch.list');
  const rows = async () => {
    const all = { filter: {}, sort: { column: 'line', direction: 'ascending' }, offset: 0, limit: 9 } as const;
    const page = await ask('rows.page', { ...all, batchId: batch?.id ?? '', withCells: true });
    return page.rows.map(({ cells = [] }) => cells.slice(0, 4).join());
  };
  expect(await rows()).toEqual([
    'one,Image,A lighthouse,1:1',
    'two,Image,A lighthouse,1:1',
    'three,Lyrics,A song of the sea,',
    'four,Lyrics,A song of snow,',
    'five,Pantomime,A mime,',
  ]);
  await page.getByRole('button', { name: 'Undo: Clear 2 unused “Aspect”' }).click();
  await expect(counts).toHaveText('1 error, 2 warnings');
  expect(await rows()).toEqual(lines.slice(1));
});
