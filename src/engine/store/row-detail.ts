import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import {
  EVENTS_SHOWN,
  outputIdOf,
  type AttemptView,
  type OutputView,
  type RowDetail,
  type TaskDetail,
} from '../../shared/domain/batch-view.ts';
import type { Failure } from '../../shared/domain/failure.ts';
import type { TaskEvent, TaskEventKind } from '../../shared/domain/task-machine.ts';
import { openProblemRecords } from './problem-records.ts';
import { rowOf, ROW_CONTENT_SELECT, type RowContentColumns } from './row-records.ts';
import type { RowViews, SeenTask } from './row-views.ts';
import type { SheetLines } from './sheet-lines.ts';
import { prepare } from './statement.ts';

interface AttemptMetadata {
  readonly id: number;
  readonly started_at: number;
  readonly origin: string;
  readonly key_fingerprint: string;
  readonly body_sha256: string;
  readonly answered_at: number | null;
  readonly outcome: NonNullable<AttemptView['outcome']> | null;
  readonly http_status: number | null;
}

/** Returns what reads everything about one row, without the bytes of requests and answers. */
export function openRowDetail(
  db: DatabaseSyncInstance,
  rowViews: RowViews,
  lines: SheetLines,
): (batch: number, rowId: string) => RowDetail | undefined {
  const selectRow = prepare<RowContentColumns>(
    db,
    `${ROW_CONTENT_SELECT} WHERE batch = ? AND removed = 0 AND row_id = ? ORDER BY position, seq LIMIT 1`,
  );
  const problemRecords = openProblemRecords(db);
  const taskDetail = openTaskDetail(db);

  return (batch, rowId) => {
    const columns = selectRow.get(batch, rowId);
    const view = columns && rowViews.bySeqs([columns.seq])[0];
    if (columns === undefined || view === undefined) return undefined;
    const { note, cells, body } = rowOf(columns);
    const problems = (problemRecords.ofRows([columns.seq]).get(columns.seq) ?? []).map((problem) =>
      lines.onLine(problem, { ...columns, batch }),
    );
    const all = rowViews.tasksOfRows([columns.seq], true).get(columns.seq) ?? [];
    const tasks = all.filter((task) => !task.isSuperseded).map(taskDetail);
    const superseded = all.filter((task) => task.isSuperseded).toSorted((a, b) => b.id - a.id);
    const earlier = superseded.flatMap(outputViews);
    return { view, ...(note === undefined ? {} : { note }), cells, body, problems, tasks, earlier };
  };
}

function openTaskDetail(db: DatabaseSyncInstance): (task: SeenTask) => TaskDetail {
  const selectAttempts = prepare<AttemptMetadata>(
    db,
    `SELECT id, started_at, origin, key_fingerprint, body_sha256, answered_at, outcome, http_status FROM attempts
     WHERE task = ? ORDER BY id`,
  );
  // The documents that a rendering gave are in its event; they stay in the database.
  const selectEvents = prepare<{ readonly at: number; readonly kind: TaskEventKind; readonly failure: string | null }>(
    db,
    `SELECT at, event ->> '$.kind' AS kind, event -> '$.failure' AS failure
     FROM (SELECT seq, at, event FROM events WHERE task = ? ORDER BY seq DESC LIMIT ${EVENTS_SHOWN}) ORDER BY seq`,
  );
  return ({ id, take, status, taskCode, dueAt, submittedAt, finishedAt, failure, outputs }) => ({
    taskId: id,
    take,
    status,
    ...(taskCode === undefined ? {} : { taskCode }),
    dueAt,
    ...(submittedAt === undefined ? {} : { submittedAt }),
    ...(finishedAt === undefined ? {} : { finishedAt }),
    ...(failure === undefined ? {} : { failure }),
    outputs: outputViews({ id, outputs }),
    attempts: selectAttempts.all(id).map(attemptView),
    events: selectEvents.all(id).map(eventView),
  });
}

function outputViews({ id, outputs }: Pick<SeenTask, 'id' | 'outputs'>): readonly OutputView[] {
  return outputs.map((output) => ({ outputId: outputIdOf(id, output.index), ...output }));
}

function eventView({ at, kind, failure }: { at: number; kind: TaskEvent['kind']; failure: string | null }) {
  return { at, kind, ...(failure === null ? {} : { failure: JSON.parse(failure) as Failure }) };
}

function attemptView(columns: AttemptMetadata): AttemptView {
  const { id, started_at: startedAt, origin, key_fingerprint: keyFingerprint, body_sha256: bodySha256 } = columns;
  return {
    id,
    startedAt,
    origin,
    keyFingerprint,
    bodySha256,
    ...(columns.answered_at === null ? {} : { answeredAt: columns.answered_at }),
    ...(columns.outcome === null ? {} : { outcome: columns.outcome }),
    ...(columns.http_status === null ? {} : { httpStatus: columns.http_status }),
  };
}
