import { listOf } from '../../src/shared/domain/base/result.ts';
import { describe, expect, test } from 'vitest';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { failure } from '../../src/shared/domain/base/failure.ts';
import { DEFAULT_PROFILE } from '../../src/shared/domain/gateway/profile.ts';
import { type Task } from '../../src/shared/domain/task/task.ts';
import { change, INTENT, makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';
import { storeForEach, type OpenTaskStore, output } from './task-store-rig.ts';

/** Changes of tasks: what is committed, and what is refused. */
export function testChanges(openStore: OpenTaskStore): void {
  let store: TaskStore;
  const { commit, happen } = storeForEach(openStore, (opened) => {
    store = opened;
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
}
