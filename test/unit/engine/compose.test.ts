import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { createFilePlaces } from '../../../src/engine/file-places/file-places.ts';
import { createEngine } from '../../../src/engine/index.ts';
import { createMediaFolder } from '../../../src/engine/media-folder/media-folder.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

vi.mock('../../../src/engine/media-folder/media-folder.ts', { spy: true });
vi.mock('../../../src/engine/file-places/file-places.ts', { spy: true });

test('parts are marked with their store, and each time with the same mark', async () => {
  const [one, another] = [temporaryFolder(), temporaryFolder()];
  for (const dataDir of [one, one, another]) {
    const created = await createEngine({ dataDir, openStore: storeAtOnce });
    if (!created.ok) throw new Error(created.error.message);
    await created.value.stop();
  }
  const [first, again, other] = vi.mocked(createMediaFolder).mock.calls.map(([{ owner }]) => owner);
  expect(first).toMatch(/^\w{8}$/u);
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test('which places for files were named is noted with the openings of the store, and not in its folder', async () => {
  const [one, another, own] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  vi.mocked(createFilePlaces).mockClear();
  for (const dataDir of [one, one, another]) {
    const incarnationFile = path.join(own, 'application.json');
    const created = await createEngine({ dataDir, incarnationFile, openStore: storeAtOnce });
    if (!created.ok) throw new Error(created.error.message);
    await created.value.stop();
  }
  const notes = vi.mocked(createFilePlaces).mock.calls.map(([{ placesNote }]) => placesNote ?? '');
  expect(notes.map((note) => path.dirname(note))).toEqual([own, own, own]);
  expect(notes[1]).toBe(notes[0]);
  expect(notes[2]).not.toBe(notes[0]);
});
