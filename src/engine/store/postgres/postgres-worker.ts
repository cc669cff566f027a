/** The thread of a connection to PostgreSQL: the only place that loads the driver. */
import { setTimeout as delay } from 'node:timers/promises';
import { workerData } from 'node:worker_threads';
import type { Client, QueryArrayResult } from 'pg';
import type { SqlValue } from '../open/database.ts';
import { textOfStored, storedText } from './dialect.ts';
import type { PostgresAnswer, PostgresRequest, PostgresResult, PostgresThreadInput } from './synchronous-connection.ts';

const CONNECT_MS = 10_000;
/** How long to wait for a server that still answers when a connection ends. */
const END_MS = 1_000;
/** After this long, a silent connection is checked to see whether it is still there. */
const QUIET_MS = 20_000;

const { connection, applicationName, port, answered } = workerData as PostgresThreadInput;
let client: Client | undefined;
/** Why the connection can no longer be used. */
let lost: unknown;

port.on('message', (request: PostgresRequest) => {
  void answerTo(request).then((answer) => {
    port.postMessage(answer);
    Atomics.add(new Int32Array(answered), 0, 1);
    Atomics.notify(new Int32Array(answered), 0);
    if (request.kind === 'end') port.close();
  });
});

async function answerTo(request: PostgresRequest): Promise<PostgresAnswer> {
  try {
    switch (request.kind) {
      case 'connect':
        await disconnect();
        return { results: [...(await connect(request.setup)), resultOf(processIdOf(client))] };
      case 'query':
        return { results: await query(request) };
      case 'end':
        await disconnect();
        return { results: [] };
    }
  } catch (error) {
    const { code } = error as { readonly code?: unknown };
    return {
      error: {
        message: error instanceof Error && error.message !== '' ? error.message : String(code ?? error),
        code: typeof code === 'string' ? code : undefined,
        isLost: client === undefined || lost !== undefined,
      },
    };
  }
}

async function connect(setup: string): Promise<readonly PostgresResult[]> {
  lost = undefined;
  // Loaded here, so that the caller learns what is wrong with the driver.
  const { default: pg } = await import('pg');
  const made = new pg.Client({
    connectionString: connection,
    application_name: applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: QUIET_MS,
  });
  // Errors from an earlier connection are not about this one.
  made.on('error', (error: unknown) => {
    if (client === made) lost = error;
  });
  made.on('end', () => {
    if (client === made) lost ??= new Error('The connection has ended.');
  });
  await made.connect();
  client = made;
  return query({ kind: 'query', sql: setup });
}

/** From BackendKeyData, which the driver's types leave out. */
function processIdOf(of: unknown): number | null | undefined {
  return (of as { readonly processID?: number | null } | undefined)?.processID;
}

function resultOf(processId: number | null | undefined): PostgresResult {
  return { columns: ['pid'], rows: [[processId ?? null]], changed: 0 };
}

/** Does not wait for an answer: the server itself may be gone. */
async function disconnect(): Promise<void> {
  const before = client;
  client = undefined;
  if (before === undefined) return;
  const ended = before.end().catch(() => undefined);
  if (lost === undefined) await Promise.race([ended, delay(END_MS)]);
}

async function query({ sql, name, values }: Extract<PostgresRequest, { kind: 'query' }>) {
  if (client === undefined) throw new Error('There is no connection.');
  const result: unknown = await client.query({
    text: sql,
    ...(name === undefined ? {} : { name }),
    ...(values === undefined ? {} : { values: values.map(sentValue) }),
    rowMode: 'array',
    types: { getTypeParser: (type: number) => parserOf(type) },
  });
  const results = (Array.isArray(result) ? result : [result]) as readonly QueryArrayResult<SqlValue[]>[];
  return results.map(({ fields, rows, rowCount }): PostgresResult => ({
    columns: fields.map((field) => field.name),
    rows,
    changed: rowCount ?? 0,
  }));
}

function sentValue(value: SqlValue): unknown {
  if (typeof value === 'string') return storedText(value);
  return value instanceof Uint8Array ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

/**
 * Parsers by the number of the type: https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat
 */
const PARSERS: Readonly<Record<number, (text: string) => SqlValue>> = {
  16: (text) => (text === 't' ? 1 : 0),
  // The hexadecimal form, without its prefix.
  17: bytesOf,
  20: wholeNumber,
  21: wholeNumber,
  23: wholeNumber,
  700: Number,
  701: Number,
  1700: Number,
};

function parserOf(type: number): (text: string) => SqlValue {
  return PARSERS[type] ?? textOfStored;
}

function bytesOf(text: string): SqlValue {
  if (!text.startsWith('\\x')) throw new Error('The server sends bytes in another form than was asked for.');
  return Uint8Array.from(Buffer.from(text.slice(2), 'hex'));
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${text} is too large a number.`);
  return number;
}
