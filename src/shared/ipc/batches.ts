/** Batches: their heads, and everything that lets them run, pauses them, or settles their takes. */
import { z } from 'zod';
import { STATUS_ANSWERS } from '../domain/gateway/seen-status.ts';
import { FAMILIES } from '../domain/operations/operations.ts';
import { TASK_STATUSES } from '../domain/task/task.ts';
import { batchRef, cost, engine, id, main, none, type Seen } from './route.ts';
import { failureView, rowKeys, rowStatus } from './rows.ts';

/** Rows of a batch by their keys; without them, all that the route is about. */
const someRows = batchRef.extend({ rows: rowKeys.optional() });
const batchName = z.string().min(1).max(200);

const perStatus = z.record(z.enum(TASK_STATUSES), z.int());

export const batchState = z.enum(['ready', 'running', 'paused', 'finished']);

/** A status that ended tasks without a result, of a family of operations. */
export const statusQuestion = z.strictObject({ family: z.enum(FAMILIES), status: z.string().max(200) });
export type StatusQuestionView = Seen<typeof statusQuestion>;

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
export type BatchView = Seen<typeof batchView>;

/**
 * Takes as they were shown (`ShownTake`). What is said about them is about these and no others: one that was submitted or
 * settled since is left as it is.
 */
export const shownTake = z.strictObject({ id: z.int(), attempts: z.int().min(0) });
export const shownTakes = z.array(shownTake).max(1_048_576);
export type ShownTakes = Seen<typeof shownTakes>;

/** What became of takes that were shown: how many were changed, and how many were not as shown any more. */
export const shownOutcome = z.strictObject({ tasks: z.int(), left: z.int() });
export type ShownOutcome = Seen<typeof shownOutcome>;

/** Takes whose submit's outcome is unknown, and what the profile says that a new submit of each costs. */
export const unknownSummary = z.strictObject({
  rows: z.int(),
  takes: z.int(),
  cost,
  /** Takes of operations that the profile names no price for. */
  takesWithoutPrice: z.int(),
  shown: shownTakes,
});
export type UnknownSummary = Seen<typeof unknownSummary>;

/** What submits cost that wait to be made. */
export const waitingCost = z.strictObject({
  submits: z.int(),
  cost,
  /** Submits of operations that the profile names no price for. */
  submitsWithoutPrice: z.int(),
});

export const batchRoutes = {
  'batch.create': main.command(
    z.strictObject({
      sheetId: id,
      name: batchName,
      /** From `folder.choose`; without it, a new folder inside the default one. */
      folderId: id.optional(),
      /** Render on the built-in gateway, for nothing. */
      rehearsal: z.boolean(),
      maxSubmits: z.int().min(1).max(1_000_000).optional(),
      start: z.boolean(),
    }),
    batchView,
  ),
  /** A new batch that is not started, from a template of `templates.ts`, or empty. */
  'sheet.new': main.command(z.strictObject({ template: z.string().max(100), name: batchName }), batchView),
  /** A new batch that is not started with the rows of another one; nothing that was rendered is taken over. */
  'batch.duplicate': main.command(batchRef, batchView),
  /** Changes a batch that has not been started yet; of one that was, `maxSubmits` alone. */
  'batch.configure': main.command(
    batchRef.extend({
      name: batchName.optional(),
      rehearsal: z.boolean().optional(),
      folderId: id.optional(),
      /** 0: no maximum. */
      maxSubmits: z.int().min(0).max(1_000_000).optional(),
    }),
    batchView,
  ),
  'folder.choose': main.command(none, z.strictObject({ folderId: z.string(), path: z.string() }).optional()),

  'batch.list': engine.quick(none, z.array(batchView)),
  'batch.get': engine.quick(batchRef, batchView),
  /** `submits`: as many as the user was shown. Where edits that were under way ask for more by then, it is refused. */
  'batch.start': engine.command(batchRef.extend({ submits: z.int().min(0).optional() }), batchView),
  'batch.pause': engine.command(batchRef, batchView),
  /** With the profile of the settings, which may have been corrected since it paused. */
  'batch.resume': engine.command(batchRef, batchView, 'profile'),
  /** Cancels everything of the batch that is not done yet. */
  'batch.cancel': engine.command(batchRef, batchView),
  /** What the submits that wait in a batch cost on the user's own gateway, by its profile's prices. */
  'batch.cost': engine.query(batchRef, waitingCost, 'prices'),
  /** Lets rows that were typed or changed run: makes their tasks and sets the batch going. Gives the number of tasks. */
  'batch.release': engine.command(
    // `submits`: as many as the user was shown. Where edits that were under way ask for more by then, it is refused.
    batchRef.extend({ submits: z.int().min(0) }),
    z.strictObject({ tasks: z.int() }),
  ),

  /** Failed and cancelled takes as they are now: of the rows with these keys, or all of the batch. */
  'batch.retryable': engine.quick(someRows, z.strictObject({ takes: shownTakes })),
  /** Retries failed and cancelled takes that were shown. */
  'batch.retry': engine.command(batchRef.extend({ takes: shownTakes }), shownOutcome),
  /** Cancels what is not done yet of the rows with these keys. */
  'batch.cancelRows': engine.command(batchRef.extend({ rows: rowKeys }), z.strictObject({ tasks: z.int() })),
  /** Gives a take whose submit's outcome is unknown the code that the gateway accepted it under. */
  'batch.adopt': engine.command(batchRef.extend({ take: shownTake, taskCode: z.string().min(1).max(4096) }), none),
  /** Resubmits or writes off takes that were shown with an unknown outcome of their submit. */
  'batch.settle': engine.command(
    batchRef.extend({ takes: shownTakes, decision: z.enum(['resubmit', 'write-off']) }),
    shownOutcome,
  ),
  /** The takes whose submit's outcome is unknown, and what a new submit of them would cost. */
  'batch.unknown': engine.quick(someRows, unknownSummary),
  /**
   * Whether a status that was asked about means a failure: kept in the profile, and not asked again. A yes is confirmed in
   * a box of the system; gives how many failures are certain by it, or undefined where the box said no.
   */
  'batch.answerStatus': main.command(
    batchRef.extend({ question: statusQuestion, answer: z.enum(STATUS_ANSWERS) }),
    z.strictObject({ tasks: z.int() }).optional(),
  ),

  'batch.openFolder': main.command(batchRef, none),
  'batch.openGallery': main.command(batchRef, none),
};
