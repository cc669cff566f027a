/** A store in its own thread: no commit, page or import blocks the event loop of the caller. */
import { MessageChannel, type MessagePort, type Worker } from 'node:worker_threads';
import { err, ok, present, type Result } from '../../../shared/domain/base/result.ts';
import { crashPoint, isCrashPointWatched, passFor, type CrashPointName } from '../../crash-point.ts';
import { endOfThread, startOwnThread, threadProgram } from '../../own-thread.ts';
import type { NewBatch } from '../../ports/task-store.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { StoreWriteError, type StoreProblem } from '../open/store-problem.ts';
import { isReaders, isStream, type PartName, type Parts, type PromisedStore } from './promised.ts';
import {
  receivedError,
  sendRows,
  type FromStoreThread,
  type Piece,
  type StoreAnswer,
  type StoreRequest,
  type StoreThreadInput,
} from './store-messages.ts';

export interface StoreThreadOptions {
  /** Notes this opening, and pauses the batches of an older copy (see `withNote`). */
  readonly noted?: StoreThreadInput['noted'];
  /** Called when the owner's thread ends by itself: everything that waits for it, or is asked later, is rejected. */
  readonly onLost?: (error: Error) => void;
  /** The server that has the store, if it is not in the folder. */
  readonly server?: StoreThreadInput['server'];
  /** See `OpenStoreOptions`. */
  readonly isShared?: boolean;
  /**
   * For a program that is quickly over: in a folder, the owner answers the reader's questions, too, while the store is
   * small enough that none of them takes long, and no import is under way.
   */
  readonly sparesReader?: boolean;
}

/**
 * Opens the store in `dataDir` as its owner, as `openStore` does, in its own thread. What throws in the thread also
 * throws here.
 */
export async function openStoreThread(
  dataDir: string,
  { noted, server, isShared, sparesReader, onLost = () => undefined }: StoreThreadOptions = {},
): Promise<Result<PromisedStore, StoreProblem>> {
  const watched = isCrashPointWatched() ? new SharedArrayBuffer(4) : undefined;
  const place = { dataDir, ...present({ server }) };
  const tellsLarge = sparesReader === true && server === undefined;
  const input = { ...place, as: 'owner', tellsLarge, ...present({ noted, watched, isShared }) } as const;
  const owner = new StoreThread(input, onLost);
  const opening = await owner.opening;
  switch (opening.kind) {
    case 'refused':
      await owner.gone();
      return err(opening.problem);
    case 'failed':
      await owner.gone();
      throw receivedError(opening.error);
    case 'opened':
      return ok(inThreads(owner, place, opening, tellsLarge));
  }
}

/** The reader starts with the first question for it that the owner does not answer. */
function inThreads(
  owner: StoreThread,
  place: Pick<StoreThreadInput, 'dataDir' | 'server'>,
  { methods, isOlderCopy }: Extract<Opening, { kind: 'opened' }>,
  sparesReader: boolean,
): PromisedStore {
  let reader: StoreThread | undefined;
  const threadFor = (part: PartName, method: string): StoreThread => {
    if (!isReaders(part, method) || owner.isOver) return owner;
    if (sparesReader && reader === undefined && owner.answersSoon) return owner;
    // If the reader ends, the next question starts another.
    if (reader === undefined || reader.isOver) reader = new StoreThread({ ...place, as: 'reader' }, () => undefined);
    return reader;
  };
  const partOf = <Name extends PartName>(part: Name): Parts[Name] =>
    Object.fromEntries(
      methods[part].map((method) => [
        method,
        isStream(part, method)
          ? (...args: readonly unknown[]) => threadFor(part, method).stream(part, method, args)
          : (...args: readonly unknown[]) => threadFor(part, method).call(part, method, args),
      ]),
    ) as unknown as Parts[Name];
  // The owner is closed last: it merges the log into the database, which nobody may be reading then.
  const close = (): Promise<void> => owner.close(() => reader?.close());
  return {
    store: {
      ...partOf('store'),
      tasksByStatus: tasksByStatusOf(owner),
      createBatch: (batch) => owner.createBatch(batch),
      close,
    },
    sheets: partOf('sheets'),
    views: partOf('views'),
    ledger: partOf('ledger'),
    leases: partOf('leases'),
    whole: partOf('whole'),
    isOlderCopy,
    waitingMs: () => owner.waitingMs,
    close,
  };
}

/** Each task is current when its turn comes, whatever the caller has changed since its piece arrived. */
function tasksByStatusOf(owner: StoreThread): PromisedStore['store']['tasksByStatus'] {
  return async function* tasksByStatus(statuses, batchId) {
    let { written } = owner;
    for await (const piece of owner.pieces('store', 'tasksByStatus', [statuses, batchId])) {
      let left = piece as readonly Task[];
      while (left.length > 0) {
        if (written !== owner.written) {
          ({ written } = owner);
          const found = (await owner.call('store', 'tasks', [left.map(({ id }) => id)])) as readonly Task[];
          const now = new Map(found.map((task) => [task.id, task]));
          left = left.flatMap(({ id }) => now.get(id) ?? []).filter(({ status }) => statuses.includes(status));
        }
        // At least one task each time, however much is written meanwhile.
        let given = 0;
        do {
          const task = left[given];
          if (task !== undefined) yield task;
          given += 1;
        } while (given < left.length && written === owner.written);
        left = left.slice(given);
      }
      ({ written } = owner);
    }
  };
}

interface Waiting {
  /** `performance.now()`. */
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The methods that may change a task. */
const WRITES: ReadonlySet<string> = new Set(['commit', 'change']);

type Opening = Extract<FromStoreThread, { kind: 'opened' | 'refused' | 'failed' }>;

/** A request before it has a number. */
type Unnumbered<Request> = Request extends { readonly id: number } ? Omit<Request, 'id'> : never;

class StoreThread {
  readonly opening: Promise<Opening>;
  readonly #ended: Promise<void>;
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  /** Requests made in this round of the loop, not yet sent. */
  #unsent: StoreRequest[] = [];
  #nextId = 1;
  #closing: Promise<void> | undefined;
  /** Why nothing can be asked any more. */
  #end: Error | undefined;
  #isGone = false;
  #isOpen = false;
  #isLarge = false;
  #imports = 0;
  #written = 0;
  readonly #onLost: (error: Error) => void;

  constructor(input: StoreThreadInput, onLost: (error: Error) => void) {
    this.#onLost = onLost;
    this.#worker = startOwnThread(threadProgram('store-worker', import.meta.url), { workerData: input });
    this.opening = new Promise((resolve, reject) => {
      this.#waiting.set(0, { since: performance.now(), resolve: resolve as Waiting['resolve'], reject });
    });
    // Only the owner's opening is waited for.
    this.opening.catch(() => undefined);
    this.#ended = endOfThread(this.#worker);
    this.#worker.on('message', (message: FromStoreThread) => this.#hear(message, input.watched));
    this.#worker.on('error', (error: unknown) => this.#lose(error));
    this.#worker.on('exit', () => {
      this.#isGone = true;
      this.#lose(undefined);
    });
  }

  call(part: PartName, method: string, args: readonly unknown[]): Promise<unknown> {
    if (WRITES.has(method)) this.#written += 1;
    return this.#ask({ kind: 'call', part, method, args });
  }

  /** The items of an answer. */
  async *stream(part: PartName, method: string, args: readonly unknown[]): AsyncGenerator {
    for await (const items of this.pieces(part, method, args)) yield* items;
  }

  /** The items of an answer, some at a time, as the caller gets to them. */
  async *pieces(part: PartName, method: string, args: readonly unknown[]): AsyncGenerator<readonly unknown[]> {
    const of = this.#nextId;
    let piece = (await this.call(part, method, args)) as Piece;
    try {
      for (;;) {
        yield piece.items;
        if (piece.isLast) return;
        piece = (await this.#ask({ kind: 'more', of })) as Piece;
      }
    } finally {
      if (!piece.isLast && this.#end === undefined) this.#send({ kind: 'enough', of });
    }
  }

  /** How many changes of tasks were asked for: an answer from before the last one may be out of date. */
  get written(): number {
    return this.#written;
  }

  /** True while the store is small, and no import is under way. */
  get answersSoon(): boolean {
    return !this.#isLarge && this.#imports === 0;
  }

  /** How long the longest question has been waiting for its answer. */
  get waitingMs(): number {
    const [first] = this.#waiting.values();
    return first === undefined ? 0 : performance.now() - first.since;
  }

  /** The rows are sent in pieces, as the thread asks for them: a large sheet in one message would hold up the loop. */
  createBatch({ rows, ...batch }: NewBatch): Promise<BatchRecord> {
    const { port1, port2 } = new MessageChannel();
    let lost: { readonly error: unknown } | undefined;
    this.#imports += 1;
    const sent = sendRows(rows, port1, (error) => (lost = { error }));
    const created = this.#ask({ kind: 'import', batch, rows: { port: port2, sent } }, port2) as Promise<BatchRecord>;
    return created
      .catch((error: unknown) => {
        throw lost === undefined ? error : lost.error;
      })
      .finally(() => {
        this.#imports -= 1;
        port1.close();
      });
  }

  /** True once nothing can be asked any more. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** @param first Runs before the close, when nothing can be asked any more. */
  close(first?: () => Promise<void> | undefined): Promise<void> {
    this.#closing ??= this.#close(first);
    return this.#closing;
  }

  async #close(first?: () => Promise<void> | undefined): Promise<void> {
    this.#end ??= new Error('The store is closed.');
    // A thread that ends by itself has released everything with it.
    const ignored = (): void => undefined;
    await first?.()?.catch(ignored);
    if (!this.#isGone) {
      const closed = this.#request({ kind: 'close' });
      await Promise.race([closed, this.#ended]);
      if (!this.#isGone) await closed;
      closed.catch(ignored);
    }
    await this.gone();
  }

  /** Waits for a thread that has nothing left to do. */
  gone(): Promise<void> {
    this.#worker.ref();
    return this.#ended;
  }

  #ask(request: Unnumbered<StoreRequest>, moved?: MessagePort): Promise<unknown> {
    if (this.#end === undefined) return this.#request(request, moved);
    const { message, cause } = this.#end;
    // A new error, so that its stack shows where the call came from.
    return Promise.reject(new Error(message, { cause }));
  }

  #request(request: Unnumbered<StoreRequest>, moved?: MessagePort): Promise<unknown> {
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { since: performance.now(), resolve, reject });
      // The process stays alive while an answer is awaited; an idle open store does not keep it alive.
      this.#worker.ref();
      this.#send({ ...request, id }, moved);
    });
  }

  /**
   * Everything asked in one round of the loop goes in one message: each message wakes the thread, which costs more than
   * most answers.
   */
  #send(request: StoreRequest, moved?: MessagePort): void {
    this.#unsent.push(request);
    if (moved !== undefined) this.#flush([moved]);
    else if (this.#unsent.length === 1) setImmediate(() => this.#flush());
  }

  #flush(moved: readonly MessagePort[] = []): void {
    const requests = this.#unsent;
    this.#unsent = [];
    this.#post(requests, moved);
  }

  #post(requests: readonly StoreRequest[], moved: readonly MessagePort[]): void {
    if (requests.length === 0) return;
    try {
      this.#worker.postMessage(requests, [...moved]);
    } catch (error) {
      // Something in one of the requests cannot be sent, so each goes by itself.
      const [only] = requests;
      if (requests.length > 1)
        for (const request of requests) this.#post([request], request.kind === 'import' ? moved : []);
      else if (only !== undefined && 'id' in only) this.#settle(only.id, (asked) => asked.reject(error));
    }
  }

  #hear(message: FromStoreThread, watched: SharedArrayBuffer | undefined): void {
    switch (message.kind) {
      case 'answers':
        for (const one of message.answers) this.#settle(one.id, (asked) => hand(one, asked));
        return;
      case 'crash-point':
        crashPoint(message.name as CrashPointName);
        if (watched !== undefined) passFor(watched);
        return;
      case 'large':
        this.#isLarge = true;
        return;
      case 'opened':
        this.#isOpen = true;
        this.#settle(0, ({ resolve }) => resolve(message));
        return;
      case 'refused':
      case 'failed':
        this.#settle(0, ({ resolve }) => resolve(message));
        // Callers that have asked the reader meanwhile learn why there is none.
        this.#lose(
          message.kind === 'refused' ? new StoreWriteError(message.problem, undefined) : receivedError(message.error),
        );
    }
  }

  #settle(id: number, how: (asked: Waiting) => void): void {
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if (asked !== undefined) how(asked);
  }

  #lose(cause: unknown): void {
    const isLost = this.#end === undefined && this.#isOpen;
    this.#end ??= cause instanceof StoreWriteError ? cause : new Error('The thread of the store has ended.', { cause });
    const reason = this.#end;
    for (const id of this.#waiting.keys()) this.#settle(id, ({ reject }) => reject(reason));
    if (isLost) this.#onLost(reason);
  }
}

function hand(answer: StoreAnswer, { resolve, reject }: Waiting): void {
  if ('error' in answer) reject(receivedError(answer.error));
  else resolve(answer.value);
}
