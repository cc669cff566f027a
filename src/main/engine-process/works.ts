/** What is under way in the engine's process for somebody who waits: the window is told about it, and may end it. */
import { randomUUID } from 'node:crypto';
import type { Clock, WorkWatch } from '../../engine/index.ts';
import { ok, present } from '../../shared/domain/base/result.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { WORKS, type WorkName, type WorkView } from '../../shared/ipc/works.ts';
import { words } from '../../shared/words/words.ts';
import type { EngineHandlers, EngineRequestName, TellWindow } from './engine-protocol.ts';

/** What takes less time is not mentioned. */
const TOLD_AFTER_MS = 500;
/** Steps may come faster than anybody can read. */
const TOLD_EVERY_MS = 200;

type Answer<T> = (watch: WorkWatch) => Promise<Reply<T>> | Reply<T>;

interface UnderWay {
  readonly cancelling: AbortController;
  ended?: Promise<unknown>;
  view: WorkView;
  isTold: boolean;
}

export interface WorksOptions {
  readonly clock: Pick<Clock, 'monotonic' | 'setTimer'>;
  readonly tell?: TellWindow;
}

/** All work under way, by its id. */
export class Works {
  readonly #options: WorksOptions;
  readonly #underWay = new Map<string, UnderWay>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(options: WorksOptions) {
    this.#options = options;
  }

  readonly handlers = {
    'work.list': () => ok({ works: this.#told }),
    'work.cancel': ({ workId }) => {
      const work = this.#underWay.get(workId);
      if (work?.view.isCancellable === true) work.cancelling.abort();
      return ok(undefined);
    },
  } satisfies Partial<EngineHandlers>;

  /** Answers a request; the window is told about it once it takes longer than a moment. */
  async run<T>(name: EngineRequestName, input: unknown, answer: Answer<T>): Promise<Reply<T>> {
    if (!isWork(name)) return answer({});
    const work = this.#begin(name, input);
    const answered = this.#carryOut(work, answer);
    work.ended = answered;
    return answered;
  }

  /** Ends what can be ended, except kept work; resolves once that is over and the kept work is complete. */
  async end(): Promise<void> {
    const ending = [...this.#underWay.values()].filter((work) => work.view.isCancellable && !isKept(work));
    for (const { cancelling } of ending) cancelling.abort();
    await Promise.all([over(ending), this.kept()]);
  }

  /** Resolves once the kept work that is under way, such as edits, is complete. */
  async kept(): Promise<void> {
    await over([...this.#underWay.values()].filter(isKept));
  }

  async #carryOut<T>(work: UnderWay, answer: Answer<T>): Promise<Reply<T>> {
    const { signal } = work.cancelling;
    const stopTimer = this.#options.clock.setTimer(TOLD_AFTER_MS, () => this.#tell(work));
    // A delivery's own dialog shows it from the beginning.
    if (work.view.name === 'batch.deliver') this.#tell(work);
    try {
      return await answer({
        signal,
        onProgress: (done, of, detail) => this.#step(work, { progress: { done, of }, ...present({ detail }) }),
        onBound: () => this.#step(work, { isCancellable: false }),
      });
    } catch (error) {
      if (isEndOf(error, signal)) return refuse('cancelled', words.desktop.nothingChanged);
      throw error;
    } finally {
      stopTimer();
      this.#underWay.delete(work.view.workId);
      if (work.isTold) this.#tellAll();
    }
  }

  get #told(): WorkView[] {
    return [...this.#underWay.values()].flatMap(({ isTold, view }) => (isTold ? view : []));
  }

  #begin(name: WorkName, input: unknown): UnderWay {
    const workId = randomUUID();
    const view = {
      workId,
      name,
      ...present({ batchId: batchOf(input) }),
      isCancellable: 'isCancellable' in WORKS[name],
    };
    const work: UnderWay = { cancelling: new AbortController(), view, isTold: false };
    this.#underWay.set(workId, work);
    return work;
  }

  #step(work: UnderWay, step: Partial<WorkView>): void {
    const isMore = step.isCancellable !== undefined && step.isCancellable !== work.view.isCancellable;
    work.view = { ...work.view, ...step };
    const isDue = isMore || this.#options.clock.monotonic() - this.#toldAt >= TOLD_EVERY_MS;
    if (work.isTold && isDue) this.#tellAll();
  }

  #tell(work: UnderWay): void {
    work.isTold = true;
    this.#tellAll();
  }

  #tellAll(): void {
    this.#toldAt = this.#options.clock.monotonic();
    this.#options.tell?.('work.changed', { works: this.#told });
  }
}

function isKept({ view }: UnderWay): boolean {
  return 'isKept' in WORKS[view.name];
}

function over(works: readonly UnderWay[]): Promise<unknown> {
  return Promise.allSettled(works.flatMap(({ ended }) => ended ?? []));
}

function isWork(name: EngineRequestName): name is WorkName {
  return Object.hasOwn(WORKS, name);
}

/** Whether work threw this because its end was requested. */
export function isEndOf(error: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true && error === signal.reason;
}

function batchOf(input: unknown): string | undefined {
  const isAbout = typeof input === 'object' && input !== null && 'batchId' in input;
  return isAbout && typeof input.batchId === 'string' ? input.batchId : undefined;
}
