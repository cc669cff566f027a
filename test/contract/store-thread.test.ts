import { listOf } from '../../src/shared/domain/base/result.ts';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchCrashPoints } from '../../src/engine/crash-point.ts';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import { receivedError, sentError } from '../../src/engine/store/thread/store-messages.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { openStoreThread, type StoreThreadOptions } from '../../src/engine/store/thread/store-thread.ts';
import {
  isRefusedByDisk,
  problemOfError,
  StoreWriteError,
  storeProblem,
} from '../../src/engine/store/open/store-problem.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';

const workers = vi.hoisted((): Worker[] => []);
vi.mock('node:worker_threads', async (original) => {
  const threads = await original<typeof import('node:worker_threads')>();
  class Noted extends threads.Worker {
    constructor(...input: ConstructorParameters<typeof Worker>) {
      super(...input);
      workers.push(this);
    }
  }
  return { ...threads, Worker: Noted };
});

/** More than several messages hold. */
const ROWS = 950;

const passed: string[] = [];
afterAll(watchCrashPoints((name) => passed.push(name)));

let dir: string;
let opened: PromisedStore;

const lost: Error[] = [];

async function open(options: StoreThreadOptions = {}): Promise<PromisedStore> {
  const result = await openStoreThread(dir, { onLost: (error) => lost.push(error), ...options });
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}

async function queuedTasks(count = ROWS): Promise<readonly Task[]> {
  const rows = Array.from({ length: count }, (_, i) => makeRow(i + 2));
  const { id } = await opened.store.createBatch(newBatch({ rows }));
  return opened.store.nextQueued(id, 'musicgen', count, NOW);
}

function prioritized(task: Task): TaskChange {
  const next = { ...task, priority: 7, revision: task.revision + 1 };
  return { expectedRevision: task.revision, next, event: { kind: 'cancel-requested' }, at: NOW };
}

beforeEach(async () => {
  dir = temporaryFolder();
  opened = await open();
  passed.length = 0;
});
afterEach(async () => {
  await opened.close();
});

test('a sheet goes there in pieces, and its tasks come back in pieces, whole and in order', async () => {
  const rows = Array.from({ length: ROWS }, (_, i) => makeRow(i + 2));
  const { id } = await opened.store.createBatch(newBatch({ rows: rows.values() }));
  const tasks = await listOf(opened.store.tasksByStatus(['queued'], id));
  expect(tasks.map(({ rowId }) => rowId)).toEqual(rows.map((row) => row.id));
});

test('a reader who stops early leaves the rest, and can begin anew', async () => {
  const [first] = await queuedTasks();
  for (let times = 0; times < 3; times += 1) {
    for await (const task of opened.store.tasksByStatus(['queued'])) {
      expect(task.id).toBe(first?.id);
      break;
    }
  }
  expect(await listOf(opened.store.tasksByStatus(['queued']))).toHaveLength(ROWS);
});

test('what the rows of a sheet throw is thrown as it is, and nothing of the batch is there', async () => {
  const unreadable = new Error('unreadable');
  const rows = (function* () {
    for (let line = 2; line < ROWS; line += 1) yield makeRow(line);
    throw unreadable;
  })();
  await expect(opened.store.createBatch(newBatch({ rows }))).rejects.toBe(unreadable);
  expect(await opened.store.batches()).toEqual([]);
});

test('commits that wait together share a transaction; one with a bug takes no other with it', async () => {
  const tasks = await queuedTasks(10);
  const outcomes = await Promise.all(tasks.map((task) => opened.store.commit([prioritized(task)])));
  expect(outcomes.flat()).toEqual(Array.from({ length: 10 }, () => 'committed'));
  expect(passed.filter((name) => name === 'commit.written')).toHaveLength(1);

  const [first, second, third] = await Promise.all(tasks.slice(0, 3).map(({ id }) => opened.store.task(id)));
  const unknown = { ...only(second), id: 999_999 };
  const settled = await Promise.allSettled([
    opened.store.commit([prioritized(only(first)), prioritized(only(second))]),
    opened.store.commit([prioritized(unknown)]),
    opened.store.commit([]),
    opened.store.commit([prioritized(only(second)), prioritized(only(third))]),
  ]);
  expect(settled.map((one) => (one.status === 'fulfilled' ? one.value : (one.reason as Error).message))).toEqual([
    ['committed', 'committed'],
    'Unknown task: 999999',
    [],
    ['stale', 'committed'],
  ]);
});

test('a question sees what was committed before it was asked, and nothing that was committed after it', async () => {
  const task = only((await queuedTasks(1))[0]);
  const first = prioritized(task);
  const second = prioritized({ ...first.next, priority: 8 });
  const [, between, , after] = await Promise.all([
    opened.store.commit([first]),
    opened.store.task(task.id),
    opened.store.commit([second]),
    opened.store.task(task.id),
  ]);
  expect([between?.revision, after?.revision]).toEqual([1, 2]);
});

test('what is read beside the owner is what was committed before', async () => {
  const rows = Array.from({ length: 40 }, (_, i) => makeRow(i + 2));
  const { id } = await opened.store.createBatch(newBatch({ rows }));
  const page = async (): Promise<readonly string[]> =>
    (await opened.views.rowPage(id, { offset: 1, limit: 3 })).rows.map(
      ({ row, line, status }) => `${line} ${row} ${status}`,
    );
  expect(await page()).toEqual(['3 r3 queued', '4 r4 queued', '5 r5 queued']);

  const [task] = await opened.store.tasksOfRow(id, 'r3');
  const done = prioritized(only(task));
  await opened.store.commit([{ ...done, next: { ...done.next, status: 'done' } }]);
  expect(await page()).toEqual(['3 r3 done', '4 r4 queued', '5 r5 queued']);

  const [first, second] = await opened.sheets.keysInView(id, {}, 0, 2);
  const places = (await opened.sheets.neighboursOf(id, [only(second)])).get(only(second));
  const between = { ...makeRow(99, { id: 'between' }), skip: true };
  const content = { row: between, problems: [], isDraft: false, request: undefined, unused: [] };
  const { sheet } = only(await opened.store.batch(id));
  const change = {
    sheet: { ...sheet, isRenumbered: true },
    rows: [{ kind: 'insert', content: { ...content, position: only(places?.before).position + 1 }, add: [] }],
    at: NOW,
  } as const;
  expect(await opened.sheets.change(id, change)).toMatchObject({ kind: 'written' });
  expect(await page()).toEqual(['3 between skipped', '4 r3 done', '5 r4 queued']);
  expect(await opened.sheets.linesOf(id, [only(first), only(second)])).toEqual(
    new Map([
      [first, 2],
      [second, 4],
    ]),
  );
  expect((await opened.views.batchSummary(id))?.rows).toMatchObject({ done: 1, queued: 39, skipped: 1 });

  await opened.sheets.spreadPositions(id);
  expect(await page()).toEqual(['3 between skipped', '4 r3 done', '5 r4 queued']);
  const exported = await listOf(opened.views.exportRows(id));
  expect(exported.map(({ row }) => row.id).slice(0, 3)).toEqual(['r2', 'between', 'r3']);
});

test('a reader beside the owner sees batches that come, and is closed with it', async () => {
  for (const name of ['first', 'second']) {
    const { id } = await opened.store.createBatch(newBatch({ name }));
    expect((await opened.views.viewPage(id, { offset: 0, limit: 9, withCells: true })).rows).toHaveLength(1);
  }
  await expect(opened.sheets.countInView('none', {})).rejects.toThrow('none');
  const counted = opened.sheets.countInView(only((await opened.store.batches())[0]).id, {});
  const closed = opened.close();
  await expect(opened.views.rowPage('none', { offset: 0, limit: 1 })).rejects.toThrow('closed');
  expect(await counted).toBe(1);
  await closed;
  expect(readdirSync(dir).toSorted()).toEqual(['nocturne.db', 'owner.lock']);
});

test('where the reader is spared, it starts only beside an import, or once the store is large', async () => {
  const reopened = async (): Promise<number> => {
    await opened.close();
    opened = await open({ sparesReader: true });
    return workers.length;
  };
  const rowsOf = async (id: string): Promise<number> => (await opened.views.rowPage(id, { offset: 0, limit: 1 })).total;
  let before = await reopened();
  const { id } = await opened.store.createBatch(newBatch());
  expect(await rowsOf(id)).toBe(1);
  expect(await listOf(opened.views.exportRows(id))).toHaveLength(1);
  expect(workers).toHaveLength(before);
  // Enough text to make the store large; it is still small while they are imported.
  const prompt = 'p'.repeat(8_000);
  const rows = Array.from({ length: ROWS }, (_, i) => makeRow(i + 2, { cells: { prompt } }));
  const imported = opened.store.createBatch(newBatch({ rows }));
  expect(await rowsOf(id)).toBe(1);
  expect(workers).toHaveLength(before + 1);
  const large = (await imported).id;
  before = await reopened();
  expect(await rowsOf(large)).toBe(ROWS);
  expect(workers).toHaveLength(before + 1);
});

test('a store that becomes large is read beside its owner from then on', async () => {
  await opened.close();
  opened = await open({ sparesReader: true });
  const before = workers.length;
  const rows = Array.from({ length: ROWS }, (_, i) => makeRow(i + 2, { cells: { prompt: 'p'.repeat(8_000) } }));
  const { id } = await opened.store.createBatch(newBatch({ rows }));
  expect((await opened.views.rowPage(id, { offset: 0, limit: 1 })).total).toBe(ROWS);
  expect(workers).toHaveLength(before + 1);
});

test('a thread that has ended rejects what waits for it and what comes later, and its store is free', async () => {
  const [task] = await queuedTasks(1);
  const worker = only(workers.at(-1));
  const waiting = Promise.allSettled([opened.store.commit([prioritized(only(task))]), opened.store.batches()]);
  await worker.terminate();
  expect(lost.splice(0)).toMatchObject([{ message: 'The thread of the store has ended.' }]);
  for (const one of await waiting) {
    if (one.status === 'rejected') expect(one.reason).toMatchObject({ message: 'The thread of the store has ended.' });
  }
  const late = opened.store.batches();
  await expect(late).rejects.toThrow('The thread of the store has ended.');
  expect(isRefusedByDisk(await late.catch((error: unknown) => error))).toBe(false);
  await opened.close();
  opened = await open();
  expect(await opened.store.batches()).toHaveLength(1);
});

test('a reader that cannot open says why, and keeps nobody from closing the store', async () => {
  const { id } = await opened.store.createBatch(newBatch());
  const [file, away] = [path.join(dir, 'nocturne.db'), path.join(dir, 'away.db')];
  renameSync(file, away);
  const page = opened.views.rowPage(id, { offset: 0, limit: 1 });
  await expect(page).rejects.toThrow(StoreWriteError);
  renameSync(away, file);
  expect((await opened.views.rowPage(id, { offset: 0, limit: 1 })).total).toBe(1);
  renameSync(file, away);
  const last = opened.views.problems(id, 1).catch((error: unknown) => error);
  await opened.close();
  await last;
  renameSync(away, file);
  opened = await open();
  expect(await opened.store.batches()).toHaveLength(1);
});

test('closing waits for what was asked, and releases the store', async () => {
  const [task] = await queuedTasks(1);
  const committed = opened.store.commit([prioritized(only(task))]);
  const owned = await openStoreThread(dir);
  expect(owned).toMatchObject({ ok: false, error: { kind: 'owned', ownerPid: process.pid } });
  await opened.close();
  expect(await committed).toEqual(['committed']);
  await expect(opened.store.batches()).rejects.toThrow('closed');
  opened = await open();
  expect(await opened.store.task(only(task).id)).toMatchObject({ priority: 7 });
  expect(await opened.whole.incarnation()).toMatchObject({ opening: 2 });
});

test('an owner whose lock was removed pays nothing once another has opened the store, and is told so', async () => {
  const [task, other] = await queuedTasks(2);
  lost.length = 0;
  rmSync(path.join(dir, 'owner.lock'));
  const taker = await openStoreThread(dir);
  if (!taker.ok) throw new Error(taker.error.message);
  // Only what pays is refused: an answer that was paid for is still recorded.
  expect(await opened.store.commit([prioritized(only(task))])).toEqual(['committed']);
  const openAttempt = { startedAt: NOW, origin: 'o', keyFingerprint: 'k', body: new Uint8Array(), bodySha256: 'h' };
  const paying = opened.store.commit([{ ...prioritized(only(other)), openAttempt }]);
  await expect(paying).rejects.toMatchObject({ name: 'StoreWriteError', problem: { kind: 'owned' } });
  expect(lost).toMatchObject([{ problem: { kind: 'owned' } }]);
  expect(await taker.value.store.attempts(only(other).id)).toEqual([]);
  expect(await taker.value.store.commit([{ ...prioritized(only(other)), openAttempt }])).toEqual(['committed']);
  await taker.value.close();
});

test('an owner that others have changed a task behind is told the reason, and it is no bug', async () => {
  const [task] = await queuedTasks(1);
  await opened.store.commit([prioritized(only(task))]);
  lost.length = 0;
  rmSync(path.join(dir, 'owner.lock'));
  const taker = await openStoreThread(dir);
  if (!taker.ok) throw new Error(taker.error.message);
  const known = only(await opened.store.task(only(task).id));
  expect(await taker.value.store.commit([prioritized(known)])).toEqual(['committed']);
  await expect(opened.store.commit([prioritized(known)])).rejects.toMatchObject({ problem: { kind: 'owned' } });
  expect(lost).toMatchObject([{ problem: { kind: 'owned' } }]);
  await taker.value.close();
});

test('nothing can be called but what a part of the store has by its own name', async () => {
  const worker = only(workers.at(-1));
  const answers = new Promise<readonly unknown[]>((resolve) => {
    const heard: unknown[] = [];
    worker.on('message', (message: { readonly answers: readonly unknown[] }) => {
      if (heard.push(...message.answers) === 2) resolve(heard);
    });
  });
  const calls = [
    ['store', 'constructor'],
    ['constructor', 'keys'],
  ].map(([part, method], id) => ({ kind: 'call', id: 1_000 + id, part, method, args: [] }));
  worker.postMessage(calls, []);
  expect(await answers).toMatchObject([
    { error: { message: 'No method store.constructor' } },
    { error: { message: 'No method constructor.keys' } },
  ]);
});

test('crash points of the thread are passed in the process, while the thread stands still', async () => {
  await queuedTasks(1);
  expect(passed).toEqual(['import.row-written', 'import.committed']);
});

test('the disk can be told from a bug on the other side', () => {
  const sent = (error: unknown): Error => receivedError(structuredClone(sentError(error)));
  const full = Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  expect(problemOfError(sent(full), 'db')).toEqual(problemOfError(full, 'db'));
  const refused = sent(new StoreWriteError(storeProblem('full', 'db: full'), full));
  expect(refused).toBeInstanceOf(StoreWriteError);
  expect(refused).toMatchObject({ name: 'StoreWriteError', problem: { kind: 'full' }, cause: { errcode: 13 } });
  const unplugged = sent(Object.assign(new Error('no such file'), { code: 'ENOENT' }));
  expect(isRefusedByDisk(unplugged)).toBe(true);
  const bug = sent(new TypeError('undefined is not a function'));
  expect(isRefusedByDisk(bug)).toBe(false);
  expect(bug).toMatchObject({ name: 'TypeError', message: 'undefined is not a function' });
  expect(bug.stack).toContain('store-thread.test');
});
