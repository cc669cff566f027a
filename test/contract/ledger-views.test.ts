import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readLedger } from '../../src/engine/read-ledger.ts';
import type { AttemptIntent, TaskChange } from '../../src/engine/ports/task-change.ts';
import type { PromisedStore } from '../../src/engine/store/thread/promised.ts';
import type { ForecastRecord } from '../../src/shared/domain/task/forecast/forecast-record.ts';
import { failure, type FailureCode } from '../../src/shared/domain/base/failure.ts';
import type { Money } from '../../src/shared/domain/base/money.ts';
import { listOf, present } from '../../src/shared/domain/base/result.ts';
import type { Output, Task } from '../../src/shared/domain/task/task.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { WAYS } from './opened-store.ts';
import { transition } from '../../src/shared/domain/task/task-machine.ts';
import { makeRow, newBatch, NOW, only } from './task-store-fixtures.ts';

const HOURS_25 = 25 * 3_600_000;
const MINUTE_MS = 60_000;

describe.each(WAYS)('the ledger of a store %s', (_, openIn) => {
  let opened: PromisedStore;
  beforeEach(async () => {
    opened = await openIn(temporaryFolder());
  });
  afterEach(() => opened.close());

  async function change(row: string, batchId: string, different: Partial<Task>, more: Partial<TaskChange> = {}) {
    const task = only((await opened.store.tasksOfRow(batchId, row))[0]);
    const next = { ...task, ...different, revision: task.revision + 1 };
    const event = { kind: 'cancel-requested' } as const;
    expect(await opened.store.commit([{ expectedRevision: task.revision, next, event, at: NOW, ...more }])).toEqual([
      'committed',
    ]);
  }

  /** Sends a request for a row, which is answered with this outcome a second later. */
  async function send(
    row: string,
    batchId: string,
    outcome: 'accepted' | 'rejected' | 'unknown' | 'rate-limited',
    more: Partial<AttemptIntent> = {},
    cost?: Money,
  ) {
    const openAttempt = {
      startedAt: NOW,
      origin: 'https://gateway.test',
      keyFingerprint: 'k',
      body: new TextEncoder().encode(row),
      bodySha256: 's',
      ...more,
    };
    await change(row, batchId, { status: 'submitting' }, { openAttempt });
    await change(row, batchId, {}, { closeAttempt: { answeredAt: NOW + 1_000, outcome, ...present({ cost }) } });
  }

  test('says with which account each request was sent, where a batch has several', async () => {
    const { settings } = newBatch();
    const others = [{ name: 'spare', profile: settings.profile }];
    const several = { ...settings, accounts: { first: { name: 'main' }, others } };
    const { id } = await opened.store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)], settings: several }));
    await send('r2', id, 'accepted', { account: 'main' });
    await send('r3', id, 'unknown', { account: 'spare' });
    const requests = await opened.ledger.requests({ batchIds: [id] });
    const chargesOf = new Map(requests.map(({ account, charge }) => [account, charge]));
    expect([chargesOf.get('main'), chargesOf.get('spare')]).toEqual(['spent', 'unknown']);
    const paid = await listOf(opened.ledger.paidRequests({ batchIds: [id] }));
    expect(paid.map(({ row, account }) => [row, account])).toEqual([
      ['r2', 'main'],
      ['r3', 'spare'],
    ]);
  });

  function output(state: Output['state']): Output {
    return { index: 1, url: 'https://media.test/1', state, generation: 1, tries: 1 };
  }

  async function nightOf12(): Promise<string> {
    const rows = Array.from({ length: 10 }, (_row, i) => makeRow(i + 2));
    const skipped = makeRow(12, { skip: true, takes: 2 });
    const { id } = await opened.store.createBatch(newBatch({ rows: [...rows, skipped] }));
    await opened.store.setBatchState(id, 'running', undefined, NOW);
    for (const row of ['r2', 'r3', 'r4', 'r5', 'r6']) await send(row, id, 'accepted');
    const times = { submittedAt: NOW + 1_000, finishedAt: NOW + 3 * MINUTE_MS };
    const file = { ...output('verified'), path: 'music/1.mp3', sha256: 'f', bytes: 1, mediaType: 'audio/mpeg' };
    await change('r2', id, { status: 'done', taskCode: 'c2', outputs: [file], ...times });
    await change('r3', id, { status: 'rendering', taskCode: 'c3', submittedAt: NOW + 1_000 });
    const expired = { failure: failure('RESULT_EXPIRED', 'HTTP 403'), outputs: [output('failed')] };
    await change('r4', id, { status: 'failed', taskCode: 'c4', ...expired, ...times });
    const broken = { failure: failure('OUTPUT_UNVERIFIABLE', 'No picture.'), outputs: [output('set-aside')] };
    await change('r5', id, { status: 'failed', taskCode: 'c5', ...broken, ...times });
    await change('r6', id, { status: 'failed', taskCode: 'c6', failure: failure('REMOTE_FAILED', 'Broke.'), ...times });
    await send('r7', id, 'rejected');
    await change('r7', id, {
      status: 'failed',
      attempts: 1,
      failure: failure('MODERATED', 'Not this.'),
      finishedAt: NOW,
    });
    await send('r8', id, 'unknown');
    await change('r8', id, { status: 'submit-unknown', submittedAt: NOW + 1_000 });
    await send('r9', id, 'rate-limited');
    await change('r9', id, { status: 'queued' });
    await change('r10', id, { status: 'cancelled', finishedAt: NOW });
    return id;
  }

  test('counts every take once, says what fell out where, and finds its rows', async () => {
    const batchId = await nightOf12();
    await opened.store.setBatchState(
      batchId,
      'paused',
      { by: 'failure', failure: failure('AUTH_REJECTED', '401') },
      NOW + MINUTE_MS,
    );
    const now = NOW + 5 * MINUTE_MS;
    const ledger = only(await readLedger(opened, { batchId }, { now, isAtWork: true }));
    expect(ledger.stages).toEqual({
      planned: 12,
      submitted: 7,
      accepted: 5,
      rendered: 3,
      downloaded: 2,
      verified: 1,
    });
    expect(ledger.fallen).toEqual([
      { after: 'planned', group: 'enter-key', takes: 2 },
      { after: 'planned', group: 'cancelled', takes: 1 },
      { after: 'planned', group: 'skipped', takes: 2 },
      { after: 'submitted', group: 'check-charge', takes: 1 },
      { after: 'submitted', group: 'correct', takes: 1 },
      { after: 'accepted', group: 'retry', takes: 1 },
      { after: 'accepted', group: 'enter-key', takes: 1 },
      { after: 'rendered', group: 'download', takes: 1 },
      { after: 'downloaded', group: 'download', takes: 1 },
    ]);
    const rowsOf = async (group: string): Promise<readonly string[]> => {
      const { facts } = only(ledger.groups.find((found) => found.group === group));
      return (await opened.ledger.rows(batchId, facts, 10)).map(({ row }) => row);
    };
    expect(await rowsOf('enter-key')).toEqual(['r3', 'r9', 'r11']);
    expect(await rowsOf('download')).toEqual(['r4', 'r5']);
    expect(await rowsOf('skipped')).toEqual(['r12']);
    const { facts } = only(ledger.groups.find(({ group }) => group === 'correct'));
    expect(await opened.ledger.rows(batchId, facts, 10)).toMatchObject([
      { row: 'r7', take: 1, attempts: 1, label: 'prompt 7', reason: 'Not this.' },
    ]);
  });

  test('adds up paid requests; one that was adopted is no longer unknown', async () => {
    const batchId = await nightOf12();
    const asked = { now: NOW, isAtWork: true };
    const before = only(await readLedger(opened, { batchId }, asked));
    expect(before.money.requests).toEqual({ planned: 10, reserved: 0, spent: 5, unknown: 1 });
    await change('r8', batchId, { status: 'rendering', taskCode: 'c8' });
    const after = only(await readLedger(opened, { batchId }, asked));
    expect(after.money.requests).toMatchObject({ spent: 6, unknown: 0 });
    const requests = await listOf(opened.ledger.paidRequests({ batchIds: [batchId] }));
    expect(requests.map(({ row, outcome, taskCode }) => [row, outcome, taskCode])).toEqual([
      ['r2', 'accepted', 'c2'],
      ['r3', 'accepted', 'c3'],
      ['r4', 'accepted', 'c4'],
      ['r5', 'accepted', 'c5'],
      ['r6', 'accepted', 'c6'],
      ['r8', 'unknown', 'c8'],
    ]);
  });

  test('names the code of a request that settled itself under its key, and counts it once', async () => {
    const { id: batchId } = await opened.store.createBatch(newBatch({ rows: [makeRow(2)] }));
    const idempotency = { header: 'Idempotency-Key', key: 'k-1', baseUrl: 'https://gateway.test' };
    await send('r2', batchId, 'unknown', { idempotency });
    await send('r2', batchId, 'accepted', { idempotency, isAgain: true });
    await change('r2', batchId, { status: 'rendering', taskCode: 'c2' });
    const requests = await listOf(opened.ledger.paidRequests({ batchIds: [batchId] }));
    expect(requests.map(({ row, outcome, taskCode }) => [row, outcome, taskCode])).toEqual([['r2', 'accepted', 'c2']]);
  });

  test('says what was spent by the gateway’s word, and what limits count: the most that it may have cost', async () => {
    const { id: batchId } = await opened.store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3), makeRow(4)] }));
    const of = (amount: number): Money => ({ amount, currency: 'USD' });
    const read = async (): Promise<readonly unknown[]> => {
      const { money, counted } = only(await readLedger(opened, { batchId }, { now: NOW, isAtWork: true })).money;
      const { spent } = only((await opened.store.spending(NOW, [batchId])).batches.get(batchId));
      return [money[0]?.spent, money[0]?.unknown, counted[0]?.amount, spent.micros['USD']];
    };
    await send('r2', batchId, 'accepted', { price: of(0.1) }, of(0.12));
    expect(await read()).toEqual([0.12, 0, undefined, 120_000]);
    await send('r3', batchId, 'accepted', { price: of(0.1) }, of(0.08));
    expect(await read()).toEqual([0.2, 0, 0.22, 220_000]);
    // It is reserved twice while it may be sent again.
    await send('r4', batchId, 'unknown', { price: of(0.1), charges: 2 });
    expect(await read()).toEqual([0.2, 0.1, 0.42, 420_000]);
  });

  test('an open night that no process works on was interrupted: it lasted as long as anything happened in it', async () => {
    const { id } = await opened.store.createBatch(newBatch());
    await opened.store.setBatchState(id, 'running', undefined, NOW);
    const nightAt = async (isAtWork: boolean) =>
      (await readLedger(opened, {}, { now: NOW + HOURS_25, isAtWork }))?.night;
    expect(await nightAt(true)).not.toHaveProperty('interruptedAt');
    expect(await nightAt(false)).toMatchObject({ beganAt: NOW, interruptedAt: NOW });
    await send('r2', id, 'unknown', { startedAt: NOW + MINUTE_MS });
    const night = await nightAt(false);
    expect(night).toMatchObject({ interruptedAt: NOW + MINUTE_MS });
    expect(night).not.toHaveProperty('endedAt');
    await opened.store.setBatchState(id, 'paused', { by: 'user' }, NOW + 2 * MINUTE_MS);
    expect(await nightAt(false)).not.toHaveProperty('interruptedAt');
  });

  test('says of failed takes which are held', async () => {
    const { id: batchId } = await opened.store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
    const failed = { status: 'failed', failure: failure('REMOTE_FAILED', 'Broke.') } as const;
    await change('r2', batchId, failed);
    await change('r3', batchId, { ...failed, onHold: true });
    const { groups } = only(await readLedger(opened, { batchId }, { now: NOW, isAtWork: true }));
    const [, listed] = await opened.ledger.rows(batchId, only(groups[0]).facts, 10);
    expect(listed).toMatchObject({ row: 'r3', isHeld: true });
    const [free, held] = await opened.views.takesByStatus(batchId, ['failed']);
    expect([free?.isHeld, held?.isHeld]).toEqual([undefined, true]);
  });

  test('says of each ended take whether its retry only asks for what the gateway may still have', async () => {
    const ended: readonly Partial<Task>[] = [
      { status: 'failed', failure: failure('REMOTE_FAILED', 'Broke.'), taskCode: 'c2' },
      { status: 'failed', failure: failure('OUTPUT_UNVERIFIABLE', 'A web page.'), taskCode: 'c3' },
      { status: 'failed', failure: failure('OUTPUT_UNVERIFIABLE', 'Without a code.') },
      { status: 'failed', failure: { ...failure('REMOTE_FAILED', 'Gave nothing.'), suspected: true }, taskCode: 'c5' },
      { status: 'cancelled', taskCode: 'c6' },
      { status: 'cancelled' },
      {
        status: 'failed',
        failure: failure('REMOTE_FAILED', 'Half of it.'),
        taskCode: 'c8',
        outputs: [output('verified')],
      },
    ];
    const rows = ended.map((_, index) => makeRow(index + 2));
    const { id: batchId } = await opened.store.createBatch(newBatch({ rows }));
    const isPaid: boolean[] = [];
    for (const [index, state] of ended.entries()) {
      await change(`r${index + 2}`, batchId, state);
      const task = only((await opened.store.tasksOfRow(batchId, `r${index + 2}`))[0]);
      const retried = transition(task, { kind: 'user-retry' }, NOW);
      isPaid.push(retried.ok && retried.value.status === 'queued');
    }
    const takes = await opened.views.takesByStatus(batchId, ['failed', 'cancelled']);
    expect(isPaid).toEqual([true, false, true, false, false, true, false]);
    expect(takes.map(({ isInferred, isFetched }) => isInferred !== true && isFetched !== true)).toEqual(isPaid);
    expect(takes.map(({ isInferred }) => isInferred === true).indexOf(true)).toBe(3);
  });

  test('finds the rows of a failure that another version of the program has named', async () => {
    const { id: batchId } = await opened.store.createBatch(newBatch({ rows: [makeRow(2)] }));
    await change('r2', batchId, { status: 'failed', failure: failure('OF_ANOTHER_VERSION' as FailureCode, 'Later.') });
    const { groups } = only(await readLedger(opened, { batchId }, { now: NOW, isAtWork: true }));
    expect(groups).toMatchObject([{ codes: ['INTERNAL'], takes: 1 }]);
    expect(await opened.ledger.rows(batchId, only(groups[0]).facts, 10)).toMatchObject([
      { row: 'r2', reason: 'Later.' },
    ]);
  });

  test('a night comprises what ran on into it, and what was sent in it for nothing', async () => {
    const DAY_MS = 86_400_000;
    const [early, late] = [await nightOf12(), (await opened.store.createBatch(newBatch())).id];
    await opened.store.setBatchState(late, 'running', undefined, NOW + DAY_MS);
    await opened.store.setBatchState(early, 'paused', { by: 'user' }, NOW + DAY_MS + 1);
    const [night] = await opened.ledger.nights(1, true);
    expect(night).toMatchObject({ id: 2, batchIds: [early, late], requests: 0, costs: [] });
    await opened.store.setBatchState(late, 'finished', undefined, NOW + DAY_MS + 2);
    // A third night, whose only request was refused.
    await send('r11', early, 'rate-limited', { startedAt: NOW + 2 * DAY_MS });
    expect((await opened.ledger.nights(1, true))[0]).toMatchObject({ id: 3, batchIds: [early], requests: 0 });
  });

  test('tells a night in which files were only fetched over time, too', async () => {
    const batchId = await nightOf12();
    await opened.store.setBatchState(batchId, 'paused', { by: 'user' }, NOW + 4 * MINUTE_MS);
    const next = NOW + 24 * 60 * MINUTE_MS;
    await opened.store.setBatchState(batchId, 'running', undefined, next);
    const asked = { now: next + 5 * MINUTE_MS, isAtWork: true };
    const file = { ...output('verified'), path: 'music/3.mp3', sha256: 'f', bytes: 1, mediaType: 'audio/mpeg' };
    await change('r3', batchId, { status: 'done', outputs: [file], finishedAt: next + MINUTE_MS });
    const { night, timeline } = only(await readLedger(opened, {}, asked));
    expect(night).toMatchObject({ id: 2, verified: 1, requests: 0 });
    expect(timeline).toMatchObject({ from: next, to: next + 5 * MINUTE_MS });
    expect(timeline?.points.reduce((all, { verified }) => all + verified, 0)).toBe(1);
    const since = only(await readLedger(opened, { since: next }, asked)).timeline;
    expect(since?.points.reduce((all, { verified }) => all + verified, 0)).toBe(1);
    expect(
      only(await readLedger(opened, { since: next + 2 * MINUTE_MS }, { ...asked, now: next + 3 * MINUTE_MS })).timeline,
    ).toBeUndefined();
  });

  test('tells the night over time, with what held it', async () => {
    const batchId = await nightOf12();
    await opened.store.setBatchState(batchId, 'paused', { by: 'user' }, NOW + 2 * MINUTE_MS);
    await opened.store.setBatchState(batchId, 'running', undefined, NOW + 3 * MINUTE_MS);
    const { timeline } = only(await readLedger(opened, { batchId }, { now: NOW, isAtWork: true }));
    const { points, pauses, from, to } = only(timeline);
    expect([from, to]).toEqual([NOW, NOW + 3 * MINUTE_MS]);
    const sum = (name: 'submitted' | 'verified' | 'failed' | 'limited'): number =>
      points.reduce((all, point) => all + point[name], 0);
    expect([sum('submitted'), sum('verified'), sum('failed'), sum('limited')]).toEqual([6, 1, 4, 1]);
    // The one that renders; nobody knows of the one whose outcome is unknown.
    expect(points.at(-1)?.active).toBe(1);
    expect(pauses).toEqual([{ batchId, from: NOW + 2 * MINUTE_MS, to: NOW + 3 * MINUTE_MS }]);
  });

  test('a night comprises the batches that ran in it; without any, the newest batch is told of', async () => {
    expect(await readLedger(opened, {}, { now: NOW, isAtWork: true })).toBeUndefined();
    const batchId = await nightOf12();
    const ledger = only(await readLedger(opened, {}, { now: NOW, isAtWork: true }));
    expect(ledger.batches).toEqual([{ id: batchId, name: 'night', rehearsal: false }]);
    expect(await readLedger(opened, { night: 99 }, { now: NOW, isAtWork: true })).toBeUndefined();
    const nights = await opened.ledger.nights(10, true);
    for (const night of nights) expect(night).toMatchObject({ batchIds: [batchId], requests: 6, verified: 1 });
  });

  test('has what was foretold beside what came of it: the first of a night, and only of that night', async () => {
    const { store, ledger } = opened;
    const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
    const forecast = (at: number, requests: number): ForecastRecord => ({
      at,
      rows: 2,
      requests,
      cost: [{ amount: 1, currency: 'EUR' }],
      unpriced: [],
      diskBytes: 0,
      begins: at,
      ends: { earliest: at, likely: at + 5 * MINUTE_MS, latest: at + 9 * MINUTE_MS },
      source: 'defaults',
      windows: [],
    });
    const run = async (from: number, foretold?: ForecastRecord) => {
      if (foretold !== undefined) await store.keepForecast(id, foretold);
      await store.setBatchState(id, 'running', undefined, from);
      await store.setBatchState(id, 'finished', undefined, from + 10 * MINUTE_MS);
    };
    await store.keepForecast(id, forecast(NOW - 1, 2));
    await store.setBatchState(id, 'running', undefined, NOW);
    await send('r2', id, 'accepted', { price: { amount: 0.5, currency: 'EUR' } });
    await send('r3', id, 'rejected');
    await store.setBatchState(id, 'finished', undefined, NOW + 10 * MINUTE_MS);
    // The retry of the morning is foretold, too, and stands on the batch.
    await run(NOW + 20 * MINUTE_MS, forecast(NOW + 20 * MINUTE_MS, 1));
    expect((await store.batch(id))?.forecast?.requests).toBe(1);
    const reading = { now: NOW + 3 * 1440 * MINUTE_MS, isAtWork: false };
    const first = {
      requests: 2,
      cost: [{ amount: 1, currency: 'EUR' }],
      ends: NOW - 1 + 5 * MINUTE_MS,
      // It ended twice in that night.
      came: { requests: 1, cost: [{ amount: 0.5, currency: 'EUR' }], ended: NOW + 30 * MINUTE_MS, ranAgain: true },
    };
    expect(await readLedger({ store, ledger }, {}, reading)).toMatchObject({
      batches: [{ foretold: first }],
      isPart: false,
    });
    // Nothing is foretold of another night: what is known was for the first.
    await run(NOW + 1440 * MINUTE_MS);
    const second = await readLedger({ store, ledger }, {}, reading);
    expect([second?.batches[0]?.foretold, second?.isPart]).toEqual([undefined, true]);
    expect(await readLedger({ store, ledger }, { batchId: id }, reading)).toMatchObject({
      batches: [{ foretold: { ...first, came: { ...first.came, ended: NOW + 1450 * MINUTE_MS } } }],
    });
    await run(NOW + 2880 * MINUTE_MS, forecast(NOW + 2880 * MINUTE_MS, 7));
    expect((await readLedger({ store, ledger }, {}, reading))?.batches).toMatchObject([
      {
        foretold: { requests: 7, came: { requests: 0, cost: [], ended: NOW + 2890 * MINUTE_MS } },
      },
    ]);
  });
});
