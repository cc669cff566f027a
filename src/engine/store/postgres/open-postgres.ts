/** Opens a store on PostgreSQL: a process that may write creates its schema and brings it up to date. */
import { reason } from '../../../shared/domain/base/reason.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { isZone } from '../../../shared/domain/base/wall-clock.ts';
import type { SqlValue } from '../open/database.ts';
import type { Fleet } from '../../ports/fleet.ts';
import type { Noted } from '../open/incarnation.ts';
import { openIncarnation, readIncarnationNotes, startIncarnation, withNote } from '../open/incarnation.ts';
import { incarnationFileOfStore } from '../open/data-dir.ts';
import { problemOfLook, storeProblem, StoreWriteError, withHelp, type StoreProblem } from '../open/store-problem.ts';
import { forgetEarlier, partsOn, type OpenStore, type StoreMeans } from '../open/store-on.ts';
import { movedProblem, ZONE } from '../move/move-mark.ts';
import { zoneHere } from '../tasks/night-records.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { FIRST_VERSION, SCHEMA_VERSION, STEPS } from './postgres-schema.ts';
import { inTransactions } from './shared-store.ts';
import type { StoreAddress } from './store-address.ts';

export interface PostgresOptions extends StoreMeans {
  /** True: this process runs the store's nights. False: it only reads. */
  readonly owner: boolean;
  /** Other processes run nights, too: they share by leases, and none has the store to itself. */
  readonly isShared: boolean;
  readonly noted?: Noted | undefined;
}

/** The oldest supported server: it can report the outcome of a transaction. The tests have only seen later ones. */
const OLDEST_SERVER = 14;
/** The server notices a moment later that a process was killed. */
const LOCK_TRIES = 20;
const LOCK_PAUSE_MS = 100;

/** Opens the store at an address. The problem says what prevents it. In that case nothing was written. */
export function openPostgresStore(address: StoreAddress, options: PostgresOptions): Result<OpenStore, StoreProblem> {
  return withDatabase(address, !options.owner, (db) =>
    options.owner ? openForOwner(db, address, options) : openForReading(db, options),
  );
}

/** Opens a store without checking its version: reading what another version stores differently throws. */
export function openPostgresAsItIs(address: StoreAddress, means: StoreMeans): OpenStore {
  const db = new PostgresDatabase(address, true);
  try {
    return storeOf(db, means, false);
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Whether a worker is at work on a store; false if that cannot be found out. */
export function isServerWorkedOn(address: StoreAddress): boolean {
  const random = { next: Math.random };
  const opened = openPostgresStore(address, { owner: false, isShared: false, random });
  if (!opened.ok) return false;
  try {
    return opened.value.leases.fleet().workers.length > 0;
  } catch {
    return false;
  } finally {
    opened.value.close();
  }
}

/**
 * What somebody who helps needs to know about a server and the store on it: versions and numbers, but no names of
 * computers, users or databases.
 */
export function serverFacts(address: StoreAddress): Readonly<Record<string, string | number | undefined>> {
  const facts = withDatabase(address, true, (db) => {
    const one = (sql: string): SqlValue | undefined => db.prepareColumn<SqlValue>(sql)()[0];
    const schema = versionOf(db);
    const isKnown = schema === SCHEMA_VERSION;
    return ok({
      PostgreSQL: String(one('SHOW server_version')),
      encoding: String(one('SHOW server_encoding')),
      'schema version': schema,
      'schema version of this program': SCHEMA_VERSION,
      zone: schema === undefined ? undefined : zoneIn(db),
      batches: isKnown ? Number(one('SELECT count(*) FROM batches')) : undefined,
      'accounts with a lease': isKnown ? Number(one(`SELECT count(*) FROM leases WHERE until > ${NOW_MS}`)) : undefined,
      workers: isKnown ? Number(one(`SELECT count(*) FROM workers WHERE until > ${NOW_MS}`)) : undefined,
    });
  });
  // The message of a problem names the server.
  return facts.ok ? facts.value : { problem: facts.error.kind };
}

const NOW_MS = 'extract(epoch FROM clock_timestamp()) * 1000';

/** What is at an address, found without changing anything. */
export interface ServerFound {
  /** The version of PostgreSQL, such as 15.8. */
  readonly server: string;
  /**
   * The version of the store's tables; undefined if there is no store yet: the first process that works on it creates
   * one.
   */
  readonly schema: number | undefined;
  readonly batches: number;
  /** Undefined if the tables have another version. */
  readonly fleet: Fleet | undefined;
  /** Why the store cannot be used. */
  readonly problem: StoreProblem | undefined;
}

/** Looks at a server; the problem says why that is not possible. */
export function lookAtServer(address: StoreAddress): Result<ServerFound, StoreProblem> {
  const looked = withDatabase(address, true, (db) => ok({ found: foundIn(db), db }));
  if (!looked.ok) return looked;
  looked.value.db.close();
  return ok(looked.value.found);
}

function foundIn(db: PostgresDatabase): ServerFound {
  const [server = ''] = db.prepareColumn<string>("SELECT split_part(current_setting('server_version'), ' ', 1)")();
  const schema = versionOf(db);
  const [batches = 0] = schema === undefined ? [] : db.prepareColumn<number>('SELECT count(*) FROM batches')();
  const isCurrent = schema === SCHEMA_VERSION;
  const newer = schema === undefined || schema < SCHEMA_VERSION ? undefined : versionProblem(db, schema);
  return {
    server,
    schema,
    batches,
    fleet: isCurrent ? storeOf(db, { random: { next: Math.random } }, false).leases.fleet() : undefined,
    problem: serverProblem(db) ?? newer ?? (isCurrent ? movedProblem(db) : undefined),
  };
}

/** Opens a connection for `open`, and closes it again unless that succeeds. */
export function withDatabase<T>(
  address: StoreAddress,
  isReader: boolean,
  open: (db: PostgresDatabase) => Result<T, StoreProblem>,
): Result<T, StoreProblem> {
  const db = new PostgresDatabase(address, isReader);
  try {
    const opened = open(db);
    if (!opened.ok) db.close();
    return opened;
  } catch (error) {
    db.close();
    if (error instanceof StoreWriteError) return err(error.problem);
    const problem = problemOfLook(error, address.shown);
    if (problem === undefined) throw error;
    return err(problem.kind === 'denied' ? withHelp(problem, reason('storeRemedy.notLetIn')) : problem);
  }
}

/** Opens a server's database as its only writer, with or without a store in it. */
export function openServer(address: StoreAddress): Result<PostgresDatabase, StoreProblem> {
  return withDatabase(address, false, (db) => {
    const problem = takenBy(db, address, false);
    return problem === undefined ? ok(db) : err(problem);
  });
}

/**
 * Takes the store for this process, alone or with others, and brings it up to date; the problem says why that is
 * impossible.
 */
function takenBy(db: PostgresDatabase, address: StoreAddress, isShared: boolean): StoreProblem | undefined {
  const problem =
    serverProblem(db) ??
    (isShared
      ? (broughtUpToDate(db, address.schema) ?? ownedProblem(db, () => db.tryLock('owner', true)))
      : (ownedProblem(db, () => db.tryLock('owner')) ?? migrate(db, address.schema)));
  if (problem !== undefined) return problem;
  // A new connection has lost the lock: meanwhile, somebody may have had the store alone and changed it.
  db.onConnected(() => {
    const changed =
      ownedProblem(db, () => db.tryLock('owner', isShared)) ??
      versionProblem(db, versionOf(db) ?? 0) ??
      (isShared ? movedProblem(db) : undefined);
    if (changed !== undefined) throw new StoreWriteError(changed, undefined);
  });
  return undefined;
}

/**
 * Creates the schema or brings it up to date while nobody has the store open: an earlier version would not understand
 * it.
 */
function broughtUpToDate(db: PostgresDatabase, schema: string): StoreProblem | undefined {
  let isAlone = false;
  const isDone = (): boolean => {
    const version = versionOf(db);
    if (version !== undefined && version >= SCHEMA_VERSION) return true;
    isAlone = db.tryLock('owner');
    return isAlone;
  };
  const problem = ownedProblem(db, isDone);
  if (problem !== undefined || !isAlone) return problem ?? versionProblem(db, versionOf(db) ?? 0);
  try {
    return migrate(db, schema);
  } finally {
    db.unlock('owner');
  }
}

/** Makes the server continue from the highest existing keys of rows, and gather statistics about the tables. */
export function restartKeys(db: PostgresDatabase, tables: readonly string[]): void {
  const keys = db
    .prepare<{ readonly name: string; readonly key: string }>(
      `SELECT table_name AS name, column_name AS key FROM information_schema.columns
        WHERE table_schema = current_schema() AND is_identity = 'YES'`,
    )
    .all();
  for (const { name, key } of keys.filter((one) => tables.includes(one.name))) {
    const next = `(SELECT coalesce(max(${key}), 0) + 1 FROM ${name})`;
    db.transaction(() => db.exec(`SELECT setval(pg_get_serial_sequence('${name}', '${key}'), ${next}, false)`));
  }
  db.countAnew();
}

function openForOwner(db: PostgresDatabase, address: StoreAddress, options: PostgresOptions) {
  const problem = takenBy(db, address, options.isShared) ?? movedProblem(db);
  if (problem !== undefined) return err(problem);
  db.keepTo(SCHEMA_VERSION);
  const { noted: wanted } = options;
  // Only under the store's own name: the note for a folder is about the store in it.
  const noteOf = (noted: Noted): Noted => {
    const { storeId } = db.snapshot(openIncarnation(db));
    return { ...noted, file: incarnationFileOfStore(noted.file, storeId) };
  };
  // Read before this opening is counted: what others on this machine note meanwhile must not look like a later store.
  const notes = wanted === undefined ? [] : readIncarnationNotes([noteOf(wanted).file]);
  startIncarnation(db, options.random);
  keepZone(db);
  // With several processes at work, the last opening says nothing about who owns the store: leases do.
  const store = storeOf(db, options, !options.isShared);
  return ok(wanted === undefined ? store : withNote(store, db, noteOf(wanted), db.place, notes));
}

function openForReading(db: PostgresDatabase, means: StoreMeans): Result<OpenStore, StoreProblem> {
  const version = versionOf(db);
  if (version === undefined)
    return err(storeProblem('missing', reason('store.noneAt', db.place), reason('storeRemedy.noStore')));
  const problem = versionProblem(db, version) ?? movedProblem(db);
  if (problem !== undefined) return err(problem);
  db.keepTo(SCHEMA_VERSION);
  return ok(storeOf(db, means, false));
}

function storeOf(db: PostgresDatabase, means: StoreMeans, isOwner: boolean): OpenStore {
  const kept = keptZone(db);
  db.useZone(kept);
  const { now = () => db.now(), zone = () => kept } = means;
  const { parts, places, ...opened } = db.snapshot(() => partsOn(db, { ...means, now, zone }, isOwner));
  db.onOthersWrote((isAll) => forgetEarlier(parts, places, isAll));
  const close = (): void => db.close();
  const answering = inTransactions(opened, db, parts);
  return {
    ...opened,
    ...answering,
    store: { ...answering.store, close },
    incarnation: () => db.snapshot(opened.incarnation),
    zone: kept,
    maintain: () => undefined,
    asItIsNow: (ask) => ask(),
    close,
  };
}

/**
 * Nights and months are the same for all who work on a store, wherever they are: the first process's time zone applies.
 */
function keepZone(db: PostgresDatabase): void {
  const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING');
  if (zoneIn(db) === undefined) db.transaction(() => void insert.run(ZONE, zoneHere()));
}

/** The time zone that is kept with the store; this computer's if none is kept yet, or it is not known here. */
function keptZone(db: PostgresDatabase): string {
  const zone = zoneIn(db);
  return zone !== undefined && isZone(zone) ? zone : zoneHere();
}

function zoneIn(db: PostgresDatabase): string | undefined {
  return db.prepareColumn<string>('SELECT value FROM meta WHERE key = ?')(ZONE)[0];
}

/** What prevents a server from having a store: it is too old, is read-only, or would lose commits in a power cut. */
function serverProblem(db: PostgresDatabase): StoreProblem | undefined {
  const settings = new Map(
    db
      .prepare<{ readonly name: string; readonly setting: string }>(
        `SELECT name, setting FROM pg_settings WHERE name IN
          ('server_version_num', 'server_encoding', 'fsync', 'full_page_writes', 'synchronous_commit')`,
      )
      .all()
      .map(({ name, setting }) => [name, setting]),
  );
  if (Number(settings.get('server_version_num')) < OLDEST_SERVER * 10_000) {
    const help = reason('storeRemedy.newerServer');
    return storeProblem('unsafe', reason('store.oldServer', db.place, OLDEST_SERVER), help);
  }
  if (settings.get('server_encoding') !== 'UTF8') {
    const said = reason('store.encoding', db.place, String(settings.get('server_encoding')));
    return storeProblem('unsafe', said, reason('storeRemedy.encoding'));
  }
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    const setting = settings.get(name);
    if (setting !== 'off') continue;
    return storeProblem('unsafe', reason('store.notDurable', db.place, name), reason('storeRemedy.setOn', name));
  }
  return undefined;
}

/** Says who keeps this process out of the store, after some tries. */
function ownedProblem(db: PostgresDatabase, isTaken: () => boolean): StoreProblem | undefined {
  for (let tries = 1; !isTaken(); tries += 1) {
    if (tries === LOCK_TRIES) {
      const who = db.holderOf('owner') ?? reason('store.someProcess');
      return storeProblem('owned', reason('store.inUse', db.place, who), reason('storeRemedy.ownedThere'));
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOCK_PAUSE_MS);
  }
  return undefined;
}

/** The version of the schema; undefined if there is none, or one that is not Nocturne's. */
function versionOf(db: PostgresDatabase): number | undefined {
  if (!db.hasColumn('meta', 'value')) return undefined;
  const [version] = db.prepareColumn<string>("SELECT value FROM meta WHERE key = 'schema version'")();
  return version === undefined ? undefined : Number(version);
}

function versionProblem(db: PostgresDatabase, version: number): StoreProblem | undefined {
  if (version === SCHEMA_VERSION) return undefined;
  if (version < SCHEMA_VERSION) return storeProblem('older', reason('store.older', db.place));
  return storeProblem('newer', reason('store.newer', db.place, version, SCHEMA_VERSION));
}

/**
 * Creates the schema, or takes the steps that it has not taken yet: one process at a time, each step whole or not at
 * all.
 */
function migrate(db: PostgresDatabase, schema: string): StoreProblem | undefined {
  return db.alone('schema', () => {
    db.exec(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
    const version = versionOf(db);
    if (version === undefined && isTaken(db, schema)) {
      return storeProblem('damaged', reason('store.foreignTables', schema, db.place));
    }
    if (version !== undefined && version > SCHEMA_VERSION) return versionProblem(db, version);
    const taken = version === undefined ? 0 : version - FIRST_VERSION + 1;
    for (const step of STEPS.slice(taken)) db.exec(step);
    db.exec(`INSERT INTO meta (key, value) VALUES ('schema version', '${SCHEMA_VERSION}')
      ON CONFLICT (key) DO UPDATE SET value = excluded.value`);
    db.exec("INSERT INTO meta (key, value) VALUES ('writes', '0') ON CONFLICT DO NOTHING");
    return undefined;
  });
}

function isTaken(db: PostgresDatabase, schema: string): boolean {
  const found = db.prepare('SELECT 1 FROM pg_tables WHERE schemaname = ? LIMIT 1').get(schema);
  return found !== undefined;
}
