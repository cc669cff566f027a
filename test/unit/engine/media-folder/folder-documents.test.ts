import { describe, expect, test, vi } from 'vitest';
import { FolderDocuments } from '../../../../src/engine/commands/folder-documents.ts';
import type { EngineChange } from '../../../../src/engine/changes.ts';
import { WakeKeeper } from '../../../../src/main/shell/wake-keeper.ts';
import { failure, type Failure } from '../../../../src/shared/domain/base/failure.ts';
import type { BatchRecord } from '../../../../src/shared/domain/task/batch.ts';
import type { Task, TaskStatus } from '../../../../src/shared/domain/task/task.ts';
import { FakeClock } from '../../../support/fake-clock.ts';

/** A writer that ends when the test says so. */
function setUp() {
  const written: string[] = [];
  const problems: string[] = [];
  const ends: ((problem: Failure | undefined) => void)[] = [];
  const documents = new FolderDocuments({
    write: (batchId) => {
      written.push(batchId);
      return new Promise((resolve) => ends.push(resolve));
    },
    onProblem: (batchId, { code }) => void problems.push(`${batchId} ${code}`),
  });
  return { documents, written, problems, ends };
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
