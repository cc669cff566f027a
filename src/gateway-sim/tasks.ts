import { createHash } from 'node:crypto';
import type { JsonObject } from '../shared/domain/base/json.ts';
import type { Family, Operation, OperationPath } from '../shared/domain/operations/operations.ts';
import type { Behaviour, DurationLaw } from './faults/behaviour.ts';
import { scoped } from './faults/behaviour.ts';
import { drawSeconds, hash32, SeededRandom } from './random.ts';

/** The task of one charged submit. Times are milliseconds since the epoch, by the gateway's clock. */
export interface GatewayTask {
  /** Counted from 1, in the order of the charges. */
  readonly seq: number;
  readonly code: string;
  readonly operation: Operation;
  readonly body: JsonObject;
  /** The seed of everything drawn for this task, independent of the order in which submits arrive. */
  readonly seed: number;
  readonly submittedAt: number;
  readonly startsAt: number;
  readonly finishesAt: number;
  /** The gateway's failure message, if the task is bound to fail. */
  readonly failure?: string;
  /** Its pictures and films are black. */
  readonly isBlack: boolean;
  /** How many polls have asked about it. */
  polls: number;
  /** How often each of its files was requested, by index. */
  readonly downloads: number[];
  /** The version of each of its files, by index: 0 until one is replaced. */
  readonly versions: number[];
}

export type TaskState = 'queued' | 'running' | 'succeeded' | 'failed';

/** The state of a task at a time: computed, so that no task needs a timer. */
export function stateOf(task: GatewayTask, now: number): TaskState {
  if (now < task.startsAt) return 'queued';
  if (now < task.finishesAt) return 'running';
  return task.failure === undefined ? 'succeeded' : 'failed';
}

const DATA_LAW: DurationLaw = { law: 'uniform', minSeconds: 2, maxSeconds: 6 };
const MUSIC_LAW: DurationLaw = { law: 'lognormal', medianSeconds: 60, sigma: 0.35 };
const VIDEO_LAW: DurationLaw = { law: 'lognormal', medianSeconds: 120, sigma: 0.4 };

/** Default durations, similar to those observed at such gateways. */
const USUAL_LAWS: Readonly<Record<OperationPath, DurationLaw>> = {
  'musicgen/music/generate': MUSIC_LAW,
  'videogen-a/video/generate': VIDEO_LAW,
  'videogen-b/video/generate': VIDEO_LAW,
  'musicgen/music/persona': DATA_LAW,
  'musicgen/music/concat': { law: 'uniform', minSeconds: 15, maxSeconds: 30 },
  'musicgen/music/lyrics': DATA_LAW,
  'musicgen/music/upload': DATA_LAW,
  'musicgen/music/upsampleTags': DATA_LAW,
  'musicgen/music/downbeats': DATA_LAW,
  'musicgen/music/timing': DATA_LAW,
  'musicgen/music/wav': { law: 'uniform', minSeconds: 8, maxSeconds: 20 },
  'musicgen/music/mp4': { law: 'uniform', minSeconds: 20, maxSeconds: 45 },
  'videogen-b/image/generate': { law: 'lognormal', medianSeconds: 20, sigma: 0.3 },
};

export interface NewTask {
  readonly operation: Operation;
  readonly body: JsonObject;
  readonly bodySha256: string;
  readonly now: number;
  readonly failure: string | undefined;
  readonly isBlack?: boolean;
  /** Whose places it takes; by default, those shared by all. */
  readonly owner?: string;
}

/** All tasks of a gateway, and the slots in which they are rendered. */
export class TaskBook {
  readonly #seed: number;
  readonly #byCode = new Map<string, GatewayTask>();
  readonly #bySeq: GatewayTask[] = [];
  readonly #occurrences = new Map<string, number>();
  /** For each queue: when each of its slots becomes free. */
  readonly #slots = new Map<string, number[]>();
  /** For each owner and family: when its unfinished tasks end; pruned when read. */
  readonly #active = new Map<string, readonly number[]>();

  constructor(seed: number) {
    this.#seed = seed;
  }

  /** Makes the task of a charged submit and plans its rendering. */
  add(submit: NewTask, behaviour: Behaviour): GatewayTask {
    const { operation, body, now, failure, isBlack = false, owner = '' } = submit;
    const occurrence = this.timesSeen(operation, submit.bodySha256) + 1;
    this.#occurrences.set(`${operation.path}/${submit.bodySha256}`, occurrence);
    const seed = hash32(this.#seed, operation.path, submit.bodySha256, occurrence);
    const { startsAt, finishesAt } = this.#plan(operation, behaviour, seed, now);
    const { activePerFamily, scope } = behaviour.limits;
    if (activePerFamily !== null || scope === 'key') {
      const places = placesOf(owner, operation.family);
      this.#active.set(places, [...(this.#active.get(places) ?? []), finishesAt]);
    }
    const task: GatewayTask = {
      seq: this.#bySeq.length + 1,
      code: taskCode(behaviour.taskCode.form, `${this.#seed}/${operation.path}/${submit.bodySha256}/${occurrence}`),
      operation,
      body,
      seed,
      submittedAt: now,
      startsAt,
      finishesAt,
      ...(failure === undefined ? {} : { failure }),
      isBlack,
      polls: 0,
      downloads: [],
      versions: [],
    };
    this.#byCode.set(task.code, task);
    this.#bySeq.push(task);
    return task;
  }

  /** How many tasks were made from exactly this submit. */
  timesSeen(operation: Operation, bodySha256: string): number {
    return this.#occurrences.get(`${operation.path}/${bodySha256}`) ?? 0;
  }

  find(code: string): GatewayTask | undefined {
    return this.#byCode.get(code);
  }

  /** The task with a number, counted from 1. */
  at(seq: number): GatewayTask | undefined {
    return this.#bySeq[seq - 1];
  }

  /** When the unfinished tasks of an owner and a family finish, soonest first. */
  activeUntil(owner: string, family: Family, now: number): readonly number[] {
    const places = placesOf(owner, family);
    const active = (this.#active.get(places) ?? []).filter((finishesAt) => finishesAt > now).sort((a, b) => a - b);
    this.#active.set(places, active);
    return active;
  }

  #plan(
    operation: Operation,
    behaviour: Behaviour,
    seed: number,
    now: number,
  ): { startsAt: number; finishesAt: number } {
    const law = scoped(behaviour.durations, operation.path) ?? USUAL_LAWS[operation.path];
    const durationMs = drawSeconds(law, new SeededRandom(seed, 'duration')) * behaviour.timeScale * 1000;
    const { atOnce, scope } = behaviour.queue;
    let startsAt = now;
    if (atOnce !== null) {
      const slots = this.#slotsOf(scope === 'all' ? 'all' : operation.family, atOnce);
      const first = slots.indexOf(Math.min(...slots));
      startsAt = Math.max(now, slots[first] ?? now);
      slots[first] = startsAt + durationMs;
    }
    return { startsAt, finishesAt: startsAt + durationMs };
  }

  #slotsOf(queue: string, atOnce: number): number[] {
    const slots = this.#slots.get(queue) ?? [];
    while (slots.length < atOnce) slots.push(0);
    // With fewer slots than before, the ones that are busy longest stay.
    if (slots.length > atOnce) slots.sort((a, b) => b - a).splice(atOnce);
    this.#slots.set(queue, slots);
    return slots;
  }
}

function placesOf(owner: string, family: Family): string {
  return `${family} ${owner}`;
}

function taskCode(form: Behaviour['taskCode']['form'], identity: string): string {
  const digest = createHash('sha256').update(identity).digest();
  const hex = digest.toString('hex');
  if (form === 'uuid') {
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  }
  if (form === 'hostile') return `../${hex.slice(0, 16)}/ +&=%2F#?ü`;
  // From 1e18 to below 9e18: 19 digits fit into 64 bits but not into a double. An odd end is never a round double.
  const digits = 1_000_000_000_000_000_000n + (digest.readBigUInt64BE() % 4_000_000_000_000_000_000n) * 2n + 1n;
  return String(digits);
}
