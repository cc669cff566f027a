/** A PostgreSQL of the bench's own, and what it has done: processor time, statements, rows, pages and log. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { startCluster, stopCluster } from '../../test/support/postgres-cluster.ts';

/** What the server has done since it was started, by name; the difference between two is what a piece of work took. */
export type Done = Readonly<Record<string, number>>;

export interface MeteredServer {
  /** The address of a store of this name. */
  readonly storeOf: (name: string) => string;
  readonly done: () => Promise<Done>;
  /** The statements that took longest since the last call, with their calls and milliseconds. */
  readonly longest: (most: number) => Promise<readonly string[]>;
}

/** The settings of a small server with its data on memory: commits are synced, and cost what the system call costs. */
const SETTINGS = [
  'shared_buffers=512MB',
  'max_wal_size=4GB',
  'shared_preload_libraries=pg_stat_statements',
  'pg_stat_statements.max=2000',
  'track_io_timing=off',
];

/** Runs a server in a folder during `work`. */
export async function withServerOfPostgres<T>(folder: string, work: (server: MeteredServer) => Promise<T>): Promise<T> {
  startCluster(folder, SETTINGS);
  const client = new pg.Client({ host: folder, user: 'postgres', database: 'postgres' });
  try {
    await client.connect();
    await client.query('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
    const postmaster = Number(readFileSync(path.join(folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
    return await work({
      storeOf: (name) =>
        `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}&schema=${encodeURIComponent(name)}`,
      done: async () => ({ ...(await counted(client)), cpuMs: processorMsOf(postmaster) }),
      longest: (most) => longestOf(client, most),
    });
  } finally {
    await client.end().catch(() => undefined);
    stopCluster(folder);
  }
}

const COUNTED = `
  SELECT d.xact_commit AS commits, d.blks_hit + d.blks_read AS buffers,
    (SELECT sum(calls) FROM pg_stat_statements WHERE dbid = d.datid AND toplevel) AS statements,
    (SELECT sum(seq_tup_read) FROM pg_stat_user_tables) AS "rowsByScan",
    (SELECT sum(idx_tup_fetch) FROM pg_stat_user_tables) AS "rowsByIndex",
    (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) FROM pg_stat_user_tables) AS "rowsWritten",
    (SELECT sum(n_tup_hot_upd) FROM pg_stat_user_tables) AS "rowsInPlace",
    (SELECT wal_bytes FROM pg_stat_wal) AS "logBytes", (SELECT wal_sync FROM pg_stat_wal) AS "logSyncs",
    pg_database_size(d.datid) AS bytes
  FROM pg_stat_database AS d WHERE datname = current_database()`;

async function counted(client: pg.Client): Promise<Done> {
  const { rows } = await client.query<Record<string, string | null>>(COUNTED);
  return Object.fromEntries(Object.entries(rows[0] ?? {}).map(([name, value]) => [name, Number(value ?? 0)]));
}

async function longestOf(client: pg.Client, most: number): Promise<readonly string[]> {
  const { rows } = await client.query<{ calls: string; ms: number; rows: string; query: string }>(
    `SELECT calls, total_exec_time AS ms, rows, query FROM pg_stat_statements
     WHERE toplevel ORDER BY total_exec_time DESC LIMIT ${most}`,
  );
  await client.query('SELECT pg_stat_statements_reset()');
  return rows.map(
    ({ calls, ms, query }) => `${Math.round(ms)} ms, ${calls} × ${query.replaceAll(/\s+/gu, ' ').slice(0, 150)}`,
  );
}

/** Ticks per second of the clock by which Linux counts processor time. */
const TICKS = 100;

/** Processor time of a process and of all that it has started, even if ended; 0 if Linux does not report it. */
export function processorMsOf(pid: number): number {
  let ticks = 0;
  for (const name of entriesOf('/proc')) {
    if (!/^\d+$/u.test(name)) continue;
    const fields = fieldsOf(name);
    if (Number(name) === pid) ticks += sum(fields.slice(11, 15));
    // A child that is still alive is not yet counted with its parent.
    else if (Number(fields[1]) === pid) ticks += sum(fields.slice(11, 13));
  }
  return (ticks * 1000) / TICKS;
}

/** The fields of `/proc/PID/stat` after the name, which may hold anything; empty if the process has ended. */
function fieldsOf(pid: string): readonly string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}

function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function sum(fields: readonly string[]): number {
  return fields.reduce((all, field) => all + Number(field), 0);
}
