/** What a store says about a move: it is on its way here, or has gone from here. */
import { reason } from '../../../shared/domain/base/reason.ts';
import path from 'node:path';
import type { Database } from '../open/database.ts';
import { storeProblem, type StoreProblem } from '../open/store-problem.ts';

/** Set in the place that a store is being moved to, until it is whole: where it comes from. */
const COMING = 'moving from';
/** Set in the place that a store has left: where it is now. */
const GONE = 'moved to';
/** Set in a place that several processes may work on: the time zone that separates nights and months. */
export const ZONE = 'zone';
/** What belongs to a place, and is not moved with the store in it. */
export const OF_PLACE: ReadonlySet<string> = new Set([COMING, GONE, 'schema version', 'writes', ZONE]);

/** How the keys of `meta` begin under which connections to a server note their writes. */
export const OF_CONNECTION = 'wrote ';

/** Reads and writes the marks of a place. */
export function openMoveMarks(db: Database) {
  const select = db.prepareColumn<string>('SELECT value FROM meta WHERE key = ?');
  const write = db.prepare(
    'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value',
  );
  const remove = db.prepare('DELETE FROM meta WHERE key = ?');
  return {
    comingFrom: () => select(COMING)[0],
    goneTo: () => select(GONE)[0],
    /** Nobody opens a store that is not whole. */
    markComing: (from: string) =>
      db.transaction(() => {
        write.run(COMING, from);
        remove.run(GONE);
      }),
    markArrived: () => db.transaction(() => void remove.run(COMING)),
    markGone: (to: string) => db.transaction(() => void write.run(GONE, to)),
  };
}

/** Why the store in a place must not be used there: it is not whole, or would be used twice. */
export function movedProblem(db: Database): StoreProblem | undefined {
  const marks = openMoveMarks(db);
  const [from, to] = [marks.comingFrom(), marks.goneTo()];
  // A store in a file is named by its folder.
  const here = db.place.includes('://') ? db.place : path.dirname(db.place);
  if (from !== undefined) {
    const help = reason('storeRemedy.repeat', from, here);
    return storeProblem('moved', reason('store.cutOff', db.place, from), help);
  }
  if (to === undefined) return undefined;
  return storeProblem('moved', reason('store.moved', db.place, to), reason('storeRemedy.workThere', to, here));
}
