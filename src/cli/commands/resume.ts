import type { AdoptionRefusal, Engine } from '../../engine/index.ts';
import { present } from '../../shared/domain/base/result.ts';
import { say } from '../../shared/domain/base/reason.ts';
import { USUAL_GATES } from '../../shared/domain/gates/gate-settings.ts';
import { accountNamed, accountsOf } from '../../shared/domain/task/accounts/account.ts';
import { settingsWithProfile, type BatchRecord, type BatchSettings } from '../../shared/domain/task/batch.ts';
import { withCanary } from '../../shared/domain/task/canary.ts';
import { settlesItself, type Decision, type Task } from '../../shared/domain/task/task.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import type { Console } from '../console.ts';
import { count, summaryOf, tasksIn } from '../describe.ts';
import { CommandFailure, EXIT, type ExitCode, wrongUsage } from '../ending.ts';
import {
  accountsToResume,
  giveKeys,
  keysFor,
  pricesOf,
  refuseUnpricedAt,
  requireKeys,
  warnOfUnpriced,
  withAccountLimitsOf,
  type Gateways,
} from '../accounts.ts';
import { requireKey } from '../gateway-key.ts';
import { withBatch } from '../open-engine.ts';
import { gatesOf, profileOf } from '../given.ts';
import type {
  AccountLimitOptions,
  GateOptions,
  KeyOptions,
  NightOptions,
  ProfileOptions,
} from '../options/common-options.ts';
import { runToRest } from '../run-batch.ts';
import {
  filesPlaceOf,
  givePlace,
  sayOpened,
  NOTHING_OPENED,
  type FilesPlaceOptions,
  type Opened,
} from '../files-place/given-place.ts';
import { isGiven, scheduleOf, type ScheduleOptions } from '../options/schedule-options.ts';
import { spendingOf, type SpendingOptions } from '../options/spending-options.ts';
import { afterNightOf, thenDo } from '../then.ts';
import { readTelling } from './notify.ts';

export interface GoOnOptions
  extends
    KeyOptions,
    ProfileOptions,
    NightOptions,
    ScheduleOptions,
    SpendingOptions,
    AccountLimitOptions,
    GateOptions,
    FilesPlaceOptions {
  readonly canary?: boolean;
  readonly pick?: boolean;
  readonly first?: boolean;
  readonly account?: readonly string[];
}

/** Continues a batch after a stop, a kill or a pause; with a new request limit if one is given. */
export async function resumeCommand(
  console: Console,
  named: string | undefined,
  options: GoOnOptions,
): Promise<ExitCode> {
  const { canary, first } = options;
  gatesOf(options, USUAL_GATES);
  const telling = options.notify === undefined ? undefined : readTelling(options.notify);
  const filesPlace = filesPlaceOf(options);
  const after = afterNightOf(options.then);
  return thenDo(console, after, () =>
    withBatch({ ...options, resumes: true }, named, async (engine, batch) => {
      refuseRehearsal(batch);
      // Invalid gates are refused before anything is changed.
      withGates(batch.settings, options);
      const only = accountsToResume(batch, options.account);
      const settings = settingsFor(batch, options);
      await refuseUsedLimit(engine, batch, spendingOf(options, pricesOf(settings)).maxSubmits);
      // Rows that lacked a place may be left in a finished batch.
      const isFirstPlace = filesPlace !== undefined && batch.settings.filesPlace === undefined;
      const isOver = batch.state === 'finished' && !(isFirstPlace && (await hasInvalid(engine, batch)));
      const keys = (isOver ? keysFor : requireKeys)(settings, options);
      await giveKeys(console, engine, settings, keys, options);
      await engine.config.configure(batch.id, ({ settings: now }) => ({ ...now, ...gatewaysIn(settings) }));
      const opened = filesPlace === undefined ? NOTHING_OPENED : await givePlace(engine, batch, filesPlace);
      await limitSpending(console, engine, batch.id, options, settings, opened);
      if (canary !== undefined) await engine.config.configure(batch.id, ({ settings }) => withCanary(settings, canary));
      if (options.pick !== undefined)
        await engine.config.configure(batch.id, ({ settings }) => withPicks(settings, options.pick));
      if (options.gates !== undefined || options.gate !== undefined || options.gateAgain !== undefined)
        await engine.config.configure(batch.id, ({ settings }) => withGates(settings, options));
      if (isGiven(options))
        await engine.config.setSchedule(batch.id, scheduleOf(options, batch.settings.schedule, Date.now()));
      console.line(`Batch ${batch.id} (${batch.name}) continues.`);
      sayOpened(console, opened, pricesOf(settings));
      if (opened.drafts.length > 0) {
        const released = await engine.editor.release(batch.id, opened.drafts);
        if (!released.ok) throw wrongUsage(released.error, `Run these rows with: nocturne update ${batch.id}`);
      }
      const start = async (): Promise<void> => {
        const move = async () =>
          first !== undefined && engine.config.moveInQueue(batch.id, first ? 'first' : 'in-turn');
        if (batch.state !== 'finished') await move();
        await engine.start(batch.id, undefined, only);
        // A batch that starts again forgets how it was moved before.
        if (batch.state === 'finished') await move();
      };
      return runToRest(console, engine, batch.id, start, telling);
    }),
  );
}

function withPicks(before: BatchSettings, isWanted: boolean | undefined): BatchSettings {
  const { picks: _, ...settings } = before;
  return isWanted === true ? { ...settings, picks: true } : settings;
}

/** The settings with their gates changed as the options say. */
function withGates({ gates: before, ...settings }: BatchSettings, options: GateOptions): BatchSettings {
  return { ...settings, ...present({ gates: gatesOf(options, before) }) };
}

/** A limit that is used up already would only pause the batch again. */
async function refuseUsedLimit(engine: Engine, { id }: BatchRecord, maxSubmits: number | undefined): Promise<void> {
  if (maxSubmits === undefined) return;
  const summary = await summaryOf(engine.views, id);
  const used = summary.submitsUsed;
  if (maxSubmits > used || tasksIn(summary, 'queued') === 0) return;
  throw wrongUsage(
    `--max-submits ${maxSubmits}: batch ${id} has made ${count(used, 'paid request')} already, and its waiting rows need more.`,
    `Give more than ${used}. Nothing was changed.`,
  );
}

/** Sets the limits that the options name. What cannot be held is refused before anything is set. */
async function limitSpending(
  console: Console,
  engine: Engine,
  batchId: string,
  options: SpendingOptions,
  gateways: Gateways,
  { requests }: Opened,
): Promise<void> {
  const { maxSubmits, maxCost, fuse } = spendingOf(options, pricesOf(gateways));
  const { batches } = await engine.spending([batchId]);
  const waiting = [...(batches.get(batchId)?.queued ?? []), ...requests];
  const queued = new Set(waiting.flatMap(({ operation }) => operation ?? []));
  refuseUnpricedAt(gateways, maxCost, queued);
  warnOfUnpriced(console, gateways, maxCost, queued);
  if (maxSubmits !== undefined) await engine.config.setCap(batchId, maxSubmits);
  if (maxCost !== undefined) await engine.config.setCostCap(batchId, maxCost ?? undefined);
  if (fuse !== undefined) await engine.config.setFuse(batchId, fuse);
}

/** A pause may have asked for a corrected profile. Only one origin knows what was submitted, so the origin stays. */
function settingsFor(batch: BatchRecord, options: GoOnOptions): BatchSettings {
  const isOther = options.profile !== undefined || options.baseUrl !== undefined;
  if (!isOther) return withAccountLimitsOf(batch.settings, options);
  // A profile that names no gateway is for the one that knows the batch.
  const [own, ...others] = new Set(accountsOf(batch.settings).map((account) => account.profile.baseUrl));
  const profile = profileOf(options, others.length === 0 ? own : undefined);
  const settings = settingsWithProfile(batch.settings, profile);
  if (settings.ok) return withAccountLimitsOf(settings.value, options);
  if (settings.error === 'ambiguous') {
    throw wrongUsage(
      `Several accounts of batch ${batch.id} are at ${new URL(profile.baseUrl).origin}, and neither the base URL nor the name of this profile says whose it is.`,
      'Write the baseUrl of one account into the profile, and its name where two have the same. Nothing was changed.',
    );
  }
  throw wrongUsage(
    `Batch ${batch.id} belongs to ${batch.settings.profile.baseUrl}; another origin knows nothing about it.`,
    'Name that gateway with --base-url or in the profile, or run the sheet as a new batch.',
  );
}

function gatewaysIn({ profile, accounts }: BatchSettings): Gateways {
  return { profile, ...present({ accounts }) };
}

export interface RetryOptions extends KeyOptions {
  readonly failed?: true;
  readonly row?: readonly string[];
}

/** Tries failed rows again: all of them, or the named ones. A batch that was never started stays so. */
export async function retryCommand(console: Console, named: string, options: RetryOptions): Promise<ExitCode> {
  if (options.failed !== true && options.row === undefined) {
    throw wrongUsage('Which rows?', 'Give --failed for all failed rows, or --row ID for one.');
  }
  return withBatch(options, named, async (engine, batch) => {
    refuseRehearsal(batch);
    const retry = async (said: string): Promise<void> => {
      const tasks = await engine.decisions.retry(batch.id, options.failed === true ? undefined : options.row);
      console.line(`${count(tasks, 'task')} of batch ${batch.id} (${batch.name}) ${said}.`);
    };
    for (const rowId of options.row ?? []) await refuseUnknownRow(engine, batch, rowId);
    if (options.failed !== true) await sayWhatCannotBeRetried(console, engine, batch, options.row ?? []);
    if (batch.state === 'ready') {
      await retry('to be sent once it is started');
      console.line(`It was never started. With all of its rows: nocturne resume ${batch.id}`);
      return EXIT.done;
    }
    const isAtRest = options.failed === true && (await hasNothingToRetry(engine, batch));
    const keys = (isAtRest ? keysFor : requireKeys)(batch.settings, options);
    await giveKeys(console, engine, batch.settings, keys, options);
    return runToRest(console, engine, batch.id, () => retry('tried again'));
  });
}

async function hasInvalid(engine: Engine, { id }: BatchRecord): Promise<boolean> {
  return (await summaryOf(engine.views, id)).rows.invalid > 0;
}

/** Nothing is sent then, so no key is needed. */
async function hasNothingToRetry(engine: Engine, { id, state }: BatchRecord): Promise<boolean> {
  return state === 'finished' && tasksIn(await summaryOf(engine.views, id), 'failed') === 0;
}

/** Only failed and cancelled rows are tried again; a done row is rendered again once its content changes. */
async function sayWhatCannotBeRetried(
  console: Console,
  engine: Engine,
  batch: BatchRecord,
  rowIds: readonly string[],
): Promise<void> {
  for (const rowId of rowIds) {
    const statuses = (await engine.store.tasksOfRow(batch.id, rowId)).map((task) => task.status);
    if (statuses.some((status) => status === 'failed' || status === 'cancelled')) continue;
    const row = visibleLine(rowId, 60);
    if (statuses.length > 0 && statuses.every((status) => status === 'done')) {
      console.problem(
        `row ${row} is done: there is nothing to try again.\n` +
          `    → To render it again, change it in the sheet, then: nocturne update ${batch.id}`,
      );
    } else {
      console.problem(
        `row ${row} has not failed: there is nothing to try again.\n    → Continue with: nocturne resume ${batch.id}`,
      );
    }
  }
}

export interface ResolveOptions extends KeyOptions {
  readonly row: readonly string[];
  readonly adopt?: string;
  readonly resubmit?: true;
  readonly writeOff?: true;
  readonly yes?: true;
}

/** Settles a row whose submit has an unknown outcome, and continues the batch if there is something to do. */
export async function resolveCommand(console: Console, named: string, options: ResolveOptions): Promise<ExitCode> {
  const decision = decisionOf(options);
  return withBatch(options, named, async (engine, batch) => {
    for (const rowId of options.row) await refuseUnknownRow(engine, batch, rowId);
    if (decision.kind === 'resubmit' && options.yes !== true) await refuseSettling(engine, batch, options.row);
    const keys = (decision.kind === 'write-off' ? keysFor : requireKeys)(batch.settings, options);
    if (decision.kind !== 'write-off') refuseRehearsal(batch);
    // The gateway is asked about the task code by this process.
    if (decision.kind === 'adopt' && keys.size === 0) requireKey(options);
    await giveKeys(console, engine, batch.settings, keys, options);
    return runToRest(console, engine, batch.id, async () => {
      let tasks = 0;
      for (const rowId of options.row) {
        const resolved = await engine.decisions.resolve(batch.id, rowId, decision);
        if (!resolved.ok) throw notResolved(resolved.error);
        tasks += resolved.value;
      }
      console.line(`${count(tasks, 'task')} of ${count(options.row.length, 'row')} resolved.`);
    });
  });
}

/** What settles itself for free must not be paid for again by a user who does not know that. */
export async function refuseSettling(engine: Engine, batch: BatchRecord, rowIds: readonly string[]): Promise<void> {
  for (const rowId of rowIds) {
    const tasks = await engine.store.tasksOfRow(batch.id, rowId);
    // What an earlier process was about to send settles itself as well, once it is taken up.
    const hasKeys = (task: Task): boolean =>
      accountNamed(batch.settings, task.account).profile.idempotency !== undefined;
    if (!tasks.some((task) => settlesItself(task) || (task.status === 'submitting' && hasKeys(task)))) continue;
    throw wrongUsage(
      `Row ${visibleLine(rowId, 60)} settles itself: its request is sent again under its own key, which costs nothing more. A resubmit is a new paid request, and it may be charged twice.`,
      `To let it settle itself: nocturne resume ${batch.id}. To resubmit it all the same, add --yes. Nothing was sent.`,
    );
  }
}

function notResolved({ message, remedy }: AdoptionRefusal): CommandFailure {
  return wrongUsage(say(message), `${say(remedy)} The row is unchanged. See what waits with: nocturne evidence BATCH`);
}

function decisionOf(options: ResolveOptions): Decision {
  const given: Decision[] = [];
  if (options.adopt !== undefined) given.push({ kind: 'adopt', taskCode: options.adopt });
  if (options.resubmit === true) given.push({ kind: 'resubmit' });
  if (options.writeOff === true) given.push({ kind: 'write-off' });
  const [decision] = given;
  if (decision?.kind === 'adopt' && options.row.length > 1) {
    throw wrongUsage('A task code belongs to a single row.', 'Give exactly one --row with --adopt.');
  }
  if (decision !== undefined && given.length === 1) return decision;
  throw wrongUsage(
    'Choose one way to settle the row.',
    'Give exactly one of --adopt TASKCODE, --resubmit (you may be charged twice) and --write-off.',
  );
}

/** The gateway of a rehearsal ended with the command that started it. */
export function refuseRehearsal(batch: BatchRecord): void {
  if (!batch.settings.rehearsal) return;
  throw wrongUsage(
    `Batch ${batch.id} is a rehearsal, and its built-in gateway has ended.`,
    'Nothing was paid for. Rehearse again with: nocturne demo',
  );
}

/** A named row must exist. */
export async function refuseUnknownRow(engine: Engine, batch: BatchRecord, rowId: string): Promise<void> {
  if ((await engine.store.row(batch.id, rowId)) !== undefined) return;
  throw wrongUsage(
    `Batch ${batch.id} has no row ${JSON.stringify(rowId)}.`,
    'Row ids are in the column “row” of the sheet, and in sheet.results.csv.',
  );
}
