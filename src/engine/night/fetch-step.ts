import { outputIdOf, parseOutputId, type Output, type Task, type TaskStatus } from '../../shared/domain/task/task.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import { assertNever, present } from '../../shared/domain/base/result.ts';
import { contentsOfOthers, isBelieved } from '../../shared/domain/task/outputs.ts';
import { downloadWaitMs, MAX_DOWNLOAD_TRIES, QUICK_DOWNLOAD_TRIES } from '../../shared/domain/gateway/retry.ts';
import { urlExpiresAt } from '../../shared/domain/gateway/media-url.ts';
import type { TaskEvent } from '../../shared/domain/task/task-event.ts';
import type { FetchOutcome, OutputJournal, Placement } from '../ports/media-folder.ts';
import type { NamingFacts, TaskStore } from '../ports/task-store.ts';
import type { LaneRight } from './lanes.ts';
import type { Night } from './night.ts';
import type { NightBatch } from './batches/night-batch.ts';
import type { Entry } from './task-journal.ts';
import { isReplaced, type BatchRecord, type BatchSettings } from '../../shared/domain/task/batch.ts';
import { localDate } from '../../shared/domain/base/text.ts';
import type { JsonObject } from '../../shared/domain/base/json.ts';
import { cellsWithSent, renderStem } from '../../shared/domain/files/naming.ts';

/** After a disk failure, the download is tried again when the batch continues, but no sooner than this. */
const DISK_RETRY_MS = 5_000;

/** The commit was lost (the task was cancelled, or the disk refused it): the download has to stop. */
class JournalLost extends Error {}

/** What a download is carried out with. */
export interface LandMeans {
  readonly signal: AbortSignal;
  /**
   * The right to the file, if several processes may fetch it: every write names it, and nothing is written once it is
   * over.
   */
  readonly right?: LaneRight;
  /** Who fetches the file, if that is one of several workers. */
  readonly by?: string;
  /** Whether a file that cannot be placed from here is left to other workers; nothing is noted then. */
  readonly passOn?: (why: Failure) => boolean;
}

/** Fetches or writes one output of a task, verifies and places it, and records the result. */
export async function landOutput(
  night: Night,
  batch: NightBatch,
  task: Task,
  output: Output,
  means: LandMeans,
): Promise<void> {
  const { right, by, passOn } = means;
  try {
    const { settings: before } = batch.record;
    const outcome = await carryOut(night, batch, task, output, means);
    // Asked again below: the user may resume in the meantime.
    const refused = (): Failure | undefined => refusalIn(outcome, before, batch.record.settings);
    const atFirst = refused();
    if (atFirst !== undefined && passOn?.(atFirst) === true) return;
    const event = eventOf(night, task, output, outcome, by);
    const recorded = event && (await night.journal.record({ taskId: task.id, event, ...entryOf(right) }));
    if (recorded?.kind === 'committed' && outcome.kind === 'verified')
      night.onFileVerified(batch, task.id, output.index);
    noteFile(night, batch, output, outcome);
    const why = refused();
    if (why !== undefined) night.batches.pause(batch, why);
  } catch (error) {
    if (!(error instanceof JournalLost)) throw error;
  }
  if (right?.isHeld() === false) await discardPart(night, batch, task, output);
}

/**
 * Why the disk refused a file; undefined if it was on its way into a folder in whose place the user has taken another
 * since.
 */
function refusalIn(outcome: FetchOutcome, before: BatchSettings, now: BatchSettings): Failure | undefined {
  if (outcome.kind !== 'disk-failed') return undefined;
  const isTaken = now.folderAccepted === true || now.folderIdentity !== before.folderIdentity;
  return isTaken && isReplaced(outcome.failure) ? undefined : outcome.failure;
}

/** Once a right that ends by itself is over here, nothing is written under it. */
function entryOf(right: LaneRight | undefined): Pick<Entry, 'under' | 'isWanted'> {
  return right === undefined ? {} : { isWanted: right.isHeld, ...present({ under: right.fence }) };
}

/**
 * The right is over, so the part is nobody's: whoever has the right now has a part of its own. A part that is whole may
 * still be placed.
 */
async function discardPart(
  { store, folder }: Night,
  { record }: NightBatch,
  task: Task,
  output: Output,
): Promise<void> {
  const newest = (await store.task(task.id))?.outputs.find(({ index }) => index === output.index);
  if (newest?.state === 'placing') return;
  const own = outputIdOf(task.id, output.index);
  await folder.sweep(record.settings.folder, (outputId, worker) => worker !== undefined || outputId !== own);
}

async function carryOut(
  night: Night,
  batch: NightBatch,
  task: Task,
  output: Output,
  { signal, right }: LandMeans,
): Promise<FetchOutcome> {
  // After a restart, or after the user resumes, no file goes into a folder that is not known to be the batch's.
  if (!batch.isFolderSeen) {
    const problem = await batch.prepareFolder(night.folder);
    // Nothing was paid for in the meantime.
    night.wake();
    if (problem !== undefined) return { kind: 'disk-failed', failure: problem };
  }
  const placement = placementOf(output);
  const stem = await stemFor(night.store, batch.record, task, output);
  // The task may have been cancelled, or the night may have ended.
  if (signal.aborted) return { kind: 'interrupted' };
  const request = {
    outputId: outputIdOf(task.id, output.index),
    folder: batch.record.settings.folder,
    kind: task.kind,
    stem,
    generation: output.generation,
    ...present({ placement }),
  };
  const journal = journalOf(night, task, output, entryOf(right));
  if (output.document !== undefined) {
    return night.folder.writeDocument({ ...request, document: output.document }, journal);
  }
  const { validator, kept = [], url = '' } = output;
  const others = contentsOfOthers(task, output);
  const source = { url, kept, others, ...present({ validator }) };
  return night.folder.fetch({ ...request, ...source }, batch.accountOf(task).profile, journal, signal);
}

function journalOf(night: Night, task: Task, output: Output, rights: Pick<Entry, 'under' | 'isWanted'>): OutputJournal {
  const { index } = output;
  const record = async (event: TaskEvent): Promise<'committed' | 'path-taken'> => {
    const recorded = await night.journal.record({ taskId: task.id, event, ...rights });
    if (recorded.kind === 'committed' || recorded.kind === 'path-taken') return recorded.kind;
    throw new JournalLost(recorded.kind);
  };
  return {
    async generationStarted(generation, validator) {
      await record({ kind: 'output-started', index, generation, validator });
    },
    async placing(placement, started) {
      return (await record({ kind: 'output-placing', index, placement, ...started })) === 'committed';
    },
  };
}

/** Where an earlier run was about to place the output. */
function placementOf(output: Output): Placement | undefined {
  const { path, sha256, bytes, mediaType, seconds } = output;
  if (output.state !== 'placing') return undefined;
  if (path === undefined || sha256 === undefined || bytes === undefined || mediaType === undefined) return undefined;
  return { path, sha256, bytes, mediaType, ...present({ seconds }) };
}

function eventOf(
  night: Night,
  task: Task,
  output: Output,
  outcome: FetchOutcome,
  by: string | undefined,
): TaskEvent | undefined {
  const { index } = output;
  switch (outcome.kind) {
    case 'verified':
      return { kind: 'output-verified', index, placement: outcome.placement, ...present({ by }) };
    case 'url-expired':
    case 'download-failed':
    case 'unverifiable':
      return isLastTry(task, output, outcome) ? givenUp(index, outcome) : triedAgain(night, output, outcome);
    case 'disk-failed':
      return { kind: 'download-held', failure: outcome.failure, dueAt: night.clock.now() + DISK_RETRY_MS };
    case 'interrupted':
      return undefined;
    default:
      return assertNever(outcome);
  }
}

/** A file that arrived says as much about the host as one that failed all its quick attempts. */
function noteFile(night: Night, batch: NightBatch, output: Output, outcome: FetchOutcome): void {
  if (outcome.kind === 'verified' && output.document === undefined) night.batches.noteFile(batch, undefined);
  else if ('failure' in outcome && outcome.kind !== 'disk-failed' && output.tries === QUICK_DOWNLOAD_TRIES) {
    night.batches.noteFile(batch, outcome.failure);
  }
}

type VainOutcome = Extract<FetchOutcome, { kind: 'url-expired' | 'download-failed' | 'unverifiable' }>;

function isLastTry(task: Task, output: Output, outcome: VainOutcome): boolean {
  if (output.tries + 1 >= MAX_DOWNLOAD_TRIES) return true;
  if (outcome.kind === 'url-expired') return false;
  if (outcome.kind === 'unverifiable' && outcome.isFinal === true) return true;
  return outcome.likeness !== undefined && isBelieved(task, output, outcome.likeness);
}

function givenUp(index: number, outcome: VainOutcome): TaskEvent {
  const { failure } = outcome;
  if (outcome.kind !== 'unverifiable') return { kind: 'download-given-up', index, failure };
  const { path, kept } = outcome;
  return {
    kind: 'unverifiable',
    index,
    failure,
    ...present({ path, kept }),
  };
}

function triedAgain(night: Night, output: Output, outcome: VainOutcome): TaskEvent {
  const { index } = output;
  const { failure } = outcome;
  const now = night.clock.now();
  const expiresAt = urlExpiresAt(output.url ?? '');
  const dueAt =
    now +
    downloadWaitMs(output.tries + 1, {
      retryAfterMs: outcome.kind === 'download-failed' ? outcome.retryAfterMs : undefined,
      expiresInMs: expiresAt === undefined ? undefined : expiresAt - now,
      random: night.random.next(),
    });
  if (outcome.kind === 'url-expired') {
    // At once the first time: the address was simply old.
    return { kind: 'url-expired', index, failure, dueAt: output.tries === 0 ? now : dueAt };
  }
  const likeness = outcome.likeness === undefined ? {} : { likeness: outcome.likeness };
  if (outcome.kind === 'download-failed') return { kind: 'download-failed', index, failure, dueAt, ...likeness };
  const kept = outcome.kept === undefined ? {} : { kept: outcome.kept };
  return { kind: 'unsound', index, failure, dueAt, ...likeness, ...kept };
}

/** The file name, without extension, of one output of a task: from the row's own template, or else from the batch's. */
async function stemFor(store: TaskStore, batch: BatchRecord, task: Task, output: Output): Promise<string> {
  const { row, rendered, sent } = await store.namingFacts(task);
  return renderStem(row?.filename ?? batch.settings.filename, {
    row: task.rowId,
    batch: batch.name,
    operation: task.operation,
    take: task.take,
    takes: row?.takes ?? 1,
    index: output.index,
    outputs: task.outputs.length,
    version: versionOf(task, rendered),
    // The evening's date for the whole batch: a file made after midnight belongs to the same night.
    date: localDate(batch.startedAt ?? batch.createdAt),
    taskCode: task.taskCode ?? '',
    model: task.model,
    // As the request was sent: the row may have been edited since, and does not hold what other rows gave.
    cells: cellsWithSent(row?.cells ?? {}, task.operation, sent === undefined ? {} : objectIn(sent)),
  });
}

function objectIn(body: Uint8Array): JsonObject {
  return JSON.parse(new TextDecoder().decode(body)) as JsonObject;
}

/**
 * Which of the row's contents a task was made for, counting only those that gave files: files made before the row was
 * changed keep their names. The newest task of each take belongs to the row's present content.
 */
function versionOf({ id: ownId, take: ownTake, superseded }: Task, rendered: NamingFacts['rendered']): number {
  if (superseded === true) {
    // Late files are counted after earlier ones, whichever content is older.
    return 1 + rendered.filter(({ id, take, hasFile }) => id !== ownId && take === ownTake && hasFile).length;
  }
  const earlier = new Map<number, number>();
  const newest = new Map<number, number>();
  for (const { id, take } of rendered) newest.set(take, Math.max(newest.get(take) ?? 0, id));
  for (const { id, take, hasFile } of rendered) {
    if (id < (newest.get(take) ?? 0) && hasFile) earlier.set(take, (earlier.get(take) ?? 0) + 1);
  }
  return 1 + Math.max(0, ...earlier.values());
}

/** A failed task may still be retried from its parts; tasks in these statuses never are. */
const ENDED_WITHOUT_PARTS: ReadonlySet<TaskStatus> = new Set<TaskStatus>(['done', 'queued']);

/**
 * Deletes what downloads of ended tasks left behind, and parts of workers that are gone: nobody continues those. A part
 * that fits no task of this store may belong to another store.
 */
export async function sweepParts({ store, folder, downloads }: Night, { record }: NightBatch): Promise<void> {
  const living = await downloads?.livingMarks();
  await folder.sweep(record.settings.folder, async (outputId, worker) => {
    if (worker === '' || (worker !== undefined && living?.has(worker) !== false)) return true;
    const named = parseOutputId(outputId);
    const task = named === undefined ? undefined : await store.task(named.taskId);
    // A part that is whole may still be placed.
    if (worker !== undefined) return task?.outputs.find(({ index }) => index === named?.index)?.state === 'placing';
    return task === undefined || !ENDED_WITHOUT_PARTS.has(task.status);
  });
}
