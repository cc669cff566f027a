import {
  commonTexts,
  orderOfCells,
  type CellOfRow,
  type CellOrder,
  type CommonText,
} from '../../../shared/domain/cells/cell-order.ts';
import type { CellValue, RowSort } from '../../../shared/domain/task/batch-view.ts';
import { foldSearchText } from '../../../shared/domain/task/row-view.ts';
import { IN_LIST, statementsOnce, type Database, type SqlValue, type Statement } from '../open/database.ts';
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
  readonly cells: string | null;
  /** The position of the last row. */
  readonly position: number | null;
}

/** A cell; or, in a list, everything that is kept about a row besides its request. */
type PieceCell = string | null | readonly [RowRest];

/** What the cells of a sheet say: which rows contain a text, and the order of the rows by one column. */
export function openRowCells(db: Database) {
  const prepared = statementsOnce<PieceColumns>(db);
  // Unless the id or label matches, the cells themselves are checked: `rest` contains more than cells.
  const found = [
    `CASE WHEN instr(search, ?4) > 0 THEN 'null' ELSE '[' || rest || ']' END`,
    ` AND (instr(search, ?4) > 0 OR rest LIKE ?5 ESCAPE '!')`,
  ] as const;
  const selectWith = piecesSql(...found);
  const selectAmong = piecesSql(...found, `rows.seq ${IN_LIST.replace('?', '?6')} AND +batch = ?1 AND +removed = 0`);
  const selectEdited = piecesSql(`'[' || rest || ']'`, ` AND rest LIKE '%${EDITS_MARK}%'`);
  const lastEdited = keepingLast<readonly number[]>();
  const lastFound = keepingLast<readonly number[]>();
  const lastHaving = keepingLast<readonly number[]>();
  const lastOrder = keepingLast<CellOrder>();

  /** @param among The only rows that may contain the text, if these are few. */
  function findIn(batch: StoredBatch, text: string, among: readonly number[] | undefined): readonly number[] {
    const keys: number[] = [];
    const { headers } = batch.record;
    const values = [text, likePattern(text), ...(among === undefined ? [] : [JSON.stringify(among)])];
    const statement = prepared(among === undefined ? selectWith : selectAmong);
    for (const [key, cell] of cellsOf(statement, batch, ...values)) {
      if (cell === null || textsOf(batch, cell, headers).some((other) => foldSearchText(other).includes(text))) {
        keys.push(key);
      }
    }
    return keys;
  }

  /** The rows in the order of the sheet, and their cells under a header: all blank if the sheet does not have it. */
  function* columnOf(batch: StoredBatch, header: string): Generator<CellOfRow> {
    const statement = prepared(piecesSql(cellSql(batch.columns.placeOf(header))));
    for (const [key, cell] of cellsOf(statement, batch)) yield [key, textsOf(batch, cell, [header])[0] ?? ''];
  }

  function having(batch: StoredBatch, { header, text }: CellValue): readonly number[] {
    const wanted = text.trim();
    const keys: number[] = [];
    for (const [key, other] of columnOf(batch, header)) if (other.trim() === wanted) keys.push(key);
    return keys;
  }

  function edited(batch: StoredBatch): readonly number[] {
    const found: number[] = [];
    const { headers } = batch.record;
    for (const [key, cell] of cellsOf(prepared(selectEdited), batch)) {
      const edits = typeof cell === 'string' ? undefined : cell?.[0].edits;
      if (edits !== undefined && isEditedRow(edits, headers, textsOf(batch, cell, headers))) found.push(key);
    }
    return found;
  }

  return {
    /** The keys of the rows that are not as they were imported, in the order of the sheet. */
    keysEdited: (batch: StoredBatch): readonly number[] => lastEdited(batch, '', () => edited(batch)),
    /** The keys of the rows whose id, label or a cell contains a folded text, in the order of the sheet. */
    keysWith: (batch: StoredBatch, text: string): readonly number[] =>
      lastFound(batch, text, ({ asked = text, answer = [], isCurrent }) => {
        // Typing on narrows the last result, which is faster to read than the sheet if it is small.
        const isNarrowed = isCurrent && text.includes(asked) && isFewOf(batch, answer.length);
        return findIn(batch, text, isNarrowed ? answer : undefined);
      }),
    /** The keys of the rows that have a text in a cell, in the order of the sheet. */
    keysHaving: (batch: StoredBatch, cell: CellValue): readonly number[] =>
      lastHaving(batch, JSON.stringify([cell.header, cell.text]), () => having(batch, cell)),
    commonTexts: (batch: StoredBatch, header: string): readonly CommonText[] => commonTexts(columnOf(batch, header)),
    /** The keys of all rows in the order of their cells under a header. */
    keysBy(batch: StoredBatch, { header, direction }: Extract<RowSort, { column: 'cell' }>): readonly number[] {
      const { filled, blank } = lastOrder(batch, header, ({ answer }) => orderOfCells(columnOf(batch, header), answer));
      return direction === 'ascending' ? [...filled, ...blank] : [...filled.toReversed(), ...blank.toReversed()];
    },
  };
}

/** Whether it is faster to read this many rows by their keys than to read the whole sheet. */
export function isFewOf({ record }: StoredBatch, rows: number): boolean {
  return rows * 8 < record.rowCount;
}

/** Selects the next {@link PieceColumns} of the rows of a batch after a place. */
function piecesSql(cell: string, condition = '', rows = 'batch = ?1 AND removed = 0'): string {
  return `
    SELECT json_group_array(seq) AS keys, '[' || string_agg(cell, ',') || ']' AS cells, max(position) AS position
    FROM (SELECT rows.seq AS seq, ${cell} AS cell, position
      FROM rows CROSS JOIN row_contents ON row_contents.row = rows.seq
      WHERE ${rows} AND (position, rows.seq) > (?2, ?3)${condition}
      ORDER BY position, rows.seq LIMIT ${ROWS_AT_A_TIME}) AS piece`;
}

/**
 * The cell with a number as JSON, so that not all cells of each row are read. It is the whole row if cells are stored
 * by name, or if PostgreSQL has replaced a character that it does not read in JSON.
 */
function cellSql(number: number): string {
  const cell = `rest -> '$.cells[${number}]'`;
  return `CASE WHEN instr(rest, '"cells":[') = 0 OR instr(${cell}, '\\uf') > 0 THEN '[' || rest || ']'
    ELSE coalesce(${cell}, 'null') END`;
}

/** The last answer, if it was about the same batch; current if nothing in the batch has changed since. */
type Earlier<T> = { readonly isCurrent: boolean } & Partial<{ readonly asked: string; readonly answer: T }>;

/**
 * Keeps the last answer until its batch changes: a view is asked for again and again while the night runs, and reading
 * a column of 100,000 rows takes at least 0.1 s of processor time.
 */
function keepingLast<T>() {
  let last:
    | { readonly batch: number; readonly revision: number; readonly asked: string; readonly answer: T }
    | undefined;
  return ({ seq, record: { revision } }: StoredBatch, asked: string, read: (earlier: Earlier<T>) => T): T => {
    const earlier = last?.batch === seq ? last : undefined;
    const isCurrent = earlier?.revision === revision;
    if (earlier !== undefined && isCurrent && earlier.asked === asked) return earlier.answer;
    last = { batch: seq, revision, asked, answer: read({ ...earlier, isCurrent }) };
    return last.answer;
  };
}

/** The texts of a row under these headers, in order; for a single cell, only its own text. */
function textsOf(batch: StoredBatch, cell: PieceCell, headers: readonly string[]): readonly string[] {
  return typeof cell === 'string' || cell === null ? [cell ?? ''] : batch.columns.texts(cell[0].cells, headers);
}

/** The rows of a batch that a statement finds, in the order of the sheet, with what it selects for each. */
function* cellsOf(
  pieces: Statement<PieceColumns>,
  { seq }: StoredBatch,
  ...values: readonly SqlValue[]
): Generator<readonly [key: number, cell: PieceCell]> {
  let [position, last] = [Number.MIN_SAFE_INTEGER, 0];
  for (;;) {
    const piece = pieces.get(seq, position, last, ...values);
    if (piece === undefined || piece.cells === null || piece.position === null) return;
    const keys = JSON.parse(piece.keys) as readonly number[];
    const cells = JSON.parse(piece.cells) as readonly PieceCell[];
    for (const [at, cell] of cells.entries()) yield [keys[at] ?? 0, cell];
    // Another query would search the rest of the sheet in vain.
    if (keys.length < ROWS_AT_A_TIME) return;
    [position, last] = [piece.position, keys.at(-1) ?? 0];
  }
}
