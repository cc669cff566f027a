import { Stream } from './random.ts';

/** Whom an entry belongs to: what a process waits for dies with it, and stands still while the machine sleeps. */
export type Owner = 'process' | 'world';

interface Entry {
  atMs: number;
  /** Among entries with the same time, the seed decides. */
  readonly tie: number;
  readonly owner: Owner;
  readonly label: string;
  readonly run: () => void;
  isOver: boolean;
}

/** Everything that will happen, in order of time: the only source of what comes later in a simulated night. */
export class Agenda {
  #nowMs = 0;
  #heap: Entry[] = [];
  readonly #ties: Stream;
  /** Called with each entry before it is carried out. */
  onStep: (label: string, nowMs: number) => void = () => undefined;

  constructor(seed: number) {
    this.#ties = new Stream(seed, 'order');
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Carries out `run` after this long; returns a function that takes it off again. */
  add(delayMs: number, owner: Owner, label: string, run: () => void): () => void {
    const atMs = this.#nowMs + Math.max(0, Math.round(delayMs));
    const entry: Entry = { atMs, tie: this.#ties.next(), owner, label, run, isOver: false };
    this.#push(entry);
    return () => {
      entry.isOver = true;
    };
  }

  /** Carries out the next entry; false if there is none by `untilMs`. */
  step(untilMs = Number.POSITIVE_INFINITY): boolean {
    for (;;) {
      const [first] = this.#heap;
      if (first === undefined || first.atMs > untilMs) return false;
      this.#pop();
      if (first.isOver) continue;
      first.isOver = true;
      this.#nowMs = first.atMs;
      this.onStep(first.label, first.atMs);
      first.run();
      return true;
    }
  }

  /** Labels of what a process still waits for. */
  ofProcess(): readonly string[] {
    return this.#heap.filter(({ isOver, owner }) => !isOver && owner === 'process').map(({ label }) => label);
  }

  /** The process is gone, and what it waited for with it. */
  forgetProcess(): void {
    for (const entry of this.#heap) if (entry.owner === 'process') entry.isOver = true;
  }

  /** The machine sleeps: what a process waits for comes this much later. */
  holdProcess(ms: number): void {
    const entries = this.#heap;
    this.#heap = [];
    for (const entry of entries) {
      if (entry.owner === 'process') entry.atMs += ms;
      this.#push(entry);
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(entry);
    while (at > 0) {
      const above = (at - 1) >> 1;
      const parent = heap[above] as Entry;
      if (!isSooner(entry, parent)) break;
      heap[at] = parent;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      const left = at * 2 + 1;
      if (left >= heap.length) break;
      const [a, b] = [heap[left] as Entry, heap[left + 1]];
      const [child, below] = b !== undefined && isSooner(b, a) ? [b, left + 1] : [a, left];
      if (!isSooner(child, last)) break;
      heap[at] = child;
      at = below;
    }
    heap[at] = last;
  }
}

function isSooner(a: Entry, b: Entry): boolean {
  return a.atMs === b.atMs ? a.tie < b.tie : a.atMs < b.atMs;
}

const nextTurn = setImmediate;
/**
 * Turns that are asked for together come in one round of the loop, whose look at the system costs as much as a turn.
 */
const TURNS_AHEAD = 200;
let turnsAhead = 0;
let goOn: (() => void) | undefined;

/**
 * Lets everything run that waits for promises, and lets Node report unhandled rejections, as between any two turns of
 * its loop. Only one waits for this at a time: the night.
 */
export function settle(): Promise<void> {
  for (; turnsAhead < TURNS_AHEAD; turnsAhead += 1) nextTurn(takeTurn);
  return new Promise((resolve) => {
    goOn = resolve;
  });
}

function takeTurn(): void {
  turnsAhead -= 1;
  const next = goOn;
  goOn = undefined;
  next?.();
}

/** While `work` lasts, code that lets others run first gets its turn on the agenda, like them. */
export async function withTurnsOn<T>(agenda: Agenda, work: () => Promise<T>): Promise<T> {
  const immediate = (callback: () => void): void => void agenda.add(0, 'process', 'others had their turn', callback);
  globalThis.setImmediate = immediate as unknown as typeof setImmediate;
  try {
    return await work();
  } finally {
    globalThis.setImmediate = nextTurn;
  }
}
