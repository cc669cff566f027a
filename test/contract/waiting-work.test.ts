import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DATABASES } from './opened-store.ts';
import { makeRow, newBatch, NOW } from './task-store-fixtures.ts';

test.each(DATABASES)('a batch in %s: the requests that repeat one of an earlier row', (_, openIn) => {
  const opened = openIn(temporaryFolder());
  onTestFinished(() => opened.close());
  const [rain, wind] = [{ body: { prompt: 'rain' } }, { body: { prompt: 'wind' } }];
  const rows = [
    makeRow(2, rain),
    makeRow(3, wind),
    makeRow(4, { ...rain, takes: 2 }),
    makeRow(5),
    makeRow(6, { ...rain, skip: true }),
    makeRow(7, { ...wind, operation: 'videogen-a/video/generate' }),
    makeRow(8, { ...wind, takes: 3 }),
  ];
  const { id } = opened.store.createBatch(newBatch({ rows }));
  // Of another batch: it repeats nothing here.
  opened.store.createBatch(newBatch({ rows: [makeRow(2)] }));
  const { repeated } = opened.store.waitingWork(id, NOW);
  expect(repeated.map(({ takes }) => takes).toSorted((a, b) => a - b)).toEqual([2, 3]);
});
