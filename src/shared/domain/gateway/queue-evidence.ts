import { hazardBetween, LATENCY_MS, learnLaw, type LearnedLaw } from './duration-law.ts';

const KEPT = 64;
/** The laws are learned again when more than one in this many ends is new to them: learning takes as long as a poll. */
const ENDS_PER_LESSON = 16;
/** How many ends, depths and answers “queued” it takes to conclude anything. */
const ENDS_KNOWN = 4;
const DEPTHS_KNOWN = 12;
const QUEUED_KNOWN = 4;
/** More queued tasks passed over than this, or this many false claims, and the gateway is no longer believed. */
const PASSED_OVER = 3;
const FALSE_CLAIMS = 3;
/**
 * How much better the front must foretell ends than the time since the submit does: nats on average, below 0 if worse.
 */
const [BETTER_TO_BEGIN, BETTER_TO_GO_ON] = [-1, -1.5];
/** The largest part of the tasks in flight that the front may make up. */
const [PART_TO_BEGIN, PART_TO_GO_ON] = [1 / 3, 2 / 3];
/** The longest distrust, in ends; each is twice as long as the one before. */
const DISTRUST_MOST = 4096;

/** What is known about a task that has ended. */
export interface SeenEnd {
  /** Its place in the order of those that had not ended, from 1; undefined if it was passed over. */
  readonly depth: number | undefined;
  /** Whether it was ever seen running: then its start is noted already. */
  readonly wasSeenRunning: boolean;
  /** Grows in the order of submits. */
  readonly rank: number;
  readonly submittedAt: number;
  readonly startedAt: number;
  /** When it ended, as far as is known, and when that was seen. */
  readonly endedAt: number;
  readonly seenAt: number;
}

/**
 * What a gateway has shown about the order in which it works: the last 64 of each kind, and how far it is believed.
 *
 * Where it says "queued" and "running", that is believed until it contradicts itself. Otherwise the depth at which
 * tasks end tells: a gateway that works first in, first out on k places never ends a task deeper in the order than k.
 */
export class QueueEvidence {
  /** Ranks of the tasks that began last, and whether the last queued ones were passed over by later ones. */
  #begun: readonly number[] = [];
  #passedOver: readonly boolean[] = [];
  #depths: readonly number[] = [];
  #endedAt: readonly number[] = [];
  #durations: readonly number[] = [];
  #sojourns: readonly number[] = [];
  /** Kept because it is asked for with every answer, and changes only with an end. */
  #usualMs: number | undefined;
  /** How much better each end was foretold by the time since its start than by the time since its submit. */
  #gains: readonly number[] = [];
  #law: LearnedLaw | undefined;
  #sojournLaw: LearnedLaw | undefined;
  /** Ends that the laws do not know yet. */
  #endsUnlearned = 0;
  #saysQueued = false;
  #saysRunning = false;
  #falseClaims = 0;
  /** Ends until the gateway is believed again, and how many it will be the next time. */
  #distrusted = 0;
  #distrustNext = KEPT;

  /** The gateway says which tasks are queued and which are running, and nothing contradicts it. */
  get isTold(): boolean {
    return this.#saysQueued && this.#saysRunning && this.#distrusted === 0;
  }

  /** How long the gateway works on a task. */
  get law(): LearnedLaw {
    return (this.#law ??= learnLaw(this.#durations));
  }

  /** The median time from submit to seen ended; 0 while none is known. */
  get usualMs(): number {
    this.#usualMs ??= [...this.#sojourns].sort((a, b) => a - b)[this.#sojourns.length >> 1] ?? 0;
    return this.#usualMs;
  }

  /** How deep in the order the tasks that the gateway works on can be, and a little more; 0 while that is not known. */
  get width(): number {
    if (this.#depths.length < DEPTHS_KNOWN) return 0;
    const deepest = Math.max(...this.#depths);
    return deepest + Math.max(2, Math.ceil(deepest / 5));
  }

  /** When a place last became free, apart from the latest `others`, as far as is known. */
  freedAt(others: number): number {
    return this.#endedAt[others] ?? 0;
  }

  /**
   * Whether it is worth asking only about the front of `inFlight` tasks; `isActive`: whether that is already being
   * done.
   */
  isJustified(inFlight: number, isActive: boolean): boolean {
    if (this.#distrusted > 0 || this.#durations.length < ENDS_KNOWN) return false;
    if (this.isTold) return this.#passedOver.length >= QUEUED_KNOWN;
    const { width } = this;
    const [part, better] = isActive ? [PART_TO_GO_ON, BETTER_TO_GO_ON] : [PART_TO_BEGIN, BETTER_TO_BEGIN];
    if (width === 0 || width > part * inFlight || this.#gains.length < DEPTHS_KNOWN) return false;
    return this.#gains.reduce((sum, gain) => sum + gain, 0) > better * this.#gains.length;
  }

  /** Returns whether it was passed over: more later tasks have begun than a little disorder explains. */
  sawQueued(rank: number, places: number): boolean {
    this.#saysQueued = true;
    const ahead = this.#begun.filter((other) => other > rank).length;
    const isPassedOver = ahead > 2 + Math.ceil(places / 5);
    this.#passedOver = [isPassedOver, ...this.#passedOver].slice(0, KEPT / 2);
    if (this.#passedOver.filter(Boolean).length > PASSED_OVER) this.#distrust();
    return isPassedOver;
  }

  sawRunning(rank: number, isNew: boolean): void {
    this.#saysRunning = true;
    if (isNew) this.#begun = newest(rank, this.#begun);
  }

  /** Returns true if distrust ends with this end: what was believed before is dropped, and learning starts again. */
  sawEnd({ depth, wasSeenRunning, rank, submittedAt, startedAt, endedAt, seenAt }: SeenEnd): boolean {
    const [durationMs, sojournMs] = [Math.max(1, seenAt - startedAt), Math.max(1, seenAt - submittedAt)];
    if (!this.isTold && this.#durations.length >= ENDS_KNOWN) {
      this.#sojournLaw ??= learnLaw(this.#sojourns);
      const gain = foretold(this.law, durationMs) - foretold(this.#sojournLaw, sojournMs);
      this.#gains = newest(gain, this.#gains);
    }
    if (depth !== undefined) this.#depths = newest(depth, this.#depths);
    if (!wasSeenRunning) this.#begun = newest(rank, this.#begun);
    this.#endedAt = newest(endedAt, this.#endedAt);
    this.#durations = newest(durationMs, this.#durations);
    this.#sojourns = newest(sojournMs, this.#sojourns);
    this.#usualMs = undefined;
    this.#endsUnlearned += 1;
    if (this.#endsUnlearned > this.#durations.length / ENDS_PER_LESSON) {
      this.#endsUnlearned = 0;
      this.#law = undefined;
      this.#sojournLaw = undefined;
    }
    if (this.#distrusted === 0) return false;
    this.#distrusted -= 1;
    if (this.#distrusted === 0) this.#beginAnew();
    return this.#distrusted === 0;
  }

  /** The gateway's words about a task were wrong. */
  wasFalse(): void {
    this.#falseClaims += 1;
    if (this.#falseClaims >= FALSE_CLAIMS) this.#distrust();
  }

  /** Rare false claims are forgiven: the number of places may have changed. */
  forgive(): void {
    this.#falseClaims = 0;
  }

  #distrust(): void {
    if (this.#distrusted > 0) return;
    this.#distrusted = this.#distrustNext;
    this.#distrustNext = Math.min(2 * this.#distrustNext, DISTRUST_MOST);
    this.#depths = [];
  }

  #beginAnew(): void {
    this.#passedOver = [];
    this.#falseClaims = 0;
    this.#saysQueued = false;
    this.#saysRunning = false;
  }
}

function newest(value: number, before: readonly number[]): readonly number[] {
  return [value, ...before].slice(0, KEPT);
}

/** How well a law has foretold a duration: the logarithm of the chance of an end about then. */
function foretold(law: LearnedLaw, durationMs: number): number {
  const unfinished = (ms: number): number => Math.exp(-hazardBetween(law, 0, ms));
  return Math.log(1e-4 + unfinished(durationMs - 2 * LATENCY_MS) - unfinished(durationMs + 2 * LATENCY_MS));
}
