/** Files of this computer that a row names: each is put where the gateway can read it before anything is paid. */
import path from 'node:path';
import { localFilesIn, withAddresses, type LocalFile } from '../../../shared/domain/cells/local-file.ts';
import type { LinkedField } from '../../../shared/domain/cells/reference.ts';
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import type { JsonObject } from '../../../shared/domain/base/json.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import { operationOf } from '../../../shared/domain/operations/operations.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { FileAnswer, MadePicture } from '../../ports/file-places.ts';
import type { QueuedTask } from '../../ports/task-store.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Night } from '../night.ts';

/** A body with the addresses of its files, or what happens to its task instead. */
export type PlacedBody =
  | { readonly kind: 'placed'; readonly body: Uint8Array; readonly links: readonly LinkedField[] }
  | { readonly kind: 'not-ready'; readonly event: TaskEvent };

/**
 * A file that is on its way is looked at after this time if nothing was heard of it: whoever was putting it may have
 * been killed. While this process waits for it, the time doubles with each look.
 */
const LOOK_MS = 30_000;
const MOST_LOOK_MS = 15 * 60_000;

/** For a task whose files are on their way: how the last look left it. */
interface Waiter {
  readonly coming: ReadonlySet<Promise<void>>;
  looks: number;
  revision: number;
  dueAt: number;
}

/** The waiters of a night, one for each task, by its id. */
const waitersOf = new WeakMap<Night, Map<number, Waiter>>();

/** Puts addresses in the place of files. What is not there yet holds back this task alone. */
export async function placeFiles(night: Night, batch: NightBatch, queued: QueuedTask): Promise<PlacedBody> {
  const { task, body: bytes, links } = queued;
  const operation = operationOf(task.operation);
  const asWritten: PlacedBody = { kind: 'placed', body: bytes, links };
  if (!operation.fields.some((field) => field.kind === 'leaf' && field.media !== undefined)) return asWritten;
  const body = JSON.parse(new TextDecoder().decode(bytes)) as JsonObject;
  const named = new Map(localFilesIn(operation, body, links).map((file) => [nameOf(file), file]));
  if (named.size === 0) return asWritten;
  const answers = new Map<string, FileAnswer>();
  for (const [name, file] of named) answers.set(name, await answerFor(night, batch, file));
  const event = awaits(night, queued, [...answers.values()]);
  if (event !== undefined) return { kind: 'not-ready', event };
  const placed = withAddresses(operation, body, links, (file) => {
    const answer = answers.get(nameOf(file));
    if (answer?.kind !== 'there') throw new Error(`No address of ${file.written}`);
    return answer.address;
  });
  const json = JSON.stringify(placed);
  if (night.holdsKey(json))
    return { kind: 'not-ready', event: { kind: 'reference-unresolved', failure: FILE_HOLDS_KEY } };
  return { kind: 'placed', body: new TextEncoder().encode(JSON.stringify(placed.body)), links: placed.links };
}

export const FILE_HOLDS_KEY = failure('LOCAL_FILE', reason('addressHoldsKey'));

function nameOf({ column, written }: LocalFile): string {
  return JSON.stringify([column, written]);
}

/** Where a gateway can read a file that a row names, or a picture that is made for the row. */
export async function answerFor(
  night: Night,
  { record }: NightBatch,
  file: LocalFile,
  picture?: MadePicture,
): Promise<FileAnswer> {
  const { settings, sheetPath } = record;
  const place = settings.filesPlace;
  if (place === undefined || night.files === undefined) {
    const why = reason('noFilesPlace', file.column, picture !== undefined);
    return { kind: 'refused', failure: failure('LOCAL_FILE', why) };
  }
  const folder = sheetPath === undefined ? undefined : path.dirname(sheetPath);
  return night.files.addressOf({ file, place, folder, ...present({ picture }) });
}

/** What happens to a task whose files are not all there; undefined if they are. */
export function awaits(night: Night, { task }: QueuedTask, answers: readonly FileAnswer[]): TaskEvent | undefined {
  const now = night.clock.now();
  const coming: Promise<void>[] = [];
  let waitMs = 0;
  let why: Failure | undefined;
  for (const answer of answers) {
    switch (answer.kind) {
      case 'there':
        break;
      case 'refused':
        return { kind: 'reference-unresolved', failure: answer.failure };
      case 'coming':
        coming.push(answer.arrived);
        break;
      case 'later':
        waitMs = Math.max(waitMs, answer.waitMs);
        why ??= answer.failure;
        break;
      default:
        assertNever(answer);
    }
  }
  if (waitMs > 0) return { kind: 'file-awaited', dueAt: now + waitMs, ...present({ failure: why }) };
  if (coming.length === 0) return undefined;
  return { kind: 'file-awaited', dueAt: waits(night, task, coming, now) };
}

/** Has a task looked at when its files have arrived, and in any case at the time that is returned. */
function waits(night: Night, { id, revision }: Task, coming: readonly Promise<void>[], now: number): number {
  const waiters = waitersOf.get(night) ?? new Map<number, Waiter>();
  waitersOf.set(night, waiters);
  const before = waiters.get(id);
  if (before !== undefined && coming.every((one) => before.coming.has(one))) {
    before.looks += 1;
    before.revision = revision;
    before.dueAt = now + Math.min(MOST_LOOK_MS, LOOK_MS * 2 ** before.looks);
    return before.dueAt;
  }
  const waiter: Waiter = { coming: new Set(coming), looks: 0, revision, dueAt: now + LOOK_MS };
  waiters.set(id, waiter);
  void wakeAfter(night, id, waiter, waiters);
  return waiter.dueAt;
}

/** Not waited for at the end of a night: what is on its way goes on with the next night. */
async function wakeAfter(night: Night, taskId: number, waiter: Waiter, waiters: Map<number, Waiter>): Promise<void> {
  await Promise.allSettled(waiter.coming);
  if (waiters.get(taskId) !== waiter) return;
  waiters.delete(taskId);
  if (night.ending.aborted) return;
  try {
    const asRead = await night.store.task(taskId);
    if (asRead === undefined || !isAsLeft(asRead, waiter)) return;
    const isWanted = (): boolean => night.active.get(taskId) === undefined;
    const event = { kind: 'file-awaited', dueAt: night.clock.now() } as const;
    await night.journal.record({ taskId, event, asRead, isWanted });
    night.wake();
  } catch {
    // It is looked at again when it is due.
  }
}

/** Whether nothing has happened to a task since it was looked at: otherwise, somebody else decides when it is due. */
function isAsLeft({ revision, dueAt }: Task, waiter: Waiter): boolean {
  // That look may be about to be committed.
  return revision === waiter.revision || (revision === waiter.revision + 1 && dueAt === waiter.dueAt);
}
