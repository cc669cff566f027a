/** Copies the tables of a store from one database to another, of any kind, and compares the results. */
import { createHash, type Hash } from 'node:crypto';
import { crashPoint } from '../../crash-point.ts';
import type { Database, SqlValue } from '../open/database.ts';
import { OF_CONNECTION, OF_PLACE } from './move-mark.ts';

/** The tables with the columns that identify their rows, each after those that it refers to. */
export const MOVED_TABLES: Readonly<Record<string, readonly string[]>> = {
  meta: ['key'],
  folders: ['seq'],
  batches: ['seq'],
  rows: ['seq'],
  row_contents: ['row'],
  problems: ['seq'],
  nights: ['id'],
  tasks: ['id'],
  outputs: ['task', 'position'],
  attempts: ['id'],
  poll_answers: ['task'],
  events: ['seq'],
  completions: ['seq'],
  row_links: ['row', 'target'],
  unused_cells: ['row', 'cell'],
  edit_parts: ['batch', 'part'],
  seen_statuses: ['gateway', 'operation', 'status', 'has_url', 'has_ended', 'has_message', 'became'],
  batch_changes: ['seq'],
  seen_answers: ['gateway', 'operation', 'call', 'http_status', 'look', 'became'],
  seen_measures: ['gateway', 'operation', 'kind', 'at'],
  idempotency_proofs: ['gateway', 'header'],
  forecasts: ['batch', 'night'],
  kept_charges: ['batch', 'account', 'night', 'slot', 'operation', 'currency', 'cost_currency'],
  batch_counts: ['batch'],
  leases: ['account'],
  workers: ['holder'],
};

/** Few enough that the longest answers of a gateway do not fill the memory at once. */
const ROWS_AT_A_TIME = 256;

/** How many rows a table has, and what is in them. */
export interface TableDigest {
  readonly table: string;
  readonly rows: number;
  /** SHA-256 of all values in the order of the keys, in hexadecimal. */
  readonly sha256: string;
}

type Columns = Readonly<Record<string, SqlValue>>;

function isOfPlace(key: string): boolean {
  return OF_PLACE.has(key) || key.startsWith(OF_CONNECTION);
}

/** The rows of a table in order of key, some at a time; what belongs to the place is left out. */
function* rowsOf(db: Database, table: string): Generator<readonly Columns[]> {
  const keys = MOVED_TABLES[table] ?? [];
  const list = keys.join(', ');
  const order = `ORDER BY ${list} LIMIT ${ROWS_AT_A_TIME}`;
  const first = db.prepare<Columns>(`SELECT * FROM ${table} ${order}`);
  const next = db.prepare<Columns>(
    `SELECT * FROM ${table} WHERE (${list}) > (${keys.map(() => '?').join(', ')}) ${order}`,
  );
  for (let found = first.all(); found.length > 0;) {
    const last = found.at(-1);
    yield table === 'meta' ? found.filter(({ key }) => typeof key === 'string' && !isOfPlace(key)) : found;
    if (found.length < ROWS_AT_A_TIME || last === undefined) return;
    found = next.all(...keys.map((key) => last[key] ?? null));
  }
}

/** Removes everything of an earlier store from a place, except what belongs to the place. */
export function emptyTables(db: Database): void {
  const kept = [...OF_PLACE].map((key) => `'${key}'`).join(', ');
  for (const table of Object.keys(MOVED_TABLES).toReversed()) {
    // One table at a time: all would be too much for one transaction.
    db.transaction(
      () =>
        void db
          .prepare(
            `DELETE FROM ${table}${table === 'meta' ? ` WHERE key NOT IN (${kept}) AND key NOT LIKE '${OF_CONNECTION}%'` : ''}`,
          )
          .run(),
    );
  }
}

/** Copies a table, and returns a digest of what was read. */
export function copyTable(from: Database, to: Database, table: string): TableDigest {
  let insert: ((rows: readonly (readonly SqlValue[])[]) => void) | undefined;
  let names: readonly string[] = [];
  return digestOf(table, rowsOf(from, table), (rows) => {
    if (insert === undefined) {
      names = Object.keys(rows[0] ?? {});
      insert = to.prepareInserts(table, names.join(', '));
    }
    const write = insert;
    to.transaction(() => write(rows.map((row) => names.map((name) => row[name] ?? null))));
    crashPoint('move.rows-written');
  });
}

/** A digest of what is in a table. */
export function tableDigest(db: Database, table: string): TableDigest {
  return digestOf(table, rowsOf(db, table), () => undefined);
}

function digestOf(
  table: string,
  pieces: Iterable<readonly Columns[]>,
  each: (rows: readonly Columns[]) => void,
): TableDigest {
  const hash = createHash('sha256');
  let count = 0;
  for (const rows of pieces) {
    if (rows.length === 0) continue;
    for (const row of rows) addRow(hash, row);
    count += rows.length;
    each(rows);
  }
  return { table, rows: count, sha256: hash.digest('hex') };
}

/** Names and values, each with its length, so that no two different rows give the same bytes. */
function addRow(hash: Hash, row: Columns): void {
  for (const name of Object.keys(row).toSorted()) {
    const value = row[name] ?? null;
    const isBytes = value instanceof Uint8Array;
    const text = isBytes ? String(value.length) : JSON.stringify(value);
    hash.update(`${name} ${text.length} ${text}\n`);
    if (isBytes) hash.update(value);
  }
  hash.update('\n');
}
