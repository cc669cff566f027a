/** Batches: their heads, and everything that starts or pauses them, or settles their takes. */
import { z } from 'zod';
import { FAILURE_CODES } from '../domain/base/failure.ts';
import { gateSettingsSchema } from '../domain/gates/gate-settings.ts';
import { MAX_TEMPLATE_CHARACTERS } from '../domain/files/naming.ts';
import { GATE_CODES } from '../domain/gates/gates.ts';
import { STATUS_ANSWERS } from '../domain/gateway/seen-status.ts';
import { FAMILIES, OPERATION_PATHS } from '../domain/operations/operations.ts';
import { LONGEST_TAG, MOST_TAGS } from '../domain/base/tags.ts';
import { isZone } from '../domain/base/wall-clock.ts';
import { QUEUE_MOVES } from '../domain/task/batch-standing.ts';
import { LONGEST_FUSE } from '../domain/task/fuse.ts';
import { WEEKDAYS } from '../domain/task/schedule.ts';
import { TASK_STATUSES } from '../domain/task/task.ts';
import { ROW_TURNS } from '../domain/task/task-event.ts';
import { batchRef, cost, engine, id, main, money, none, profileName, seenBalance, type Seen } from './route.ts';
import { accountLimits, accountName, accountsChoice, accountView, spendingLimit } from './accounts.ts';
import { failureView, rowKeys, rowStatus } from './rows.ts';

/** Rows of a batch by their keys; without keys, all rows that the route applies to. */
const someRows = batchRef.extend({ rows: rowKeys.optional() });
const batchName = z.string().min(1).max(200);

const perStatus = z.record(z.enum(TASK_STATUSES), z.int());

export const batchState = z.enum(['ready', 'running', 'paused', 'finished']);

/** A status that ended tasks without a result, for a family of operations. */
export const statusQuestion = z.strictObject({
  family: z.enum(FAMILIES),
  status: z.string().max(200),
  /** In a batch with several accounts, one of those at the gateway that it is about. */
  account: accountName.optional(),
});
export type StatusQuestionView = Seen<typeof statusQuestion>;

const clock = z.string().regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/);

/** Early enough for the days around it: a date ends at 8.64e15 ms. */
const moment = z
  .int()
  .min(0)
  .max(8.64e15 - 20 * 86_400_000);

/** When a batch may submit (`Schedule`). */
export const schedule = z.strictObject({
  startAt: moment.exactOptional(),
  windows: z
    .array(z.strictObject({ from: clock, to: clock, days: z.array(z.enum(WEEKDAYS)).min(1).max(7).readonly() }))
    .max(20)
    .readonly(),
  zone: z.string().max(100).refine(isZone),
  finishBy: moment.exactOptional(),
});

/** One batch in a list and at the head of its screen. */
export const batchView = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: batchState,
  pause: z
    .discriminatedUnion('by', [
      z.strictObject({ by: z.literal('user'), disk: failureView.optional() }),
      z.strictObject({ by: z.literal('failure'), failure: failureView, disk: failureView.optional() }),
    ])
    .optional(),
  rehearsal: z.boolean(),
  /** For display only. */
  folder: z.string(),
  gateway: z.string(),
  /** The name of its profile; with several accounts, that of the first. */
  profile: z.string(),
  /**
   * In a batch with several accounts, where each of them is, and why it stands still if it does so while the others go
   * on.
   */
  accounts: z.array(accountView).optional(),
  /** Of the accounts with room, a row goes to the one where it costs least. */
  isCheapestFirst: z.literal(true).optional(),
  createdAt: z.number(),
  /** The start of its run, so that its end can be reported with the time it took. Absent if it ran more than once. */
  runStartedAt: z.number().optional(),
  finishedAt: z.number().optional(),
  rowCount: z.int(),
  taskCount: z.int(),
  /** Rows by status: what a filter by status would find. */
  rows: z.record(rowStatus, z.int()),
  /** Paid requests that the drafts need. */
  draftSubmits: z.int(),
  /** Tasks by family, then by status. */
  counts: z.record(z.enum(FAMILIES), perStatus),
  /** How many tasks with an unknown outcome settle themselves; absent if none does. */
  settling: z.int().optional(),
  /** The row that goes first of its kind, while others of that kind wait for it. */
  waitsForFirst: z.string().optional(),
  files: z.int(),
  bytes: z.number(),
  /** Another folder has taken the place of its own: files may be missing (`batch.missingFiles`). */
  hadOtherFolder: z.literal(true).optional(),
  submitsUsed: z.int(),
  maxSubmits: z.int().optional(),
  maxCost: money.optional(),
  /** As the user set it; absent for the usual one. */
  fuse: z.int().optional(),
  /** How much of `maxCost` is spent or reserved. */
  spent: money.optional(),
  /** The most that its requests come to, by currency; absent without a price, for a rehearsal, and before the start. */
  charged: cost.optional(),
  /** How many of its paid requests have no known price, and are in neither sum. */
  unpriced: z.int().optional(),
  /** One row of each kind goes first. */
  canary: z.literal(true).optional(),
  /** Rows that refer to others wait for the user's pick of those. */
  picks: z.literal(true).optional(),
  /** What looks at its files; absent if nothing does. */
  gates: gateSettingsSchema.optional(),
  /** Where files of this computer that its cells name are put, in words; absent: nowhere. */
  filesPlace: z.string().optional(),
  /**
   * What was foretold when its latest run began; of a finished batch, when it first ran in its night, with the limit of
   * then if it is another one by now.
   */
  foretold: z
    .strictObject({ ends: z.number().optional(), requests: z.int(), cost, limit: spendingLimit.optional() })
    .optional(),
  /** Milliseconds since the epoch; absent while nothing is known. */
  expectedEnd: z.number().optional(),
  /** When it may submit; at any time if absent. */
  schedule: schedule.optional(),
  /**
   * Among batches that share an account, those with the highest priority submit first, and equal ones take turns; 0 if
   * absent.
   */
  priority: z.number().optional(),
  /** It submits before others of its account; absent if it takes turns with them. */
  isFirst: z.literal(true).optional(),
  /**
   * Whether and when it was put away; a deleted batch can be brought back at least until `until` (milliseconds since
   * the epoch).
   */
  shelf: z
    .strictObject({ is: z.enum(['archived', 'deleted']), at: z.number(), until: z.number().optional() })
    .optional(),
  /** Words by which its user finds it; absent if there are none. */
  tags: z.array(z.string()).optional(),
  /** The open sheet that it was made of (`SheetView`): what was said of that one is no longer needed. */
  sheetId: z.string().optional(),
  /** Until when it waits for its schedule, in milliseconds since the epoch; absent if it does not. */
  waitsUntil: z.number().optional(),
  /** Why the gateway does not answer at the moment; the batch waits and continues by itself. */
  waitsFor: failureView.extend({ title: z.string() }).optional(),
  /** The gateway asked to be left alone until this time, in milliseconds since the epoch. */
  heldUntil: z.number().optional(),
  /** Families of which its gateway has as many takes as it may have, with that number; absent if there are none. */
  fullPlaces: z.array(z.strictObject({ family: z.enum(FAMILIES), places: z.int() })).optional(),
  /**
   * How many requests its gateway may be sent, together with all other batches there; absent with several accounts,
   * because nobody can say.
   */
  requestsPerSecond: z.number().optional(),
  /** What its account has left, if its gateway says; with several accounts, each has its own balance. */
  balance: seenBalance.optional(),
  /** Statuses of its gateway that may mean a failure, which nobody has answered yet; absent if there are none. */
  statusQuestions: z.array(statusQuestion.extend({ tasks: z.int() })).optional(),
});
export type BatchView = Seen<typeof batchView>;

/**
 * Takes as they were shown (`ShownTake`). A decision is about these and no others: a take that was submitted or settled
 * since stays as it is.
 */
export const shownTake = z.strictObject({
  id: z.int(),
  attempts: z.int().min(0),
  /** The user holds its row: nothing is paid for it before the release. */
  isHeld: z.literal(true).optional(),
});
export const shownTakes = z.array(shownTake).max(1_048_576);
export type ShownTakes = Seen<typeof shownTakes>;

/** The outcome for takes that were shown: how many were changed, and how many were no longer as shown. */
export const shownOutcome = z.strictObject({ tasks: z.int(), left: z.int() });
export type ShownOutcome = Seen<typeof shownOutcome>;

/** Takes whose submit has an unknown outcome, and the cost of a new submit of each at the profile's prices. */
export const unknownSummary = z.strictObject({
  rows: z.int(),
  takes: z.int(),
  cost,
  /** Takes of operations without a price in the profile. */
  takesWithoutPrice: z.int(),
  shown: shownTakes,
});
export type UnknownSummary = Seen<typeof unknownSummary>;

/** Takes to retry, and what their requests cost at the profile's prices. */
const retried = z.strictObject({
  shown: shownTakes,
  /** Takes that had failed only because of these: they go on with them, and their requests are in the cost. */
  following: z.int(),
  cost,
  takesWithoutPrice: z.int(),
  /** How many are only asked about again, for free: their failure is inferred. */
  inferred: z.int(),
  /** How many are only asked for again, for free: the gateway may still have their results. */
  fetched: z.int(),
});
export type Retried = Seen<typeof retried>;

/** The cost of submits that are waiting. */
export const waitingCost = z.strictObject({
  submits: z.int(),
  cost,
  /** Submits of operations without a price in the profile. */
  submitsWithoutPrice: z.int(),
});

/** At most this many flagged files are named one by one. */
export const FLAGGED_NAMED = 200;

const gatePreview = z.strictObject({
  files: z.int(),
  flagged: z.int(),
  /** The first of them. */
  named: z.array(
    z.strictObject({
      row: z.string(),
      take: z.int(),
      path: z.string(),
      flags: z.array(z.strictObject({ gate: z.enum(GATE_CODES), message: z.string() })),
    }),
  ),
  /** Files that some gates could not check, and why. */
  unchecked: z.array(z.strictObject({ files: z.int(), why: z.string() })),
});
export type GatePreviewView = Seen<typeof gatePreview>;

/** What is delivered, and how: see `DeliveryWish`. */
const deliveryWish = batchRef.extend({
  isKeptOnly: z.boolean(),
  template: z.string().trim().min(1).max(MAX_TEMPLATE_CHARACTERS).optional(),
  hasTags: z.boolean(),
  hasSidecars: z.boolean(),
  hasTimeline: z.boolean(),
  isZip: z.boolean(),
});

/** Where files were delivered to, what came of it, and everything to be said about it, line by line. */
export const deliveryView = z.strictObject({
  place: z.string(),
  outcome: z.enum(['delivered', 'nothing-new', 'nothing', 'cancelled']),
  lines: z.array(z.string()),
});
export type DeliveryView = Seen<typeof deliveryView>;

/** At most this many files, and this many problems, are named one by one. */
export const FILES_NAMED = 200;

/** The files of this computer that cells of a batch name, as they are now. */
const localFilesView = z.strictObject({
  /** How many different files there are with which nothing is wrong, and their size. */
  count: z.int(),
  bytes: z.number(),
  files: z.array(
    z.strictObject({
      row: z.string(),
      column: z.string(),
      written: z.string(),
      bytes: z.number(),
      mediaType: z.string(),
    }),
  ),
  problemCount: z.int(),
  problems: z.array(
    z.strictObject({ key: z.int().optional(), row: z.string(), column: z.string(), message: z.string() }),
  ),
  /**
   * What has become of the files that were put, if the place says that they are deleted; absent if there is nothing to
   * say.
   */
  put: z.string().optional(),
});
export type LocalFilesView = Seen<typeof localFilesView>;

export const batchRoutes = {
  'batch.create': main.command(
    z.strictObject({
      sheetId: id,
      name: batchName,
      /** From `folder.choose`; without it, a new folder inside the default one. */
      folderId: id.optional(),
      /** Render on the built-in gateway, for free. */
      rehearsal: z.boolean(),
      maxSubmits: z.int().min(1).max(1_000_000).optional(),
      maxCost: money.optional(),
      /** 0: none. */
      fuse: z.int().min(0).max(LONGEST_FUSE).optional(),
      canary: z.boolean().optional(),
      picks: z.boolean().optional(),
      schedule: schedule.optional(),
      gates: gateSettingsSchema.optional(),
      /** Several gateways or keys, in place of the settings' gateway. */
      accounts: accountsChoice.optional(),
      start: z.boolean(),
    }),
    batchView,
  ),
  /**
   * Starts a batch of one row that tries whether a gateway of the settings, by default the one that new batches use,
   * charges only once for one key. `submits`: the paid requests that it makes at worst, as shown to the user.
   */
  'batch.probe': main.command(
    z.strictObject({
      profile: profileName.optional(),
      operation: z.enum(OPERATION_PATHS),
      prompt: z.string().min(1).max(2000),
      submits: z.int().min(0),
    }),
    batchView,
  ),
  /** A new batch that is not started, from a template of `templates.ts`, or empty. */
  'sheet.new': main.command(z.strictObject({ template: z.string().max(100), name: batchName }), batchView),
  /** A new batch that is not started, with the rows of another one and none of its results. */
  'batch.duplicate': main.command(batchRef, batchView),
  /**
   * Changes a batch that has not been started yet; of a started batch, only its name, its limits, its gates and `fuse`:
   * what was sent stays with its accounts, and the folder keeps its name.
   */
  'batch.configure': main.command(
    batchRef.extend({
      name: batchName.optional(),
      rehearsal: z.boolean().optional(),
      folderId: id.optional(),
      /** 0: no request limit. */
      maxSubmits: z.int().min(0).max(1_000_000).optional(),
      /** null: no spending limit. */
      maxCost: money.nullable().optional(),
      fuse: z.int().min(0).max(LONGEST_FUSE).optional(),
      canary: z.boolean().optional(),
      picks: z.boolean().optional(),
      /** null: at any time. */
      schedule: schedule.nullable().optional(),
      /** null: none. */
      gates: gateSettingsSchema.nullable().optional(),
      accountLimits: accountLimits.optional(),
      /**
       * Where its rows go; null: to the settings' gateway. The rows are checked again because their cells may name
       * accounts.
       */
      accounts: accountsChoice.nullable().optional(),
    }),
    batchView,
  ),
  /**
   * What gates would say about the files that a batch has; keeps nothing. Another question ends the one before; one
   * without gates does no more.
   */
  'gates.preview': engine.query(batchRef.extend({ gates: gateSettingsSchema }), gatePreview),
  /**
   * Delivers a batch into a folder from `folder.choose`, or into a new ZIP in it. `work.changed` says how far the
   * delivery is, and `work.cancel` ends it after the current file; the answer comes at its end. A batch has one
   * delivery at a time.
   */
  'batch.deliver': main.command(deliveryWish.extend({ folderId: id }), deliveryView),
  /**
   * The columns that the template of a delivery can name, whether it has a file that a timeline can hold, and how many
   * files of the sheet's rows the user kept and there are; kept ones of earlier versions count, too.
   */
  'batch.deliveryColumns': engine.query(
    batchRef,
    z.strictObject({ columns: z.array(z.string()), hasClips: z.boolean(), kept: z.int(), all: z.int() }),
  ),
  /** Opens a folder from `folder.choose`. */
  'folder.open': main.command(z.strictObject({ folderId: id }), none),
  /**
   * Opens a dialog for the file that describes a place for the files of this computer that cells name: the batch uses
   * it from now on, even while it runs. Rows that had no place are checked again. Undefined if the user cancelled.
   */
  'batch.choosePlace': main.command(batchRef, batchView.optional()),
  /**
   * Looks at the files of this computer that the batch's cells name, or only those of the rows with these keys. Nothing
   * is put.
   */
  'batch.localFiles': engine.query(someRows, localFilesView),
  'folder.choose': main.command(none, z.strictObject({ folderId: z.string(), path: z.string() }).optional()),

  'batch.list': engine.quick(none, z.array(batchView)),
  'batch.get': engine.quick(batchRef, batchView),
  /** `submits`: as many as the user was shown. Refused if edits that were under way need more by then. */
  'batch.start': engine.command(batchRef.extend({ submits: z.int().min(0).optional() }), batchView),
  /** Sets when it may submit, even while it runs; null: at any time. */
  'batch.schedule': engine.command(batchRef.extend({ schedule: schedule.nullable() }), batchView),
  /** Moves it among the batches that run (`QueueMove`), from its next request on. */
  'batch.order': engine.command(batchRef.extend({ to: z.enum(QUEUE_MOVES) }), batchView),
  /** Archives a batch, deletes it, or brings it back. Its files always stay; refused while it is at work. */
  'batch.shelve': engine.command(batchRef.extend({ to: z.enum(['archived', 'deleted', 'back']) }), batchView),
  /** Gives it these tags and no others. */
  'batch.tag': engine.command(
    batchRef.extend({
      tags: z
        .array(
          z
            .string()
            .min(1)
            .max(2 * LONGEST_TAG),
        )
        .max(MOST_TAGS),
    }),
    batchView,
  ),
  'batch.pause': engine.command(batchRef, batchView),
  /** Uses its profile as the settings have it now: the profile may have been corrected since the batch paused. */
  'batch.resume': engine.command(
    // `releases`: the rest of the kind whose first row held the batch up is sent anyway. `account`: only this one of
    // the accounts that stand still goes on.
    batchRef.extend({ releases: z.literal('kind').optional(), account: accountName.optional() }),
    batchView,
    'profiles',
  ),
  /** Cancels everything of the batch that is not done yet. */
  'batch.cancel': engine.command(batchRef, batchView),
  /** The cost of the waiting submits of a batch on the user's own gateway, at its profile's prices. */
  'batch.cost': engine.query(batchRef, waitingCost, 'prices'),
  /** Lets rows that were typed or changed run: makes their tasks and starts the batch. Returns the number of tasks. */
  'batch.release': engine.command(
    // `submits`: as many as the user was shown. Refused if edits that were under way need more by then.
    batchRef.extend({ submits: z.int().min(0) }),
    z.strictObject({ tasks: z.int() }),
  ),

  /** How many of its files are not in its folder, if another one has taken the place of its own. */
  'batch.missingFiles': engine.query(batchRef, z.strictObject({ files: z.int() })),
  /** Why takes of a batch failed, and in how many rows; the most frequent reason first. */
  'batch.failures': engine.quick(
    batchRef,
    z.strictObject({ reasons: z.array(z.strictObject({ code: z.enum(FAILURE_CODES), rows: z.int() })) }),
  ),
  /** Failed and cancelled takes as they are now, of the rows with these keys or of the whole batch. */
  'batch.retryable': engine.quick(someRows, z.strictObject({ takes: shownTakes })),
  /**
   * The cost of retrying takes; separately, that of takes that were refused for what they ask for, and would be refused
   * again. What the user holds costs nothing.
   */
  'batch.retryCost': engine.quick(
    batchRef.extend({ takes: shownTakes }),
    z.strictObject({ others: retried, refused: retried }),
  ),
  /** Retries failed and cancelled takes that were shown; `isFree`: only those for which nothing is paid. */
  'batch.retry': engine.command(
    batchRef.extend({ takes: shownTakes, isFree: z.literal(true).optional() }),
    shownOutcome,
  ),
  /** Cancels what is not done yet in the rows with these keys. */
  'batch.cancelRows': engine.command(batchRef.extend({ rows: rowKeys }), z.strictObject({ tasks: z.int() })),
  /** Holds the rows with these keys, or all of the batch; releases them, or has them run next. */
  'batch.turn': engine.command(someRows.extend({ turn: z.enum(ROW_TURNS) }), z.strictObject({ tasks: z.int() })),
  /** Gives a take whose submit has an unknown outcome the code under which the gateway accepted it. */
  'batch.adopt': engine.command(batchRef.extend({ take: shownTake, taskCode: z.string().min(1).max(4096) }), none),
  /** Resubmits or writes off takes that were shown with an unknown submit outcome. */
  'batch.settle': engine.command(
    batchRef.extend({ takes: shownTakes, decision: z.enum(['resubmit', 'write-off']) }),
    shownOutcome,
  ),
  /** The takes whose submit has an unknown outcome, and the cost of a new submit of them. */
  'batch.unknown': engine.quick(someRows, unknownSummary),
  /**
   * The answer whether a status means a failure: kept in the profile, and not asked again. The user confirms a yes in a
   * box of the system; returns how many failures are now certain, or undefined if the user said no there.
   */
  'batch.answerStatus': main.command(
    batchRef.extend({ question: statusQuestion, answer: z.enum(STATUS_ANSWERS) }),
    z.strictObject({ tasks: z.int() }).optional(),
  ),

  'batch.openFolder': main.command(batchRef, none),
  'batch.openGallery': main.command(batchRef, none),
};

const spent = z.strictObject({
  requests: z.int(),
  cost,
  /** Requests without a known price: they are in no sum. */
  unpriced: z.int(),
});

/** By night (from noon to noon) and by calendar month, without rehearsals. */
export const spendingView = z.strictObject({
  night: z.strictObject({ limit: spendingLimit, spent }),
  month: z.strictObject({ limit: spendingLimit, spent }),
});
export type SpendingView = Seen<typeof spendingView>;

export const spendingRoutes = {
  'spending.get': engine.quick(none, spendingView),
  /** Replaces both limits: what is absent is not limited. */
  'spending.set': engine.command(z.strictObject({ night: spendingLimit, month: spendingLimit }), spendingView),
};
