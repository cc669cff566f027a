import { listOf } from '../../shared/domain/base/result.ts';
import { settlesItself, type Task, type TaskStatus } from '../../shared/domain/task/task.ts';
import { present } from '../../shared/domain/base/result.ts';
import type { Fence } from '../ports/fleet.ts';
import type { NightBatch } from './batches/night-batch.ts';
import { interruptedAsk, isTrying } from './charges/asks.ts';
import { heedingClock } from './clock/clock-ahead.ts';
import type { Night } from './night.ts';
import { interruptedEntry } from './night-end.ts';
import type { Entry } from './task-journal.ts';

/** Others change the same tasks at the same time, but not for ever. */
const MOST_TRIES = 100;

export interface LeftOptions {
  /** Limits the tasks to these, if other processes look after the rest. */
  readonly isOf?: (task: Task) => boolean;
  /** Whether nobody is waiting any more for the answer to a request that was under way. */
  readonly isInterrupted?: (task: Task) => Promise<boolean>;
  readonly under?: Fence | undefined;
}

/** The entry that makes the outcome of a submit that nobody waits for unknown. */
export async function interrupted(night: Night, batch: NightBatch, task: Task, under?: Fence): Promise<Entry> {
  const isMore = isTrying(batch.record) || night.keyTrust.isRefuted(batch, batch.accountOf(task));
  const entry = interruptedEntry(task, night.clock.now(), isMore, await interruptedAsk(night, batch, task));
  return { ...entry, ...present({ under }) };
}

/**
 * The tasks of a batch that an earlier run, or another process, has left at the gateway or downloading. A submit that
 * nobody waits for becomes unknown (submit protocol, step 7).
 */
export async function leftInFlight(
  night: Night,
  batch: NightBatch,
  { isOf = () => true, isInterrupted = () => Promise.resolve(true), under }: LeftOptions = {},
): Promise<readonly Task[]> {
  const { store, clock, journal } = night;
  const { id: batchId } = batch;
  const entryOf = (task: Task): Promise<Entry> => interrupted(night, batch, task, under);
  for (let tries = 0, isAgain = true; isAgain; tries += 1) {
    if (tries === MOST_TRIES) throw new Error(`Requests of ${batchId} that were under way could not be settled.`);
    const left: Task[] = [];
    for (const task of await listOf(store.tasksByStatus(['submitting'], batchId)))
      if (isOf(task) && (await isInterrupted(task))) left.push(task);
    const recorded = left.length === 0 ? [] : await journal.recordNow(await Promise.all(left.map(entryOf)));
    // Somebody recorded the user's word at the same time, or a late answer written with it was refused by the store.
    isAgain = !journal.isClosed && recorded.some(({ kind }) => kind === 'stale' || kind === 'refused');
  }
  // A submit that is not interrupted is waited for: by this process, or by one that may still end without a word.
  const awaited: readonly TaskStatus[] = under === undefined ? [] : ['submitting'];
  const found = await listOf(store.tasksByStatus([...awaited, 'submit-unknown', 'rendering', 'downloading'], batchId));
  const inFlight = found.filter((task) => task.status !== 'submit-unknown' || settlesItself(task));
  return [...inFlight, ...(await store.watchedTasks(batchId))]
    .filter(isOf)
    .map((task) => heedingClock(task, clock.now()));
}
