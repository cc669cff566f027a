import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEngine } from '../../../src/engine/index.ts';
import { problemOfError, storeProblem } from '../../../src/engine/store/open/store-problem.ts';
import { systemClock } from '../../../src/engine/system-clock.ts';
import { Works } from '../../../src/main/engine-process/works.ts';
import { StoreLook, storeProblemText } from '../../../src/main/engine-process/store-look.ts';
import { DEFAULT_NAME_TEMPLATE } from '../../../src/shared/domain/files/naming.ts';
import { speakLanguage } from '../../../src/shared/words/catalogues.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import { openedStore } from '../../contract/opened-store.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test.each([
  [
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    '/data：磁盘已满，ENOSPC。请在这个磁盘上腾出一些空间，然后重新开始。已记录的数据不会丢失。',
  ],
  [
    Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 }),
    '/data：数据库是只读的，“attempt to write a readonly database”。请让该文件夹可由你写入，或选择另一个数据文件夹。',
  ],
])('what keeps a store from being used is said in the language of the window: %s', (error, said) => {
  speakLanguage('zh-Hans');
  onTestFinished(() => speakLanguage('en'));
  const problem = problemOfError(error, '/data');
  if (problem === undefined) throw new Error('It is no problem of the store.');
  expect(storeProblemText(problem)).toBe(said);
  expect(problem.message).toBe(`/data: ${error.message}`);
});

const NEWER = storeProblem('newer', 'It was made by a newer version');

/** A store with one batch that is said to be running. */
async function storeWithRunningBatch(): Promise<{ folder: string; batchId: string }> {
  const folder = temporaryFolder();
  const created = await createEngine({ dataDir: folder, openStore: storeAtOnce });
  if (!created.ok) throw new Error(created.error.message);
  const engine = created.value;
  const sheet = { headers: ['operation', 'prompt'], rows: [], problems: [] };
  const { id } = await engine.createBatch({
    sheet,
    name: 'A night',
    settings: { folder, profile: DEFAULT_PROFILE, filename: DEFAULT_NAME_TEMPLATE, rehearsal: false },
  });
  await engine.stop();
  const opened = openedStore(folder);
  opened.store.setBatchState(id, 'running', undefined, 1);
  opened.close();
  return { folder, batchId: id };
}

describe('a store that is only looked at', () => {
  const works = new Works({ clock: systemClock });

  test('shows its batches, standing still, and refuses every command with the reason', async () => {
    const { folder, batchId } = await storeWithRunningBatch();
    const look = await StoreLook.open(folder, NEWER, works);
    expect(await look?.answer('batch.get', { batchId })).toMatchObject({ ok: true, value: { state: 'paused' } });
    expect(await look?.answer('batch.resume', { batchId })).toMatchObject({
      ok: false,
      error: { code: 'refused', message: expect.stringMatching(/^It was made by a newer version\. Use/) as string },
    });
    expect(await look?.answer('batch.settle', { batchId, takes: [], decision: 'write-off' })).toMatchObject({
      ok: false,
    });
  });

  test('shows what another process is at as it is', async () => {
    const { folder, batchId } = await storeWithRunningBatch();
    const look = await StoreLook.open(folder, storeProblem('owned', 'Another Nocturne has it.'), works);
    expect(await look?.answer('batch.get', { batchId })).toMatchObject({ ok: true, value: { state: 'running' } });
  });

  test('waits for a delivery before it ends itself', async () => {
    const { folder, batchId } = await storeWithRunningBatch();
    const look = await StoreLook.open(folder, NEWER, works);
    const wish = { isKeptOnly: false, hasTags: false, hasSidecars: false, hasTimeline: false, isZip: false };
    const order: string[] = [];
    const wanted = { batchId, folder: join(folder, 'out'), ...wish };
    if (look === undefined) throw new Error('It cannot be looked at.');
    const delivered = works.run('batch.deliver', wanted, (watch) => look.answer('batch.deliver', wanted, watch));
    await Promise.all([
      delivered.then(() => order.push('delivered')),
      look.answer('engine.stop', undefined).then(() => order.push('stopped')),
    ]);
    expect(order).toEqual(['delivered', 'stopped']);
  });

  test('is not shown where nothing of it can be read', async () => {
    const folder = temporaryFolder();
    expect(await StoreLook.open(folder, NEWER, works)).toBeUndefined();
    writeFileSync(join(folder, 'nocturne.db'), 'no database');
    expect(await StoreLook.open(folder, NEWER, works)).toBeUndefined();
  });
});
