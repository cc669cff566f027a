/** The first rows of a large file are on the screen while the rest is read; nothing counts before all is. */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type ElectronApplication } from '@playwright/test';
import { sheetXml, workbookParts, zipParts } from '../support/workbook-parts.ts';
import { answerDialogs, newFolder, test } from './launch.ts';

const ROWS = 8_000;
/** Texts that no compression makes small: a file of less than 256 kB comes as a whole. */
const LINES = [
  ['row', 'operation', 'prompt'],
  ...Array.from({ length: ROWS }, (_, i) => [`row-${i}`, 'image', `A fox ${randomBytes(40).toString('hex')}`]),
];

function sheetFile(name: string, content: string | Uint8Array): string {
  const path = join(newFolder('beginning'), name);
  writeFileSync(path, content);
  return path;
}

const FILES = {
  csv: () => sheetFile('Large.csv', LINES.map((cells) => cells.join(',')).join('\n')),
  xlsx: () => sheetFile('Large.xlsx', zipParts(workbookParts(sheetXml(LINES)))),
};

/** From now on, whoever reads a sheet is not heard any more after its first rows, until `letReadersSpeak`. */
async function holdReaders(app: ElectronApplication): Promise<void> {
  await app.evaluate(({ MessageChannelMain, utilityProcess }) => {
    const fork = utilityProcess.fork.bind(utilityProcess);
    let isHeld = true;
    const waiting: (() => void)[] = [];
    utilityProcess.fork = (...given) => {
      const child = fork(...given);
      if (!given[0].endsWith('sheet-reader-process.js')) return child;
      const post = child.postMessage.bind(child);
      child.postMessage = (message, [toEngine] = []) => {
        const { port1: toReader, port2 } = new MessageChannelMain();
        let hasBegun = false;
        toReader.on('message', ({ data }: { data: { kind: string } }) => {
          const pass = (): void => toEngine?.postMessage(data, []);
          if (hasBegun && isHeld) waiting.push(pass);
          else pass();
          hasBegun ||= data.kind === 'beginning';
        });
        toEngine?.on('message', ({ data }: { data: unknown }) => toReader.postMessage(data, []));
        toEngine?.on('close', () => toReader.close());
        toReader.start();
        toEngine?.start();
        post(message, [port2]);
      };
      return child;
    };
    Object.assign(globalThis, {
      letReadersSpeak: () => {
        isHeld = false;
        for (const pass of waiting.splice(0)) pass();
      },
    });
  });
}

const letReadersSpeak = (app: ElectronApplication): Promise<void> =>
  app.evaluate(() => (globalThis as unknown as { letReadersSpeak(): void }).letReadersSpeak());

for (const [format, file] of Object.entries(FILES)) {
  test(`the first rows of a large ${format} are there while the rest is read, and stay where they are`, async ({
    open,
  }) => {
    const launched = await open();
    const { app, page, ask } = launched;
    await answerDialogs(app, [file()]);
    await holdReaders(app);
    await page.getByRole('button', { name: 'Import a sheet' }).click();
    const screen = page.getByTestId('sheet-screen');
    const first = screen.getByRole('cell', { name: 'row-0', exact: true });
    await expect(first).toBeVisible();
    await expect(screen.getByText('Reading… 50 rows so far')).toBeVisible();
    await expect(screen.getByText('Known once all rows are read.')).toHaveCount(2);
    await expect(screen.getByRole('button', { name: 'Start rehearsal' })).toBeDisabled();
    await expect(screen.getByRole('button', { name: 'Import without starting' })).toBeDisabled();
    await screen.getByRole('textbox', { name: 'Name' }).fill('Foxes');
    await page.screenshot({ path: test.info().outputPath(`${format}-beginning.png`) });
    const place = await first.boundingBox();

    await letReadersSpeak(app);
    await expect(screen.getByText('8,000 rows', { exact: false }).first()).toBeVisible();
    await expect(screen.getByRole('button', { name: 'Start rehearsal' })).toBeEnabled();
    await expect(screen.getByRole('status')).toContainText('All rows are read');
    await page.screenshot({ path: test.info().outputPath(`${format}-whole.png`) });
    expect(await first.boundingBox()).toEqual(place);
    await expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('Foxes');
    await expect(screen.getByRole('textbox', { name: 'Name' })).toBeFocused();
    await screen.getByRole('button', { name: 'Import without starting' }).click();
    await expect
      .poll(async () => (await ask('batch.list')).map(({ name, rowCount }) => [name, rowCount]))
      .toEqual([['Foxes', ROWS]]);
  });
}

test('a large file is read in another way before all of it was, and left without a trace', async ({ open }) => {
  const launched = await open();
  const { app, page, ask } = launched;
  const path = FILES.csv();
  await answerDialogs(app, [path, path]);
  await holdReaders(app);
  const bringIn = page.getByRole('button', { name: 'Import a sheet' });
  const screen = page.getByTestId('sheet-screen');
  await bringIn.click();
  await expect(screen.getByText('Reading… 50 rows so far')).toBeVisible();
  const encoding = screen.getByRole('combobox', { name: 'Encoding' });
  await encoding.click();
  await page.getByRole('option', { name: 'GBK' }).click();
  await expect(encoding).toContainText('GBK');
  await expect(encoding).toBeEnabled();
  await expect(screen.getByText('Reading… 50 rows so far')).toBeVisible();

  await screen.getByRole('button', { name: 'Discard' }).click();
  await expect(screen).toBeHidden();
  await letReadersSpeak(app);
  await expect(bringIn).toBeEnabled();
  await bringIn.click();
  await expect(screen.getByRole('button', { name: 'Start rehearsal' })).toBeEnabled();
  await expect(encoding).toContainText('UTF-8');
  expect(await ask('batch.list')).toEqual([]);
});
