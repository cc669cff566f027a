import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { words } from '../../../src/shared/words/words.ts';
import { ok } from '../../../src/shared/domain/base/result.ts';
import { profileSchema } from '../../../src/shared/domain/gateway/profile.ts';
import { newBatch, NOW } from '../../contract/task-store-fixtures.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { createBatch, keyAt, openSheet, serviceOpener, value } from './engine-service-rig.ts';

const open = serviceOpener();

test('the end of the night is told step by step, and what could not be written is said with it', async () => {
  const folder = temporaryFolder();
  const told: (readonly string[])[] = [];
  const opened = await open(folder, { onStopping: (leftUndone) => told.push(leftUndone), isFolderFull: true });
  await openSheet(opened, folder);
  const { id } = await createBatch(opened, folder);
  await value(opened.service.handlers['batch.start']({ batchId: id }));
  await opened.engine.settled(id);
  const { unsaved } = await value(opened.stop());
  expect(unsaved).toEqual([expect.stringMatching(/gallery.*“Batch”/) as string]);
  expect(told[0]).toEqual([words.desktop.engine.cutOff]);
  expect(told.at(-1)).toEqual(unsaved);
});

test('a file that is delivered slowly keeps nothing of the end waiting but the store', async () => {
  const folder = temporaryFolder();
  const told: (readonly string[])[] = [];
  const opened = await open(folder, { onStopping: (leftUndone) => told.push(leftUndone) });
  await openSheet(opened, folder);
  const { id } = await createBatch(opened, folder);
  await value(opened.service.handlers['batch.start']({ batchId: id }));
  await opened.engine.settled(id);
  let go = (): void => undefined;
  const may = new Promise<void>((resolve) => (go = resolve));
  // As a disk does that takes minutes.
  const looked = vi.spyOn(opened.engine.store, 'batches').mockImplementationOnce(async () => {
    await may;
    return [];
  });
  const wish = { isKeptOnly: true, hasTags: false, hasSidecars: false, hasTimeline: false, isZip: false };
  const wanted = { batchId: id, folder: join(folder, 'out'), ...wish };
  const { works, service } = opened;
  const delivered = works.run('batch.deliver', wanted, (watch) => service.handlers['batch.deliver'](wanted, watch));
  await vi.waitFor(() => expect(looked).toHaveBeenCalled());
  const stopped = opened.stop();
  await vi.waitFor(() => expect(told.at(-1)).toEqual([]));
  go();
  expect(await value(stopped)).toEqual({ unsaved: [] });
  expect(await delivered).toMatchObject({ ok: true });
});

test('an edit that was cancelled and stays, because the disk was full as it ended after the night, is told of', async () => {
  const told: (readonly string[])[] = [];
  const { engine, works, stop } = await open(temporaryFolder(), { onStopping: (unsaved) => void told.push(unsaved) });
  let go = (): void => undefined;
  const turn = new Promise<void>((resolve) => (go = resolve));
  const edit = { kind: 'clear-unused', header: 'title' } as const;
  const edited = works.run('sheet.edit', { batchId: 'b', edit }, async () => {
    await turn;
    const owed = [{ kind: 'edit', batchId: 'b', name: 'Whales' }] as const;
    vi.spyOn(engine.editor, 'owedWaysBack').mockReturnValue([...owed]);
    return ok(undefined);
  });
  const stopped = stop();
  await vi.waitFor(() => expect(told.at(-1)).toEqual([]));
  go();
  await edited;
  expect((await value(stopped)).unsaved.join()).toMatch(/“Whales”.*completes it/u);
});

test('an answer that comes while the engine is ended is in the folder’s documents', async () => {
  const folder = temporaryFolder();
  const held: ServerResponse[] = [];
  const gateway = createServer((_, response) => void held.push(response));
  await new Promise<void>((resolve) => {
    gateway.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => void gateway.close());
  const baseUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  const opened = await open(folder);
  const { engine, service } = opened;
  await value(service.handlers['key.set']({ origin: baseUrl, key: 'a-key-of-some-length' }));
  const path = join(folder, 'sheet.csv');
  writeFileSync(path, 'row,operation,prompt\none,lyrics,A lullaby\n');
  await value(service.handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet' }));
  const media = join(folder, 'media');
  const profile = profileSchema.parse({ baseUrl });
  await value(
    service.handlers['batch.create']({
      sheetId: 's',
      name: 'Batch',
      folder: media,
      rehearsal: false,
      profile,
      start: true,
    }),
  );
  await vi.waitFor(() => expect(held).toHaveLength(1));
  // The gateway answers as soon as the night is told to end, and not before.
  const quiesce = engine.quiesce.bind(engine);
  vi.spyOn(engine, 'quiesce').mockImplementation((withinMs) => {
    for (const response of held.splice(0)) response.end('{"code":200,"success":true,"result":{"taskCode":"T-late"}}');
    return quiesce(withinMs);
  });
  await opened.stop();
  expect(readFileSync(join(media, 'sheet.results.csv'), 'utf8')).toContain('T-late');
});

test('a finished rehearsal that is edited after a restart renders what was added', async () => {
  const folder = temporaryFolder();
  const first = await open(folder);
  await openSheet(first, folder);
  const { id } = await createBatch(first, folder);
  await value(first.service.handlers['batch.start']({ batchId: id }));
  await first.engine.settled(id);
  await first.stop();

  const { engine, service } = await open(folder);
  await service.takeUp();
  const rows = [await keyAt({ engine }, id, 0)];
  const edit = { kind: 'set-cells' as const, rows, added: 0, headers: ['takes'], values: [['3']] };
  await value(service.handlers['sheet.edit']({ batchId: id, edit }));
  await value(service.handlers['batch.release']({ batchId: id, submits: 1 }));
  await engine.settled(id);
  const batch = await value(service.handlers['batch.get']({ batchId: id }));
  expect(batch).toMatchObject({ state: 'finished', submitsUsed: 4, files: 4 });
  expect(batch.pause).toBeUndefined();
});

test('what came late for a batch that has ended is fetched after a restart', async () => {
  const folder = temporaryFolder();
  const made = await storeAtOnce(join(folder, 'store'));
  if (!made.ok) throw new Error(made.error.message);
  const { store } = made.value;
  const { id } = await store.createBatch(newBatch());
  const [task] = await store.tasksOfRow(id, 'r2');
  if (task === undefined) throw new Error('There is no task.');
  const late = { ...task, status: 'downloading' as const, taskCode: 'c1', revision: task.revision + 1 };
  const event = { kind: 'cancel-requested' } as const;
  await store.commit([{ expectedRevision: task.revision, next: late, event, at: NOW }]);
  await store.setBatchState(id, 'finished', undefined, NOW);
  await made.value.close();

  const { engine, service } = await open(folder);
  const attach = vi.spyOn(engine, 'attach');
  await service.takeUp();
  expect(attach).toHaveBeenCalledWith(id);
});

test('what a kill has kept out of the folder’s documents is in them soon after the next start', async () => {
  const folder = temporaryFolder();
  const first = await open(folder);
  await openSheet(first, folder);
  const { id: batchId } = await createBatch(first, folder);
  await value(first.service.handlers['batch.start']({ batchId }));
  await first.engine.settled(batchId);
  const results = (): string => readFileSync(join(folder, 'media', 'sheet.results.csv'), 'utf8');
  await vi.waitFor(() => expect(results()).toContain('A lullaby about a harbour'), 20_000);
  await vi.waitFor(async () => expect(await first.engine.documentMarks.outdatedDocuments()).toEqual([]), 20_000);
  const edit = {
    kind: 'set-cells' as const,
    rows: [await keyAt(first, batchId, 4)],
    added: 0,
    headers: ['prompt'],
    values: [['A song of the morning after']],
  };
  await value(first.service.handlers['sheet.edit']({ batchId, edit }));
  await first.kill();
  expect(results()).not.toContain('A song of the morning after');

  const second = await open(folder);
  await second.service.takeUp();
  await vi.waitFor(() => expect(results()).toContain('A song of the morning after'), 20_000);
  await vi.waitFor(async () => expect(await second.engine.documentMarks.outdatedDocuments()).toEqual([]), 20_000);
});
