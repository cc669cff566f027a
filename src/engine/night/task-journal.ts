import type { SeenStatus } from '../../shared/domain/gateway/seen-status.ts';
import { renderingMs, type Task } from '../../shared/domain/task/task.ts';
import { transition } from '../../shared/domain/task/task-machine.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import type { AttemptAnswer, AttemptIntent, Clock, CommitOutcome, RawAnswer, TaskChange, TaskStore } from '../ports.ts';

/** Events that arrive within this time share one transaction: grouping makes `synchronous=FULL` free (measured). */
const GROUP_MS = 20;
/** How long to wait before retrying a commit that the disk refused. */
const STORE_RETRY_MS = 5_000;

/** An event and what is committed with it. */
export interface Entry {
  readonly taskId: number;
  readonly event: TaskEvent;
  readonly openAttempt?: AttemptIntent;
  readonly closeAttempt?: AttemptAnswer;
  readonly pollAnswer?: RawAnswer;
  readonly seen?: SeenStatus;
  /** The task as the user saw it when deciding: refused if it belongs to another batch, or was submitted since. */
  readonly shown?: Pick<Task, 'batchId' | 'attempts'>;
}

/** `refused`: the event no longer fits the task's status; nothing was written. */
export type Recorded =
  | { readonly kind: 'committed'; readonly task: Task }
  | { readonly kind: Exclude<CommitOutcome, 'committed'> | 'refused' };

interface Waiting {
  readonly entry: Entry;
  readonly resolve: (recorded: Recorded) => void;
}

export interface TaskJournalOptions {
  readonly store: Pick<TaskStore, 'task' | 'commit'>;
  readonly clock: Clock;
  /** The newest state of a task that is in flight, if any. */
  readonly current: (taskId: number) => Task | undefined;
  /** Called in order, after the commit. An exception in it is the listener's bug and changes nothing committed. */
  readonly onCommitted: (task: Task, event: TaskEvent) => void;
  /** The store has a different state of a task than the one in flight: the store's is the one to use. */
  readonly onStale: (taskId: number) => void;
  readonly onStoreFailed: (error: unknown) => void;
  readonly onBug: (error: unknown) => void;
  /** Whether the disk caused an exception of the store, so that it passes. */
  readonly isRefusedByDisk: (error: unknown) => boolean;
}

/**
 * Every change of a task goes through here, in order: the event is applied to the task's newest state, and events are
 * committed in groups, one transaction each. If the disk refuses, the entries wait and are tried again: an answer that
 * was paid for is not forgotten while the process lives.
 */
export class TaskJournal {
  readonly #options: TaskJournalOptions;
  #waiting: Waiting[] = [];
  #cancelTimer: (() => void) | undefined;
  /** What the disk said at its last refusal; undefined once it has taken a commit. */
  #refusal: { readonly error: unknown } | undefined;
  #isClosed = false;

  constructor(options: TaskJournalOptions) {
    this.#options = options;
  }

  /** True while the disk refuses commits: nothing new may start. */
  get isStoreFailed(): boolean {
    return this.#refusal !== undefined;
  }

  /** What was recorded and is not committed yet. */
  get waiting(): readonly Entry[] {
    return this.#waiting.map(({ entry }) => entry);
  }

  /** Records with the next group. */
  record(entry: Entry): Promise<Recorded> {
    if (this.#isClosed) return Promise.resolve({ kind: 'refused' });
    return new Promise((resolve) => {
      this.#waiting.push({ entry, resolve });
      this.#flushAfter(GROUP_MS);
    });
  }

  /**
   * Records at once, in one transaction with whatever waits, and returns the result of each. Throws if the store does:
   * then the entries are not recorded and the caller must not act on them.
   */
  recordNow(entries: readonly Entry[]): readonly Recorded[] {
    this.flush();
    if (this.#refusal !== undefined) throw this.#refusal.error;
    const recorded = this.#commit(entries);
    this.#tell(entries, recorded);
    return recorded;
  }

  /** Commits what waits. What the disk refuses stays, and is tried again. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isClosed || this.#waiting.length === 0) return;
    this.#commitGroup(this.#waiting.splice(0));
  }

  /** Stops writing; later records are refused. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #commitGroup(group: readonly Waiting[]): void {
    const entries = group.map(({ entry }) => entry);
    let recorded: readonly Recorded[];
    try {
      recorded = this.#commit(entries);
    } catch (error) {
      this.#keepOrGiveUp(group, error);
      return;
    }
    this.#refusal = undefined;
    this.#tell(entries, recorded);
    group.forEach(({ resolve }, i) => {
      const outcome = recorded[i];
      if (outcome !== undefined) resolve(outcome);
    });
  }

  /** What the disk refuses is tried again. A bug lies in a single entry: without it the others can be committed. */
  #keepOrGiveUp(group: readonly Waiting[], error: unknown): void {
    const { isRefusedByDisk, onStoreFailed, onBug } = this.#options;
    if (isRefusedByDisk(error)) {
      this.#waiting.push(...group);
      this.#refusal = { error };
      this.#flushAfter(STORE_RETRY_MS);
      onStoreFailed(error);
      return;
    }
    const [only] = group;
    if (group.length > 1 || only === undefined) {
      for (const one of group) this.#commitGroup([one]);
      return;
    }
    onBug(error);
    only.resolve({ kind: 'refused' });
  }

  #flushAfter(delayMs: number): void {
    this.#cancelTimer ??= this.#options.clock.setTimer(delayMs, () => {
      this.flush();
    });
  }

  #commit(entries: readonly Entry[]): readonly Recorded[] {
    const { store, clock, current } = this.#options;
    const at = clock.now();
    const newest = new Map<number, Task>();
    const changes: (TaskChange | undefined)[] = entries.map((entry) => {
      const { taskId, event, shown, ...rest } = entry;
      const task = newest.get(taskId) ?? current(taskId) ?? store.task(taskId);
      if (task === undefined || (shown !== undefined && !isAsShown(task, shown))) return undefined;
      const next = transition(task, event, at);
      if (!next.ok) return undefined;
      newest.set(taskId, next.value);
      // Only a verified file proves that the rendering had ended.
      const completionMs = next.value.status === 'done' && task.status !== 'done' ? renderingMs(next.value) : undefined;
      const learned = completionMs === undefined ? {} : { completionMs };
      return { expectedRevision: task.revision, next: next.value, event, at, ...rest, ...learned };
    });
    const writable = changes.filter((change) => change !== undefined);
    const outcomes = writable.length === 0 ? [] : store.commit(writable);
    let i = 0;
    return changes.map((change): Recorded => {
      if (change === undefined) return { kind: 'refused' };
      const outcome = outcomes[i++];
      if (outcome === undefined) throw new Error('The store gave fewer outcomes than changes.');
      return outcome === 'committed' ? { kind: 'committed', task: change.next } : { kind: outcome };
    });
  }

  /** A commit stands, whatever its listeners do. */
  #tell(entries: readonly Entry[], recorded: readonly Recorded[]): void {
    const { onCommitted, onStale, onBug } = this.#options;
    entries.forEach(({ taskId, event }, i) => {
      const outcome = recorded[i];
      try {
        if (outcome?.kind === 'committed') onCommitted(outcome.task, event);
        if (outcome?.kind === 'stale') onStale(taskId);
      } catch (error) {
        onBug(error);
      }
    });
  }
}

function isAsShown(task: Task, shown: Pick<Task, 'batchId' | 'attempts'>): boolean {
  return task.batchId === shown.batchId && task.attempts === shown.attempts;
}
