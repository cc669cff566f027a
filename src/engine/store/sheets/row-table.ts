import { rowLabel, searchText } from '../../../shared/domain/task/row-view.ts';
import { shownProblem, type SheetProblem } from '../../../shared/domain/sheet/problems.ts';
import type { JsonObject } from '../../../shared/domain/base/json.ts';
import type { OperationPath } from '../../../shared/domain/operations/operations.ts';
import type { Row } from '../../../shared/domain/sheet/row.ts';
import type { RowEdits } from '../../../shared/domain/cells/row-edits.ts';
import { foldRowId } from '../../../shared/domain/sheet/sheet-row-ids.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { bodyBytes } from '../../request-body.ts';
import type { RowContent } from '../../ports/sheet-store.ts';
import type { CellColumns, StoredCells } from './cell-columns.ts';

/** What of a row has a column of its own; see {@link RowContentColumns}. */
type InColumns = 'id' | 'line' | 'operation' | 'body' | 'takes' | 'skip';

/** The part of a row that is kept as JSON: all else. Undefined values come back as undefined. */
export type RowRest = Pick<Row, 'priority'> &
  Partial<Omit<Row, InColumns | 'cells'>> & {
    readonly cells: StoredCells;
    readonly edits?: RowEdits;
  };

/** The columns of a row with its contents. */
export interface RowContentColumns {
  readonly seq: number;
  readonly batch: number;
  readonly position: number;
  readonly draft: number;
  readonly row_id: string;
  readonly line: number;
  readonly operation: OperationPath | '';
  readonly takes: number;
  readonly skip: number;
  readonly body: Uint8Array;
  readonly rest: string;
}

/** For a `SELECT` whose rows are {@link RowContentColumns}. */
export const ROW_CONTENT_SELECT = `
  SELECT rows.seq, batch, position, draft, row_id, line, operation, takes, skip, body, rest
  FROM rows JOIN row_contents ON row_contents.row = rows.seq`;

/** What the columns of a row keep as JSON. */
export function restOf({ rest }: Pick<RowContentColumns, 'rest'>): RowRest {
  return JSON.parse(rest) as RowRest;
}

/** A row of the sheet from its columns; `cellColumns`: the columns of its batch. */
export function rowOf(columns: RowContentColumns, cellColumns: CellColumns, rest = restOf(columns)): Row {
  return {
    id: columns.row_id,
    line: columns.line,
    operation: columns.operation === '' ? undefined : columns.operation,
    body: JSON.parse(new TextDecoder().decode(columns.body)) as JsonObject,
    takes: columns.takes,
    priority: rest.priority,
    filename: rest.filename,
    note: rest.note,
    skip: columns.skip === 1,
    cells: cellColumns.cells(rest.cells),
    ...present({ links: rest.links, account: rest.account, pick: rest.pick }),
  };
}

/** Occurs in the JSON of each edited row, and in hardly any other: in texts, quotes are escaped. */
export const EDITS_MARK = '"edits":';

/** The columns of `rows` that an edit writes. */
export const CONTENT_COLUMNS = `line, position, row_id, id_key, operation, takes, skip, label, problem, search, request,
  draft`;

/** The values of {@link CONTENT_COLUMNS}, in their order. */
export function contentColumns({ row, position, problems, request, isDraft }: RowContent) {
  const label = rowLabel(row);
  return [
    row.line,
    position,
    row.id,
    foldRowId(row.id),
    row.operation ?? '',
    row.takes,
    row.skip ? 1 : 0,
    label,
    problemText(problems),
    searchText(row, label),
    request ?? null,
    isDraft ? 1 : 0,
  ] as const;
}

/** The problem that a row shows, as the value of its column. */
export function problemText(problems: readonly SheetProblem[]): string | null {
  const problem = shownProblem(problems);
  return problem === undefined ? null : JSON.stringify(problem);
}

/** The columns of `row_contents`, without its key; see {@link rowOf}. */
export function bodyColumns({ row, edits }: Pick<RowContent, 'row' | 'edits'>, cellColumns: CellColumns) {
  const { priority, account, pick, filename, note, links } = row;
  const cells = cellColumns.stored(row.cells);
  const rest: Record<keyof RowRest, unknown> = { priority, account, pick, cells, filename, note, links, edits };
  return [bodyBytes(row), JSON.stringify(rest)] as const;
}
