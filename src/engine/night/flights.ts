import { deadlineMs, nextAction } from '../../shared/domain/task/next-action.ts';
import { assertNever } from '../../shared/domain/base/result.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import { ActiveTasks } from './active-tasks.ts';
import { askAgain, mayAsk } from './charges/ask-again.ts';
import { DueHeap } from './due-heap.ts';
import { landOutput } from './fetch-step.ts';
import type { Lane } from './lanes.ts';
import type { Night } from './night.ts';
import type { NightAccount } from './batches/night-account.ts';
import type { NightBatch } from './batches/night-batch.ts';
import { declareOverdue, pollTask } from './poll-step.ts';
import { Fronts } from './polls/fronts.ts';
import type { SteadyClock } from './clock/steady-clock.ts';

/**
 * After a leap of the clock, or a pause in which nothing could be asked, every task is polled for this long, whatever
 * its deadline: late ones every 10 min.
 */
const ASKED_ON_MS = 3_600_000;

/** The tasks of a night that are in flight: when each is due, and the one request that may be under way for it. */
export class Flights {
  readonly active = new ActiveTasks();
  readonly fronts: Fronts;
  readonly #heap = new DueHeap();
  readonly #clock: SteadyClock;
  /** Aborts the request under way for a task. */
  readonly #underWay = new Map<number, AbortController>();
  /** Due tasks that wait for budget, a slot or the end of a pause: checked again at every tick. */
  readonly #held = new Set<number>();

  constructor(clock: SteadyClock, laneOf: (task: Task) => Lane | undefined) {
    this.#clock = clock;
    this.fronts = new Fronts(clock, laneOf);
  }

  /** Records a task's newest state. */
  take(task: Task): void {
    if (this.active.put(task)) this.#heap.set(task.id, task.dueAt);
    else this.#heap.delete(task.id);
    this.fronts.take(task);
  }

  /** Drops a task that no longer exists. */
  letGo(taskId: number): void {
    this.active.remove(taskId);
    this.#heap.delete(taskId);
    this.fronts.letGo(taskId);
  }

  /** Schedules the tasks of a batch for when they are due, including those held back. */
  lookAgain(batchId: string): void {
    for (const task of this.active.ofBatch(batchId)) {
      this.#heap.set(task.id, task.dueAt);
      if (!this.#underWay.has(task.id)) this.fronts.asked(task.id);
    }
  }

  /** When the first task is due, or is asked about before that; undefined if there is none. */
  nextDueAt(): number | undefined {
    const [dueAt, lookAt] = [this.#heap.nextDueAt(), this.fronts.nextAt()];
    return dueAt === undefined || lookAt === undefined ? (dueAt ?? lookAt) : Math.min(dueAt, lookAt);
  }

  /** How many tasks at a gateway are being asked about, or are due to be, as far as `mayPoll` allows. */
  toAsk(mayPoll: (task: Task) => boolean): number {
    const ids = new Set([...this.#underWay.keys(), ...this.#held]);
    return [...ids].filter((id) => {
      const task = this.active.get(id);
      return task?.status === 'rendering' && mayPoll(task);
    }).length;
  }

  isUnderWay(taskId: number): boolean {
    return this.#underWay.has(taskId);
  }

  /** Aborts the request under way for a task, or for all tasks. */
  giveUp(taskId?: number): void {
    if (taskId !== undefined) this.#underWay.get(taskId)?.abort();
    else for (const controller of this.#underWay.values()) controller.abort();
  }

  /** Carries out what is due. */
  startDue(night: Night): void {
    const now = this.#clock.now();
    for (const id of this.#held) {
      const task = this.active.get(id);
      if (task !== undefined) this.#heap.set(id, task.dueAt);
    }
    this.#held.clear();
    for (let id = this.#heap.takeDue(now); id !== undefined; id = this.#heap.takeDue(now)) {
      const task = this.active.get(id);
      const batch = task === undefined ? undefined : night.batches.all.get(task.batchId);
      if (task === undefined || batch === undefined || this.#underWay.has(id)) continue;
      try {
        if (!this.#start(night, batch, task, now)) this.#held.add(id);
      } catch (error) {
        this.#held.add(id);
        night.batches.stumble([batch], error);
      }
    }
    this.fronts.startDue((id) => this.#askEarly(night, id, now));
  }

  /** False if the task has to wait for budget. A task that may not be asked about at all is skipped. */
  #askEarly(night: Night, id: number, now: number): boolean {
    const task = this.active.get(id);
    const batch = task === undefined ? undefined : night.batches.all.get(task.batchId);
    if (task === undefined || batch === undefined || this.#underWay.has(id)) return true;
    if (!batch.allowedAt(batch.accountOf(task)).poll) return true;
    try {
      return this.#start(night, batch, { ...task, dueAt: Math.min(task.dueAt, now) }, now);
    } catch (error) {
      night.batches.stumble([batch], error);
      return false;
    }
  }

  /** False if the task has to wait for budget, a slot or the end of a pause. */
  #start(night: Night, batch: NightBatch, task: Task, now: number): boolean {
    const account = batch.accountOf(task);
    const { profile, lane } = account;
    const allowed = batch.allowedAt(account);
    const action = nextAction(task, now, this.#deadlineMs(account));
    if ((action.kind === 'poll' || action.kind === 'declare-overdue') && !allowed.poll) {
      account.unaskedAt = this.#clock.monotonic();
      return false;
    }
    switch (action.kind) {
      case 'poll':
        if (!lane.budget.tryTake(this.#clock.monotonic())) return false;
        this.fronts.asking(task.id);
        this.#begin(night, batch, task.id, () => pollTask(night, batch, task));
        return true;
      case 'fetch': {
        const output = task.outputs.find((o) => o.index === action.outputIndex);
        if (output === undefined || !allowed.download) return false;
        const { downloads } = night;
        const waitMs = downloads?.waitMs(batch, task, output) ?? 0;
        if (waitMs > 0) {
          this.#heap.set(task.id, now + waitMs);
          return true;
        }
        if (batch.downloads >= profile.limits.downloads) return false;
        this.download(night, batch, task.id, (signal) =>
          downloads === undefined
            ? landOutput(night, batch, task, output, { signal })
            : downloads.fetch(batch, task, output, signal),
        );
        return true;
      }
      case 'ask-again':
        if (!mayAsk(night, batch, task) || !lane.budget.tryTake(this.#clock.monotonic())) return false;
        this.#begin(night, batch, task.id, () => askAgain(night, batch, task));
        return true;
      case 'declare-overdue':
        this.#begin(night, batch, task.id, () => declareOverdue(night, batch, task));
        return true;
      case 'wait':
        this.#heap.set(task.id, action.until);
        return true;
      case 'submit':
      case 'declare-unknown':
      case 'none':
        return true;
      default:
        return assertNever(action);
    }
  }

  /**
   * How long after its submit a task is overdue. None is overdue for a while after the start, a leap of the clock, or a
   * pause in which nothing was asked: Nocturne first has to ask about what finished in the meantime.
   */
  #deadlineMs(account: NightAccount): number {
    const ms = deadlineMs(account.profile);
    const askedMs = this.#clock.monotonic() - account.unaskedAt;
    const isAskedFirst = Math.min(this.#clock.steadyMs(), askedMs) < Math.min(ASKED_ON_MS, ms);
    return isAskedFirst ? Number.POSITIVE_INFINITY : ms;
  }

  /** Begins a download of a batch, even for a task that another process looks after. */
  download(night: Night, batch: NightBatch, taskId: number, work: (signal: AbortSignal) => Promise<void>): void {
    batch.downloads += 1;
    this.#begin(night, batch, taskId, (signal) =>
      work(signal).finally(() => {
        batch.downloads -= 1;
        night.wake();
      }),
    );
  }

  #begin(night: Night, batch: NightBatch, taskId: number, work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    this.#underWay.set(taskId, controller);
    night.track(
      batch,
      work(controller.signal).finally(() => {
        this.#underWay.delete(taskId);
        this.fronts.asked(taskId);
        const newest = this.active.get(taskId);
        if (newest !== undefined) this.#heap.set(newest.id, newest.dueAt);
      }),
    );
  }
}
