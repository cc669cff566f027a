/** Threads that write and name short files: a step is one message instead of a trip to the pool for each call. */
import type { Worker } from 'node:worker_threads';
import { present } from '../../../shared/domain/base/result.ts';
import { crashPoint, isCrashPointWatched, passFor } from '../../crash-point.ts';
import { NoThreadError, startOwnThread, threadProgram } from '../../own-thread.ts';
import type { StepFailure, WriteAnswer, WriteOrder } from './file-steps.ts';
import type { FileThreadInput, FromFileThread } from './file-worker.ts';

/** The outcome for a part, and the memory that it was written from. */
interface Written {
  readonly kind: Exclude<WriteAnswer, StepFailure>['kind'];
  readonly content: Buffer<ArrayBuffer>;
}

export interface FileThreads {
  /**
   * Errors of the disk are thrown, with their codes. Steps of one `disk` may wait for one another; whatever that disk
   * does, steps of another disk do not wait for it.
   */
  write(disk: string, order: WriteOrder): Promise<Written>;
  /**
   * Ends the threads. A thread that waits for a disk ends later: nobody waits for it, and it does not keep the process
   * alive.
   */
  close(): Promise<void>;
}

/** As many as the system's own pool has. */
const MOST_THREADS = 4;
/** A disk that hangs leaves a thread to the others. */
const MOST_OF_ONE_DISK = 3;
/** On a good disk, one thread does all that a night asks; when a step has waited this long, another starts. */
const PATIENCE_MS = 1000;
/** At most this many steps are sent together, because each of them waits for the last. */
const MOST_STEPS = 8;

interface Waiting {
  /** `performance.now()`. */
  readonly since: number;
  readonly order: WriteOrder;
  readonly resolve: (written: Written) => void;
  readonly reject: (error: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  readonly watched: SharedArrayBuffer | undefined;
  at?: { readonly disk: string; readonly steps: readonly Waiting[] };
}

interface FileThreadOptions {
  /** What a thread runs. */
  readonly program?: URL;
  readonly patienceMs?: number;
}

/** Threads that start when there is something to do. */
export function startFileThreads({
  program = threadProgram('file-worker', import.meta.url),
  patienceMs = PATIENCE_MS,
}: FileThreadOptions = {}): FileThreads {
  return new GrowingFileThreads(program, patienceMs);
}

class GrowingFileThreads implements FileThreads {
  /** By disk, first come first. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #threads = new Set<Thread>();
  readonly #program: URL;
  readonly #patienceMs: number;
  #isGrowing = false;
  #isAsked = false;
  #isClosed = false;

  constructor(program: URL, patienceMs: number) {
    this.#program = program;
    this.#patienceMs = patienceMs;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const { worker } of this.#threads) worker.unref();
    await Promise.all([...this.#threads].filter(({ at }) => at === undefined).map((thread) => this.#end(thread)));
  }

  write(disk: string, order: WriteOrder): Promise<Written> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(disk);
      const step = { since: performance.now(), order, resolve, reject };
      if (waiting === undefined) this.#waiting.set(disk, [step]);
      else waiting.push(step);
      if (this.#isAsked) return;
      // Everything asked in one turn goes in one message.
      this.#isAsked = true;
      queueMicrotask(() => {
        this.#isAsked = false;
        this.#handOut();
      });
    });
  }

  #handOut(): void {
    for (let disk = this.#next(); disk !== undefined; disk = this.#next()) {
      const idle = [...this.#threads].find(({ at }) => at === undefined) ?? this.#first();
      if (idle === undefined) {
        this.#growSoon();
        return;
      }
      this.#send(idle, disk);
    }
  }

  /** The disk whose steps have waited longest, among those that do not have their share of threads. */
  #next(): string | undefined {
    for (const disk of this.#waiting.keys()) {
      const own = [...this.#threads].filter(({ at }) => at?.disk === disk).length;
      if (own < MOST_OF_ONE_DISK) return disk;
    }
    return undefined;
  }

  /** The first thread. If it cannot be started, what waits is rejected: there is no other to wait for. */
  #first(): Thread | undefined {
    if (this.#threads.size > 0) return undefined;
    const started = this.#start();
    if (started instanceof Error) {
      const waiting = [...this.#waiting.values()].flat();
      this.#waiting.clear();
      for (const { reject } of waiting) reject(started);
      return undefined;
    }
    return started;
  }

  /** Looks again when the first step has waited long enough, and then until a thread can be started for it. */
  #growSoon(): void {
    const disk = this.#next();
    const since = disk === undefined ? undefined : this.#waiting.get(disk)?.[0]?.since;
    if (since === undefined || this.#isGrowing || this.#threads.size >= MOST_THREADS) return;
    const leftMs = since + this.#patienceMs - performance.now();
    if (leftMs <= 0 && !(this.#start() instanceof Error)) {
      this.#handOut();
      return;
    }
    this.#isGrowing = true;
    const later = (): void => {
      this.#isGrowing = false;
      this.#handOut();
    };
    // The threads at work keep the process alive.
    setTimeout(later, leftMs > 0 ? Math.ceil(leftMs) : this.#patienceMs).unref();
  }

  #send(thread: Thread, disk: string): void {
    const waiting = this.#waiting.get(disk) ?? [];
    const steps = waiting.splice(0, MOST_STEPS);
    // A disk that still has steps waiting comes after the others.
    this.#waiting.delete(disk);
    if (waiting.length > 0) this.#waiting.set(disk, waiting);
    thread.at = { disk, steps };
    thread.worker.ref();
    const orders = steps.map(({ order }) => order);
    thread.worker.postMessage(
      orders,
      orders.map(({ content }) => content.buffer),
    );
  }

  #start(): Thread | NoThreadError {
    const watched = isCrashPointWatched() ? new SharedArrayBuffer(4) : undefined;
    const worker = this.#startWorker(present({ watched }));
    if (worker instanceof NoThreadError) return worker;
    const thread: Thread = { worker, watched };
    this.#threads.add(thread);
    worker.on('message', (message: FromFileThread) => this.#hear(thread, message));
    worker.on('error', (error: unknown) => this.#lose(thread, error));
    worker.on('exit', () => this.#lose(thread, undefined));
    return thread;
  }

  #startWorker(input: FileThreadInput): Worker | NoThreadError {
    try {
      return startOwnThread(this.#program, {
        workerData: input,
        resourceLimits: { maxYoungGenerationSizeMb: 4 },
      });
    } catch (error) {
      if (error instanceof NoThreadError) return error;
      throw error;
    }
  }

  #hear(thread: Thread, message: FromFileThread): void {
    if (message.kind === 'crash-point') {
      crashPoint(message.name);
      if (thread.watched !== undefined) passFor(thread.watched);
      return;
    }
    const steps = thread.at?.steps ?? [];
    delete thread.at;
    // An idle thread does not keep the process alive.
    thread.worker.unref();
    for (const [i, step] of steps.entries()) {
      const answer = message.answers[i] ?? { kind: 'failed', message: 'a step was lost' };
      if (answer.kind === 'failed') step.reject(thrown(answer));
      else step.resolve({ kind: answer.kind, content: bufferOf(message.contents[i]) });
    }
    this.#handOut();
    if (this.#isClosed && thread.at === undefined) void this.#end(thread);
  }

  #lose(thread: Thread, cause: unknown): void {
    this.#threads.delete(thread);
    const error = new NoThreadError('The thread for files has ended.', { cause });
    for (const { reject } of thread.at?.steps ?? []) reject(error);
    delete thread.at;
    this.#handOut();
  }

  async #end(thread: Thread): Promise<void> {
    this.#threads.delete(thread);
    await thread.worker.terminate();
  }
}

function bufferOf(content = new Uint8Array()): Buffer<ArrayBuffer> {
  return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
}

function thrown({ message, code, syscall }: StepFailure): Error {
  return Object.assign(new Error(message), present({ code, syscall }));
}
