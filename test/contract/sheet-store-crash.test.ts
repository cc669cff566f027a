import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { SHEET_CRASH_POINTS } from '../../src/engine/crash-point.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { openedStore } from './opened-store.ts';
import { makeRow, newBatch } from './task-store-fixtures.ts';

const EDITOR = fileURLToPath(new URL('sheet-store-crash-editor.ts', import.meta.url));

async function stateOf({ store, views }: OpenStore, id: string) {
  return {
    headers: store.batch(id)?.headers,
    rows: views.rowPage(id, { offset: 0, limit: 9 }).rows.map(({ row, label, status }) => [row, label, status]),
    queued: store.nextQueued(id, 'musicgen', 9, Number.MAX_SAFE_INTEGER).map(({ rowId }) => rowId),
    counts: [store.batch(id)?.rowCount, store.batch(id)?.taskCount, store.counts(id).musicgen.queued],
  };
}

const NOTHING_OF_IT = {
  headers: ['prompt'],
  rows: [2, 3, 4].map((line) => [`r${line}`, `prompt ${line}`, 'queued']),
  queued: ['r2', 'r3', 'r4'],
  counts: [3, 3, 3],
};
const ALL_OF_IT = {
  headers: ['edited'],
  rows: [
    ['r9', 'prompt 9', 'queued'],
    ['r2', 'edited', 'queued'],
    ['r4', 'prompt 4', 'queued'],
  ],
  queued: ['r9', 'r2', 'r4'],
  counts: [3, 3, 3],
};

test.each<[(typeof SHEET_CRASH_POINTS)[number], number, typeof ALL_OF_IT]>([
  ['sheet.row-written', 1, NOTHING_OF_IT],
  ['sheet.row-written', 3, NOTHING_OF_IT],
  ['sheet.written', 1, NOTHING_OF_IT],
  ['sheet.committed', 1, ALL_OF_IT],
])('an edit is there as a whole or not at all after a kill at %s, pass %i', async (point, pass, expected) => {
  const dir = temporaryFolder();
  const before = openedStore(dir);
  const { id } = before.store.createBatch(newBatch({ rows: [2, 3, 4].map((line) => makeRow(line)) }));
  before.close();
  const editor = spawnSync(process.execPath, [EDITOR, dir, point, String(pass)], { encoding: 'utf8' });
  expect([editor.signal, editor.stderr]).toEqual(['SIGKILL', '']);
  const after = openedStore(dir);
  expect(await stateOf(after, id)).toEqual(expected);
  expect(after.checkIntegrity()).toEqual([]);
  after.close();
});

test.each([
  ['sheet.half-removed', NOTHING_OF_IT],
  ['sheet.removed', undefined],
] as const)('a deleted batch is there as a whole or not at all after a kill at %s', async (point, expected) => {
  const dir = temporaryFolder();
  const before = openedStore(dir);
  const { id } = before.store.createBatch(newBatch({ rows: [2, 3, 4].map((line) => makeRow(line)) }));
  before.close();
  const editor = spawnSync(process.execPath, [EDITOR, dir, point, '1'], { encoding: 'utf8' });
  expect([editor.signal, editor.stderr]).toEqual(['SIGKILL', '']);
  const after = openedStore(dir);
  if (expected === undefined) expect(after.store.batch(id)).toBeUndefined();
  else expect(await stateOf(after, id)).toEqual(expected);
  expect(after.checkIntegrity()).toEqual([]);
  after.close();
});
