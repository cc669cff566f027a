import { rmSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { AtOnce } from '../../src/engine/ports/base.ts';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { MemoryTaskStore } from '../support/memory-task-store.ts';
import type { OpenStore } from '../../src/engine/store/open/store-on.ts';
import {
  ROW_SORT_COLUMNS,
  type RowFilter,
  type RowPageQuery,
  type RowSortBy,
} from '../../src/shared/domain/task/batch-view.ts';
import { FAMILIES, OPERATION_PATHS } from '../../src/shared/domain/operations/operations.ts';
import { ROW_VIEW_STATUSES } from '../../src/shared/domain/task/row-status.ts';
import type { SeenStatus } from '../../src/shared/domain/gateway/seen-status.ts';
import { TASK_STATUSES, type Output, type Task, type TaskStatus } from '../../src/shared/domain/task/task.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { DATABASES } from './opened-store.ts';
import { makeRow, newBatch, NOW, only, settings } from './task-store-fixtures.ts';
import { modelExport, modelPage, modelSummaryRows } from './task-store-view-model.ts';

/** Ids of the tasks that the two batches below have. */
const TASK_IDS = [1, 2, 3, 4, 5, 6, 7, 8] as const;
const ROWS = [
  makeRow(2, { takes: 3, body: { prompt: 'Wolf moon', title: 'Éclair' } }),
  makeRow(3, { operation: 'videogen-b/image/generate', priority: 1, body: { prompt: 'moon over glass' } }),
  makeRow(4, { skip: true, note: 'MOON' }),
  makeRow(5, { operation: 'videogen-a/video/generate' }),
  makeRow(6, { body: { prompt: 'bad' } }),
  makeRow(7, { operation: undefined }),
];
const PROBLEMS = [
  { severity: 'warning', code: 'unknown-column', line: 6, row: 'r6', message: 'odd', remedy: '-' },
  { severity: 'error', code: 'value-type', line: 6, row: 'r6', message: 'wrong', remedy: '-' },
] as const;

/** One step on both stores: a change of a task as the dice fall, or of a batch. */
interface Step {
  readonly taskId: number;
  readonly behind: number;
  readonly status: TaskStatus;
  readonly dueAt: number;
  readonly flags: readonly boolean[];
  readonly paths: readonly (string | undefined)[];
  readonly outcome: 'accepted' | 'unknown' | 'not-sent' | 'rejected';
  readonly priority: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  taskId: fc.constantFrom(...TASK_IDS),
  behind: fc.constantFrom(0, 0, 0, 0, 1),
  status: fc.constantFrom(...TASK_STATUSES),
  dueAt: fc.constantFrom(NOW - 1, NOW, NOW + 1, NOW + 0.5),
  flags: fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
  paths: fc.array(fc.constantFrom(undefined, 'a.mp3', 'A.mp3', 'b.mp3', 'e\u0301.mp3', 'é.mp3'), { maxLength: 3 }),
  outcome: fc.constantFrom('accepted', 'unknown', 'not-sent', 'rejected'),
  priority: fc.constantFrom(0, 0, 2),
});

const filter: fc.Arbitrary<RowFilter> = fc.record(
  {
    status: fc.subarray([...ROW_VIEW_STATUSES], { maxLength: 3 }),
    family: fc.constantFrom(...FAMILIES),
    operation: fc.constantFrom(...OPERATION_PATHS),
    text: fc.constantFrom('moon', 'É', 'r2', '%', '"', ' '),
  },
  { requiredKeys: [] },
);

const query: fc.Arbitrary<RowPageQuery> = fc.record({
  filter: fc.oneof(fc.constant({}), filter),
  sort: fc
    .tuple(
      fc.constantFrom<RowSortBy>(
        ...ROW_SORT_COLUMNS.map((column) => ({ column })),
        { column: 'cell', header: 'prompt' },
        { column: 'cell', header: 'none' },
      ),
      fc.constantFrom('ascending', 'descending'),
    )
    .map(([by, direction]) => ({ ...by, direction })),
  offset: fc.constantFrom(0, 0, 1, 3),
  limit: fc.constantFrom(2, 10),
});

/** The groups of one commit each; an empty one moves the first batch to another folder. */
const groups = fc.array(fc.array(step, { maxLength: 5 }), { maxLength: 12 });

test.each(DATABASES)(
  'any changes leave the store in %s and its views as they leave the model',
  (_, openIn, numRuns) => {
    fc.assert(
      fc.property(groups, fc.array(query, { minLength: 4, maxLength: 8 }), (made, queries) => {
        const dir = temporaryFolder();
        try {
          // The same number always: the durable store asks for one more than the model.
          const random = { next: () => 0.5 };
          const model = new MemoryTaskStore(random);
          const opened = openIn(dir, random);
          for (const store of [model, opened.store]) {
            store.createBatch(newBatch({ rows: ROWS, problems: PROBLEMS }));
            store.createBatch(newBatch({ rows: ROWS.slice(0, 1), createdAt: NOW + 9_000 }));
          }
          made.forEach((group, i) => {
            expect(apply(opened.store, group, i)).toEqual(apply(model, group, i));
          });
          expectSame(opened, model, queries);
          opened.close();
          const again = openIn(dir, random);
          expectSame(again, model, queries);
          again.close();
        } finally {
          rmSync(dir, { recursive: true });
        }
      }),
      { numRuns },
    );
  },
  60_000,
);

/** A view's keys are those of all its rows, and its page is the page. */
function expectSamePage(views: OpenStore['views'], id: string, query: RowPageQuery): void {
  const { keys, rows } = views.viewPage(id, query);
  const all = views.rowPage(id, { ...query, offset: 0, limit: 1_000 });
  expect(keys).toEqual(all.rows.map(({ key }) => key));
  expect(rows).toEqual(views.rowPage(id, query).rows);
}

function expectSame(
  { store, views, ...opened }: OpenStore,
  model: AtOnce<TaskStore>,
  queries: readonly RowPageQuery[],
): void {
  expect(stateOf(store)).toStrictEqual(stateOf(model));
  model.batches().forEach(({ id }, i) => {
    const rows = i === 0 ? ROWS : ROWS.slice(0, 1);
    const problems = i === 0 ? PROBLEMS : [];
    for (const query of queries) {
      expect(views.rowPage(id, query)).toStrictEqual(
        modelPage(model, id, rows, problems, i === 0 ? 1 : ROWS.length + 1, query),
      );
      expectSamePage(views, id, query);
    }
    expect([...views.exportRows(id)]).toStrictEqual(modelExport(model, id, rows, problems));
    const outputs = [...views.exportRows(id)].flatMap(({ tasks }) => tasks.flatMap((task) => task.outputs));
    const files = views.taskFiles(id);
    expect(files.reduce((sum, one) => sum + one.files, 0)).toBe(outputs.length);
    expect(files.reduce((sum, one) => sum + one.bytes, 0)).toBe(outputs.reduce((sum, { bytes }) => sum + bytes, 0));
    expect(views.batchSummary(id)).toStrictEqual({
      batch: model.batch(id),
      tasks: model.counts(id),
      rows: modelSummaryRows(model, id, rows),
      submitsUsed: model.submitsUsed(id),
      problems: i === 0 ? { errors: 1, warnings: 1, ignored: [] } : { errors: 0, warnings: 0, ignored: [] },
      draftSubmits: 0,
    });
  });
  expect(opened.checkIntegrity()).toEqual([]);
}

function apply(store: AtOnce<TaskStore>, group: readonly Step[], i: number) {
  if (group.length === 0) {
    const folder = i % 2 === 0 ? '/moved' : '/media';
    store.updateBatchSettings(only(store.batches()[0]).id, settings({ folder }));
    return [];
  }
  return store.commit(group.map((one) => changeOf(store, one, i)));
}

function changeOf(store: AtOnce<TaskStore>, made: Step, at: number): TaskChange {
  const task = only(store.task(made.taskId));
  const [opens, closes, blocked, unwanted, coded, completed, polled, submitted, finished] = made.flags;
  const expectedRevision = Math.max(0, task.revision - made.behind);
  const { blockedBy: _b, taskCode: _c, submittedAt: _s, finishedAt: _f, failure: _e, ...rest } = task;
  const next: Task = {
    ...rest,
    revision: expectedRevision + 1,
    status: made.status,
    dueAt: made.dueAt,
    priority: made.priority,
    cancelWanted: unwanted === true,
    ...(blocked ? { blockedBy: 'r2' } : {}),
    ...(coded ? { taskCode: `c${made.taskId}` } : {}),
    ...(submitted ? { submittedAt: at } : {}),
    ...(finished ? { finishedAt: at + 0.5 } : {}),
    ...(coded ? { failure: { code: 'REMOTE_FAILED', message: `${at}` } as const } : {}),
    outputs: made.paths.map((path, i): Output => {
      const file = path === undefined ? {} : { path, sha256: 'ff', bytes: at, mediaType: 'audio/mpeg' };
      return { index: i + 1, state: path === undefined ? 'pending' : 'verified', generation: 1, tries: 0, ...file };
    }),
  };
  const raw = { httpStatus: 200, headers: {}, body: Uint8Array.of(at), truncated: false };
  const body = Uint8Array.of(1, at);
  const price = { amount: made.taskId / 10, currency: at % 2 === 0 ? 'EUR' : 'USD' };
  return {
    expectedRevision,
    next,
    event: { kind: 'cancel-requested' },
    at,
    ...(opens
      ? { openAttempt: { startedAt: at, origin: 'o', keyFingerprint: 'k', body, bodySha256: 'h', price } }
      : {}),
    ...(closes ? { closeAttempt: { answeredAt: at, outcome: made.outcome, raw } } : {}),
    ...(polled ? { pollAnswer: raw } : {}),
    ...(completed ? { completionMs: at } : {}),
    ...(polled ? { seen: seenIn(made, completed === true) } : {}),
  };
}

function seenIn(made: Step, hasEnded: boolean): SeenStatus {
  const looks = { hasUrl: made.paths.length > 0, hasEnded, hasMessage: made.dueAt > NOW };
  return { operation: 'musicgen/music/generate', status: made.status, ...looks, became: 'running' };
}

/** Everything that the port tells of a store. */
function stateOf(store: AtOnce<TaskStore>) {
  const ids = store.batches().map(({ id }) => id);
  return {
    nights: store.nights(),
    spending: [0, NOW].map((at) => store.spending(at, ids)),
    tasks: [...store.tasksByStatus(TASK_STATUSES)],
    evidence: TASK_IDS.map((id) => ({
      attempts: store.attempts(id).map((attempt) => ({ ...attempt, id: 0, body: [...attempt.body] })),
      events: store.events(id),
      answer: store.pollAnswer(id),
    })),
    batches: store.batches().map((batch) => ({
      batch,
      counts: store.counts(batch.id),
      kindsLeft: store.kindsLeft(batch.id).toSorted(),
      waitedFor: store.rowsWaitedFor(batch.id).map((row) => [row, store.taskIdsBlockedBy(batch.id, row)]),
      watched: store.watchedTasks(batch.id),
      forGates: store.tasksForGates(batch.id),
      seen: store.seenStatuses(batch.id),
      submitsUsed: store.submitsUsed(batch.id),
      known: TASK_IDS.map((id) => store.isTaskCodeKnown(batch.id, `c${id}`)),
      times: store.completions(batch.id, 'musicgen/music/generate', ''),
      nextDueAt: [NOW - 1, NOW, NOW + 1].map((now) => store.nextQueuedDueAt(batch.id, now)),
      next: FAMILIES.map((family) => store.nextQueued(batch.id, family, 2, NOW)),
      left: [...store.workLeft([batch.id], NOW)],
      toSubmit: store.nextToSubmit(
        FAMILIES.map((family) => ({ batchId: batch.id, family, limit: 2 })),
        NOW,
      ),
      canaries: [0, 3].map((since) => {
        const rule = { since, released: since === 0 ? [] : [only(store.task(1)).requestKind] };
        const wanted = FAMILIES.map((family) => ({ batchId: batch.id, family, limit: 2, canary: rule }));
        const held = store.heldKinds(batch.id, rule, NOW).toSorted((a, b) => a.requestKind - b.requestKind);
        return { next: store.nextToSubmit(wanted, NOW), held };
      }),
    })),
  };
}
