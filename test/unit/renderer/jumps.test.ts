/** How the window gets to a row that was asked for, or found. */
import { describe, expect, test } from 'vitest';
import { settle } from './manual-schedule.ts';
import { BATCH, setUp, viewOfDone } from './editing-rig.ts';

describe('a jump', () => {
  test('leads to a row and its cell', async () => {
    const { model } = await setUp();
    await model.ways.openCell(BATCH, 9, 'title');
    expect(model.places.store.getState().target).toEqual({ index: 9, key: 9, header: 'title' });
  });

  test('to what is to be corrected leads to the faulty cell, beside what is wrong, and not to the row id', async () => {
    const { model, sheet } = await setUp();
    const problem = { severity: 'error', message: 'No number.', remedy: 'Write one.' } as const;
    const broken = sheet.rows[4] ?? expect.unreachable();
    broken.problems = [{ ...problem, column: 'title' }];
    const isBroken = (key: number): boolean => key === 4 || key === 7;
    sheet.shows = ({ filter }, key) => filter.status === undefined || isBroken(key);
    await model.ways.openInvalid(BATCH);
    expect(model.rows.view.filter).toEqual({ status: ['invalid'] });
    expect(model.places.store.getState()).toMatchObject({
      isProblemsOpen: true,
      target: { index: 0, key: 4, header: 'title' },
    });
    // What a row lacks may be in no column.
    broken.problems = [{ ...problem, column: 'song' }];
    await model.ways.openInvalid(BATCH);
    expect(model.places.store.getState().target).toEqual({ index: 0, key: 4, header: 'prompt' });
  });

  test('to a row that is gone says so', async () => {
    const { model } = await setUp();
    expect(await model.places.jumpTo(777, 'title')).toBe(false);
    expect(model.places.store.getState().target).toBeUndefined();
  });

  test.each([
    ['its prompt', 'openPrompt'],
    ['all about it', 'inspectRow'],
  ] as const)('to a row, with %s, leaves the batch alone that was turned to meanwhile', async (_, way) => {
    const { model, holdPages } = await setUp();
    model.go({ kind: 'batch', batchId: 'batch-2' });
    await settle();
    const release = holdPages();
    const opened = model.ways[way](BATCH, 777);
    model.go({ kind: 'batch', batchId: 'batch-2' });
    model.rows.setFilter({ text: 'typed since' });
    model.rows.select(3);
    release();
    await opened;
    expect(model.rows.store.getState()).toMatchObject({
      filter: { text: 'typed since' },
      selectedKey: 3,
      isInspectorOpen: false,
    });
    expect(model.places.store.getState().target).toBeUndefined();
  });

  test('to a column that was added leads nowhere in the batch that was turned to meanwhile', async () => {
    const { model, sheet, holdAnswers } = await setUp();
    const release = holdAnswers();
    const added = model.ways.addColumn({ header: 'tempo' }, { index: 2, key: 2 });
    model.go({ kind: 'batch', batchId: 'batch-2' });
    release();
    await added;
    expect(sheet.headers).toContain('tempo');
    expect(model.places.store.getState().target).toBeUndefined();
  });

  test('to a row that has only just come into the view reaches it there', async () => {
    const { model, sheet, entered } = await viewOfDone();
    sheet.shows = entered;
    expect(await model.places.jumpTo(7, 'title')).toBe(true);
    expect(model.places.store.getState().target).toEqual({ index: 1, key: 7, header: 'title' });
    expect(model.rows.view.filter).toEqual({ status: ['done'] });
  });

  test('that is answered late changes nothing of the batch that was turned to', async () => {
    const { model, holdPages } = await setUp();
    const release = holdPages();
    const jump = model.places.jumpTo(777, 'title');
    model.go({ kind: 'batch', batchId: 'batch-2' });
    release();
    await settle();
    model.rows.setFilter({ text: 'typed since' });
    await jump;
    expect(model.rows.view.filter).toEqual({ text: 'typed since' });
    expect(await jump).toBe(true);
  });
});

describe('a search', () => {
  const how = { isCaseSensitive: true, isWholeCell: true, isPattern: false };

  test('leads to a row that has only just come into the view', async () => {
    const { model, sheet, entered } = await viewOfDone();
    sheet.shows = entered;
    await model.places.findNext({ text: 'title 8', ...how }, { key: undefined, column: 0 }, 'forward');
    expect(model.places.store.getState()).toMatchObject({
      matches: { nth: 1, of: 1 },
      target: { index: 1, key: 7, header: 'title' },
    });
  });

  test('that is answered late says nothing about the batch that was turned to', async () => {
    const { model, holdAnswers } = await setUp();
    const release = holdAnswers();
    const search = model.places.findNext({ text: 'title 8', ...how }, { key: undefined, column: 0 }, 'forward');
    model.go({ kind: 'batch', batchId: 'batch-2' });
    release();
    await search;
    expect(model.places.store.getState()).toMatchObject({ matches: undefined, target: undefined });
  });
});
