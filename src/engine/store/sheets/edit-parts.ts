import type { DatabaseSyncInstance } from '@photostructure/sqlite';
import { prepare } from '../open/statement.ts';

/** An edit that is written part by part, as texts of the editor's, until the last of them is in the sheet. */
export interface EditParts {
  /** Notes parts; inside a transaction. */
  note(batch: number, parts: readonly { readonly part: number; readonly text: string }[]): void;
  /** The first part that is left; undefined where none is. */
  first(batch: number): { readonly part: number; readonly text: string } | undefined;
  /** Forgets one, inside the transaction that writes what it says. */
  forget(batch: number, part: number): void;
  /** Forgets all; inside a transaction. */
  clear(batch: number): void;
}

export function openEditParts(db: DatabaseSyncInstance): EditParts {
  const insert = prepare(db, 'INSERT INTO edit_parts (batch, part, wishes) VALUES (?, ?, ?)');
  const selectFirst = prepare<{ readonly part: number; readonly text: string }>(
    db,
    'SELECT part, wishes AS text FROM edit_parts WHERE batch = ? ORDER BY part LIMIT 1',
  );
  const remove = prepare(db, 'DELETE FROM edit_parts WHERE batch = ? AND part = ?');
  const removeAll = prepare(db, 'DELETE FROM edit_parts WHERE batch = ?');
  return {
    note(batch, parts) {
      for (const { part, text } of parts) insert.run(batch, part, text);
    },
    first: (batch) => selectFirst.get(batch),
    forget: (batch, part) => void remove.run(batch, part),
    clear: (batch) => void removeAll.run(batch),
  };
}
