import { exportBatch } from '../../src/engine/store-view.ts';
import type { RowPageQuery } from '../../src/shared/domain/task/batch-view.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { watchBlocks } from '../support/measure.ts';
import { storeOfTasks } from '../support/task-fixture.ts';

/** As many rows as a tall window asks for. */
const SHOWN = 200;
const REPEATS = 5;

/**
 * What the window asks of a batch of `rows` rows, and its export: milliseconds for each, and the longest time in which
 * the loop that asked could do nothing else. Input: `folder`, `rows`.
 */
export async function askViews(input: ContenderInput): Promise<Figures> {
  const rows = numberIn(input, 'rows');
  const { opened, batchId } = await storeOfTasks(textIn(input, 'folder'), rows);
  const page = (query: Omit<RowPageQuery, 'limit'>) => (): Promise<unknown> =>
    opened.views.rowPage(batchId, { ...query, limit: SHOWN, withCells: true });
  const sort = { column: 'label', direction: 'ascending' } as const;
  const asked = {
    page: page({ offset: rows >> 1 }),
    filter: page({ offset: 0, filter: { status: ['queued'], operation: 'musicgen/music/generate' } }),
    search: page({ offset: 0, filter: { text: `number ${rows >> 1}:` } }),
    commonSearch: page({ offset: rows >> 1, filter: { text: 'harbour' } }),
    sorted: page({ offset: rows - SHOWN, sort }),
    export: () => exportBatch(opened, batchId),
  };
  const figures: Record<string, number> = {};
  for (const [name, ask] of Object.entries(asked)) {
    const seen = [];
    for (let n = 0; n < (name === 'export' ? 1 : REPEATS); n += 1) seen.push(await watchBlocks(ask));
    figures[`${name}Ms`] = Math.max(...seen.map(({ ms }) => ms));
    figures[`${name}BlockMs`] = Math.max(...seen.map(({ blockMs }) => blockMs));
  }
  await opened.close();
  return figures;
}
