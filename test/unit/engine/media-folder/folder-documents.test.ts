import { describe, expect, test, vi } from 'vitest';
import { FolderDocuments, writeLast } from '../../../../src/engine/commands/folder-documents.ts';
import type { EngineChange } from '../../../../src/engine/change-feed.ts';
import { WakeKeeper } from '../../../../src/main/shell/wake-keeper.ts';
import { failure, type Failure } from '../../../../src/shared/domain/base/failure.ts';
import { present } from '../../../../src/shared/domain/base/result.ts';
import type { BatchRecord } from '../../../../src/shared/domain/task/batch.ts';
import type { Task, TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

/** A writer that ends when the test says so. */
function setUp() {
  const written: string[] = [];
  const problems: string[] = [];
  const ends: ((problem: Failure | undefined) => void)[] = [];
  const mended: string[] = [];
  const documents = new FolderDocuments({
    write: (batchId) => {
      written.push(batchId);
      return new Promise((resolve) => ends.push(resolve));
    },
    onProblem: (batchId, { code }) => void problems.push(`${batchId} ${code}`),
    onWritten: (batchId) => void mended.push(batchId),
  });
  return { documents, written, problems, mended, ends };
}

describe('the documents of a media folder', () => {
  test('are written when they are outdated, and only then', async () => {
    const { documents, written, ends } = setUp();
    await documents.refresh('b');
    expect(written).toEqual([]);
    documents.outdate('b');
    const refreshed = documents.refresh('b');
    ends[0]?.(undefined);
    await refreshed;
    await documents.refresh('b');
    expect(written).toEqual(['b']);
  });

  test('are never written twice at once, and once more when something changed meanwhile', async () => {
    const { documents, written, ends } = setUp();
    documents.outdate('b');
    const first = documents.refresh('b');
    documents.outdate('b');
    const second = documents.refresh('b');
    expect(written).toHaveLength(1);
    ends[0]?.(undefined);
    await Promise.resolve();
    await Promise.resolve();
    expect(written).toHaveLength(2);
    ends[1]?.(undefined);
    await Promise.all([first, second]);
  });

  test('of all batches are brought up to date at the end', async () => {
    const { documents, written, ends } = setUp();
    documents.outdate('a');
    documents.outdate('b');
    const done = documents.refreshAll();
    for (const end of ends) end(undefined);
    await done;
    expect(written).toEqual(['a', 'b']);
  });

  test('are told one by one at the end, and those that could not be written are given', async () => {
    const { documents, ends } = setUp();
    documents.outdate('a');
    documents.outdate('b');
    const told: (readonly string[])[] = [];
    const done = documents.refreshAll((left) => void told.push(left));
    ends[0]?.(undefined);
    ends[1]?.(failure('DISK_FULL', 'full'));
    expect(await done).toEqual(['b']);
    expect(told[0]).toEqual(['a', 'b']);
    expect(told.at(-1)).toEqual(['b']);
  });

  test('about which there was a problem are told of once they could be written, and no others', async () => {
    const { documents, problems, mended, ends } = setUp();
    for (const [index, problem] of [undefined, failure('DISK_FULL', 'full'), undefined, undefined].entries()) {
      documents.outdate('b');
      const refreshed = documents.refresh('b');
      ends[index]?.(problem);
      await refreshed;
      expect(mended).toHaveLength(index < 2 ? 0 : 1);
    }
    expect(problems).toEqual(['b DISK_FULL']);
  });

  test('that could not be written once are written at the end', async () => {
    const { documents, written, ends } = setUp();
    documents.outdate('b');
    const first = documents.refresh('b');
    ends[0]?.(failure('DISK_FULL', 'full'));
    await first;
    const atTheEnd = documents.refreshAll();
    ends[1]?.(undefined);
    await atTheEnd;
    expect(written).toEqual(['b', 'b']);
  });

  test('whose writing throws are told of, and written at the next chance', async () => {
    const problems: string[] = [];
    let isBroken = true;
    const documents = new FolderDocuments({
      write: () => (isBroken ? Promise.reject(new Error('too deep')) : Promise.resolve(undefined)),
      onProblem: (_, { code, message }) => void problems.push(`${code} ${message}`),
    });
    documents.outdate('b');
    await documents.refresh('b');
    expect(problems).toEqual(['INTERNAL too deep']);
    isBroken = false;
    await documents.refreshAll();
    expect(problems).toHaveLength(1);
  });

  test('that cannot be written are told of', async () => {
    const { documents, problems, ends } = setUp();
    documents.outdate('b');
    const refreshed = documents.refresh('b');
    ends[0]?.(failure('DISK_FULL', 'no room'));
    await refreshed;
    expect(problems).toEqual(['b DISK_FULL']);
  });
});

/** Documents that follow an engine, whose batch is in a state, and a clock that the test moves. */
function following(state: 'paused' | 'finished' | 'running') {
  const given = setUp();
  const clock = new FakeClock();
  let listener: ((change: EngineChange) => void) | undefined;
  const batch = { id: 'b', state } as BatchRecord;
  given.documents.follow(
    {
      store: { batch: () => Promise.resolve(batch) },
      onChange: (told) => {
        listener = told;
        return () => undefined;
      },
    },
    clock,
  );
  const end = (status: TaskStatus): void =>
    listener?.({ kind: 'task', task: { batchId: 'b', status } as Task, isAlmostDone: false, isAfterEnd: false });
  return { ...given, clock, end };
}

describe('the documents of a batch that', () => {
  test.each(['paused', 'finished'] as const)(
    'is %s are written soon after a file that comes late, once for many',
    async (state) => {
      const { written, clock, end } = following(state);
      end('rendering');
      end('done');
      await clock.advance(3_000);
      end('done');
      end('failed');
      expect(written).toEqual([]);
      await clock.advance(3_000);
      expect(written).toEqual(['b']);
    },
  );

  test('runs are written when it comes to rest', async () => {
    const { written, clock, end } = following('running');
    end('done');
    await clock.advance(60_000);
    expect(written).toEqual([]);
  });

  test('could not be written are tried again, ever more rarely, and told of once', async () => {
    const { written, problems, mended, clock, ends, end } = following('paused');
    end('done');
    await clock.advance(6_000);
    for (const [tries, minutes] of [1, 2, 4, 8, 15, 15].entries()) {
      ends[tries]?.(failure('DISK_DENIED', 'not mounted'));
      await clock.advance(minutes * 60_000 - 1_000);
      expect(written).toHaveLength(tries + 1);
      await clock.advance(2_000);
      expect(written).toHaveLength(tries + 2);
    }
    expect(problems).toEqual(['b DISK_DENIED']);
    ends[6]?.(failure('DISK_FULL', 'full'));
    await clock.advance(1_000);
    // What ends meanwhile waits no longer than usual.
    end('done');
    await clock.advance(6_000);
    ends[7]?.(undefined);
    await clock.advance(3_600_000);
    expect(written).toHaveLength(8);
    expect([problems.length, mended.length, clock.timers()]).toEqual([2, 1, 0]);
  });

  test('gets a file right before the end of the process are written then', async () => {
    const { documents, written, ends, clock, end } = following('paused');
    end('done');
    const finished = documents.finish();
    await vi.waitUntil(() => ends.length > 0);
    ends[0]?.(undefined);
    await finished;
    expect(written).toEqual(['b']);
    expect(clock.timers()).toBe(0);
  });
});

/** A store in which documents are marked, and the processes that work on it, one after the other. */
function marking(states: Readonly<Record<string, BatchRecord['state'] | 'deleted'>>, marked: readonly string[] = []) {
  const marks = new Set(marked);
  const batch = (id: string): Promise<BatchRecord | undefined> => {
    const state = states[id];
    const isDeleted = state === 'deleted';
    const settings = isDeleted ? { shelf: { is: 'deleted', at: 0 } } : {};
    return Promise.resolve(state && ({ id, state: isDeleted ? 'finished' : state, settings } as BatchRecord));
  };
  const keyOf = (batchId: string, by?: string): string => (by === undefined ? batchId : `${batchId} ${by}`);
  /** @param worker One of several: its name, and those of the others that are at work. */
  const begin = (
    problemOf: (batchId: string) => Failure | undefined = () => undefined,
    worker?: { readonly by: string; readonly living: readonly string[] },
  ) => {
    const written: string[] = [];
    const problems: string[] = [];
    const documents = new FolderDocuments({
      write: (batchId) => {
        written.push(batchId);
        return Promise.resolve(problemOf(batchId));
      },
      onProblem: (batchId) => void problems.push(batchId),
      marks: {
        markDocuments: (batchId, isOutdated, by) => {
          if (isOutdated) marks.add(keyOf(batchId, by));
          else marks.delete(keyOf(batchId, by));
          return Promise.resolve();
        },
        outdatedDocuments: () =>
          Promise.resolve(
            [...marks].map((mark) => {
              const [batchId = '', by] = mark.split(' ');
              return { batchId, ...present({ by }) };
            }),
          ),
      },
      ...(worker && { by: worker.by, living: () => Promise.resolve(worker.living) }),
    });
    return { documents, written, problems };
  };
  return { marks, store: { batch }, begin };
}

describe('documents that a kill has left out of date', () => {
  test('are written at the next start, and those that are up to date are not', async () => {
    const { marks, store, begin } = marking({ paused: 'paused', finished: 'finished', other: 'finished' });
    const killed = begin();
    for (const id of ['paused', 'finished', 'other']) killed.documents.outdate(id);
    await killed.documents.refresh('other');
    await killed.documents.finish();
    expect([...marks]).toEqual(['paused', 'finished']);
    const next = begin();
    await next.documents.takeUp(store);
    await next.documents.finish();
    expect([killed.written, next.written, [...marks]]).toEqual([['other'], ['paused', 'finished'], []]);
    await next.documents.refreshAll();
    expect(next.written).toHaveLength(2);
  });

  test('of a batch that runs are written when it comes to rest', async () => {
    const { marks, store, begin } = marking({ b: 'running' }, ['b']);
    const { documents, written } = begin();
    await documents.takeUp(store);
    expect(written).toEqual([]);
    await documents.refresh('b');
    await documents.finish();
    expect([written, [...marks]]).toEqual([['b'], []]);
  });

  test('of a batch that was never started, is deleted or is gone are left', async () => {
    const { store, begin } = marking({ ready: 'ready', deleted: 'deleted' }, ['ready', 'deleted', 'gone']);
    const { documents, written } = begin();
    await documents.takeUp(store);
    await documents.refreshAll();
    expect(written).toEqual([]);
  });

  test('that cannot be written then are tried at each start without a word, until they are', async () => {
    const { marks, store, begin } = marking({ b: 'finished' }, ['b']);
    const first = begin(() => failure('DISK_FULL', 'away'));
    await first.documents.takeUp(store);
    await first.documents.refresh('b');
    expect(await first.documents.refreshAll()).toEqual([]);
    expect([first.written, first.problems, [...marks]]).toEqual([['b'], [], ['b']]);
    first.documents.outdate('b');
    await first.documents.refresh('b');
    expect(first.problems).toEqual(['b']);
    const second = begin();
    await second.documents.takeUp(store);
    await second.documents.finish();
    expect([second.written, [...marks]]).toEqual([['b'], []]);
  });

  test('are written although another worker has written its own meanwhile, once their worker is gone', async () => {
    const { marks, store, begin } = marking({ b: 'finished' });
    const killed = begin(undefined, { by: 'w1', living: ['w1', 'w2'] });
    const other = begin(undefined, { by: 'w2', living: ['w1', 'w2'] });
    killed.documents.outdate('b');
    other.documents.outdate('b');
    await other.documents.refresh('b');
    await other.documents.finish();
    // One that joins while the first one is at work leaves its mark, whatever it writes itself.
    const joined = begin(undefined, { by: 'w3', living: ['w1', 'w3'] });
    await joined.documents.takeUp(store);
    joined.documents.outdate('b');
    await joined.documents.refresh('b');
    await joined.documents.finish();
    expect([...marks]).toEqual(['b w1']);
    const next = begin(undefined, { by: 'w4', living: ['w4'] });
    await next.documents.takeUp(store);
    await next.documents.finish();
    expect([killed.written, other.written, joined.written, next.written]).toEqual([[], ['b'], ['b'], ['b']]);
    expect([...marks]).toEqual([]);
  });
});

describe('the machine', () => {
  test('is kept awake while any batch runs, and no longer', () => {
    const held = new Set<number>();
    let next = 0;
    const keeper = new WakeKeeper({
      start: () => {
        held.add(next);
        return next++;
      },
      stop: (id) => held.delete(id),
    });
    keeper.note('a', true);
    keeper.note('b', true);
    expect(held.size).toBe(1);
    keeper.note('a', false);
    expect(held.size).toBe(1);
    keeper.note('b', false);
    expect(held.size).toBe(0);
    keeper.note('a', true);
    expect(held.size).toBe(1);
  });
});

describe('documents that several processes write', () => {
  /** Rows that are done, the document in the folder, and writers that have read and write when the test says so. */
  const shared = () => {
    let [done, folder, times] = [1, 0, 0];
    const ends: (() => void)[] = [];
    const counts = { countDocuments: (_: string, more: 0 | 1) => Promise.resolve((times += more)) };
    const begin = (): Promise<Failure | undefined> =>
      writeLast(counts, 'b', async () => {
        const read = done;
        if (ends.length < 2) await new Promise<void>((resolve) => ends.push(resolve));
        folder = read;
        return undefined;
      });
    return { begin, ends, rowEnds: () => void (done += 1), folder: () => folder, times: () => times };
  };

  test.each([0, 1])('say what the rows are, also if number %i of two ends first', async (first) => {
    const { begin, ends, rowEnds, folder } = shared();
    const older = begin();
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    rowEnds();
    const newer = begin();
    await vi.waitFor(() => expect(ends).toHaveLength(2));
    ends[first]?.();
    await [older, newer][first];
    ends[1 - first]?.();
    await Promise.all([older, newer]);
    expect(folder()).toBe(2);
  });

  test('are not written without end where each writer has the others write again', async () => {
    let [times, writes] = [0, 0];
    const counts = { countDocuments: (_: string, more: 0 | 1) => Promise.resolve((times += more)) };
    await writeLast(counts, 'b', () => {
      writes += 1;
      times += 1;
      return Promise.resolve(undefined);
    });
    expect(writes).toBe(3);
  });

  test('are written once by one alone, and not again when they cannot be written', async () => {
    const { begin, ends, times } = shared();
    const alone = begin();
    await vi.waitFor(() => expect(ends).toHaveLength(1));
    ends[0]?.();
    await alone;
    expect(times()).toBe(1);
    let tries = 0;
    const full = failure('DISK_FULL', 'full');
    const counts = { countDocuments: () => Promise.resolve((tries += 1)) };
    expect(await writeLast(counts, 'b', () => Promise.resolve(full))).toEqual(full);
    expect(tries).toBe(1);
  });
});
