import { expect, test } from 'vitest';
import {
  cellChanges,
  editedIn,
  EDITS_KEPT,
  isEditedRow,
  type RowEdits,
  withCellEdits,
} from '../../../../src/shared/domain/cells/row-edits.ts';

const HEADERS = ['row', 'prompt', 'title'];

/** A row that is edited again and again, a moment after the last time. */
class EditedRow {
  cells: Record<string, string> = { row: 'a', prompt: 'owl', title: '' };
  edits: RowEdits | undefined;
  #at = 0;

  set(cells: Readonly<Record<string, string>>, isReimport?: true): this {
    this.edits = withCellEdits(this.edits, {
      at: (this.#at += 1),
      before: this.cells,
      headers: Object.keys(cells),
      hide: (text) => text.replaceAll('key', '***'),
      ...(isReimport && { isReimport }),
    });
    this.cells = { ...this.cells, ...cells };
    return this;
  }

  get #texts(): readonly string[] {
    return HEADERS.map((header) => this.cells[header] ?? '');
  }

  get marked(): readonly string[] {
    const { edits = { cells: [] } } = this;
    return editedIn(edits, HEADERS, this.#texts).map((index) => HEADERS[index] ?? '');
  }

  get isEdited(): boolean {
    return isEditedRow(this.edits ?? { cells: [] }, HEADERS, this.#texts);
  }

  get story(): readonly string[] {
    return cellChanges(this.edits ?? { cells: [] }, HEADERS, this.#texts).map(
      ({ at, header, before, after, isReimport }) =>
        `${at} ${header}: ${before} → ${after}${isReimport === true ? ' by the file' : ''}`,
    );
  }
}

test('each edit is told from its text to the next one, newest first', () => {
  const row = new EditedRow().set({ prompt: 'fox', title: 'Fox' }).set({ prompt: 'crow' });
  expect(row.story).toEqual(['2 prompt: fox → crow', '1 title:  → Fox', '1 prompt: owl → fox']);
  expect([row.marked, row.isEdited]).toEqual([['prompt', 'title'], true]);
});

test('a cell that says again what was imported has no mark, and its edits stay told', () => {
  const row = new EditedRow().set({ prompt: 'fox' }).set({ prompt: 'owl' });
  expect([row.marked, row.isEdited]).toEqual([[], false]);
  expect(row.story).toEqual(['2 prompt: fox → owl', '1 prompt: owl → fox']);
});

test('of many edits the oldest become one, from the imported text on, which is never forgotten', () => {
  const row = new EditedRow().set({ title: 'Once' });
  for (let n = 2; n <= 3 * EDITS_KEPT; n += 1) row.set({ prompt: `fox ${n}` });
  expect(row.edits?.cells).toHaveLength(EDITS_KEPT);
  expect(row.story.slice(-3)).toEqual(['43 prompt: fox 42 → fox 43', '42 prompt: owl → fox 42', '1 title:  → Once']);
  row.set({ prompt: 'owl', title: '' });
  expect(row.marked).toEqual([]);
});

test('long texts are kept while there is room, and the imported one however long it is', () => {
  const imported = 'o'.repeat(60_000);
  const row = new EditedRow();
  row.cells['prompt'] = imported;
  for (const letter of 'abcdef') row.set({ prompt: letter.repeat(8_000) });
  expect(row.edits?.cells.map(({ was }) => was.length)).toEqual([60_000]);
  const short = new EditedRow();
  for (const letter of 'abcdef') short.set({ prompt: letter.repeat(8_000) });
  expect(short.edits?.cells.map(({ was }) => was.slice(0, 3))).toEqual(['owl', 'ddd', 'eee']);
});

test('what a re-import brings is what was imported from then on, for the whole row', () => {
  const row = new EditedRow().set({ prompt: 'fox', title: 'Fox' }).set({ prompt: 'owls' }, true);
  expect(row.marked).toEqual([]);
  expect(row.story[0]).toBe('2 prompt: fox → owls by the file');
  expect(row.set({ prompt: 'crow' }).marked).toEqual(['prompt']);
  for (let n = 0; n < 2 * EDITS_KEPT; n += 1) row.set({ title: `Fox ${n}` });
  expect(row.edits?.cells).toHaveLength(EDITS_KEPT);
  expect(row.set({ prompt: 'owls' }).marked).toEqual(['title']);
});

test('a row that the user has added is edited without a marked cell, until the file has it', () => {
  const row = new EditedRow();
  row.edits = { addedAt: 5, cells: [] };
  expect(row.set({ prompt: 'fox' }).marked).toEqual([]);
  expect([row.edits.addedAt, row.isEdited]).toEqual([5, true]);
  expect(row.set({ prompt: 'crow' }, true).edits).not.toHaveProperty('addedAt');
});

test('a column that a row did not have is no edit, and one that the sheet has no longer is not told', () => {
  const row = new EditedRow().set({ mood: 'calm' });
  expect(row.edits).toBeUndefined();
  expect(row.set({ mood: 'wild' }).marked).toEqual([]);
  expect(row.story).toEqual([]);
});

test('the gateway’s key is not kept', () => {
  const row = new EditedRow().set({ prompt: 'my key' }).set({ prompt: 'fox' });
  expect(JSON.stringify(row.edits)).not.toContain('key');
});
