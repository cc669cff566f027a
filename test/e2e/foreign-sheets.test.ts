/** Sheets that were made for other people and by other programs, from the file to a rehearsal that runs, in few clicks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, join } from 'node:path';
import { expect, type Locator, type Page } from '@playwright/test';
import { chineseList, formAnswers, productCatalogue, shotList, songList } from '../support/foreign-sheets.ts';
import { answerDialogs, newFolder, test, waitForState } from './launch.ts';

/** More would send somebody back to their spreadsheet. Choosing the file in the system's dialog is not counted. */
const MOST_CLICKS = 8;

/** A hand that counts. */
class Hand {
  clicks = 0;
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  get screen(): Locator {
    return this.#page.getByTestId('sheet-screen');
  }

  async click(name: string | RegExp): Promise<void> {
    this.clicks += 1;
    await this.#page.getByRole('button', { name }).first().click();
  }

  async choose(button: string | RegExp, option: string): Promise<void> {
    await this.click(button);
    this.clicks += 1;
    await this.#page
      .getByRole('option', { name: new RegExp(`^${option}(?![a-z_-])`, 'u') })
      .first()
      .click();
  }

  /** What the rows without an operation, here all of them, are. */
  async render(operation: string): Promise<void> {
    await this.choose(/^Operation of rows without one/u, operation);
    await expect(this.screen.getByText('Rows without an operation render:')).toBeVisible();
  }

  async map(header: string, column: string): Promise<void> {
    await this.choose(`Mapping of “${header}”`, column);
    const mapping = this.screen.getByRole('button', { name: `Mapping of “${header}”` });
    await expect(mapping).toHaveAccessibleName(`Mapping of “${header}”: ${column}`);
  }
}

interface Foreign {
  readonly what: string;
  readonly write: (folder: string) => string;
  /** What its owner says about it. */
  readonly say: (hand: Hand) => Promise<void>;
  readonly rows: number;
  /** Rows that lack what they are about, or a picture. */
  readonly invalid: number;
}

const FOREIGN: readonly Foreign[] = [
  {
    what: 'a shot list with titles above its header',
    write: shotList,
    rows: 13,
    invalid: 1,
    say: async (hand) => {
      await hand.render('Video A');
      await hand.map('Description', 'prompt');
      await hand.map('Shot', 'row');
    },
  },
  {
    what: 'a song list with semicolons and umlauts',
    write: songList,
    rows: 5,
    invalid: 0,
    say: async (hand) => {
      await hand.render('Music');
      await hand.map('Beschreibung', 'gpt_description_prompt');
      await hand.map('Nr', 'row');
    },
  },
  {
    what: 'a catalogue with pictures on this computer',
    write: productCatalogue,
    rows: 8,
    invalid: 1,
    say: async (hand) => {
      await hand.render('Video A');
      await hand.map('Ad text', 'prompt');
      await hand.click('Choose file…');
      await expect(hand.screen.getByTestId('files-place')).toContainText('the command');
    },
  },
  {
    what: 'a Chinese list of pictures in GB 18030',
    write: chineseList,
    rows: 10,
    invalid: 0,
    say: async (hand) => {
      await expect(hand.screen.getByRole('cell', { name: '清晨的𠮷野山，薄雾，电影感光线' })).toBeVisible();
      await hand.render('Image');
    },
  },
  {
    what: 'the answers to a form of questions',
    write: formAnswers,
    rows: 5,
    invalid: 1,
    say: async (hand) => {
      await hand.render('Music');
      for (const [question, column] of [
        ['What should your song be about?', 'gpt_description_prompt'],
        ['Which style of music do you like?', 'tags'],
      ] as const) {
        const line = `${question} Similar meaning – confirm Mapping of “${question}”: ${column}`;
        await expect(hand.screen.getByRole('row', { name: line })).toBeVisible();
      }
      for (const question of ['Timestamp', 'Email address', 'What is your name?']) {
        await expect(hand.screen.getByRole('row', { name: `${question} Not a known column – not sent` })).toBeVisible();
      }
    },
  },
];

/** A place for files as a user's own command makes one: it prints where the file is from now on. */
async function filesPlace(folder: string): Promise<{ readonly path: string; close(): void }> {
  const server = createServer(({ url = '' }, response) => response.end(readFileSync(join(folder, basename(url)))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const command = join(folder, 'put-it');
  const { port } = server.address() as AddressInfo;
  const put = `cp "$1" "${folder}/$NOCTURNE_FILE_SHA256" && echo "http://127.0.0.1:${port}/$NOCTURNE_FILE_SHA256"`;
  writeFileSync(command, `#!/bin/sh\n${put}\n`, { mode: 0o755 });
  const path = join(folder, 'place.json');
  writeFileSync(path, JSON.stringify({ command: { argv: [command] } }));
  return {
    path,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('five sheets that were not made here run after a few clicks each, and every row that can', async ({ open }) => {
  const launched = await open(60);
  const { app, page, ask } = launched;
  const place = await filesPlace(newFolder('place'));
  const started = new Map<string, Foreign>();
  try {
    for (const foreign of FOREIGN) {
      const { what, write, say } = foreign;
      await test.step(what, async () => {
        const hand = new Hand(page);
        await answerDialogs(app, [write(newFolder('foreign')), place.path]);
        const began = performance.now();
        await hand.click('Import a sheet');
        await expect(hand.screen).toBeVisible();
        const shown = performance.now();
        await say(hand);
        await page.screenshot({ path: test.info().outputPath(`${write.name}.png`) });
        await hand.click('Start rehearsal');
        await expect(page.getByTestId('batch-screen')).toBeVisible();
        const batch = (await ask('batch.list')).find(({ id }) => !started.has(id));
        if (batch === undefined) throw new Error('Nothing was started.');
        await expect.poll(async () => (await ask('batch.get', { batchId: batch.id })).submitsUsed).toBeGreaterThan(0);
        const seconds = [shown - began, performance.now() - shown].map((ms) => (ms / 1000).toFixed(1));
        const measured = `${hand.clicks} clicks, ${seconds.join(' s until it is shown, ')} s until it runs`;
        test.info().annotations.push({ type: what, description: measured });
        expect(hand.clicks).toBeLessThanOrEqual(MOST_CLICKS);
        started.set(batch.id, foreign);
      });
    }
    for (const [batchId, { what, rows, invalid }] of started) {
      const { rowCount, rows: ended } = await waitForState(launched, batchId, 'finished');
      expect({ rowCount, done: ended.done, invalid: ended.invalid }, what).toEqual({
        rowCount: rows,
        done: rows - invalid,
        invalid,
      });
    }
  } finally {
    place.close();
  }
});
