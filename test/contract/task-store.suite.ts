/** What every {@link TaskStore} keeps to. Each implementation runs the same tests. */
import { listOf } from '../../src/shared/domain/base/result.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AnswerShape } from '../../src/shared/domain/gateway/learned/answer-look.ts';
import type { LearnedCounts } from '../../src/shared/domain/gateway/learned/learned.ts';
import type { RawAnswer } from '../../src/engine/ports/media-gateway.ts';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { DEFAULT_PROFILE, type Profile } from '../../src/shared/domain/gateway/profile.ts';
import { SEEN_KEPT, type SeenStatus } from '../../src/shared/domain/gateway/seen-status.ts';
import { kindOf, type Output, type Task, type TaskStatus } from '../../src/shared/domain/task/task.ts';
import { transition } from '../../src/shared/domain/task/task-machine.ts';
import type { TaskEvent } from '../../src/shared/domain/task/task-event.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';

const ANSWER: RawAnswer = {
  httpStatus: 200,
  headers: { 'content-type': 'application/json' },
  body: Uint8Array.of(0, 255, 10, 128),
  truncated: true,
};

function output(different: Partial<Output>): Output {
  return { index: 1, state: 'placing', generation: 1, tries: 0, url: 'https://media.example/1', ...different };
}

/** Declares the tests of one implementation, inside its own `describe`. */
export function testTaskStore(openStore: () => Promise<{ store: TaskStore; close: () => Promise<void> }>): void {
  let store: TaskStore;
  let close: () => Promise<void>;

  beforeEach(async () => {
    ({ store, close } = await openStore());
  });
  afterEach(async () => {
    await close();
  });

  /** Commits one change that must be accepted; returns the task as it is then. */
  async function commit(made: TaskChange): Promise<Task> {
    expect(await store.commit([made])).toEqual(['committed']);
    return taskById(made.next.id);
  }

  async function taskById(id: number): Promise<Task> {
    const task = await store.task(id);
    if (task === undefined) throw new Error(`No task ${id}`);
    return task;
  }

  /** Carries an event out as the scheduler does. */
  async function happen(task: Task, event: TaskEvent, more: Partial<TaskChange> = {}): Promise<Task> {
    const next = transition(task, event, NOW);
    if (!next.ok) throw new Error(`${event.kind} does not apply to ${task.status}`);
    return commit({ expectedRevision: task.revision, next: next.value, event, at: NOW, ...more });
  }

  describe('a new batch', () => {
    test('has one queued task for each take of each row that can run', async () => {
      const batch = await store.createBatch(
        newBatch({
          rows: [
            makeRow(2, { takes: 2, priority: 3, body: { prompt: 'a', model: 'v4' } }),
            makeRow(3, { skip: true }),
            makeRow(4),
            makeRow(5, { operation: undefined }),
            makeRow(6, { operation: 'videogen-b/image/generate' }),
          ],
          problems: [
            { severity: 'error', code: 'value-type', line: 4, row: 'r4', message: 'wrong', remedy: 'correct it' },
            { severity: 'warning', code: 'unknown-column', line: 6, row: 'r6', message: 'odd', remedy: 'remove it' },
          ],
        }),
      );

      const tasks = await listOf(store.tasksByStatus(['queued'], batch.id));
      expect(tasks.map(({ rowId, take, family, kind }) => [rowId, take, family, kind])).toEqual([
        ['r2', 1, 'musicgen', 'music'],
        ['r2', 2, 'musicgen', 'music'],
        ['r6', 1, 'videogen-b', 'image'],
      ]);
      expect(tasks[0]).toMatchObject({
        batchId: batch.id,
        model: 'v4',
        priority: 3,
        status: 'queued',
        revision: 0,
        attempts: 0,
        outputs: [],
      });
      expect(batch).toMatchObject({ state: 'ready', rowCount: 5, taskCount: 3, createdAt: NOW });
      expect((await store.counts(batch.id)).musicgen.queued).toBe(2);
      expect(await store.batch(batch.id)).toEqual(batch);
    });

    test('keeps every row as the sheet had it, also those that cannot run', async () => {
      const rows = [
        makeRow(2, {
          body: { prompt: 'line\nbreak é 🎧 \0', range: { start_s: 1, end_s: 2 }, tags: ['a', 'b'] },
          filename: '{row}',
          note: 'mine',
          cells: JSON.parse('{"__proto__":"x","prompt":"=cmd"}') as Record<string, string>,
        }),
        makeRow(3, { operation: undefined, skip: true }),
      ];
      const batch = await store.createBatch(newBatch({ rows }));
      expect(await Promise.all(rows.map(async (row) => store.row(batch.id, row.id)))).toStrictEqual(rows);
      expect(await store.row(batch.id, 'r9')).toBeUndefined();
    });

    test('sends the bytes of the body as the row gives it', async () => {
      const batch = await store.createBatch(newBatch({ rows: [makeRow(2, { body: { z: 1, prompt: 'né "q"' } })] }));
      const [task] = await store.tasksOfRow(batch.id, 'r2');
      expect(new TextDecoder().decode(await store.requestBody(only(task).id))).toBe('{"z":1,"prompt":"né \\"q\\""}');
    });

    test('has an id of its own that sorts by age, even in the same second', async () => {
      const ids = await Promise.all(
        [NOW, NOW, NOW, NOW + 60_000].map(async (createdAt) => (await store.createBatch(newBatch({ createdAt }))).id),
      );
      expect(new Set(ids).size).toBe(4);
      expect(ids.toSorted().at(-1)).toBe(ids[3]);
      expect((await store.batches()).map((batch) => batch.id)).toEqual(ids);
      expect(ids[0]).toMatch(/^20260115-220000-[a-z0-9]{3}$/);
    });

    test('is not there when its rows could not all be read', async () => {
      const rows = (function* () {
        yield makeRow(2);
        throw new Error('unreadable');
      })();
      await expect(async () => store.createBatch(newBatch({ rows }))).rejects.toThrow('unreadable');
      expect(await store.batches()).toEqual([]);
      expect(await listOf(store.tasksByStatus(['queued']))).toEqual([]);
    });
  });

  describe('a batch', () => {
    test('remembers its first start, that of its latest run, its pause and its end', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.setBatchState(id, 'running', undefined, 10);
      await store.setBatchState(id, 'paused', { by: 'failure', failure: failure('AUTH_REJECTED', 'no') }, 20);
      expect(await store.batch(id)).toMatchObject({ state: 'paused', startedAt: 10, pause: { by: 'failure' } });
      await store.setBatchState(id, 'running', undefined, 30);
      expect(await store.batch(id)).toMatchObject({ state: 'running', startedAt: 10, runStartedAt: 10 });
      expect(await store.batch(id)).not.toHaveProperty('pause');
      await store.setBatchState(id, 'finished', undefined, 40);
      expect(await store.batch(id)).toMatchObject({ startedAt: 10, finishedAt: 40 });
      await store.setBatchState(id, 'running', undefined, 45);
      expect(await store.batch(id)).toMatchObject({ startedAt: 10, runStartedAt: 45, finishedAt: 40 });
      await store.setBatchState(id, 'finished', undefined, 48);
      await store.setBatchState(id, 'running', undefined, 50, [], undefined, undefined, true);
      expect(await store.batch(id)).not.toHaveProperty('finishedAt');
      expect(await store.batch(id)).toMatchObject({ startedAt: 10, runStartedAt: 50 });
    });

    test('has the times of the states before the one that is stored', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.setBatchState(id, 'paused', { by: 'user' }, 20, [{ state: 'running', at: 10 }]);
      expect(await store.batch(id)).toMatchObject({ state: 'paused', startedAt: 10, runStartedAt: 10 });
      const ended = { state: 'finished', at: 30 } as const;
      await store.setBatchState(id, 'running', undefined, 40, [ended]);
      expect(await store.batch(id)).toMatchObject({ state: 'running', startedAt: 10, runStartedAt: 40 });
    });

    test('takes new settings', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.updateBatchSettings(id, settings({ folder: '/other', maxSubmits: 7 }));
      expect((await store.batch(id))?.settings).toMatchObject({ folder: '/other', maxSubmits: 7 });
    });

    test('keeps its name with new settings, or takes another one with them', async () => {
      const { id, name } = await store.createBatch(newBatch());
      await store.updateBatchSettings(id, settings({ maxSubmits: 7 }));
      expect((await store.batch(id))?.name).toBe(name);
      await store.updateBatchSettings(id, settings({ maxSubmits: 8 }), 'Another name');
      expect(await store.batch(id)).toMatchObject({ name: 'Another name', settings: { maxSubmits: 8 } });
    });

    test('that is unknown is a bug where it is written or asked for tasks', async () => {
      expect(await store.batch('none')).toBeUndefined();
      await expect(async () => store.setBatchState('none', 'running', undefined, 1)).rejects.toThrow('none');
      await expect(async () => store.counts('none')).rejects.toThrow('none');
    });
  });

  describe('a change', () => {
    test('keeps every field of a task, and times that are no whole numbers', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const next: Partial<Task> = {
        status: 'failed',
        dueAt: NOW + 0.25,
        cancelWanted: true,
        blockedBy: 'r9',
        priority: -1.5,
        attempts: 2,
        setbacks: 3,
        taskCode: '1234567890123456789',
        submittedAt: 1.5,
        renderedAt: 2,
        finishedAt: 3,
        failure: { code: 'REMOTE_FAILED', message: 'its words\n', suspected: true, data: { http: 500 } },
        provisional: true,
        outputs: [
          output({
            index: 1,
            validator: '"e"',
            path: 'music/a.mp3',
            sha256: 'ff',
            bytes: 5,
            mediaType: 'audio/mpeg',
          }),
          {
            index: 2,
            state: 'failed',
            generation: 0,
            tries: 4,
            document: '{}',
            failure: failure('DISK_FULL', 'full'),
          },
        ],
      };
      expect(await commit(change(task, next))).toStrictEqual({ ...task, ...next, revision: 1 });
      expect(await store.tasksOfRow(batchId, 'r2')).toStrictEqual([{ ...task, ...next, revision: 1 }]);
    });

    test('made from an older revision is refused, and the others of its group are not', async () => {
      const { id: batchId } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const [first, second] = (await listOf(store.tasksByStatus(['queued'], batchId))).map(only);
      const moved = await commit(change(only(first), { dueAt: 5 }));
      expect(
        await store.commit([
          change(only(first), { status: 'submitting' }, { openAttempt: INTENT }),
          change(only(second), { status: 'submitting' }, { openAttempt: INTENT }),
        ]),
      ).toEqual(['stale', 'committed']);
      expect(await store.task(moved.id)).toEqual(moved);
      expect(await store.attempts(moved.id)).toEqual([]);
      expect(await store.events(moved.id)).toHaveLength(1);
      expect(await store.submitsUsed(batchId)).toBe(1);
      expect((await store.counts(batchId)).musicgen).toMatchObject({ queued: 1, submitting: 1 });
    });

    test('made from another task is refused once that one has changed', async () => {
      const { id: batchId } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const [source, task] = (await listOf(store.tasksByStatus(['queued'], batchId))).map(only);
      const basis = [only(source)].map(({ id, revision }) => ({ id, revision }));
      await commit(change(only(source), { dueAt: 5 }));
      const intent = { openAttempt: INTENT, basis };
      expect(await store.commit([change(only(task), { status: 'submitting' }, intent)])).toEqual(['stale']);
      expect(await store.attempts(only(task).id)).toEqual([]);
      const renewed = { ...intent, basis: basis.map(({ id, revision }) => ({ id, revision: revision + 1 })) };
      expect(await store.commit([change(only(task), { status: 'submitting' }, renewed)])).toEqual(['committed']);
    });

    test('of one task twice in a group: the second is stale', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      expect(await store.commit([change(task, { dueAt: 1 }), change(task, { dueAt: 2 })])).toEqual([
        'committed',
        'stale',
      ]);
      expect((await store.task(task.id))?.dueAt).toBe(1);
    });

    test('that does not follow its revision, or is of no task, is a bug', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      await expect(async () => store.commit([{ ...change(task, {}), next: task }])).rejects.toThrow('revision');
      await expect(async () => store.commit([change({ ...task, id: 999 }, {})])).rejects.toThrow('999');
    });

    test('is written down with its event', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const queued = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const submitting = await happen(queued, { kind: 'submit-started' }, { openAttempt: INTENT });
      await happen(submitting, { kind: 'accepted', taskCode: 'c1', dueAt: NOW + 5 });
      expect(await store.events(queued.id)).toEqual([
        { at: NOW, event: { kind: 'submit-started' } },
        { at: NOW, event: { kind: 'accepted', taskCode: 'c1', dueAt: NOW + 5 } },
      ]);
      expect(await store.isTaskCodeKnown(batchId, 'c1')).toBe(true);
      expect(await store.isTaskCodeKnown(batchId, 'c2')).toBe(false);
    });
  });

  describe('a night', () => {
    const DAY = 86_400_000;

    test('begins when a batch starts while none runs, and ends when none runs any more', async () => {
      const first = await store.createBatch(newBatch());
      const second = await store.createBatch(newBatch());
      expect(await store.nights()).toEqual([]);
      await store.setBatchState(first.id, 'running', undefined, NOW);
      await store.setBatchState(second.id, 'running', undefined, NOW + 1);
      await store.setBatchState(first.id, 'paused', { by: 'user' }, NOW + 2);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW }]);
      await store.setBatchState(second.id, 'finished', undefined, NOW + 3);
      await store.setBatchState(first.id, 'finished', undefined, NOW + 4);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW, endedAt: NOW + 3 }]);
    });

    test('goes on with what is started again in it; the next day has its own', async () => {
      const { id } = await store.createBatch(newBatch());
      await store.setBatchState(id, 'running', undefined, NOW);
      await store.setBatchState(id, 'paused', { by: 'user' }, NOW + 2);
      await store.setBatchState(id, 'running', undefined, NOW + 3);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW }]);
      await store.setBatchState(id, 'paused', { by: 'user' }, NOW + 4);
      await store.setBatchState(id, 'running', undefined, NOW + DAY);
      expect(await store.nights()).toMatchObject([{ endedAt: NOW + 4 }, { id: 2, beganAt: NOW + DAY }]);
    });

    test('never begins with the end of a batch, while another waits; without any it ended with its last sign of life', async () => {
      const waiting = await store.createBatch(newBatch());
      const other = await store.createBatch(newBatch());
      await store.setBatchState(waiting.id, 'running', undefined, NOW);
      await store.setBatchState(other.id, 'running', undefined, NOW);
      await store.setBatchState(other.id, 'paused', { by: 'user' }, NOW + DAY);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW }]);
      await store.setBatchState(waiting.id, 'paused', { by: 'user' }, NOW + DAY);
      expect(await store.nights()).toEqual([{ id: 1, beganAt: NOW, endedAt: NOW }]);
    });

    test('is that of its paid requests, with what they may cost; one slept through ends at its last sign of life', async () => {
      const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2), makeRow(3)] });
      await store.setBatchState(batchId, 'running', undefined, NOW - 5);
      const [first, second] = await listOf(store.tasksByStatus(['queued'], batchId));
      const price = { amount: 0.1, currency: 'EUR' };
      const priced = { openAttempt: { ...INTENT, price } };
      await commit(change(only(first), { status: 'submitting' }, priced));
      const later = { openAttempt: { ...INTENT, startedAt: NOW + DAY } };
      await commit({ ...change(only(second), { status: 'submitting' }, later), at: NOW + DAY });
      expect(await store.attempts(only(first).id)).toMatchObject([{ night: 1, price }]);
      expect(await store.attempts(only(second).id)).toMatchObject([{ night: 2 }]);
      expect((await store.attempts(only(second).id))[0]).not.toHaveProperty('price');
      expect(await store.nights()).toEqual([
        { id: 1, beganAt: NOW - 5, endedAt: NOW },
        { id: 2, beganAt: NOW + DAY },
      ]);
    });
  });

  test.each([
    [0.250_000_1, 250_001],
    [1e12, 1e18],
  ])('spending counts a cost of %d, which nobody expects, as %d millionths', async (amount, micros) => {
    const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2)] });
    const [first] = await listOf(store.tasksByStatus(['queued'], batchId));
    const open = await commit(change(only(first), {}, { openAttempt: INTENT }));
    const cost = { amount, currency: 'EUR' };
    await commit(change(open, {}, { closeAttempt: { answeredAt: NOW, outcome: 'accepted', cost } }));
    expect((await store.spending(NOW, [])).month.micros).toEqual({ EUR: micros });
  });

  test('what a gateway has lately said that a request cost is known for its next ones', async () => {
    const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2), makeRow(3), makeRow(4)] });
    const [first, second, third] = await listOf(store.tasksByStatus(['queued'], batchId));
    const statedAt = async (at: number) =>
      (await store.spending(at, [batchId])).batches.get(batchId)?.queued.map(({ stated }) => stated);
    const closed = (amount: number, currency: string) => ({
      closeAttempt: { answeredAt: NOW, outcome: 'accepted' as const, cost: { amount, currency } },
    });
    expect(await statedAt(NOW)).toEqual([undefined]);
    const open = await commit(change(only(first), {}, { openAttempt: INTENT }));
    const again = await commit(change(only(second), {}, { openAttempt: INTENT }));
    await commit(change(open, {}, closed(0.5, 'EUR')));
    expect(await statedAt(NOW)).toEqual([[{ amount: 0.5, currency: 'EUR' }]]);
    await commit(change(again, {}, closed(0.25, 'EUR')));
    const last = await commit(change(only(third), {}, { openAttempt: INTENT }));
    await commit(change(last, {}, closed(3, 'CREDITS')));
    expect(await statedAt(NOW)).toEqual([
      [
        { amount: 3, currency: 'CREDITS' },
        { amount: 0.5, currency: 'EUR' },
      ],
    ]);
    expect(await statedAt(NOW + 31 * 86_400_000)).toEqual([undefined]);
  });

  test('spending counts what a request may cost, or what it has cost if that is more', async () => {
    const { id: batchId } = await store.createBatch({ ...newBatch(), rows: [makeRow(2), makeRow(3)] });
    const [first, second] = await listOf(store.tasksByStatus(['queued'], batchId));
    const price = { amount: 0.1, currency: 'EUR' };
    const open = await commit(change(only(first), {}, { openAttempt: { ...INTENT, price } }));
    await commit(change(only(second), {}, { openAttempt: INTENT }));
    const unpricedOf = { [only(second).operation]: 1 };
    const sum = { requests: 2, micros: { EUR: 100_000 }, unpriced: 1, unpricedOf };
    const [operation] = [only(first).operation];
    const batches = new Map([[batchId, { spent: sum, queued: [{ operation, isStartable: true }] }]]);
    expect(await store.spending(NOW, [batchId])).toEqual({ night: sum, month: sum, batches });
    const cost = { amount: 0.25, currency: 'EUR' };
    await commit(change(open, {}, { closeAttempt: { answeredAt: NOW, outcome: 'accepted', cost } }));
    expect((await store.spending(NOW, [])).month).toEqual({ ...sum, micros: { EUR: 250_000 } });
    expect((await store.spending(NOW + 40 * 86_400_000, [])).month).toMatchObject({ requests: 0 });
    // Noted by a clock that was ahead.
    expect((await store.spending(NOW - 40 * 86_400_000, [])).month).toMatchObject({ requests: 0 });
    await store.setSpendingLimits({ night: { requests: 3 } });
    expect(await store.spendingLimits()).toEqual({ night: { requests: 3 } });
  });

  describe('attempts', () => {
    test('say which origins a key was sent to', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      await happen(task, { kind: 'submit-started' }, { openAttempt: INTENT });
      expect(await store.originsOfKey(INTENT.keyFingerprint)).toEqual([INTENT.origin]);
      expect(await store.originsOfKey('another')).toEqual([]);
    });

    test('that never left say nothing about where a key belongs', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      await commit(change(open, { status: 'queued' }, { closeAttempt: { answeredAt: NOW + 1, outcome: 'not-sent' } }));
      expect(await store.originsOfKey(INTENT.keyFingerprint)).toEqual([]);
    });

    test('are open until their answer is committed, one at a time', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      expect(await store.commit([change(open, {}, { openAttempt: INTENT })])).toEqual(['attempt-open']);
      expect(await store.task(open.id)).toEqual(open);
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, taskId: task.id }]);
      expect((await store.attempts(task.id))[0]).not.toHaveProperty('outcome');

      const answer = { answeredAt: NOW + 9, outcome: 'accepted', raw: ANSWER } as const;
      const answered = await commit(change(open, { status: 'rendering' }, { closeAttempt: answer }));
      await commit(change(answered, {}, { openAttempt: INTENT }));
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, ...answer }, INTENT]);
      expect((await store.attempts(task.id))[1]).not.toHaveProperty('answeredAt');
    });

    test('that were closed without an answer keep one that comes late, and its outcome where that excludes a charge', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      const interrupted = { answeredAt: NOW + 1, outcome: 'interrupted' } as const;
      const unknown = await commit(change(open, { status: 'submit-unknown' }, { closeAttempt: interrupted }));
      const { id: attempt } = only((await store.attempts(task.id))[0]);
      const noted = await commit(
        change(
          unknown,
          {},
          { lateAnswer: { attempt, answer: { answeredAt: NOW + 9, outcome: 'accepted', raw: ANSWER } } },
        ),
      );
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, ...interrupted, raw: ANSWER }]);
      expect(await store.submitsUsed(batchId)).toBe(1);
      await commit(
        change(noted, {}, { lateAnswer: { attempt, answer: { answeredAt: NOW + 9, outcome: 'not-sent' } } }),
      );
      expect(await store.attempts(task.id)).toMatchObject([{ outcome: 'not-sent', raw: ANSWER }]);
      expect(await store.submitsUsed(batchId)).toBe(0);
    });

    test('keep an answer that comes late also before anybody closes them without one', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, { status: 'submitting' }, { openAttempt: INTENT }));
      const { id: attempt } = only((await store.attempts(task.id))[0]);
      const cost = { amount: 3, currency: 'credits' };
      const answer = { answeredAt: NOW + 1, outcome: 'not-sent', raw: ANSWER, cost } as const;
      const noted = await commit(change(open, {}, { lateAnswer: { attempt, answer } }));
      // Its outcome is that of whoever closes it.
      expect(only((await store.attempts(task.id))[0])).toMatchObject({ raw: ANSWER, cost });
      expect(only((await store.attempts(task.id))[0])).not.toHaveProperty('outcome');
      expect(await store.submitsUsed(batchId)).toBe(1);
      const interrupted = { answeredAt: NOW + 9, outcome: 'interrupted' } as const;
      await commit(change(noted, { status: 'submit-unknown' }, { closeAttempt: interrupted }));
      expect(await store.attempts(task.id)).toMatchObject([{ ...INTENT, ...interrupted, raw: ANSWER, cost }]);
      expect(await store.submitsUsed(batchId)).toBe(1);
    });

    test('keep what they cost, by the latest answer that says so', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const credits = (amount: number) => ({ amount, currency: 'credits' });
      const first = await commit(change(task, {}, { openAttempt: INTENT }));
      const closed = await commit(
        change(first, {}, { closeAttempt: { answeredAt: NOW, outcome: 'unknown', cost: credits(1) } }),
      );
      const second = await commit(change(closed, {}, { openAttempt: INTENT }));
      const answered = await commit(change(second, {}, { closeAttempt: { answeredAt: NOW, outcome: 'accepted' } }));
      expect((await store.attempts(task.id)).map(({ cost }) => cost)).toEqual([credits(1), undefined]);
      await commit(change(answered, {}, { cost: credits(0.25) }));
      expect((await store.attempts(task.id)).map(({ cost }) => cost)).toEqual([credits(1), credits(0.25)]);
    });

    test('that repeat another under its key keep what the first has cost, and count by themselves if charged again', async () => {
      const { id: batchId } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const idempotency = { header: 'Idempotency-Key', key: 'k-1', baseUrl: 'https://gateway.example/api' };
      const price = { amount: 2, currency: 'credits' };
      const [cost, other] = [1, 5].map((amount) => ({ amount, currency: 'credits' }));
      const closing = (outcome: 'unknown' | 'accepted', more: object) => ({
        closeAttempt: { answeredAt: NOW, outcome, ...more },
      });
      const again = { openAttempt: { ...INTENT, idempotency, isAgain: true } } as const;
      let now = await commit(change(task, {}, { openAttempt: { ...INTENT, idempotency, price } }));
      now = await commit(change(now, {}, closing('unknown', { cost })));
      now = await commit(change(now, {}, again));
      now = await commit(change(now, {}, closing('accepted', { cost: other, isChargedAgain: true })));
      const seen = async () => (await store.attempts(task.id)).map((one) => [one.outcome, one.price, one.cost]);
      expect(await seen()).toEqual([
        ['accepted', price, cost],
        ['unknown', price, other],
      ]);
      expect((await store.attempts(task.id))[0]?.idempotency).toEqual(idempotency);
      expect(await store.submitsUsed(batchId)).toBe(2);
      // A record is about the task, and so about the first.
      await commit(change(now, {}, { cost: { amount: 3, currency: 'credits' } }));
      expect((await seen()).map((one) => one[2])).toEqual([{ amount: 3, currency: 'credits' }, other]);
      const second = only((await store.tasksOfRow(batchId, 'r3'))[0]);
      const idempotencyOf = { ...idempotency, key: 'k-2' };
      let then = await commit(change(second, {}, { openAttempt: { ...INTENT, idempotency: idempotencyOf } }));
      then = await commit(change(then, {}, closing('unknown', { cost })));
      then = await commit(change(then, {}, { openAttempt: { ...again.openAttempt, idempotency: idempotencyOf } }));
      await commit(change(then, {}, closing('accepted', {})));
      expect((await store.attempts(second.id)).map((one) => one.cost)).toEqual([cost, undefined]);
    });

    test('that repeat another under its key leave the charge with the first', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const idempotency = { header: 'Idempotency-Key', key: 'k-1' };
      const cost = { amount: 3, currency: 'credits' };
      const closing = (outcome: 'unknown' | 'interrupted' | 'accepted' | 'rejected', more: object = {}) => ({
        closeAttempt: { answeredAt: NOW, outcome, ...more },
      });
      const outcomes = async () => (await store.attempts(task.id)).map(({ outcome }) => outcome);
      let now = await commit(change(task, {}, { openAttempt: { ...INTENT, idempotency } }));
      now = await commit(change(now, {}, closing('unknown')));
      now = await commit(change(now, {}, { openAttempt: { ...INTENT, idempotency, isAgain: true } }));
      expect([await outcomes(), await store.submitsUsed(batchId)]).toEqual([['unknown', 'asked-again'], 1]);
      now = await commit(change(now, {}, closing('interrupted')));
      now = await commit(change(now, {}, { openAttempt: { ...INTENT, idempotency, isAgain: true } }));
      now = await commit(change(now, {}, closing('accepted', { cost })));
      expect(await outcomes()).toEqual(['accepted', 'asked-again', 'asked-again']);
      expect((await store.attempts(task.id)).map((attempt) => attempt.cost)).toEqual([cost, undefined, undefined]);
      expect((await store.attempts(task.id)).map((attempt) => attempt.idempotency)).toEqual([
        idempotency,
        idempotency,
        idempotency,
      ]);
      now = await commit(change(now, {}, { cost: { ...cost, amount: 4 } }));
      expect((await store.attempts(task.id))[0]?.cost).toEqual({ ...cost, amount: 4 });
      expect(await store.submitsUsed(batchId)).toBe(1);
      // A refusal that settles both takes the charge back.
      now = await commit(change(now, {}, { openAttempt: { ...INTENT, idempotency: { ...idempotency, key: 'k-2' } } }));
      now = await commit(change(now, {}, closing('unknown')));
      now = await commit(
        change(now, {}, { openAttempt: { ...INTENT, idempotency: { ...idempotency, key: 'k-2' }, isAgain: true } }),
      );
      expect(await store.submitsUsed(batchId)).toBe(2);
      await commit(change(now, {}, closing('rejected')));
      expect((await outcomes()).slice(3)).toEqual(['rejected', 'asked-again']);
      expect(await store.submitsUsed(batchId)).toBe(1);
    });

    test('may be closed and opened in one change', async () => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, {}, { openAttempt: INTENT }));
      const closeAttempt = { answeredAt: NOW, outcome: 'interrupted' } as const;
      await commit(change(open, {}, { closeAttempt, openAttempt: INTENT }));
      expect((await store.attempts(task.id)).map((attempt) => attempt.outcome)).toEqual(['interrupted', undefined]);
    });

    test.each([
      ['accepted', 1],
      ['unknown', 1],
      ['interrupted', 1],
      ['not-sent', 0],
      ['rate-limited', 0],
      ['held', 0],
      ['rejected', 0],
    ] as const)('that ended as %s count %i to the submits used', async (outcome, used) => {
      const { id: batchId } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      const open = await commit(change(task, {}, { openAttempt: INTENT }));
      expect(await store.submitsUsed(batchId)).toBe(1);
      await commit(change(open, {}, { closeAttempt: { answeredAt: NOW, outcome } }));
      expect(await store.submitsUsed(batchId)).toBe(used);
    });
  });

  test('the names of files follow from the row, what was rendered for it, and what was sent last', async () => {
    const { id } = await store.createBatch(
      newBatch({ rows: [makeRow(2, { takes: 2, filename: '{row}-own' }), makeRow(3)] }),
    );
    const [first, second] = await store.tasksOfRow(id, 'r2');
    const row = await store.row(id, 'r2');
    expect(await store.namingFacts(only(first))).toMatchObject({ rendered: [], sent: undefined });
    await commit(change(only(first), { outputs: [output({}), output({ index: 2, path: 'music/a.mp3' })] }));
    const sent = await happen(only(second), { kind: 'submit-started' }, { openAttempt: INTENT });
    await commit(change(sent, { outputs: [output({ state: 'pending', url: 'https://media.example/2' })] }));
    const facts = await store.namingFacts(only(second));
    expect(facts.row).toMatchObject({ filename: '{row}-own', takes: 2, cells: row?.cells });
    expect(facts.rendered).toEqual([
      { id: first?.id, take: 1, hasFile: true },
      { id: second?.id, take: 2, hasFile: false },
    ]);
    expect(facts.sent).toEqual(INTENT.body);
    const other = await store.tasksOfRow(id, 'r3');
    expect(await store.namingFacts(only(other[0]))).toMatchObject({ row: { takes: 1 }, rendered: [], sent: undefined });
  });

  test('only the latest answer to a poll is kept, byte for byte', async () => {
    const { id: batchId } = await store.createBatch(newBatch());
    const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
    expect(await store.pollAnswer(task.id)).toBeUndefined();
    const polled = await commit(
      change(task, {}, { pollAnswer: { ...ANSWER, httpStatus: 500, body: new Uint8Array(0) } }),
    );
    await commit(change(polled, {}, { pollAnswer: ANSWER }));
    expect(await store.pollAnswer(task.id)).toEqual(ANSWER);
  });

  test('the latest 64 completion times of each operation and model are kept, newest first', async () => {
    const { id: batchId } = await store.createBatch(
      newBatch({ rows: [makeRow(2, { body: { model: 'v4' } }), makeRow(3, { body: { model: 'v5' } })] }),
    );
    let task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
    const other = only((await store.tasksOfRow(batchId, 'r3'))[0]);
    await commit(change(other, {}, { completionMs: 7.5 }));
    for (let i = 1; i <= 70; i += 1) task = await commit(change(task, {}, { completionMs: i }));
    const times = await store.completions(batchId, 'musicgen/music/generate', 'v4');
    expect(times).toEqual(Array.from({ length: 64 }, (_, i) => 70 - i));
    expect(await store.completions(batchId, 'musicgen/music/generate', 'v5')).toEqual([7.5]);
    expect(await store.completions(batchId, 'musicgen/music/generate', '')).toEqual([]);
  });

  test('task codes and completion times are those of one gateway; a rehearsal has one of its own', async () => {
    const real = async (profile: Profile): Promise<string> =>
      (await store.createBatch(newBatch({ settings: settings({ profile }) }))).id;
    const [one, same, other] = await Promise.all(
      [
        { baseUrl: 'https://a.example' },
        { baseUrl: 'https://a.example', name: 'x' },
        { baseUrl: 'https://b.example' },
      ].map(async (profile) => real({ ...DEFAULT_PROFILE, ...profile })),
    );
    const rehearsal = (await store.createBatch(newBatch({ settings: settings({ rehearsal: true }) }))).id;
    const again = (await store.createBatch(newBatch({ settings: settings({ rehearsal: true }) }))).id;
    for (const batchId of [only(one), rehearsal]) {
      const task = only((await store.tasksOfRow(batchId, 'r2'))[0]);
      await commit(change(task, { taskCode: `code of ${batchId}` }, { completionMs: 5 }));
    }
    const seen = async (batchId: string | undefined, code: string | undefined) => [
      await store.isTaskCodeKnown(only(batchId), `code of ${code}`),
      await store.completions(only(batchId), 'musicgen/music/generate', ''),
    ];
    expect(await seen(same, one)).toEqual([true, [5]]);
    expect(await seen(other, one)).toEqual([false, []]);
    expect(await seen(rehearsal, rehearsal)).toEqual([true, [5]]);
    expect(await seen(again, rehearsal)).toEqual([false, []]);
  });

  test('a row with an output at an address is found for the other rows of its batch only', async () => {
    const rows = [makeRow(2), makeRow(3)];
    const { id: batchId } = await store.createBatch(newBatch({ rows }));
    const elsewhere = (await store.createBatch(newBatch({ rows }))).id;
    const [own, other] = await Promise.all(
      ['r2', 'r3'].map(async (row) => only((await store.tasksOfRow(batchId, row))[0])),
    );
    const url = 'https://media.example/a?b=1';
    await commit(change(only(own), { outputs: [output({ url })] }));
    expect(await store.rowWithUrl(only(other), url)).toBe('r2');
    expect(await store.rowWithUrl(only(own), url)).toBeUndefined();
    expect(await store.rowWithUrl(only(other), `${url}2`)).toBeUndefined();
    expect(await store.rowWithUrl(only((await store.tasksOfRow(elsewhere, 'r3'))[0]), url)).toBeUndefined();
  });

  describe('the path of an output', () => {
    const twoRows = async () => {
      const batch = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const [a, b] = await listOf(store.tasksByStatus(['queued'], batch.id));
      return { batch, a: only(a), b: only(b) };
    };

    test.each([
      ['the same', 'music/été.mp3'],
      ['another case', 'Music/ÉTÉ.mp3'],
      ['another normal form', 'music/e\u0301te\u0301.mp3'],
    ])('belongs to one output of a folder: %s', async (_, path) => {
      const { a, b } = await twoRows();
      await commit(change(a, { outputs: [output({ path: 'music/été.mp3' })] }));
      expect(await store.commit([change(b, { status: 'done', outputs: [output({ path })] })])).toEqual(['path-taken']);
      expect(await store.task(b.id)).toEqual(b);
      expect(await store.events(b.id)).toEqual([]);
    });

    test('is its own again in later changes, and free once it is given up', async () => {
      const { a, b } = await twoRows();
      const placed = await commit(change(a, { outputs: [output({ path: 'music/a.mp3' })] }));
      const verified = await commit(change(placed, { outputs: [output({ path: 'music/a.mp3', state: 'verified' })] }));
      await commit(change(verified, { outputs: [] }));
      const other = await commit(change(b, { outputs: [output({ path: 'music/a.mp3' })] }));
      expect(other.outputs).toMatchObject([{ path: 'music/a.mp3' }]);
    });

    test('is not given to two outputs of one task, but they may exchange theirs', async () => {
      const { a } = await twoRows();
      const paths = (first: string, second: string) => [
        output({ index: 1, path: first }),
        output({ index: 2, path: second }),
      ];
      expect(await store.commit([change(a, { outputs: paths('music/a.mp3', 'music/A.mp3') })])).toEqual(['path-taken']);
      const placed = await commit(change(a, { outputs: paths('music/a.mp3', 'music/b.mp3') }));
      const exchanged = await commit(change(placed, { outputs: paths('music/b.mp3', 'music/a.mp3') }));
      expect(exchanged.outputs.map((o) => o.path)).toEqual(['music/b.mp3', 'music/a.mp3']);
    });

    test('may be the same in another folder; one folder is shared by batches', async () => {
      const { a } = await twoRows();
      await commit(change(a, { outputs: [output({ path: 'music/a.mp3' })] }));
      const elsewhere = await store.createBatch(newBatch({ settings: settings({ folder: '/elsewhere' }) }));
      const sameFolder = await store.createBatch(newBatch({ settings: settings({ folder: '/media/' }) }));
      const outputs = [output({ path: 'music/a.mp3' })];
      const takenBy = async ({ id }: { id: string }) =>
        (await store.commit([change(only((await store.tasksOfRow(id, 'r2'))[0]), { outputs })]))[0];
      expect([await takenBy(elsewhere), await takenBy(sameFolder)]).toEqual(['committed', 'path-taken']);
    });

    test('stays taken in the folder of its file after the batch has moved to another folder', async () => {
      const { batch, a, b } = await twoRows();
      const placed = await commit(change(a, { outputs: [output({ path: 'music/a.mp3' })] }));
      await store.updateBatchSettings(batch.id, settings({ folder: '/moved' }));
      await commit(change(placed, { outputs: [output({ path: 'music/a.mp3', state: 'verified' })] }));
      await commit(change(b, { outputs: [output({ path: 'music/a.mp3' })] }));
      const still = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(still.id, 'r2'))[0]);
      expect(await store.commit([change(task, { outputs: [output({ path: 'music/a.mp3' })] })])).toEqual([
        'path-taken',
      ]);
    });
  });

  describe('a task code', () => {
    const gateway = (baseUrl: string) => settings({ profile: { ...DEFAULT_PROFILE, baseUrl } });
    const taskOf = async (batch: { readonly id: string }, row = 'r2') =>
      only((await store.tasksOfRow(batch.id, row))[0]);

    test('belongs to one task of its gateway, also in one group and in another batch', async () => {
      const batch = await store.createBatch(
        newBatch({ settings: gateway('https://a.example'), rows: [makeRow(2), makeRow(3), makeRow(4)] }),
      );
      const other = await store.createBatch(newBatch({ settings: gateway('https://a.example') }));
      const first = await taskOf(batch);
      expect(
        await store.commit([
          change(first, { taskCode: 'c' }),
          change(await taskOf(batch, 'r3'), { taskCode: 'c', priority: 7 }),
        ]),
      ).toEqual(['committed', 'code-taken']);
      expect(await taskOf(batch, 'r3')).toMatchObject({ revision: 0, priority: 0 });
      expect((await taskOf(batch, 'r3')).taskCode).toBeUndefined();
      expect(await store.commit([change(await taskOf(other), { taskCode: 'c' })])).toEqual(['code-taken']);
      expect((await store.taskByCode(other.id, 'c'))?.id).toBe(first.id);
      expect(await store.taskByCode(other.id, 'd')).toBeUndefined();
    });

    test('may be the same at another gateway, and is free again once its task has another', async () => {
      const one = await store.createBatch(
        newBatch({ settings: gateway('https://a.example'), rows: [makeRow(2), makeRow(3)] }),
      );
      const two = await store.createBatch(newBatch({ settings: gateway('https://b.example') }));
      const first = await commit(change(await taskOf(one), { taskCode: 'c' }));
      await commit(change(await taskOf(two), { taskCode: 'c' }));
      const kept = await commit(change(first, { taskCode: 'c', priority: 1 }));
      await commit(change(kept, { taskCode: 'd' }));
      await commit(change(await taskOf(one, 'r3'), { taskCode: 'c' }));
      expect((await store.taskByCode(one.id, 'c'))?.rowId).toBe('r3');
    });

    test('goes with its batch to another address of the gateway', async () => {
      const one = await store.createBatch(newBatch({ settings: gateway('https://a.example/v1') }));
      const two = await store.createBatch(
        newBatch({ settings: gateway('https://a.example/v2'), rows: [makeRow(2), makeRow(3)] }),
      );
      await commit(change(await taskOf(one), { taskCode: 'c' }));
      await commit(change(await taskOf(two), { taskCode: 'd' }));
      await store.updateBatchSettings(one.id, gateway('https://a.example/v2'));
      expect(await store.commit([change(await taskOf(two, 'r3'), { taskCode: 'c' })])).toEqual(['code-taken']);
      expect((await store.taskByCode(two.id, 'c'))?.batchId).toBe(one.id);
    });

    test('that two have already, when their batches come to one gateway, stays with both', async () => {
      const one = await store.createBatch(newBatch({ settings: gateway('https://a.example/v1') }));
      const two = await store.createBatch(newBatch({ settings: gateway('https://a.example/v2') }));
      await commit(change(await taskOf(one), { taskCode: 'c' }));
      const second = await commit(change(await taskOf(two), { taskCode: 'c' }));
      await store.updateBatchSettings(two.id, gateway('https://a.example/v1'));
      await commit(change(second, { status: 'rendering', priority: 3 }));
      expect([(await taskOf(one)).taskCode, (await taskOf(two)).taskCode]).toEqual(['c', 'c']);
    });
  });

  describe('what comes next', () => {
    test('is due, of its family, by priority, then by line, then by take', async () => {
      const { id } = await store.createBatch(
        newBatch({
          rows: [
            makeRow(2),
            makeRow(3, { priority: 5, takes: 2 }),
            makeRow(4, { operation: 'videogen-a/video/generate', priority: 9 }),
            makeRow(5, { priority: 5 }),
            makeRow(6),
          ],
        }),
      );
      const names = async (limit: number, now = NOW) =>
        (await store.nextQueued(id, 'musicgen', limit, now)).map((task) => `${task.rowId}.${task.take}`);
      expect(await names(9)).toEqual(['r3.1', 'r3.2', 'r5.1', 'r2.1', 'r6.1']);
      expect(await names(2)).toEqual(['r3.1', 'r3.2']);
      expect(await names(9, NOW - 1)).toEqual([]);
    });

    test('is never a task that waits, is blocked, is to be cancelled or is under way', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4, 5, 6].map((line) => makeRow(line)) }));
      const [later, blocked, unwanted, started] = (await listOf(store.tasksByStatus(['queued'], id))).map(only);
      await commit(change(only(later), { dueAt: NOW + 500 }));
      await commit(change(only(blocked), { blockedBy: 'r2', dueAt: NOW + 100 }));
      await commit(change(only(unwanted), { cancelWanted: true, dueAt: NOW + 100 }));
      await commit(change(only(started), { status: 'submitting', dueAt: NOW + 100 }));
      expect((await store.nextQueued(id, 'musicgen', 9, NOW)).map((task) => task.rowId)).toEqual(['r6']);
      expect(await store.nextQueuedDueAt(id, NOW)).toBe(NOW + 500);
      expect(await store.nextQueuedDueAt(id, NOW + 500)).toBeUndefined();
    });

    test('is none of the kinds that are left out', async () => {
      const song = (line: number, model: string) => makeRow(line, { body: { prompt: 'a song', model } });
      const { id } = await store.createBatch(newBatch({ rows: [song(2, 'v4'), song(3, 'v5'), song(4, 'v4')] }));
      const [first] = await store.nextQueued(id, 'musicgen', 1, NOW);
      const next = await store.nextQueued(id, 'musicgen', 9, NOW, [kindOf(only(first)), 'of no task']);
      expect(next.map(({ rowId }) => rowId)).toEqual(['r3']);
    });

    test('is due at once where it was due later than anything waits', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4, 5].map((line) => makeRow(line)) }));
      const { id: other } = await store.createBatch(newBatch({ rows: [makeRow(2)] }));
      const [soon, later, blocked] = (await listOf(store.tasksByStatus(['queued'], id))).map(only);
      const [others] = await store.nextQueued(other, 'musicgen', 1, NOW);
      await commit(change(only(soon), { dueAt: NOW + 500 }));
      await commit(change(only(later), { dueAt: NOW + 501 }));
      await commit(change(only(blocked), { blockedBy: 'r2', dueAt: NOW + 501 }));
      await commit(change(only(others), { dueAt: NOW + 501 }));
      await store.makeDue(id, NOW + 500, NOW - 1);
      expect((await store.nextQueued(id, 'musicgen', 9, NOW - 1)).map((task) => task.rowId)).toEqual(['r3']);
      expect(await store.nextQueuedDueAt(id, NOW)).toBe(NOW + 500);
      expect(await store.nextQueuedDueAt(other, NOW)).toBe(NOW + 501);
    });

    test('comes with what is sent for it, for several batches and families in one go', async () => {
      const links = [
        {
          column: 'prompt',
          value: {
            kind: 'text' as const,
            text: [{ row: 'r2', path: { kind: 'task-code' as const }, text: 'r2.taskId' }],
          },
        },
      ];
      const { id: one } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3, { links })] }));
      const { id: two } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const wanted = [
        { batchId: two, family: 'musicgen', limit: 1 },
        { batchId: one, family: 'musicgen', limit: 9 },
        { batchId: one, family: 'videogen-a', limit: 9 },
      ] as const;
      const found = await store.nextToSubmit(wanted, NOW);
      const queued = [
        ...(await store.nextQueued(two, 'musicgen', 1, NOW)),
        ...(await store.nextQueued(one, 'musicgen', 9, NOW)),
      ];
      expect(found.map(({ task }) => task)).toEqual(queued);
      for (const { task, body, links: given } of found) {
        expect(body).toEqual(await store.requestBody(task.id));
        expect(given).toEqual((await store.row(task.batchId, task.rowId))?.links ?? []);
      }
    });

    test('is found for each account, also where its batch was made with one', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const { settings: alone } = (await store.batch(id)) ?? newBatch({ rows: [] });
      const foundAt = async (account?: string) => {
        const wanted = {
          batchId: id,
          family: 'musicgen',
          limit: 9,
          ...(account === undefined ? {} : { account }),
        } as const;
        return (await store.nextToSubmit([wanted], NOW)).map(({ task }) => task.rowId);
      };
      const others = [{ name: 'spare', profile: { ...alone.profile, name: 'Spare' } }];
      await store.updateBatchSettings(id, { ...alone, accounts: { first: { name: 'main' }, others } });
      expect([await foundAt('main'), await foundAt('spare')]).toEqual([
        ['r2', 'r3'],
        ['r2', 'r3'],
      ]);
      await store.updateBatchSettings(id, alone);
      expect(await foundAt()).toEqual(['r2', 'r3']);
    });

    test('is part of the work that is left', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const { id: other } = await store.createBatch(newBatch({ rows: [] }));
      const [later] = await store.nextQueued(id, 'musicgen', 1, NOW);
      await commit(change(only(later), { dueAt: NOW + 500 }));
      const left = await store.workLeft([id, other], NOW);
      expect(left.get(id)).toEqual({
        counts: await store.counts(id),
        submitsUsed: await store.submitsUsed(id),
        firstDueAt: await store.nextQueuedDueAt(id, -1),
        nextDueAt: NOW + 500,
      });
      expect(left.get(other)).toMatchObject({ submitsUsed: 0, firstDueAt: undefined, nextDueAt: undefined });
      expect((await store.workLeft([id], NOW + 500)).get(id)).toMatchObject({ nextDueAt: undefined });
    });

    test('is found with others by its id', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3), makeRow(4)] }));
      const tasks = await listOf(store.tasksByStatus(['queued'], id));
      const some = await store.tasks([...tasks.slice(1).map((task) => task.id), 999_999]);
      expect(some.toSorted((a, b) => a.id - b.id)).toEqual(tasks.slice(1));
      expect(await store.tasks([])).toEqual([]);
    });
  });

  describe('tasks by status', () => {
    test('come in order of batch, line and take', async () => {
      const first = await store.createBatch(newBatch({ rows: [makeRow(2, { takes: 2 }), makeRow(3)] }));
      const second = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(first.id, 'r2'))[1]);
      await commit(change(task, { status: 'rendering' }));
      const names = async (statuses: readonly TaskStatus[], batchId?: string) =>
        (await listOf(store.tasksByStatus(statuses, batchId))).map((t) => `${t.rowId}.${t.take}`);
      expect(await names(['queued', 'rendering'])).toEqual(['r2.1', 'r2.2', 'r3.1', 'r2.1']);
      expect(await names(['rendering'])).toEqual(['r2.2']);
      expect(await names(['queued'], second.id)).toEqual(['r2.1']);
      expect(await names([])).toEqual([]);
    });

    test('may be changed while they are gone through', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4].map((line) => makeRow(line)) }));
      const last = only((await store.tasksOfRow(id, 'r4'))[0]);
      const seen: string[] = [];
      for await (const task of store.tasksByStatus(['queued'], id)) {
        seen.push(task.rowId);
        await commit(change(task, { status: 'submitting' }));
        if (task.rowId === 'r2') await commit(change(last, { status: 'cancelled' }));
      }
      expect(seen).toEqual(['r2', 'r3']);
    });
  });

  describe('what statuses were seen to mean', () => {
    const seen: SeenStatus = {
      operation: 'musicgen/music/generate',
      status: '3',
      hasUrl: false,
      hasEnded: true,
      hasMessage: true,
      became: 'suspected',
    };
    const show = async (task: Task, more: SeenStatus): Promise<Task> => commit(change(task, {}, { seen: more }));

    test('is counted for each gateway with what looks alike, and not for rehearsals', async () => {
      const elsewhere = settings({ profile: { ...settings().profile, baseUrl: 'https://elsewhere.example' } });
      const first = await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3)] }));
      const other = await store.createBatch(newBatch({ settings: elsewhere }));
      const rehearsal = await store.createBatch(newBatch({ settings: settings({ rehearsal: true }) }));
      const task = await show(only((await store.tasksOfRow(first.id, 'r2'))[0]), {
        ...seen,
        became: 'running',
        hasEnded: false,
      });
      await show(task, seen);
      await show(only((await store.tasksOfRow(first.id, 'r3'))[0]), seen);
      await show(only((await store.tasksOfRow(other.id, 'r2'))[0]), { ...seen, status: 'Ä' });
      await show(only((await store.tasksOfRow(rehearsal.id, 'r2'))[0]), seen);
      const { gateway } = only((await store.seenStatuses(first.id))[0]);
      expect(await store.seenStatuses(first.id)).toEqual([
        { ...seen, gateway, became: 'running', hasEnded: false, tasks: 1, lastAt: NOW },
        { ...seen, gateway, tasks: 2, lastAt: NOW },
      ]);
      expect(await store.seenStatuses(other.id)).toMatchObject([
        { gateway: 'https://elsewhere.example', status: 'Ä', tasks: 1 },
      ]);
      expect(await store.seenStatuses(rehearsal.id)).toEqual([]);
      expect(await store.seenStatuses()).toHaveLength(3);
    });

    test('is not counted where the change is refused', async () => {
      const { id } = await store.createBatch(newBatch());
      const task = only((await store.tasksOfRow(id, 'r2'))[0]);
      await show(task, seen);
      expect(await store.commit([change(task, {}, { seen })])).toEqual(['stale']);
      expect(await store.seenStatuses(id)).toMatchObject([{ tasks: 1 }]);
    });

    test('is bounded: a gateway that invents statuses fills nothing, and what was known is counted on', async () => {
      const { id } = await store.createBatch(newBatch());
      let task = only((await store.tasksOfRow(id, 'r2'))[0]);
      for (let i = 0; i < SEEN_KEPT + 5; i += 1) task = await show(task, { ...seen, status: `s${i}` });
      await show(task, { ...seen, status: 's0' });
      const kept = await store.seenStatuses(id);
      expect(kept).toHaveLength(SEEN_KEPT);
      expect(kept.find(({ status }) => status === 's0')).toMatchObject({ tasks: 2 });
      expect(kept.some(({ status }) => status === `s${SEEN_KEPT}`)).toBe(false);
    });
  });

  describe('what answers looked like', () => {
    const shape = (code: string): AnswerShape => ({
      call: 'poll',
      operation: 'musicgen/music/generate',
      httpStatus: 200,
      content: 'json',
      code,
      fields: 'code:number',
      found: '',
      way: 'taskCode',
      became: 'running',
    });
    const cost = { operation: 'musicgen/music/generate', kind: 'cost', at: 'result.credits' } as const;

    test('is added up by gateway, with the bounds of its numbers', async () => {
      const { id } = await store.createBatch(newBatch());
      let task = only((await store.tasksOfRow(id, 'r2'))[0]);
      const learn = async (learned: LearnedCounts) => {
        const next = change(task, {}, { learned });
        await commit(next);
        task = next.next;
      };
      await learn({
        shapes: [{ shape: shape('200'), answers: 3 }],
        measures: [{ ...cost, count: 2, least: 1, most: 2 }],
      });
      await learn({
        shapes: [
          { shape: shape('200'), answers: 4 },
          { shape: shape('500'), answers: 1 },
        ],
        measures: [{ ...cost, count: 1, least: 0.5, most: 0.5 }],
      });
      const { shapes, measures } = await store.learned();
      expect(shapes.map((one) => [one.shape, one.answers, one.lastAt])).toEqual([
        [shape('200'), 7, NOW],
        [shape('500'), 1, NOW],
      ]);
      expect(measures).toMatchObject([{ ...cost, count: 3, least: 0.5, most: 2 }]);
      expect(
        await store.commit([change({ ...task, revision: 0 }, {}, { learned: { shapes: [], measures: [] } })]),
      ).toEqual(['stale']);
    });
  });

  describe('tasks that are watched after their end', () => {
    const why = { code: 'REMOTE_FAILED' as const, message: 'no words' };
    const suspicion = { ...why, suspected: true };

    test('are those whose failure was only inferred and whose code can be asked about, in order of line', async () => {
      const { id } = await store.createBatch(newBatch({ rows: [2, 3, 4, 5, 6].map((line) => makeRow(line)) }));
      const other = await store.createBatch(newBatch());
      const [stated, late, early, nameless, queued] = (await listOf(store.tasksByStatus(['queued'], id))).map(only);
      await commit(change(only(late), { status: 'failed', failure: suspicion, taskCode: 'c-late' }));
      await commit(change(only(early), { status: 'failed', failure: suspicion, taskCode: 'c-early' }));
      await commit(change(only(stated), { status: 'failed', failure: why, taskCode: 'c-stated' }));
      await commit(change(only(nameless), { status: 'failed', failure: suspicion }));
      await commit(change(only(queued), { failure: suspicion }));
      expect(await store.watchedTasks(id)).toEqual([await store.task(only(late).id), await store.task(only(early).id)]);
      expect(await store.watchedTasks(other.id)).toEqual([]);
    });
  });

  describe('tasks that wait for another row', () => {
    const link = (...targets: readonly string[]) => [
      {
        column: 'prompt',
        value: {
          kind: 'text' as const,
          text: targets.map((row) => ({ row, path: { kind: 'task-code' as const }, text: `${row}.taskId` })),
        },
      },
    ];

    test('are made waiting for the first row that theirs refers to, and do not start', async () => {
      const { id } = await store.createBatch(
        newBatch({ rows: [makeRow(2), makeRow(3, { links: link('r2', 'r4'), takes: 2 }), makeRow(4)] }),
      );
      expect((await store.tasksOfRow(id, 'r3')).map((task) => task.blockedBy)).toEqual(['r2', 'r2']);
      expect((await store.nextQueued(id, 'musicgen', 9, NOW)).map((task) => task.rowId)).toEqual(['r2', 'r4']);
      expect((await store.row(id, 'r3'))?.links).toEqual(link('r2', 'r4'));
    });

    test('are found by the row that they wait for, also when it failed them', async () => {
      const { id } = await store.createBatch(
        newBatch({
          rows: [makeRow(2), makeRow(3, { links: link('r2'), takes: 2 }), makeRow(4, { links: link('r3') })],
        }),
      );
      await store.createBatch(newBatch({ rows: [makeRow(2), makeRow(3, { links: link('r2') })] }));
      const names = async (rowId: string) =>
        Promise.all(
          (await store.taskIdsBlockedBy(id, rowId)).map(
            async (taskId) => `${(await taskById(taskId)).rowId}.${(await taskById(taskId)).take}`,
          ),
        );
      expect(await names('r2')).toEqual(['r3.1', 'r3.2']);
      expect(await store.rowsWaitedFor(id)).toEqual(['r2', 'r3']);
      const [first, second] = (await store.tasksOfRow(id, 'r3')).map(only);
      await commit(change(only(first), { status: 'failed' }));
      const { blockedBy: _, ...free } = only(second);
      await commit({ ...change(free, {}), next: { ...free, revision: free.revision + 1 } });
      expect(await names('r2')).toEqual(['r3.1']);
      expect((await store.nextQueued(id, 'musicgen', 9, NOW)).map((task) => `${task.rowId}.${task.take}`)).toEqual([
        'r2.1',
        'r3.2',
      ]);
      await commit(change(only(await store.task(only(first).id)), { blockedBy: 'r9' }));
      expect(await store.rowsWaitedFor(id)).toEqual(['r3', 'r9']);
    });
  });

  test('the gates have the tasks with a file that they flag or have not looked at', async () => {
    const looks = {
      unlooked: output({ state: 'verified', mediaType: 'audio/mpeg' }),
      flagged: output({
        state: 'verified',
        mediaType: 'audio/mpeg',
        flags: [{ gate: 'silence', message: 'It is silent.' }],
      }),
      good: output({ state: 'verified', mediaType: 'audio/mpeg', flags: [] }),
      saying: output({
        state: 'verified',
        mediaType: 'audio/mpeg',
        failure: failure('REMOTE_FAILED', 'it said {"flags":[]}'),
      }),
      data: output({ state: 'verified', mediaType: 'application/json' }),
      coming: output({ state: 'pending' }),
    };
    const names = Object.keys(looks);
    const { id } = await store.createBatch(newBatch({ rows: names.map((name, i) => makeRow(i + 2, { id: name })) }));
    for (const [name, found] of Object.entries(looks)) {
      const [task] = await store.tasksOfRow(id, name);
      const path = `music/${name}`;
      await commit(change(only(task), { status: 'done', outputs: [{ ...found, path }] }));
    }
    const found = await store.tasks(await store.tasksForGates(id));
    expect(found.map(({ rowId }) => rowId)).toEqual(['unlooked', 'flagged', 'saying']);
  });

  test('the kinds that are left are those of the tasks that have not ended, and not of all that their family can give', async () => {
    const lyrics = makeRow(3, { operation: 'musicgen/music/lyrics' });
    const { id } = await store.createBatch(newBatch({ rows: [makeRow(2), lyrics, makeRow(4, { skip: true })] }));
    const end = async (rowId: string) =>
      commit(change(only((await store.tasksOfRow(id, rowId))[0]), { status: 'done' }));
    expect((await store.kindsLeft(id)).toSorted()).toEqual(['data', 'music']);
    await end('r3');
    expect(await store.kindsLeft(id)).toEqual(['music']);
    await end('r2');
    expect(await store.kindsLeft(id)).toEqual([]);
  });

  test('counts that were given do not change afterwards', async () => {
    const { id } = await store.createBatch(newBatch());
    const before = await store.counts(id);
    await commit(change(only((await store.tasksOfRow(id, 'r2'))[0]), { status: 'done' }));
    expect(before.musicgen).toMatchObject({ queued: 1, done: 0 });
    expect((await store.counts(id)).musicgen).toMatchObject({ queued: 0, done: 1 });
  });
}
