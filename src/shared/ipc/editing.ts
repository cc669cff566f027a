/**
 * The sheet of a batch: its contents, its edits and their effects, the clipboard, the search, and the lists of cells.
 */
import { z } from 'zod';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { columnView, corrections, MOST_IGNORED } from './opening.ts';
import { batchRef, engine, main, none, rowRef, type Seen } from './route.ts';
import { ignoredWarnings, MOST_ROWS, problemView, rowKeys, rowsInView, warningKind } from './rows.ts';

const key = z.int().min(0);
const header = z.string().max(1_000);
const rowCount = z.int().min(0).max(MOST_ROWS);
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
   * Writes `values` line by line, as many cells as `headers`, into `rows` and then into `added` new ones below the last
   * row; repeats a smaller block.
   */
  z.strictObject({
    kind: z.literal('set-cells'),
    rows: rowKeys,
    added: rowCount,
    headers,
    values: z.array(z.array(z.string())).min(1),
  }),
  /** Copies the first row's cells into the others. */
  z.strictObject({ kind: z.literal('fill-down'), rows: someRowKeys, headers }),
  z.strictObject({ kind: z.literal('clear-cells'), rows: someRowKeys, headers }),
  z.strictObject({
    kind: z.literal('insert-rows'),
    at: rowPlace,
    where: z.enum(['above', 'below']),
    count: z.int().min(1).max(100_000),
  }),
  z.strictObject({ kind: z.literal('remove-rows'), rows: someRowKeys }),
  /** Asks for the finished takes of these rows once more: drafts until the user runs them. */
  z.strictObject({ kind: z.literal('render-again'), rows: someRowKeys }),
  /** Takes `render-again` back, as long as no request has left for it: the earlier files count again. */
  z.strictObject({ kind: z.literal('keep-earlier'), rows: someRowKeys }),
  /** Puts the copy of each row below it. */
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
    /** All by default. */
    headers: headers.optional(),
    rows: rowKeys,
  }),
  /** Replaces whole texts of cells; a cell that has a different text by now stays as it is. */
  z.strictObject({ kind: z.literal('correct-cells'), rows: someRowKeys, corrections }),
  /**
   * Clears the cells under a header that the operations of their rows do not use, where the sheet has a warning about
   * them.
   */
  z.strictObject({ kind: z.literal('clear-unused'), header }),
  /** With texts for some rows, by their keys; blank in the others. */
  z.strictObject({
    kind: z.literal('add-column'),
    header,
    after: header.optional(),
    cells: z
      .array(z.strictObject({ key, text: z.string() }))
      .max(MOST_ROWS)
      .optional(),
  }),
  z.strictObject({ kind: z.literal('remove-column'), header }),
  z.strictObject({ kind: z.literal('move-column'), header, after: header.optional() }),
  /** What a header means: an exact column, or `''` for a header that is not sent. */
  z.strictObject({ kind: z.literal('map-column'), header, column: z.string().max(200) }),
  z.strictObject({
    kind: z.literal('set-variables'),
    variables: z.record(z.string().max(200), z.string().max(100_000)),
  }),
  /** Warnings of these kinds no longer count, or count again. */
  z.strictObject({
    kind: z.literal('ignore-warnings'),
    kinds: z.array(warningKind).min(1).max(MOST_IGNORED),
    isIgnored: z.boolean(),
  }),
  z.strictObject({ kind: z.literal('set-default-operation'), operation: z.enum(OPERATION_PATHS).optional() }),
]);
export type SheetEdit = Seen<typeof sheetEdit>;

/** What an edit did. Rows that could not be changed are named with the reason; all others were changed. */
export const editResult = z.strictObject({
  changedRows: z.int(),
  changedCells: z.int(),
  refusedRows: z.int(),
  /** The first of them. */
  refused: z.array(z.strictObject({ row: z.string(), line: z.int(), reason: z.string() })),
  /** Keys of new rows, the first of them (at most 1,000). */
  inserted: z.array(key),
  /** The sheet is as it was. */
  isNothing: z.literal(true).optional(),
  /** Identifies the edit that was carried out, undone or redone, until the engine ends; absent if nothing has changed. */
  edit: z.int().optional(),
  /** What can be undone and redone now, in words, such as “Paste 10,000 cells”. */
  undo: z.string().optional(),
  redo: z.string().optional(),
});
export type EditResult = Seen<typeof editResult>;

/** No rows: the clipboard holds nothing that can be pasted. */
export const pasteSize = z.strictObject({ rows: rowCount, columns: rowCount });

/** The sheet of a batch, without its rows. */
export const batchSheetView = z.strictObject({
  batchId: z.string(),
  columns: z.array(columnView),
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  variables: z.record(z.string(), z.string()),
  choices: z.enum(['draw', 'expand']),
  /** The file that it came from, for display; absent for a typed sheet. */
  file: z.string().optional(),
  isWatched: z.boolean(),
  /** Operations that its rows name, the most frequent first. */
  operations: z.array(z.enum(OPERATION_PATHS)),
  errorCount: z.int(),
  /** Without the ignored ones. */
  warningCount: z.int(),
  ignored: z.array(ignoredWarnings),
  undo: z.string().optional(),
  redo: z.string().optional(),
});
export type BatchSheetView = Seen<typeof batchSheetView>;

/** The body of a row as in the sheet and as it will be sent. */
export const bodyPreview = z.strictObject({
  operation: z.enum(OPERATION_PATHS).optional(),
  /** Indented JSON of the cells, before anything is put in. */
  before: z.string(),
  /** Indented JSON of the body, byte for byte what is sent when written on one line; unknown references as written. */
  after: z.string(),
  /** What was put in: `{mood}` → `calm`. */
  filledIn: z.array(z.strictObject({ column: z.string(), written: z.string(), value: z.string() })),
  /** Rows that it waits for. */
  waitsFor: z.array(z.string()),
});
export type BodyPreview = Seen<typeof bodyPreview>;

export const wordList = z.strictObject({ name: z.string(), items: z.int(), text: z.string() });

export const editingRoutes = {
  'sheet.get': engine.quick(batchRef, batchSheetView),
  'sheet.problems': engine.query(
    batchRef.extend({ limit: z.int().min(1).max(5_000) }),
    z.array(problemView.extend({ key: z.int().optional() })),
  ),
  /** How many rows hold a very long text, also where the warning about it is ignored. */
  'sheet.longRows': engine.query(batchRef, z.int()),
  /** The whole text of a cell; pages show the beginning of long ones. */
  'sheet.cell': engine.quick(rowRef.extend({ header }), z.strictObject({ text: z.string() })),
  'sheet.preview': engine.quick(rowRef, bodyPreview),
  /** The next cell of a view that holds a text, after a given cell; undefined if there is none. */
  'sheet.find': engine.query(
    batchRef.extend({
      view: rowsInView,
      /** The rows of the view as they stand on screen; by default, as the store has them. */
      rows: rowKeys.optional(),
      text: z.string().min(1).max(10_000),
      isCaseSensitive: z.boolean(),
      isWholeCell: z.boolean(),
      isPattern: z.boolean(),
      /** Without a row, or with one that the view does not show, the search starts before the first row. */
      from: z.strictObject({ key: key.optional(), column: z.int().min(-1) }),
      direction: z.enum(['forward', 'backward']),
    }),
    z.strictObject({ key: z.int(), header: z.string(), matches: z.int(), nth: z.int() }).optional(),
  ),

  'sheet.edit': engine.command(batchRef.extend({ edit: sheetEdit }), editResult),
  'sheet.undo': engine.command(batchRef, editResult),
  'sheet.redo': engine.command(batchRef, editResult),
  /** Copies cells into the clipboard, as text and as HTML; returns their number. `isCut`: also clears them. */
  'sheet.copy': main.command(batchRef.extend({ rows: someRowKeys, headers, isCut: z.boolean() }), editResult),
  /** The size of the table in the clipboard: the window names the rows to write it into. */
  'sheet.pasteSize': engine.query(none, pasteSize, 'clipboard'),
  /**
   * Writes the table of the clipboard into `rows` and into `added` new ones below the last row, repeated if these are a
   * multiple of its lines, and over `columns`, if these are a multiple of its own.
   */
  'sheet.paste': engine.command(
    batchRef.extend({
      rows: rowKeys,
      added: rowCount,
      /** From the first column of the place to the right; refused if it does not fit. */
      headers,
      columns: z.int().min(1).max(512).optional(),
    }),
    editResult,
    'clipboard',
  ),

  'lists.get': engine.quick(none, z.array(wordList)),
  'lists.set': engine.command(
    z.strictObject({ name: z.string().min(1).max(100), text: z.string().max(900_000) }),
    z.array(wordList),
  ),
  'lists.remove': engine.command(z.strictObject({ name: z.string().min(1).max(100) }), z.array(wordList)),
};
