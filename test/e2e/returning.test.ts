/** The first screen for who comes back: what runs, what needs them, and what became of the last night. */
import { expect, type Locator } from '@playwright/test';
import { batchLink, newFolder, test, waitForState } from './launch.ts';
import { startNight } from './whole-night.ts';

test('who comes back sees what runs, then what the night gave, and no poster', async ({ open }) => {
  const launched = await open(1);
  const { page, ask } = launched;
  const poster = page.getByRole('heading', { name: 'Give it a sheet at night.' });
  await expect(poster).toBeVisible();
  const { id } = await ask('sheet.new', { template: 'picture-to-video', name: 'Coastline' });
  await expect(page.getByRole('heading', { level: 1, name: 'Welcome back' })).toBeVisible();
  await expect(poster).toBeHidden();
  await expect(page.getByText('Nothing is running.', { exact: true })).toBeVisible();
  const left = page.getByRole('region', { name: 'Left to do' });
  await expect(left.getByRole('button', { name: 'Coastline' })).toContainText('Ready');

  await ask('batch.start', { batchId: id });
  const running = page.getByRole('region', { name: 'Running now' });
  await expect(running.getByRole('button', { name: 'Coastline' })).toContainText('Running');
  await expect(page.getByRole('region', { name: 'This night' })).toContainText('still running');
  await page.screenshot({ path: test.info().outputPath('running.png') });
  await launched.hurry('engine', 10);

  const finished = await waitForState(launched, id, 'finished');
  const night = page.getByRole('region', { name: 'The last night' });
  await expect(night.getByRole('button')).toContainText('Coastline');
  await expect(night.getByRole('button')).toContainText(`${finished.taskCount} takes verified, a rehearsal`);
  await expect(running).toBeHidden();
  await expect(left).toBeHidden();
  await page.screenshot({ path: test.info().outputPath('home.png') });
  await night.getByRole('button').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ledger' })).toBeVisible();

  // At rest, with rows that only the user can let go on.
  const held = await ask('sheet.new', { template: 'picture-to-video', name: 'Held back' });
  await ask('batch.turn', { batchId: held.id, turn: 'hold' });
  await ask('batch.start', { batchId: held.id });
  await waitForState(launched, held.id, 'finished');
  await page.getByRole('button', { name: 'Welcome', exact: true }).click();
  const needing = page.getByRole('region', { name: '1 batch needs you' });
  await expect(needing.getByRole('button', { name: 'Held back' })).toContainText('needs you');
  await page.screenshot({ path: test.info().outputPath('needs.png') });
  await needing.getByRole('button').click();
  await expect(page.getByRole('heading', { level: 1, name: 'Held back' })).toBeVisible();
  // What was put away needs nobody.
  await ask('batch.shelve', { batchId: held.id, to: 'archived' });
  await page.getByRole('button', { name: 'Welcome', exact: true }).click();
  await expect(page.getByText('Nothing is running, and no batch is waiting for you.')).toBeVisible();

  // What has failed has the same sign here as in the side bar.
  const text = 'row,operation,prompt\nfine,lyrics,Waves\nwrong,lyrics,';
  const partly = await startNight(launched, newFolder('media'), { name: 'Partly', text });
  await waitForState(launched, partly, 'finished');
  await page.getByRole('button', { name: 'Welcome', exact: true }).click();
  const colourOf = (sign: Locator, part?: string) =>
    sign.evaluate((element, pseudo) => getComputedStyle(element, pseudo).backgroundColor, part);
  const line = left.getByRole('button', { name: 'Partly' });
  await expect(line).toContainText('Finished, 1 invalid');
  const sign = await colourOf(line.getByText('Partly'), '::before');
  expect(sign).toBe(await colourOf(batchLink(page, /^Partly/).locator('[data-tone="failed"]')));
});

test('batches that run are moved by button and by key, and share turns until they are', async ({ open }) => {
  const launched = await open(1);
  const { page, ask } = launched;
  const schedule = { startAt: Date.now() + 3_600_000, windows: [], zone: 'UTC' };
  for (const name of ['Coastline', 'Owls', 'Harbour']) {
    const { id: batchId } = await ask('sheet.new', { template: 'picture-to-video', name });
    await ask('batch.schedule', { batchId, schedule });
    await ask('batch.start', { batchId });
  }
  const queue = page.getByRole('region', { name: 'The queue' });
  const lines = async () =>
    (await queue.getByRole('listitem').allInnerTexts()).map((line) => line.split('\n', 2).join(' '));
  await expect.poll(lines).toEqual(['1 Harbour', '1 Owls', '1 Coastline']);
  await page.screenshot({ path: test.info().outputPath('shared.png') });

  await queue.getByRole('button', { name: 'Move Coastline up' }).click();
  await expect.poll(lines).toEqual(['1 Coastline', '2 Harbour', '2 Owls']);
  const up = queue.getByRole('button', { name: 'Move Coastline up' });
  await expect(up).toBeFocused();
  await expect(up).toBeDisabled();
  await page.keyboard.press('Alt+ArrowDown');
  await expect.poll(lines).toEqual(['1 Harbour', '1 Owls', '1 Coastline']);
  await expect(up).toBeFocused();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(lines).toEqual(['1 Coastline', '2 Harbour', '2 Owls']);
  const owls = queue.getByRole('button', { name: /^2 Owls/u });
  await owls.focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(lines).toEqual(['1 Coastline', '2 Owls', '3 Harbour']);
  await page.screenshot({ path: test.info().outputPath('queue.png') });
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(lines).toEqual(['1 Owls', '1 Coastline', '2 Harbour']);
  await expect(queue.getByText('Owls is now number 1, and takes turns with others.')).toBeAttached();

  const side = page.getByRole('navigation');
  await side.getByRole('button', { name: /^Harbour/u }).click({ button: 'right' });
  await expect(page.getByRole('menuitem', { name: 'Move down in the queue' })).toBeDisabled();
  await page.getByRole('menuitem', { name: 'Run first' }).click();
  await expect.poll(lines).toEqual(['1 Harbour', '2 Owls', '2 Coastline']);
});
