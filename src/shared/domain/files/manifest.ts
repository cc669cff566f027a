/** `manifest.json`: what a media folder contains and where it came from. `verify` reads it and needs nothing else. */
import { z } from 'zod';
import type { BatchRecord } from '../task/batch.ts';
import type { ExportedRow, ExportedTask } from '../task/views/exported-row.ts';
import { isResultColumn, RESULT_COLUMNS } from '../base/result-columns.ts';
import { cellTexts } from '../sheet/row.ts';
import { present } from '../base/result.ts';
import type { Verdict } from '../review/verdict.ts';

export const MANIFEST_VERSION = 1;

/** A list that is read up to its first bad member: the problems of millions of members would fill the memory. */
function listOf<T>(member: z.ZodType<T>) {
  return z.custom<readonly unknown[]>(Array.isArray, 'Invalid input: expected array').transform((members, context) => {
    const read: T[] = [];
    for (const [index, given] of members.entries()) {
      const parsed = member.safeParse(given);
      if (!parsed.success) {
        const [issue] = parsed.error.issues;
        context.addIssue({ code: 'custom', message: issue?.message, path: [index, ...(issue?.path ?? [])] });
        return z.NEVER;
      }
      read.push(parsed.data);
    }
    return read;
  });
}

const failure = z.object({ code: z.string(), message: z.string() });

const manifestFile = z.object({
  /** Inside the folder, with `/`. */
  path: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/u),
  bytes: z.number().int().nonnegative(),
  mediaType: z.string(),
  /** How long a song or a film plays, where that is known. */
  seconds: z.number().optional(),
  row: z.string(),
  take: z.number().int().positive(),
  /** Position among the outputs of its task, from 1. */
  index: z.number().int().positive(),
  operation: z.string(),
  taskCode: z.string().optional(),
  /** The account that its task was sent with, by its name in a batch with several. */
  account: z.string().optional(),
  /** Made for earlier content of the row: an earlier version. */
  superseded: z.literal(true).optional(),
  /**
   * What the user says about it: kept or rejected, a rating from 0 to 5, and a note; `picked`: for the rows that refer
   * to its row.
   */
  kept: z.boolean().optional(),
  rating: z.number().optional(),
  note: z.string().optional(),
  picked: z.literal(true).optional(),
  /** What the gates of the batch found in it; absent if they found nothing. */
  flags: listOf(z.object({ gate: z.string(), message: z.string() })).optional(),
});

const manifestTask = z.object({
  take: z.number().int().positive(),
  taskCode: z.string().optional(),
  /** The account that it was sent with, by its name in a batch with several. */
  account: z.string().optional(),
  status: z.string(),
  /** ISO 8601, UTC. */
  submittedAt: z.string().optional(),
  finishedAt: z.string().optional(),
  failure: failure.optional(),
  /** Made for earlier content of the row. Its files are here and no longer count. */
  superseded: z.literal(true).optional(),
  /** What its paid requests cost, if the gateway says so. */
  cost: z.object({ amount: z.number(), currency: z.string() }).optional(),
  /** How many of its files the user has rejected and deleted for good; absent if none. */
  deleted: z.number().int().positive().optional(),
  /** Only for a superseded task: its request as sent, which differs from the row's present one. */
  request: z.record(z.string(), z.unknown()).optional(),
  files: listOf(z.string()),
});

const manifestRow = z.object({
  row: z.string(),
  /** Absent if the sheet named no known operation. */
  operation: z.string().optional(),
  status: z.string(),
  failure: failure.optional(),
  /** The request as it was sent: prompt and parameters. */
  request: z.record(z.string(), z.unknown()).optional(),
  /** The row is no longer in the sheet. Its files are here and no longer count. */
  removed: z.literal(true).optional(),
  tasks: listOf(manifestTask),
});

/** The document as read. Keys that a later version adds are skipped. */
export const manifestSchema = z.object({
  version: z.literal(MANIFEST_VERSION),
  batch: z.string(),
  createdAt: z.string(),
  rows: listOf(manifestRow),
  files: listOf(manifestFile),
});

export type Manifest = z.output<typeof manifestSchema>;
export type ManifestRow = z.output<typeof manifestRow>;
export type ManifestTask = z.output<typeof manifestTask>;
export type ManifestFile = z.output<typeof manifestFile>;

/** What the documents of a media folder are made from. */
export interface MediaFolderData {
  readonly batch: BatchRecord;
  /** In order of lines; iterated several times. */
  readonly rows: Iterable<ExportedRow> | AsyncIterable<ExportedRow>;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
}

/** The manifest's entry of one row. */
export function manifestRowOf(exported: ExportedRow): ManifestRow {
  const { row, status, failure: problem, tasks, isRemoved } = exported;
  return {
    row: row.id,
    ...(row.operation === undefined ? {} : { operation: row.operation }),
    status,
    ...(problem === undefined ? {} : { failure: { code: problem.code, message: problem.message } }),
    request: row.body,
    ...(isRemoved ? { removed: true as const } : {}),
    tasks: tasks.map(manifestTaskOf),
  };
}

function manifestTaskOf(task: ExportedTask): ManifestTask {
  const { take, taskCode, status, submittedAt, finishedAt, failure: problem, outputs, superseded } = task;
  const { request, cost, account, deleted } = task;
  return {
    take,
    ...present({ taskCode, account }),
    status,
    ...(submittedAt === undefined ? {} : { submittedAt: new Date(submittedAt).toISOString() }),
    ...(finishedAt === undefined ? {} : { finishedAt: new Date(finishedAt).toISOString() }),
    ...(problem === undefined ? {} : { failure: { code: problem.code, message: problem.message } }),
    ...(superseded ? { superseded } : {}),
    ...(request === undefined ? {} : { request }),
    ...(cost === undefined ? {} : { cost }),
    ...present({ deleted }),
    files: outputs.map((output) => output.path),
  };
}

/** The row as its sheet has it now, without the tasks for its earlier content; undefined for a removed row. */
export function presentRow(exported: ExportedRow): ExportedRow | undefined {
  if (exported.isRemoved) return undefined;
  const tasks = exported.tasks.filter((task) => !task.superseded);
  return tasks.length === exported.tasks.length ? exported : { ...exported, tasks };
}

/** The manifest's entries of one row's files. */
export function manifestFilesOf(exported: ExportedRow): readonly ManifestFile[] {
  const { row, tasks } = exported;
  const picked = latestPick(tasks);
  return tasks.flatMap(({ take, taskCode, account, outputs, superseded, operation = row.operation }) =>
    outputs.map(({ path, sha256, bytes, mediaType, seconds, index, verdict, flags = [] }) => ({
      path,
      sha256,
      bytes,
      mediaType,
      ...present({ seconds }),
      row: row.id,
      take,
      index,
      operation: operation ?? '',
      ...present({ taskCode, account }),
      ...(superseded ? { superseded } : {}),
      ...reviewOf(verdict, picked),
      ...(flags.length === 0 ? {} : { flags: flags.map(({ gate, message }) => ({ gate, message })) }),
    })),
  );
}

function latestPick(tasks: readonly ExportedTask[]): number | undefined {
  const picks = tasks.flatMap(({ outputs }) => outputs.flatMap(({ verdict }) => verdict?.pickedAt ?? []));
  return picks.length === 0 ? undefined : Math.max(...picks);
}

function reviewOf(verdict: Verdict = {}, picked: number | undefined) {
  const { kept, rating, note, pickedAt } = verdict;
  const isPicked = pickedAt !== undefined && pickedAt === picked;
  return { ...present({ kept, rating, note }), ...(isPicked ? { picked: true as const } : {}) };
}

/** Columns of `manifest.csv`: one line for each file. */
export const MANIFEST_CSV_HEADERS: readonly string[] = [
  'row',
  'operation',
  'take',
  'index',
  'path',
  'bytes',
  'sha256',
  'mediaType',
  'taskCode',
  'account',
];

/** The line of `manifest.csv` for a file. */
export function manifestCsvCells(file: ManifestFile): readonly string[] {
  const { row, operation, take, index, path, bytes, sha256, mediaType, taskCode = '', account = '' } = file;
  return [row, operation, String(take), String(index), path, String(bytes), sha256, mediaType, taskCode, account];
}

/** The user's own headers without columns that an earlier results sheet left there. */
export function resultsSheetHeaders(headers: readonly string[]): readonly string[] {
  return [...ownHeaders(headers), ...RESULT_COLUMNS];
}

/**
 * A row of the results sheet: the user's own cells as they were, then the results. `|` separates several values. A
 * rejected file is not a result.
 */
export function resultsSheetCells(headers: readonly string[], exported: ExportedRow): readonly string[] {
  const { row, status, failure: problem, tasks } = exported;
  return [
    ...cellTexts(row.cells, ownHeaders(headers)),
    status,
    tasks
      .flatMap(({ outputs }) => outputs.flatMap(({ path, verdict }) => (verdict?.kept === false ? [] : path)))
      .join('|'),
    tasks.flatMap((task) => task.taskCode ?? []).join('|'),
    problem === undefined ? '' : `${problem.code}: ${problem.message}`,
  ];
}

function ownHeaders(headers: readonly string[]): readonly string[] {
  return headers.filter((header) => !isResultColumn(header));
}
