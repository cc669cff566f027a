import type { FrontLook } from '../../../shared/domain/gateway/front-look.ts';
import type { PollVerdict } from '../../../shared/domain/gateway/poll-outcome.ts';
import { QueueFront, type Sighting } from '../../../shared/domain/gateway/queue-front.ts';
import { assertNever } from '../../../shared/domain/base/result.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { Clock } from '../../ports/base.ts';
import type { Lane } from '../lanes.ts';

/**
 * The queues at the gateways of a night, one for each lane and operation. They say which task to ask about before it is
 * due by itself.
 */
export class Fronts {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #laneOf: (task: Task) => Lane | undefined;
  readonly #all = new Set<QueueFront>();
  readonly #ofTask = new Map<number, QueueFront>();
  /** Queues whose next look has to wait: looked at again at the next tick. */
  readonly #held = new Set<QueueFront>();
  /** Tasks that were asked about and have no answer yet. */
  readonly #asking = new Set<number>();
  /** Tasks that wait long because their front says when to ask about them, until that is committed. */
  readonly #relying = new Set<number>();

  constructor(clock: Pick<Clock, 'now'>, laneOf: (task: Task) => Lane | undefined) {
    this.#clock = clock;
    this.#laneOf = laneOf;
  }

  /** Records a task's newest state. */
  take(task: Task): void {
    const { id, status, superseded, submittedAt, dueAt } = task;
    if (status !== 'rendering' || superseded === true || submittedAt === undefined) {
      this.letGo(id);
      return;
    }
    const known = this.#ofTask.get(id);
    const front = known ?? this.#frontFor(task);
    if (front === undefined) return;
    if (known === undefined) {
      this.#ofTask.set(id, front);
      front.accepted(id, submittedAt, dueAt, this.#clock.now());
    }
    // The front was given up while the answer was being committed.
    if (this.#relying.delete(id) && !front.decides(id)) front.askSoon(id);
  }

  letGo(taskId: number): void {
    this.#ofTask.get(taskId)?.forget(taskId, this.#clock.now());
    this.#ofTask.delete(taskId);
    this.#relying.delete(taskId);
  }

  asking(taskId: number): void {
    this.#asking.add(taskId);
    this.#ofTask.get(taskId)?.asking(taskId);
  }

  /** A request has ended, perhaps without an answer. */
  asked(taskId: number): void {
    const front = this.#ofTask.get(taskId);
    // If only its answer was still being recorded, the front already knows that answer.
    if (this.#asking.delete(taskId)) front?.answered(taskId, 'nothing', this.#clock.now());
    else front?.released(taskId);
  }

  answered(taskId: number, verdict: PollVerdict): void {
    this.#asking.delete(taskId);
    this.#ofTask.get(taskId)?.answered(taskId, sightingOf(verdict), this.#clock.now());
  }

  /** After how long a task is asked about anyway, if the front of its queue says when to ask; otherwise undefined. */
  longestMs(task: Task): number | undefined {
    const front = this.#ofTask.get(task.id) ?? this.#frontFor(task);
    if (front?.decides(task.id) !== true) return undefined;
    this.#relying.add(task.id);
    return front.longestMs;
  }

  /** When the first look is due; undefined if there is none that could be carried out. */
  nextAt(): number | undefined {
    const now = this.#clock.now();
    let first: number | undefined;
    for (const front of this.#all) {
      const at = this.#held.has(front) ? undefined : front.next(now)?.at;
      if (at !== undefined && (first === undefined || at < first)) first = at;
    }
    return first;
  }

  /** Carries out what is due; `ask` returns false if that has to wait for budget or the end of a pause. */
  startDue(ask: (taskId: number) => boolean): void {
    const now = this.#clock.now();
    this.#held.clear();
    for (const front of this.#all) {
      for (let look = dueLook(front, now); look !== undefined; look = dueLook(front, now)) {
        if (!ask(look.id)) {
          this.#held.add(front);
          break;
        }
        front.asking(look.id);
      }
    }
  }

  #frontFor(task: Task): QueueFront | undefined {
    const { operation } = task;
    const fronts = this.#laneOf(task)?.fronts;
    if (fronts === undefined) return undefined;
    const front = fronts.get(operation) ?? new QueueFront();
    fronts.set(operation, front);
    this.#all.add(front);
    return front;
  }
}

function dueLook(front: QueueFront, now: number): FrontLook | undefined {
  const look = front.next(now);
  return look !== undefined && look.at <= now ? look : undefined;
}

/** A task that looks ended is no longer in the gateway's queue, even if Nocturne waits for its media. */
function sightingOf(verdict: PollVerdict): Sighting {
  switch (verdict.kind) {
    case 'running':
      if (verdict.askAgainMs !== undefined) return 'ended';
      return verdict.phase === 'queued' || verdict.phase === 'running' ? verdict.phase : 'unfinished';
    case 'rendered':
    case 'data':
    case 'failed':
      return 'ended';
    case 'poll-error':
    case 'pause':
      return 'nothing';
    default:
      return assertNever(verdict);
  }
}
