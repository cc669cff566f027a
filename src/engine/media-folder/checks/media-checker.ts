/** Checks downloaded files outside the event loop: a file that makes its check run wild ends only that check. */
import type { Worker } from 'node:worker_threads';
import { reason, type Reason, type Saying } from '../../../shared/domain/base/reason.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { isOutOfMemory, startOwnThread, threadProgram } from '../../own-thread.ts';
import { returnBlock } from '../fetch/part-file.ts';
import type { MediaCheck } from './verify-media.ts';

/** How much time and memory the check of one file may take. */
export interface CheckLimits {
  /** The thread's own heap, in MiB. */
  readonly memoryMb: number;
  /** The time for a file without bytes, and how many bytes a second the check must manage beyond that. */
  readonly leastMs: number;
  readonly bytesPerSecond: number;
}

/** Ten times what a slow machine needs for the formats that are checked byte by byte. */
const CHECK_LIMITS: CheckLimits = { memoryMb: 512, leastMs: 10_000, bytesPerSecond: 8 << 20 };

const MEMORY = reason('media.memory');

/** Checks files in the order of the calls. */
export interface MediaChecker {
  /**
   * Judges a file by its bytes, or by its `content`, whose memory is given away. Rejects if the disk refuses it; a
   * check that fails or takes too long is a verdict. `onBegin` is called when a thread begins it, not while one starts.
   */
  check(path: string, bytes: number, content?: Buffer<ArrayBuffer>, onBegin?: () => void): Promise<MediaCheck>;
  /** Ends the checker; the file being checked counts as unchecked. */
  close(): Promise<void>;
}

/** What the thread receives. */
export interface MediaCheckOrder {
  readonly id: number;
  readonly path: string;
  readonly bytes: number;
  /** If given, the file is not read. */
  readonly content?: Uint8Array<ArrayBuffer>;
}

/** What the thread says: first, once, that it has started; then an answer to each order. */
export type FromMediaChecker = { readonly kind: 'started' } | MediaCheckAnswer;

/** What the thread answers. */
type MediaCheckAnswer = {
  readonly id: number;
  /** Given back so that its memory is reused. */
  readonly content?: Uint8Array<ArrayBuffer>;
} & (
  | { readonly kind: 'checked'; readonly check: MediaCheck }
  | { readonly kind: 'failed'; readonly message: string; readonly code?: string }
);

interface Waiting extends MediaCheckOrder {
  readonly onBegin: (() => void) | undefined;
  readonly resolve: (check: MediaCheck) => void;
  readonly reject: (error: unknown) => void;
}

/** Checks files in one thread, which starts with the first file, and again after a check that ended it. */
export function threadMediaChecker(limits: CheckLimits = CHECK_LIMITS): MediaChecker {
  return new ThreadMediaChecker(limits);
}

class ThreadMediaChecker implements MediaChecker {
  readonly #limits: CheckLimits;
  readonly #waiting: Waiting[] = [];
  #current: Waiting | undefined;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;
  #hasStarted = false;
  #nextId = 1;
  #isClosed = false;

  constructor(limits: CheckLimits) {
    this.#limits = limits;
  }

  check(path: string, bytes: number, content?: Buffer<ArrayBuffer>, onBegin?: () => void): Promise<MediaCheck> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id: this.#nextId++, path, bytes, ...present({ content }), onBegin, resolve, reject });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#abandon(reason('media.notFullyChecked'));
  }

  #next(): void {
    if (this.#current !== undefined) return;
    const order = this.#waiting.shift();
    if (order === undefined) {
      // An idle thread does not keep the process alive.
      this.#worker?.unref();
      return;
    }
    if (this.#isClosed) {
      returnBlock(order.content);
      order.resolve({ kind: 'unchecked', reason: reason('media.notChecked') });
      this.#next();
      return;
    }
    let worker;
    try {
      worker = this.#worker ??= this.#start();
    } catch (error) {
      // This is not a verdict on the file, and the next file may get a thread.
      returnBlock(order.content);
      order.reject(error);
      this.#next();
      return;
    }
    this.#current = order;
    worker.ref();
    const { id, path, bytes, content } = order;
    const limitMs = this.#limits.leastMs + (bytes / this.#limits.bytesPerSecond) * 1000;
    this.#timer = setTimeout(() => {
      void this.#abandon(reason('media.notInTime', Math.ceil(limitMs / 1000)));
    }, limitMs);
    const message: MediaCheckOrder = { id, path, bytes, ...present({ content }) };
    worker.postMessage(message, content === undefined ? [] : [content.buffer]);
    if (this.#hasStarted) order.onBegin?.();
  }

  #start(): Worker {
    const worker = startOwnThread(threadProgram('media-check-worker', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: this.#limits.memoryMb, maxYoungGenerationSizeMb: 16 },
    });
    this.#hasStarted = false;
    worker.on('message', (message: FromMediaChecker) => {
      if (message.kind === 'started') {
        if (worker !== this.#worker) return;
        this.#hasStarted = true;
        this.#current?.onBegin?.();
        return;
      }
      returnBlock(message.content);
      if (worker !== this.#worker || message.id !== this.#current?.id) return;
      this.#settle((order) => {
        if (message.kind === 'checked') order.resolve(message.check);
        else if (message.code === undefined) order.resolve(failedCheck(message.message));
        else order.reject(Object.assign(new Error(message.message), { code: message.code, syscall: 'read' }));
      });
    });
    worker.on('error', (error: unknown) => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      this.#settle((order) => order.resolve(failedCheck(isOutOfMemory(error) ? MEMORY : String(error))));
    });
    worker.on('exit', () => {
      if (worker !== this.#worker) return;
      this.#worker = undefined;
      this.#settle((order) => order.resolve(failedCheck(reason('media.noVerdict'))));
    });
    return worker;
  }

  #settle(how: (order: Waiting) => void): void {
    clearTimeout(this.#timer);
    const order = this.#current;
    this.#current = undefined;
    if (order !== undefined) how(order);
    this.#next();
  }

  /**
   * Answers for the current file and continues with the next in a new thread: nobody listens to what the old thread
   * still sends while it ends.
   */
  async #abandon(why: Reason): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#settle((order) => order.resolve({ kind: 'unchecked', reason: why }));
    await worker?.terminate();
  }
}

function failedCheck(why: Saying): MediaCheck {
  return { kind: 'unchecked', reason: reason('media.uncheckable', why) };
}
