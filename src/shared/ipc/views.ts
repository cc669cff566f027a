/** What crosses to the window, as schemas; the types are derived from them. Views only: never bodies, keys or paths of the disk to act on. */
import { z } from 'zod';
import { FAILURE_CODES } from '../domain/failure.ts';
import { FAMILIES, OPERATION_PATHS } from '../domain/operations.ts';
import { SHEET_PROBLEM_CODES } from '../domain/row.ts';
import { TEXT_ENCODINGS } from '../domain/sheet-raw.ts';
import { TASK_STATUSES } from '../domain/task.ts';

export const failureView = z.strictObject({
  code: z.enum(FAILURE_CODES),
  message: z.string(),
  suspected: z.boolean().optional(),
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
  /** The start of its latest run: an end is told with the time that it took. */
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
});
export type ProblemView = z.infer<typeof problemView>;

/** What is wrong in the same way at several places: the first of them, how many there are, and the lines of some. */
export const sameProblemsView = problemView.extend({ count: z.int(), lines: z.array(z.int()) });
export type SameProblemsView = z.infer<typeof sameProblemsView>;

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
  columns: z.array(columnView),
  /** What a row is that names no operation; `needsOperation`: there are such rows, and nothing was chosen. */
  defaultOperation: z.enum(OPERATION_PATHS).optional(),
  needsOperation: z.boolean(),
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

/** Takes whose submit's outcome is unknown, and what the profile says that a new submit of each costs. */
export const unknownSummary = z.strictObject({
  rows: z.int(),
  takes: z.int(),
  /** By currency; empty where the profile names no prices. */
  cost: z.array(z.strictObject({ currency: z.string(), amount: z.number() })),
  /** Takes of operations that the profile names no price for. */
  takesWithoutPrice: z.int(),
});
export type UnknownSummary = z.infer<typeof unknownSummary>;
