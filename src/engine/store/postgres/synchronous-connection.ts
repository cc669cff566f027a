/**
 * A connection to PostgreSQL that blocks until an answer comes, as SQLite does: a separate thread talks to the server.
 */
import { MessageChannel, receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';
import type { SqlValue } from '../open/database.ts';
import { startOwnThread, threadProgram } from '../../own-thread.ts';
import type { StoreAddress } from './store-address.ts';

export interface PostgresThreadInput {
  readonly connection: string;
  readonly applicationName: string;
  readonly port: MessagePort;
  /** Incremented with every answer. */
  readonly answered: SharedArrayBuffer;
}

export type PostgresRequest =
  /** Connects again, and runs these statements first. */
  | { readonly kind: 'connect'; readonly setup: string }
  /** One statement with values, prepared once under its name, or several without values. */
  | { readonly kind: 'query'; readonly sql: string; readonly name?: string; readonly values?: readonly SqlValue[] }
  | { readonly kind: 'end' };

/** The result of one statement: its rows, each as a list of values in the order of `columns`. */
export interface PostgresResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** How many rows it changed. */
  readonly changed: number;
}

export type PostgresAnswer =
  | { readonly results: readonly PostgresResult[] }
  | { readonly error: { readonly message: string; readonly code: string | undefined; readonly isLost: boolean } };

/** The server tried and failed; its state follows from the error's code. */
export class PostgresError extends Error {
  override readonly name: string = 'PostgresError';
  /** A code of https://www.postgresql.org/docs/15/errcodes-appendix.html, or of the system. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** There is no connection, or it was lost: the last request may have been carried out. */
export class ConnectionLostError extends PostgresError {
  override readonly name = 'ConnectionLostError';
}

/** SQLSTATE of a connection that does not exist. */
const NO_CONNECTION = '08003';
/**
 * SQLSTATE of a refused password; also used if the server's identity cannot be verified, which the driver may find out
 * itself.
 */
const NOT_AUTHORIZED = '28P01';
/** Used instead of the driver's message, which is about its own steps. */
const NO_PASSWORD = 'The server asks for a password, and none is given.';
/** Longer than the server may take for one statement: after that, no answer will come. */
const LONGEST_ANSWER_MS = 180_000;
/** How long saying goodbye to a server may take. */
const LONGEST_END_MS = 3_000;

export class SynchronousConnection {
  readonly #address: StoreAddress;
  readonly #applicationName: string;
  #thread: { readonly worker: Worker; readonly port: MessagePort; readonly answered: Int32Array } | undefined;

  /** @param applicationName The name under which the server's administrator and other processes see this connection. */
  constructor(address: StoreAddress, applicationName: string) {
    this.#address = address;
    this.#applicationName = applicationName;
  }

  /**
   * Connects, or reconnects, and runs these statements. Throws a {@link ConnectionLostError}. The last result is the
   * process id of the other end.
   */
  connect(setup: string): readonly PostgresResult[] {
    return this.#ask({ kind: 'connect', setup });
  }

  /**
   * Runs several statements without values.
   * @param longestMs After this long without an answer, the connection counts as lost.
   */
  run(sql: string, longestMs?: number): readonly PostgresResult[] {
    return this.#ask({ kind: 'query', sql }, longestMs);
  }

  /** Runs one statement, which the server prepares once under its name. */
  query(name: string, sql: string, values: readonly SqlValue[]): PostgresResult {
    const [result] = this.#ask({ kind: 'query', name, sql, values });
    if (result === undefined) throw new Error('A statement without a result.');
    return result;
  }

  close(): void {
    if (this.#thread === undefined) return;
    try {
      this.#ask({ kind: 'end' }, LONGEST_END_MS);
    } catch (error) {
      // A silent server finds out by itself.
      if (!(error instanceof PostgresError)) throw error;
    } finally {
      this.#abandon();
    }
  }

  #ask(request: PostgresRequest, longestMs = LONGEST_ANSWER_MS): readonly PostgresResult[] {
    const { port, answered } = (this.#thread ??= this.#start());
    const before = Atomics.load(answered, 0);
    port.postMessage(request);
    if (!isAnswered(answered, before, longestMs)) {
      this.#abandon();
      throw new ConnectionLostError('The server does not answer.', NO_CONNECTION);
    }
    const received: { readonly message: PostgresAnswer } | undefined = receiveMessageOnPort(port);
    if (received === undefined) throw new Error('The thread of the connection has answered without an answer.');
    const { message } = received;
    if ('results' in message) return message.results;
    const { message: words, code, isLost } = message.error;
    if (isLost && !isRefusal(words, code)) throw new ConnectionLostError(words, NO_CONNECTION);
    if (isLost) {
      const isOwn = code === undefined || isOfCertificate(code);
      const isMissing = /^SASL.*password must be/u.test(words);
      throw new PostgresError(isMissing ? NO_PASSWORD : words, isOwn ? NOT_AUTHORIZED : code);
    }
    // Without a code, this is not an answer from the server.
    if (code === undefined) throw new Error(words);
    throw new PostgresError(words, code);
  }

  #abandon(): void {
    void this.#thread?.worker.terminate();
    this.#thread = undefined;
  }

  #start() {
    const { port1, port2 } = new MessageChannel();
    const answered = new SharedArrayBuffer(4);
    const input: PostgresThreadInput = {
      connection: this.#address.connection,
      applicationName: this.#applicationName,
      port: port2,
      answered,
    };
    const program = threadProgram('postgres-worker', import.meta.url);
    const worker = startOwnThread(program, {
      workerData: input,
      transferList: [port2],
      environment: this.#address.environment,
    });
    worker.unref();
    port1.unref();
    return { worker, port: port1, answered: new Int32Array(answered) };
  }
}

/**
 * Blocks until the count of answers changes; false if that takes too long. A thread that counts an answer wakes the
 * waiting one only a moment later, when that may already be waiting for the next answer: being woken does not mean
 * being answered.
 */
export function isAnswered(answered: Int32Array, before: number, longestMs: number): boolean {
  const until = performance.now() + longestMs;
  while (Atomics.load(answered, 0) === before) {
    const leftMs = until - performance.now();
    if (leftMs <= 0) return false;
    Atomics.wait(answered, 0, before, leftMs);
  }
  return true;
}

/** The server is there but does not let this user in; another try would end the same way. */
function isRefusal(words: string, code: string | undefined): boolean {
  if (code === undefined) return /^SASL|SSL connections/u.test(words);
  return /^(?:28|3D|42|53|0A)/u.test(code) || isOfCertificate(code);
}

/** A code from OpenSSL's verification, or from Node's check of the host name. */
function isOfCertificate(code: string): boolean {
  return /CERT|UNABLE_TO_(?:GET|VERIFY)|^ERR_(?:TLS|SSL)/u.test(code);
}
