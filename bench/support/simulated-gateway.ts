/** A gateway in simulated time: how it queues tasks, how long it takes, and what it says meanwhile. */

/** How long a gateway takes for a task. */
export interface Law {
  readonly name: string;
  readonly durationMs: (random: () => number, task: number) => number;
}

/** Which of the waiting tasks a gateway begins; `batches`: a whole group, when all of the last group are done. */
export type Order = 'first' | 'last' | 'random' | 'batches';

/** What a gateway says about a task that is not done. */
export type Words = 'nothing' | 'the truth' | 'always queued' | 'always running' | 'anything';

export interface GatewayKind {
  readonly durationMs: Law['durationMs'];
  /** How many it renders at a time. */
  readonly atOnce: (now: number) => number;
  readonly order: Order;
  readonly words: Words;
  /** Between these times nothing is rendered. */
  readonly stall?: readonly [fromMs: number, toMs: number];
  /** Submits that are this close together may be taken in any order. */
  readonly jitterMs?: number;
}

export type Answer = 'queued' | 'running' | 'unmapped' | 'ended';

interface Held {
  readonly id: number;
  readonly place: number;
  readonly durationMs: number;
}

/** Time goes from event to event: a task that ends makes room for the next. */
export class SimulatedGateway {
  readonly #kind: GatewayKind;
  readonly #random: () => number;
  readonly #waiting: Held[] = [];
  readonly #running = new Map<number, number>();
  readonly #endedAt = new Map<number, number>();
  #nextAt = Number.POSITIVE_INFINITY;
  readonly #onStart: (id: number, at: number) => void;

  constructor(kind: GatewayKind, random: () => number, onStart: (id: number, at: number) => void = () => undefined) {
    this.#kind = kind;
    this.#random = random;
    this.#onStart = onStart;
  }

  submit(id: number, now: number): void {
    const { durationMs, jitterMs = 0 } = this.#kind;
    const held = { id, place: now + jitterMs * this.#random(), durationMs: durationMs(this.#random, id) };
    const after = this.#waiting.findLastIndex(({ place }) => place <= held.place);
    this.#waiting.splice(after + 1, 0, held);
    this.#fill(now);
  }

  /** When the next task ends; infinite if none is running. */
  nextAt(): number {
    return this.#nextAt;
  }

  /** Lets tasks that end by `now` end, one after another. */
  advance(now: number): void {
    for (let at = this.nextAt(); at <= now; at = this.nextAt()) {
      for (const [id, endsAt] of this.#running) {
        if (endsAt > at) continue;
        this.#running.delete(id);
        this.#endedAt.set(id, at);
      }
      this.#fill(at);
    }
  }

  ask(id: number): Answer {
    if (this.#endedAt.has(id)) return 'ended';
    const truth = this.#running.has(id) ? 'running' : 'queued';
    switch (this.#kind.words) {
      case 'nothing':
        return 'unmapped';
      case 'the truth':
        return truth;
      case 'always queued':
        return 'queued';
      case 'always running':
        return 'running';
      case 'anything':
        return this.#random() < 0.5 ? 'queued' : 'running';
    }
  }

  endedAt(id: number): number | undefined {
    return this.#endedAt.get(id);
  }

  forget(id: number): void {
    this.#endedAt.delete(id);
  }

  #fill(now: number): void {
    this.#begin(now);
    this.#nextAt = Math.min(Number.POSITIVE_INFINITY, ...this.#running.values());
  }

  #begin(now: number): void {
    const { atOnce, order } = this.#kind;
    const places = atOnce(now);
    if (order === 'batches' && this.#running.size > 0) return;
    while (this.#running.size < places && this.#waiting.length > 0) {
      const [next] = this.#waiting.splice(this.#choose(), 1);
      if (next === undefined) return;
      this.#running.set(next.id, this.#endOf(now, next.durationMs));
      this.#onStart(next.id, now);
    }
  }

  #choose(): number {
    const { order } = this.#kind;
    if (order === 'last') return this.#waiting.length - 1;
    return order === 'random' ? Math.floor(this.#random() * this.#waiting.length) : 0;
  }

  #endOf(now: number, durationMs: number): number {
    const [from, to] = this.#kind.stall ?? [0, 0];
    if (now >= to || now + durationMs <= from) return now + durationMs;
    return now >= from ? to + durationMs : now + durationMs + (to - from);
  }
}
