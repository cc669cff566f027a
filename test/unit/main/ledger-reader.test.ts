import { expect, onTestFinished, test } from 'vitest';
import { ledgerHandlers } from '../../../src/main/engine-process/ledger-reader.ts';
import { ledgerView } from '../../../src/shared/ipc/ledger.ts';
import { newBatch, NOW, settings } from '../../contract/task-store-fixtures.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('the window is told until when takes wait for their hours', async () => {
  const made = await storeAtOnce(temporaryFolder());
  if (!made.ok) throw new Error(made.error.message);
  const opened = made.value;
  onTestFinished(() => opened.close());
  const schedule = { startAt: NOW + 5_000, windows: [], zone: 'UTC' };
  const { id } = await opened.store.createBatch(newBatch({ settings: settings({ schedule }) }));
  await opened.store.setBatchState(id, 'running', undefined, NOW);
  const reply = await ledgerHandlers({ ...opened, isAtWork: true, now: () => NOW })['ledger.read']({ batchId: id });
  // What the window is sent is what it accepts, and no more.
  const seen = ledgerView.parse(reply.ok ? reply.value : undefined);
  expect(seen.groups).toMatchObject([{ group: 'wait-hours', takes: 1, waitsUntil: NOW + 5_000 }]);
});
