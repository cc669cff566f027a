/** Warnings that an edit of their rows puts right: values that nothing uses. */
import { describe, expect, test } from 'vitest';
import { SheetRig } from '../support/sheet-rig.ts';

describe('values that nothing uses', () => {
  const headers = ['row', 'operation', 'prompt', 'Title', 'note'];
  const lines = [
    ['a', 'image', 'owl', 'Owl', ''],
    ['b', 'image', 'fox', 'Fox', ''],
    ['c', 'music', 'song', 'Song', ''],
    ['d', 'lyrics', 'text', 'Text', ''],
  ];
  const titles = async (rig: SheetRig, batchId: string) => (await rig.texts(batchId, 'Title')).flat();
  const clear = { kind: 'clear-unused', header: 'Title' } as const;

  test('are cleared for all operations at once, and no others', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(headers, lines, { sheet: { mapping: { Title: 'title' } } });
    const warnings = async () => (await rig.sheets.problems(batchId, 99)).map(({ problem }) => problem.code);
    expect(await warnings()).toEqual(['unused-column', 'unused-column']);
    expect(await rig.edit(batchId, clear)).toMatchObject({ changedCells: 3, undo: 'Clear 3 unused “Title”' });
    expect(await titles(rig, batchId)).toEqual(['', '', 'Song', '']);
    expect(await warnings()).toEqual([]);
    await rig.undo(batchId);
    expect(await titles(rig, batchId)).toEqual(['Owl', 'Fox', 'Song', 'Text']);
    expect(await warnings()).toEqual(['unused-column', 'unused-column']);
  });

  test('stay where a cell puts them in by name: nothing is warned of then', async () => {
    const rig = new SheetRig();
    const batchId = await rig.bringIn(headers, lines, { sheet: { mapping: { Title: 'title' } } });
    await rig.set(batchId, 0, 'prompt', 'owl called {Title}');
    expect(await rig.editor.edit(batchId, clear)).toEqual({
      ok: false,
      error: 'No value of “Title” is unused any more.',
    });
    expect(await titles(rig, batchId)).toEqual(['Owl', 'Fox', 'Song', 'Text']);
  });

  test.each([
    { from: 'the cell of a row', cell: '{row}-{ title }', batch: '{row}' },
    { from: 'the batch', cell: '', batch: '{Title}-{take}' },
  ])('stay where a name of files has them, which $from asks for', async ({ cell, batch }) => {
    const rig = new SheetRig();
    const named = lines.map((line, i) => [...line, i === 3 ? cell : '']);
    const options = { sheet: { mapping: { Title: 'title' } }, settings: { filename: batch } };
    const batchId = await rig.bringIn([...headers, 'filename'], named, options);
    expect(await rig.editor.edit(batchId, clear)).toEqual({
      ok: false,
      error: 'Names of files use “Title”, so its values stay.',
    });
    expect(await titles(rig, batchId)).toEqual(['Owl', 'Fox', 'Song', 'Text']);
  });
});
