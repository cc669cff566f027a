/** The routes of sheets: bringing in, editing, the living sheet, starting from nothing. Part of the contract. */
import { z } from 'zod';
import { OPERATION_PATHS } from '../domain/operations/operations.ts';
import { TEXT_ENCODINGS } from '../domain/sheet/sheet-raw.ts';
import {
  batchSheetView,
  bodyPreview,
  editResult,
  pasteSize,
  recentSheet,
  rowKeys,
  rowsInView,
  sheetDifference,
  sheetEdit,
  waitingCost,
  wordList,
} from './sheet-views.ts';
import { batchView, corrections, problemView, sheetView } from './views.ts';

const none = z.undefined();
const id = z.string().max(64);
const batch = z.strictObject({ batchId: id });
const row = z.strictObject({ batchId: id, key: z.int().min(0) });

const query = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) =>
  ({ kind: 'query', input, output }) as const;
const command = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) =>
  ({ kind: 'command', input, output }) as const;

/** How an opened file is understood: what is not named is recognised. */
const reading = z.strictObject({
  sheetId: id,
  encoding: z.enum(TEXT_ENCODINGS).optional(),
  delimiter: z.string().length(1).optional(),
  /** The sheet of a workbook. */
  sheet: z.string().max(1_000).optional(),
  /** What is above it is not read. */
  headerLine: z.int().min(1).max(1_048_576).optional(),
});
const interpretation = z.strictObject({
  sheetId: id,
  mapping: z.record(z.string().max(1_000), z.string().max(200)),
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  corrections: corrections.optional(),
  variables: z.record(z.string().max(200), z.string().max(100_000)),
  choices: z.enum(['draw', 'expand']),
});

export const sheetRoutes = {
  /** Reads an opened file once more, in another way; it keeps its `sheetId`. */
  'sheet.reread': command(reading, sheetView),
  /** Understands an opened sheet in another way. The mapping is kept and offered again for the same headers. */
  'sheet.interpret': command(interpretation, sheetView),
  /** Opens the table that is in the clipboard; undefined where there is none. */
  'sheet.fromClipboard': command(none, sheetView.optional()),
  'sheet.recent': query(none, z.array(recentSheet)),
  'sheet.openRecent': command(z.strictObject({ recentId: id }), sheetView),
  'sheet.forgetRecent': command(z.strictObject({ recentId: id }), z.array(recentSheet)),
  /** A new batch that is not started, from a template of `templates.ts`, or empty. */
  'sheet.new': command(z.strictObject({ template: z.string().max(100), name: z.string().min(1).max(200) }), batchView),
  /** A new batch that is not started with the rows of another one; nothing that was rendered is taken over. */
  'batch.duplicate': command(batch, batchView),
  /** Changes a batch that has not been started yet; of one that was, `maxSubmits` alone. */
  'batch.configure': command(
    z.strictObject({
      batchId: id,
      name: z.string().min(1).max(200).optional(),
      rehearsal: z.boolean().optional(),
      folderId: id.optional(),
      /** 0: no maximum. */
      maxSubmits: z.int().min(0).max(1_000_000).optional(),
    }),
    batchView,
  ),
  /** What the submits that wait in a batch cost on the user's own gateway, by its profile's prices. */
  'batch.cost': query(batch, waitingCost),
  /** Lets rows that were typed or changed run: makes their tasks and sets the batch going. Gives the number of tasks. */
  'batch.release': command(
    // `submits`: as many as the user was shown. Where edits that were under way ask for more by then, it is refused.
    batch.extend({ submits: z.int().min(0) }),
    z.strictObject({ tasks: z.int() }),
  ),

  'sheet.get': query(batch, batchSheetView),
  'sheet.problems': query(
    z.strictObject({ batchId: id, limit: z.int().min(1).max(5_000) }),
    z.array(problemView.extend({ key: z.int().optional() })),
  ),
  /** The whole text of a cell; pages show the beginning of long ones. */
  'sheet.cell': query(row.extend({ header: z.string().max(1_000) }), z.strictObject({ text: z.string() })),
  'sheet.preview': query(row, bodyPreview),
  /** The place of a row in a view, to jump to it. */
  'sheet.place': query(row.extend({ view: rowsInView }), z.strictObject({ offset: z.int().optional() })),
  /** The rows at some places of a view, by their keys; fewer where it ends. */
  'sheet.keys': query(
    z.strictObject({
      batchId: id,
      view: rowsInView,
      offset: z.int().min(0),
      count: z.int().min(1).max(1_048_576),
    }),
    z.strictObject({ keys: rowKeys }),
  ),
  'sheet.edit': command(z.strictObject({ batchId: id, edit: sheetEdit }), editResult),
  'sheet.undo': command(batch, editResult),
  'sheet.redo': command(batch, editResult),
  /** Puts cells into the clipboard, as text and as HTML; gives their number. `isCut`: and clears them. */
  'sheet.copy': command(
    z.strictObject({
      batchId: id,
      rows: rowKeys.min(1),
      headers: z.array(z.string().max(1_000)).min(1).max(512),
      isCut: z.boolean(),
    }),
    editResult,
  ),
  /** How large the table in the clipboard is: the window names the rows that it is to be written into. */
  'sheet.pasteSize': query(none, pasteSize),
  /**
   * Writes the table of the clipboard into `rows` and as many new ones below the last row as are `added`, repeated where
   * these are multiples of its lines, and over `columns` where these are multiples of its own.
   */
  'sheet.paste': command(
    z.strictObject({
      batchId: id,
      rows: rowKeys,
      added: z.int().min(0).max(1_048_576),
      /** From the first column of the place to the right; what does not fit is refused. */
      headers: z.array(z.string().max(1_000)).min(1).max(512),
      columns: z.int().min(1).max(512).optional(),
    }),
    editResult,
  ),
  /** The next cell of a view that holds a text, from a cell on; undefined where there is none. */
  'sheet.find': query(
    z.strictObject({
      batchId: id,
      view: rowsInView,
      text: z.string().min(1).max(10_000),
      isCaseSensitive: z.boolean(),
      isWholeCell: z.boolean(),
      isPattern: z.boolean(),
      /** Without a row, or with one that the view does not show: before the first. */
      from: z.strictObject({ key: z.int().min(0).optional(), column: z.int().min(-1) }),
      direction: z.enum(['forward', 'backward']),
    }),
    z.strictObject({ offset: z.int(), key: z.int(), header: z.string(), matches: z.int() }).optional(),
  ),

  /** Brings the batch's file in again, or another one that a dialog asks for, and compares; undefined when cancelled. */
  'sheet.compare': command(z.strictObject({ batchId: id, isChosen: z.boolean() }), sheetDifference.optional()),
  'sheet.apply': command(
    z.strictObject({
      differenceId: id,
      /** What becomes of rows that the file has no more. */
      removed: z.enum(['keep', 'remove']),
      /** Rows that refer to a changed one render again, too. */
      withDependents: z.boolean(),
      /** As many paid requests as the user was shown. Where the batch has changed since and it asks for more, it is refused. */
      submits: z.int().min(0),
      /** Lets the rows run that it asks for. Refused for a batch that was not started. */
      start: z.boolean(),
    }),
    z.strictObject({ batch: batchView, tasks: z.int() }),
  ),
  'sheet.watch': command(z.strictObject({ batchId: id, isWatched: z.boolean() }), batchSheetView),
  /** Writes the results as columns: into a copy beside the original, a file that a dialog asks for, or the original. */
  'results.write': command(
    z.strictObject({ batchId: id, into: z.enum(['copy', 'chosen', 'original']) }),
    z.strictObject({ file: z.string() }).optional(),
  ),

  'lists.get': query(none, z.array(wordList)),
  'lists.set': command(
    z.strictObject({ name: z.string().min(1).max(100), text: z.string().max(900_000) }),
    z.array(wordList),
  ),
  'lists.remove': command(z.strictObject({ name: z.string().min(1).max(100) }), z.array(wordList)),
} as const;

export const sheetEvents = {
  /** A sheet is being opened: rows that were read of it so far. */
  'sheet.progress': z.strictObject({ sequence: z.int(), rows: z.int() }),
  /** The sheet of a batch was edited: its columns, its problems, what can be undone; pages of it are to be asked for anew. */
  'sheet.changed': z.strictObject({ sequence: z.int(), batchId: z.string() }),
  /** A watched file has changed. */
  'sheet.fileChanged': z.strictObject({ sequence: z.int(), batchId: z.string(), name: z.string() }),
} as const;
