/** The rows of a batch: a page of them; and one row in detail, with its files and what is known about its submits. */
import { z } from 'zod';
import { FAILURE_CODES } from '../domain/base/failure.ts';
import { ROW_VIEW_STATUSES } from '../domain/task/row-status.ts';
import { FAMILIES, OPERATION_PATHS } from '../domain/operations/operations.ts';
import { SHEET_PROBLEM_CODES } from '../domain/sheet/problems.ts';
import { LONGEST_COMMON_TEXT } from '../domain/cells/cell-order.ts';
import { ROW_SORT_COLUMNS, type RowsInView } from '../domain/task/batch-view.ts';
import { TASK_STATUSES } from '../domain/task/task.ts';
import { GATE_CODES } from '../domain/gates/gates.ts';
import { BEST_RATING, LONGEST_VERDICT_NOTE } from '../domain/review/verdict.ts';
import { batchRef, engine, main, money, none, rowRef, type Seen } from './route.ts';

export const failureView = z.strictObject({
  code: z.enum(FAILURE_CODES),
  message: z.string(),
  /** Somebody else’s words, such as the gateway’s. */
  isForeign: z.literal(true).optional(),
  suspected: z.boolean().optional(),
  /** The gateway's status that it was inferred from. */
  status: z.string().optional(),
  /** Another folder has taken the place of the batch's own: that does not pass by itself. */
  isReplaced: z.literal(true).optional(),
  /** The name of the missing key, if it has one at its gateway. */
  keyName: z.string().optional(),
  /** The origin that the key is for, if the failure says. */
  gateway: z.string().optional(),
  /**
   * Which limit holds the batch up, its own or the one for all batches together, and which part of it is used up or not
   * known.
   */
  cap: z
    .strictObject({
      of: z.enum(['account', 'batch', 'night', 'month']),
      /** The name of the account whose limit it is. */
      account: z.string().optional(),
      lacks: z.enum(['requests', 'cost', 'price']),
      /** What the next request costs for which money lacks. */
      next: money.optional(),
    })
    .optional(),
});

/** Statuses of a row: those of its tasks, and three for rows that have none. */
export const rowStatus = z.enum(ROW_VIEW_STATUSES);

/** A file of a row; `id` addresses it as `media://file/<id>` and in commands. */
export const fileView = z.strictObject({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number(),
  /** How long a song or a film plays, where that is known. */
  seconds: z.number().optional(),
  /** What the user says about it; absent if nothing. */
  verdict: z
    .strictObject({
      kept: z.boolean().optional(),
      rating: z.int().optional(),
      note: z.string().optional(),
      /** The rows that refer to its row are made from it; only said in the detail of its row. */
      isPicked: z.literal(true).optional(),
    })
    .optional(),
  /** What the gates say about it; only said in the detail of its row and in the gallery, absent if nothing. */
  flags: z.array(z.strictObject({ gate: z.enum(GATE_CODES), message: z.string() })).optional(),
});
export type FileView = Seen<typeof fileView>;

/** A file that was made before its row was changed or rendered again. */
const earlierFileView = fileView.extend({
  /** When its take ended; milliseconds since the epoch. */
  madeAt: z.number().optional(),
  /** It was made for another request than its row has now. */
  isOfOtherRequest: z.literal(true).optional(),
  /** The file that took its place, among the present and the earlier ones; absent until there is one. */
  successorId: z.string().optional(),
});
export type EarlierFileView = Seen<typeof earlierFileView>;

/** One line of the grid. */
export const rowView = z.strictObject({
  row: z.string(),
  line: z.int(),
  operation: z.enum(OPERATION_PATHS).optional(),
  /** The title or the first 200 characters of the prompt. */
  label: z.string(),
  status: rowStatus,
  takes: z.int(),
  takesDone: z.int(),
  fileCount: z.int(),
  /** How many of its files the user has kept, and how many rejected; absent if none. */
  kept: z.int().optional(),
  rejected: z.int().optional(),
  /** The first files only; the detail has them all. */
  files: z.array(fileView),
  /**
   * If it has no files now: the first of those that it had before it was changed or rendered again, and how many there
   * are.
   */
  earlier: z.strictObject({ files: z.array(fileView), fileCount: z.int() }).optional(),
  /**
   * It is to be rendered again: whether its earlier files can be kept after all; `sent`: a request has already left.
   */
  keepsEarlier: z.enum(['possible', 'sent']).optional(),
  failure: failureView.optional(),
  /** The first thing that is wrong with the row in the sheet. */
  problem: z.string().optional(),
  submittedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  tookMs: z.number().optional(),
  /** What its paid requests cost, by the gateway's own word. */
  cost: money.optional(),
  /** The user holds it: nothing new is submitted for it until they release it. */
  isHeld: z.literal(true).optional(),
  /** The id of the row of which the user must pick a file before this one is rendered. */
  waitsForPickOf: z.string().optional(),
  /** The id of the row that has to be done before this one, and of the one that goes first of its kind. */
  waitsForRow: z.string().optional(),
  waitsForFirst: z.string().optional(),
  /** `waitsForRow` is a draft, and only runs when the user says so. */
  waitsForDraft: z.literal(true).optional(),
  /** When something will happen next, while it waits. */
  dueAt: z.number().optional(),
  /** When a file that did not come because of `failure` is asked for again. */
  retryAt: z.number().optional(),
  /** Identifies the row permanently, although its id may be edited. */
  key: z.int(),
  /** Why its cells cannot be edited now; absent where they can. */
  locked: z.string().optional(),
  /** Its cells in the order of the sheet's headers, if they were asked for; long ones are cut. */
  cells: z.array(z.string()).optional(),
  /** Indexes of the cells that are longer than what is shown of them. */
  cutCells: z.array(z.int()).optional(),
  /** Indexes of the cells that were edited since the import and say something else now. */
  editedCells: z.array(z.int()).optional(),
  /** What is wrong with single cells, if the cells were asked for. */
  cellProblems: z
    .array(
      z.strictObject({
        column: z.string(),
        severity: z.enum(['error', 'warning']),
        message: z.string(),
        remedy: z.string(),
      }),
    )
    .optional(),
});
export type RowView = Seen<typeof rowView>;

const key = z.int().min(0);
/** As many rows as a spreadsheet has. */
export const MOST_ROWS = 1_048_576;

/**
 * Rows by their keys, in the order in which they were seen. An edit goes to these rows and to no others, wherever they
 * stand by now: the night moves rows in and out of views while somebody edits them.
 */
export const rowKeys = z.array(key).max(MOST_ROWS);

/** Rows as the grid shows them. */
export const rowsFound = z.strictObject({ rows: z.array(rowView) });

/** A view: the keys of all its rows in their order, and the rows of the places that were asked for. */
export const viewPage = rowsFound.extend({
  /** One piece of memory, which is passed on at once even for 100,000 rows. */
  keys: z.instanceof(Float64Array),
});

const header = z.string().max(1_000);
const rowFilter = z.strictObject({
  status: z.array(rowStatus).optional(),
  family: z.enum(FAMILIES).optional(),
  operation: z.enum(OPERATION_PATHS).optional(),
  failure: z.enum(FAILURE_CODES).optional(),
  text: z.string().max(500).optional(),
  cell: z.strictObject({ header, text: z.string().max(LONGEST_COMMON_TEXT) }).optional(),
  isEdited: z.literal(true).optional(),
});
const sortDirection = { direction: z.enum(['ascending', 'descending']) };
const rowSort = z.union([
  z.strictObject({ column: z.enum(ROW_SORT_COLUMNS), ...sortDirection }),
  z.strictObject({ column: z.literal('cell'), header, ...sortDirection }),
]);
export const rowsInView = z.strictObject({ filter: rowFilter, sort: rowSort }) satisfies z.ZodType<RowsInView>;

/** A row of any batch that contains a text (`FoundRow`). */
const foundRow = rowRef.extend({
  row: z.string(),
  status: rowStatus,
  text: z.string(),
  header: z.string().optional(),
});
export type FoundRowView = Seen<typeof foundRow>;
/** A search over all batches shows at most this many rows, and looks for at most this many characters. */
export const MOST_FOUND = 50;
export const LONGEST_SEARCH = 500;

/** Like `WarningKind` and `IgnoredWarnings`. */
export const warningKind = z.strictObject({
  code: z.enum(SHEET_PROBLEM_CODES),
  column: z.string().max(1_000).optional(),
});
export const ignoredWarnings = warningKind.extend({ count: z.int() });

/** Like `SheetProblem`. */
export const problemView = z.object({
  severity: z.enum(['error', 'warning']),
  code: z.enum(SHEET_PROBLEM_CODES),
  line: z.int().optional(),
  row: z.string().optional(),
  column: z.string().optional(),
  message: z.string(),
  remedy: z.string(),
  /** The whole text of the cell, if another text could be read in every row that has it; and what it may mean. */
  cell: z
    .strictObject({ text: z.string(), meant: z.string().optional(), candidates: z.array(z.string()).optional() })
    .optional(),
});
export type ProblemView = Seen<typeof problemView>;

/** Submits of a take; those that never reached the gateway are neither. */
const requestCounts = z.strictObject({
  /** Were or may have been charged. */
  paid: z.int(),
  /** The gateway refused them: they cost nothing. */
  refused: z.int(),
});
export type RequestCounts = Seen<typeof requestCounts>;

/** A take and what became of it. */
const takeView = z.strictObject({
  id: z.int(),
  take: z.int(),
  status: z.enum(TASK_STATUSES),
  taskCode: z.string().optional(),
  requests: requestCounts,
  /** What its paid requests cost, by the gateway's own word. */
  cost: money.optional(),
  failure: failureView.optional(),
  /** The gateway's last words about it, escaped and cut for display. */
  lastAnswer: z.string().optional(),
});
export type TakeView = Seen<typeof takeView>;

const cellEdited = z.strictObject({
  at: z.number(),
  header: z.string(),
  before: z.string(),
  after: z.string(),
  isReimport: z.literal(true).optional(),
});
export type CellEdited = Seen<typeof cellEdited>;

/** Everything about one row, for the inspector. */
export const rowDetail = z.strictObject({
  row: rowView,
  cells: z.array(z.strictObject({ header: z.string(), value: z.string() })),
  /** The request as it is sent, as indented JSON. */
  body: z.string(),
  /** What was edited in the row since the import; absent if nothing was. */
  edits: z
    .strictObject({
      /** When the user added the row. */
      addedAt: z.number().optional(),
      /**
       * In the columns that the sheet has now, newest first; the user's own, unless it says that the file was imported
       * again.
       */
      changes: z.array(cellEdited),
    })
    .optional(),
  problems: z.array(problemView),
  tasks: z.array(
    takeView.extend({
      attempts: z.int(),
      submittedAt: z.number().optional(),
      finishedAt: z.number().optional(),
      dueAt: z.number().optional(),
      /**
       * Its unknown outcome settles itself: it is sent again under its key at `dueAt`, or once its batch is resumed.
       */
      sentAgain: z.enum(['when-due', 'once-resumed']).optional(),
      files: z.array(fileView),
      /** What happened to it, oldest first. */
      events: z.array(z.strictObject({ at: z.number(), kind: z.string(), text: z.string() })),
    }),
  ),
  /** Files made for what the row asked for earlier, the latest first. They stay in the folder. */
  earlierFiles: z.array(earlierFileView),
  /** The takes that were sent for what the row asked for earlier. */
  earlierTakes: z.strictObject({
    /** The latest of them, the latest first. */
    shown: z.array(
      takeView.extend({
        /** What it asked for, in a few words; empty if that cannot be said. */
        label: z.string(),
        operation: z.enum(OPERATION_PATHS),
        /** The request as it was sent, as indented JSON, cut for display. */
        body: z.string().optional(),
        /** When it was sent last. */
        sentAt: z.number().optional(),
        fileNames: z.array(z.string()),
      }),
    ),
    count: z.int(),
    /** The paid requests of all of them. */
    paidRequests: z.int(),
  }),
  /** The rows that refer to it wait until the user has picked one of its files. */
  isPickWanted: z.literal(true).optional(),
  /** The key of the row of which the user must pick a file before this one is rendered. */
  pickFrom: z.int().optional(),
  /** A take of an earlier version was inferred to have failed, and is still being asked about. */
  isEarlierWatched: z.boolean(),
});
export type RowDetail = Seen<typeof rowDetail>;

/** Bytes as they were. What was cut is in the export of the evidence. */
export const shownBytes = z.strictObject({
  /** All of them. */
  size: z.int(),
  /** The first of them. */
  base64: z.string(),
  /** The same as text, if it is UTF-8; unchanged, including invisible characters. */
  text: z.string().optional(),
  isCut: z.boolean(),
});
export type ShownBytes = Seen<typeof shownBytes>;

/** What is known about the submits of a row's takes: when, what was sent where, and what came back. */
export const rowEvidence = z.strictObject({
  takes: z.array(
    z.strictObject({
      take: z.int(),
      status: z.enum(TASK_STATUSES),
      /** Oldest first. Times are ISO 8601, UTC. */
      attempts: z.array(
        z.strictObject({
          startedAt: z.string(),
          origin: z.string(),
          body: shownBytes,
          bodySha256: z.string(),
          answeredAt: z.string().optional(),
          outcome: z.string().optional(),
          answer: z
            .strictObject({
              httpStatus: z.int(),
              headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
              body: shownBytes,
              /** The gateway sent more than was kept. */
              truncated: z.boolean(),
            })
            .optional(),
          /** The key under which it was sent, and its header. */
          idempotency: z.strictObject({ header: z.string(), key: z.string() }).optional(),
          /** What the gateway said that it cost. */
          cost: money.optional(),
        }),
      ),
    }),
  ),
});
export type RowEvidence = Seen<typeof rowEvidence>;

const fileId = z.string().max(64);
/** More files than this are deleted in several steps. */
export const MOST_DELETED = 100_000;
const fileIds = z.array(fileId).max(MOST_DELETED);

export const rowRoutes = {
  'rows.page': main.query(
    batchRef.extend({
      ...rowsInView.shape,
      offset: z.int().min(0),
      limit: z.int().min(1).max(500),
      /** With the cells of the sheet. */
      withCells: z.boolean().optional(),
    }),
    viewPage.extend({ sequence: z.int() }),
  ),
  /** Rows by their keys, with their cells; those that are gone are left out. */
  'rows.get': main.query(batchRef.extend({ keys: rowKeys.max(500) }), rowsFound.extend({ sequence: z.int() })),
  /**
   * The first rows of all batches whose id, label or cells contain a text, ignoring case: those of the newest batch
   * first, then those of batches that were put away. Another question ends the one before; one with an empty text does
   * no more.
   */
  'rows.search': engine.query(
    z.strictObject({ text: z.string().max(LONGEST_SEARCH) }),
    z.strictObject({ rows: z.array(foundRow), hasMore: z.boolean() }),
  ),
  /** The texts that most rows have under a header, and how many rows; an empty one stands for blank cells. */
  'rows.common': engine.query(
    batchRef.extend({ header }),
    z.strictObject({ texts: z.array(z.strictObject({ text: z.string(), rows: z.int() })) }),
  ),
  'row.detail': engine.quick(rowRef, rowDetail),
  /**
   * Copies to the clipboard the paths of a row's files, its prompt, or its request as a curl command without the key.
   */
  'row.copy': main.command(rowRef.extend({ what: z.enum(['paths', 'prompt', 'curl']) }), none),
  'row.evidence': engine.quick(rowRef, rowEvidence),
  /**
   * Opens a dialog and writes the evidence byte for byte into a file: that of the named rows, or of all takes whose
   * submit has an unknown outcome. Undefined if the user cancelled.
   */
  'evidence.export': main.command(
    batchRef.extend({ rows: rowKeys.optional() }),
    z.strictObject({ takes: z.int(), file: z.string() }).optional(),
  ),
  /**
   * Records what the user says about a verified file of a row as it is now; `null` takes something back. After a pick,
   * the rows that waited for it are rendered, unless their batch is paused.
   */
  'file.review': engine.command(
    z.strictObject({
      fileId,
      kept: z.boolean().nullish(),
      rating: z.int().min(0).max(BEST_RATING).nullish(),
      note: z.string().min(1).max(LONGEST_VERDICT_NOTE).nullish(),
      picked: z.boolean().optional(),
    }),
    none,
  ),
  /** The rejected files of a batch, how many are earlier versions, and how much space they all take up. */
  'files.rejected': engine.quick(batchRef, z.strictObject({ fileIds, earlier: z.number(), bytes: z.number() })),
  /** Deletes for good those that are still rejected. */
  'files.delete': engine.command(
    batchRef.extend({ fileIds }),
    z.strictObject({
      files: z.int(),
      bytes: z.number(),
      /** Still rejected and there. */
      left: z.int(),
      /** Why some of them are still on the disk. */
      problem: z.string().optional(),
    }),
  ),
  'file.showInFolder': main.command(z.strictObject({ fileId }), none),
};
