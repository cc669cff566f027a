/** Reports what other processes have changed in a store on a server, in the form of this process's own changes. */
import { isDeepStrictEqual } from 'node:util';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { TERMINAL_STATUSES, type Task } from '../shared/domain/task/task.ts';
import type { ChangeFeed } from './change-feed.ts';
import type { ChangesSince } from './ports/fleet.ts';
import type { TaskReader } from './ports/task-store.ts';

/** How many tasks are read at once. */
const TASKS_READ = 500;

export interface OthersChangesOptions {
  readonly store: Pick<TaskReader, 'tasks' | 'batch' | 'batches'>;
  readonly changes: ChangeFeed;
  /** Called with each take that another process has ended. */
  readonly onEnd: (task: Task) => void;
}

export class OthersChanges {
  readonly #options: OthersChangesOptions;
  /** Batches as they were last reported; undefined before anything was heard. */
  #known: Map<string, BatchRecord> | undefined;
  /** Batches whose sheets this process itself has changed since. */
  readonly #edited = new Set<string>();

  constructor(options: OthersChangesOptions) {
    this.#options = options;
    options.changes.listen((change) => {
      if (change.kind === 'sheet') this.#edited.add(change.batchId);
    });
  }

  /** Reports everything that was heard. What this process itself has committed is reported a second time. */
  async tell({ taskIds, revisions }: ChangesSince): Promise<void> {
    const { store, changes, onEnd } = this.#options;
    for (let at = 0; at < taskIds.length; at += TASKS_READ) {
      for (const task of await store.tasks(taskIds.slice(at, at + TASKS_READ))) {
        if (TERMINAL_STATUSES.has(task.status) && task.superseded !== true) onEnd(task);
        changes.tell({ kind: 'task', task, isAlmostDone: false, isAfterEnd: false });
      }
    }
    if (this.#known === undefined) {
      this.#known = new Map((await store.batches()).map((batch) => [batch.id, batch]));
      return;
    }
    for (const [id, revision] of revisions) {
      const before = this.#known.get(id);
      if (before?.revision === revision) continue;
      const batch = await store.batch(id);
      if (batch === undefined) continue;
      this.#known.set(id, batch);
      changes.tell({ kind: 'batch', batch });
      const isOwn = this.#edited.delete(id);
      if (before !== undefined && !isOwn && isOfSheet(before, batch)) {
        changes.tell({ kind: 'sheet', batchId: id, rows: undefined });
        this.#edited.delete(id);
      }
    }
    // What is missing has been removed for good.
    for (const batchId of this.#known.keys()) {
      if (revisions.has(batchId)) continue;
      this.#known.delete(batchId);
      changes.tell({ kind: 'removed', batchId });
    }
  }
}

/** Whether only the batch's sheet can have changed. */
function isOfSheet(before: BatchRecord, after: BatchRecord): boolean {
  return (
    before.state === after.state &&
    isDeepStrictEqual([before.settings, before.pause, before.stops], [after.settings, after.pause, after.stops])
  );
}
