import type { Engine } from '../engine/index.ts';
import type { BatchSummary } from '../shared/domain/task/batch-view.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { FAILURE_POLICIES, remedyOf, type Failure } from '../shared/domain/task/failure.ts';
import { haveSameContent } from '../shared/domain/files/outputs.ts';
import { statusQuestions, type StatusQuestion } from '../shared/domain/gateway/seen-status.ts';
import { TERMINAL_STATUSES } from '../shared/domain/task/task.ts';
import { visibleLine } from '../shared/domain/base/text.ts';
import type { Console } from './console.ts';
import {
  count,
  exitCodeOf,
  pauseText,
  standingWords,
  statusCounts,
  statusHint,
  summaryOf,
  tasksIn,
} from './describe.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { showProgress } from './progress-view.ts';
import { retryTeller } from './retry-teller.ts';

/** Exceptions that are listed one by one; the rest is in the results sheet. */
const EXCEPTIONS_SHOWN = 20;

/**
 * Lets a batch that was set going come to rest: shows its progress, writes the media folder's documents, sums up.
 * Ctrl-C ends it so that nothing is lost; a second one ends it at once, which loses nothing either, but leaves the
 * submits under way unknown.
 */
export async function runToRest(console: Console, engine: Engine, batchId: string): Promise<ExitCode> {
  const stopTelling = tellOfRows(console, engine, batchId);
  const finishDocuments = keepDocuments(engine, batchId);
  const stopProgress = showProgress(console, engine, batchId);
  const interrupted = interruption(console);
  const rest = await Promise.race([engine.settled(batchId), interrupted.happened]);
  const unsaved = rest === 'interrupted' ? await engine.quiesce() : [];
  stopProgress();
  stopTelling();
  interrupted.stopListening();
  const problem = await finishDocuments();
  if (problem !== undefined) console.problem(`The media folder’s documents could not be written: ${problem.message}`);
  const batch = rest === 'interrupted' ? engine.store.batch(batchId) : rest;
  if (batch === undefined) throw new Error(`The batch is gone: ${batchId}`);
  return sumUp(console, engine, batch, rest === 'interrupted', unsaved.length === 0);
}

/** Writes the folder's documents as soon as nothing is left but files that are asked for again, and at last. */
function keepDocuments(engine: Engine, batchId: string): () => Promise<Failure | undefined> {
  let written: Promise<unknown> = Promise.resolve();
  const stopListening = engine.onChange((change) => {
    if (change.kind !== 'task' || change.task.batchId !== batchId || !change.isAlmostDone) return;
    // What keeps it from being written is said at last, where it still does.
    written = written.then(() => engine.exportBatch(batchId));
  });
  return async () => {
    stopListening();
    await written;
    return engine.exportBatch(batchId);
  };
}

function sumUp(
  console: Console,
  engine: Engine,
  batch: BatchRecord,
  wasInterrupted: boolean,
  isAllSaved: boolean,
): ExitCode {
  const summary = summaryOf(engine.views, batch.id);
  const exitCode = wasInterrupted ? EXIT.interrupted : exitCodeOf(batch, summary);
  console.event('finished', {
    batch: batch.id,
    state: batch.state,
    ...(batch.pause === undefined ? {} : { pause: batch.pause }),
    tasks: summary.tasks,
    rows: summary.rows,
    submits: summary.submitsUsed,
    folder: batch.settings.folder,
    exitCode,
  });
  listExceptions(console, engine, batch);
  console.line();
  const standing = wasInterrupted ? 'Interrupted' : standingWords(batch, summary);
  console.line(`${visibleLine(batch.name, 200)}: ${standing} · ${statusCounts(summary)}`);
  if (summary.rows.invalid > 0) console.line(`${count(summary.rows.invalid, 'row')} could not run: see nocturne check`);
  const pause = pauseText(batch);
  if (pause !== undefined) console.problem(pause);
  console.line(`Folder: ${visibleLine(batch.settings.folder, 4096)}`);
  for (const line of nextSteps(batch, summary, wasInterrupted, isAllSaved)) console.line(line);
  for (const question of questionsOf(engine, batch, summary)) console.line(statusHint(question));
  return exitCode;
}

function nextSteps(
  batch: BatchRecord,
  summary: BatchSummary,
  wasInterrupted: boolean,
  isAllSaved: boolean,
): readonly string[] {
  if (wasInterrupted) {
    const kept = isAllSaved ? 'everything is kept' : 'not everything could be saved';
    return [`Interrupted; ${kept}. Continue with: nocturne resume ${batch.id}`];
  }
  if (batch.state === 'paused') return [`Once that is done, continue with: nocturne resume ${batch.id}`];
  const steps: string[] = [];
  if (tasksIn(summary, 'submit-unknown') > 0) {
    steps.push(
      `See what is known of the rows that wait for your word: nocturne evidence ${batch.id}`,
      `Settle them: nocturne resolve ${batch.id} --row ID (--adopt CODE | --resubmit | --write-off)`,
    );
  }
  if (tasksIn(summary, 'failed') > 0) steps.push(`Try what failed again with: nocturne retry ${batch.id} --failed`);
  return steps;
}

/** What the profile leaves open, where it matters to the batch. */
function questionsOf(engine: Engine, batch: BatchRecord, summary: BatchSummary): readonly StatusQuestion[] {
  const isOfInterest = !batch.settings.rehearsal && tasksIn(summary, 'failed') > 0;
  return isOfInterest ? statusQuestions(engine.store.seenStatuses(batch.id), batch.settings.profile) : [];
}

function listExceptions(console: Console, engine: Engine, batch: BatchRecord): void {
  for (const status of ['failed', 'submit-unknown'] as const) {
    const page = engine.views.rowPage(batch.id, { filter: { status: [status] }, offset: 0, limit: EXCEPTIONS_SHOWN });
    for (const row of page.rows) {
      const { failure } = row;
      if (failure === undefined) continue;
      const { title } = FAILURE_POLICIES[failure.code];
      const remedy = remedyOf(failure.code, status);
      console.line(
        `row ${visibleLine(row.row, 40)} ${status}: ${title}: ${visibleLine(failure.message, 300)}\n    → ${remedy}`,
      );
    }
    if (page.total > page.rows.length) console.line(`and ${count(page.total - page.rows.length, 'more row')}.`);
  }
}

/** With `--json`, an event for every row that comes to an end, waits for the user or has a file asked for again. */
function tellOfRows(console: Console, engine: Engine, batchId: string): () => void {
  let told: string | undefined;
  const tellOfRetry = retryTeller(console);
  return engine.onChange((change) => {
    if (change.kind === 'batch') {
      if (change.batch.id !== batchId) return;
      const trouble = engine.trouble(batchId);
      console.event('batch', {
        batch: batchId,
        state: change.batch.state,
        ...(trouble === undefined ? {} : { waitsFor: trouble.message }),
      });
      // Said once for each spell: the gateway is asked again and again, and the user needs to know only that.
      if (trouble !== undefined && told === undefined) {
        console.problem(
          trouble.code === 'OUTPUT_UNVERIFIABLE'
            ? `${visibleLine(trouble.message, 300)}\n    → Nocturne waits and continues automatically.`
            : `The gateway does not answer: ${visibleLine(trouble.message, 300)}\n    → Nocturne waits and continues automatically. Is the base URL right?`,
        );
      }
      told = trouble?.message;
      return;
    }
    if (change.kind === 'sheet') return;
    const { task } = change;
    if (task.batchId !== batchId) return;
    tellOfRetry(task);
    if (!TERMINAL_STATUSES.has(task.status) && task.status !== 'submit-unknown') return;
    if (task.status === 'done' && task.sameAddressAs !== undefined) {
      const rows = `${visibleLine(task.rowId, 60)} and ${visibleLine(task.sameAddressAs, 60)}`;
      console.problem(`warning: the gateway gave one address for rows ${rows}; one of the files may be the wrong one.`);
    }
    if (task.status === 'done' && haveSameContent(task.outputs)) {
      const row = visibleLine(task.rowId, 60);
      console.problem(`warning: the gateway gave the same file twice for row ${row}; one of its files may be missing.`);
    }
    console.event('task', {
      row: task.rowId,
      take: task.take,
      operation: task.operation,
      status: task.status,
      ...(task.superseded === undefined ? {} : { superseded: task.superseded }),
      ...(task.taskCode === undefined ? {} : { taskCode: task.taskCode }),
      files: task.outputs.flatMap((output) =>
        output.state === 'verified' && output.path !== undefined ? [output.path] : [],
      ),
      ...(task.failure === undefined ? {} : { failure: { code: task.failure.code, message: task.failure.message } }),
    });
  });
}

function interruption(console: Console): { readonly happened: Promise<'interrupted'>; stopListening(): void } {
  let listener = (): void => undefined;
  const happened = new Promise<'interrupted'>((resolve) => {
    let isSecond = false;
    listener = () => {
      if (isSecond) process.exit(EXIT.interrupted);
      isSecond = true;
      console.problem('Ending: waiting for the answers that are under way. Press Ctrl-C again to end at once.');
      resolve('interrupted');
    };
    process.on('SIGINT', listener);
    process.on('SIGTERM', listener);
  });
  return {
    happened,
    stopListening() {
      process.off('SIGINT', listener);
      process.off('SIGTERM', listener);
    },
  };
}
