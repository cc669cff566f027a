/** What the window sees of a batch's sheet and sends to edit it, as schemas. */
import { z } from 'zod';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { columnView, rowStatus } from './views.ts';

const key = z.int().min(0);
const header = z.string().max(1_000);
/** A grid's order and choice of rows. */
export const rowFilter = z.strictObject({
  status: z.array(rowStatus).optional(),
  operation: z.enum(OPERATION_PATHS).optional(),
  text: z.string().max(500).optional(),
});
export type RowFilter = z.infer<typeof rowFilter>;

export const rowSort = z.strictObject({
  column: z.enum(['line', 'row', 'operation', 'status', 'finishedAt']),
  direction: z.enum(['ascending', 'descending']),
});
export const rowsInView = z.strictObject({ filter: rowFilter, sort: rowSort });
export type RowsInView = z.infer<typeof rowsInView>;

/** As many rows as a spreadsheet has. */
const MOST_ROWS = 1_048_576;
const rowCount = z.int().min(0).max(MOST_ROWS);

/**
 * Rows by their keys, in the order in which they were seen. An edit goes to these rows and to no others, wherever they
 * stand by now: the night moves rows in and out of views while somebody edits them.
 */
export const rowKeys = z.array(key).max(MOST_ROWS);
const someRowKeys = rowKeys.min(1);

/** Beside a row, or below the last one. */
export const rowPlace = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('row'), key }),
  z.strictObject({ kind: z.literal('end') }),
]);

/** Headers, in the order of the cells. */
const headers = z.array(header).min(1).max(512);

export const sheetEdit = z.discriminatedUnion('kind', [
  /**
   * `values` line by line, as many cells as `headers`, into `rows` and then into as many new ones below the last row as
   * are `added`; a block that is smaller is repeated.
   */
  z.strictObject({
    kind: z.literal('set-cells'),
    rows: rowKeys,
    added: rowCount,
    headers,
    values: z.array(z.array(z.string())).min(1),
  }),
  /** The first row's cells are copied into the others. */
  z.strictObject({ kind: z.literal('fill-down'), rows: someRowKeys, headers }),
  z.strictObject({ kind: z.literal('clear-cells'), rows: someRowKeys, headers }),
  z.strictObject({
    kind: z.literal('insert-rows'),
    at: rowPlace,
    where: z.enum(['above', 'below']),
    count: z.int().min(1).max(100_000),
  }),
  z.strictObject({ kind: z.literal('remove-rows'), rows: someRowKeys }),
  /** Each below itself. */
  z.strictObject({ kind: z.literal('duplicate-rows'), rows: someRowKeys }),
  /** In the sheet's own order, beside the row with this key. */
  z.strictObject({
    kind: z.literal('move-rows'),
    rows: someRowKeys,
    to: key,
    where: z.enum(['above', 'below']),
  }),
  z.strictObject({
    kind: z.literal('replace'),
    find: z.string().min(1).max(10_000),
    replaceWith: z.string().max(10_000),
    isCaseSensitive: z.boolean(),
    isWholeCell: z.boolean(),
    /** `find` is a regular expression, `replaceWith` may name its groups. */
    isPattern: z.boolean(),
    /** All where nothing is said. */
    headers: headers.optional(),
    rows: rowKeys,
  }),
  z.strictObject({ kind: z.literal('add-column'), header, after: header.optional() }),
  z.strictObject({ kind: z.literal('remove-column'), header }),
  z.strictObject({ kind: z.literal('move-column'), header, after: header.optional() }),
  /** What a header means: an exact column, or `''` for one that is not sent. */
  z.strictObject({ kind: z.literal('map-column'), header, column: z.string().max(200) }),
  z.strictObject({
    kind: z.literal('set-variables'),
    variables: z.record(z.string().max(200), z.string().max(100_000)),
  }),
  z.strictObject({ kind: z.literal('set-default-operation'), operation: z.enum(OPERATION_PATHS).optional() }),
]);
export type SheetEdit = z.infer<typeof sheetEdit>;

/** What an edit did. Rows that could not be changed are named with the reason; the others were. */
export const editResult = z.strictObject({
  changedRows: z.int(),
  changedCells: z.int(),
  refusedRows: z.int(),
  /** The first of them. */
  refused: z.array(z.strictObject({ row: z.string(), line: z.int(), reason: z.string() })),
  /** Keys of rows that came to be, the first of them (at most 1,000). */
  inserted: z.array(key),
  /** What can be undone and redone now, in words, such as “Paste 10,000 cells”. */
  undo: z.string().optional(),
  redo: z.string().optional(),
});
export type EditResult = z.infer<typeof editResult>;

/** No rows: there is nothing in the clipboard that could be pasted. */
export const pasteSize = z.strictObject({ rows: rowCount, columns: rowCount });

/** The sheet of a batch, without its rows. */
export const batchSheetView = z.strictObject({
  batchId: z.string(),
  columns: z.array(columnView),
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  variables: z.record(z.string(), z.string()),
  choices: z.enum(['draw', 'expand']),
  /** The file that it came from, for display; absent for a sheet that was typed. */
  file: z.string().optional(),
  isWatched: z.boolean(),
  /** Operations that rows of it name, the commonest first. */
  operations: z.array(z.enum(OPERATION_PATHS)),
  errorCount: z.int(),
  warningCount: z.int(),
  undo: z.string().optional(),
  redo: z.string().optional(),
});
export type BatchSheetView = z.infer<typeof batchSheetView>;

/** The body of a row as it stands in the sheet and as it will be sent. */
export const bodyPreview = z.strictObject({
  operation: z.enum(OPERATION_PATHS).optional(),
  /** Indented JSON of what the cells say, before anything is put in. */
  before: z.string(),
  /** Indented JSON of what is sent, byte for byte when written on one line; references that are not known yet as written. */
  after: z.string(),
  /** What was put in: `{mood}` → `calm`. */
  filledIn: z.array(z.strictObject({ column: z.string(), written: z.string(), value: z.string() })),
  /** Rows that are waited for. */
  waitsFor: z.array(z.string()),
});
export type BodyPreview = z.infer<typeof bodyPreview>;

/** One row of a comparison of a batch with its file. */
export const rowDifference = z.strictObject({
  kind: z.enum(['new', 'changed', 'details', 'removed', 'locked']),
  row: z.string(),
  line: z.int(),
  label: z.string(),
  /** The cells that differ; texts are cut. */
  changes: z.array(z.strictObject({ header: z.string(), before: z.string(), after: z.string() })),
  /** Why a row that differs stays as it is. */
  reason: z.string().optional(),
});

/** A file brought in again beside the batch that was made of it. */
export const sheetDifference = z.strictObject({
  differenceId: z.string(),
  batchId: z.string(),
  file: z.string(),
  counts: z.strictObject({
    new: z.int(),
    /** Ask for something else than before: they render again. */
    changed: z.int(),
    /** Only notes, names, priorities: nothing renders again. */
    details: z.int(),
    unchanged: z.int(),
    removed: z.int(),
    /** In flight: they stay as they are. */
    locked: z.int(),
    /** Not changed themselves, but refer to a row that is. */
    dependent: z.int(),
    invalid: z.int(),
  }),
  /** Submits that applying it asks for, without the dependent rows; and those of the dependent rows. */
  submits: z.int(),
  dependentSubmits: z.int(),
  cost: z.array(z.strictObject({ currency: z.string(), amount: z.number() })),
  headersAdded: z.array(z.string()),
  headersRemoved: z.array(z.string()),
  /** The first 500 rows that differ. */
  rows: z.array(rowDifference),
  errorCount: z.int(),
  warningCount: z.int(),
});
export type SheetDifference = z.infer<typeof sheetDifference>;

export const wordList = z.strictObject({ name: z.string(), items: z.int(), text: z.string() });
export const recentSheet = z.strictObject({
  recentId: z.string(),
  name: z.string(),
  folder: z.string(),
  openedAt: z.number(),
  isThere: z.boolean(),
});

/** What submits cost that wait to be made. */
export const waitingCost = z.strictObject({
  submits: z.int(),
  /** By currency; empty where the profile names no prices. */
  cost: z.array(z.strictObject({ currency: z.string(), amount: z.number() })),
  /** Submits of operations that the profile names no price for. */
  submitsWithoutPrice: z.int(),
});
