import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createEngine } from '../../../src/engine/index.ts';
import { engineRequests } from '../../../src/main/engine-process/engine-protocol.ts';
import { EngineService } from '../../../src/main/engine-process/engine-service.ts';
import { FolderDocuments } from '../../../src/engine/commands/folder-documents.ts';
import { RehearsalGateway } from '../../../src/main/engine-process/rehearsal-gateway.ts';
import { DEFAULT_PROFILE } from '../../../src/shared/domain/gateway/profile.ts';
import type { Reply } from '../../../src/shared/ipc/contract.ts';
import { fastClock } from '../../support/fast-clock.ts';
import { storeAtOnce } from '../../support/store-at-once.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

// Its sheets are read in processes of their own.
vi.setConfig({ testTimeout: 60_000 });

/** A rehearsal waits a quarter of a second, not 2.5, before it first asks for a task. */
const NIGHT_BEGAN = Date.now();

const HEADER = 'row,operation,prompt,takes,note';
const SHEET = ['a,lyrics,owl,1,', 'b,lyrics,fox,1,', 'c,lyrics,elk,1,'];
const CHOSEN = { removed: 'keep', withDependents: false } as const;

async function value<T>(reply: Promise<Reply<T>> | Reply<T>): Promise<T> {
  const answered = await reply;
  if (!answered.ok) throw new Error(answered.error.message);
  return answered.value;
}

/** A batch that was made of a file and is not started, and the file as a test changes it. */
async function opened() {
  const folder = temporaryFolder();
  const told: string[] = [];
  const created = await createEngine({
    dataDir: join(folder, 'store'),
    clock: fastClock(10, NIGHT_BEGAN),
    openStore: storeAtOnce,
  });
  if (!created.ok) throw new Error(created.error.message);
  const engine = created.value;
  const { handlers } = new EngineService({
    engine,
    documents: new FolderDocuments({ write: () => Promise.resolve(undefined), onProblem: () => undefined }),
    rehearsal: new RehearsalGateway(join(folder, 'rehearsal')),
    storeFolder: join(folder, 'store'),
    tell: (event) => void told.push(event),
  });
  onTestFinished(async () => {
    await handlers['engine.stop'](undefined);
  });
  const path = join(folder, 'sheet.csv');
  const write = (...rows: readonly string[]): void => writeFileSync(path, `${[HEADER, ...rows].join('\n')}\n`);
  write(...SHEET);
  await value(handlers['sheet.open']({ sheetId: 's', path, name: 'Sheet' }));
  const where = { folder: join(folder, 'media'), rehearsal: true, profile: DEFAULT_PROFILE };
  const { id: batchId } = await value(
    handlers['batch.create']({ sheetId: 's', name: 'Night', ...where, start: false }),
  );
  const keys = await engine.rows.keysInView(batchId, {}, 0, 3);
  const run = async (): Promise<void> => {
    await value(handlers['batch.start']({ batchId }));
    await engine.settled(batchId);
  };
  const compare = () => value(handlers['sheet.compare']({ batchId }));
  const apply = async (differenceId: string) => {
    const applied = await value(handlers['sheet.apply']({ differenceId, ...CHOSEN, start: true }));
    expect(engineRequests['sheet.apply'].output.parse(applied)).toEqual(applied);
    return applied;
  };
  /** Sets a cell of the row at a place of the sheet. */
  const edit = (row: number, header: string, text: string) => {
    const rows = keys.slice(row, row + 1);
    const cells = { kind: 'set-cells' as const, rows, added: 0, headers: [header], values: [[text]] };
    return value(handlers['sheet.edit']({ batchId, edit: cells }));
  };
  return { engine, handlers, batchId, write, run, compare, apply, edit, told };
}

test('a file is taken over for what was shown, and not for more that an edit under way asks for', async () => {
  const { engine, batchId, write, run, compare, apply, edit } = await opened();
  await run();
  // A draft that was never rendered: what was, would be brought back and not be paid for.
  await edit(1, 'prompt', 'a fox');
  write('a,lyrics,an owl,1,', 'b,lyrics,a fox,1,', 'c,lyrics,elk,1,');
  const shown = await compare();
  expect(shown.submits).toBe(1);
  const editing = edit(1, 'prompt', 'a hare');
  await expect(apply(shown.differenceId)).rejects.toThrow('now asks for 1 paid request that');
  await editing;
  expect((await engine.store.row(batchId, 'a'))?.body).toMatchObject({ prompt: 'owl' });
  expect(await engine.store.submitsUsed(batchId)).toBe(3);
  const again = await compare();
  expect(await apply(again.differenceId)).toMatchObject({ tasks: 2 });
  await engine.settled(batchId);
  expect(await engine.store.submitsUsed(batchId)).toBe(5);
});

test('what a file asks for is shown for both: rows that it no longer has are kept, or removed', async () => {
  const { engine, batchId, write, run, compare, apply } = await opened();
  await run();
  write('b,lyrics,fox,1,', 'c,lyrics,elk,1,', 'd,lyrics,like {{a.taskId}},1,');
  const shown = await compare();
  expect(engineRequests['sheet.compare'].output.parse(shown)).toEqual(shown);
  expect(shown).toMatchObject({ submits: 0, errorCount: 1, counts: { removed: 1, new: 1, invalid: 1 } });
  expect(shown.kept).toMatchObject({ submits: 1, errorCount: 0, counts: { removed: 1, new: 1, invalid: 0 } });
  expect(await apply(shown.differenceId)).toMatchObject({ tasks: 1 });
  await engine.settled(batchId);
  expect(await engine.store.submitsUsed(batchId)).toBe(4);
});

test('what is typed while a file is taken over is not run with it', async () => {
  const { engine, batchId, write, run, compare, apply, edit } = await opened();
  await run();
  write('a,lyrics,an owl,1,', ...SHEET.slice(1));
  const shown = await compare();
  const applying = apply(shown.differenceId);
  const editing = edit(0, 'takes', '9');
  expect(await applying).toMatchObject({ tasks: 1 });
  await editing;
  await engine.settled(batchId);
  expect(await engine.store.submitsUsed(batchId)).toBe(4);
});

test('a draft of before that the file only has another note for goes on waiting', async () => {
  const { engine, batchId, write, run, compare, apply, edit } = await opened();
  await run();
  await edit(1, 'prompt', 'a fox');
  write('a,lyrics,an owl,1,', 'b,lyrics,a fox,1,for later', 'c,lyrics,elk,1,');
  const shown = await compare();
  expect(shown).toMatchObject({ submits: 1, counts: { changed: 1, details: 1 } });
  expect(await apply(shown.differenceId)).toMatchObject({ tasks: 1, batch: { draftSubmits: 1 } });
  await engine.settled(batchId);
  expect(await engine.store.submitsUsed(batchId)).toBe(4);
});

test('a batch that was not started is not started for what its file has changed', async () => {
  const { engine, batchId, write, compare, apply } = await opened();
  write('a,lyrics,an owl,1,', ...SHEET.slice(1));
  const shown = await compare();
  await expect(apply(shown.differenceId)).rejects.toThrow('has not been started yet');
  expect((await engine.store.batch(batchId))?.state).toBe('ready');
});

test('the file of a batch is watched while it is in use: not while it is put away, and again once it is back', async () => {
  const { handlers, batchId, write, told } = await opened();
  const changes = (): number => told.filter((event) => event === 'sheet.fileChanged').length;
  await value(handlers['sheet.watch']({ batchId, isWatched: true }));
  write(...SHEET, 'd,lyrics,hare,1,');
  await vi.waitFor(() => expect(changes()).toBe(1), 20_000);
  await value(handlers['batch.shelve']({ batchId, to: 'archived' }));
  write(...SHEET);
  await value(handlers['batch.shelve']({ batchId, to: 'back' }));
  write(...SHEET, 'e,lyrics,newt,1,');
  await vi.waitFor(() => expect(changes()).toBe(2), 20_000);
});
