import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { songWords } from '../../../src/main/engine-process/song-words.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const LYRICS = '[Verse]\nThe lamp is lit\nThe oil is low';
const SONG = 'musicgen/music/generate';
const TIMING = 'musicgen/music/timing';
const BEATS = 'musicgen/music/downbeats';

interface Given {
  readonly key: number;
  readonly row: string;
  readonly operation: string;
  readonly cells: readonly string[];
  readonly sent: object;
  readonly taskCode?: string;
  /** By output, as it lies on the disk. */
  readonly documents?: readonly unknown[];
}

/** A batch of these rows, each with one take; the take of row 1 has two songs. */
function batch(rows: readonly Given[], folder = temporaryFolder()) {
  const outputs = ({ key, operation, documents = [] }: Given) =>
    operation === SONG
      ? [1, 2].map((index) => ({ outputId: `${key}-${index}`, state: 'verified', mediaType: 'audio/mpeg' }))
      : documents.map((document, at) => {
          writeFileSync(join(folder, `${key}-${at + 1}.json`), JSON.stringify(document));
          return { outputId: `${key}-${at + 1}`, state: 'verified', mediaType: 'application/json' };
        });
  const views = {
    rowDetail: (_batch: string, key: number) => {
      const row = rows.find((one) => one.key === key);
      if (row === undefined) return Promise.resolve(undefined);
      const task = { taskId: key, taskCode: row.taskCode ?? `code-${key}`, outputs: outputs(row) };
      return Promise.resolve({ view: { row: row.row, operation: row.operation }, tasks: [task] });
    },
    rowPage: (_batch: string, { filter }: { filter: { operation: string } }) => {
      const found = rows.filter(({ operation }) => operation === filter.operation);
      return Promise.resolve({
        total: found.length,
        rows: found.map(({ key, row, cells }) => ({ key, row, sheet: { cells } })),
      });
    },
    outputFile: (id: string) =>
      Promise.resolve({ folder, path: `${id}.json`, mediaType: 'application/json', verified: true }),
  };
  const store = {
    attempts: (taskId: number) => {
      const { sent } = rows.find(({ key }) => key === taskId) ?? { sent: {} };
      return Promise.resolve([{ body: new TextEncoder().encode(JSON.stringify(sent)) }]);
    },
  };
  const sources = { views, store } as unknown as Parameters<typeof songWords>[0];
  return (fileId: string, key = 1) => songWords(sources, { batchId: 'b', key, fileId });
}

const song = (prompt: string): Given => ({ key: 1, row: 'song', operation: SONG, cells: [prompt], sent: { prompt } });
const about = (key: number, operation: string, clip: string, document: unknown, cell = '{{song.taskId}}'): Given => ({
  key,
  row: `r${key}`,
  operation,
  cells: ['', cell],
  sent: { clip_id: clip },
  documents: [document],
});
const timed = (word: string) => ({ words: [{ word, start: 1 }] });

test('a song has its lyrics as they were sent, and what rows found out that were made of its take', async () => {
  const words = batch([
    song(LYRICS),
    // Of another row, of another take of this one, and without a time.
    about(2, TIMING, 'code-1', timed('other'), '{{another.taskId}}'),
    about(3, TIMING, 'code-of-take-2', timed('take two')),
    about(4, TIMING, 'code-1', { words: 'none' }),
    about(5, TIMING, 'code-1', timed('lamp')),
    // By the code itself, as it was copied from somewhere.
    about(6, BEATS, 'code-1', { downbeats: [0.5, 2] }, ' code-1 '),
  ]);
  expect(await words('1-1')).toEqual({ lyrics: LYRICS, words: [{ text: 'lamp', start: 1 }], beats: [0.5, 2] });
  // The second song of the take is sung otherwise.
  expect(await words('1-2')).toEqual({ lyrics: LYRICS, words: [], beats: [] });
});

test('what a song is about is no lyrics, and what is no song of the row has no words', async () => {
  const words = batch([song('A song of the sea'), about(5, TIMING, 'code-1', timed('lamp'))]);
  expect(await words('1-1')).toEqual({ words: [{ text: 'lamp', start: 1 }], beats: [] });
  const nothing = { words: [], beats: [] };
  expect(await words('9-1')).toEqual(nothing);
  expect(await words('5-1', 5)).toEqual(nothing);
  expect(await words('1-1', 7)).toEqual(nothing);
});
