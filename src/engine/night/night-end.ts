/** The end of a night: what it still waits for, what could not be saved, and how the user learns of that. */
import { failure } from '../../shared/domain/base/failure.ts';
import { reason, say, type Reason } from '../../shared/domain/base/reason.ts';
import type { NextAsk } from '../../shared/domain/gateway/charges/asked-again.ts';
import type { Task } from '../../shared/domain/task/task.ts';
import type { Clock } from '../ports/base.ts';
import type { UnsavedWord } from './batches/night-batches.ts';
import type { Night } from './night.ts';
import type { Entry } from './task-journal.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { present } from '../../shared/domain/base/result.ts';

/** What a night knew or awaited at its end and could not commit. */
export type Unsaved = UnsavedTask | UnsavedWord | UnsavedWayBack;

/** The user ended an edit on its way, and the disk took none of that: the next start completes the edit. */
interface UnsavedWayBack {
  readonly kind: 'edit';
  readonly batchId: string;
  /** The batch's name. */
  readonly name: string;
}

interface UnsavedTask {
  readonly batchId: string;
  readonly row: string;
  readonly take: number;
  /**
   * `submit`: the answer to a paid request, whose outcome will be unknown at the next start. `other`: a poll or
   * download that the next start repeats.
   */
  readonly kind: 'submit' | 'other';
  /** The answer to the submit, if it has come: for the user to adopt. */
  readonly taskCode?: string;
}

/**
 * What is lost if the process ends now: entries that are not committed, and submits whose answer has not come.
 * @param all The tasks of both, and maybe others.
 */
function unsavedOf(
  entries: readonly Entry[],
  all: readonly Task[],
  isAwaited: (task: Task) => boolean,
): readonly UnsavedTask[] {
  const unsaved = new Map<number, UnsavedTask>();
  for (const task of all) {
    if (isAwaited(task)) unsaved.set(task.id, { ...placeOf(task), kind: 'submit' });
  }
  const tasks = new Map(all.map((task) => [task.id, task]));
  for (const { taskId, event, asRead } of entries) {
    const task = tasks.get(taskId) ?? asRead;
    if (task === undefined) continue;
    const taskCode = 'taskCode' in event ? event.taskCode : undefined;
    const isSubmit = task.status === 'submitting' || event.kind === 'code-offered';
    const kind = isSubmit ? 'submit' : (unsaved.get(taskId)?.kind ?? 'other');
    unsaved.set(taskId, { ...placeOf(task), kind, ...present({ taskCode }) });
  }
  return [...unsaved.values()];
}

function placeOf({ batchId, rowId, take }: Task): Pick<UnsavedTask, 'batchId' | 'row' | 'take'> {
  return { batchId, row: rowId, take };
}

/** How long a disk that refuses data is tried, again and again. */
const DISK_PATIENCE_MS = 20_000;
const DISK_RETRY_MS = 1_000;
/** How long to wait for connections that do not close. */
const CLOSE_PATIENCE_MS = 5_000;
/** How long to wait for a commit that does not come to its end. */
const COMMIT_PATIENCE_MS = 5_000;
/** How long to wait for a store that does not answer. */
const READ_PATIENCE_MS = 2_000;
const LOOK_AROUND_MS = 20;

/**
 * Waits for the work under way and commits its results, for at most `withinMs`. Returns what the disk refused and what
 * did not come in time.
 * @param work The work under way; each item removes itself when it is done.
 */
export async function endNight(
  { clock, journal, active, store, batches }: Night,
  work: ReadonlySet<Promise<void>>,
  closeGateways: () => Promise<void>,
  withinMs: number,
): Promise<readonly Unsaved[]> {
  const endBy = clock.monotonic() + withinMs;
  // Another process may wait for the answer to any other request.
  const isAwaited = (task: Task): boolean => task.status === 'submitting' && batches.awaits(task);
  let refusedSince: number | undefined;
  while (work.size > 0 && clock.monotonic() < endBy) {
    journal.flush();
    // Only the disk is left to wait for, and no answer that was paid for.
    const isDiskAlone =
      journal.isStoreFailed &&
      journal.waiting.length >= work.size &&
      !isAnswerAwaited(batches.unanswered(), journal.unsaved);
    refusedSince = isDiskAlone ? (refusedSince ?? clock.monotonic()) : undefined;
    if (refusedSince !== undefined && clock.monotonic() - refusedSince >= DISK_PATIENCE_MS) break;
    await within(clock, isDiskAlone ? DISK_RETRY_MS : LOOK_AROUND_MS, Promise.race(work));
  }
  await storeWords(clock, batches, Math.min(endBy, (refusedSince ?? clock.monotonic()) + DISK_PATIENCE_MS));
  // An answer that comes in the meantime is still saved.
  await within(clock, CLOSE_PATIENCE_MS, closeGateways());
  journal.flush();
  await within(clock, COMMIT_PATIENCE_MS, journal.settled);
  journal.close();
  const concerned = [...journal.unsaved.map(({ taskId }) => taskId), ...batches.unanswered().keys()];
  const others = [...new Set(concerned)].filter((id) => active.get(id) === undefined);
  // What was paid for is in memory, whatever happens to the store.
  let known: readonly Task[] = [];
  const reading = others.length === 0 ? undefined : store.tasks(others).then((tasks) => void (known = tasks));
  await within(
    clock,
    READ_PATIENCE_MS,
    reading?.catch(() => undefined),
  );
  return [...unsavedOf(journal.unsaved, [...known, ...active.all()], isAwaited), ...batches.unsavedWords()];
}

/** True while an answer to one of these submits is still to come. */
function isAnswerAwaited(unanswered: ReadonlyMap<number, number>, entries: readonly Entry[]): boolean {
  const answered = new Set(entries.map(({ taskId }) => taskId));
  return [...unanswered.keys()].some((id) => !answered.has(id));
}

/** Tries until `giveUpAt` to store what the user has said and the disk has refused. */
async function storeWords(clock: Clock, batches: Night['batches'], giveUpAt: number): Promise<void> {
  for (;;) {
    await within(clock, COMMIT_PATIENCE_MS, batches.storeLeft());
    if (batches.unsavedWords().length === 0 || clock.monotonic() >= giveUpAt) return;
    await new Promise<void>((resolve) => clock.setTimer(DISK_RETRY_MS, resolve));
  }
}

/** Waits for `work`, but no longer than this. Leaves no timer behind: it would keep the process from ending. */
export async function within(clock: Clock, ms: number, work: Promise<void> | undefined): Promise<void> {
  if (work === undefined) return;
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

/** How many rows are listed one by one. */
const NAMED = 20;

/** What could not be saved at the end of a night and what that means, as lines for the user; none if everything was. */
export function unsavedText(unsaved: readonly Unsaved[]): readonly string[] {
  if (unsaved.length === 0) return [];
  const words = unsaved.filter((one) => 'name' in one);
  const tasks = unsaved.filter((one) => 'row' in one);
  const submits = tasks.filter(({ kind }) => kind === 'submit');
  const others = tasks.length - submits.length;
  const lines = submits.slice(0, NAMED).map(({ row, take, taskCode }) => {
    const name = visibleLine(row, 60);
    if (taskCode === undefined) return reason('unsaved.submit', name, take);
    return reason('unsaved.accepted', name, take, visibleLine(taskCode, 300));
  });
  if (submits.length > NAMED) lines.push(reason('unsaved.moreSubmits', submits.length - NAMED));
  if (others > 0) lines.push(reason('unsaved.results', others));
  return [reason('unsaved.heading'), ...words.map(wordText), ...lines].map(say);
}

function wordText({ kind, name }: UnsavedWord | UnsavedWayBack): Reason {
  return reason(`unsaved.${kind}`, visibleLine(name, 60));
}

/**
 * For a submit that was under way when an earlier night ended and whose answer nobody waits for; it may be sent again.
 * @param isMore Its batch tries keys, or its gateway charges twice: sent again, it may have been charged once more.
 */
export function interruptedEntry(task: Task, now: number, isMore: boolean, again?: NextAsk): Entry {
  // The code's own title says what is not known.
  const why = failure('SUBMIT_OUTCOME_UNKNOWN', reason('nocturneEnded'));
  const more = isMore && task.again !== undefined ? { isChargedAgain: true as const } : {};
  // A request that was accepted before was sent again only to try the keys of its gateway.
  if (task.again?.isAccepted === true && task.taskCode !== undefined) {
    const event = { kind: 'accepted', taskCode: task.taskCode, dueAt: now } as const;
    return { taskId: task.id, event, closeAttempt: { answeredAt: now, outcome: 'accepted', ...more } };
  }
  return {
    taskId: task.id,
    event: { kind: 'outcome-unknown', failure: why, ...present({ again }) },
    closeAttempt: { answeredAt: now, outcome: 'interrupted', ...more },
  };
}
