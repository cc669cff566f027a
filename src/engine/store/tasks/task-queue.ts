import type { Family } from '../../../shared/domain/operations/operations.ts';
import type { Task, TaskStatus } from '../../../shared/domain/task/task.ts';
import { IN_LIST, type Database } from '../open/database.ts';
import type { TaskColumns } from './task-table.ts';

/** What a night asks for: which tasks to start, which to watch, and which wait for a row. */
export interface TaskQueue {
  /** Ids in the order of position and take. */
  idsByStatus(batch: number, statuses: readonly TaskStatus[]): readonly number[];
  watched(batch: number): readonly Task[];
  nextQueued(batch: number, family: Family, limit: number, now: number): readonly Task[];
  nextQueuedDueAt(batch: number, now: number): number | undefined;
  idsBlockedBy(batch: number, rowId: string): readonly number[];
  rowsWaitedFor(batch: number): readonly string[];
}

export function openTaskQueue(db: Database, taskOf: (columns: TaskColumns) => Task): TaskQueue {
  const selectIdsByStatus = db.prepareColumn<number>(`
    SELECT id FROM tasks WHERE batch = ? AND superseded = 0 AND status ${IN_LIST} ORDER BY position, take`);
  const selectWatched = db.prepare<TaskColumns>(`
    SELECT * FROM tasks WHERE batch = ?1 AND superseded IN (0, 1) AND status = 'failed' AND task_code IS NOT NULL
      AND state ->> '$.failure.suspected' = 1
    UNION ALL
    SELECT * FROM tasks WHERE batch = ?1 AND superseded = 1 AND status IN ('rendering', 'downloading')
    ORDER BY position, take, id`);
  // On its own, SQLite searches for what is due first, and sorts the whole queue of a new batch for every submit.
  const selectToStart = db.prepare<TaskColumns>(`
    SELECT * FROM tasks INDEXED BY tasks_to_start WHERE batch = ? AND family = ? AND startable = 1 AND due_at <= ?
    ORDER BY priority DESC, position, take LIMIT ?`);
  const selectToCome = db.prepare<{ readonly due_at: number | null }>(`
    SELECT min(due_at) AS due_at FROM tasks WHERE batch = ? AND startable = 1 AND due_at > ?`);
  const selectBlockedBy = db.prepareColumn<number>(`
    SELECT id FROM tasks WHERE batch = ? AND blocked_by = ? AND superseded = 0 ORDER BY position, take`);
  const selectWaitedFor = db.prepareColumn<string>(`
    SELECT DISTINCT blocked_by AS row_id FROM tasks
    WHERE batch = ? AND blocked_by IS NOT NULL AND superseded = 0 ORDER BY blocked_by`);

  return {
    idsByStatus: (batch, statuses) => selectIdsByStatus(batch, JSON.stringify(statuses)),
    watched: (batch) => selectWatched.all(batch).map(taskOf),
    nextQueued: (batch, family, limit, now) => selectToStart.all(batch, family, now, limit).map(taskOf),
    nextQueuedDueAt: (batch, now) => selectToCome.get(batch, now)?.due_at ?? undefined,
    idsBlockedBy: (batch, rowId) => selectBlockedBy(batch, rowId),
    rowsWaitedFor: (batch) => selectWaitedFor(batch),
  };
}
