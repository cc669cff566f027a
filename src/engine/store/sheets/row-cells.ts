import { commonTexts, orderOfCells, type CellOrder, type CommonText } from '../../../shared/domain/cells/cell-order.ts';
import type { CellValue, RowSort } from '../../../shared/domain/task/batch-view.ts';
import { foldSearchText } from '../../../shared/domain/task/row-view.ts';
import type { Database, SqlValue, Statement } from '../open/database.ts';
import type { StoredBatch } from '../tasks/batch-records.ts';
import { isEditedRow } from '../../../shared/domain/cells/row-edits.ts';
import { EDITS_MARK, type RowRest } from './row-table.ts';
import { likePattern } from './row-page-query.ts';

/** Few enough that even the longest cells do not fill the memory at once. */
const ROWS_AT_A_TIME = 512;

/** Some rows of a sheet, in its order. */
interface PieceColumns {
  /** Lists as JSON. */
  readonly keys: string;
  readonly rests: string | null;
  /** The last row's. */
  readonly position: number | null;
}

/** What the cells of a sheet say: which rows contain a text, and in which order they are by one column. */
export function openRowCells(db: Database) {
  const select = (what: string, condition = '') =>
    db.prepare<PieceColumns>(`
    SELECT json_group_array(seq) AS keys, '[' || string_agg(rest, ',') || ']' AS rests, max(position) AS position
    FROM (SELECT rows.seq AS seq, ${what} AS rest, position
      FROM rows CROSS JOIN row_contents ON row_contents.row = rows.seq
      WHERE batch = ?1 AND removed = 0 AND (position, rows.seq) > (?2, ?3)${condition}
      ORDER BY position, rows.seq LIMIT ${ROWS_AT_A_TIME}) AS piece`);
  const selectAll = select('rest');
  // Where id or label do not say it, the cells are looked at again: `rest` has more than these.
  const selectWith = select(
    `CASE WHEN instr(search, ?4) > 0 THEN 'null' ELSE rest END`,
    ` AND (instr(search, ?4) > 0 OR rest LIKE ?5 ESCAPE '!')`,
  );
  const selectEdited = select('rest', ` AND rest LIKE '%${EDITS_MARK}%'`);
  const lastEdited = keepingLast<readonly number[]>();
  const lastFound = keepingLast<readonly number[]>();
  const lastHaving = keepingLast<readonly number[]>();
  const lastOrder = keepingLast<CellOrder>();

  function findIn(batch: StoredBatch, text: string): readonly number[] {
    const found: number[] = [];
    const { headers } = batch.record;
    for (const [key, rest] of rowsOf(selectWith, batch, text, likePattern(text))) {
      const texts = rest === null ? [] : batch.columns.texts(rest.cells, headers);
      if (rest === null || texts.some((cell) => foldSearchText(cell).includes(text))) found.push(key);
    }
    return found;
  }

  /** The rows in the order of the sheet, and their cells under a header: blank in each under one that the sheet does not have. */
  function columnOf(batch: StoredBatch, header: string) {
    const keys: number[] = [];
    const texts: string[] = [];
    for (const [key, rest] of rowsOf(selectAll, batch)) {
      keys.push(key);
      texts.push((rest && batch.columns.texts(rest.cells, [header])[0]) ?? '');
    }
    return { keys, texts };
  }

  function orderOf(batch: StoredBatch, header: string): CellOrder {
    const { keys, texts } = columnOf(batch, header);
    return orderOfCells(keys, texts);
  }

  function having(batch: StoredBatch, { header, text }: CellValue): readonly number[] {
    const { keys, texts } = columnOf(batch, header);
    const wanted = text.trim();
    return keys.filter((_, at) => texts[at]?.trim() === wanted);
  }

  function edited(batch: StoredBatch): readonly number[] {
    const found: number[] = [];
    const { headers } = batch.record;
    for (const [key, rest] of rowsOf(selectEdited, batch)) {
      const isEdited = rest?.edits && isEditedRow(rest.edits, headers, batch.columns.texts(rest.cells, headers));
      if (isEdited) found.push(key);
    }
    return found;
  }

  return {
    /** The keys of the rows that are not as they were imported, in the order of the sheet. */
    keysEdited: (batch: StoredBatch): readonly number[] => lastEdited(batch, '', () => edited(batch)),
    /** The keys of the rows whose id, label or a cell contains a folded text, in the order of the sheet. */
    keysWith: (batch: StoredBatch, text: string): readonly number[] =>
      lastFound(batch, text, () => findIn(batch, text)),
    /** The keys of the rows that have a text in a cell, in the order of the sheet. */
    keysHaving: (batch: StoredBatch, cell: CellValue): readonly number[] =>
      lastHaving(batch, JSON.stringify([cell.header, cell.text]), () => having(batch, cell)),
    commonTexts: (batch: StoredBatch, header: string): readonly CommonText[] =>
      commonTexts(columnOf(batch, header).texts),
    /** The keys of all rows in the order of their cells under a header. */
    keysBy(batch: StoredBatch, { header, direction }: Extract<RowSort, { column: 'cell' }>): readonly number[] {
      const { filled, blank } = lastOrder(batch, header, () => orderOf(batch, header));
      return direction === 'ascending' ? [...filled, ...blank] : [...filled.toReversed(), ...blank.toReversed()];
    },
  };
}

/**
 * Keeps the last answer until its batch changes: a view is asked for again and again while the night runs, and to read the
 * cells of 100,000 rows takes up to 0.3 s of processor time.
 */
function keepingLast<T>() {
  let last:
    | { readonly batch: number; readonly revision: number; readonly asked: string; readonly answer: T }
    | undefined;
  return ({ seq, record: { revision } }: StoredBatch, asked: string, read: () => T): T => {
    if (last?.batch !== seq || last.revision !== revision || last.asked !== asked) {
      last = { batch: seq, revision, asked, answer: read() };
    }
    return last.answer;
  };
}

/** The rows of a batch that a statement finds, in the order of the sheet; null: nothing else has to be known of it. */
function* rowsOf(
  pieces: Statement<PieceColumns>,
  { seq }: StoredBatch,
  ...values: readonly SqlValue[]
): Generator<readonly [key: number, rest: RowRest | null]> {
  let [position, last] = [Number.MIN_SAFE_INTEGER, 0];
  for (;;) {
    const piece = pieces.get(seq, position, last, ...values);
    if (piece === undefined || piece.rests === null || piece.position === null) return;
    const keys = JSON.parse(piece.keys) as readonly number[];
    const rests = JSON.parse(piece.rests) as readonly (RowRest | null)[];
    for (const [at, rest] of rests.entries()) yield [keys[at] ?? 0, rest];
    [position, last] = [piece.position, keys.at(-1) ?? 0];
  }
}
