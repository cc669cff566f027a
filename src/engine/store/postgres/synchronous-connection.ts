/** A connection to PostgreSQL whose answers are waited for in place, as SQLite's are: a thread of its own talks to it. */
import { MessageChannel, receiveMessageOnPort, type MessagePort, type Worker } from 'node:worker_threads';
import type { SqlValue } from '../open/database.ts';
import { startOwnThread, threadProgram } from '../../own-thread.ts';
import type { StoreAddress } from './store-address.ts';

export interface PostgresThreadInput {
  readonly connection: string;
  readonly applicationName: string;
  readonly port: MessagePort;
  /** Counted up with every answer. */
  readonly answered: SharedArrayBuffer;
}

export type PostgresRequest =
  /** Connects anew, and runs these statements first. */
  | { readonly kind: 'connect'; readonly setup: string }
  /** One statement with values, prepared once under its name; or several without. */
  | { readonly kind: 'query'; readonly sql: string; readonly name?: string; readonly values?: readonly SqlValue[] }
  | { readonly kind: 'end' };

/** What one statement gives: its rows, each as a list of values in the order of `columns`. */
export interface PostgresResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly SqlValue[])[];
  /** How many rows it changed. */
  readonly changed: number;
}

export type PostgresAnswer =
  | { readonly results: readonly PostgresResult[] }
  | { readonly error: { readonly message: string; readonly code: string | undefined; readonly isLost: boolean } };

/** The server did what it was asked, and failed at it; its state is as the error's code says. */
export class PostgresError extends Error {
  override readonly name: string = 'PostgresError';
  /** A code of https://www.postgresql.org/docs/15/errcodes-appendix.html, or of the system. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.code = code;
  }
}

/** There is no connection, or none any more: what was asked last may have been done. */
export class ConnectionLostError extends PostgresError {
  override readonly name = 'ConnectionLostError';
}

/** SQLSTATE of a connection that does not exist. */
const NO_CONNECTION = '08003';
/** SQLSTATE of a refused password, or of a server that is not believed to be the one, which the driver may find by itself. */
const NOT_AUTHORIZED = '28P01';
/** In place of what the driver says of its own steps. */
const NO_PASSWORD = 'The server asks for a password, and none is given.';
/** Longer than the server may take for one statement: by then nothing will come. */
const LONGEST_ANSWER_MS = 180_000;
/** So long a server may take to be told that nothing more comes. */
const LONGEST_END_MS = 3_000;

export class SynchronousConnection {
  readonly #address: StoreAddress;
  readonly #applicationName: string;
  #thread: { readonly worker: Worker; readonly port: MessagePort; readonly answered: Int32Array } | undefined;

  /** @param applicationName What the server's administrator, and other processes, see of this one. */
  constructor(address: StoreAddress, applicationName: string) {
    this.#address = address;
    this.#applicationName = applicationName;
  }

  /**
   * Connects, also anew, and runs these statements. Throws a {@link ConnectionLostError}. The last of the results is the number
   * by which the other end calls its process.
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
      // A server that says nothing finds out by itself.
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
    // Without a code, it is no answer of the server.
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
 * Stands still until the count of answers is another; false if that takes too long. A thread that counts an answer wakes
 * whoever waits a moment later, when the next question may be what is waited for: to be woken is not to be answered.
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

/** The server is there, and does not let this user in; another try would find the same. */
function isRefusal(words: string, code: string | undefined): boolean {
  if (code === undefined) return /^SASL|SSL connections/u.test(words);
  return /^(?:28|3D|42|53|0A)/u.test(code) || isOfCertificate(code);
}

/** A code of OpenSSL's verification, or of Node's comparison with the name of the host. */
function isOfCertificate(code: string): boolean {
  return /CERT|UNABLE_TO_(?:GET|VERIFY)|^ERR_(?:TLS|SSL)/u.test(code);
}
