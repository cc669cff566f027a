/** Batches: looking at them, and making, starting and pausing them. */
import { z } from 'zod';
import type { Engine } from '../../../engine/index.ts';
import { err, ok, present } from '../../../shared/domain/base/result.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { BatchSummary } from '../../../shared/domain/task/batch-view.ts';
import { ROW_VIEW_STATUSES } from '../../../shared/domain/task/row-status.ts';
import { NOTHING_SPENT, type Spending, type SpendingLimits } from '../../../shared/domain/task/spending.ts';
import { summaryOf, tasksIn, undecided } from '../../describe.ts';
import { lookingAt, refusal, type DoorAnswer } from '../door-answer.ts';
import { doorCommand } from '../door-command.ts';
import type { DoorHost } from '../door-host.ts';
import { whyNotHeld, whyOverCap, withLowerLimits, type BatchLimits } from '../door-cap.ts';
import {
  batchId,
  doorBatch,
  limitView,
  doorRow,
  spentView,
  toLimitView,
  shownRow,
  toSpentView,
  viewOfBatch,
  maxCost,
  maxRequests,
  NO_BATCH,
  oneBatch,
  shown,
  shownBatch,
} from '../views.ts';
import { createBatch } from './create-batch.ts';

const listBatches = doorCommand({
  name: 'list_batches',
  title: 'List batches',
  description: 'Lists the batches, newest first, each with how it stands.',
  effect: 'looks',
  input: z.strictObject({
    offset: z.int().min(0).optional(),
    limit: z.int().min(1).max(100).optional().describe('20 by default.'),
  }),
  output: z.object({ total: z.int(), batches: z.array(doorBatch) }),
  run: (host, { offset = 0, limit = 20 }) =>
    host.look(
      async (store) => {
        const all = (await store.store.batches()).toReversed();
        const views = await Promise.all(all.slice(offset, offset + limit).map(({ id }) => viewOfBatch(store, id)));
        return ok({ total: all.length, batches: views.filter((view) => view !== undefined) });
      },
      ok({ total: 0, batches: [] }),
    ),
});

const getBatch = doorCommand({
  name: 'get_batch',
  title: 'Status of a batch',
  description:
    'Says how a batch stands: its state, rows and takes by status, why it is paused and what to do about it.',
  effect: 'looks',
  input: oneBatch,
  output: shownBatch,
  run: (host, { batchId: id }) => host.look((store) => shown(store, id)),
});

const listRows = doorCommand({
  name: 'list_rows',
  title: 'Rows of a batch',
  description: 'Lists rows of a batch, by line, with status, files, and what went wrong; with a filter, and in pages.',
  effect: 'looks',
  input: oneBatch.extend({
    status: z.array(z.enum(ROW_VIEW_STATUSES)).max(ROW_VIEW_STATUSES.length).optional().describe('Any of these.'),
    text: z.string().max(500).optional().describe('Rows whose id, label or note contains it.'),
    offset: z.int().min(0).optional(),
    limit: z.int().min(1).max(500).optional().describe('50 by default.'),
  }),
  output: z.object({ total: z.int(), rows: z.array(doorRow) }),
  run: (host, { batchId: id, status, text, offset = 0, limit = 50 }) =>
    host.look(async ({ store, views }) => {
      if ((await store.batch(id)) === undefined) return NO_BATCH;
      const page = await views.rowPage(id, { filter: present({ status, text }), offset, limit });
      return ok({ total: page.total, rows: page.rows.map(shownRow) });
    }),
});

const getSpending = doorCommand({
  name: 'get_spending',
  title: 'Spending and cap',
  description:
    'Says what was spent in this night (from noon to noon) and this month, the limits of the user, and the cap of this door.',
  effect: 'looks',
  input: z.strictObject({}),
  output: z.object({
    night: z.object({ spent: spentView, limit: limitView }),
    month: z.object({ spent: spentView, limit: limitView }),
    cap: limitView.optional().describe('Absent: this door may not spend anything.'),
    rehearsal: z.boolean().describe('New batches are rehearsed on the built-in gateway: nothing is paid.'),
  }),
  run: (host) => {
    const { cap } = host.options;
    const answer = (spent: Pick<Spending, 'night' | 'month'>, limits: SpendingLimits) =>
      ok({
        night: { spent: toSpentView(spent.night), limit: toLimitView(limits.night ?? {}) },
        month: { spent: toSpentView(spent.month), limit: toLimitView(limits.month ?? {}) },
        ...(cap && { cap: toLimitView(cap) }),
        rehearsal: host.isRehearsing,
      });
    return host.look(
      async ({ store }) => {
        const [limits, spent] = await Promise.all([store.spendingLimits(), store.spending(Date.now(), [])]);
        return answer(spent, limits);
      },
      answer({ night: NOTHING_SPENT, month: NOTHING_SPENT }, {}),
    );
  },
});

function limitsOf({ maxRequests: requests, maxCost: cost }: BatchLimits): BatchLimits {
  return { maxRequests: requests, maxCost: cost };
}

/**
 * Lets a batch run once everything is there for it: its key, and the cap.
 * @param begin Starts it; gets how often the user had paused the batch when this was asked, because a later pause takes
 * precedence.
 */
export async function run(
  host: DoorHost,
  engine: Engine,
  batch: BatchRecord,
  begin: (pauses: number) => Promise<DoorAnswer<unknown>>,
  more: Parameters<typeof whyOverCap>[3] = [],
  asksHere = false,
): Promise<DoorAnswer<unknown>> {
  const pauses = engine.pausesOf(batch.id);
  await host.prepare(engine, batch, asksHere);
  const { cap } = host.options;
  if (cap !== undefined && !batch.settings.rehearsal) {
    const why = await whyOverCap(engine, cap, batch, more);
    if (why !== undefined) return err(why);
  }
  const begun = await begin(pauses);
  if (begun.ok) await host.follow(engine, batch.id);
  return begun;
}

const startBatch = doorCommand({
  name: 'start_batch',
  title: 'Start or continue a batch',
  description:
    'Starts a batch, or continues it after a pause or an interruption. This pays for its requests, up to its own limits and the cap with which the user has started this door; without a cap it is refused.',
  effect: 'pays',
  isIdempotent: true,
  input: oneBatch.extend({
    maxRequests: maxRequests.describe('A lower request limit for the batch, over all its life; never above the cap.'),
    maxCost: maxCost.describe('A lower spending limit for the batch; never above the cap.'),
  }),
  output: shownBatch,
  run: (host, { batchId: id, ...limits }) =>
    host.work(async (engine) => {
      const before = await engine.store.batch(id);
      if (before === undefined) return NO_BATCH;
      if (before.state === 'finished') return nothingLeft(await summaryOf(engine.views, id));
      const limited = withLowerLimits(before.settings, limitsOf(limits), host.options.cap);
      if ('kind' in limited) return err(limited);
      const { kinds } = await engine.store.waitingWork(id, Date.now());
      const unheld = whyNotHeld(
        before.settings,
        limits.maxCost,
        kinds.map(({ operation }) => operation),
      );
      if (unheld !== undefined) return err(unheld);
      const started = await run(host, engine, { ...before, settings: limited }, async (pauses) => {
        await engine.config.configure(id, ({ settings }) => {
          const lower = withLowerLimits(settings, limitsOf(limits), host.options.cap);
          return 'kind' in lower ? undefined : lower;
        });
        await engine.start(id, pauses);
        return ok(undefined);
      });
      return started.ok ? shown(lookingAt(engine), id) : started;
    }),
});

/** A start would only move the end of a batch in which nothing is left to send. */
function nothingLeft(summary: BatchSummary): DoorAnswer<never> {
  const ways = [
    ...(tasksIn(summary, 'failed') > 0 ? ['retry_rows tries what failed again'] : []),
    ...(undecided(summary) > 0 ? ['resolve_row settles what has an unknown outcome'] : []),
    ...(tasksIn(summary, 'queued') > 0 ? ['the user releases the rows that are held'] : []),
    ...(summary.rows.draft > 0 ? ['the user runs the rows that are drafts, in the window'] : []),
  ];
  const remedy =
    ways.length === 0 ? 'See its files with list_files; for more, make another batch.' : `${ways.join('; ')}.`;
  return refusal('refused', 'The batch is finished: nothing is left to start. Nothing was changed.', sentence(remedy));
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const pauseBatch = doorCommand({
  name: 'pause_batch',
  title: 'Pause a batch',
  description: 'Sends nothing new for a batch; what is rendering is still fetched. start_batch continues it.',
  effect: 'changes',
  isIdempotent: true,
  input: oneBatch,
  output: shownBatch,
  run: (host, { batchId: id }) =>
    host.work(async (engine) => {
      if ((await engine.store.batch(id)) === undefined) return NO_BATCH;
      await engine.pause(id);
      return shown(lookingAt(engine), id);
    }),
});

const pauseAll = doorCommand({
  name: 'pause_all',
  title: 'Pause everything',
  description: 'Pauses all batches that run.',
  effect: 'changes',
  isIdempotent: true,
  input: z.strictObject({}),
  output: z.object({ paused: z.array(batchId), message: z.string() }),
  run: (host) =>
    host.work(async (engine) => {
      const running = (await engine.store.batches()).filter(({ state }) => state === 'running');
      await Promise.all(running.map(({ id }) => engine.pause(id)));
      return ok({
        paused: running.map(({ id }) => id),
        message: `${countOf(running.length, 'batch', 'batches')} paused.`,
      });
    }),
});

export const BATCH_COMMANDS = [
  listBatches,
  getBatch,
  listRows,
  getSpending,
  createBatch,
  startBatch,
  pauseBatch,
  pauseAll,
];
