import type { Task } from '../../shared/domain/task.ts';
import { transition, type TaskEvent } from '../../shared/domain/task-machine.ts';
import type { AttemptAnswer, AttemptIntent, Clock, CommitOutcome, RawAnswer, TaskChange, TaskStore } from '../ports.ts';

/** Events that arrive within this time share one transaction: grouping makes `synchronous=FULL` free (measured). */
const GROUP_MS = 20;
/** How long to wait before a commit that the disk refused is tried again. */
const STORE_RETRY_MS = 5_000;

/** An event and what is committed with it. */
export interface Entry {
  readonly taskId: number;
  readonly event: TaskEvent;
  readonly openAttempt?: AttemptIntent;
  readonly closeAttempt?: AttemptAnswer;
  readonly pollAnswer?: RawAnswer;
  readonly completionMs?: number;
}

/** `refused`: the event does not belong to the task's status any more; nothing was written. */
export type Recorded =
  | { readonly kind: 'committed'; readonly task: Task }
  | { readonly kind: Exclude<CommitOutcome, 'committed'> | 'refused' };

interface Waiting {
  readonly entry: Entry;
  readonly resolve: (recorded: Recorded) => void;
}

/**
 * Where every change of a task goes through, in order: the event is applied to the task's newest state, and a group of
 * them is committed as one transaction. When the disk refuses, the entries wait and are tried again: an answer that was
 * paid for is not forgotten while the process lives.
 */
export class TaskJournal {
  readonly #store: TaskStore;
  readonly #clock: Clock;
  readonly #current: (taskId: number) => Task | undefined;
  readonly #onCommitted: (task: Task, event: TaskEvent) => void;
  readonly #onStoreFailed: (error: unknown) => void;
  #waiting: Waiting[] = [];
  #cancelTimer: (() => void) | undefined;
  #storeFailed = false;

  constructor(options: {
    readonly store: TaskStore;
    readonly clock: Clock;
    /** The newest state of a task that is in flight, where there is one. */
    readonly current: (taskId: number) => Task | undefined;
    /** Called in order, after the commit. */
    readonly onCommitted: (task: Task, event: TaskEvent) => void;
    readonly onStoreFailed: (error: unknown) => void;
  }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#current = options.current;
    this.#onCommitted = options.onCommitted;
    this.#onStoreFailed = options.onStoreFailed;
  }

  /** True while the disk refuses commits: nothing new may be started. */
  get isStoreFailed(): boolean {
    return this.#storeFailed;
  }

  /** Records with the next group. */
  record(entry: Entry): Promise<Recorded> {
    return new Promise((resolve) => {
      this.#waiting.push({ entry, resolve });
      this.#cancelTimer ??= this.#clock.setTimer(GROUP_MS, () => {
        this.flush();
      });
    });
  }

  /**
   * Records at once, in one transaction with whatever waits, and says what became of each. Throws when the store does:
   * the entries are then not recorded and the caller must not act on them.
   */
  recordNow(entries: readonly Entry[]): readonly Recorded[] {
    this.flush();
    if (this.#storeFailed) throw new Error('The store cannot be written.');
    return this.#commit(entries);
  }

  /** Commits what waits. What the disk refuses stays, and is tried again. */
  flush(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    let recorded: readonly Recorded[];
    try {
      recorded = this.#commit(waiting.map((w) => w.entry));
      this.#storeFailed = false;
    } catch (error) {
      this.#waiting = [...waiting, ...this.#waiting];
      this.#storeFailed = true;
      this.#cancelTimer = this.#clock.setTimer(STORE_RETRY_MS, () => {
        this.flush();
      });
      this.#onStoreFailed(error);
      return;
    }
    waiting.forEach(({ resolve }, i) => {
      const outcome = recorded[i];
      if (outcome !== undefined) resolve(outcome);
    });
  }

  #commit(entries: readonly Entry[]): readonly Recorded[] {
    const at = this.#clock.now();
    const newest = new Map<number, Task>();
    const changes: (TaskChange | undefined)[] = entries.map((entry) => {
      const { taskId, event, ...rest } = entry;
      const task = newest.get(taskId) ?? this.#current(taskId) ?? this.#store.task(taskId);
      if (task === undefined) return undefined;
      const next = transition(task, event, at);
      if (!next.ok) return undefined;
      newest.set(taskId, next.value);
      return { expectedRevision: task.revision, next: next.value, event, at, ...rest };
    });
    const writable = changes.filter((change) => change !== undefined);
    const outcomes = writable.length === 0 ? [] : this.#store.commit(writable);
    let i = 0;
    const recorded = changes.map((change): Recorded => {
      if (change === undefined) return { kind: 'refused' };
      const outcome = outcomes[i++];
      if (outcome === undefined) throw new Error('The store gave fewer outcomes than changes.');
      return outcome === 'committed' ? { kind: 'committed', task: change.next } : { kind: outcome };
    });
    recorded.forEach((outcome, n) => {
      const entry = entries[n];
      if (outcome.kind === 'committed' && entry !== undefined) this.#onCommitted(outcome.task, entry.event);
    });
    return recorded;
  }
}
