import { outputIdOf } from '../../shared/domain/batch-view.ts';
import { assertNever } from '../../shared/domain/result.ts';
import { MAX_DOWNLOAD_TRIES, retryDelayMs } from '../../shared/domain/retry.ts';
import type { Output, Task } from '../../shared/domain/task.ts';
import type { TaskEvent } from '../../shared/domain/task-machine.ts';
import type { FetchOutcome, OutputJournal, Placement } from '../ports.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './night-batch.ts';
import { stemFor } from './output-name.ts';

/** A rendering that turned out not to be finished is asked about again after this long. */
const NOT_READY_MS = 10_000;
/** After the disk failed, the download is tried again when the batch goes on, not sooner than this. */
const DISK_RETRY_MS = 5_000;

/** The commit was lost (the task was cancelled, or the disk refuses): the download has to stop. */
class JournalLost extends Error {}

/** Fetches or writes one output of a task, verifies and places it, and records what became of it. */
export async function fetchOutput(
  night: Night,
  batch: NightBatch,
  task: Task,
  output: Output,
  signal: AbortSignal,
): Promise<void> {
  batch.downloads += 1;
  try {
    const outcome = await carryOut(night, batch, task, output, signal);
    const event = eventOf(night, task, output, outcome);
    if (event !== undefined) await night.journal.record({ taskId: task.id, event });
    if (outcome.kind === 'disk-failed') night.pause(batch, outcome.failure);
  } catch (error) {
    if (!(error instanceof JournalLost)) throw error;
  } finally {
    batch.downloads -= 1;
  }
  night.wake();
}

async function carryOut(
  night: Night,
  batch: NightBatch,
  task: Task,
  output: Output,
  signal: AbortSignal,
): Promise<FetchOutcome> {
  const placement = placementOf(output);
  const request = {
    outputId: outputIdOf(task.id, output.index),
    folder: batch.record.settings.folder,
    kind: task.kind,
    stem: stemFor(night.store, batch.record, task, output),
    generation: output.generation,
    ...(placement === undefined ? {} : { placement }),
  };
  const journal = journalOf(night, task, output);
  if (output.document !== undefined) {
    return night.folder.writeDocument({ ...request, document: output.document }, journal);
  }
  const validator = output.validator === undefined ? {} : { validator: output.validator };
  return night.folder.fetch({ ...request, ...validator, url: output.url ?? '' }, batch.profile, journal, signal);
}

function journalOf(night: Night, task: Task, output: Output): OutputJournal {
  const { index } = output;
  const record = async (event: TaskEvent): Promise<'committed' | 'path-taken'> => {
    const recorded = await night.journal.record({ taskId: task.id, event });
    if (recorded.kind === 'committed' || recorded.kind === 'path-taken') return recorded.kind;
    throw new JournalLost(recorded.kind);
  };
  return {
    async generationStarted(generation, validator) {
      await record({ kind: 'output-started', index, generation, validator });
    },
    async placing(placement) {
      return (await record({ kind: 'output-placing', index, placement })) === 'committed';
    },
  };
}

/** Where a former run was about to place it. */
function placementOf(output: Output): Placement | undefined {
  const { path, sha256, bytes, mediaType } = output;
  if (output.state !== 'placing') return undefined;
  if (path === undefined || sha256 === undefined || bytes === undefined || mediaType === undefined) return undefined;
  return { path, sha256, bytes, mediaType };
}

function eventOf(night: Night, task: Task, output: Output, outcome: FetchOutcome): TaskEvent | undefined {
  const now = night.clock.now();
  const { index } = output;
  const isLastTry = output.tries + 1 >= MAX_DOWNLOAD_TRIES;
  // What was found by inference alone and is no whole file yet is a rendering that still runs.
  const isNotReady = task.provisional && (outcome.kind === 'download-failed' || outcome.kind === 'unverifiable');
  if (isNotReady && !isLastTry) {
    return { kind: 'url-expired', index, failure: outcome.failure, dueAt: now + NOT_READY_MS };
  }
  switch (outcome.kind) {
    case 'verified':
      return { kind: 'output-verified', index, placement: outcome.placement };
    case 'url-expired':
      return isLastTry
        ? { kind: 'download-given-up', index, failure: outcome.failure }
        : { kind: 'url-expired', index, failure: outcome.failure, dueAt: now + askAgainMs(output) };
    case 'download-failed': {
      if (isLastTry) return { kind: 'download-given-up', index, failure: outcome.failure };
      const dueAt = now + retryDelayMs(outcome.retryAfterMs, output.tries + 1, night.random.next());
      return { kind: 'download-failed', index, failure: outcome.failure, dueAt };
    }
    case 'unverifiable': {
      const path = outcome.path === undefined ? {} : { path: outcome.path };
      return { kind: 'unverifiable', index, failure: outcome.failure, ...path };
    }
    case 'disk-failed':
      return { kind: 'download-held', failure: outcome.failure, dueAt: now + DISK_RETRY_MS };
    case 'interrupted':
      return undefined;
    default:
      return assertNever(outcome);
  }
}

/** The first time at once: the address was simply old. After that more slowly. */
function askAgainMs(output: Output): number {
  return output.tries === 0 ? 0 : Math.min(5_000 * output.tries, 30_000);
}
