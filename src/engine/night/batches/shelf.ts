/** Puts batches away and brings them back. No batch that is at work is affected. */
import { isDeepStrictEqual } from 'node:util';
import { reason, say } from '../../../shared/domain/base/reason.ts';
import { deadlineMs, isPastDeadline } from '../../../shared/domain/task/next-action.ts';
import { accountNamed } from '../../../shared/domain/task/accounts/account.ts';
import { removableFrom, whyNotArchived, whyNotDeleted } from '../../../shared/domain/task/batch-standing.ts';
import type { BatchRecord, BatchSettings, Shelf } from '../../../shared/domain/task/batch.ts';
import type { BatchViews } from '../../../shared/domain/task/batch-view.ts';
import { FAMILIES } from '../../../shared/domain/operations/operations.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { TASK_STATUSES, type Task, type TaskStatus } from '../../../shared/domain/task/task.ts';
import type { TaskStore } from '../../ports/task-store.ts';
import type { SettingsChange } from './settings-changes.ts';

interface ShelfParts {
  readonly store: Pick<TaskStore, 'batches' | 'watchedTasks'>;
  readonly views: Pick<BatchViews, 'batchSummary'>;
  /** Changes the settings while nothing else changes or starts the batch. */
  readonly configure: (batchId: string, change: SettingsChange) => Promise<void>;
  /** See `Scheduler.overruleStarts`. */
  readonly overruleStarts: (batchId: string) => void;
}

/**
 * Whether Nocturne still asks about takes that seem to have failed or no longer count, but may still give something.
 */
export async function isStillAsked(
  store: Pick<TaskStore, 'watchedTasks'>,
  { id, settings }: Pick<BatchRecord, 'id' | 'settings'>,
  now: number,
): Promise<boolean> {
  const deadlineOf = ({ account }: Task): number => deadlineMs(accountNamed(settings, account).profile);
  return (await store.watchedTasks(id)).some((task) => !isPastDeadline(task, now, deadlineOf(task)));
}

/**
 * Archives a batch, or deletes it so that it can be brought back for a day. The error says why it stays, and what to
 * do. A kill loses nothing: the user's word is either in the batch's settings or it is not.
 */
export async function shelveBatch(
  parts: ShelfParts,
  batchId: string,
  shelf: Shelf & { readonly is: 'archived' | 'deleted' },
): Promise<Result<undefined, string>> {
  for (let looks = 1; ; looks += 1) {
    const shelved = await tryToShelve(parts, batchId, shelf, looks === MOST_LOOKS);
    if (shelved !== undefined) return shelved;
  }
}

/** A batch whose state the store cannot take never stands as it says. */
const MOST_LOOKS = 3;

/**
 * Undefined if the batch was started or paused after the look at its takes: something of it may be at the gateway now.
 * @param isLast Whether the look counts all the same.
 */
async function tryToShelve(
  { store, views, configure, overruleStarts }: ShelfParts,
  batchId: string,
  { is, at }: Shelf & { readonly is: 'archived' | 'deleted' },
  isLast: boolean,
): Promise<Result<undefined, string> | undefined> {
  const summary = await views.batchSummary(batchId);
  if (summary === undefined) return err(say(reason('noSuchBatch')));
  const { batch, tasks } = summary;
  const count = (status: TaskStatus): number => FAMILIES.reduce((sum, family) => sum + tasks[family][status], 0);
  const takes = Object.fromEntries(TASK_STATUSES.map((status) => [status, count(status)])) as Record<
    TaskStatus,
    number
  >;
  const isWatched = is === 'deleted' && (await isStillAsked(store, batch, at));
  let whyNot: string | undefined;
  let isOther = false;
  await configure(batchId, (now) => {
    // Only a running batch can start anything at the gateway: if it has not run since, the look at the takes counts.
    isOther = !isLast && !isDeepStrictEqual(standingOf(now), standingOf(batch));
    if (isOther) return undefined;
    const facts = { state: now.state, pause: now.pause, takes, rehearsal: now.settings.rehearsal, isWatched };
    whyNot = is === 'archived' ? whyNotArchived(facts) : whyNotDeleted(facts);
    if (whyNot !== undefined) return undefined;
    overruleStarts(batchId);
    return { ...now.settings, shelf: { is, at } };
  });
  if (isOther) return undefined;
  return whyNot === undefined ? ok(undefined) : err(whyNot);
}

function standingOf({ state, pause, resumedAt }: BatchRecord): unknown {
  return { state, pause, resumedAt };
}

/** The settings of a batch that is brought back; undefined if it was not put away. */
export function withoutShelf({ settings }: Pick<BatchRecord, 'settings'>): BatchSettings | undefined {
  const { shelf, ...others } = settings;
  return shelf === undefined ? undefined : others;
}

/** What removing deleted batches takes. */
interface RemovalParts extends Pick<ShelfParts, 'store' | 'configure'> {
  /** Hears why a batch could not be removed: the others are, and the next look tries this one again. */
  readonly onFailed: (error: unknown) => void;
}

/**
 * Removes what was deleted a day ago or earlier, each batch in a transaction of its own; returns the ids of the
 * batches.
 * @param remove Removes a batch that the night does nothing with; false if it does, or if the store has a reason
 *   against it.
 * @param isOlderCopy The store does not know what was said and paid since: whatever is deleted in it gets another day.
 */
export async function removeDeleted(
  parts: RemovalParts,
  remove: (batchId: string) => Promise<boolean>,
  now: number,
  isOlderCopy: boolean,
): Promise<readonly string[]> {
  const { store, configure, onFailed } = parts;
  const removed: string[] = [];
  for (const batch of await store.batches()) {
    const { id, settings } = batch;
    if (settings.shelf?.is !== 'deleted') continue;
    try {
      if (isOlderCopy) await configure(id, (one) => ({ ...one.settings, shelf: { is: 'deleted', at: now } }));
      else if ((removableFrom(settings.shelf) ?? Infinity) <= now && !(await isStillAsked(store, batch, now)))
        if (await remove(id)) removed.push(id);
    } catch (error) {
      onFailed(error);
    }
  }
  return removed;
}
