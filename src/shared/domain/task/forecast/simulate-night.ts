/**
 * Simulates a night: the queue of a batch passes through the places of its families, the pace of the gateway and the
 * download slots, as the scheduler would send it, with durations as they were seen. Nothing is random: the same work
 * always ends at the same time.
 */
import { FAMILIES, type Family } from '../../operations/operations.ts';
import { MinHeap } from './min-heap.ts';

/** Requests that take about the same time. */
export interface KindOfWork {
  readonly family: Family;
  /** How long they take from submit to seen finished, in milliseconds, in order; at least one. */
  readonly times: readonly number[];
  /** How long their files take. */
  readonly downloadMs: number;
  /** Polls of a task, besides its submit. */
  readonly polls: number;
  /** One request of this kind goes first, and the rest once it is done. */
  readonly isTried: boolean;
}

export interface NightWork {
  readonly kinds: readonly KindOfWork[];
  /** The kind of each request, in the order in which they are sent. */
  readonly queue: ArrayLike<number>;
  /** By place in the queue: the request whose result it needs, also by place. */
  readonly after: ReadonlyMap<number, number>;
  /** What is already at the gateway: its kind, and how long it has been there. */
  readonly inFlight: readonly { readonly kind: number; readonly ranMs: number }[];
}

export interface NightRules {
  readonly places: Readonly<Record<Family, number>>;
  readonly perSecond: number;
  readonly downloads: number;
  /** The moment for which `inFlight` is given, in milliseconds since the epoch. */
  readonly begins: number;
  /** Whether a request of a kind fits within the spending limits at a time. */
  readonly fits: (kind: number, at: number) => boolean;
  /** Called when the request has left. */
  readonly take: (kind: number, at: number) => void;
  /** The first time from `at` on at which something may be sent; Infinity if there is none. */
  readonly open: (at: number) => number;
}

/** When something was at the gateway. */
export interface Stay {
  readonly family: Family;
  readonly from: number;
  readonly to: number;
}

export interface SimulatedNight {
  /** When the last that is sent is done. */
  readonly ends: number;
  /** By kind: how many requests were sent. */
  readonly sent: readonly number[];
  /** By kind: whether a request did not fit within the limits. */
  readonly isRefused: readonly boolean[];
  /** Something that would fit is left and never sent: the schedule does not open again. */
  readonly isOver: boolean;
  readonly stays: readonly Stay[];
}

/** Spreads samples evenly, whatever their number: the next request of a kind takes another part of its law. */
const GOLDEN_RATIO = 0.618_033_988_749_895;
/** A submit and its answer. */
const ANSWER_MS = 300;

/**
 * If the pace of requests is what slows a night down, tasks are asked about less often: measured in nights of the
 * engine.
 */
const POLLS_WHEN_SHORT = 1.6;

/** What is known about a request while it is under way. */
interface UnderWay {
  readonly place: number;
  readonly kind: number;
  isRendered: boolean;
}

/** Runs the night. The work grows in proportion to the requests; a hundred thousand of them take a moment. */
export function simulateNight(work: NightWork, rules: NightRules): SimulatedNight {
  return new SimulatedRun(work, rules).run();
}

class SimulatedRun {
  readonly #work: NightWork;
  readonly #rules: NightRules;
  readonly #ready: Readonly<Record<Family, MinHeap>>;
  readonly #busy: Record<Family, number> = { musicgen: 0, 'videogen-a': 0, 'videogen-b': 0 };
  readonly #events = new MinHeap();
  readonly #underWay: UnderWay[] = [];
  readonly #slotsFreeAt: number[];
  readonly #stays: Stay[] = [];
  /** By kind: whether it may go on, and what waits until it may. */
  readonly #standing: ('fresh' | 'tried' | 'open')[];
  readonly #parked: number[][];
  readonly #drawn: number[];
  readonly #dependents = new Map<number, number[]>();
  /** How many requests may leave at once, as of `#filledAt`. */
  #tokens: number;
  #filledAt: number;
  #now: number;
  readonly #sent: number[];
  readonly #isRefused: boolean[];
  #ends: number;

  constructor(work: NightWork, rules: NightRules) {
    const { kinds, queue, after, inFlight } = work;
    this.#work = work;
    this.#rules = rules;
    this.#ready = { musicgen: new MinHeap(), 'videogen-a': new MinHeap(), 'videogen-b': new MinHeap() };
    this.#slotsFreeAt = Array.from({ length: rules.downloads }, () => rules.begins);
    this.#standing = kinds.map(({ isTried }) => (isTried ? 'fresh' : 'open'));
    this.#parked = kinds.map(() => []);
    this.#drawn = kinds.map(() => 0);
    this.#tokens = Math.max(1, rules.perSecond);
    this.#filledAt = rules.begins;
    this.#now = rules.begins;
    this.#ends = rules.begins;
    this.#sent = kinds.map(() => 0);
    this.#isRefused = kinds.map(() => false);
    for (const [place, other] of after) this.#dependents.set(other, [...(this.#dependents.get(other) ?? []), place]);
    for (let place = 0; place < queue.length; place += 1) if (!after.has(place)) this.#makeReady(place);
    for (const { kind, ranMs } of inFlight) this.#send(-1, kind, ranMs);
  }

  run(): SimulatedNight {
    for (;;) {
      const again = this.#sendWhatMay();
      const next = Math.min(again, this.#events.first);
      if (next === Number.POSITIVE_INFINITY) break;
      this.#now = Math.max(this.#now, next);
      if (this.#events.first <= next) this.#happen(this.#events.take() ?? 0);
    }
    const isOver = FAMILIES.some((family) => this.#ready[family].size > 0);
    return { ends: this.#ends, sent: this.#sent, isRefused: this.#isRefused, isOver, stays: this.#stays };
  }

  #kindOf(place: number): number {
    return this.#work.queue[place] ?? 0;
  }

  #makeReady(place: number): void {
    const family = this.#work.kinds[this.#kindOf(place)]?.family;
    if (family !== undefined) this.#ready[family].put(place, place);
  }

  /** Sends what has a place; returns when to look again if nothing happens before. */
  #sendWhatMay(): number {
    for (const family of FAMILIES) {
      const ready = this.#ready[family];
      while (ready.size > 0 && this.#busy[family] < this.#rules.places[family]) {
        const opens = this.#rules.open(this.#now);
        if (opens > this.#now) return opens;
        const place = ready.first;
        const kind = this.#kindOf(place);
        const { polls = 0 } = this.#work.kinds[kind] ?? {};
        if (this.#standing[kind] === 'tried') {
          ready.take();
          this.#parked[kind]?.push(place);
          continue;
        }
        // What does not fit stays: a limit that is reached waits for the user.
        if (!this.#rules.fits(kind, this.#now)) {
          ready.take();
          this.#isRefused[kind] = true;
          continue;
        }
        const waitMs = this.#takeToken(1 + Math.min(polls, POLLS_WHEN_SHORT));
        if (waitMs > 0) return this.#now + waitMs;
        ready.take();
        if (this.#standing[kind] === 'fresh') this.#standing[kind] = 'tried';
        this.#rules.take(kind, this.#now);
        this.#sent[kind] = (this.#sent[kind] ?? 0) + 1;
        this.#send(place, kind, 0);
      }
    }
    return Number.POSITIVE_INFINITY;
  }

  /**
   * A submit takes tokens for its polls, too: they share its pace. Returns how long to wait for a token; 0 if it was
   * taken.
   */
  #takeToken(requests: number): number {
    const { perSecond } = this.#rules;
    const burst = Math.max(1, perSecond);
    this.#tokens = Math.min(burst, this.#tokens + ((this.#now - this.#filledAt) / 1000) * perSecond);
    this.#filledAt = this.#now;
    if (this.#tokens < 1) return Math.max(1, ((1 - this.#tokens) / perSecond) * 1000);
    this.#tokens -= requests;
    return 0;
  }

  #send(place: number, kind: number, ranMs: number): void {
    const { family, times = [] } = this.#work.kinds[kind] ?? {};
    if (family === undefined) return;
    const drawn = (this.#drawn[kind] ?? 0) + 1;
    this.#drawn[kind] = drawn;
    const at = Math.floor(((drawn * GOLDEN_RATIO) % 1) * times.length);
    const takesMs = ANSWER_MS + (times[at] ?? 0);
    const to = this.#now + Math.max(0, takesMs - ranMs);
    this.#busy[family] += 1;
    this.#stays.push({ family, from: this.#now, to });
    this.#events.put(to, this.#underWay.push({ place, kind, isRendered: false }) - 1);
  }

  #happen(index: number): void {
    const one = this.#underWay[index];
    const kind = one && this.#work.kinds[one.kind];
    if (one === undefined || kind === undefined) return;
    if (!one.isRendered) {
      one.isRendered = true;
      this.#busy[kind.family] -= 1;
      this.#events.put(this.#downloaded(kind.downloadMs), index);
      return;
    }
    this.#ends = Math.max(this.#ends, this.#now);
    for (const place of this.#dependents.get(one.place) ?? []) this.#makeReady(place);
    if (this.#standing[one.kind] === 'open') return;
    this.#standing[one.kind] = 'open';
    for (const place of this.#parked[one.kind]?.splice(0) ?? []) this.#makeReady(place);
  }

  /** When a download that begins as soon as a slot is free has ended. */
  #downloaded(takesMs: number): number {
    let slot = 0;
    this.#slotsFreeAt.forEach((freeAt, i) => {
      if (freeAt < (this.#slotsFreeAt[slot] ?? 0)) slot = i;
    });
    const ends = Math.max(this.#now, this.#slotsFreeAt[slot] ?? 0) + takesMs;
    this.#slotsFreeAt[slot] = ends;
    return ends;
  }
}
