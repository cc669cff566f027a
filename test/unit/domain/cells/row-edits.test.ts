import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type CellChange,
  cellChanges,
  editedIn,
  EDITS_KEPT,
  isEditedRow,
  type RowEdits,
  withCellEdits,
  withReimport,
} from '../../../../src/shared/domain/cells/row-edits.ts';

const HEADERS = ['row', 'prompt', 'title'];

/** A row that is edited again and again, a moment after the last time. */
class EditedRow {
  cells: Record<string, string> = { row: 'a', prompt: 'owl', title: '' };
  edits: RowEdits | undefined;
  #at = 0;

  set(cells: Readonly<Record<string, string>>, isReimport?: true): this {
    const after = { ...this.cells, ...cells };
    const edit = {
      at: (this.#at += 1),
      before: this.cells,
      headers: Object.keys(cells).filter((header) => cells[header] !== this.cells[header]),
      hide: (text: string) => text.replaceAll('key', '***'),
    };
    this.edits = isReimport === true ? withReimport(this.edits, after, edit) : withCellEdits(this.edits, edit);
    this.cells = after;
    return this;
  }

  get #texts(): readonly string[] {
    return HEADERS.map((header) => this.cells[header] ?? '');
  }

  get marked(): readonly string[] {
    const { edits = { earlier: [] } } = this;
    return editedIn(edits, HEADERS, this.#texts).map((index) => HEADERS[index] ?? '');
  }

  get isEdited(): boolean {
    return isEditedRow(this.edits ?? { earlier: [] }, HEADERS, this.#texts);
  }

  get changes(): readonly CellChange[] {
    return cellChanges(this.edits ?? { earlier: [] }, HEADERS, this.#texts);
  }

  get story(): readonly string[] {
    return this.changes.map(
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
  // Besides the imported texts and what was there before the last edit.
  expect(row.edits?.earlier).toHaveLength(EDITS_KEPT + 3);
  expect(row.story.slice(-3)).toEqual(['40 prompt: fox 39 → fox 40', '39 prompt: owl → fox 39', '1 title:  → Once']);
  row.set({ prompt: 'owl', title: '' });
  expect(row.marked).toEqual([]);
});

test('long texts are kept while there is room, the imported one and what was there before the last edit however long', () => {
  const imported = 'o'.repeat(60_000);
  const row = new EditedRow();
  row.cells['prompt'] = imported;
  for (const letter of 'abcdef') row.set({ prompt: letter.repeat(8_000) });
  expect(row.edits?.earlier.map(({ was }) => was.slice(0, 3))).toEqual(['ooo', 'ccc', 'ddd', 'eee']);
  row
    .set({ prompt: 'short' })
    .set({ prompt: 'g'.repeat(90_000) })
    .set({ prompt: 'oops' });
  expect(row.edits?.earlier.map(({ was }) => was.slice(0, 3))).toEqual(['ooo', 'eee', 'fff', 'sho', 'ggg']);
});

test('what was typed last is kept where imported texts alone fill the room', () => {
  const row = new EditedRow().set({ title: 'Once' });
  row.edits = {
    earlier: Array.from({ length: 2 * EDITS_KEPT }, (_, n) => ({ at: 0, header: `c${n}`, was: 'x'.repeat(1_000) })),
  };
  row.set({ prompt: 'an hour of work' }).set({ prompt: 'oops' });
  expect(row.edits.earlier).toHaveLength(2 * EDITS_KEPT + 2);
  expect(row.story).toEqual(['3 prompt: an hour of work → oops', '2 prompt: owl → an hour of work']);
});

test('all that was there before an edit of many cells is kept', () => {
  const wide = (text: string): Record<string, string> =>
    Object.fromEntries(Array.from({ length: 2 * EDITS_KEPT }, (_, n) => [`c${n}`, `${text} ${n}`]));
  const row = new EditedRow();
  row.cells = wide('imported');
  row.set(wide('an hour of work')).set(wide('oops'));
  const told = row.edits?.earlier.map(({ was }) => was);
  expect(told).toEqual([...Object.values(wide('imported')), ...Object.values(wide('an hour of work'))]);
});

test('a change back and forth of which the middle was forgotten is not told', () => {
  const row = new EditedRow().set({ prompt: 'fox' }).set({ prompt: 'owl' });
  for (let n = 0; n <= EDITS_KEPT; n += 1) row.set({ prompt: n % 2 === 0 ? 'crow' : 'owl' });
  expect(row.story.at(-1)).toMatch('prompt: owl → crow');
  expect(row.story.some((told) => told.endsWith('owl → owl'))).toBe(false);
});

/** Short and long texts under two headers, each with whether it comes from the file. */
const arbitraryEdits = fc.array(
  fc.record({
    cells: fc
      .record({ prompt: fc.integer({ min: 0, max: 9 }), title: fc.integer({ min: 0, max: 9 }) }, { requiredKeys: [] })
      .map((cells) => Object.fromEntries(Object.entries(cells).map(([header, n]) => [header, textOf(n)]))),
    isReimport: fc.integer({ min: 0, max: 30 }).map((n) => n === 0 || undefined),
  }),
  { maxLength: 120 },
);

function textOf(n: number): string {
  return n < 5 ? `text ${n}` : `${n}`.repeat(n * 900);
}

test('whatever is edited, what is told has been so, and neither the imported text nor the one before the last edit is lost', () => {
  fc.assert(
    fc.property(arbitraryEdits, (edits) => {
      const row = new EditedRow();
      /** What each cell has said, by header, and then by the moment from which on. */
      const said = new Map(HEADERS.map((header) => [header, [[0, row.cells[header] ?? '']] as [number, string][]]));
      let imported = row.cells;
      for (const [at, { cells, isReimport }] of edits.entries()) {
        const before = row.cells;
        row.set(cells, isReimport === true ? true : undefined);
        if (isReimport === true) imported = row.cells;
        for (const header of HEADERS)
          if (before[header] !== row.cells[header]) said.get(header)?.push([at + 1, row.cells[header] ?? '']);
        const marked = HEADERS.filter((header) => row.cells[header] !== imported[header]);
        expect(row.marked).toEqual(marked);
        const told = row.changes;
        for (const header of HEADERS.filter((name) => before[name] !== row.cells[name]))
          expect(told.find((change) => change.header === header)).toMatchObject({
            before: before[header],
            after: row.cells[header],
          });
        for (const change of told) {
          const texts = said.get(change.header) ?? [];
          const place = texts.findIndex(([moment]) => moment === change.at);
          expect(texts[place]?.[1]).toBe(change.after);
          expect(texts.slice(0, place).map(([, text]) => text)).toContain(change.before);
        }
        for (const header of marked)
          expect(
            told.findLast((change) => change.header === header && change.before === imported[header]),
          ).toBeDefined();
      }
    }),
    { numRuns: 200 },
  );
});

test('what a re-import brings is what was imported from then on, for the whole row', () => {
  const row = new EditedRow().set({ prompt: 'fox', title: 'Fox' }).set({ prompt: 'owls' }, true);
  expect(row.marked).toEqual([]);
  expect(row.story[0]).toBe('2 prompt: fox → owls by the file');
  expect(row.set({ prompt: 'crow' }).marked).toEqual(['prompt']);
  for (let n = 0; n < 2 * EDITS_KEPT; n += 1) row.set({ title: `Fox ${n}` });
  expect(row.edits?.earlier.length).toBeLessThan(EDITS_KEPT + 4);
  expect(row.set({ prompt: 'owls' }).marked).toEqual(['title']);
});

test('a row that the user has added is edited without a marked cell, until the file has it', () => {
  const row = new EditedRow();
  row.edits = { addedAt: 5, earlier: [] };
  expect(row.set({ prompt: 'fox' }).marked).toEqual([]);
  expect([row.edits.addedAt, row.isEdited]).toEqual([5, true]);
  expect(row.set({ prompt: 'crow' }, true).edits).not.toHaveProperty('addedAt');
});

test('a row that the file has as it is by now is not edited, and what was edited stays told', () => {
  const row = new EditedRow().set({ prompt: 'fox' }).set({}, true);
  expect([row.marked, row.story]).toEqual([[], ['1 prompt: owl → fox']]);
  expect(row.set({ prompt: 'crow' }).story).toEqual(['3 prompt: fox → crow', '1 prompt: owl → fox']);
  expect([row.marked, row.set({ prompt: 'fox' }).marked]).toEqual([['prompt'], []]);
  row.edits = { addedAt: 5, earlier: [] };
  expect(row.set({}, true).edits).toBeUndefined();
});

test('a column that was away and that the file brings back is as it was imported', () => {
  const row = new EditedRow().set({ title: 'Fox' });
  row.cells = { row: 'a', prompt: 'owl' };
  row.set({ title: 'Owl' }, true);
  expect([row.marked, row.story[0]]).toEqual([[], '2 title:  → Owl by the file']);
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
