import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { measure } from '../support/measure.ts';
import { storeOfTasks } from '../support/task-fixture.ts';

/**
 * Counts the rows that contain a text in any cell, as the grid does, which has already shown a page: the reader's
 * thread is running. Input: `folder`, `tasks`, `texts` (how many searches).
 */
export async function filterByOurs(input: ContenderInput): Promise<Figures> {
  const texts = numberIn(input, 'texts');
  const { opened, batchId } = await storeOfTasks(textIn(input, 'folder'), numberIn(input, 'tasks'));
  await opened.views.rowPage(batchId, { offset: 0, limit: 50 });
  const cost = await measure(async () => {
    for (let i = 0; i < texts; i += 1) {
      const found = await opened.sheets.countInView(batchId, { filter: { text: `number ${i * 97}:` } });
      if (found !== 1) throw new Error(`${found} rows instead of 1.`);
    }
  });
  await opened.close();
  return { wallMs: cost.wallMs / texts, cpuMs: cost.cpuMs / texts };
}
