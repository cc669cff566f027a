import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import type { Money } from '../../src/shared/domain/base/money.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/gateway/profile.ts';
import { gatewayKey } from '../../src/shared/domain/task/batch.ts';
import { postgresAddress } from '../support/postgres.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DATABASES } from './opened-store.ts';
import { makeRow, newBatch, NOW, only, seededRandom, settings } from './task-store-fixtures.ts';

const QUARTER_MS = 15 * 60_000;
const TASKS = [1, 2, 3, 4] as const;

/** What happens to a task, and by which of two processes. */
interface Step {
  readonly task: (typeof TASKS)[number];
  readonly by: 0 | 1;
  readonly what: 'intend' | 'again' | 'answer' | 'record' | 'refute';
  readonly outcome: 'accepted' | 'unknown' | 'not-sent' | 'rejected' | 'rate-limited';
  readonly price: Money | undefined;
  readonly cost: Money | undefined;
  readonly quarter: number;
  readonly charges: 1 | 2;
  readonly doubted: 0 | 2;
}

// From what is rounded, to what is summed up anew: beyond that, two orders of the same amounts have two sums.
const amount = fc.constantFrom(0, 0.1, 0.000_000_4, 3, 2_000_000);
const money = fc.option(fc.record({ amount, currency: fc.constantFrom('EUR', 'USD') }), { nil: undefined });
const step: fc.Arbitrary<Step> = fc.record({
  task: fc.constantFrom(...TASKS),
  by: fc.constantFrom(0, 1),
  what: fc.constantFrom('intend', 'intend', 'intend', 'again', 'answer', 'answer', 'answer', 'record', 'refute'),
  outcome: fc.constantFrom('accepted', 'accepted', 'unknown', 'not-sent', 'rejected', 'rate-limited'),
  price: money,
  cost: money,
  quarter: fc.nat({ max: 2 }),
  charges: fc.constantFrom(1, 1, 2),
  doubted: fc.constantFrom(0, 0, 2),
});

function changeOf({ store }: OpenStore, one: Step): TaskChange {
  const task = only(store.task(one.task));
  const gateway = gatewayKey(task.batchId, only(store.batch(task.batchId)).settings);
  const at = NOW + one.quarter * QUARTER_MS - (one.quarter === 1 ? 0.4 : 0);
  const change = {
    expectedRevision: task.revision,
    next: { ...task, revision: task.revision + 1 },
    event: { kind: 'cancel-requested' },
    at,
  } as const;
  const idempotency = { key: `key-${one.task}`, header: 'Idempotency-Key', baseUrl: gateway };
  const request = { origin: 'https://gateway.example', keyFingerprint: 'k', body: Uint8Array.of(1), bodySha256: 'h' };
  const priced = one.price === undefined ? {} : { price: one.price };
  const intent = { startedAt: at, ...request, idempotency, charges: one.charges, ...priced };
  const raw = {
    httpStatus: one.outcome === 'accepted' ? 200 : 503,
    headers: {},
    body: Uint8Array.of(),
    truncated: false,
  };
  switch (one.what) {
    case 'intend':
      return { ...change, openAttempt: intent };
    case 'again':
      return { ...change, openAttempt: { ...intent, isAgain: true } };
    case 'answer': {
      const stated = one.cost === undefined ? {} : { cost: one.cost };
      const doubted = one.doubted === 0 ? {} : { doubted: one.doubted };
      return { ...change, closeAttempt: { answeredAt: at, outcome: one.outcome, raw, ...stated, ...doubted } };
    }
    case 'record':
      return { ...change, ...(one.cost === undefined ? {} : { cost: one.cost }) };
    case 'refute':
      return { ...change, proof: { gateway, header: 'idempotency-key', verdict: 'refuted', at } };
  }
}

function toldBy({ store, views }: OpenStore, batchId: string): unknown {
  const { spending } = store;
  return {
    spending: [NOW, NOW + 2 * QUARTER_MS].map((at) => spending(at, [batchId])),
    summary: views.batchSummary(batchId),
    used: store.submitsUsed(batchId),
  };
}

const two = (dir: string): readonly [OpenStore, OpenStore] => {
  const open = (): OpenStore => {
    const opened = openStore(dir, { random: seededRandom(), server: postgresAddress(dir), isShared: true });
    if (!opened.ok) throw new Error(opened.error.message);
    return opened.value;
  };
  return [open(), open()];
};
/** Beside the owner, one that reads each time what is stored. */
const one = (dir: string): readonly [OpenStore, OpenStore] => {
  const [owner, reader] = [true, false].map((isOwner) => openStore(dir, { random: seededRandom(), owner: isOwner }));
  if (owner?.ok !== true || reader?.ok !== true) throw new Error('The store cannot be opened twice.');
  return [owner.value, reader.value];
};

test.each([
  ['one process on SQLite', one, 60, 1],
  ['two processes on PostgreSQL', two, 8, 2],
] as const)(
  'the sums of %s are those of what is stored, after any requests and answers',
  (_, openIn, numRuns, writers) => {
    // One store for all runs: each makes a batch more, of which the earlier sums must not hear.
    const processes = openIn(temporaryFolder());
    const [ours] = processes;
    fc.assert(
      fc.property(
        fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 10 }),
        fc.boolean(),
        (groups, isProbe) => {
          const { id } = ours.store.createBatch(
            newBatch({ rows: TASKS.map((i) => makeRow(i + 1)), settings: settings(isProbe ? { probe: true } : {}) }),
          );
          const ids = [...ours.store.tasksByStatus(['queued'], id)].map((task) => task.id);
          for (const group of groups) {
            const by = only(processes[only(group[0]).by % writers]);
            const known = new Set<number>();
            const steps = group.filter(({ task }) => !known.has(task) && known.add(task));
            by.store.commit(
              steps.map((made) => changeOf(by, { ...made, task: (ids[made.task - 1] ?? 0) as Step['task'] })),
            );
            const [here, there] = processes.map((process) => process.asItIsNow(() => toldBy(process, id)));
            expect(here).toEqual(there);
          }
          for (const process of processes) expect(process.checkIntegrity()).toEqual([]);
        },
      ),
      { numRuns },
    );
    for (const process of new Set(processes)) process.close();
  },
  180_000,
);

describe.each(DATABASES)('the sums of a batch in %s', (_, openIn) => {
  const PLAIN: Step = {
    task: 1,
    by: 0,
    what: 'intend',
    outcome: 'accepted',
    price: undefined,
    cost: undefined,
    quarter: 0,
    charges: 1,
    doubted: 0,
  };

  function world() {
    const opened = openIn(temporaryFolder());
    onTestFinished(() => opened.close());
    const { id } = opened.store.createBatch(newBatch({ rows: TASKS.map((i) => makeRow(i + 1)) }));
    const spent = () => only(opened.store.spending(NOW, [id]).batches.get(id)).spent;
    spent();
    return {
      opened,
      id,
      spent,
      does: (...steps: readonly Partial<Step>[]) => {
        for (const one of steps) {
          expect(opened.store.commit([changeOf(opened, { ...PLAIN, ...one })])).toEqual(['committed']);
        }
        expect(opened.checkIntegrity()).toEqual([]);
      },
    };
  }
  const eur = (amount: number): Money => ({ amount, currency: 'EUR' });

  test('forget no amount beside one that has no exact sums', () => {
    const { spent, does } = world();
    does({ price: eur(1) }, { task: 2, price: eur(1e300) }, { task: 2, what: 'answer', outcome: 'not-sent' });
    expect(spent()).toMatchObject({ requests: 1, micros: { EUR: 1_000_000 } });
  });

  test('keep the most that a gateway says now, and not what it has taken back', () => {
    const { opened, id, does } = world();
    const stated = () => only(opened.store.spending(NOW, [id]).batches.get(id)).queued.map((one) => one.stated);
    does({}, { what: 'answer', cost: eur(9) });
    expect(stated()).toEqual([[eur(9)]]);
    does({ what: 'record', cost: eur(4) });
    expect(stated()).toEqual([[eur(4)]]);
    does({ task: 2 }, { task: 2, what: 'answer', cost: eur(3) });
    expect(stated()).toEqual([[eur(4)]]);
  });

  test('count nothing for a request that was not sent, and what was asked again once its gateway is found to charge for it', () => {
    const { opened, id, spent, does } = world();
    does({}, { what: 'answer', outcome: 'not-sent' });
    expect([spent().requests, opened.store.submitsUsed(id)]).toEqual([0, 0]);
    does({ task: 2 }, { task: 2, what: 'answer', outcome: 'unknown' });
    does({ task: 2, what: 'again' }, { task: 2, what: 'answer', outcome: 'unknown' });
    expect([spent().requests, opened.store.submitsUsed(id)]).toEqual([1, 1]);
    does({ task: 3, what: 'refute' });
    expect([spent().requests, opened.store.submitsUsed(id)]).toEqual([2, 2]);
  });

  test('count an answer before what is intended in the same transaction', () => {
    const { opened, id, does } = world();
    opened.store.updateBatchSettings(id, settings({ maxCost: eur(10) }));
    const { revision } = only(opened.store.batch(id));
    opened.store.setBatchState(id, 'running', undefined, NOW);
    does({ price: eur(1) });
    const terms = { revision: revision + 1 };
    const answer = changeOf(opened, { ...PLAIN, what: 'answer', cost: eur(8) });
    const intents = [2, 3].map((task) => ({
      ...changeOf(opened, { ...PLAIN, task: task as Step['task'], price: eur(2) }),
      terms,
    }));
    expect(opened.store.commit([answer, ...intents])).toEqual(['committed', 'committed', 'over-limit']);
    expect(opened.checkIntegrity()).toEqual([]);
  });

  test('let nothing go for less than its gateway has said since it was chosen', () => {
    const { opened, id, does } = world();
    const profile = { ...DEFAULT_PROFILE, prices: { 'musicgen/music/generate': eur(2) } };
    opened.store.updateBatchSettings(id, settings({ maxCost: eur(100), profile }));
    const { revision } = only(opened.store.batch(id));
    opened.store.setBatchState(id, 'running', undefined, NOW);
    does({ price: eur(2) }, { what: 'answer', cost: eur(8) });
    const goes = (task: Step['task'], price: Money) =>
      opened.store.commit([{ ...changeOf(opened, { ...PLAIN, task, price }), terms: { revision: revision + 1 } }]);
    expect([goes(2, eur(2)), goes(2, eur(8))]).toEqual([['over-limit'], ['committed']]);
  });
});
