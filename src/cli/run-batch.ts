import { missingFiles, type Engine } from '../engine/index.ts';
import type { BatchSummary } from '../shared/domain/task/batch-view.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { FAILURE_POLICIES, pauseOf, remedyOf, type Failure } from '../shared/domain/base/failure.ts';
import { statusQuestions, type StatusQuestion } from '../shared/domain/gateway/seen-status.ts';
import { putFilesText } from '../shared/domain/places/files-place.ts';
import { limitNamedIn } from '../shared/domain/task/spending.ts';
import { isAskHeld, isSuspectedFailure, settlesItself } from '../shared/domain/task/task.ts';
import { balanceText, moneyText, type Money } from '../shared/domain/base/money.ts';
import { present } from '../shared/domain/base/result.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import { accountsOf, type Account } from '../shared/domain/task/accounts/account.ts';
import { domainWords } from '../shared/words/domain-words.ts';
import { accountKeyOptions } from './accounts.ts';
import type { Console } from './console.ts';
import {
  count,
  exitCodeOf,
  pauseText,
  standingWords,
  statusCounts,
  statusHint,
  statusWord,
  stopTexts,
  summaryOf,
  tasksIn,
  undecided,
} from './describe.ts';
import { EXIT, type ExitCode } from './ending.ts';
import { putFilesFacts } from './files-place/given-place.ts';
import { lookForWorkers } from './fleet/look-for-workers.ts';
import { interruption, STOPPING } from './interruption.ts';
import { showProgress } from './progress-view.ts';
import { tellOfRows } from './row-teller.ts';
import { tellOfNight, type Telling } from './telling.ts';

const LEAVING = 'This command ends; the workers go on.';
/** Printed before something that may take a while. */
export const MAKING_PICTURES = 'Making small pictures for the gallery…';
/** Exceptions that are listed one by one; the rest are in the results sheet. */
const EXCEPTIONS_SHOWN = 20;

/**
 * Lets a batch run, by `begin`, and waits until it comes to rest: shows its progress, writes the media folder's
 * documents, sums up. From the first request on, Ctrl-C stops it and loses nothing; a second one stops it at once,
 * which loses nothing either, but leaves the outcome of the submits under way unknown.
 * @param telling How somebody is told about its end, or that it needs someone.
 * @param cost What it may cost, by currency, as far as that is known.
 */
export async function runToRest(
  console: Console,
  engine: Engine,
  batchId: string,
  begin: () => Promise<unknown>,
  telling?: Telling,
  cost: readonly Money[] = [],
): Promise<ExitCode> {
  const interrupted = interruption(console, engine.isShared ? LEAVING : STOPPING, true);
  const tellNow = await tellOfNight(console, engine, batchId, telling);
  const stopTelling = tellOfRows(console, engine, batchId);
  const finishDocuments = keepDocuments(engine, batchId, () => console.line(MAKING_PICTURES));
  let stopProgress = (): void => undefined;
  let stopLooking = (): void => undefined;
  const run = async (): Promise<BatchRecord | 'interrupted'> => {
    await tellBalance(console, engine, batchId, cost);
    // Nothing begins after the end of the engine.
    if (interrupted.hasHappened()) return 'interrupted';
    await begin();
    if (interrupted.hasHappened()) return 'interrupted';
    stopLooking = lookForWorkers(console, engine, batchId);
    stopProgress = showProgress(console, engine, batchId);
    return engine.settled(batchId);
  };
  let rest;
  let unsaved: readonly unknown[] = [];
  try {
    rest = await Promise.race([run(), interrupted.happened]);
    if (rest === 'interrupted') unsaved = await engine.quiesce();
    // If the user does not wait for the deletion, the next command that runs something does it.
    else await Promise.race([engine.putFilesDeleted(), interrupted.happened]);
  } finally {
    stopLooking();
    stopProgress();
    stopTelling();
    interrupted.stopListening();
  }
  const problem = await finishDocuments();
  if (problem !== undefined)
    console.problem(
      `The media folder’s documents could not be written: ${problem.message}\n    → Once they can, write them with: nocturne export ${batchId}`,
    );
  const batch = rest === 'interrupted' ? await engine.store.batch(batchId) : rest;
  if (batch === undefined) throw new Error(`The batch is gone: ${batchId}`);
  const exitCode = await sumUp(console, engine, batch, rest === 'interrupted', unsaved.length === 0);
  if (rest !== 'interrupted') await tellBalance(console, engine, batchId);
  await tellNow(rest === 'interrupted');
  // Every row is done but the folder does not say so: no script may take that for the end. Workers write the documents
  // elsewhere.
  return exitCode === EXIT.done && problem !== undefined && !engine.isShared ? EXIT.paused : exitCode;
}

/** Says what the account has left, if the gateway says so, and warns if that is less than what is about to be paid. */
async function tellBalance(
  console: Console,
  engine: Engine,
  batchId: string,
  cost: readonly Money[] = [],
): Promise<void> {
  const batch = await engine.store.batch(batchId);
  // If workers have the accounts, only they ask the gateways.
  if (batch === undefined || batch.settings.rehearsal || engine.isShared) return;
  const [account, ...others] = accountsOf(batch.settings);
  if (others.length > 0) return tellBalances(console, engine, [account, ...others]);
  const seen = await engine.balance(account);
  if (seen === undefined) return;
  const { balance, problem = '' } = seen;
  console.event('balance', balance === undefined ? { problem } : { ...balance });
  if (balance === undefined) {
    console.problem(`warning: the balance is not known: ${visibleLine(problem, 300)}`);
    return;
  }
  console.line(`The account has ${balanceText(balance)}.`);
  const planned = cost.find(({ currency }) => currency === balance.currency);
  const limit = batch.settings.maxCost;
  // No more than the limit is ever paid.
  const needed = planned && limit?.currency === planned.currency && limit.amount < planned.amount ? limit : planned;
  if (needed !== undefined && needed.amount > balance.amount) {
    console.problem(`warning: the account has ${balanceText(balance)}, and this may cost ${moneyText(needed)}.`);
  }
}

/** The same for several accounts: only the night shows which of them pays for what. */
async function tellBalances(console: Console, engine: Engine, accounts: readonly Account[]): Promise<void> {
  const seen = await Promise.all(accounts.map(async (account) => ({ account, seen: await engine.balance(account) })));
  for (const { account, seen: heard } of seen) {
    if (heard === undefined) continue;
    const { balance, problem = '' } = heard;
    const name = visibleLine(account.name, 60);
    console.event('balance', { account: account.name, ...(balance === undefined ? { problem } : balance) });
    if (balance === undefined)
      console.problem(`warning: the balance of ${name} is not known: ${visibleLine(problem, 300)}`);
    else console.line(`${name} has ${balanceText(balance)}.`);
  }
}

/**
 * Writes the folder's documents when only files to be tried again are left, and once more when the returned function is
 * called; that says what kept them from being written, if anything did.
 * @param onPictures Called when the writing begins to make small pictures.
 */
export function keepDocuments(
  engine: Engine,
  batchId: string,
  onPictures?: () => void,
): () => Promise<Failure | undefined> {
  let written: Promise<unknown> = Promise.resolve();
  const stopListening = engine.onChange((change) => {
    if (change.kind !== 'task' || change.task.batchId !== batchId || !change.isAlmostDone) return;
    // The last write reports its problem, if it still has one.
    written = written.then(() => engine.exportBatch(batchId));
  });
  return async () => {
    stopListening();
    await written;
    return engine.exportBatch(batchId, undefined, onPictures);
  };
}

async function sumUp(
  console: Console,
  engine: Engine,
  batch: BatchRecord,
  wasInterrupted: boolean,
  isAllSaved: boolean,
): Promise<ExitCode> {
  const summary = await summaryOf(engine.views, batch.id);
  const exitCode = wasInterrupted ? EXIT.interrupted : exitCodeOf(batch, summary);
  const files = await engine.putFilesOf(batch);
  const missing = await missingFiles(engine, batch.id).catch(() => 0);
  console.event('finished', {
    batch: batch.id,
    state: batch.state,
    ...present({ pause: batch.pause, stops: batch.stops }),
    tasks: summary.tasks,
    rows: summary.rows,
    submits: summary.submitsUsed,
    folder: batch.settings.folder,
    ...(missing > 0 && { missing }),
    ...putFilesFacts(batch, files),
    exitCode,
  });
  await listExceptions(console, engine, batch);
  console.line();
  // On a server, only this command was: workers go on.
  const standsStill = wasInterrupted && !engine.isShared;
  const standing = standsStill ? 'Interrupted' : standingWords(batch, summary);
  console.line(`${visibleLine(batch.name, 200)}: ${standing} · ${statusCounts(summary)}`);
  if (summary.rows.invalid > 0)
    console.line(`${count(summary.rows.invalid, 'row')} could not run; see: nocturne check SHEET`);
  const pause = pauseText(batch);
  if (pause !== undefined) console.problem(pause);
  for (const text of stopTexts(batch)) console.problem(text);
  console.line(`Folder: ${visibleLine(batch.settings.folder, 4096)}`);
  if (missing > 0)
    console.problem(
      `warning: ${count(missing, 'file')} of this batch ${missing === 1 ? 'is' : 'are'} not in its folder, because another one took its place; see: nocturne verify DIR`,
    );
  const putFiles = putFilesText(batch.settings.filesPlace, files);
  if (putFiles !== undefined) console.line(visibleLine(putFiles, 2000));
  const waits =
    batch.state === 'finished' && tasksIn(summary, 'queued') > 0 ? await waitsFor(engine, batch) : undefined;
  const areInferred = tasksIn(summary, 'failed') > 0 && (await hasOnlyInferred(engine, batch));
  const steps = nextSteps(batch, summary, waits, engine.isShared, wasInterrupted, isAllSaved, areInferred);
  for (const line of steps) console.line(line);
  for (const question of await questionsOf(engine, batch, summary)) console.line(statusHint(question, batch.id));
  return exitCode;
}

/** What a resume also needs if a key holds up a batch with several accounts: no command keeps keys. */
function keyOptions({ pause, settings }: BatchRecord): string {
  const isKey = pause?.by === 'failure' && pauseOf(pause.failure.code)?.remedyAt === 'key';
  return isKey && settings.accounts !== undefined ? ` ${accountKeyOptions(settings)}` : '';
}

/** The option that raises the limit of the batch that was reached: without it, the batch would pause again at once. */
function limitOptions({ pause }: BatchRecord): string {
  const limit = pause?.by === 'failure' ? limitNamedIn(pause.failure) : undefined;
  if (limit?.of !== 'batch' || limit.lacks === 'price') return '';
  return limit.lacks === 'cost' ? ' --max-cost AMOUNT' : ' --max-submits N';
}

/** What the remaining takes of a batch at rest wait for. */
interface Waits {
  /** Rows of which the user picks a file. */
  readonly picks: readonly string[];
  readonly isHeld: boolean;
  /** Some of them wait for a row that is a draft. */
  readonly isForDraft: boolean;
}

/** This many of them say enough; reading all may take longer than anybody waits. */
const MOST_WAITING_READ = 1_000;
const PICKS_NAMED = 3;

async function waitsFor(engine: Engine, { id }: BatchRecord): Promise<Waits> {
  const picks = new Set<string>();
  const rows = new Set<string>();
  let isHeld = false;
  let read = 0;
  for await (const { awaitsPick, blockedBy, onHold } of engine.store.tasksByStatus(['queued'], id)) {
    if (blockedBy !== undefined) (awaitsPick === true ? picks : rows).add(blockedBy);
    isHeld ||= onHold === true;
    read += 1;
    if (read === MOST_WAITING_READ) break;
  }
  const drafts = await Promise.all([...rows].map((row) => engine.store.isDraft(id, row)));
  return { picks: [...picks], isHeld, isForDraft: drafts.includes(true) };
}

function pickSteps(id: string, picks: readonly string[]): string {
  const [first = ''] = picks;
  const named = picks.slice(0, PICKS_NAMED).map((row) => `“${visibleLine(row, 100)}”`);
  const more = picks.length > PICKS_NAMED ? ' and others' : '';
  // An id comes from the sheet, and the command goes into a shell.
  const row = /^[\w.-]+$/u.test(first) ? first : 'ROW';
  const pick = `nocturne review ${id} --row ${row} --take N --pick`;
  return `Rows wait for your pick of ${named.join(', ')}${more}. Pick a file, then continue: ${pick}; nocturne resume ${id}`;
}

function nextSteps(
  batch: BatchRecord,
  summary: BatchSummary,
  waits: Waits | undefined,
  isShared: boolean,
  wasInterrupted: boolean,
  isAllSaved: boolean,
  areInferred: boolean,
): readonly string[] {
  if (wasInterrupted && isShared) {
    const watch = `nocturne resume ${batch.id}`;
    return [`The workers continue it. Pause it with: nocturne pause ${batch.id}; watch it again with: ${watch}`];
  }
  if (wasInterrupted) {
    const kept = isAllSaved ? 'everything is kept' : 'not everything could be saved';
    return [`Interrupted; ${kept}. Continue with: nocturne resume ${batch.id}`];
  }
  const steps: string[] = [];
  if (undecided(summary) > 0) {
    steps.push(
      `See what is known about the rows that need you: nocturne evidence ${batch.id}`,
      `Settle them: nocturne resolve ${batch.id} --row ID (--adopt CODE | --resubmit | --write-off)`,
    );
  }
  // At rest, a row that still waits does so for the user.
  if (waits !== undefined && waits.picks.length > 0) steps.push(pickSteps(batch.id, waits.picks));
  if (waits !== undefined && (waits.isHeld || (waits.picks.length === 0 && !waits.isForDraft))) {
    const takes = count(tasksIn(summary, 'queued'), 'take');
    steps.push(`${takes} held, or waiting for a row that is. Release them with: nocturne release ${batch.id} --row ID`);
  }
  if (batch.state === 'paused') {
    // If the user paused it, nothing need be done first.
    const when = batch.pause?.by === 'user' && steps.length === 0 ? 'Continue' : 'Once that is done, continue';
    return [
      ...steps,
      `${when} with: nocturne resume ${batch.id}${isShared ? '' : keyOptions(batch)}${limitOptions(batch)}`,
    ];
  }
  if (summary.rows.draft > 0) {
    const others = waits?.isForDraft === true ? ', and rows that refer to one wait' : '';
    const drafts = count(summary.rows.draft, 'draft row');
    steps.push(`${drafts} not started${others}. Run in the window, or with: nocturne update ${batch.id}`);
  }
  if (tasksIn(summary, 'failed') > 0) {
    const retry = areInferred ? 'Ask the gateway again, for free,' : 'Retry what failed';
    steps.push(`${retry} with: nocturne retry ${batch.id} --failed`);
  }
  return steps;
}

/** The statuses that the profile leaves open, if they matter to the batch. */
export async function questionsOf(
  engine: Engine,
  batch: BatchRecord,
  summary: BatchSummary,
): Promise<readonly StatusQuestion[]> {
  const isOfInterest = !batch.settings.rehearsal && tasksIn(summary, 'failed') > 0;
  if (!isOfInterest) return [];
  const asked = accountsOf(batch.settings).map(async ({ name, profile }) =>
    statusQuestions(await engine.store.seenStatuses(batch.id, name), profile),
  );
  return (await Promise.all(asked)).flat();
}

/** Whether a retry of what failed pays for nothing: the gateway is only asked again. */
async function hasOnlyInferred(engine: Engine, { id }: BatchRecord): Promise<boolean> {
  for await (const task of engine.store.tasksByStatus(['failed'], id)) if (!isSuspectedFailure(task)) return false;
  return true;
}

async function listExceptions(console: Console, engine: Engine, batch: BatchRecord): Promise<void> {
  for (const status of ['failed', 'submit-unknown'] as const) {
    const page = await engine.views.rowPage(batch.id, {
      filter: { status: [status] },
      offset: 0,
      limit: EXCEPTIONS_SHOWN,
    });
    for (const row of page.rows) {
      const { failure } = row;
      if (failure === undefined || (status === 'submit-unknown' && (await settles(engine, batch.id, row.row))))
        continue;
      const { title } = FAILURE_POLICIES[failure.code];
      const isInferred = failure.suspected === true && status === 'failed';
      const remedy = isInferred ? domainWords.nights.retryInferred : remedyOf(failure.code, status);
      console.line(
        `row ${visibleLine(row.row, 40)} ${statusWord(status)}: ${title}: ${visibleLine(failure.message, 300)}\n    → ${remedy}`,
      );
    }
    if (page.total > page.rows.length) console.line(`and ${count(page.total - page.rows.length, 'more row')}.`);
  }
}

/** Whether nothing in a row with an unknown outcome waits for the user. */
async function settles(engine: Engine, batchId: string, rowId: string): Promise<boolean> {
  const tasks = await engine.store.tasksOfRow(batchId, rowId);
  return tasks.every((task) => task.status !== 'submit-unknown' || (settlesItself(task) && !isAskHeld(task)));
}
