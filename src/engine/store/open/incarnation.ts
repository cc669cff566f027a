import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import type { Random } from '../../ports.ts';
import { randomText } from '../tasks/batch-records.ts';
import { inTransaction, prepare } from './statement.ts';

/** Tells one store from another, and a store from an older copy of itself. Keep the latest beside the key. */
export interface Incarnation {
  readonly storeId: string;
  /** Counts how often an owner has opened the store. */
  readonly opening: number;
}

/**
 * True when `found` is not the store that `kept` was noted of, or is a copy from before that note: what was submitted
 * since then is missing from it, and would be paid for again.
 */
export function isOlderCopy(kept: Incarnation, found: Incarnation): boolean {
  return kept.storeId !== found.storeId || found.opening <= kept.opening;
}

/** Counts this opening, for its owner. */
export function startIncarnation(db: DatabaseSyncInstance, random: Random): void {
  const insert = prepare(db, 'INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const count = prepare(db, "UPDATE meta SET value = value + 1 WHERE key = 'opening'");
  inTransaction(db, () => {
    insert.run('store-id', randomText(20, random));
    insert.run('opening', '0');
    count.run();
  });
}

/** Which opening of which store this is. */
export function readIncarnation(db: DatabaseSyncInstance): Incarnation {
  const select = prepare<{ readonly value: string }>(db, 'SELECT value FROM meta WHERE key = ?');
  return { storeId: select.get('store-id')?.value ?? '', opening: Number(select.get('opening')?.value ?? 0) };
}
