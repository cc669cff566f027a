/** What goes wrong is told where it is worked on, in words of its own, with a next step that there is. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import { startObservedGateway } from '../support/observed-gateway.ts';
import { answerDialogs, batchLink, newFolder, rowDetail, test } from './launch.ts';

const KEY = 'sk-told-77aa88bb';
const LYRICS = 'musicgen/music/lyrics';

test('a task code that is wrong is refused at its field, and a file whose address has expired asks nothing of its user', async ({
  open,
}) => {
  const behaviour = {
    timeScale: 0.001,
    auth: { keys: [KEY] },
    faults: [
      { kind: 'lost', when: 'submit', operations: [LYRICS], charged: false, nth: [2] },
      { kind: 'expired', when: 'download', times: 1_000 },
    ],
  } satisfies BehaviourInput;
  const started = await startObservedGateway({ seed: 5, behaviour });
  if (!started.ok) throw new Error(JSON.stringify(started.error));
  const gateway = started.value;
  const launched = await open(20);
  const { app, page, ask } = launched;
  try {
    const path = join(newFolder('told'), 'Told.csv');
    writeFileSync(
      path,
      'row,operation,prompt\nfirst,lyrics,A song\nsecond,lyrics,Another\npicture,image,A lighthouse\n',
    );
    await answerDialogs(app, [path]);
    await ask('gateway.setBaseUrl', { baseUrl: gateway.baseUrl });
    await ask('key.set', { key: KEY });
    const sheetId = (await ask('sheet.choose'))?.sheetId ?? '';
    const { id: batchId } = await ask('batch.create', { sheetId, name: 'Told', rehearsal: false, start: true });
    const detailOf = (row: string) => rowDetail(launched, batchId, row);
    const songs = async () => [(await detailOf('first')).row, (await detailOf('second')).row];
    await expect
      .poll(async () => (await songs()).map(({ status }) => status).toSorted())
      .toEqual(['done', 'submit-unknown']);
    const [done, lost] = (await songs()).toSorted((a, b) => a.status.localeCompare(b.status));
    const taken = (await detailOf(done?.row ?? '')).tasks[0]?.taskCode ?? '';

    await batchLink(page, /^Told/u).click();
    const grid = page.getByTestId('row-grid');
    await expect(grid).toHaveAttribute('data-ready', 'true');
    const show = async (row: string): Promise<void> => {
      await grid.click({ position: { x: 100, y: 34 + 17 + 34 * ['first', 'second', 'picture'].indexOf(row) } });
      if (await page.getByTestId('inspector').isHidden()) await page.keyboard.press('Control+i');
    };
    await show(lost?.row ?? '');
    const inspector = page.getByTestId('inspector');
    const field = inspector.getByRole('textbox', { name: 'Adopt its task code' });
    const refused = async (code: string, words: RegExp): Promise<void> => {
      await field.fill(code);
      await inspector.getByRole('button', { name: 'Adopt', exact: true }).click();
      await expect(field).toHaveAccessibleDescription(words);
    };
    await refused('no-such-task', /The gateway knows no task/u);
    await refused(taken, new RegExp(`belongs to row ${done?.row}`, 'u'));
    await page.screenshot({ path: test.info().outputPath('refused.png') });
    // Nothing else says so, or says otherwise.
    await expect(page.getByText('did not answer')).toHaveCount(0);
    expect((await detailOf(lost?.row ?? '')).row.status).toBe('submit-unknown');

    await show('picture');
    await expect(inspector).toContainText('The file’s address has expired');
    await expect(inspector).toContainText('asks the gateway for a fresh address automatically');
    await expect(inspector).not.toContainText('Retry the row');
    await page.screenshot({ path: test.info().outputPath('expired.png') });
    await launched.close();
  } finally {
    await gateway.close();
  }
});
