import { reason, systemSays } from '../../../shared/domain/base/reason.ts';
import { hostname } from 'node:os';
import { threadId } from 'node:worker_threads';
import {
  ROWS_AT_ONCE,
  type ColumnQuery,
  type Database,
  type PageAt,
  type SqlValue,
  type Statement,
} from '../open/database.ts';
import { storeProblem, StoreWriteError, type StoreProblem } from '../open/store-problem.ts';
import { toPostgres } from './dialect.ts';
import type { StoreAddress } from './store-address.ts';
import { Patience } from './patience.ts';
import { InDoubtError, isLost, isPlanOver, type Doubt, type Ending } from './doubt.ts';
import { WriteNotes } from './write-notes.ts';
import { setZone, setupOf } from './session-setup.ts';
import { StoreLocks, type StoreLock } from './store-locks.ts';
import { ConnectionLostError, SynchronousConnection, type PostgresResult } from './synchronous-connection.ts';

/** The server truncates longer names. */
const LONGEST_NAME = 63;
/** How many connections this thread has made. */
let made = 0;

/**
 * A store's schema in a PostgreSQL database. One transaction at a time writes to it, from whichever process; each first
 * learns whether another process has written since.
 */
export class PostgresDatabase implements Database {
  readonly place: string;
  /** The name by which the server and other processes see this connection; it is unique. */
  readonly #name = `nocturne ${process.pid}.${threadId}.${(made += 1)} on ${hostname()}`.slice(0, LONGEST_NAME);
  readonly #connection: SynchronousConnection;
  #hasConnected = false;
  readonly #schema: string;
  readonly #locks: StoreLocks;
  readonly #isReader: boolean;
  readonly itemsAtOnce = 500;
  #written = 0;
  readonly #notes: WriteNotes;
  readonly #names = new Map<string, string>();
  #state: 'lost' | 'idle' | 'asking' | 'writing' | 'closed' = 'lost';
  /** The number of the last write that is known here; undefined if what is remembered may be out of date. */
  #seen: number | undefined;
  readonly #patience = new Patience();
  /** A transaction in doubt: nothing else begins before its outcome is known. */
  #doubt: Doubt | undefined;
  /** Forgets what was remembered from an earlier state. */
  #forget: (isAll: boolean) => void = () => undefined;
  /** The only version of the schema that is read and written; undefined for any. */
  #version: number | undefined;
  #zone: string | undefined;
  /** Restores what a lost connection has taken with it. */
  #onConnected: () => void = () => undefined;

  /** @param isReader Whether to refuse every write, even one made by mistake. */
  constructor(address: StoreAddress, isReader: boolean) {
    this.place = address.shown;
    this.#isReader = isReader;
    this.#schema = address.schema;
    this.#locks = new StoreLocks(address.schema);
    this.#connection = new SynchronousConnection(address, this.#name);
    this.#notes = new WriteNotes(this.#connection);
  }

  /**
   * @param forget Called in the transaction that finds that another process has written. `isAll`: a transaction of this
   * process has failed, and what was remembered in it was never committed.
   */
  onOthersWrote(forget: (isAll: boolean) => void): void {
    this.#forget = forget;
  }

  /** From now on, the schema is neither read nor written once it has another version. */
  keepTo(version: number): void {
    this.#version = version;
  }

  /** From now on, days are separated by this time zone instead of this computer's. */
  useZone(zone: string): void {
    this.#zone = zone;
    this.#ask(() => setZone((sql) => this.#connection.run(sql), zone));
  }

  /** @param again Called for each new connection from now on, before anything else is asked. */
  onConnected(again: () => void): void {
    this.#onConnected = again;
  }

  prepare<R = never>(sql: string): Statement<R> {
    const statement = toPostgres(sql);
    const query = (values: readonly SqlValue[], text = statement): PostgresResult => this.#query(text, values);
    const all = (values: readonly SqlValue[]): readonly R[] => rowsOf(query(values)) as readonly R[];
    return {
      get: (...values) => all(values)[0],
      all: (...values) => all(values),
      run: (...values) => query(values).changed,
      // The key is the first column of every table that generates one.
      insert: (...values) => Number(query(values, `${statement} RETURNING *`).rows[0]?.[0]),
    };
  }

  prepareColumn<V extends SqlValue>(sql: string): ColumnQuery<V> {
    const statement = toPostgres(sql);
    return (...values) => this.#query(statement, values).rows.map((row) => row[0] as V);
  }

  prepareInserts(table: string, columns: string): (rows: readonly (readonly SqlValue[])[]) => void {
    const one = `(${columns.replace(/\w+/g, '?')})`;
    const insert = `INSERT INTO ${table} (${columns}) VALUES `;
    const single = toPostgres(insert + one);
    const many = toPostgres(insert + Array.from({ length: ROWS_AT_ONCE }, () => one).join(', '));
    return (rows) => {
      let at = 0;
      for (; at + ROWS_AT_ONCE <= rows.length; at += ROWS_AT_ONCE) {
        this.#query(many, rows.slice(at, at + ROWS_AT_ONCE).flat());
      }
      for (const values of rows.slice(at)) this.#query(single, values);
    };
  }

  exec(sql: string): void {
    this.#ask(() => this.#connection.run(sql));
  }

  /**
   * As in the interface. Inside another transaction, it is part of that one. If the connection is lost before the end,
   * it is made again, and `work` is repeated.
   */
  transaction<T>(work: () => T): T {
    if (this.#state === 'writing') return work();
    return this.#patiently(() =>
      this.#write((takeTurn) => {
        takeTurn(`${BEGIN}; `);
        return work();
      }),
    );
  }

  /**
   * Runs only once: `work` cannot be repeated. Others write meanwhile, however long it takes, so `work` must write only
   * what nobody sees or relies on before the commit, and nothing that another transaction could wait for. `end` takes
   * its turn among the writers.
   */
  transactionApart<T>(work: () => T, end: () => void): T {
    if (this.#state === 'writing') throw new Error('Within another transaction, nothing is apart.');
    this.#patiently(() => this.#ready());
    return this.#write((takeTurn) => {
      this.#connection.run(BEGIN);
      const result = work();
      takeTurn('');
      end();
      return result;
    });
  }

  snapshot<T>(ask: () => T): T {
    if (this.#state === 'writing' || this.#state === 'asking') return ask();
    try {
      return this.#patiently(() => {
        this.#ready();
        this.#state = 'asking';
        try {
          this.#learn('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', READ_WRITES);
          return ask();
        } finally {
          this.#end('COMMIT');
        }
      });
    } catch (error) {
      if (!isLost(error) || error instanceof StoreWriteError) throw error;
      throw new StoreWriteError(storeProblem('away', reason('store.error', this.place, systemSays(error))), error);
    }
  }

  *pages<T, Place>(first: Place, read: (place: Place) => PageAt<T, Place>): Generator<readonly T[]> {
    for (let place: Place | undefined = first; place !== undefined;) {
      const from: Place = place;
      // If a lost connection cuts a page off, the page is read again from its start on the next connection.
      const { items, next }: PageAt<T, Place> = this.snapshot(() => read(from));
      yield items;
      place = next;
    }
  }

  get written(): number {
    return this.#written;
  }

  hasColumn(table: string, column: string): boolean {
    const found = this.#query(
      'SELECT 1 FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2 AND column_name = $3',
      [this.#schema, table, column],
    );
    return found.rows.length > 0;
  }

  /** PostgreSQL checks its pages itself. */
  checkIntegrity(): readonly string[] {
    return [];
  }

  /** Runs `work` in one transaction while nobody else has this lock; for when there is no store yet. */
  alone<T>(lock: StoreLock, work: () => T): T {
    this.#patiently(() => this.#ready());
    this.#state = 'writing';
    try {
      this.#connection.run(`${BEGIN}; ${this.lockStatement(lock)}`);
      const result = work();
      this.#connection.run('COMMIT');
      this.#state = 'idle';
      return result;
    } catch (error) {
      this.#end('ROLLBACK');
      throw error;
    }
  }

  /** Has the server gather statistics about the tables, by which it plans queries. */
  countAnew(): void {
    try {
      this.exec('ANALYZE batches, rows, row_contents, problems, tasks, outputs, attempts, events');
    } catch (error) {
      // What was written before stands, and the server gathers statistics by itself a minute later.
      if (!isLost(error)) throw error;
    }
  }

  /**
   * Takes a lock that lasts as long as the connection, alone or with others; false if another process has a conflicting
   * one.
   */
  tryLock(lock: StoreLock, isShared = false): boolean {
    const [taken] = this.#ask(() => this.#connection.run(this.#locks.tryTake(lock, isShared)));
    return taken?.rows[0]?.[0] === 1;
  }

  /** Gives back a lock that was taken alone. */
  unlock(lock: StoreLock): void {
    this.#ask(() => this.#connection.run(this.#locks.giveBack(lock)));
  }

  /** The name of the connection that has a lock; undefined if nobody, or another program, has it. */
  holderOf(lock: StoreLock): string | undefined {
    const [found] = this.#ask(() => this.#connection.run(this.#locks.holderOf(lock)));
    const name = found?.rows[0]?.[0];
    const [, pid, host] = /^nocturne (\d+)\S* on (.*)$/u.exec(String(name)) ?? [];
    return pid === undefined || host === undefined ? undefined : `process ${pid} on ${host}`;
  }

  claim(name: string): boolean {
    return this.#connection.run(this.#locks.tryClaim(name))[0]?.rows[0]?.[0] === 1;
  }

  /** The statement that waits for a lock until the transaction that takes it ends. */
  lockStatement(lock: StoreLock): string {
    return this.#locks.takeInTurn(lock);
  }

  /** The time by the server's clock, which is the same for all who share the store: milliseconds since the epoch. */
  now(): number {
    const { rows } = this.#query('SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS DOUBLE PRECISION)', []);
    return Number(rows[0]?.[0]);
  }

  get isOpen(): boolean {
    return this.#state !== 'closed';
  }

  close(): void {
    if (this.#state === 'closed') return;
    if (this.#state === 'idle' && this.#doubt === undefined) this.#notes.remove();
    this.#state = 'closed';
    this.#connection.close();
  }

  /** @param work Calls `takeTurn` to wait for its turn, after which nobody else writes until the end. */
  #write<T>(work: (takeTurn: (begin: string) => void) => T): T {
    this.#ready();
    this.#state = 'writing';
    let transaction = '';
    let result: T;
    try {
      result = work((begin) => {
        transaction = this.#learn(`${begin}${this.lockStatement('writer')}`, READ_WRITES_OF_TRANSACTION);
      });
      this.#notes.note();
    } catch (error) {
      this.#seen = undefined;
      this.#end('ROLLBACK');
      throw error;
    }
    const seen = this.#seen;
    this.#seen = undefined;
    try {
      this.#connection.run('COMMIT', LONGEST_TURN_MS);
      this.#state = 'idle';
    } catch (error) {
      // This includes an error that reports the loss: something in between may have lost the server after it had
      // committed.
      if (!isLost(error)) {
        this.#end('ROLLBACK');
        throw error;
      }
      this.#state = 'lost';
      // The transaction counts neither as refused nor as done: retrying what was done would do it twice.
      const doubt: Doubt = { transaction, attempt: this.#notes.latest, ending: undefined };
      this.#doubt = doubt;
      if (this.#settled(doubt) === 'aborted') throw error;
    }
    this.#written += 1;
    this.#seen = seen === undefined ? undefined : seen + 1;
    return result;
  }

  /** The outcome of the transaction that has just failed. */
  #settled(doubt: Doubt): Ending {
    // A connection that got as far as its COMMIT had found the server.
    this.#patience.startOver();
    try {
      this.#patiently(() => this.#ready());
    } catch (error) {
      throw new InDoubtError(doubt, error);
    }
    if (doubt.ending === undefined) throw new Error('A transaction is still in doubt.');
    return doubt.ending;
  }

  /**
   * Settles what is in doubt. Throws while the server is away.
   * @param isPatient Whether to wait as if the loss had only just been noticed.
   */
  settle(isPatient = false): void {
    if (isPatient) this.#patience.startOver();
    this.#patiently(() => this.#ready());
  }

  /** Connects, and settles what is in doubt: whatever begins now can rely on what is known. */
  #ready(): void {
    this.#connected();
    if (this.#doubt === undefined) return;
    this.#doubt.ending = this.#notes.endingOf(this.#doubt);
    this.#doubt = undefined;
  }

  /** Begins a transaction, and forgets what was remembered if another process has written since. */
  #learn(begin: string, read: string): string {
    const results = this.#connection.run(`${begin}; ${read}`, LONGEST_TURN_MS);
    const [writes, version, transaction] = results.at(-1)?.rows[0] ?? [];
    const { place } = this;
    if (this.#version !== undefined && Number(version) !== this.#version) {
      const kind = Number(version) > this.#version ? 'newer' : 'older';
      throw new StoreWriteError(storeProblem(kind, reason('store.otherVersion', place, String(version))), undefined);
    }
    const now = Number(writes ?? 0);
    const seen = this.#seen;
    this.#seen = undefined;
    if (now !== seen) this.#forget(seen === undefined);
    this.#seen = now;
    return String(transaction);
  }

  /** Ends a transaction that has nothing to keep; if the connection is gone, the transaction has ended with it. */
  #end(how: 'COMMIT' | 'ROLLBACK'): void {
    if (this.#state === 'lost') return;
    this.#state = 'idle';
    try {
      this.#connection.run(how);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      this.#state = 'lost';
    }
  }

  /** Connects if there is no connection. */
  #connected(): void {
    if (this.#state === 'closed') throw new Error('The store is closed.');
    if (this.#state !== 'lost') return;
    const readOnly = `SET default_transaction_read_only TO ${this.#isReader ? 'on' : 'off'}`;
    const said = this.#connection.connect(`${setupOf(this.#schema)}; ${readOnly}; SELECT pg_backend_pid()`);
    const [behind, before] = said.slice(-2).map(({ rows }) => rows[0]?.[0]);
    if (behind !== before) throw new StoreWriteError(poolerProblem(this.place), undefined);
    setZone((sql) => this.#connection.run(sql), this.#zone);
    this.#state = 'idle';
    try {
      if (this.#hasConnected) this.#endEarlier();
      this.#hasConnected = true;
      this.#onConnected();
    } catch (error) {
      // What must hold for each connection is checked again at the next try.
      this.#state = 'lost';
      throw error;
    }
  }

  /**
   * Ends the previous connection: the server may not know yet that it is gone, and its locks would have to be waited
   * for.
   */
  #endEarlier(): void {
    this.#connection.query(
      'end-earlier',
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE application_name = $1 AND usename = current_user AND pid <> pg_backend_pid()`,
      [this.#name],
    );
  }

  #query(sql: string, values: readonly SqlValue[]): PostgresResult {
    const name = this.#names.get(sql) ?? `s${this.#names.size + 1}`;
    this.#names.set(sql, name);
    return this.#ask(() => this.#connection.query(name, sql, values));
  }

  #ask<T>(ask: () => T): T {
    // Not inside a transaction: a new connection could not continue it.
    if (this.#state === 'idle' || this.#state === 'lost') this.#connected();
    try {
      return ask();
    } catch (error) {
      if (isLost(error)) this.#state = 'lost';
      if (!isPlanOver(error)) throw error;
      // Only a new connection prepares statements again.
      this.#state = 'lost';
      throw new ConnectionLostError(error.message, error.code);
    }
  }

  /** See {@link Patience.try}. */
  #patiently<T>(work: () => T): T {
    return this.#patience.try(work, () => {
      if (this.#state !== 'closed') this.#state = 'lost';
    });
  }
}

/**
 * Longer than the server lets anybody wait for a lock, and so for a turn to write; beginning or ending a turn takes no
 * time.
 */
const LONGEST_TURN_MS = 45_000;

/**
 * A pooler between here and the server answers with a process id of its own, and may run each transaction in another
 * process of the server: a session's locks, settings and prepared statements would then be somebody else's.
 */
function poolerProblem(place: string): StoreProblem {
  return storeProblem('unsafe', reason('store.pooler', place), reason('storeRemedy.behindPooler'));
}

/**
 * Set explicitly, whatever the database's defaults: reads after taking the lock must see what was committed before it.
 */
const BEGIN = 'BEGIN ISOLATION LEVEL READ COMMITTED';
const VERSION = "(SELECT value FROM meta WHERE key = 'schema version')";
const READ_WRITES = `SELECT value, ${VERSION} FROM meta WHERE key = 'writes'`;
const READ_WRITES_OF_TRANSACTION = `SELECT value, ${VERSION}, CAST(pg_current_xact_id() AS TEXT) FROM meta WHERE key = 'writes'`;

function rowsOf({ columns, rows }: PostgresResult): readonly Readonly<Record<string, SqlValue>>[] {
  return rows.map((row) => {
    const columnsOfRow: Record<string, SqlValue> = {};
    for (let i = 0; i < columns.length; i += 1) columnsOfRow[columns[i] ?? ''] = row[i] ?? null;
    return columnsOfRow;
  });
}
