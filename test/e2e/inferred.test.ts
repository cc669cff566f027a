/** A gateway of whose statuses nothing is known: a moderated row is corrected at once, and the window asks what 3 means. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { startObservedGateway, type ObservedGateway } from '../support/observed-gateway.ts';
import {
  answerDialogs,
  answerQuestions,
  batchLink,
  countOf,
  newFolder,
  rowDetail,
  test,
  waitForState,
} from './launch.ts';

const KEY = 'sk-inferred-77aa88bb';
/** Some gateways say all that they know. */
const INFO = `prompt contains sensitive words: ${'jellyfish, '.repeat(1_000)}`;
/** A word that is longer than a line. */
const STATUS = 'OUTCOME_'.repeat(20);
const SHEET = ['row,operation,prompt', 'fine,image,A lighthouse', 'bad,image,A jellyfish'].join('\n');

let gateway: ObservedGateway;

test.beforeEach(async () => {
  const behaviour = { auth: { keys: [KEY] }, moderation: { words: ['jellyfish'], info: INFO } };
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  gateway = started.value;
});

test.afterEach(() => gateway.close());

test('a moderated row is told once, edited at once and paid for again at the user’s word alone', async ({ open }) => {
  const launched = await open(5);
  const { app, page, ask } = launched;
  const path = join(newFolder('inferred-sheet'), 'Inferred.csv');
  writeFileSync(path, SHEET);
  await answerDialogs(app, [path, newFolder('inferred-media')]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  const sheetId = (await ask('sheet.choose'))?.sheetId ?? '';
  const { id: batchId } = await ask('batch.create', { sheetId, name: 'Inferred', rehearsal: false, start: true });
  const ended = await waitForState(launched, batchId, 'finished');
  expect([countOf(ended, 'done'), countOf(ended, 'failed')]).toEqual([1, 1]);
  const all = { batchId, filter: {}, sort: { column: 'line', direction: 'ascending' }, offset: 0, limit: 9 } as const;
  const bad = async () => (await ask('rows.page', { ...all, withCells: true })).rows[1];
  expect(await bad()).toMatchObject({ status: 'failed', failure: { code: 'MODERATED', suspected: true } });
  expect((await bad())?.locked).toBeUndefined();

  // In the inspector of the row, told once, and asked about.
  await page.reload();
  // A night has ended that nobody saw: the window opens with its ledger.
  await batchLink(page, /^Inferred Finished/).click();
  const grid = page.getByTestId('row-grid');
  await expect(grid).toHaveAttribute('data-ready', 'true');
  await grid.click({ position: { x: 100, y: 34 + 34 + 17 } });
  await page.keyboard.press('Control+i');
  const inspector = page.getByTestId('inspector');
  await expect(inspector).toContainText('sensitive words');
  await expect(inspector).toContainText('Nocturne inferred this');
  await expect(inspector.getByText('The gateway ended it with a message; waiting to be sure.')).toHaveCount(1);
  // What to do is not far below what the gateway says.
  await expect(inspector.getByText('Nocturne inferred this')).toBeInViewport();
  await expect(inspector.getByText('Does status “3” mean failed?')).toBeVisible();
  await page.keyboard.press('Control+i');

  // Edited in the grid: a draft, for which nothing is sent before a word; what was sent is still watched.
  await page.keyboard.press('End');
  await page.keyboard.press('F2');
  await page.keyboard.press('Control+a');
  await page.keyboard.type('A seahorse');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await bad())?.status).toBe('draft');
  expect(await rowDetail(launched, batchId, 'bad')).toMatchObject({ isEarlierWatched: true });
  // Enter went on to the row below.
  await page.keyboard.press('ArrowUp');
  await expect(inspector).toContainText('The gateway is still asked about it');
  expect(gateway.chargeLog()).toHaveLength(2);
  await ask('batch.release', { batchId, submits: (await ask('batch.get', { batchId })).draftSubmits });
  const again = await waitForState(launched, batchId, 'finished');
  expect(countOf(again, 'done')).toBe(2);
  expect(gateway.chargeLog()).toHaveLength(3);

  // What was paid for before the edit can still be talked about with the gateway.
  const earlier = inspector.getByTestId('earlier-takes');
  await expect(earlier).toContainText('1 paid request in all');
  const attempt = earlier.getByRole('button', { expanded: false });
  await attempt.click();
  await expect(earlier).toContainText('sensitive words');
  await expect(earlier).toContainText('"prompt": "A jellyfish"');
  const { earlierTakes } = await rowDetail(launched, batchId, 'bad');
  await expect(earlier.getByText(earlierTakes.shown[0]?.taskCode ?? 'no task code', { exact: true })).toBeVisible();
  await expect(earlier.getByRole('button', { name: 'Export evidence…' })).toBeVisible();
  await earlier.scrollIntoViewIfNeeded();
  await page.screenshot({ path: test.info().outputPath('earlier-attempts.png') });

  await launched.close();
});

test('what a status means is answered in the window, kept in the profile, and not asked again', async ({ open }) => {
  const { ok } = gateway.setBehaviour({
    auth: { keys: [KEY] },
    moderation: { words: ['jellyfish'] },
    status: { failed: STATUS },
    faults: [{ kind: 'remote-failure', when: 'submit', nth: [3] }],
  });
  expect(ok).toBe(true);
  const launched = await open(5);
  const { app, page, ask } = launched;
  const path = join(newFolder('inferred-status-sheet'), 'Inferred.csv');
  writeFileSync(path, `${SHEET}\nlate,image,A harbour`);
  await answerDialogs(app, [path, newFolder('inferred-status-media')]);
  await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
  await ask('key.set', { key: KEY });
  const sheetId = (await ask('sheet.choose'))?.sheetId ?? '';
  const { id: batchId } = await ask('batch.create', { sheetId, name: 'Inferred', rehearsal: false, start: true });
  await waitForState(launched, batchId, 'finished');
  await page.reload();
  // A night has ended that nobody saw: the window opens with its ledger, which asks once, however many groups it is about.
  const question = page.getByText(`Does status “${STATUS}” mean failed?`);
  await expect(page.getByTestId('ledger-group-correct')).toContainText('Refused by moderation');
  await expect(
    page.getByTestId('ledger-group-retry').getByText('no status that is known to mean failed'),
  ).toBeVisible();
  await expect(question).toHaveCount(1);
  await batchLink(page, /^Inferred Finished/).click();
  await expect(question).toBeVisible();
  // It is broken before the buttons.
  const [asked, yes] = [
    await question.boundingBox(),
    await page.getByRole('button', { name: 'Yes, failed…' }).boundingBox(),
  ];
  const textWidth = await question.evaluate((element) => element.scrollWidth);
  expect((asked?.x ?? 0) + textWidth).toBeLessThanOrEqual(yes?.x ?? 0);
  await answerQuestions(app, 'Cancel');
  await page.getByRole('button', { name: 'Yes, failed…' }).click();
  await expect(page.getByRole('button', { name: 'Yes, failed…' })).toBeEnabled();
  expect((await ask('profile.get')).text).not.toContain('"failed"');
  await answerQuestions(app, 'Treat as failed');
  await page.getByRole('button', { name: 'Yes, failed…' }).click();
  await expect(question).toBeHidden();
  expect(JSON.parse((await ask('profile.get')).text)).toMatchObject({
    status: { 'videogen-b': { [STATUS]: 'failed' } },
  });
  const { row } = await rowDetail(launched, batchId, 'bad');
  expect(row.failure).toMatchObject({ code: 'MODERATED' });
  expect(row.failure?.suspected).toBeUndefined();
  await launched.close();
});
