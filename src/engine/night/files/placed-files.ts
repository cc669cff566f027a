/** Files of this computer that a row names: each is put where the gateway can read it before anything is paid. */
import path from 'node:path';
import { localFilesIn, withAddresses, type LocalFile } from '../../../shared/domain/cells/local-file.ts';
import type { LinkedField } from '../../../shared/domain/cells/reference.ts';
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import type { JsonObject } from '../../../shared/domain/base/json.ts';
import { assertNever, present } from '../../../shared/domain/base/result.ts';
import { operationOf } from '../../../shared/domain/operations/operations.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { FileAnswer, QueuedTask } from '../../ports.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import type { Night } from '../night.ts';

/** A body with the addresses of its files, or what happens to its task instead. */
export type PlacedBody =
  | { readonly kind: 'placed'; readonly body: Uint8Array; readonly links: readonly LinkedField[] }
  | { readonly kind: 'not-ready'; readonly event: TaskEvent };

/** A file that is on its way is looked at after this, if nothing was heard of it: whoever put it may have been killed. */
const LOOK_MS = 30_000;

/** Puts addresses in the places of files. What is not there yet holds back this task alone. */
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
  if (night.holdsKey(json)) return { kind: 'not-ready', event: { kind: 'reference-unresolved', failure: HOLDS_KEY } };
  return { kind: 'placed', body: new TextEncoder().encode(JSON.stringify(placed.body)), links: placed.links };
}

const HOLDS_KEY = failure(
  'LOCAL_FILE',
  'The address of a file contains your gateway key, so Nocturne does not send it on.',
);

function nameOf({ column, written }: LocalFile): string {
  return JSON.stringify([column, written]);
}

async function answerFor(night: Night, { record }: NightBatch, file: LocalFile): Promise<FileAnswer> {
  const { settings, sheetPath } = record;
  const place = settings.filesPlace;
  if (place === undefined || night.files === undefined) {
    const why = `“${file.column}” names a file of this computer, and no place was named to put it: nocturne resume BATCH --files-place FILE.`;
    return { kind: 'refused', failure: failure('LOCAL_FILE', why) };
  }
  const folder = sheetPath === undefined ? undefined : path.dirname(sheetPath);
  return night.files.addressOf({ file, place, folder });
}

/** What happens to a task of which not every file is there; undefined if all are. */
function awaits(night: Night, { task }: QueuedTask, answers: readonly FileAnswer[]): TaskEvent | undefined {
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
  void wakeAfter(night, task.id, coming);
  return { kind: 'file-awaited', dueAt: now + LOOK_MS };
}

/** Nobody waits for this at the end of a night: what is on its way goes on with the next one. */
async function wakeAfter(night: Night, taskId: number, coming: readonly Promise<void>[]): Promise<void> {
  await Promise.allSettled(coming);
  if (night.ending.aborted) return;
  try {
    await night.journal.record({ taskId, event: { kind: 'file-awaited', dueAt: night.clock.now() } });
    night.wake();
  } catch {
    // It is looked at again when it is due.
  }
}
