/**
 * The tasks of one operation at one gateway, in the order of their submits, and how far the gateway has come with them.
 *
 * A gateway that works first in, first out on k places works on the first k; the others wait, and asking about them is
 * pointless. That it does so is learned from what it shows (`queue-evidence.ts`) and holds as long as it fits: an end
 * deeper in the order widens the front, and false claims, or ends that fail to come, cast doubt on it. If no front
 * shows itself, each task is asked about when it is due by itself.
 *
 * The front is told everything and decides which task is asked about next (`front-look.ts`). It knows no clock, and
 * keeps what is in flight and some 64 values of each kind. A wrong conclusion costs time, never a result: each task
 * keeps a due time of its own, at most {@link QueueFront.longestMs} away. Times are milliseconds since the epoch.
 */
import type { LearnedLaw } from './duration-law.ts';
import { expectedEnds, groupLook, ownLook, searchLook, type Candidate, type FrontLook } from './front-look.ts';
import { QueueEvidence } from './queue-evidence.ts';

/**
 * What an answer shows about a task; `nothing`: there was none, `unfinished`: it does not say whether it is running.
 */
export type Sighting = 'queued' | 'running' | 'unfinished' | 'ended' | 'nothing';

interface Watched extends Candidate {
  readonly submittedAt: number;
  /** Grows in the order of submits, also of those at the same time. */
  readonly rank: number;
  startedAt: number;
  clearAt: number;
  askedAt: number;
  /** How long the front let it wait when it was last asked about; Infinity if the front did not decide that. */
  longestMs: number;
  /** Whether the gateway has begun with it, as far as is known. */
  hasBegun: boolean;
  said: 'queued' | 'running' | undefined;
  /** It waits although later ones run, or does not say that it waits: it cannot be the head. */
  isPassedOver: boolean;
  isBeingAsked: boolean;
}

const UNSEEN = { hasBegun: false, said: undefined, isPassedOver: false, isBeingAsked: false } as const;
/** With this many ends expected and none seen, the model is doubted. */
const ENDS_MISSED = 8;
/** After this many finds, one task behind the front is asked about: the order may have changed. */
const FINDS_PER_GLANCE = 4;
/** Places are counted again after this many ends, twice as many each time, at most {@link ENDS_PER_COUNT}. */
const ENDS_PER_FIRST_COUNT = 8;
const ENDS_PER_COUNT = 64;
/** How long no task is asked about after a request without an answer. */
const QUIET_MS = 5000;
/** The pause between the tasks that are asked about once a front is given up. */
const SWEEP_MS = 500;
/** Only a front lets a task wait this long. */
const FAR_MS = 60_000;
const LONGEST_MIN_MS = 5000;
/** The part of the longest wait that counts as all of it: an answer takes a while to be recorded. */
const MOST = 0.9;
const LONGEST_MAX_MS = 30 * 60_000;
const GOLDEN_RATIO = 0.618_033_988_749_895;

export class QueueFront {
  /** The tasks that have not ended, in the order of their submits. */
  readonly #order: Watched[] = [];
  readonly #known = new Map<number, Watched>();
  readonly #evidence = new QueueEvidence();
  #ranks = 0;
  #isActive = false;
  /** How many tasks the gateway works on at once, if it says so; undefined until they are counted. */
  #places: number | undefined;
  #endsUntilCount = ENDS_PER_FIRST_COUNT;
  #endsPerCount = ENDS_PER_FIRST_COUNT;
  /** The head runs, and none before it has ended: how many more run? */
  #isGrowing = false;
  /** When a head was last seen running. */
  #headRanAt = 0;
  #findsSinceGlance = 0;
  #lastFindAt = 0;
  /** The task that is asked about only to check the model. */
  #audited: number | undefined;
  /** Tasks that are asked about one after another, whatever their due times. */
  readonly #sweep = new Set<number>();
  #sweptAt = 0;
  #quietUntil = 0;
  #plan: { readonly look: FrontLook | undefined } | undefined;

  /** A task that the gateway has; `dueAt`, when it is asked about in any case, matters if its submit was long ago. */
  accepted(id: number, submittedAt: number, dueAt: number, now: number): void {
    if (this.#known.has(id)) return;
    const times = { submittedAt, startedAt: submittedAt, clearAt: submittedAt, askedAt: submittedAt };
    const place = this.#order.findLastIndex((other) => other.submittedAt <= submittedAt) + 1;
    const longestMs = this.#isActive ? this.longestMs : Number.POSITIVE_INFINITY;
    const task = { id, ...times, longestMs, rank: this.#rankAt(place), ...UNSEEN };
    this.#known.set(id, task);
    this.#order.splice(place, 0, task);
    // The task is from another night, which knew more: this one does not know why it is due only then.
    if (now - submittedAt > QUIET_MS && dueAt - now > FAR_MS) this.#sweep.add(id);
    this.#settle(submittedAt, now);
  }

  /** The task is no longer at the gateway. */
  forget(id: number, now: number): void {
    const task = this.#known.get(id);
    if (task === undefined) return;
    this.#remove(task);
    this.#known.delete(id);
    this.#settle(now, now);
  }

  /** A request about it is under way: until it is answered, others are asked about. */
  asking(id: number): void {
    const task = this.#known.get(id);
    if (task === undefined) return;
    task.isBeingAsked = true;
    this.#plan = undefined;
  }

  /** No request about it is under way any longer. */
  released(id: number): void {
    const task = this.#known.get(id);
    if (task?.isBeingAsked !== true) return;
    task.isBeingAsked = false;
    this.#plan = undefined;
  }

  /** Asks about a task although it is not its turn: it is due late, and no front decides when it is asked about. */
  askSoon(id: number): void {
    this.#sweep.add(id);
    this.#plan = undefined;
  }

  answered(id: number, sighting: Sighting, now: number): void {
    const task = this.#known.get(id);
    if (task === undefined || (sighting === 'nothing' && !task.isBeingAsked)) return;
    task.isBeingAsked = false;
    this.#plan = undefined;
    this.#sweep.delete(id);
    if (!this.#order.includes(task)) return;
    if (sighting === 'nothing') {
      this.#quietUntil = now + QUIET_MS;
      return;
    }
    let freedAt = now;
    if (sighting === 'queued') this.#sawQueued(task, now);
    if (sighting === 'running') this.#sawRunning(task, now);
    if (sighting === 'ended') freedAt = this.#sawEnd(task, now);
    // A different profile does not know the words: the head would be asked about again and again, and never answer in
    // known words.
    if (sighting === 'unfinished' && this.#evidence.isTold && !task.hasBegun) task.isPassedOver = true;
    if (this.#audited === id) this.#audited = undefined;
    task.askedAt = now;
    task.clearAt = now;
    this.#settle(freedAt, now);
    task.longestMs = this.decides(id) ? this.longestMs : Number.POSITIVE_INFINITY;
  }

  /**
   * Whether the front says when this task, or a new one, is asked about; its own due time is then {@link longestMs}
   * away.
   */
  decides(id: number): boolean {
    const task = this.#known.get(id);
    return this.#isActive && (task === undefined || (!task.isPassedOver && this.#order.includes(task)));
  }

  /** After this long, a task is asked about in any case, whatever the front says. */
  get longestMs(): number {
    return Math.min(Math.max(1.5 * this.#evidence.usualMs, LONGEST_MIN_MS), LONGEST_MAX_MS);
  }

  /** Which task to ask about next, and when; undefined: each is asked about when it is due. */
  next(now: number): FrontLook | undefined {
    this.#plan ??= { look: this.#planned(now) };
    const { look } = this.#plan;
    return look === undefined ? undefined : { id: look.id, at: Math.max(look.at, this.#quietUntil) };
  }

  #planned(now: number): FrontLook | undefined {
    for (const id of this.#sweep) {
      if (this.#known.get(id)?.isBeingAsked === false) return { id, at: Math.max(now, this.#sweptAt + SWEEP_MS) };
    }
    if (!this.#isActive) return undefined;
    const { law, isTold } = this.#evidence;
    const begun = this.#begun;
    const free = begun.filter(({ isBeingAsked }) => !isBeingAsked);
    const isOverdue = expectedEnds(law, free, this.#lastFindAt, now) >= ENDS_MISSED;
    if (!isTold) return this.#glance(begun.length, isOverdue, now) ?? ownLook(law, free, now);
    if (isOverdue) return this.#audit(law, free, now);
    const head = this.#head;
    return head === undefined ? ownLook(law, free, now) : this.#lookWithHead(law, begun.length, free, head, now);
  }

  #lookWithHead(
    law: LearnedLaw,
    begun: number,
    free: readonly Watched[],
    head: Watched,
    now: number,
  ): FrontLook | undefined {
    const headId = head.isBeingAsked ? undefined : head.id;
    const askHead = headId === undefined ? undefined : { id: headId, at: now };
    if (this.#isGrowing) return askHead;
    const missing = this.#places === undefined ? 1 : begun - this.#places;
    if (missing <= 0) return groupLook(law, free, headId, now);
    // As many searches run at a time as ends are missing.
    if (begun - free.length >= missing) return undefined;
    const look = this.#search(law, free, now);
    if (look !== undefined || begun > free.length) return look;
    // All run, so the gateway works on more than was known.
    if (this.#places !== undefined) this.#places = begun;
    this.#isGrowing = true;
    return askHead;
  }

  #search(law: LearnedLaw, free: readonly Watched[], now: number): FrontLook | undefined {
    if (this.#places !== undefined) return searchLook(law, free, this.#headRanAt, now);
    return searchLook(law, byOwnAnswers(free), now - law.latencyMs / 4, now);
  }

  /** No ends have come: asks about the task that is likeliest to have ended according to its own answers alone. */
  #audit(law: LearnedLaw, free: readonly Watched[], now: number): FrontLook | undefined {
    this.#lastFindAt = now;
    const look = searchLook(law, byOwnAnswers(free), now, now);
    this.#audited = look?.id;
    return look;
  }

  /** A task behind the front, at evenly spread places: now and then, and when no ends come. */
  #glance(begun: number, isOverdue: boolean, now: number): FrontLook | undefined {
    if (isOverdue) this.#lastFindAt = now;
    else if (this.#findsSinceGlance < FINDS_PER_GLANCE) return undefined;
    const behind = this.#order.slice(begun, 3 * begun + 8).filter(({ isBeingAsked }) => !isBeingAsked);
    const one = behind[Math.floor(((now * GOLDEN_RATIO) % 1) * behind.length)];
    if (one === undefined) return undefined;
    this.#findsSinceGlance = 0;
    return { id: one.id, at: now };
  }

  #rankAt(place: number): number {
    this.#ranks += 1;
    const next = this.#order[place];
    return next === undefined ? this.#ranks : ((this.#order[place - 1]?.rank ?? 0) + next.rank) / 2;
  }

  get #begun(): readonly Watched[] {
    return this.#order.filter(({ hasBegun }) => hasBegun);
  }

  /** The first task that waits: while it does, none before it has made room. */
  get #head(): Watched | undefined {
    return this.#order.find(({ hasBegun, isPassedOver }) => !hasBegun && !isPassedOver);
  }

  #sawQueued(task: Watched, now: number): void {
    if (task.said === 'running') this.#evidence.wasFalse();
    task.said = 'queued';
    const wasPresumed = task.hasBegun;
    task.hasBegun = false;
    task.isPassedOver ||= this.#evidence.sawQueued(task.rank, this.#places ?? 0);
    if (task.isPassedOver || !this.#evidence.isTold) return;
    // The tasks after it were also only presumed to run.
    for (const later of wasPresumed ? this.#order : [])
      if (later.rank >= task.rank && later.said !== 'running') later.hasBegun = false;
    if (this.#head === task) this.#sawHeadQueued(now);
  }

  #sawHeadQueued(now: number): void {
    const begun = this.#begun;
    this.#places = Math.min(this.#places ?? begun.length, begun.length);
    this.#isGrowing = false;
    // No end is missing, so all of them still run.
    if (begun.length === this.#places) for (const one of begun) one.clearAt = now;
  }

  #sawRunning(task: Watched, now: number): void {
    this.#evidence.sawRunning(task.rank, task.said !== 'running');
    task.said = 'running';
    if (task.hasBegun || !this.#evidence.isTold) return;
    this.#headRanAt = now;
    const startedAt = (task.clearAt + now) / 2;
    for (const one of this.#order) {
      if (one.hasBegun || one.isPassedOver || one.rank > task.rank) continue;
      one.hasBegun = true;
      one.startedAt = startedAt;
    }
  }

  /** Returns when its place became free, as far as is known. */
  #sawEnd(task: Watched, now: number): number {
    const depth = task.isPassedOver ? undefined : this.#order.indexOf(task) + 1;
    this.#remove(task);
    // The task had ended, perhaps long ago, and the head was queued all the same.
    if (this.#audited === task.id && task.clearAt > task.askedAt) this.#evidence.wasFalse();
    // As far as the front knew, the task had not begun: it was asked about only because its longest wait was over. The
    // usual time tells less now: each such end makes it longer.
    const isLate = now - task.askedAt >= Math.max(MOST * task.longestMs, FAR_MS);
    if (this.#isActive && this.#evidence.isTold && isLate && !task.hasBegun) this.#evidence.wasFalse();
    const endedAt = (task.clearAt + now) / 2;
    const hasBegunAnew = this.#evidence.sawEnd({
      depth,
      wasSeenRunning: task.said === 'running',
      rank: task.rank,
      submittedAt: task.submittedAt,
      startedAt: task.hasBegun ? task.startedAt : (task.askedAt + now) / 2,
      endedAt,
      seenAt: now,
    });
    this.#lastFindAt = now;
    this.#findsSinceGlance += 1;
    this.#endsUntilCount -= 1;
    if (this.#endsUntilCount <= 0) this.#countAgain();
    if (hasBegunAnew) {
      this.#places = undefined;
      for (const one of this.#order) one.isPassedOver = false;
    }
    return endedAt;
  }

  /** Tasks that ended unseen while the places were counted are still in the count. */
  #countAgain(): void {
    this.#endsPerCount = Math.min(2 * this.#endsPerCount, ENDS_PER_COUNT);
    this.#endsUntilCount = this.#endsPerCount;
    this.#evidence.forgive();
    if ((this.#places ?? 0) > 1) this.#places = undefined;
    this.#isGrowing = false;
  }

  #remove(task: Watched): void {
    const index = this.#order.indexOf(task);
    if (index >= 0) this.#order.splice(index, 1);
    this.#sweep.delete(task.id);
  }

  #settle(freedAt: number, now: number): void {
    this.#plan = undefined;
    if (this.#evidence.isTold) this.#fillPlaces(freedAt);
    else this.#fillFront();
    const isActive = this.#evidence.isJustified(this.#order.length, this.#isActive);
    if (isActive === this.#isActive) return;
    this.#isActive = isActive;
    this.#lastFindAt = now;
    this.#sweptAt = now;
    this.#sweep.clear();
    // Each task is due only after the longest interval, and no front asks about it sooner any more.
    if (!isActive) for (const { id } of this.#order) this.#sweep.add(id);
  }

  /** Presumes that the gateway has begun with the next task for each free place. */
  #fillPlaces(freedAt: number): void {
    let left = (this.#places ?? 0) - this.#begun.length;
    for (const task of this.#order) {
      if (left <= 0) return;
      if (task.hasBegun || task.isPassedOver) continue;
      begin(task, Math.max(freedAt, task.submittedAt));
      left -= 1;
    }
  }

  /** If the gateway does not say which tasks run, the first are presumed to, as many as have been seen running. */
  #fillFront(): void {
    const { width } = this.#evidence;
    this.#order.forEach((task, i) => {
      if (i >= width) task.hasBegun = false;
      else if (!task.hasBegun) begin(task, Math.max(task.submittedAt, this.#evidence.freedAt(width - 1 - i)));
    });
  }
}

function begin(task: Watched, at: number): void {
  task.hasBegun = true;
  task.startedAt = at;
  task.clearAt = Math.max(task.clearAt, at);
}

/** The tasks as their own answers show them: what the head has shown does not count. */
function byOwnAnswers(tasks: readonly Watched[]): readonly Candidate[] {
  return tasks.map((task) => ({ ...task, clearAt: task.askedAt }));
}
