import type { Database } from '../open/database.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';

/** What lies between the texts of two rows; a text that contains it is left to SQLite. */
const BETWEEN = '\0';
/** The most characters that are kept, of one or two bytes each; a sheet with more is searched by SQLite. */
const MOST_KEPT = 16 * 1024 * 1024;
/** Few enough that even the longest notes do not fill the memory at once. */
const ROWS_AT_A_TIME = 512;

interface PieceColumns {
  readonly texts: string | null;
  /** A list as JSON. */
  readonly keys: string;
  /** The last row's. */
  readonly position: number | null;
}

/** The rows of a sheet, in its order. */
interface Texts {
  readonly all: string;
  /** Where the text of each row begins. */
  readonly starts: readonly number[];
  readonly keys: readonly number[];
}

/**
 * The texts of the batch that was searched last, in memory until the batch changes. Reading them takes as long as two
 * searches by SQLite, and each letter that is typed searches again.
 */
export function openRowTexts(db: Database) {
  const select = db.prepare<PieceColumns>(`
    SELECT string_agg(search, char(0)) AS texts, json_group_array(seq) AS keys, max(position) AS position
    FROM (SELECT search, seq, position FROM rows WHERE batch = ? AND removed = 0 AND (position, seq) > (?, ?)
      ORDER BY position, seq LIMIT ${ROWS_AT_A_TIME}) AS piece`);
  let kept: { readonly of: StoredBatch; readonly texts: Texts | undefined } | undefined;

  /** Undefined: they are too long, or cannot be told apart. */
  function read(batch: number): Texts | undefined {
    const pieces: string[] = [];
    const keys: number[] = [];
    let length = 0;
    for (let after = Number.MIN_SAFE_INTEGER; length <= MOST_KEPT;) {
      const found = select.get(batch, after, keys.at(-1) ?? 0);
      if (found === undefined || found.texts === null || found.position === null) {
        return textsOf(pieces.join(BETWEEN), keys);
      }
      pieces.push(found.texts);
      keys.push(...(JSON.parse(found.keys) as readonly number[]));
      length += found.texts.length;
      after = found.position;
    }
    return undefined;
  }

  return {
    /** The keys of the rows that contain a folded text, in the order of the sheet; undefined: only SQLite can tell. */
    keysWith(batch: StoredBatch, text: string): readonly number[] | undefined {
      if (text.includes(BETWEEN)) return undefined;
      if (kept?.of.seq !== batch.seq || kept.of.record.revision !== batch.record.revision) {
        kept = undefined;
        kept = { of: batch, texts: read(batch.seq) };
      }
      // As SQLite would keep it: half a surrogate pair is replaced.
      return kept.texts && keysIn(kept.texts, Buffer.from(text).toString());
    },
  };
}

function textsOf(all: string, keys: readonly number[]): Texts | undefined {
  const starts: number[] = [];
  for (let at = 0; at > 0 || starts.length === 0; at = all.indexOf(BETWEEN, at) + 1) starts.push(at);
  return starts.length === keys.length ? { all, starts, keys } : undefined;
}

function keysIn({ all, starts, keys }: Texts, text: string): readonly number[] {
  const found: number[] = [];
  let row = 0;
  for (let at = all.indexOf(text); at >= 0 && row < keys.length; at = all.indexOf(text, starts[row])) {
    while ((starts[row + 1] ?? Infinity) <= at) row += 1;
    found.push(keys[row] ?? 0);
    row += 1;
  }
  return found;
}
