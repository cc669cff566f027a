import { describe, expect, test } from 'vitest';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import { removeDeleted } from '../../src/engine/night/batches/shelf.ts';
import type { SettingsChange } from '../../src/engine/night/batches/settings-changes.ts';
import { readLedger } from '../../src/engine/read-ledger.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { promisedStore } from '../../src/engine/store/thread/promised.ts';
import { BRING_BACK_MS } from '../../src/shared/domain/task/batch-standing.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/gateway/profile.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DATABASES, openedStore } from './opened-store.ts';
import { makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';

const BODY = 'a secret prompt';
const DUE = NOW + BRING_BACK_MS;

function change({ store }: OpenStore, id: number, next: Partial<Task>): void {
  const task = only(store.task(id));
  const changed = { ...task, ...next, revision: task.revision + 1 } as Task;
  const event = { kind: 'cancel-requested' } as const;
  store.commit([{ expectedRevision: task.revision, next: changed, event, at: NOW }]);
}

/** Sends one row of a batch for 3 EUR, to a gateway that accepts it, or of which no answer comes. */
function pay({ store }: OpenStore, id: number, outcome: 'accepted' | 'unknown', end: Partial<Task>): void {
  const request = { origin: 'https://gateway.example', keyFingerprint: 'k', bodySha256: 'h' };
  const body = new TextEncoder().encode(BODY);
  const task = only(store.task(id));
  const step = { event: { kind: 'cancel-requested' }, at: NOW } as const;
  const openAttempt = { startedAt: NOW, ...request, body, price: { amount: 3, currency: 'EUR' } };
  store.commit([{ ...step, expectedRevision: task.revision, next: { ...task, revision: 1 }, openAttempt }]);
  const raw = { httpStatus: 200, headers: {}, body: new TextEncoder().encode(BODY), truncated: false };
  const closeAttempt = { answeredAt: NOW, outcome, raw } as const;
  store.commit([{ ...step, expectedRevision: 1, next: { ...task, revision: 2 }, closeAttempt }]);
  change({ store } as OpenStore, id, { submittedAt: NOW, finishedAt: NOW, ...end });
}

function paidBatch(opened: OpenStore): { readonly id: string; readonly settings: BatchSettings } {
  const { store } = opened;
  const own = settings({ rehearsal: false, profile: { ...DEFAULT_PROFILE, baseUrl: 'https://gateway.example' } });
  const batch = store.createBatch({
    ...newBatch(),
    settings: own,
    rows: ['paid', 'waiting', 'lost'].map((id, at) =>
      makeRow(at + 2, { id, body: { prompt: BODY }, cells: { prompt: BODY } }),
    ),
  });
  store.setBatchState(batch.id, 'running', undefined, NOW);
  pay(opened, only(store.tasksOfRow(batch.id, 'paid')[0]).id, 'accepted', { status: 'done', taskCode: 'code-1' });
  const lost = { status: 'failed', taskCode: 'code-2', failure: failure('WRITTEN_OFF', BODY) } as const;
  pay(opened, only(store.tasksOfRow(batch.id, 'lost')[0]).id, 'unknown', lost);
  store.setBatchState(batch.id, 'paused', { by: 'user' }, NOW + 1);
  return { id: batch.id, settings: only(store.batch(batch.id)).settings };
}

describe.each(DATABASES)('a batch that is removed from a store on %s', (_, open) => {
  test('is gone with its rows, while what it has paid counts as before', async () => {
    const opened = open(temporaryFolder());
    const { store, views } = opened;
    const { id, settings: own } = paidBatch(opened);
    const others = store.createBatch(newBatch());
    const before = store.spending(NOW, []);
    expect(before.month).toMatchObject({ requests: 2, micros: { EUR: 6_000_000 } });
    const view = { store: promisedStore(opened).store, ledger: promisedStore(opened).ledger };
    const ofNight = { night: only(store.nights()[0]).id };
    const reading = { now: NOW, isAtWork: true };
    const money = (await readLedger(view, ofNight, reading))?.money;
    const [night] = opened.ledger.nights(5, true);

    store.updateBatchSettings(id, { ...own, shelf: { is: 'deleted', at: NOW } });
    // Neither before nor after that it asks anything of anybody.
    const groups = async () => (await readLedger(view, ofNight, reading))?.groups.map(({ group }) => group);
    expect(await groups()).toEqual(['deleted']);
    expect(store.removeBatch(id, DUE)).toBe(true);
    expect(await groups()).toEqual(['deleted']);

    expect(store.batches().map((batch) => batch.id)).toEqual([others.id]);
    expect(store.batch(id)).toBeUndefined();
    expect(views.batchSummary(id)).toBeUndefined();
    expect(store.spending(NOW, [])).toEqual(before);
    expect(opened.ledger.nights(5, true)).toEqual([night]);
    expect(opened.checkIntegrity()).toEqual([]);
    const after = await readLedger(view, ofNight, reading);
    // What was only planned is planned no more.
    const sentOf = (of: typeof money) => of?.money.map(({ currency, spent, unknown }) => [currency, spent, unknown]);
    expect(sentOf(money)).toEqual([['EUR', 3, 3]]);
    expect(sentOf(after?.money)).toEqual(sentOf(money));
    expect(after?.money.requests).toMatchObject({ spent: 1, unknown: 1 });
    expect(after?.batches.map((batch) => batch.id)).toContain(id);
    const paid = [...opened.ledger.paidRequests({ batchIds: [id] })];
    expect(paid).toMatchObject([
      { row: 'paid', taskCode: 'code-1', price: { amount: 3, currency: 'EUR' } },
      { row: 'lost', outcome: 'unknown', price: { amount: 3, currency: 'EUR' } },
    ]);
    expect(store.removeBatch(id, DUE)).toBe(false);
    opened.close();
  });

  test('leaves nothing of what was sent and what came back', () => {
    const dir = temporaryFolder();
    const opened = open(dir);
    const { id, settings: own } = paidBatch(opened);
    const task = only(opened.store.tasksOfRow(id, 'paid')[0]).id;
    const waiting = only(opened.store.tasksOfRow(id, 'waiting')[0]).id;
    opened.store.updateBatchSettings(id, { ...own, shelf: { is: 'deleted', at: NOW } });
    opened.store.markDocuments(id, true);
    opened.store.markDocuments(id, true, 'one of several');
    opened.store.countDocuments(id, 1);
    opened.store.removeBatch(id, DUE);
    expect(opened.store.outdatedDocuments()).toEqual([]);
    expect(opened.store.countDocuments(id, 0)).toBe(0);
    const [attempt] = opened.store.attempts(task);
    expect(new TextDecoder().decode(attempt?.body)).toBe('');
    expect(attempt?.raw).toBeUndefined();
    expect(opened.store.events(task)).toEqual([]);
    // What still accounts for them is no task that anybody could go on with.
    expect(opened.store.tasks([task, waiting])).toEqual([]);
    expect([task, waiting].map((one) => opened.store.task(one))).toEqual([undefined, undefined]);
    expect(opened.store.row(id, 'paid')).toBeUndefined();
    opened.close();
    const again = open(dir);
    expect(again.store.batches()).toEqual([]);
    expect(again.checkIntegrity()).toEqual([]);
    again.close();
  });

  test('is not, before its day is over, once it was brought back, or while something is under way', () => {
    const opened = open(temporaryFolder());
    const { store } = opened;
    const { id, settings: own } = paidBatch(opened);
    expect(store.removeBatch(id, DUE)).toBe(false);
    store.updateBatchSettings(id, { ...own, shelf: { is: 'archived', at: NOW } });
    expect(store.removeBatch(id, DUE)).toBe(false);
    store.updateBatchSettings(id, { ...own, shelf: { is: 'deleted', at: NOW } });
    expect(store.removeBatch(id, DUE - 1)).toBe(false);
    const waiting = only(store.tasksOfRow(id, 'waiting')[0]).id;
    change(opened, waiting, { status: 'submit-unknown', submittedAt: NOW });
    expect(store.removeBatch(id, DUE)).toBe(false);
    change(opened, waiting, { status: 'cancelled', finishedAt: NOW });
    store.setBatchState(id, 'running', undefined, NOW + 2);
    expect(store.removeBatch(id, DUE)).toBe(false);
    store.setBatchState(id, 'finished', undefined, NOW + 3);
    expect(only(store.batch(id)).name).toBe(newBatch().name);
    expect(store.removeBatch(id, DUE)).toBe(true);
    opened.close();
  });
});

test('a start removes what was deleted a day ago, but gives it another day in an older copy of the store', async () => {
  const opened = openedStore(temporaryFolder());
  const { store } = opened;
  const [first, second] = [store.createBatch(newBatch()), store.createBatch(newBatch())];
  for (const { id, settings: own } of [first, second])
    store.updateBatchSettings(id, { ...own, shelf: { is: 'deleted', at: id === first.id ? NOW : NOW + 5 } });
  const configure = async (id: string, change: SettingsChange): Promise<void> => {
    const batch = only(store.batch(id));
    const changed = typeof change === 'function' ? change(batch) : change;
    if (changed !== undefined) store.updateBatchSettings(id, changed);
    return Promise.resolve();
  };
  const onFailed = (error: unknown): never => {
    throw error;
  };
  const parts = { store: promisedStore(opened).store, configure, onFailed };
  const look = (now: number, isOlderCopy: boolean) =>
    removeDeleted(parts, (id) => parts.store.removeBatch(id, now), now, isOlderCopy);
  expect(await look(DUE, true)).toEqual([]);
  expect(store.batches().map(({ settings: now }) => now.shelf)).toEqual([
    { is: 'deleted', at: DUE },
    { is: 'deleted', at: DUE },
  ]);
  store.updateBatchSettings(second.id, { ...second.settings, shelf: { is: 'deleted', at: DUE + 5 } });
  expect(await look(DUE + BRING_BACK_MS, false)).toEqual([first.id]);
  expect(store.batches().map(({ id }) => id)).toEqual([second.id]);
  opened.close();
});
