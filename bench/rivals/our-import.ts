import { mkdtempSync } from 'node:fs';
import { loadSheet } from '../../src/engine/sheet-files/reader-process/load-sheet.ts';
import { sheetReaderOf } from '../../src/engine/sheet-files/reader-process/sheet-reader.ts';
import { startReaderThread } from '../../src/engine/sheet-files/reader-process/serve-sheet.ts';
import { openStoreThread } from '../../src/engine/store/thread/store-thread.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { ContenderInput, Figures } from '../contender.ts';
import { textIn } from '../support/input.ts';
import { maxRssMiB, measure } from '../support/measure.ts';

/** Reads a sheet, checks it and stores it durably as a batch. Input: `path`, `folder`. */
export async function importByOurs(input: ContenderInput): Promise<Figures> {
  const folder = mkdtempSync(`${textIn(input, 'folder')}/ours-`);
  const opened = await openStoreThread(folder);
  if (!opened.ok) throw new Error(opened.error.message);
  const { store } = opened.value;
  const startedMs = performance.now();
  let loadMs = 0;
  const cost = await measure(async () => {
    // The sheet is read in a thread of this process, so that its memory counts here.
    const sheet = await loadSheet(textIn(input, 'path'), { reader: sheetReaderOf(startReaderThread) });
    loadMs = performance.now() - startedMs;
    const { headers, rows, problems } = sheet;
    const settings = { folder, profile: profileSchema.parse({}), filename: '{row}', rehearsal: true };
    const batch = await store.createBatch({ name: 'Bench', headers, settings, createdAt: Date.now(), rows, problems });
    if (batch.rowCount === 0 || batch.taskCount !== batch.rowCount) throw new Error('Not every row became a task.');
  });
  await store.close();
  return { ...cost, loadMs, storeMs: cost.wallMs - loadMs, rssMiB: maxRssMiB() };
}
