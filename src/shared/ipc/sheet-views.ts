/** What the window sees of a batch's sheet and sends to edit it, as schemas. */
import { z } from 'zod';
import { OPERATION_PATHS } from '../domain/operations.ts';
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

/**
 * Rows from `offset` on in a view. `firstKey` is the row that the window saw there: where another one is there by now,
 * the edit is refused, and the window shows what is there.
 */
export const rowRange = z.strictObject({
  view: rowsInView,
  offset: z.int().min(0),
  count: z.int().min(1).max(1_048_576),
  firstKey: key,
});
export type RowRange = z.infer<typeof rowRange>;

/** Where cells are written to: from a row of a view on, or below the last row. Rows that are missing are appended. */
export const cellPlace = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('row'), view: rowsInView, offset: z.int().min(0), key }),
  z.strictObject({ kind: z.literal('end') }),
]);
export type CellPlace = z.infer<typeof cellPlace>;

/** Headers, in the order of the cells. */
const headers = z.array(header).min(1).max(512);

export const sheetEdit = z.discriminatedUnion('kind', [
  /** `values` line by line, as many cells as `headers`; a block that is smaller than `rows` is repeated. */
  z.strictObject({
    kind: z.literal('set-cells'),
    at: cellPlace,
    headers,
    values: z.array(z.array(z.string())).min(1),
    rows: z.int().min(1).max(1_048_576).optional(),
  }),
  /** The first line's cells are copied into the others. */
  z.strictObject({ kind: z.literal('fill-down'), range: rowRange, headers }),
  z.strictObject({ kind: z.literal('clear-cells'), ranges: z.array(rowRange).min(1).max(1_000), headers }),
  z.strictObject({
    kind: z.literal('insert-rows'),
    at: cellPlace,
    where: z.enum(['above', 'below']),
    count: z.int().min(1).max(100_000),
  }),
  z.strictObject({ kind: z.literal('remove-rows'), ranges: z.array(rowRange).min(1).max(1_000) }),
  /** Each below itself. */
  z.strictObject({ kind: z.literal('duplicate-rows'), ranges: z.array(rowRange).min(1).max(1_000) }),
  /** In the sheet's own order, beside the row with this key. */
  z.strictObject({
    kind: z.literal('move-rows'),
    ranges: z.array(rowRange).min(1).max(1_000),
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
    /** Rows that the view shows where nothing is said. */
    ranges: z.array(rowRange).min(1).max(1_000).optional(),
    view: rowsInView,
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
