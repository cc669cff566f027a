/** The sheet of a batch as it is edited: by keyboard and clipboard in a real window, and looked up in the store. */
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { expect } from '@playwright/test';
import { CellColumns, type StoredCells } from '../../src/engine/store/sheets/cell-columns.ts';
import {
  answerDialogs,
  answerQuestions,
  countOf,
  launch,
  newFolder,
  test,
  waitForState,
  type Launched,
} from './launch.ts';
import { rehearsalCharges } from './proof.ts';

const HEADERS = ['row', 'operation', 'prompt', 'title', 'tags', 'model', 'note'];
const BLOCK = { rows: 2_000, columns: 5 };
/** Where the first sheet columns stand in the grid, in pixels: line, id and status come before. */
const HEADER_HEIGHT = 34;
const ROW_HEIGHT = 34;
const PROMPT_X = 58 + 112 + 122 + 104 + 40;
/** Of a batch that was started: file, reason, duration, end and takes come before the sheet, and what it costs if it is paid for. */
const RESULTS_WIDTH = { rehearsed: 112 + 188 + 64 + 84 + 74, paid: 112 + 188 + 64 + 80 + 84 + 74 };

interface StoredRow {
  readonly row: string;
  readonly cells: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The rows of the only batch, as they stand in the store beside its owner. */
function storedRows({ dataFolder }: Launched): readonly StoredRow[] {
  const db = new DatabaseSync(join(dataFolder, 'store', 'nocturne.db'), { readOnly: true });
  try {
    const batch = db.prepare('SELECT headers, cell_columns FROM batches').get() as Record<string, string>;
    const [headers = [], names = []] = [batch.headers, batch.cell_columns].map(
      (list) => JSON.parse(list ?? '[]') as readonly string[],
    );
    const columns = new CellColumns(names, headers);
    const rows = db
      .prepare('SELECT row_id, rest, body FROM rows JOIN row_contents ON row = seq WHERE removed = 0 ORDER BY position')
      .all() as { row_id: string; rest: string; body: Uint8Array }[];
    return rows.map(({ row_id: row, rest, body }) => {
      const { cells } = JSON.parse(rest) as { readonly cells: StoredCells };
      const text = new TextDecoder().decode(body);
      return { row, cells: columns.cells(cells), body: text === '' ? {} : (JSON.parse(text) as StoredRow['body']) };
    });
  } finally {
    db.close();
  }
}

/** Has the window show another screen, as the notification of a night does that is pressed. */
async function showLedger({ app, page }: Launched): Promise<void> {
  await app.evaluate(({ app: running }) =>
    running.emit('second-instance', {}, ['nocturne', 'nocturne://ledger'], '/', null),
  );
  await expect(page.getByRole('heading', { level: 1, name: 'Ledger' })).toBeVisible();
}

/** Brings lines in as a batch that is not started, and shows its grid. */
async function openSheet(launched: Launched, lines: readonly string[]): Promise<string> {
  const { app, ask, page } = launched;
  const file = join(newFolder('sheet'), 'Edited.csv');
  writeFileSync(file, lines.join('\n'));
  await answerDialogs(app, [file, newFolder('media')]);
  const sheet = await ask('sheet.choose');
  const chosen = await ask('folder.choose');
  const { id } = await ask('batch.create', {
    sheetId: sheet?.sheetId ?? '',
    name: 'Edited',
    rehearsal: true,
    start: false,
    ...(chosen === undefined ? {} : { folderId: chosen.folderId }),
  });
  await page.reload();
  await expect(page.getByTestId('status-line')).toContainText(/\d rows?/u);
  return id;
}

/** Clicks a cell of the prompt's column. */
async function clickPrompt({ page }: Launched, index: number, resultsWidth = 0): Promise<void> {
  await page
    .getByTestId('row-grid')
    .click({ position: { x: PROMPT_X + resultsWidth, y: HEADER_HEIGHT + ROW_HEIGHT * index + ROW_HEIGHT / 2 } });
}

async function press({ page }: Launched, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

async function expectDone({ page }: Launched, words: string | RegExp): Promise<void> {
  await expect(page.getByTestId('last-done')).toHaveText(words, { timeout: 60_000 });
}

test('a sheet that an undo has emptied still takes what is typed and pasted', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  await page.getByRole('button', { name: 'New sheet from a template' }).click();
  await page.getByRole('button', { name: 'Empty sheet', exact: true }).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await app.evaluate(({ clipboard }) => clipboard.writeText('one\ntwo'));
  await clickPrompt(launched, 0);
  await press(launched, 'Control+v');
  await expectDone(launched, 'Pasted 2 cells');
  await press(launched, 'Control+z');
  await expect.poll(() => storedRows(launched)).toEqual([]);
  await expect(page.getByText('Type into the first row, or paste')).toBeVisible();
  await page.keyboard.type('A lullaby');
  await press(launched, 'Enter');
  await expect.poll(() => storedRows(launched).map(({ cells }) => cells['prompt'])).toEqual(['A lullaby']);
});

test('a block of 2,000 × 5 cells is pasted, filled down, undone, done again, and replaced in', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  await openSheet(launched, [HEADERS.join(','), 'first,lyrics,A lullaby,,,,', 'second,lyrics,A march,,,,']);

  const block = Array.from({ length: BLOCK.rows }, (_row, row) =>
    Array.from({ length: BLOCK.columns }, (_cell, cell) => `cell ${row}.${cell}`).join('\t'),
  ).join('\n');
  await app.evaluate(({ clipboard }, text) => clipboard.writeText(text), block);
  await clickPrompt(launched, 0);
  await press(launched, 'Control+v');
  await expectDone(launched, 'Pasted 10,000 cells');
  const pasted = storedRows(launched);
  expect(pasted).toHaveLength(BLOCK.rows);
  expect(pasted[0]?.row).toBe('first');
  for (const [row, { cells }] of pasted.entries()) {
    const written = ['prompt', 'title', 'tags', 'model', 'note'].map((header) => cells[header]);
    expect(written).toEqual(Array.from({ length: BLOCK.columns }, (_cell, cell) => `cell ${row}.${cell}`));
  }

  // The operation of the first row into all others, from the keyboard alone.
  await press(launched, 'Control+Home', 'ArrowRight', 'ArrowRight', 'Control+Shift+ArrowDown', 'Control+d');
  await expectDone(launched, /^Filled 1,99\d rows$/u);
  const filled = storedRows(launched);
  expect(new Set(filled.map(({ cells }) => cells['operation']))).toEqual(new Set(['lyrics']));
  expect(filled[1_999]?.body).toEqual({ prompt: 'cell 1999.0' });

  await press(launched, 'Control+z');
  await expectDone(launched, /^Undone: /u);
  expect(storedRows(launched)).toEqual(pasted);
  await press(launched, 'Control+z');
  await expect.poll(() => storedRows(launched).map(({ cells }) => cells['prompt'])).toEqual(['A lullaby', 'A march']);
  await press(launched, 'Control+y', 'Control+y');
  await expectDone(launched, 'Redone: Fill down 1,998 rows');
  expect(storedRows(launched).map(({ cells }) => cells)).toEqual(filled.map(({ cells }) => cells));

  await press(launched, 'Control+h');
  await page.getByLabel('Find', { exact: true }).fill('cell 19');
  await press(launched, 'Enter');
  await expect(page.getByTestId('find-panel')).toContainText('555 cells');
  await page.getByLabel('Replace with').fill('owl 19');
  await page.getByRole('button', { name: 'Replace all' }).click();
  await expectDone(launched, 'Replaced in 555 cells (111 rows)');
  const replaced = storedRows(launched);
  for (const [row, { cells }] of replaced.entries()) {
    const word = String(row).startsWith('19') ? 'owl' : 'cell';
    expect(cells['prompt']).toBe(`${word} ${row}.0`);
    expect(cells['note']).toBe(`${word} ${row}.4`);
  }
  await launched.close();
});

test('cells are typed, copied, and written at length; a new row begins below the last one', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  await openSheet(launched, [HEADERS.join(','), ...['a', 'b', 'c'].map((row) => `${row},lyrics,A song of ${row},,,,`)]);

  await clickPrompt(launched, 0);
  await page.keyboard.type('An owl');
  await press(launched, 'Enter');
  await page.keyboard.type('A hawk');
  await press(launched, 'Tab');
  await page.keyboard.type('Day song');
  await press(launched, 'Enter');
  await expect
    .poll(() => storedRows(launched).map(({ cells }) => [cells['prompt'], cells['title']]))
    .toEqual([
      ['An owl', ''],
      ['A hawk', 'Day song'],
      ['A song of c', ''],
    ]);

  // A double click goes on with what is there. Not where the cursor is: there, the grid takes one click so soon after
  // the first one of all for the second of two.
  await page.getByTestId('row-grid').dblclick({ position: { x: PROMPT_X, y: HEADER_HEIGHT + ROW_HEIGHT * 1.5 } });
  await page.keyboard.type(' and more');
  await press(launched, 'Enter');
  await expect.poll(() => storedRows(launched)[1]?.cells['prompt']).toBe('A hawk and more');

  // What is copied can be pasted elsewhere, too.
  await clickPrompt(launched, 0);
  await press(launched, 'Shift+ArrowDown', 'Control+c');
  await expectDone(launched, 'Copied 2 cells');
  expect((await app.evaluate(({ clipboard }) => clipboard.readText())).trim().split(/\r?\n/u)).toEqual([
    'An owl',
    'A hawk and more',
  ]);

  // So can what the program tells of a row.
  await press(launched, 'Home', 'ArrowRight', 'Control+c');
  await expect.poll(() => app.evaluate(({ clipboard }) => clipboard.readText())).toBe('Queued');

  // Below the last row, one row comes to be, however fast it is typed.
  await clickPrompt(launched, 3);
  await press(launched, 'Home');
  await page.keyboard.type('d');
  await press(launched, 'Tab');
  await page.keyboard.type('lyrics');
  await press(launched, 'Tab');
  await page.keyboard.type('A new song');
  await press(launched, 'Enter');
  await expect
    .poll(() => storedRows(launched).slice(3))
    .toMatchObject([{ row: 'd', cells: { operation: 'lyrics' }, body: { prompt: 'A new song' } }]);

  // What was edited is marked, and shown alone; an earlier text is used again as if it were typed.
  await clickPrompt(launched, 1);
  await expect(page.getByTestId('status-line')).toContainText('Edited since the import.');
  await press(launched, 'Shift+F10');
  await page.getByRole('menuitem', { name: 'Show only edited rows' }).click();
  await expect(page.getByTestId('status-line')).toContainText('3 rows');
  await press(launched, 'Control+i');
  const edits = page.getByTestId('row-edits');
  await expect(edits).toContainText(/Edited at [\d:]+; applies when this row is rendered\./u);
  await edits.getByRole('button', { name: '3 changes since the import' }).click();
  await expect(edits.getByRole('listitem').first()).toContainText('→ A hawk and more');
  const again = edits.getByRole('button', { name: 'Use this text again in “prompt”: A song of b' });
  await again.click();
  await expect.poll(() => storedRows(launched)[1]?.body['prompt']).toBe('A song of b');
  await expect(edits.getByRole('listitem').first()).toContainText('→ A song of b');
  await expect(again).toBeDisabled();
  await expect(again).toBeFocused();
  await expect(page.getByTestId('status-line')).not.toContainText('Edited since the import.');
  await page.getByRole('button', { name: 'Undo: Edit “prompt”' }).click();
  await expect.poll(() => storedRows(launched)[1]?.body['prompt']).toBe('A hawk and more');
  await page.getByRole('button', { name: 'Close the inspector' }).click();
  await page.getByTestId('chip-edited').click();
  await expect(page.getByTestId('status-line')).toContainText('4 rows');

  // The large editor: Escape asks once something was changed.
  await clickPrompt(launched, 2);
  await press(launched, 'F4');
  const large = page.getByTestId('large-editor');
  await expect(large.getByRole('textbox')).toBeFocused();
  await large.getByRole('textbox').fill('First line\nsecond line, with an über');
  await expect(page.getByTestId('large-editor-count')).toHaveText('36 characters, 2 lines, 37 B');
  await press(launched, 'Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await press(launched, 'Control+Enter');
  await expect(large).toBeHidden();
  await expect.poll(() => storedRows(launched)[2]?.body['prompt']).toBe('First line\nsecond line, with an über');

  // The inspector takes its room from the right: the cursor's cell stays in sight beside it.
  await clickPrompt(launched, 0);
  await page.keyboard.press('Control+ArrowRight');
  await press(launched, 'Control+i');
  await expect(page.getByTestId('inspector')).toBeVisible();
  const cursor = page.locator('[data-testid="row-grid"] [role="gridcell"][aria-selected="true"]');
  await expect(cursor).toHaveAttribute('aria-colindex', String(2 + HEADERS.length));
  await page.screenshot({ path: test.info().outputPath('inspected.png') });
  await launched.close();
});

test('a changed row of a finished batch runs at the user’s word, and no other row does', async ({ open }) => {
  const launched = await open(5);
  const { ask, page } = launched;
  const batchId = await openSheet(launched, [
    HEADERS.join(','),
    ...['a', 'b', 'c'].map((row) => `${row},lyrics,A song of ${row},,,,`),
  ]);
  await ask('batch.start', { batchId });
  await waitForState(launched, batchId, 'finished');
  expect(submits(launched)).toBe(3);

  await clickPrompt(launched, 1, RESULTS_WIDTH.rehearsed);
  await page.keyboard.type('Another song of b');
  await press(launched, 'Enter');
  await expect(page.getByTestId('chip-draft')).toContainText('1');
  await expect(page.getByTestId('batch-state')).toHaveText('Finished, 1 changed row to run');
  await clickPrompt(launched, 1, RESULTS_WIDTH.rehearsed);
  await press(launched, 'Control+i');
  await expect(page.getByTestId('body-preview')).toContainText('"prompt": "Another song of b"');
  await press(launched, 'Escape');
  expect(submits(launched)).toBe(3);

  await page.getByRole('button', { name: 'Run 1 changed row' }).click();
  await expect(page.getByRole('alertdialog')).toContainText('This makes 1 request.');
  await page.getByRole('button', { name: 'Run 1 row', exact: true }).click();
  await expect.poll(async () => countOf(await ask('batch.get', { batchId }), 'done'), { timeout: 60_000 }).toBe(3);
  await waitForState(launched, batchId, 'finished');
  expect(submits(launched)).toBe(4);
  await launched.close();
});

/** Every submit that the built-in gateway has charged. */
function submits({ dataFolder }: Launched): number {
  return [...rehearsalCharges(dataFolder).values()].reduce((sum, count) => sum + count, 0);
}

test('the grid has its colours where the user wants no motion', async ({ open }) => {
  const launched = await open();
  await launched.page.emulateMedia({ reducedMotion: 'reduce' });
  await openSheet(launched, [HEADERS.join(','), 'a,lyrics,A song,,,,']);
  const colours = await launched.page.getByTestId('data-grid-canvas').evaluate((canvas: HTMLCanvasElement) => {
    const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
    return new Set(Array.from({ length: pixels.length / 4 }, (_, i) => pixels.slice(4 * i, 4 * i + 3).join())).size;
  });
  // Text, lines and grounds, each with the shades of its edges.
  expect(colours).toBeGreaterThan(20);
  await launched.close();
});

test('a row in flight is not edited, and says why', async ({ open }) => {
  const gateway = await startSilentGateway();
  const launched = await open();
  const { ask, page } = launched;
  const batchId = await openSheet(launched, [HEADERS.join(','), 'a,lyrics,A song,,,,']);
  const profile = JSON.parse((await ask('profile.get')).text) as object;
  await answerQuestions(launched.app, 'Apply changes');
  await ask('profile.set', { text: JSON.stringify({ ...profile, baseUrl: gateway.baseUrl }) });
  await ask('key.set', { key: 'sk-editor-31c0ffee' });
  await ask('batch.configure', { batchId, rehearsal: false });
  await ask('batch.start', { batchId });
  await expect
    .poll(async () => countOf(await ask('batch.get', { batchId }), 'submit-unknown'), { timeout: 60_000 })
    .toBe(1);
  const before = storedRows(launched);
  await clickPrompt(launched, 0, RESULTS_WIDTH.paid);
  await expect(page.getByTestId('status-line').locator('svg')).toBeVisible();
  await page.keyboard.type('Too late');
  await expect(page.getByText('a cannot be edited now', { exact: true })).toBeVisible();
  await expect(page.getByTestId('cell-editor')).toBeHidden();
  await press(launched, 'Delete');
  await expectDone(launched, 'a cannot be edited now');
  // Why is said in one place, and nothing is put over the rows.
  const reason = await page.getByTestId('status-line').locator('p').first().innerText();
  await expect(page.getByText(reason, { exact: true })).toHaveCount(1);
  expect(storedRows(launched)).toEqual(before);
  await launched.close();
  gateway.server.close();
});

test('a text for every chosen cell is for the rows that were chosen, also where one leaves the view meanwhile', async ({
  open,
}) => {
  const launched = await open();
  const { app, ask, page } = launched;
  await app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.setContentSize(900, 600));
  const ids = ['a-song-for-the-end-of-the-night', 'b', 'c'];
  const batchId = await openSheet(launched, [HEADERS.join(','), ...ids.map((row) => `${row},lyrics,A song,,,,`)]);
  await page.getByTestId('chip-queued').click();
  await expect(page.getByTestId('chip-queued')).toHaveAttribute('data-state', 'on');
  await expect(page.getByTestId('status-line')).toContainText('3 rows');
  await clickPrompt(launched, 0);
  await press(launched, 'Shift+ArrowDown');
  await page.keyboard.type('A march');
  const view = { filter: {}, sort: { column: 'line', direction: 'ascending' } } as const;
  const { rows } = await ask('rows.page', { batchId, ...view, offset: 0, limit: 1 });
  await ask('batch.cancelRows', { batchId, rows: rows.map(({ key }) => key) });
  await expect(page.getByTestId('status-line')).toContainText('2 rows');
  // What is said about it can be read to its end.
  const note = page.getByTestId('cell-editor').getByRole('status');
  await expect(note).toContainText('your text still goes to that row.');
  await page.screenshot({ path: test.info().outputPath('note.png') });
  const { x = 0, width = 0 } = (await note.boundingBox()) ?? {};
  expect(x + width).toBeLessThanOrEqual(900);
  await press(launched, 'Control+Enter');
  await expect
    .poll(() => storedRows(launched).map(({ cells }) => cells['prompt']))
    .toEqual(['A march', 'A march', 'A song']);
  await launched.close();
});

test('what was typed for a row that went in flight meanwhile is not written, and not lost', async ({ open }) => {
  const gateway = await startSilentGateway();
  const launched = await open();
  const { ask, page } = launched;
  const batchId = await openSheet(launched, [HEADERS.join(','), 'a,lyrics,A song,,,,', 'b,lyrics,A song,,,,']);
  const profile = JSON.parse((await ask('profile.get')).text) as object;
  await answerQuestions(launched.app, 'Apply changes');
  await ask('profile.set', { text: JSON.stringify({ ...profile, baseUrl: gateway.baseUrl }) });
  await ask('key.set', { key: 'sk-editor-31c0ffee' });
  await ask('batch.configure', { batchId, rehearsal: false });
  await page.getByTestId('chip-queued').click();
  await clickPrompt(launched, 0);
  await page.keyboard.type('A march');
  await ask('batch.start', { batchId });
  await expect
    .poll(async () => countOf(await ask('batch.get', { batchId }), 'submit-unknown'), { timeout: 60_000 })
    .toBe(2);
  await expect(page.getByText('No rows match.')).toBeVisible();
  for (const keys of ['Control+Enter', 'Enter']) {
    await press(launched, keys);
    await expect(page.getByText('1 row stays as it was.', { exact: true })).toBeVisible();
    await expect(page.getByTestId('cell-editor').getByRole('textbox')).toHaveValue('A march');
  }
  expect(storedRows(launched)[0]?.cells['prompt']).toBe('A song');
  // Also not by a screen that comes by itself.
  await showLedger(launched);
  await expect(page.getByText('What you typed for a was not saved.', { exact: true })).toBeVisible();
  await expect(page.getByText('A march', { exact: true })).toBeVisible();
  await page.getByText('Edited').first().click();
  await page.getByRole('button', { name: 'Show all rows' }).click();
  await expect(page.getByText('No rows match.')).toBeHidden();
  await launched.close();
  gateway.server.close();
});

test('what was typed is shown where it could not be written, also once its grid was left', async ({ open }) => {
  const launched = await open();
  const { app, page } = launched;
  await openSheet(launched, [HEADERS.join(','), 'a,lyrics,A song,,,,']);
  const engine = await app.evaluate(
    ({ app: running }) => running.getAppMetrics().find((metric) => metric.name === 'Nocturne engine')?.pid ?? 0,
  );
  await clickPrompt(launched, 0);
  await page.keyboard.type('A march');
  process.kill(engine, 'SIGSTOP');
  await press(launched, 'Enter', 'Control+,');
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  process.kill(engine, 'SIGKILL');
  await expect(page.getByText('What you typed for a was not saved.', { exact: true })).toBeVisible();
  await expect(page.getByText('A march', { exact: true })).toBeVisible();
});

test('what is being typed when another screen comes by itself is in the sheet', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  await openSheet(launched, [HEADERS.join(','), 'a,lyrics,A song,,,,', 'b,lyrics,A song,,,,']);
  for (const [index, editor] of ['cell', 'large'].entries()) {
    await clickPrompt(launched, index);
    if (editor === 'large') await press(launched, 'F4', 'Control+a');
    await page.keyboard.type(`Typed in the ${editor} editor`);
    await showLedger(launched);
    await expect.poll(() => storedRows(launched)[index]?.cells['prompt']).toBe(`Typed in the ${editor} editor`);
    await page.getByText('Edited').first().click();
  }
});

test('the grid stays where it is, however many statuses there are', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  await openSheet(launched, [HEADERS.join(','), 'a,lyrics,A song,,,,']);
  const top = async () => (await page.getByTestId('row-grid').boundingBox())?.y;
  const before = await top();
  await page.getByTestId('chip-queued').evaluate((chip) => {
    for (let more = 0; more < 20; more += 1) chip.after(chip.cloneNode(true));
  });
  expect(await top()).toBe(before);
});

test('what is being typed when the window closes is in the sheet', async () => {
  const dataFolder = newFolder('closed');
  for (const [index, editor] of ['cell', 'large'].entries()) {
    const launched = await launch({ dataFolder });
    const { app, page } = launched;
    if (index === 0) await openSheet(launched, [HEADERS.join(','), 'a,lyrics,A song,,,,', 'b,lyrics,A song,,,,']);
    else await page.getByText('Edited').first().click();
    await clickPrompt(launched, index);
    if (editor === 'large') {
      await press(launched, 'F4', 'Control+a');
      await expect(page.getByTestId('large-editor')).toBeVisible();
    }
    await page.keyboard.type(`Typed in the ${editor} editor`);
    const ended = new Promise((resolve) => app.process().once('exit', resolve));
    await app.evaluate(({ BrowserWindow }) => {
      setImmediate(() => BrowserWindow.getAllWindows()[0]?.close());
    });
    await ended;
    expect(storedRows(launched)[index]?.cells['prompt']).toBe(`Typed in the ${editor} editor`);
  }
});

test('what waits behind another edit when the window closes is in the sheet', async () => {
  const launched = await launch({ dataFolder: newFolder('waiting'), speed: 1 });
  const { app, page } = launched;
  await openSheet(launched, [HEADERS.join(','), ...['a', 'b', 'c'].map((row) => `${row},lyrics,A song,,,,`)]);
  const engine = await app.evaluate(
    ({ app: running }) => running.getAppMetrics().find(({ name }) => name === 'Nocturne engine')?.pid ?? 0,
  );
  await clickPrompt(launched, 0);
  await expect(page.getByText('The lyrics or the prompt.')).toBeVisible();
  // The first edit takes until the window is gone.
  process.kill(engine, 'SIGSTOP');
  for (const text of ['One', 'Two', 'Three']) {
    await page.keyboard.type(text);
    if (text !== 'Three') await press(launched, 'Enter');
  }
  const [ended, closed] = [new Promise((resolve) => app.process().once('exit', resolve)), page.waitForEvent('close')];
  await app.evaluate(({ BrowserWindow }) => {
    setImmediate(() => BrowserWindow.getAllWindows()[0]?.close());
  });
  await closed;
  process.kill(engine, 'SIGCONT');
  await ended;
  expect(storedRows(launched).map(({ cells }) => cells['prompt'])).toEqual(['One', 'Two', 'Three']);
});

/** Takes every submit and never says what became of it. */
async function startSilentGateway(): Promise<{ readonly server: Server; readonly baseUrl: string }> {
  const server = createServer((request) => {
    request.resume();
    request.on('end', () => request.socket.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api` };
}

test('a filter takes rows out of what is chosen, and never puts others in', async ({ open }) => {
  const launched = await open();
  const { page } = launched;
  const ids = ['a1', 'b1', 'a2', 'b2', 'a3', 'b3'];
  await openSheet(launched, [HEADERS.join(','), ...ids.map((row) => `${row},lyrics,A song of ${row},,,,`)]);
  const storedIds = () => storedRows(launched).map(({ row }) => row);

  await clickPrompt(launched, 1);
  const remove = page.getByRole('button', { name: /^Delete rows/u });
  await expect(remove).toBeEnabled();
  await page.getByPlaceholder('Find rows').fill('song of a');
  await expect(page.getByTestId('status-line')).toContainText('3 rows');
  await expect(remove).toBeDisabled();
  // The same place again, where another row stands by now: a click means that row.
  await clickPrompt(launched, 1);
  await expect(remove).toBeEnabled();
  await press(launched, 'F2');
  await page.keyboard.type(' and more');
  await press(launched, 'Enter');
  await expect.poll(() => storedRows(launched)[2]?.cells['prompt']).toBe('A song of a2 and more');
  expect(storedIds()).toEqual(ids);

  // What is chosen and passes the filter stays chosen, wherever it stands: the cursor went on to the third.
  await page.getByPlaceholder('Find rows').fill('');
  await expect(page.getByTestId('status-line')).toContainText('6 rows');
  await remove.click();
  await expectDone(launched, 'Deleted 1 row');
  expect(storedIds()).toEqual(['a1', 'b1', 'a2', 'b2', 'b3']);
  await launched.close();
});
