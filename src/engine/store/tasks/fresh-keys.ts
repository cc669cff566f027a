import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { prepare } from '../open/statement.ts';

/**
 * Keys of rows and tasks. Both may be deleted, and SQLite would give the key of the last one to the next: whoever still
 * holds it, an undo, a window, an event on its way, would then mean another one.
 */
export interface FreshKeys {
  /** A key that nothing has or had. */
  next(): number;
  /** False for a key that nothing ever had. */
  wasGiven(key: number): boolean;
  /** Records what was given so far; in a transaction that deletes. */
  keep(): void;
}

/** Keys for a table, whose `key` is its rowid. */
export function openFreshKeys(db: DatabaseSyncInstance, table: 'rows' | 'tasks', key: 'seq' | 'id'): FreshKeys {
  const selectLast = prepare<{ readonly last: number }>(
    db,
    `SELECT max(coalesce((SELECT max(${key}) FROM ${table}), 0),
       coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'last ${table}'), 0)) AS last`,
  );
  const write = prepare(db, `INSERT OR REPLACE INTO meta (key, value) VALUES ('last ${table}', ?)`);
  let last: number | undefined;
  // Asked for when it is needed: a store that is only looked at has another writer.
  const lastGiven = (): number => (last ??= selectLast.get()?.last ?? 0);
  return {
    next() {
      last = lastGiven() + 1;
      return last;
    },
    wasGiven: (key) => key <= lastGiven(),
    keep: () => void write.run(String(lastGiven())),
  };
}
