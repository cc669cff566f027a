import type { Task } from '../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import type { ChangeAnnouncer } from './announcer.ts';
import { heedingClock } from './clock/clock-ahead.ts';
import type { FleetWork } from './fleet/fleet-work.ts';
import type { Flights } from './flights.ts';
import type { Night } from './night.ts';
import type { RowLinks } from './row-links.ts';

export interface TaskNewsOptions {
  readonly night: Night;
  readonly flights: Flights;
  readonly links: RowLinks;
  readonly announcer: ChangeAnnouncer;
  /** Only if other processes share the store. */
  readonly fleet: FleetWork | undefined;
  /** Requests a check of everything that is due, at once. */
  readonly wake: () => void;
  readonly trackForAll: (work: Promise<void>) => void;
}

/** What the night makes of a task's new state, whether it was committed here or by another process. */
export class TaskNews {
  readonly #options: TaskNewsOptions;

  constructor(options: TaskNewsOptions) {
    this.#options = options;
  }

  /** This process has committed a change of a task. */
  committed(task: Task, event: TaskEvent): void {
    const { night, flights, links, announcer } = this.#options;
    const { batches } = night;
    const batch = batches.all.get(task.batchId);
    // What is left to do in a batch does not depend on what is still running.
    const isQueueLonger = task.status === 'queued' || event.kind === 'made-again';
    if (event.kind !== 'still-running') batches.work.outdate(task.batchId, isQueueLonger);
    // A row that succeeds after its batch has ended frees the rows that failed because of it, but only the user can run
    // them.
    const isAfterEnd = batch?.record.state === 'finished';
    if (!(isAfterEnd && task.status === 'done') && task.superseded !== true) links.note(task, event);
    const isNews = task.status === 'done' && flights.active.get(task.id) !== undefined;
    if (isNews && batch !== undefined) night.times.learn(batch, task);
    if (batch !== undefined) batches.noteEnd(batch, flights.active.get(task.id), task);
    this.#take(task);
    if (batch !== undefined && (task.status === 'failed' || task.status === 'submit-unknown'))
      batch.isCanaryDoubted = true;
    if (event.kind === 'output-verified' && batch !== undefined) batch.isDiskDoubted = false;
    if (event.kind === 'cancel-requested' && task.status === 'cancelled') flights.giveUp(task.id);
    night.wake();
    announcer.announce(task, event, isAfterEnd);
  }

  /** Another change of a task won: reloads the task, without anybody waiting for it. */
  stale(taskId: number): void {
    const { wake, trackForAll } = this.#options;
    trackForAll(this.takeNewest([taskId]).then(() => wake()));
  }

  /** Reloads tasks from the store, and returns them; drops those that no longer exist. */
  async takeNewest(taskIds: readonly number[]): Promise<readonly Task[]> {
    if (taskIds.length === 0) return [];
    const { night, flights, fleet } = this.#options;
    const { active } = flights;
    const inFlight = new Set(taskIds.filter((id) => active.get(id) !== undefined));
    const newest = new Map((await night.store.tasks(taskIds)).map((task) => [task.id, task]));
    let isNews = false;
    for (const id of taskIds) {
      const task = newest.get(id);
      const now = active.get(id);
      // What was committed meanwhile is newer than this answer.
      const hasLeft = now === undefined && inFlight.has(id);
      if (task === undefined) flights.letGo(id);
      else if (!hasLeft && task.revision >= (now?.revision ?? 0)) {
        if (now !== undefined && task.revision > now.revision) this.#noteOthers(now, task);
        // It may have been the last thing that its batch waited for.
        if (now === undefined || task.revision > now.revision) isNews = true;
        this.#take(heedingClock(task, night.clock.now()));
        if (task.status === 'cancelled') flights.giveUp(id);
        if (fleet !== undefined) night.batches.work.outdate(task.batchId);
      }
    }
    if (isNews && fleet !== undefined) night.wake();
    return [...newest.values()];
  }

  /**
   * What another process has made of a task in flight here, such as fetching its files, counts as if it were made here.
   */
  #noteOthers(before: Task, task: Task): void {
    const { night, fleet } = this.#options;
    const batch = night.batches.all.get(task.batchId);
    if (batch === undefined || fleet === undefined) return;
    fleet.downloads?.noteFiles(batch, before, task);
    if (task.status === 'done') night.times.learn(batch, task);
    night.batches.noteEnd(batch, before, task);
  }

  /**
   * Records a task's newest state, if this process looks after the task: what another one has sent is not awaited here
   * before its batch is taken up.
   */
  #take(task: Task): void {
    const { night, flights } = this.#options;
    if (night.batches.all.get(task.batchId)?.accountOf(task).lane.right !== undefined) flights.take(task);
    else flights.letGo(task.id);
  }
}
