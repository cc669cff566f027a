/**
 * What the database itself saw of a fleet: who wrote what, and who had the right to do so at that moment. It uses
 * triggers and queries of its own, not the code that is judged.
 */
import path from 'node:path';
import pg from 'pg';

export const SCHEMA = 'fleet';

/** An intent as it was written, with the lease of its account at that moment. */
interface WrittenIntent {
  readonly at: number;
  readonly writer: string;
  readonly task: number;
  readonly began: number;
  readonly holder: string | null;
  readonly until: number | null;
}

/** A change of a task that was in flight. */
interface WrittenMove {
  readonly writer: string;
  readonly task: number;
  readonly was: string;
  readonly became: string;
  readonly holders: readonly string[];
}

interface WrittenLease {
  readonly account: string;
  readonly began: number;
  readonly was_holder: string;
  readonly holder: string;
  readonly was_epoch: number;
  readonly epoch: number;
  readonly was_until: number;
  readonly until: number;
}

/** A task as the store has it. */
export interface StoredTask {
  readonly id: number;
  readonly row: string;
  readonly status: string;
  readonly taskCode: string | null;
  readonly failure: string | null;
  readonly outputs: readonly { readonly path: string | null; readonly sha256: string | null }[];
  readonly attempts: readonly {
    readonly bodySha256: string;
    readonly outcome: string | null;
    readonly origin: string;
  }[];
  /** Its outcome was unknown at some time. */
  readonly wasUnknown: boolean;
}

export interface StoredBatch {
  readonly seq: number;
  readonly id: string;
  readonly state: string;
  readonly pause: string | null;
}

const NOW = 'extract(epoch from clock_timestamp()) * 1000';
const BEGAN = 'extract(epoch from transaction_timestamp()) * 1000';

const TRIGGERS = `
  CREATE SCHEMA audit;
  CREATE TABLE audit.intents (seq bigserial, at float8, began float8, writer text, task bigint, holder text, until float8);
  CREATE TABLE audit.moves (seq bigserial, at float8, writer text, task bigint, was text, became text, holders text[]);
  CREATE TABLE audit.leases (seq bigserial, account text, began float8, was_holder text, holder text, was_epoch bigint,
    epoch bigint, was_until float8, until float8);
  CREATE FUNCTION audit.intent() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit.intents (at, began, writer, task, holder, until)
      SELECT ${NOW}, ${BEGAN}, current_setting('application_name'), NEW.task, holder, until
      FROM (VALUES (1)) AS one LEFT JOIN ${SCHEMA}.leases ON account = NEW.origin || ' ' || NEW.key_fingerprint;
    RETURN NULL; END $$;
  CREATE FUNCTION audit.move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit.moves (at, writer, task, was, became, holders)
      SELECT ${NOW}, current_setting('application_name'), NEW.id, OLD.status, NEW.status, ARRAY(
        SELECT holder FROM ${SCHEMA}.leases WHERE account = 'download ' || NEW.id OR account = (
          SELECT origin || ' ' || key_fingerprint FROM ${SCHEMA}.attempts WHERE task = NEW.id ORDER BY id DESC LIMIT 1));
    RETURN NULL; END $$;
  CREATE FUNCTION audit.lease() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO audit.leases (account, began, was_holder, holder, was_epoch, epoch, was_until, until)
      VALUES (NEW.account, ${BEGAN}, OLD.holder, NEW.holder, OLD.epoch, NEW.epoch, OLD.until, NEW.until);
    RETURN NULL; END $$;
  CREATE TRIGGER audit AFTER INSERT ON ${SCHEMA}.attempts FOR EACH ROW EXECUTE FUNCTION audit.intent();
  CREATE TRIGGER audit AFTER UPDATE ON ${SCHEMA}.tasks FOR EACH ROW
    WHEN (OLD.status <> NEW.status AND OLD.status IN ('submitting', 'rendering', 'downloading'))
    EXECUTE FUNCTION audit.move();
  CREATE TRIGGER audit AFTER UPDATE ON ${SCHEMA}.leases FOR EACH ROW EXECUTE FUNCTION audit.lease();
`;

const PAUSE_MS = 200;
/** If the server does not come back within this time, that is not our fault. */
const PATIENCE_MS = 120_000;

export class Audit {
  readonly #socket: string;
  #client: pg.Client | undefined;
  #last: Promise<unknown> = Promise.resolve();

  /** @param socket The folder of the server's socket. */
  constructor(socket: string) {
    this.#socket = socket;
  }

  /** Begins to watch a store, as soon as somebody has made it. */
  async watch(): Promise<void> {
    const isMade = async (): Promise<boolean> =>
      (await this.#ask<{ made: boolean }>(`SELECT to_regclass('${SCHEMA}.leases') IS NOT NULL AS made`))[0]?.made ===
      true;
    const until = performance.now() + PATIENCE_MS;
    while (!(await isMade())) {
      if (performance.now() > until) throw new Error('No worker has made the store.');
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
    await this.#ask(TRIGGERS);
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => undefined);
  }

  /** The accounts that a worker has now, by the origins of their gateways, each with its epoch. */
  async leasesOf(life: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#ask<{ readonly account: string; readonly epoch: string }>(
      `SELECT account, epoch FROM ${SCHEMA}.leases WHERE split_part(holder, ' ', 1) = $1 AND until > ${NOW}
        AND account NOT LIKE 'download %'`,
      [life],
    );
    return new Map(rows.map(({ account, epoch }) => [account, Number(epoch)]));
  }

  /** For leases that somebody had: how many have ended, and how many of those somebody else now has. */
  async ended(leases: ReadonlyMap<string, number>): Promise<{ readonly over: number; readonly taken: number }> {
    const rows = await this.#ask<{ readonly account: string; readonly epoch: string; readonly live: boolean }>(
      `SELECT account, epoch, until > ${NOW} AS live FROM ${SCHEMA}.leases WHERE account = ANY($1)`,
      [[...leases.keys()]],
    );
    const taken = rows.filter(({ account, epoch }) => Number(epoch) !== leases.get(account)).length;
    return {
      taken,
      over: taken + rows.filter((row) => Number(row.epoch) === leases.get(row.account) && !row.live).length,
    };
  }

  /** Tasks in flight at these accounts, in any batch. */
  async inFlight(accounts: Iterable<string>): Promise<readonly number[]> {
    const rows = await this.#ask<{ readonly id: string }>(
      `SELECT id FROM ${SCHEMA}.tasks AS t WHERE status IN ('submitting', 'rendering', 'downloading') AND (
        SELECT origin || ' ' || key_fingerprint FROM ${SCHEMA}.attempts WHERE task = t.id ORDER BY id DESC LIMIT 1) = ANY($1)`,
      [[...accounts]],
    );
    return rows.map(({ id }) => Number(id));
  }

  async batch(name: string): Promise<StoredBatch | undefined> {
    const [row] = await this.#ask<{
      seq: string;
      id: string;
      state: string;
      pause: string | null;
      stops: string | null;
    }>(`SELECT seq, id, state, pause, stops FROM ${SCHEMA}.batches WHERE name = $1`, [name]);
    return row && { seq: Number(row.seq), id: row.id, state: row.state, pause: row.pause ?? row.stops };
  }

  /** How many tasks of a batch are in each status, and how often anything has happened to any. */
  async progress(
    batch: number,
  ): Promise<{ readonly counts: Readonly<Record<string, number>>; readonly events: number }> {
    const rows = await this.#ask<{ readonly status: string; readonly count: string }>(
      `SELECT status, count(*) FROM ${SCHEMA}.tasks WHERE batch = $1 AND superseded = 0 GROUP BY status`,
      [batch],
    );
    const [last] = await this.#ask<{ readonly seq: string }>(
      `SELECT coalesce(max(seq), 0) AS seq FROM ${SCHEMA}.events`,
    );
    return {
      counts: Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)])),
      events: Number(last?.seq),
    };
  }

  async tasks(batch: number): Promise<readonly StoredTask[]> {
    const rows = await this.#ask<Omit<StoredTask, 'id'> & { readonly id: string }>(
      `SELECT id, row_id AS row, status, task_code AS "taskCode", state::json -> 'failure' ->> 'message' AS failure,
        (SELECT coalesce(json_agg(json_build_object('path', path, 'sha256', sha256)), '[]') FROM ${SCHEMA}.outputs
          WHERE task = t.id) AS outputs,
        (SELECT coalesce(json_agg(json_build_object('bodySha256', body_sha256, 'outcome', outcome, 'origin', origin)
          ORDER BY id), '[]') FROM ${SCHEMA}.attempts WHERE task = t.id) AS attempts,
        EXISTS (SELECT FROM ${SCHEMA}.events WHERE task = t.id AND event LIKE '%outcome-unknown%') AS "wasUnknown"
        FROM ${SCHEMA}.tasks AS t WHERE batch = $1 AND superseded = 0 ORDER BY id`,
      [batch],
    );
    return rows.map((row) => ({ ...row, id: Number(row.id) }));
  }

  /** Everything that was written since the last call; each once. */
  async take(): Promise<{
    readonly intents: readonly WrittenIntent[];
    readonly moves: readonly WrittenMove[];
    readonly leases: readonly WrittenLease[];
  }> {
    const numbered = <T>(row: T): T =>
      Object.fromEntries(
        Object.entries(row as Record<string, unknown>).map(([key, value]) => [
          key,
          typeof value === 'string' && /^\d+$/u.test(value) ? Number(value) : value,
        ]),
      ) as T;
    const taken = async <T extends pg.QueryResultRow>(table: string): Promise<readonly T[]> =>
      (await this.#ask<T>(`DELETE FROM audit.${table} RETURNING *`)).map(numbered);
    return {
      intents: await taken<WrittenIntent>('intents'),
      moves: await taken<WrittenMove>('moves'),
      leases: await taken<WrittenLease>('leases'),
    };
  }

  /** Asks one question at a time. */
  #ask<T extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly T[]> {
    const answer = this.#last.then(() => this.#askNow<T>(sql, values));
    this.#last = answer.catch(() => undefined);
    return answer;
  }

  /** Asks again while the server is away, because an observer has to be patient, too. */
  async #askNow<T extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<readonly T[]> {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        this.#client ??= await this.#connect();
        return (await this.#client.query<T>(sql, values === undefined ? undefined : [...values])).rows;
      } catch (error) {
        if (this.#client !== undefined && error instanceof pg.DatabaseError && error.code?.startsWith('57') !== true)
          throw error;
        this.#client = undefined;
        if (performance.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({ host: path.resolve(this.#socket), user: 'postgres', database: 'postgres' });
    client.on('error', () => {
      if (this.#client === client) this.#client = undefined;
    });
    await client.connect();
    return client;
  }
}
