/**
 * Rows of a night by their names in the plan, which are the first words of their prompts: ids change, and copies of a
 * row have its name.
 */
import type { Database } from '../../src/engine/store/open/database.ts';
import { foldRowId } from '../../src/shared/domain/sheet/sheet-row-ids.ts';

/** A row of a sheet, as it is called there now. */
export interface NamedRow {
  readonly key: number;
  readonly id: string;
}

const PROMPT = "CAST(c.body AS TEXT) ->> '$.prompt'";

/** The keys of all rows with a name, removed or not, as a subquery. */
export const ROWS_NAMED = `SELECT c.row FROM row_contents c WHERE ${PROMPT} LIKE ? || ' %'`;

/** The rows with a name that are in the sheet of a batch, the oldest first. */
export function rowsNamed(db: Database, batchId: string, name: string): readonly NamedRow[] {
  return db
    .prepare<NamedRow>(
      `SELECT r.seq AS key, r.row_id AS id FROM rows r JOIN batches b ON b.seq = r.batch
       JOIN row_contents c ON c.row = r.seq WHERE b.id = ? AND r.removed = 0 AND ${PROMPT} LIKE ? || ' %' ORDER BY r.seq`,
    )
    .all(batchId, name);
}

/** The name of a row; undefined if its batch is removed. */
export function nameOf(db: Database, key: number): string | undefined {
  const found = db
    .prepare<{ readonly prompt: string | null }>(`SELECT ${PROMPT} AS prompt FROM row_contents c WHERE c.row = ?`)
    .get(key);
  return found?.prompt?.split(' ')[0];
}

/**
 * The name in what was last sent for a task; undefined if nothing was, or if its batch is removed. A file that is read
 * again may give the row that has an id the words of another one.
 */
export function nameSent(db: Database, task: number): string | undefined {
  const found = db
    .prepare<{ readonly prompt: string | null }>(
      `SELECT ${PROMPT} AS prompt FROM attempts c WHERE c.task = ? AND length(c.body) > 0 ORDER BY c.id DESC LIMIT 1`,
    )
    .get(task);
  return found?.prompt?.split(' ')[0];
}

/** Which ids rows have had, and until when. */
export class FormerIds {
  readonly #db: Database;
  readonly #ids = new Map<number, string>();
  readonly #former = new Map<number, Map<string, number>>();

  constructor(db: Database) {
    this.#db = db;
  }

  /** After each turn. */
  look(nowMs: number): void {
    const rows = this.#db.prepare<NamedRow>('SELECT seq AS key, row_id AS id FROM rows').all();
    for (const { key, id } of rows) {
      const before = this.#ids.get(key);
      if (before === id) continue;
      this.#ids.set(key, id);
      if (before === undefined) continue;
      const former = this.#former.get(key) ?? new Map<string, number>();
      this.#former.set(key, former.set(foldRowId(before), nowMs));
    }
  }

  /** All ids that a row has had, the present one first; each as it is compared. */
  of(key: number): readonly string[] {
    const now = this.#db.prepare<{ readonly id: string }>('SELECT row_id AS id FROM rows WHERE seq = ?').get(key);
    return [foldRowId(now?.id ?? ''), ...(this.#former.get(key)?.keys() ?? [])];
  }

  /** Whether a row has an id, or had it after a time; by default, at any time. */
  has(key: number, id: string, sinceMs = 0): boolean {
    const [now] = this.of(key);
    const untilMs = this.#former.get(key)?.get(foldRowId(id));
    return now === foldRowId(id) || (untilMs !== undefined && untilMs >= sinceMs);
  }
}
