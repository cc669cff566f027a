import type { Money } from '../../shared/domain/base/money.ts';
import type { IdempotencyProof } from '../../shared/domain/task/key-probe.ts';
import type { LearnedCounts } from '../../shared/domain/gateway/learned/learned.ts';
import type { SeenStatus } from '../../shared/domain/gateway/seen-status.ts';
import { renderingMs, type Task } from '../../shared/domain/task/task.ts';
import { transition } from '../../shared/domain/task/task-machine.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import type {
  AttemptAnswer,
  AttemptIntent,
  CommitOutcome,
  LateAnswer,
  TaskChange,
  TaskRevision,
} from '../ports/task-change.ts';
import type { Clock } from '../ports/base.ts';
import type { RawAnswer } from '../ports/media-gateway.ts';
import type { TaskStore } from '../ports/task-store.ts';
import type { Fence } from '../ports/fleet.ts';
import { Alarm } from './clock/steady-clock.ts';

/**
 * Events that something waits for share a transaction if they come within this time; a commit takes everything that
 * waits.
 */
const GROUP_MS = 40;
/** This many events do not become cheaper by waiting for more. */
const GROUP_MANY = 16;
/**
 * An event that nobody waits for (a task is still running) may wait this long: if a kill loses it, the gateway is asked
 * again.
 */
const IDLE_GROUP_MS = 400;
/** How long to wait before retrying a commit that the disk refused. */
const STORE_RETRY_MS = 5_000;

/** An event and what is committed with it. */
export interface Entry {
  readonly taskId: number;
  readonly event: TaskEvent;
  readonly openAttempt?: AttemptIntent;
  /** Stale if one of these tasks has changed since. */
  readonly basis?: readonly TaskRevision[];
  readonly closeAttempt?: AttemptAnswer;
  readonly lateAnswer?: LateAnswer;
  readonly pollAnswer?: RawAnswer;
  readonly cost?: Money;
  readonly seen?: SeenStatus;
  readonly learned?: LearnedCounts;
  readonly proof?: IdempotencyProof;
  /** The right under which it was begun: see {@link TaskChange.under}. */
  readonly under?: Fence;
  /** See {@link TaskChange.terms}. */
  readonly terms?: NonNullable<TaskChange['terms']>;
  /** The task as the user saw it when deciding: refused if it belongs to another batch, or was submitted since. */
  readonly shown?: Pick<Task, 'batchId' | 'attempts'>;
  /** The task as it was when the event was decided, if it is not in flight: stale if it has changed since. */
  readonly asRead?: Task;
  /** Asked right before the commit: refused if it says no. */
  readonly isWanted?: () => boolean;
  /**
   * Completes the entry with what only the store knows: the queries of a group go together, and again if the disk
   * refuses.
   */
  readonly completed?: () => Promise<Partial<Omit<Entry, 'taskId' | 'completed'>>>;
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
  readonly store: Pick<TaskStore, 'tasks' | 'commit'>;
  readonly clock: Clock;
  /** The newest state of a task that is in flight, if any. */
  readonly current: (taskId: number) => Task | undefined;
  /** Called in order, after the commit. An exception in it is the listener's bug and changes nothing committed. */
  readonly onCommitted: (task: Task, event: TaskEvent, intent?: AttemptIntent) => void;
  /** The store's state of a task differs from the one in flight: the store's is the one to use. */
  readonly onStale: (taskId: number) => void;
  /** Another process has taken the account of this right. */
  readonly onLeaseLost?: (fence: Fence) => void;
  readonly onStoreFailed: (error: unknown) => void;
  readonly onBug: (error: unknown) => void;
  /** Whether the disk caused an exception in the store, so that it will pass. */
  readonly isRefusedByDisk: (error: unknown) => boolean;
}

/**
 * Every change of a task goes through here, in order: the event is applied to the task's newest state, and events are
 * committed in groups, in one transaction each, one after the other. If the disk refuses, the entries wait and are
 * tried again: an answer that was paid for is not forgotten while the process lives.
 */
export class TaskJournal {
  readonly #options: TaskJournalOptions;
  #waiting: Waiting[] = [];
  /** Entries that are no longer waiting because they are being committed. */
  #writing: readonly Waiting[] = [];
  /** The last commit that has begun: the next one waits for it. */
  #turn: Promise<void> = Promise.resolve();
  #isFlushing = false;
  #isCommitting = false;
  readonly #alarm: Alarm;
  /** What the disk said at its last refusal; undefined once it has taken a commit. */
  #refusal: { readonly error: unknown } | undefined;
  #isClosed = false;
  /** Entries with task codes that could not be committed because of a bug. */
  readonly #lost: Entry[] = [];
  /** What was still waiting when the night ended. */
  #unwritten: readonly Entry[] = [];

  constructor(options: TaskJournalOptions) {
    this.#options = options;
    this.#alarm = new Alarm(options.clock, () => this.flush());
  }

  /** True while the disk refuses commits: nothing new may start. */
  get isStoreFailed(): boolean {
    return this.#refusal !== undefined;
  }

  /** True once nothing more is written: the night has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True while the store may already know more than the night: a commit is under way. */
  get isCommitting(): boolean {
    return this.#isCommitting;
  }

  /** What was recorded and is not committed yet. */
  get waiting(): readonly Entry[] {
    return [...this.#writing, ...this.#waiting].map(({ entry }) => entry);
  }

  /** The same, and answers that were paid for and could not be committed, for whatever reason. */
  get unsaved(): readonly Entry[] {
    return [...this.#lost, ...this.waiting, ...this.#unwritten];
  }

  /** Resolves when every commit begun so far is through; never rejects. */
  get settled(): Promise<void> {
    return this.#turn;
  }

  /**
   * Records with the next group.
   * @param neededMs How long it may take before anybody waits for the result.
   */
  record(entry: Entry, neededMs = 0): Promise<Recorded> {
    if (this.#isClosed) {
      this.#keepCode(entry);
      return Promise.resolve({ kind: 'refused' });
    }
    return new Promise((resolve) => {
      this.#waiting.push({ entry, resolve });
      const groupMs = this.#waiting.length >= GROUP_MANY ? 0 : GROUP_MS;
      // Entries that the disk refused are tried again only after a while.
      const waitMs =
        this.#refusal === undefined ? Math.max(groupMs, Math.min(neededMs, IDLE_GROUP_MS)) : STORE_RETRY_MS;
      this.#alarm.set(waitMs);
    });
  }

  /**
   * Records without waiting for others, in one transaction with whatever waits, and returns the result of each entry.
   * Rejects if the store does: the entries are then not recorded, and the caller must not act on them.
   */
  recordNow(entries: readonly Entry[]): Promise<readonly Recorded[]> {
    return this.#inTurn(async () => {
      if (this.#isClosed) return entries.map((): Recorded => ({ kind: 'refused' }));
      const together = this.#refusal === undefined ? await this.#commitWithWaiting(entries) : undefined;
      if (together !== undefined) return together;
      await this.#commitWaiting();
      if (this.#isClosed) return entries.map((): Recorded => ({ kind: 'refused' }));
      if (this.#refusal !== undefined) throw this.#refusal.error;
      return this.#commit(entries);
    });
  }

  /**
   * Undefined if the store refused: either these entries or those that wait may be the cause, so the caller tries each
   * by itself.
   */
  async #commitWithWaiting(entries: readonly Entry[]): Promise<readonly Recorded[] | undefined> {
    this.#alarm.stop();
    const group = this.#waiting.splice(0);
    this.#writing = group;
    try {
      const recorded = await this.#commit([...group.map(({ entry }) => entry), ...entries]);
      settle(group, recorded);
      return recorded.slice(group.length);
    } catch (error) {
      if (group.length === 0) throw error;
      this.#waiting.unshift(...group);
      return undefined;
    } finally {
      this.#writing = [];
    }
  }

  async #commitWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return;
    this.#writing = this.#waiting.splice(0);
    await this.#commitGroup(this.#writing);
    this.#writing = [];
  }

  /** Commits what waits, once the commit under way is through. What the disk refuses stays and is tried again. */
  flush(): void {
    this.#alarm.stop();
    if (this.#isFlushing || this.#waiting.length === 0) return;
    this.#isFlushing = true;
    void this.#inTurn(async () => {
      this.#isFlushing = false;
      if (!this.#isClosed) await this.#commitWaiting();
    });
  }

  /** Stops writing: entries that wait are refused, and so are later ones. */
  close(): void {
    this.#isClosed = true;
    this.#alarm.stop();
    this.#refuse(this.#waiting.splice(0));
  }

  #refuse(group: readonly Waiting[]): void {
    this.#unwritten = [...this.#unwritten, ...group.map(({ entry }) => entry)];
    for (const { resolve } of group) resolve({ kind: 'refused' });
  }

  /** A task code that was paid for is reported if it is not written. */
  #keepCode(entry: Entry): void {
    if ('taskCode' in entry.event) this.#lost.push(entry);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  /** False if the disk refused: the entries then wait again. */
  async #commitGroup(group: readonly Waiting[]): Promise<boolean> {
    let recorded: readonly Recorded[];
    try {
      recorded = await this.#commit(group.map(({ entry }) => entry));
    } catch (error) {
      return this.#keepOrGiveUp(group, error);
    }
    this.#refusal = undefined;
    settle(group, recorded);
    return true;
  }

  /**
   * Entries that the disk refuses are tried again. A bug lies in a single entry: the others can be committed without
   * it.
   */
  async #keepOrGiveUp(group: readonly Waiting[], error: unknown): Promise<boolean> {
    const { isRefusedByDisk, onStoreFailed, onBug } = this.#options;
    if (isRefusedByDisk(error)) {
      this.#writing = [];
      if (this.#isClosed) {
        this.#refuse(group);
        return false;
      }
      // What was recorded in the meantime comes after the group.
      this.#waiting.unshift(...group);
      this.#refusal = { error };
      this.#alarm.stop();
      this.#alarm.set(STORE_RETRY_MS);
      onStoreFailed(error);
      return false;
    }
    const [only] = group;
    if (group.length === 1 && only !== undefined) {
      onBug(error);
      this.#keepCode(only.entry);
      only.resolve({ kind: 'refused' });
      return true;
    }
    for (const [i, one] of group.entries()) {
      if (await this.#commitGroup([one])) continue;
      // The refused entry is now the first that waits; those behind it stay behind it.
      if (this.#isClosed) this.#refuse(group.slice(i + 1));
      else this.#waiting.splice(1, 0, ...group.slice(i + 1));
      return false;
    }
    return true;
  }

  /** Commits a group and reports it before anything else happens. */
  async #commit(entries: readonly Entry[]): Promise<readonly Recorded[]> {
    this.#isCommitting = true;
    try {
      const recorded = await this.#write(entries);
      this.#tell(entries, recorded);
      return recorded;
    } finally {
      this.#isCommitting = false;
    }
  }

  async #write(given: readonly Entry[]): Promise<readonly Recorded[]> {
    const { store } = this.#options;
    const [stored, entries] = await Promise.all([this.#storedOf(given), completed(given)]);
    const changes = this.#changesOf(entries, stored);
    const writable = changes.filter((change) => change !== undefined);
    const outcomes = writable.length === 0 ? [] : await store.commit(writable);
    let i = 0;
    return changes.map((change): Recorded => {
      if (change === undefined) return { kind: 'refused' };
      const outcome = outcomes[i++];
      if (outcome === undefined) throw new Error('The store gave fewer outcomes than changes.');
      return outcome === 'committed' ? { kind: 'committed', task: change.next } : { kind: outcome };
    });
  }

  /** The tasks of entries that are neither in flight nor were read for their entry. */
  async #storedOf(entries: readonly Entry[]): Promise<ReadonlyMap<number, Task>> {
    const { store, current } = this.#options;
    const unknown = entries.filter(({ taskId, asRead }) => asRead === undefined && current(taskId) === undefined);
    if (unknown.length === 0) return new Map();
    const stored = await store.tasks([...new Set(unknown.map(({ taskId }) => taskId))]);
    return new Map(stored.map((task) => [task.id, task]));
  }

  /** Each event applied to the newest state of its task, in order; undefined if it does not fit. */
  #changesOf(entries: readonly Entry[], stored: ReadonlyMap<number, Task>): readonly (TaskChange | undefined)[] {
    const { clock, current } = this.#options;
    const at = clock.now();
    const newest = new Map<number, Task>();
    return entries.map((entry) => {
      const { taskId, event, shown, asRead, isWanted, completed: _, ...rest } = entry;
      const task = newest.get(taskId) ?? current(taskId) ?? asRead ?? stored.get(taskId);
      if (task === undefined || (shown !== undefined && !isAsShown(task, shown))) return undefined;
      if (isWanted?.() === false) return undefined;
      const next = transition(task, event, at);
      if (!next.ok) return undefined;
      newest.set(taskId, next.value);
      // Only a verified file proves that the rendering had ended.
      const completionMs = next.value.status === 'done' && task.status !== 'done' ? renderingMs(next.value) : undefined;
      const learned = completionMs === undefined ? {} : { completionMs };
      return { expectedRevision: task.revision, next: next.value, event, at, ...rest, ...learned };
    });
  }

  /** A commit stands, whatever its listeners do. */
  #tell(entries: readonly Entry[], recorded: readonly Recorded[]): void {
    const { onCommitted, onStale, onLeaseLost, onBug } = this.#options;
    entries.forEach(({ taskId, event, openAttempt, under }, i) => {
      const outcome = recorded[i];
      try {
        if (outcome?.kind === 'committed') onCommitted(outcome.task, event, openAttempt);
        if (outcome?.kind === 'stale') onStale(taskId);
        if (outcome?.kind === 'lease-lost' && under !== undefined) onLeaseLost?.(under);
      } catch (error) {
        onBug(error);
      }
    });
  }
}

function settle(group: readonly Waiting[], recorded: readonly Recorded[]): void {
  group.forEach(({ resolve }, i) => {
    const outcome = recorded[i];
    if (outcome !== undefined) resolve(outcome);
  });
}

/** The entries, completed; at once if none has anything to ask. */
function completed(entries: readonly Entry[]): readonly Entry[] | Promise<readonly Entry[]> {
  if (entries.every((entry) => entry.completed === undefined)) return entries;
  return Promise.all(entries.map(async (entry) => ({ ...entry, ...(await entry.completed?.()) })));
}

function isAsShown(task: Task, shown: Pick<Task, 'batchId' | 'attempts'>): boolean {
  return task.batchId === shown.batchId && task.attempts === shown.attempts;
}
