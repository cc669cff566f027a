/** The first screen for who comes back: what runs, what needs them, and what became of the last night. */
import { expect } from '@playwright/test';
import { test, waitForState } from './launch.ts';

test('who comes back sees what runs, then what the night gave, and no poster', async ({ open }) => {
  const launched = await open(1);
  const { page, ask } = launched;
  const poster = page.getByRole('heading', { name: 'Give it a sheet at night.' });
  await expect(poster).toBeVisible();
  const { id } = await ask('sheet.new', { template: 'picture-to-video', name: 'Coastline' });
  await expect(page.getByRole('heading', { level: 1, name: 'Welcome back' })).toBeVisible();
  await expect(poster).toBeHidden();
  await expect(page.getByText('Nothing runs, and nothing needs you.')).toBeVisible();

  await ask('batch.start', { batchId: id });
  const running = page.getByRole('region', { name: 'Runs now' });
  await expect(running.getByRole('button', { name: 'Coastline' })).toContainText('Running');
  await expect(page.getByRole('region', { name: 'This night' })).toContainText('still running');
  await page.screenshot({ path: test.info().outputPath('running.png') });
  await launched.hurry('engine', 10);

  const finished = await waitForState(launched, id, 'finished');
  const night = page.getByRole('region', { name: 'The last night' });
  await expect(night.getByRole('button')).toContainText('Coastline');
  await expect(night.getByRole('button')).toContainText(`${finished.taskCount} takes verified, a rehearsal`);
  await expect(running).toBeHidden();
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
  await expect(page.getByText('Nothing runs, and nothing needs you.')).toBeVisible();
});
