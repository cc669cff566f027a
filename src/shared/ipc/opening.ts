/**
 * Importing a sheet from a file, the clipboard or a sample; how it is read and understood before it becomes a batch.
 */
import { z } from 'zod';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { TEXT_ENCODINGS } from '../domain/sheet/sheet-raw.ts';
import { accountsChoice } from './accounts.ts';
import { cost, engine, id, main, none, type Seen } from './route.ts';
import { ignoredWarnings, problemView, warningKind } from './rows.ts';

/** The same problem at several places: the first of them, how many there are, and the lines of some. */
export const sameProblemsView = problemView.extend({ count: z.int(), lines: z.array(z.int()) });
export type SameProblemsView = Seen<typeof sameProblemsView>;

/** What to read in every row instead of a cell's text: by header, then by that text. */
export const corrections = z.record(z.string().max(1_000), z.record(z.string().max(200), z.string().max(200)));

/** How a header is understood. */
export const columnView = z.strictObject({
  header: z.string(),
  /** The exact column that it stands for; empty if it is not sent. */
  column: z.string(),
  /** Other columns that it also stands for. */
  also: z.array(z.string()),
  how: z.enum(['exact', 'alike', 'synonym', 'chosen', 'ignored', 'unknown', 'nameless']),
  suggestions: z.array(z.string()),
});
export type ColumnView = Seen<typeof columnView>;

/**
 * What is known about a sheet from its first rows, while the rest of a large file is being read. There are no counts
 * yet.
 */
export const sheetBeginning = z.strictObject({
  /** Names the opened sheet in `batch.create`; gone when the application is closed. */
  sheetId: z.string(),
  name: z.string(),
  /** Names the user's own file among the recent ones; absent for a sample and for a pasted table. */
  recentId: z.string().optional(),
  format: z.string(),
  /** What a text file was read as; absent for a workbook, and for a file that could not be read at all. */
  encoding: z.enum(TEXT_ENCODINGS).optional(),
  /** The character between the cells of a text file. */
  delimiter: z.string().optional(),
  /** The sheets of a workbook, and which of them was read. */
  sheets: z.array(z.string()).optional(),
  sheet: z.string().optional(),
  /** The line of the header; absent for the first line. */
  headerLine: z.int().optional(),
  /** How its first lines begin, without blank ones; absent if none of them was read. */
  firstLines: z.array(z.strictObject({ line: z.int(), text: z.string() })).optional(),
  columns: z.array(columnView),
  /** The operation of rows that name none; `needsOperation`: there are such rows, and nothing was chosen. */
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  needsOperation: z.boolean(),
  /** What to read instead of a cell's text: by header, then by the whole text. */
  corrections: corrections.optional(),
  /** Names in braces that are not columns: variables of the batch, with their values. */
  variables: z.record(z.string(), z.string()),
  /** Lists that cells draw from. */
  lists: z.array(z.strictObject({ name: z.string(), isThere: z.boolean() })),
  choices: z.enum(['draw', 'expand']),
  /** What it was checked for: several accounts, or one. */
  accounts: accountsChoice.optional(),
  /** The mapping was kept from an earlier sheet with the same headers. */
  isMappingKept: z.boolean(),
  /** The newest batch from the same file that was paid for, else the newest rehearsal, else one that never started. */
  earlier: z
    .strictObject({
      batchId: z.string(),
      name: z.string(),
      createdAt: z.number(),
      rehearsal: z.boolean(),
      isStarted: z.boolean(),
    })
    .optional(),
  /** The first 50 rows, as a preview. */
  preview: z.strictObject({
    headers: z.array(z.string()),
    rows: z.array(z.array(z.string())),
    /** What is sent for each of them, as indented JSON, cut for display; empty for a row without an operation. */
    bodies: z.array(z.string()),
  }),
});
export type SheetBeginning = Seen<typeof sheetBeginning>;

/** A sheet that was opened and checked, before it becomes a batch. */
export const sheetView = sheetBeginning.extend({
  /** Cells with a choice such as `{red|green}`; 0 if the question does not arise. */
  choiceCells: z.int(),
  /** How many rows there would be with one row for each choice. */
  expandedRows: z.int(),
  /** The cost of a run at the profile's prices; empty if it has none. */
  cost,
  /** Submits of operations without a price in the profile. */
  submitsWithoutPrice: z.int(),
  rowCount: z.int(),
  /** The sheet has this many rows and no operation for any of them: none was checked. */
  rowsWithoutOperation: z.int().optional(),
  runnableRows: z.int(),
  skippedRows: z.int(),
  /** Submits of a run: the takes of all rows that can run. */
  submits: z.int(),
  operations: z.array(z.strictObject({ operation: z.enum(OPERATION_PATHS), rows: z.int(), submits: z.int() })),
  /** Where files of this computer that cells name are put, in words; absent: nowhere. */
  filesPlace: z.string().optional(),
  /** Files of this computer with which nothing is wrong; absent if there are none. */
  localFiles: z.strictObject({ count: z.int(), bytes: z.number() }).optional(),
  errorCount: z.int(),
  /** Without the ignored ones. */
  warningCount: z.int(),
  ignored: z.array(ignoredWarnings),
  /** Rows that would run and hold a text of more than 100 kB; absent if there are none. */
  longRows: z.int().optional(),
  /** At most the first 500 mistakes, however often each was made, without ignored ones. */
  problems: z.array(sameProblemsView),
});
export type SheetView = Seen<typeof sheetView>;

export const recentSheet = z.strictObject({
  recentId: z.string(),
  name: z.string(),
  folder: z.string(),
  openedAt: z.number(),
  isThere: z.boolean(),
});

/** A sheet has at most 512 columns, and each has few kinds of warnings. */
export const MOST_IGNORED = 2_000;

/** How to read an opened file: anything not named is recognised. */
export const reading = z.strictObject({
  sheetId: id,
  encoding: z.enum(TEXT_ENCODINGS).optional(),
  delimiter: z.string().length(1).optional(),
  /** The sheet of a workbook. */
  sheet: z.string().max(1_000).optional(),
  /** Lines above it are not read. */
  headerLine: z.int().min(1).max(1_048_576).optional(),
});
/** How the columns and cells of an opened sheet are understood, as far as the user can say. */
export const interpretation = z.strictObject({
  sheetId: id,
  mapping: z.record(z.string().max(1_000), z.string().max(200)),
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  corrections: corrections.optional(),
  variables: z.record(z.string().max(200), z.string().max(100_000)),
  choices: z.enum(['draw', 'expand']),
  /** Kinds of warnings that the user ignores in this sheet. */
  ignored: z.array(warningKind).max(MOST_IGNORED).optional(),
  /** The accounts that the cells of the column `account` may name, and whose prices apply. */
  accounts: accountsChoice.optional(),
});

export const openingRoutes = {
  /**
   * Opens a dialog; undefined if the user cancelled it, or meanwhile closed the sheet or had it read in another way.
   */
  'sheet.choose': main.command(none, sheetView.optional()),
  'sheet.sample': main.command(
    z.strictObject({ sample: z.enum(['night', 'chain', 'all-operations', 'mistakes']) }),
    sheetView,
  ),
  /** Opens the table in the clipboard; undefined if there is none. */
  'sheet.fromClipboard': main.command(none, sheetView.optional()),
  'sheet.recent': main.query(none, z.array(recentSheet)),
  'sheet.openRecent': main.command(z.strictObject({ recentId: id }), sheetView.optional()),
  'sheet.forgetRecent': main.command(z.strictObject({ recentId: id }), z.array(recentSheet)),
  /** Reads a file again in another way, even one that is still being read; it keeps its `sheetId`. */
  'sheet.reread': engine.command(reading, sheetView.optional(), 'prices'),
  /** Forgets an opened sheet, and ends the reading of its file. */
  'sheet.close': engine.command(z.strictObject({ sheetId: id }), none),
  /** Like `batch.choosePlace`, for an opened sheet, whose files are checked; nothing is put. */
  'sheet.choosePlace': main.command(z.strictObject({ sheetId: id }), sheetView.optional()),
  /** Interprets an opened sheet in another way. The mapping is kept and offered again for the same headers. */
  'sheet.interpret': main.command(interpretation, sheetView),
  /** Keeps the present mapping of a batch in the same way. */
  'sheet.keepMapping': main.command(z.strictObject({ batchId: id }), none),
};
