/** Batches: looking at them, making, starting and pausing them. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import type { Engine } from '../../../engine/index.ts';
import { err, ok, present } from '../../../shared/domain/base/result.ts';
import { countOf } from '../../../shared/domain/base/text.ts';
import { isSheetRefused, runnableRows } from '../../../shared/domain/sheet/row.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import { ROW_VIEW_STATUSES } from '../../../shared/domain/task/row-status.ts';
import { isCanaryUsual } from '../../../shared/domain/task/canary.ts';
import { runnable } from '../../commands/check.ts';
import { bringIn } from '../../commands/run.ts';
import { lookingAt, refusal, type DoorAnswer, type Looking } from '../door-answer.ts';
import { doorCommand } from '../door-command.ts';
import type { DoorHost } from '../door-host.ts';
import { givenSheet, readGivenSheet } from '../given-sheet.ts';
import { Receipts } from '../door-files.ts';
import { whyOverCap, withLowerLimits, type BatchLimits } from '../purse.ts';
import {
  batchId,
  doorBatch,
  limitView,
  moneyView,
  doorRow,
  spentView,
  toLimitView,
  shownRow,
  toSpentView,
  viewOfBatch,
} from '../views.ts';
import { problemViews } from './sheet-commands.ts';

export const NO_BATCH = refusal('not-found', 'There is no such batch.', 'Ask for list_batches.');

const oneBatch = z.strictObject({ batchId });
const shownBatch = z.object({ batch: doorBatch });
const maxRequests = z.int().min(1).max(1_000_000).optional();
const maxCost = moneyView.strict().optional();

/** What a command answers about a batch. */
export async function shown(
  looking: Looking,
  id: string,
): Promise<DoorAnswer<{ readonly batch: z.input<typeof doorBatch> }>> {
  const batch = await viewOfBatch(looking, id);
  return batch === undefined ? NO_BATCH : ok({ batch });
}

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
    host.look(async (store) => {
      const all = (await store.store.batches()).toReversed();
      const views = await Promise.all(all.slice(offset, offset + limit).map(({ id }) => viewOfBatch(store, id)));
      return ok({ total: all.length, batches: views.filter((view) => view !== undefined) });
    }),
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
  run: (host) =>
    host.look(async ({ store }) => {
      const [limits, spent] = await Promise.all([store.spendingLimits(), store.spending(Date.now(), [])]);
      const { cap } = host.options;
      return ok({
        night: { spent: toSpentView(spent.night), limit: toLimitView(limits.night ?? {}) },
        month: { spent: toSpentView(spent.month), limit: toLimitView(limits.month ?? {}) },
        ...(cap && { cap: toLimitView(cap) }),
        rehearsal: host.isRehearsing,
      });
    }),
});

const createBatch = doorCommand({
  name: 'create_batch',
  title: 'Make a batch',
  description:
    'Makes a batch of a sheet. Nothing is sent: start_batch starts it, or the user does in the window. Rows with errors are kept, and never run.',
  effect: 'changes',
  input: givenSheet.extend({
    name: z.string().min(1).max(200),
    maxRequests: maxRequests.describe('The most paid requests that it may make.'),
    maxCost: maxCost.describe('The most money that it may spend, by the prices of the profile.'),
    canary: z.boolean().optional().describe('One row of each kind goes first; above 20 rows by default.'),
    key: z
      .string()
      .min(8)
      .max(100)
      .optional()
      .describe('Any text of your own: a second call with the same key and sheet gives the batch of the first.'),
  }),
  output: shownBatch.extend({
    isNew: z.boolean(),
    problems: z.array(z.unknown()).describe('As check_sheet has them.'),
  }),
  run: async (host, { key, ...given }) => {
    const read = await readGivenSheet(host, given);
    if (!read.ok) return read;
    const { sheet } = read.value;
    if (isSheetRefused(sheet) || runnable(sheet).rows === 0) {
      const [first] = problemViews(sheet.problems);
      return refusal(
        'refused',
        `The sheet has no row that can run.${first === undefined ? '' : ` ${first.message}`}`,
        first?.remedy ?? 'See what is wrong with it: check_sheet.',
      );
    }
    if (host.options.out === undefined) {
      return refusal('refused', 'This door has no place for files.', 'The user starts it with --out DIR.');
    }
    const { out, cap } = host.options;
    const digest = createHash('sha256').update(JSON.stringify(given)).digest('hex');
    return host.inTurn(() =>
      host.work(async (engine) => {
        const receipts = new Receipts(host.dataDir);
        const known = key === undefined ? undefined : receipts.find(key);
        if (known !== undefined && known.digest !== digest) {
          return refusal('refused', 'This key was given for another sheet.', 'Give a key of its own for each batch.');
        }
        const problems = problemViews(sheet.problems);
        if (known !== undefined) {
          const again = await shown(lookingAt(engine), known.batchId);
          if (again.ok) return ok({ ...again.value, isNew: false, problems });
        }
        const gateways = await host.gateways();
        const rehearsal = host.isRehearsing;
        const wanted = { folder: '', filename: '', profile: gateways.profile, rehearsal };
        const limited = withLowerLimits(wanted, limitsOf(given), rehearsal ? undefined : cap);
        if ('kind' in limited) return err(limited);
        const isTried = given.canary ?? isCanaryUsual(runnableRows(sheet).length, rehearsal);
        const batch = await bringIn(host.console, engine, {
          sheet,
          sheetSettings: read.value.settings,
          name: given.name,
          folder: freeFolder(out, given.name),
          ...gateways,
          canary: isTried,
          rehearsal,
          ...present({ sheetPath: read.value.sheetPath, maxSubmits: limited.maxSubmits, maxCost: limited.maxCost }),
        });
        if (key !== undefined) await receipts.keep(key, { digest, batchId: batch.id });
        const made = await shown(lookingAt(engine), batch.id);
        return made.ok ? ok({ ...made.value, isNew: true, problems }) : made;
      }),
    );
  },
});

function limitsOf({ maxRequests: requests, maxCost: cost }: BatchLimits): BatchLimits {
  return { maxRequests: requests, maxCost: cost };
}

/** A folder of its own for each batch, by its name without what a system may not take. */
function freeFolder(out: string, name: string): string {
  const plain = name
    .replaceAll(/[^\p{L}\p{N} ._-]+/gu, '-')
    .replaceAll(/^[.\s-]+|[.\s]+$/gu, '')
    .slice(0, 80);
  const base = path.join(out, plain === '' ? 'batch' : plain);
  let folder = base;
  for (let n = 2; existsSync(folder); n++) folder = `${base}-${n}`;
  return folder;
}

/**
 * Lets a batch run once everything is there for it: its key, and the cap.
 * @param begin Starts it; gets how often the user had paused it when this was asked, as a later pause holds.
 */
export async function run(
  host: DoorHost,
  engine: Engine,
  batch: BatchRecord,
  begin: (pauses: number) => Promise<DoorAnswer<unknown>>,
  more: Parameters<typeof whyOverCap>[3] = [],
): Promise<DoorAnswer<unknown>> {
  const pauses = engine.pausesOf(batch.id);
  await host.prepare(engine, batch);
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
      const limited = withLowerLimits(before.settings, limitsOf(limits), host.options.cap);
      if ('kind' in limited) return err(limited);
      const started = await run(host, engine, { ...before, settings: limited }, async (pauses) => {
        await engine.configure(id, ({ settings }) => {
          const lower = withLowerLimits(settings, limitsOf(limits), host.options.cap);
          return 'kind' in lower ? undefined : lower;
        });
        await engine.start(id, pauses);
        return ok(undefined);
      });
      return started.ok ? shown(lookingAt(engine), id) : started;
    }),
});

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
