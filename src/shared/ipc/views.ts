/** What crosses to the window, as schemas; the types are derived from them. Views only: never bodies, keys or paths of the disk to act on. */
import { z } from 'zod';
import { FAILURE_CODES } from '../domain/task/failure.ts';
import { FAMILIES, OPERATION_PATHS } from '../domain/operations/operations.ts';
import { SHEET_PROBLEM_CODES } from '../domain/sheet/problems.ts';
import { TEXT_ENCODINGS } from '../domain/sheet/sheet-raw.ts';
import { TASK_STATUSES } from '../domain/task/task.ts';

export const failureView = z.strictObject({
  code: z.enum(FAILURE_CODES),
  message: z.string(),
  suspected: z.boolean().optional(),
  /** The gateway's status that it was inferred from. */
  status: z.string().optional(),
});

/** Statuses of a row: those of its tasks, and three for rows that have none. */
export const ROW_STATUSES = [...TASK_STATUSES, 'draft', 'invalid', 'skipped'] as const;
export const rowStatus = z.enum(ROW_STATUSES);
export type RowStatusName = z.infer<typeof rowStatus>;

/** A file of a row; `id` addresses it as `media://file/<id>` and in commands. */
export const fileView = z.strictObject({
  id: z.string(),
  name: z.string(),
  mediaType: z.string(),
  bytes: z.number(),
});
export type FileView = z.infer<typeof fileView>;

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
  /** The first files only; the detail has them all. */
  files: z.array(fileView),
  failure: failureView.optional(),
  /** The first thing that is wrong with the row in the sheet. */
  problem: z.string().optional(),
  submittedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  /** When something happens next, while it waits. */
  dueAt: z.number().optional(),
  /** When a file is asked for again that did not come, because of `failure`. */
  retryAt: z.number().optional(),
  /** Names the row for ever; its id may be edited. */
  key: z.int(),
  /** Why its cells cannot be edited now; absent where they can. */
  locked: z.string().optional(),
  /** Its cells in the order of the sheet's headers, where they were asked for; long ones are cut. */
  cells: z.array(z.string()).optional(),
  /** Indexes of the cells that are longer than what is shown of them. */
  cutCells: z.array(z.int()).optional(),
  /** What is wrong with single cells, with the cells. */
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
export type RowView = z.infer<typeof rowView>;

const perStatus = z.record(z.enum(TASK_STATUSES), z.int());

export const batchState = z.enum(['ready', 'running', 'paused', 'finished']);

/** A status that ended tasks without a result, of a family of operations. */
export const statusQuestion = z.strictObject({ family: z.enum(FAMILIES), status: z.string().max(200) });
export type StatusQuestionView = z.infer<typeof statusQuestion>;

/** One batch in a list and at the head of its screen. */
export const batchView = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: batchState,
  pause: z
    .discriminatedUnion('by', [
      z.strictObject({ by: z.literal('user') }),
      z.strictObject({ by: z.literal('failure'), failure: failureView }),
    ])
    .optional(),
  rehearsal: z.boolean(),
  /** For display only. */
  folder: z.string(),
  gateway: z.string(),
  createdAt: z.number(),
  /** The start of its run: an end is told with the time that it took. Absent where it ran more than once. */
  runStartedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  rowCount: z.int(),
  taskCount: z.int(),
  /** Rows by status: what a filter by it would find. */
  rows: z.record(rowStatus, z.int()),
  /** Submits that the drafts ask for. */
  draftSubmits: z.int(),
  /** Tasks by family, then by status. */
  counts: z.record(z.enum(FAMILIES), perStatus),
  files: z.int(),
  bytes: z.number(),
  submitsUsed: z.int(),
  maxSubmits: z.int().optional(),
  /** Milliseconds since the epoch; absent while nothing can be said. */
  expectedEnd: z.number().optional(),
  /** Why the gateway does not answer at the moment; it is waited for, and the batch goes on by itself. */
  waitsFor: failureView.optional(),
  /** The gateway asked not to be asked before this time, in milliseconds since the epoch. */
  heldUntil: z.number().optional(),
  /** Statuses of its gateway of which nobody has said yet whether they mean a failure; absent where there are none. */
  statusQuestions: z.array(statusQuestion.extend({ tasks: z.int() })).optional(),
});
export type BatchView = z.infer<typeof batchView>;

export const problemView = z.strictObject({
  severity: z.enum(['error', 'warning']),
  code: z.enum(SHEET_PROBLEM_CODES),
  line: z.int().optional(),
  row: z.string().optional(),
  column: z.string().optional(),
  message: z.string(),
  remedy: z.string(),
  /** The whole text of the cell, where another one could be read in every row that has it; and the likeliest. */
  cell: z.strictObject({ text: z.string(), meant: z.string().optional() }).optional(),
});
export type ProblemView = z.infer<typeof problemView>;

/** What is wrong in the same way at several places: the first of them, how many there are, and the lines of some. */
export const sameProblemsView = problemView.extend({ count: z.int(), lines: z.array(z.int()) });
export type SameProblemsView = z.infer<typeof sameProblemsView>;

/** What is read in every row instead of the text of a cell: by header, then by that text. */
export const corrections = z.record(z.string().max(1_000), z.record(z.string().max(200), z.string().max(200)));

/** How a header is understood. */
export const columnView = z.strictObject({
  header: z.string(),
  /** The exact column that it stands for; empty where it is not sent. */
  column: z.string(),
  /** Other columns that it stands for as well. */
  also: z.array(z.string()),
  how: z.enum(['exact', 'alike', 'synonym', 'chosen', 'ignored', 'unknown', 'nameless']),
  suggestions: z.array(z.string()),
});
export type ColumnView = z.infer<typeof columnView>;

/** A sheet that was opened and checked, before it becomes a batch. */
export const sheetView = z.strictObject({
  /** Names the opened sheet in `batch.create`; gone when the application is closed. */
  sheetId: z.string(),
  name: z.string(),
  format: z.string(),
  /** What a text file was read as; absent for a workbook, and for a file that was not understood at all. */
  encoding: z.enum(TEXT_ENCODINGS).optional(),
  /** The character between the cells of a text file. */
  delimiter: z.string().optional(),
  /** The sheets of a workbook, and which of them was read. */
  sheets: z.array(z.string()).optional(),
  sheet: z.string().optional(),
  /** Where the header was found; absent where it is the first line. */
  headerLine: z.int().optional(),
  columns: z.array(columnView),
  /** What a row is that names no operation; `needsOperation`: there are such rows, and nothing was chosen. */
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  needsOperation: z.boolean(),
  /** What is read instead of what cells say: by header, then by the whole text of a cell. */
  corrections: corrections.optional(),
  /** Names in braces that are no column: variables of the batch, with their values. */
  variables: z.record(z.string(), z.string()),
  /** Lists that cells draw from. */
  lists: z.array(z.strictObject({ name: z.string(), isThere: z.boolean() })),
  choices: z.enum(['draw', 'expand']),
  /** Cells with a choice such as `{red|green}`; 0 where the question does not arise. */
  choiceCells: z.int(),
  /** Rows that there would be with every one of them a row of its own. */
  expandedRows: z.int(),
  /** The mapping was kept from an earlier sheet with the same headers. */
  isMappingKept: z.boolean(),
  /** What a run costs by the profile's prices; empty where it names none. */
  cost: z.array(z.strictObject({ currency: z.string(), amount: z.number() })),
  /** Submits of operations that the profile names no price for. */
  submitsWithoutPrice: z.int(),
  /** A batch that was made of the same file: the newest that was paid for, else the newest rehearsal. */
  earlier: z
    .strictObject({ batchId: z.string(), name: z.string(), createdAt: z.number(), rehearsal: z.boolean() })
    .optional(),
  rowCount: z.int(),
  runnableRows: z.int(),
  skippedRows: z.int(),
  /** Submits that a run of it makes: the takes of all rows that can run. */
  submits: z.int(),
  operations: z.array(z.strictObject({ operation: z.enum(OPERATION_PATHS), rows: z.int(), submits: z.int() })),
  errorCount: z.int(),
  warningCount: z.int(),
  /** Rows that would run and hold a text of more than 100 kB; absent where there are none. */
  longRows: z.int().optional(),
  /** At most the first 500 mistakes, however often each was made. */
  problems: z.array(sameProblemsView),
  /** The first 50 rows, for a look. */
  preview: z.strictObject({
    headers: z.array(z.string()),
    rows: z.array(z.array(z.string())),
    /** What is sent for each of them, as indented JSON, cut for display; empty for a row without an operation. */
    bodies: z.array(z.string()),
  }),
});
export type SheetView = z.infer<typeof sheetView>;

/** Submits of a take; those that never reached the gateway are neither. */
const requestCounts = z.strictObject({
  /** Were or may have been charged. */
  paid: z.int(),
  /** The gateway refused them: they cost nothing. */
  refused: z.int(),
});
export type RequestCounts = z.infer<typeof requestCounts>;

/** Everything about one row, for the inspector. */
export const rowDetail = z.strictObject({
  row: rowView,
  cells: z.array(z.strictObject({ header: z.string(), value: z.string() })),
  /** The request as it is sent, as indented JSON. */
  body: z.string(),
  problems: z.array(problemView),
  tasks: z.array(
    z.strictObject({
      id: z.int(),
      take: z.int(),
      status: z.enum(TASK_STATUSES),
      taskCode: z.string().optional(),
      attempts: z.int(),
      requests: requestCounts,
      submittedAt: z.number().optional(),
      renderedAt: z.number().optional(),
      finishedAt: z.number().optional(),
      dueAt: z.number().optional(),
      failure: failureView.optional(),
      files: z.array(fileView),
      /** What happened to it, oldest first. */
      events: z.array(z.strictObject({ at: z.number(), kind: z.string(), text: z.string() })),
      /** The gateway's last words about it, escaped and cut for display. */
      lastAnswer: z.string().optional(),
    }),
  ),
  /** Made for what the row asked for earlier, the latest first. They stay in the folder. */
  earlierFiles: z.array(fileView),
  /** The takes that were sent for what the row asked for earlier. */
  earlierTakes: z.strictObject({
    /** The latest of them, the latest first. */
    shown: z.array(
      z.strictObject({
        id: z.int(),
        take: z.int(),
        status: z.enum(TASK_STATUSES),
        /** What it asked for, in a few words; empty where that cannot be told. */
        label: z.string(),
        operation: z.enum(OPERATION_PATHS),
        /** The request as it was sent, as indented JSON, cut for display. */
        body: z.string().optional(),
        /** When it was sent last. */
        sentAt: z.number().optional(),
        taskCode: z.string().optional(),
        requests: requestCounts,
        failure: failureView.optional(),
        fileNames: z.array(z.string()),
        /** The gateway's last words about it, escaped and cut for display. */
        lastAnswer: z.string().optional(),
      }),
    ),
    count: z.int(),
    /** Of all of them. */
    paidRequests: z.int(),
  }),
  /** A take of an earlier version was inferred to have failed, and is still asked about. */
  isEarlierWatched: z.boolean(),
});
export type RowDetail = z.infer<typeof rowDetail>;

/** Bytes as they were. What was cut is in the export of the evidence. */
export const evidenceBytes = z.strictObject({
  /** All of them. */
  size: z.int(),
  /** The first of them. */
  base64: z.string(),
  /** The same as text, where it is UTF-8; as it was, also what cannot be seen. */
  text: z.string().optional(),
  isCut: z.boolean(),
});
export type EvidenceBytes = z.infer<typeof evidenceBytes>;

/** What is known of the submits of a row's takes: when, what was sent where, what came back. */
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
          body: evidenceBytes,
          bodySha256: z.string(),
          answeredAt: z.string().optional(),
          outcome: z.string().optional(),
          answer: z
            .strictObject({
              httpStatus: z.int(),
              headers: z.array(z.strictObject({ name: z.string(), value: z.string() })),
              body: evidenceBytes,
              /** The gateway sent more than was kept. */
              truncated: z.boolean(),
            })
            .optional(),
        }),
      ),
    }),
  ),
});
export type RowEvidence = z.infer<typeof rowEvidence>;

/**
 * Takes as they were shown (`ShownTake`). What is said about them is about these and no others: one that was submitted or
 * settled since is left as it is.
 */
export const shownTake = z.strictObject({ id: z.int(), attempts: z.int().min(0) });
export const shownTakes = z.array(shownTake).max(1_048_576);
export type ShownTakes = z.infer<typeof shownTakes>;

/** What became of takes that were shown: how many were changed, and how many were not as shown any more. */
export const shownOutcome = z.strictObject({ tasks: z.int(), left: z.int() });
export type ShownOutcome = z.infer<typeof shownOutcome>;

/** Takes whose submit's outcome is unknown, and what the profile says that a new submit of each costs. */
export const unknownSummary = z.strictObject({
  rows: z.int(),
  takes: z.int(),
  /** By currency; empty where the profile names no prices. */
  cost: z.array(z.strictObject({ currency: z.string(), amount: z.number() })),
  /** Takes of operations that the profile names no price for. */
  takesWithoutPrice: z.int(),
  shown: shownTakes,
});
export type UnknownSummary = z.infer<typeof unknownSummary>;
