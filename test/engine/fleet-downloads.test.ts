import { describe, expect, test } from 'vitest';
import { failure } from '../../src/shared/domain/base/failure.ts';
import type { Task } from '../../src/shared/domain/task/task.ts';
import { FleetNight, type FleetProcess } from '../support/fleet-night.ts';
import { profileWith, rows } from '../support/night-harness.ts';
import { rendered, RUNNING } from '../support/scripted-gateway.ts';
import { UnreliableQueue, type Habit } from '../support/unreliable-queue.ts';

const SECOND = 1_000;
const LEASE_MS = 30 * SECOND;
/** Of one worker, at once. */
const AT_ONCE = 2;
const FULL = failure('DISK_FULL', 'no space left');

interface Given {
  readonly count?: number;
  readonly workers?: number;
  readonly habits?: readonly Habit[];
  /** How long a download takes. */
  readonly fetchMs?: number;
}

/** A night of one account, whose files some workers share out. The first has the account. */
async function night({ count = 12, workers = 3, habits = ['keep'], fetchMs = 10 * SECOND }: Given = {}) {
  const fleet = new FleetNight();
  fleet.queue = new UnreliableQueue(fleet.clock, habits);
  fleet.folder.fetching = (signal) => after(fleet, fetchMs, signal);
  const profile = profileWith({ activePerFamily: { musicgen: 50 }, downloads: AT_ONCE });
  const batchId = await fleet.bringIn(rows(count), { profile });
  const first = await fleet.worker('w1');
  const others: FleetProcess[] = [];
  for (let i = 2; i <= workers; i += 1) others.push(await fleet.worker(`w${i}`));
  // The first has heard of the others.
  await fleet.clock.advance(8 * SECOND);
  await fleet.start(batchId);
  return { fleet, queue: fleet.queue, batchId, first, others };
}

/** A download that takes a while, and stops when it is told to. */
async function after(fleet: FleetNight, ms: number, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    fleet.clock.setTimer(ms, resolve);
    signal.addEventListener('abort', () => resolve());
  });
}

async function expectAllDone(fleet: FleetNight, batchId: string): Promise<readonly Task[]> {
  const tasks = await fleet.tasks(batchId);
  expect(tasks.map(({ status }) => status)).toEqual(tasks.map(() => 'done'));
  expect(fleet.folder.placed.size).toBe(tasks.length);
  expect(new Set(fleet.sent()).size).toBe(fleet.sent().length);
  expect(fleet.bugs).toEqual([]);
  return tasks;
}

/** Which worker has placed each file, by the history of its task. */
async function placedBy(fleet: FleetNight, batchId: string): Promise<readonly (string | undefined)[]> {
  const tasks = await fleet.tasks(batchId);
  const events = await Promise.all(tasks.map(({ id }) => fleet.store.events(id)));
  return events.map((all) => {
    const placed = all.flatMap(({ event }) => (event.kind === 'output-verified' ? [event] : []));
    expect(placed).toHaveLength(1);
    return placed[0]?.by;
  });
}

async function untilFetching(fleet: FleetNight, worker: FleetProcess): Promise<void> {
  await fleet.clock.advanceUntil(() => worker.fetched.length > 0, 60 * SECOND);
}

test.each([11, 12, 13])(
  'the files of one account are fetched by all workers, each with as many at once as one may, of %i',
  async (count) => {
    const { fleet, batchId } = await night({ count });
    const began = fleet.clock.monotonic();
    await fleet.untilFinished(batchId);
    await expectAllDone(fleet, batchId);
    const by = await placedBy(fleet, batchId);
    expect(new Set(by)).toEqual(new Set(['w1', 'w2', 'w3']));
    for (const worker of fleet.workers) expect(worker.fetchesAtOnce).toBe(AT_ONCE);
    expect(fleet.folder.fetched).toHaveLength(count);
    // Whoever has placed the last file, the batch ends with it.
    const tasks = await fleet.tasks(batchId);
    const last = Math.max(...tasks.map(({ finishedAt = 0 }) => finishedAt));
    expect((await fleet.store.batch(batchId))?.finishedAt).toBeLessThan(last + 3 * SECOND);
    // One worker alone would take 60 s.
    expect(fleet.clock.monotonic() - began).toBeLessThan(40 * SECOND);
  },
);

test('one worker alone fetches at once, and offers nothing', async () => {
  const { fleet, queue, batchId, first } = await night({ workers: 1, count: 1, fetchMs: 1 });
  await untilFetching(fleet, first);
  const [task] = await fleet.tasks(batchId);
  expect(fleet.clock.now() - (task?.renderedAt ?? 0)).toBeLessThan(SECOND);
  await fleet.untilFinished(batchId);
  await expectAllDone(fleet, batchId);
  expect(queue.offered).toEqual([]);
});

test('a queue that cannot be opened leaves the files to whoever has the account', async () => {
  const fleet = new FleetNight();
  fleet.queue = new UnreliableQueue(fleet.clock);
  fleet.queue.works = false;
  const batchId = await fleet.bringIn(rows(3));
  await fleet.start(batchId);
  const first = await fleet.worker('w1');
  const second = await fleet.worker('w2');
  await fleet.untilFinished(batchId);
  await expectAllDone(fleet, batchId);
  expect([first.fetched.length, second.fetched.length, fleet.queue.offered]).toEqual([3, 0, []]);
});

describe('a queue is a wake-up and no more', () => {
  test('what it loses is fetched by whoever has the account', async () => {
    const { fleet, batchId, first } = await night({ count: 4, habits: ['lose'] });
    await fleet.untilFinished(batchId);
    await expectAllDone(fleet, batchId);
    expect(first.fetched).toHaveLength(4);
  });

  test.each<readonly [readonly Habit[]]>([[['double']], [['delay', 'double']], [['invent', 'overtake', 'lose']]])(
    'with %j, each file is fetched once',
    async (habits) => {
      const { fleet, batchId } = await night({ habits });
      await fleet.untilFinished(batchId);
      await fleet.clock.advance(60 * SECOND);
      await expectAllDone(fleet, batchId);
      await placedBy(fleet, batchId);
      expect(fleet.folder.fetched).toHaveLength(12);
    },
  );
});

describe('a worker that has no account', () => {
  test('and is killed in a download leaves it to another one once its lease has ended', async () => {
    const { fleet, batchId, others } = await night({ workers: 2, count: 6 });
    const [second] = others;
    if (second === undefined) throw new Error('None');
    await untilFetching(fleet, second);
    second.kill();
    const killedAt = fleet.clock.monotonic();
    await fleet.untilFinished(batchId);
    await expectAllDone(fleet, batchId);
    expect(new Set(await placedBy(fleet, batchId))).toEqual(new Set(['w1']));
    expect(fleet.clock.monotonic() - killedAt).toBeLessThan(2.5 * LEASE_MS);
  });

  test('and ends in order gives its downloads back, which go on at once', async () => {
    const { fleet, batchId, others } = await night({ workers: 2, count: 4, fetchMs: 60 * SECOND });
    const [second] = others;
    if (second === undefined) throw new Error('None');
    await untilFetching(fleet, second);
    const begun = second.fetched.map(({ outputId }) => outputId);
    void second.end();
    await fleet.clock.advance(SECOND);
    expect(second.isGone).toBe(true);
    const third = await fleet.worker('w3');
    await fleet.clock.advance(15 * SECOND);
    const again = [...third.fetched, ...fleet.workers.flatMap((one) => (one === second ? [] : one.fetched))];
    expect(again.map(({ outputId }) => outputId)).toEqual(expect.arrayContaining(begun));
    await fleet.untilFinished(batchId);
    await expectAllDone(fleet, batchId);
  });

  test('and stands still for longer than its lease writes nothing more, and deletes its part', async () => {
    const { fleet, batchId, others } = await night({ workers: 2, count: 1, habits: ['keep'] });
    const [second] = others;
    if (second === undefined) throw new Error('None');
    await fleet.clock.advanceUntil(() => fleet.folder.fetched.length > 0);
    const fetching = fleet.workers.find(({ fetched }) => fetched.length > 0);
    if (fetching === undefined) throw new Error('None');
    // With the account or without: by a right of its own.
    fetching.stop();
    const before = fetching.sweeps;
    await fleet.clock.advanceUntil(async () => (await fleet.tasks(batchId))[0]?.status === 'done');
    const placed = new Map(fleet.folder.placed);
    fetching.goOn();
    await fleet.clock.advance(5 * SECOND);
    expect(fleet.folder.placed).toEqual(placed);
    expect(fetching.sweeps).toBe(before + 1);
    await fleet.untilFinished(batchId);
    const by = await placedBy(fleet, batchId);
    expect(by).toEqual([fetching.name === 'w1' ? 'w2' : 'w1']);
    expect(fleet.bugs).toEqual([]);
  });

  test('and is sure of a download that another one has taken writes nothing of it', async () => {
    const { fleet, batchId } = await night({ workers: 2, count: 1, fetchMs: 60 * SECOND });
    await fleet.clock.advanceUntil(() => fleet.folder.fetched.length > 0);
    const [late, other] = fleet.workers.toSorted((a, b) => b.fetched.length - a.fetched.length);
    if (late === undefined || other === undefined) throw new Error('None');
    late.slowDown();
    late.hasNoLeases = true;
    await fleet.clock.advanceUntil(() => other.fetched.length > 0, 120 * SECOND);
    // The late one has its bytes first.
    await fleet.clock.advanceUntil(() => late.sweeps > 1, 60 * SECOND);
    expect(fleet.folder.placed.size).toBe(0);
    late.hasNoLeases = false;
    late.catchUp();
    await fleet.untilFinished(batchId);
    expect(await placedBy(fleet, batchId)).toEqual([other.name]);
    expect(fleet.folder.placed.size).toBe(1);
  });

  test('and finds that an address has expired leaves it to the account to ask for another', async () => {
    const { fleet, batchId, others } = await night({ workers: 2, count: 6, fetchMs: SECOND });
    const [second] = others;
    if (second === undefined) throw new Error('None');
    const gateway = fleet.gatewayAt('https://gateway.example/api');
    gateway.onPoll = (code, nth) => rendered(`https://media.example/${code}-${nth}.mp3`);
    const old = new Set<string>();
    fleet.folder.onFetch = ({ url, outputId }) => {
      if (old.has(outputId)) return undefined;
      old.add(outputId);
      return { kind: 'url-expired', failure: failure('RESULT_EXPIRED', `gone: ${url}`) };
    };
    await fleet.untilFinished(batchId);
    await expectAllDone(fleet, batchId);
    expect(second.fetched.length).toBeGreaterThan(0);
    expect(second.polls).toEqual([]);
  });

  test('and fetches a file that the user cancels stops', async () => {
    const { fleet, batchId, others } = await night({ workers: 2, count: 4, fetchMs: 1_000 * SECOND });
    const [second] = others;
    if (second === undefined) throw new Error('None');
    await untilFetching(fleet, second);
    const user = await fleet.worker('window', false);
    for (const { id } of await fleet.tasks(batchId))
      await user.scheduler.decide([{ taskId: id, event: { kind: 'cancel-requested' } }]);
    await fleet.clock.advance(5 * SECOND);
    expect((await fleet.tasks(batchId)).map(({ status }) => status)).toEqual(Array(4).fill('cancelled'));
    expect(await fleet.state(batchId)).toBe('finished');
    expect(fleet.folder.placed.size).toBe(0);
  });
});

describe('a worker that does not see the folder', () => {
  test('takes no downloads and says so, and the others fetch them', async () => {
    const { fleet, batchId, others } = await night({ workers: 3 });
    const [second] = others;
    if (second === undefined) throw new Error('None');
    second.folderProblem = FULL;
    await fleet.untilFinished(batchId);
    await expectAllDone(fleet, batchId);
    expect(new Set(await placedBy(fleet, batchId))).toEqual(new Set(['w1', 'w3']));
    expect(second.toldOfFolders).toEqual([FULL]);
    expect(second.fetched).toEqual([]);
  });

  test('and has the account leaves all files to the others', async () => {
    const { fleet, batchId, first } = await night({ workers: 2, count: 6 });
    // After what was paid for.
    await fleet.clock.advanceUntil(() => fleet.sent().length === 6);
    first.folderProblem = FULL;
    await fleet.untilFinished(batchId);
    await expectAllDone(fleet, batchId);
    expect(new Set(await placedBy(fleet, batchId))).toEqual(new Set(['w2']));
    expect(first.toldOfFolders).toContain(FULL);
  });

  test('says so in the batch if nobody does, and all goes on once one sees it again', async () => {
    const { fleet, batchId, first, others } = await night({ workers: 2, count: 6 });
    const [second] = others;
    if (second === undefined) throw new Error('None');
    await fleet.clock.advanceUntil(() => fleet.sent().length === 6);
    [first.folderProblem, second.folderProblem] = [FULL, FULL];
    await fleet.clock.advanceUntil(async () => (await fleet.state(batchId)) === 'paused', 300 * SECOND);
    expect(await fleet.store.batch(batchId)).toMatchObject({ pause: { failure: { code: 'DISK_FULL' } } });
    second.folderProblem = undefined;
    await fleet.untilFinished(batchId, 600 * SECOND);
    await expectAllDone(fleet, batchId);
  });
});

test('a worker without the key of an account fetches none of its files', async () => {
  const fleet = new FleetNight();
  fleet.keyless.add('w2 ');
  fleet.queue = new UnreliableQueue(fleet.clock);
  const batchId = await fleet.bringIn(rows(6), { profile: profileWith({ downloads: 1 }) });
  await fleet.worker('w1');
  const second = await fleet.worker('w2');
  await fleet.clock.advance(8 * SECOND);
  await fleet.start(batchId);
  await fleet.untilFinished(batchId);
  await expectAllDone(fleet, batchId);
  expect(second.fetched).toEqual([]);
});

test('a queue that does not close keeps neither the accounts nor the end', async () => {
  const { fleet, queue, first } = await night({ count: 2, workers: 1 });
  queue.close = () => new Promise(() => undefined);
  await fleet.clock.advanceUntil(() => fleet.sent().length === 2);
  void first.end();
  await fleet.clock.advance(20 * SECOND);
  expect(first.isGone).toBe(true);
  expect(await fleet.holders()).toEqual({});
});

test('one lost offer does not pause a batch long after a folder was not seen', async () => {
  const { fleet, queue, batchId, first } = await night({ count: 2, workers: 2, fetchMs: 1 });
  const gateway = fleet.gatewayAt('https://gateway.example/api');
  const start = fleet.clock.now();
  const codes: string[] = [];
  gateway.onPoll = (code) => {
    if (!codes.includes(code)) codes.push(code);
    const isLate = codes.indexOf(code) > 0 && fleet.clock.now() < start + 400 * SECOND;
    return isLate ? RUNNING : rendered(`https://media.example/${code}.mp3`);
  };
  await fleet.clock.advanceUntil(() => fleet.sent().length === 2);
  first.folderProblem = FULL;
  queue.habits = ['lose'];
  await fleet.clock.advanceUntil(() => first.toldOfFolders.length > 0, 120 * SECOND);
  queue.habits = ['keep'];
  await fleet.clock.advanceUntil(() => fleet.folder.placed.size === 1, 120 * SECOND);
  const before = queue.offered.length;
  queue.habits = ['lose'];
  await fleet.clock.advanceUntil(() => queue.offered.length > before, 900 * SECOND);
  queue.habits = ['keep'];
  for (let i = 0; i < 100; i += 1) {
    await fleet.clock.advance(100);
    expect(await fleet.state(batchId)).not.toBe('paused');
  }
  await fleet.untilFinished(batchId);
});
