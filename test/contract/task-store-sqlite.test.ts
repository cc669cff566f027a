import { listOf } from '../../src/shared/domain/base/result.ts';
import { describe, expect, test } from 'vitest';
import { ROWS_AT_ONCE } from '../../src/engine/store/open/database.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WAYS } from './opened-store.ts';
import { makeRow, newBatch } from './task-store-fixtures.ts';
import { testTaskStore } from './task-store.suite.ts';

describe.each(WAYS)('the store in SQLite, %s', (_, openIn) => {
  testTaskStore(() => openIn(temporaryFolder()));

  test.each([1, ROWS_AT_ONCE - 1, ROWS_AT_ONCE, ROWS_AT_ONCE + 1, 2 * ROWS_AT_ONCE, 3 * ROWS_AT_ONCE + 5])(
    'a batch of %i rows is written whole, with takes and problems in their order',
    async (count) => {
      const opened = await openIn(temporaryFolder());
      const { store, views } = opened;
      const rows = Array.from({ length: count }, (_, i) => makeRow(i + 2, { takes: 1 + (i % 3), skip: i % 7 === 6 }));
      const problems = rows
        .filter((row) => row.line % 5 === 0)
        .map(
          ({ id, line }) =>
            ({ severity: 'warning', code: 'value-long', row: id, line, message: id, remedy: '' }) as const,
        );
      const batch = await store.createBatch(newBatch({ rows, problems }));
      expect(await Promise.all(rows.map(async (row) => store.row(batch.id, row.id)))).toEqual(rows);
      const expected = rows.flatMap((row) =>
        row.skip ? [] : Array.from({ length: row.takes }, (_, i) => [row.id, i + 1]),
      );
      const tasks = await listOf(store.tasksByStatus(['queued'], batch.id));
      expect(tasks.map((task) => [task.rowId, task.take])).toEqual(expected);
      expect(await Promise.all(tasks.map(async (task) => store.requestBody(task.id)))).toEqual(
        tasks.map((task) => new TextEncoder().encode(JSON.stringify({ prompt: `prompt ${task.rowId.slice(1)}` }))),
      );
      expect(batch).toMatchObject({ rowCount: count, taskCount: expected.length });
      expect((await views.problems(batch.id, 1000)).map((problem) => problem.row)).toEqual(
        problems.map(({ row }) => row),
      );
      await opened.close();
    },
  );
});
