/** Moves a whole store between a data folder and a server, or between two folders or two servers. */
import { reason, type Reason } from '../../../shared/domain/base/reason.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { crashPoint } from '../../crash-point.ts';
import type { Database } from '../open/database.ts';
import { makeDataDir, openForOwner } from '../open/open-database.ts';
import { takeOwnerLock } from '../open/owner-lock.ts';
import { problemOfError, storeProblem, type StoreProblem } from '../open/store-problem.ts';
import { openServer, restartKeys } from '../postgres/open-postgres.ts';
import type { StoreAddress } from '../postgres/store-address.ts';
import { movedProblem, openMoveMarks } from './move-mark.ts';
import { copyTable, emptyTables, MOVED_TABLES, tableDigest, type TableDigest } from './move-tables.ts';

/** Where a store is: in a folder, by its absolute path, or on a server. */
export type StorePlace =
  | { readonly kind: 'folder'; readonly dataDir: string }
  | { readonly kind: 'server'; readonly address: StoreAddress };

/** What was moved. */
export interface Moved {
  readonly from: string;
  readonly to: string;
  readonly tables: readonly TableDigest[];
}

/** A place that nobody else is using. */
interface HeldPlace {
  readonly db: Database;
  /** Its name in the other place. */
  readonly name: string;
  /** Tells the place which keys were given to rows elsewhere. */
  readonly settleKeys: () => void;
  close(): void;
}

/**
 * Copies a store into an empty place, compares the two, and marks the old one: from then on, the store opens only in
 * its new place. If there is a problem, which says what prevents the move, the store is where it was. If the move
 * itself is cut off, the new place is of no use until the move is repeated.
 */
export function moveStore(from: StorePlace, to: StorePlace): Result<Moved, StoreProblem> {
  if (nameOf(from) === nameOf(to)) return err(refusal(reason('store.bothPlaces', nameOf(from)), 'otherPlace'));
  if (from.kind === 'folder' && !existsSync(path.join(from.dataDir, 'nocturne.db'))) {
    return err(storeProblem('missing', reason('store.noneIn', from.dataDir)));
  }
  const held: HeldPlace[] = [];
  try {
    for (const place of [from, to]) {
      const opened = hold(place);
      if (!opened.ok) return opened;
      held.push(opened.value);
    }
    const [source, target] = held;
    if (source === undefined || target === undefined) throw new Error('A move has two places.');
    return moveBetween(source, target);
  } catch (error) {
    const problem = problemOfError(error, reason('store.move', nameOf(from), nameOf(to)));
    if (problem === undefined) throw error;
    return err(problem);
  } finally {
    for (const place of held) place.close();
  }
}

function moveBetween(source: HeldPlace, target: HeldPlace): Result<Moved, StoreProblem> {
  const marks = { source: openMoveMarks(source.db), target: openMoveMarks(target.db) };
  // A move that was cut off right before its end has marked both places: it is repeated like any other.
  const isRepeated = marks.source.goneTo() === target.name && marks.target.comingFrom() === source.name;
  const problem = isRepeated ? undefined : movedProblem(source.db);
  if (problem !== undefined) return err(problem);
  const isBack = marks.target.goneTo() === source.name;
  const isOursHalf = marks.target.comingFrom() !== undefined;
  if (!isBack && !isOursHalf && isUsed(target.db)) {
    return err(refusal(reason('store.storeThere', target.name), 'emptyPlace'));
  }
  marks.target.markComing(source.name);
  crashPoint('move.marked');
  emptyTables(target.db);
  const tables = Object.keys(MOVED_TABLES).map((table) => copyTable(source.db, target.db, table));
  target.settleKeys();
  crashPoint('move.copied');
  const different = tables.find(({ table, rows, sha256 }) => {
    const found = tableDigest(target.db, table);
    return found.rows !== rows || found.sha256 !== sha256;
  });
  if (different !== undefined) {
    const said = reason('store.tableDiffers', different.table, target.name, source.name);
    return err(storeProblem('damaged', said, reason('storeRemedy.keepThere')));
  }
  // First: a store that opens in both places would be paid for twice.
  marks.source.markGone(target.name);
  crashPoint('move.left');
  marks.target.markArrived();
  return ok({ from: source.name, to: target.name, tables });
}

/** Something was imported, or paid for. */
function isUsed(db: Database): boolean {
  return ['batches', 'attempts', 'completions', 'seen_statuses'].some(
    (table) => db.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  );
}

/** Takes the right to write to a place, and creates what is missing there. */
function hold(place: StorePlace): Result<HeldPlace, StoreProblem> {
  if (place.kind === 'server') {
    const opened = openServer(place.address);
    if (!opened.ok) return opened;
    const db = opened.value;
    return ok({
      db,
      name: nameOf(place),
      settleKeys: () => restartKeys(db, Object.keys(MOVED_TABLES)),
      close: () => db.close(),
    });
  }
  const { dataDir } = place;
  const dirProblem = makeDataDir(dataDir);
  if (dirProblem !== undefined) return err(dirProblem);
  const lock = takeOwnerLock(dataDir);
  if (!lock.ok) return lock;
  const opened = openForOwner(path.join(dataDir, 'nocturne.db'));
  if (!opened.ok) {
    lock.value.release();
    return opened;
  }
  const close = (): void => {
    opened.value.close();
    lock.value.release();
  };
  return ok({ db: opened.value, name: dataDir, settleKeys: () => undefined, close });
}

function nameOf(place: StorePlace): string {
  return place.kind === 'folder' ? place.dataDir : place.address.shown;
}

function refusal(said: Reason, help: 'otherPlace' | 'emptyPlace'): StoreProblem {
  return storeProblem('denied', said, reason(`storeRemedy.${help}`));
}
