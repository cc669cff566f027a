/** What the thread of a store and its callers send each other. */
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import { present } from '../../../shared/domain/base/result.ts';
import type { Noted } from '../open/incarnation.ts';
import { StoreWriteError, type StoreProblem } from '../open/store-problem.ts';
import type { StoreAddress } from '../postgres/store-address.ts';
import type { NewBatch } from '../../ports/task-store.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { PartName } from './promised.ts';

/** What the thread is started with. */
export interface StoreThreadInput {
  readonly dataDir: string;
  /** The server that has the store, if it is not in the folder. */
  readonly server?: StoreAddress;
  /** The owner; or a reader beside it, once it is open. */
  readonly as: 'owner' | 'reader';
  readonly noted?: Noted;
  /** See `OpenStoreOptions`. */
  readonly isShared?: boolean;
  /** Says once that the store in the folder is large. */
  readonly tellsLarge?: boolean;
  /** Present if crash points are watched: the thread waits at each until this is incremented. */
  readonly watched?: SharedArrayBuffer;
}

/** One request; several that were made in one round of the loop come together. */
export type StoreRequest =
  | {
      readonly kind: 'call';
      readonly id: number;
      readonly part: PartName;
      readonly method: string;
      readonly args: readonly unknown[];
    }
  /** Asks for more items from the call with this id, which has answered with the first ones. */
  | { readonly kind: 'more'; readonly id: number; readonly of: number }
  /** Nobody wants the rest. */
  | { readonly kind: 'enough'; readonly of: number }
  | { readonly kind: 'import'; readonly id: number; readonly batch: Omit<NewBatch, 'rows'>; readonly rows: ComingRows }
  | { readonly kind: 'close'; readonly id: number };

/** Some of the items of a call. */
export interface Piece {
  readonly items: readonly unknown[];
  readonly isLast: boolean;
}

export type FromStoreThread =
  | {
      readonly kind: 'opened';
      readonly methods: Readonly<Record<PartName, readonly string[]>>;
      readonly isOlderCopy: boolean;
    }
  | { readonly kind: 'refused'; readonly problem: StoreProblem }
  | { readonly kind: 'failed'; readonly error: SentError }
  | { readonly kind: 'crash-point'; readonly name: string }
  /** From here on, a question may take long. */
  | { readonly kind: 'large' }
  | { readonly kind: 'answers'; readonly answers: readonly StoreAnswer[] };

export type StoreAnswer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: SentError };

/**
 * An error with everything by which its receiver distinguishes the disk from a bug; a plain Error would lose most of
 * that on its way.
 */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string;
  readonly code?: string;
  readonly errcode?: number;
  readonly problem?: StoreProblem;
  readonly cause?: SentError;
}

export function sentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message, stack, cause } = error;
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return {
    name,
    message,
    ...present({
      stack,
      code: typeof code === 'string' ? code : undefined,
      errcode: typeof errcode === 'number' ? errcode : undefined,
      problem: error instanceof StoreWriteError ? error.problem : undefined,
      cause: cause instanceof Error ? sentError(cause) : undefined,
    }),
  };
}

/** The error as it was thrown. */
export function receivedError({ name, message, stack, code, errcode, problem, cause }: SentError): Error {
  const reason = cause && receivedError(cause);
  const error =
    problem === undefined ? new Error(message, reason && { cause: reason }) : new StoreWriteError(problem, reason);
  return Object.assign(error, name === error.name ? {} : { name }, present({ stack, code, errcode }));
}

/** The rows of a new batch, on their way: the thread asks for some at a time, and waits for them in a transaction. */
export interface ComingRows {
  readonly port: MessagePort;
  /** Incremented with every message to the thread. */
  readonly sent: SharedArrayBuffer;
}

/** Some rows, or why there are no more. */
type RowsPiece = { readonly rows: readonly Row[]; readonly isLast: boolean } | { readonly error: SentError };

const ROWS_SENT = 200;

/**
 * Sends rows as they are asked for. `onLost` is called with whatever the iterable throws, before the thread hears of
 * it.
 */
export function sendRows(rows: Iterable<Row>, port: MessagePort, onLost: (error: unknown) => void): ComingRows['sent'] {
  const sent = new SharedArrayBuffer(4);
  const iterator = rows[Symbol.iterator]();
  port.on('message', () => {
    try {
      port.postMessage(nextRows(iterator, onLost));
    } catch (error) {
      // A row cannot be sent, and the thread must not wait for it for ever.
      onLost(error);
      port.postMessage({ error: sentError(error) } satisfies RowsPiece);
    } finally {
      countUp(sent);
    }
  });
  port.on('close', () => iterator.return?.());
  return sent;
}

function nextRows(iterator: Iterator<Row>, onLost: (error: unknown) => void): RowsPiece {
  try {
    const rows: Row[] = [];
    while (rows.length < ROWS_SENT) {
      const next = iterator.next();
      if (next.done === true) return { rows, isLast: true };
      rows.push(next.value);
    }
    return { rows, isLast: false };
  } catch (error) {
    onLost(error);
    return { error: sentError(error) };
  }
}

/** The rows that {@link sendRows} sends; the next are on their way while some are written. */
export function* receivedRows({ port, sent }: ComingRows): Generator<Row> {
  port.postMessage('more');
  try {
    for (let isLast = false; !isLast;) {
      const piece = awaited(port, sent);
      if ('error' in piece) throw receivedError(piece.error);
      ({ isLast } = piece);
      if (!isLast) port.postMessage('more');
      yield* piece.rows;
    }
  } finally {
    port.close();
  }
}

function awaited(port: MessagePort, sent: SharedArrayBuffer): RowsPiece {
  for (;;) {
    const count = Atomics.load(new Int32Array(sent), 0);
    const received: { readonly message: RowsPiece } | undefined = receiveMessageOnPort(port);
    if (received !== undefined) return received.message;
    waitBeyond(sent, count);
  }
}

/** Wakes the thread that waits for this count to change. */
function countUp(counter: SharedArrayBuffer): void {
  Atomics.add(new Int32Array(counter), 0, 1);
  Atomics.notify(new Int32Array(counter), 0);
}

/** Blocks until the count changes. */
function waitBeyond(counter: SharedArrayBuffer, count: number): void {
  Atomics.wait(new Int32Array(counter), 0, count);
}
