/** The end of a night: what is still waited for, what could not be saved, and how that is said. */
import type { Task } from '../../shared/domain/task/task.ts';
import type { Clock, TaskStore } from '../ports.ts';
import type { Night } from './night.ts';
import type { Entry } from './task-journal.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';

/** What a night knew at its end, or waited for, and could not commit. */
export interface Unsaved {
  readonly batchId: string;
  readonly row: string;
  readonly take: number;
  /**
   * `submit`: the answer to a paid request; at the next start its outcome is unknown. `other`: what is asked for, or
   * fetched, once more at the next start.
   */
  readonly kind: 'submit' | 'other';
  /** Where the answer to the submit has come: to be adopted. */
  readonly taskCode?: string;
}

/** What is lost when the process ends now: entries that wait for the disk, and submits whose answer has not come. */
export function unsavedOf(
  waiting: readonly Entry[],
  active: readonly Task[],
  store: Pick<TaskStore, 'task'>,
): readonly Unsaved[] {
  const unsaved = new Map<number, Unsaved>();
  for (const task of active) {
    if (task.status === 'submitting') unsaved.set(task.id, { ...placeOf(task), kind: 'submit' });
  }
  for (const { taskId, event } of waiting) {
    const task = store.task(taskId);
    if (task === undefined) continue;
    const taskCode = 'taskCode' in event ? event.taskCode : undefined;
    const kind = task.status === 'submitting' ? 'submit' : (unsaved.get(taskId)?.kind ?? 'other');
    unsaved.set(taskId, { ...placeOf(task), kind, ...(taskCode === undefined ? {} : { taskCode }) });
  }
  return [...unsaved.values()];
}

function placeOf({ batchId, rowId, take }: Task): Pick<Unsaved, 'batchId' | 'row' | 'take'> {
  return { batchId, row: rowId, take };
}

/** A disk that refuses to take what is known is tried so long, again and again, */
const DISK_PATIENCE_MS = 20_000;
const DISK_RETRY_MS = 1_000;
/** and connections that do not close are waited for so long. */
const CLOSE_PATIENCE_MS = 5_000;
const LOOK_AROUND_MS = 20;

/**
 * Waits for the work that is under way and commits what it gives, no longer than `withinMs`. Gives what the disk refused,
 * and what did not come in time.
 * @param work What is under way; it takes itself out when it is done.
 */
export async function endNight(
  { clock, journal, active, store }: Night,
  work: ReadonlySet<Promise<void>>,
  closeGateways: () => Promise<void>,
  withinMs: number,
): Promise<readonly Unsaved[]> {
  const endBy = clock.monotonic() + withinMs;
  let refusedSince: number | undefined;
  while (work.size > 0 && clock.monotonic() < endBy) {
    journal.flush();
    // Nothing but the disk is waited for.
    const isDiskAlone = journal.isStoreFailed && journal.waiting.length >= work.size;
    refusedSince = isDiskAlone ? (refusedSince ?? clock.monotonic()) : undefined;
    if (refusedSince !== undefined && clock.monotonic() - refusedSince >= DISK_PATIENCE_MS) break;
    await within(clock, isDiskAlone ? DISK_RETRY_MS : LOOK_AROUND_MS, Promise.race(work));
  }
  journal.flush();
  const unsaved = unsavedOf(journal.waiting, active.all(), store);
  journal.close();
  await within(clock, CLOSE_PATIENCE_MS, closeGateways());
  return unsaved;
}

/** Waits for `work`, but no longer than this. Leaves no timer behind: it would keep the process from ending. */
async function within(clock: Clock, ms: number, work: Promise<void>): Promise<void> {
  let cancel = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    cancel = clock.setTimer(ms, resolve);
  });
  try {
    await Promise.race([work, passed]);
  } finally {
    cancel();
  }
}

/** Rows that are named one by one. */
const NAMED = 20;

/** What could not be saved at the end of a night and what that means, as lines for the user; none where all was. */
export function unsavedText(unsaved: readonly Unsaved[]): readonly string[] {
  if (unsaved.length === 0) return [];
  const submits = unsaved.filter(({ kind }) => kind === 'submit');
  const others = unsaved.length - submits.length;
  const lines = submits.slice(0, NAMED).map(({ row, take, taskCode }) => {
    const which = `Row ${visibleLine(row, 60)}, take ${take}`;
    return taskCode === undefined
      ? `${which}: its paid request has no answer that is saved. Next time it is shown as “outcome unknown”.`
      : `${which}: the gateway accepted it. Next time it is shown as “outcome unknown”: adopt task code ${visibleLine(taskCode, 300)}.`;
  });
  if (submits.length > NAMED) lines.push(`And ${submits.length - NAMED} more paid requests, likewise.`);
  if (others > 0) {
    lines.push(
      `${others} ${others === 1 ? 'result is' : 'results are'} asked for again next time; nothing of it is lost.`,
    );
  }
  return ['Not everything could be saved before Nocturne closed. Nothing is sent twice because of it.', ...lines];
}
