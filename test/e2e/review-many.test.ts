/**
 * Choosing among many files by keyboard alone: what is in the folder, in its manifest, in the results and in what is delivered
 * is what was chosen, across a kill. With `REVIEW_ROWS=200` it takes a minute.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, type Page } from '@playwright/test';
import { z } from 'zod';
import { batchLink, launch, newFolder, test, waitForState, type Launched } from './launch.ts';
import { startNight } from './whole-night.ts';

test.describe.configure({ timeout: 600_000 });

const COUNT = Number(process.env['REVIEW_ROWS'] ?? 40);
const TAKES = 3;
const ROWS = Array.from({ length: COUNT }, (_, i) => `row-${i + 1}`);
const SHEET = [
  'row,operation,prompt,takes,num_images',
  ...ROWS.map((row) => `${row},image,A lighthouse of ${row},${TAKES},1`),
].join('\n');
const REPOSITORY = join(import.meta.dirname, '../..');

interface Said {
  readonly kept?: boolean;
  readonly rating?: number;
}

/** What is pressed on a row, and what is said of its three files by that. */
const WAYS: readonly { readonly keys: readonly string[]; readonly said: readonly Said[] }[] = [
  { keys: ['k', 'ArrowRight', 'x', 'ArrowRight', 'x'], said: [{ kept: true }, { kept: false }, { kept: false }] },
  { keys: ['x', 'ArrowRight', '4', 'k'], said: [{ kept: false }, { kept: true, rating: 4 }, {}] },
  { keys: ['x', 'ArrowRight', 'x', 'ArrowRight', 'x'], said: [{ kept: false }, { kept: false }, { kept: false }] },
  { keys: ['x', 'u', 'ArrowRight', 'x', 'k', 'ArrowRight', '0'], said: [{}, { kept: true }, { rating: 0 }] },
  { keys: ['k', 'x', 'x', 'ArrowRight', 'ArrowLeft', 'k'], said: [{ kept: true }, {}, {}] },
];
const wayOf = (place: number): (typeof WAYS)[number] => WAYS[place % WAYS.length] ?? { keys: [], said: [] };

const manifestSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      sha256: z.string(),
      row: z.string(),
      take: z.int(),
      kept: z.boolean().optional(),
      rating: z.int().optional(),
    }),
  ),
});

async function openReview(page: Page): Promise<void> {
  await batchLink(page, /^Many/).click();
  await expect(page.locator('[data-region="grid"][data-ready="true"]')).toBeVisible();
  await page.keyboard.press('F8');
  await expect(page.getByTestId('review')).toBeVisible();
}

/** Goes through these rows as somebody does who looks at each. */
async function decide(page: Page, from: number, to: number): Promise<void> {
  for (let place = from; place < to; place += 1) {
    await expect(page.getByTestId('review-place')).toHaveText(`${place + 1} of ${COUNT}`);
    await expect(page.getByTestId('review').getByRole('listitem')).toHaveCount(TAKES);
    for (const key of wayOf(place).keys) await page.keyboard.press(key);
    if (place + 1 < COUNT) await page.keyboard.press('ArrowDown');
  }
  // The last key may still be on its way to the window.
  await expect(page.getByTestId('review-counts')).toContainText(wordsOf(to));
}

/** A few decisions on their way to the disk are not worth saying: the store has them all once it counts them. */
async function expectStored({ ask }: Launched, batchId: string, to: number): Promise<void> {
  const stored = async (verdict: 'kept' | 'rejected'): Promise<number> =>
    (await ask('files.found', { batchId, filter: { verdict } })).files.length / 2;
  await expect.poll(() => stored('kept')).toBe(countOf(to, isKept));
  await expect.poll(() => stored('rejected')).toBe(countOf(to, isRejected));
}

const countOf = (to: number, isMeant: (said: Said) => boolean): number =>
  ROWS.slice(0, to).reduce((sum, _, place) => sum + wayOf(place).said.filter(isMeant).length, 0);
const isKept = ({ kept }: Said): boolean => kept === true;
const isRejected = ({ kept }: Said): boolean => kept === false;
const wordsOf = (to: number): string => `${countOf(to, isKept)} kept · ${countOf(to, isRejected)} rejected`;

test(`${COUNT} rows with ${TAKES} takes are reviewed by keyboard alone, and everything holds what was chosen`, async () => {
  const dataFolder = newFolder('review');
  const folder = newFolder('media');
  const first = await launch({ dataFolder, speed: 50 });
  const batchId = await startNight(first, folder, { name: 'Many', text: SHEET });
  await waitForState(first, batchId, 'finished');
  // Its last row is one on which nothing is taken back: as many are stored only once all are.
  const half = WAYS.length * Math.ceil(COUNT / WAYS.length / 2) + 1;
  await openReview(first.page);
  await decide(first.page, 0, half);
  await expectStored(first, batchId, half);
  await first.kill();

  const second = await launch({ dataFolder, speed: 50 });
  await openReview(second.page);
  const counts = second.page.getByTestId('review-counts');
  await expect(counts).toContainText(wordsOf(half));
  for (let place = 0; place < half; place += 1) await second.page.keyboard.press('ArrowDown');
  await decide(second.page, half, COUNT);
  // Closed at once: what is on its way is sent before the window goes.
  await second.close();

  const { files } = manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')));
  const told = files.map(({ row, take, kept, rating }) => [row, take, { kept, rating }]);
  const chosen = ROWS.flatMap((row, place) => wayOf(place).said.map((said, i) => [row, i + 1, said]));
  expect(told).toEqual(
    chosen.map(([row, take, said]) => [row, take, { kept: undefined, rating: undefined, ...(said as Said) }]),
  );
  for (const { path, sha256, kept } of files) {
    expect(path.startsWith('rejected/')).toBe(kept === false);
    expect(
      createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex'),
    ).toBe(sha256);
  }
  const media = globSync('{image,rejected}/**/*.{png,jpg,jpeg,webp}', { cwd: folder });
  expect(media.toSorted()).toEqual(files.map(({ path }) => path).toSorted());

  const store = dirname(
    globSync('**/nocturne.db', { cwd: dataFolder }).map((found) => join(dataFolder, found))[0] ?? '',
  );
  const nocturne = (...args: readonly string[]): string => {
    const run = spawnSync(process.execPath, [join(REPOSITORY, 'src/cli/nocturne.ts'), ...args, '--data', store], {
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    return run.stdout;
  };
  const out = newFolder('out');
  nocturne('results', batchId, '--out', join(out, 'results.csv'));
  const results = readFileSync(join(out, 'results.csv'), 'utf8');
  for (const { path, kept } of files) expect(results.includes(path)).toBe(kept !== false);
  nocturne('export', batchId, '--out', join(out, 'delivery'), '--kept');
  const delivered = globSync('**/*.{png,jpg,jpeg,webp}', { cwd: join(out, 'delivery') });
  const shas = delivered.map((name) =>
    createHash('sha256')
      .update(readFileSync(join(out, 'delivery', name)))
      .digest('hex'),
  );
  expect(shas.toSorted()).toEqual(files.flatMap(({ sha256, kept }) => (kept === true ? sha256 : [])).toSorted());
  expect(existsSync(join(folder, 'rejected'))).toBe(true);
});
