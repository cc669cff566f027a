/** Which opening of a store this is, so that an older copy that somebody restored does not continue on its own. */
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { failure } from '../../../shared/domain/base/failure.ts';
import type { AtOnce, Random, TaskStore } from '../../ports.ts';
import { writeNoteSync } from '../../whole-file.ts';
import { randomText } from '../tasks/batch-records.ts';
import type { Database } from './database.ts';

/** Tells one store from another, and a store from an older copy of itself. Keep the latest beside the key. */
export interface Incarnation {
  readonly storeId: string;
  /** Counts how often an owner has opened the store. */
  readonly opening: number;
}

/**
 * True when `found` is not the store that `kept` describes, or is a copy from before that note: it does not know what
 * was submitted since then, and would pay for it again.
 */
export function isOlderCopy(kept: Incarnation, found: Incarnation): boolean {
  return kept.storeId !== found.storeId || found.opening <= kept.opening;
}

/** Counts this opening by the owner. */
export function startIncarnation(db: Database, random: Random): void {
  const insert = db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT DO NOTHING');
  const count = db.prepare("UPDATE meta SET value = value + 1 WHERE key = 'opening'");
  db.transaction(() => {
    insert.run('store-id', randomText(20, random));
    insert.run('opening', '0');
    count.run();
  });
}

/** Which opening of which store this is. */
export function readIncarnation(db: Database): Incarnation {
  const select = db.prepare<{ readonly value: string }>('SELECT value FROM meta WHERE key = ?');
  return { storeId: select.get('store-id')?.value ?? '', opening: Number(select.get('opening')?.value ?? 0) };
}

/**
 * Pauses the running batches of a store that was restored from a backup: it does not know what was submitted since, and
 * must not continue on its own. Notes this opening in `file`.
 * @param now Milliseconds since the epoch.
 */
export function pauseOlderCopy(
  opened: { readonly store: Pick<AtOnce<TaskStore>, 'batches' | 'setBatchState'>; incarnation(): Incarnation },
  file: string,
  dataDir: string,
  now: number,
): void {
  const kept = readIncarnationNote(file);
  const found = opened.incarnation();
  if (kept !== undefined && isOlderCopy(kept, found)) {
    const why = failure('STORE_RESTORED', `${dataDir} is an older copy of the store that was used here last.`);
    for (const batch of opened.store.batches()) {
      if (batch.state === 'running')
        opened.store.setBatchState(batch.id, 'paused', { by: 'failure', failure: why }, now);
    }
  }
  writeIncarnationNote(file, found);
}

/** The incarnation noted at the last opening; undefined if there is no note or it cannot be read. */
function readIncarnationNote(file: string): Incarnation | undefined {
  try {
    // Without zod, which the store's threads need for nothing else: it would be half of what they load.
    const { storeId, opening } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    return typeof storeId === 'string' && typeof opening === 'number' && Number.isFinite(opening)
      ? { storeId, opening }
      : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Notes which opening of which store this is, outside the store's own folder. If the note cannot be written, an older
 * copy of the store goes unnoticed next time, and nothing else happens.
 */
function writeIncarnationNote(file: string, incarnation: Incarnation): void {
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeNoteSync(file, JSON.stringify(incarnation));
  } catch {
    // See above.
  }
}
