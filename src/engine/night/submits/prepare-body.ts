import { resolveBody, type SourceOf } from '../../../shared/domain/cells/cell-language.ts';
import { hasUnsendable } from '../../../shared/domain/sheet/check-row.ts';
import { failure, type Failure } from '../../../shared/domain/base/failure.ts';
import { reason } from '../../../shared/domain/base/reason.ts';
import type { Json, JsonObject } from '../../../shared/domain/base/json.ts';
import { operationOf } from '../../../shared/domain/operations/operations.ts';
import {
  rowsOfTasks,
  rowsReferredTo,
  type LinkedField,
  type ReferenceSource,
} from '../../../shared/domain/cells/reference.ts';
import type { Task } from '../../../shared/domain/task/task.ts';
import { mayFollow } from '../../../shared/domain/task/task-machine.ts';
import type { TaskEvent } from '../../../shared/domain/task/task-event.ts';
import type { QueuedTask } from '../../ports/task-store.ts';
import type { TaskRevision } from '../../ports/task-change.ts';
import { rowsWithAddresses, referenceSourceOf, rowSource, withPick } from '../row-source.ts';
import { placePictures } from '../files/made-pictures.ts';
import { placeFiles } from '../files/placed-files.ts';
import type { Night } from '../night.ts';
import type { Profile } from '../../../shared/domain/gateway/profile.ts';
import type { NightAccount } from '../batches/night-account.ts';
import type { NightBatch } from '../batches/night-batch.ts';
import { encodeRequestBody } from '../../request-body.ts';
import { dependenceOf, linkEvent } from '../row-links.ts';

/** The exact bytes to send for a task, or what happens to it instead. */
export type PreparedBody =
  | { readonly kind: 'ready'; readonly body: Uint8Array; readonly basis: readonly TaskRevision[] }
  | { readonly kind: 'not-ready'; readonly event: TaskEvent }
  /** Nocturne asks the gateway again for what another row gave long ago; then it is this task's turn again. */
  | { readonly kind: 'asking' };

/**
 * Inserts the addresses of files, and what other rows gave, into the body of a task. Called right before its intent is
 * committed, so that what is frozen is what is sent; checks once more that the other rows are done, because one of
 * their takes may be running again.
 */
export async function prepareBody(
  night: Night,
  batch: NightBatch,
  queued: QueuedTask,
  account: NightAccount,
): Promise<PreparedBody> {
  const { task } = queued;
  const { profile } = account;
  const placed = await placeFiles(night, batch, queued);
  if (placed.kind === 'not-ready') return placed;
  const { body, links } = placed;
  if (links.length === 0) return { kind: 'ready', body: encodeRequestBody(profile, body), basis: [] };
  const done = new Map<string, Task>();
  const picks = new Map<string, number>();
  const basis: TaskRevision[] = [];
  const dependence = await dependenceOf(links, async (rowId) => {
    const source = await rowSource(night.store, task.batchId, rowId, night.isAwaited);
    if (source.kind === 'done') {
      done.set(rowId, source.task);
      if (source.picked !== undefined) picks.set(rowId, source.picked);
      basis.push(...source.basis);
    }
    return source;
  });
  const event = linkEvent(task, dependence);
  if (event !== undefined) return { kind: 'not-ready', event };
  const elsewhere = madeElsewhere(batch, account, links, done);
  if (elsewhere !== undefined) {
    // Another take was picked since: the task goes where that take was made, unless it was already sent.
    const to = dependence.kind === 'free' ? dependence.account : undefined;
    if (to === undefined || !mayFollow(task, to)) return unresolved(elsewhere);
    return { kind: 'not-ready', event: { kind: 'unblocked', account: to } };
  }
  const made = await placePictures(night, batch, { task, body, links }, { done, picks });
  if (made.kind === 'not-ready') return made;
  const sources = await sourcesOf(night, batch, links, done, picks);
  if (sources === undefined) return { kind: 'asking' };
  const { pictures } = made;
  const sourceOf: SourceOf = (rowId) => {
    const source = sources.get(rowId);
    return source && { ...source, pictures };
  };
  return resolved(night, profile, { task, body, links }, sourceOf, basis);
}

/** Why the gateway would not know a task that these fields name: it was made with another account. */
function madeElsewhere(
  batch: NightBatch,
  { name = '', lane }: NightAccount,
  links: readonly LinkedField[],
  done: ReadonlyMap<string, Task>,
): Failure | undefined {
  for (const row of rowsOfTasks(links)) {
    const task = done.get(row);
    const maker = task && batch.accountOf(task);
    // Two accounts of one gateway and key have the same tasks.
    if (maker === undefined || maker.lane === lane) continue;
    const why = reason('otherAccount', row, maker.name ?? '', name);
    return failure('DEPENDENCY_FAILED', why, { row });
  }
  return undefined;
}

/** What each of these rows gives; undefined while Nocturne asks the gateway for some of it. */
async function sourcesOf(
  night: Night,
  batch: NightBatch,
  links: readonly LinkedField[],
  done: ReadonlyMap<string, Task>,
  picks: ReadonlyMap<string, number>,
): Promise<ReadonlyMap<string, ReferenceSource> | undefined> {
  const expiring = rowsWithAddresses(links);
  const sources = new Map<string, ReferenceSource>();
  for (const [rowId, task] of done) {
    const source = expiring.has(rowId)
      ? await night.freshSourceOf(batch, task)
      : await referenceSourceOf(night.store, batch.accountOf(task).gateway, task);
    if (source !== undefined) sources.set(rowId, withPick(source, task, picks.get(rowId)));
  }
  return sources.size === done.size ? sources : undefined;
}

function resolved(
  night: Night,
  profile: Profile,
  { task, body: written, links }: QueuedTask,
  sourceOf: SourceOf,
  basis: readonly TaskRevision[],
): PreparedBody {
  const asWritten = JSON.parse(new TextDecoder().decode(written)) as JsonObject;
  const body = resolveBody(operationOf(task.operation), asWritten, links, sourceOf);
  if (!body.ok) return unresolved(failure('DEPENDENCY_FAILED', body.error.message, { row: body.error.row }));
  const json = JSON.stringify(body.value);
  if (night.holdsKey(json)) return unresolved(unsendable(links, 'givesKey'));
  if (textsIn(body.value).some(hasUnsendable)) {
    return unresolved(unsendable(links, 'givesUnsendable'));
  }
  return { kind: 'ready', body: encodeRequestBody(profile, new TextEncoder().encode(json)), basis };
}

function unresolved(why: Failure): PreparedBody {
  return { kind: 'not-ready', event: { kind: 'reference-unresolved', failure: why } };
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? (Object.values(value) as readonly Json[]).flatMap(textsIn) : [];
}

function unsendable(links: readonly LinkedField[], why: 'givesKey' | 'givesUnsendable'): Failure {
  const rows = rowsReferredTo(links);
  const named = rows.map((row) => `“${row}”`).join(', ');
  return failure('DEPENDENCY_FAILED', reason(why, named, rows.length === 1));
}
