import { domainWords } from '../../words/domain-words.ts';
import { pauseOf, type FailureCode } from '../base/failure.ts';
import { assertNever, groupBy } from '../base/result.ts';
import type { BatchPause, BatchState, Shelf } from './batch.ts';
import type { RowViewStatus } from './row-status.ts';
import type { TaskStatus } from './task.ts';

/** How a batch stands, as the user sees it. Only `done` is green: it is for nights in which every row succeeded. */
export type StandingTone = 'ready' | 'running' | 'paused' | 'needs-you' | 'failed' | 'cancelled' | 'done';

export interface BatchStanding {
  readonly tone: StandingTone;
  /** The whole standing in words: `Running`, `Finished, 3 failed`, `Paused – needs you`. */
  readonly words: string;
}

export interface StandingFacts {
  readonly state: BatchState;
  readonly pause?: (Pick<BatchPause, 'by'> & { readonly disk?: unknown }) | undefined;
  /** Takes by status. */
  readonly takes: Readonly<Record<TaskStatus, number>>;
  /** How many of the takes with an unknown outcome settle themselves; absent if none does. */
  readonly settling?: number | undefined;
  /** Rows by status. */
  readonly rows: Readonly<Record<RowViewStatus, number>>;
  /** Until when the batch waits for its schedule, in words; absent if it does not. */
  readonly waitsUntil?: string | undefined;
}

/** Takes with an unknown outcome that wait for the user's decision: all except those that settle themselves. */
export function undecidedIn({ takes, settling = 0 }: Pick<StandingFacts, 'takes' | 'settling'>): number {
  return Math.max(0, takes['submit-unknown'] - settling);
}

/** How a batch stands, in the same words wherever a batch is named, in the window and on the command line. */
export function batchStanding({ state, pause, takes, settling, rows, waitsUntil }: StandingFacts): BatchStanding {
  const isInNeed = state === 'paused' && (pause?.by === 'failure' || pause?.disk !== undefined);
  // In a batch at rest, what still waits does so for the user: its row is held, or one that it refers to needs them.
  const isLeftWaiting = state === 'finished' && takes.queued > 0;
  const needsYou = undecidedIn({ takes, settling }) > 0 || isInNeed || isLeftWaiting;
  const isWaiting = state === 'running' && waitsUntil !== undefined;
  const told = domainWords.nights.standing;
  const word = isWaiting ? told.waitsUntil(waitsUntil) : told[state];
  if (state !== 'ready' && needsYou) return { tone: 'needs-you', words: told.needsYou(word) };
  switch (state) {
    case 'ready':
    case 'running':
    case 'paused':
      return { tone: isWaiting ? 'ready' : state, words: word };
    case 'finished':
      return finishedStanding(takes, rows);
  }
}

function finishedStanding({ failed, cancelled }: StandingFacts['takes'], rows: StandingFacts['rows']): BatchStanding {
  const told = domainWords.nights.standing;
  const { draft, invalid } = rows;
  const withDrafts = (words: string): string => (draft > 0 ? told.withDrafts(words, draft) : words);
  // The user cancelled these takes, some or all that were left; the words say how many.
  if (failed > 0) return { tone: 'failed', words: withDrafts(told.finishedWith(failed, cancelled)) };
  if (cancelled > 0) return { tone: 'cancelled', words: withDrafts(told.finishedWith(0, cancelled)) };
  if (invalid > 0) return { tone: 'failed', words: withDrafts(told.finishedInvalid(invalid)) };
  return { tone: draft > 0 ? 'ready' : 'done', words: withDrafts(told.finished) };
}

/**
 * Where a batch may be moved among those that run: before all others, back to where batches begin, or one step. A step
 * moves it out of its group of batches that take turns, or into the next group; the opposite step undoes it.
 */
export const QUEUE_MOVES = ['first', 'in-turn', 'up', 'down'] as const;
export type QueueMove = (typeof QUEUE_MOVES)[number];

/** Batches in the order of their turns: those of one rank have equal priority and take turns. */
export function queueRanks<B extends { readonly priority?: number | undefined }>(
  batches: readonly B[],
): readonly (readonly B[])[] {
  const inOrder = batches.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
  return [...groupBy(inOrder, ({ priority = 0 }) => priority).values()];
}

/**
 * The priority of a batch after a move: `own` is its present priority, `others` are those of all other batches, and
 * `running` those of the others that run.
 */
export function priorityAfterMove(
  to: QueueMove,
  own: number,
  { others, running }: { readonly others: readonly number[]; readonly running: readonly number[] },
): number {
  switch (to) {
    case 'first':
      return Math.max(0, ...others) + 1;
    case 'in-turn':
      return priorityInTurn(running);
    case 'up':
    case 'down':
      return steppedPriority(own, running, to);
    default:
      return assertNever(to);
  }
}

/**
 * The priority of a batch after a step from `own`, among the priorities of the others; unchanged at the end of the
 * queue.
 */
function steppedPriority(own: number, others: readonly number[], step: 'up' | 'down'): number {
  const way = step === 'up' ? 1 : -1;
  const ahead = others.filter((other) => (other - own) * way > 0);
  const next = ahead.length === 0 ? undefined : way * Math.min(...ahead.map((other) => other * way));
  if (!others.includes(own)) return next ?? own;
  return next === undefined ? own + way : (own + next) / 2;
}

/**
 * The priority of a batch that was not moved: it goes before none of those that run, even if all of them were moved
 * down.
 */
function priorityInTurn(running: readonly number[]): number {
  return running.length === 0 ? 0 : Math.min(0, Math.max(...running));
}

/** How long a deleted batch can be brought back: a day is long enough to notice. */
export const BRING_BACK_MS = 86_400_000;

/** When the rows of a batch may be removed from the store, in milliseconds since the epoch; undefined if they stay. */
export function removableFrom(shelf: Shelf | undefined): number | undefined {
  return shelf?.is === 'deleted' ? shelf.at + BRING_BACK_MS : undefined;
}

/** Statuses of takes that may have been paid for and have no file yet. */
export const AT_GATEWAY = ['submitting', 'rendering', 'downloading'] as const satisfies readonly TaskStatus[];

/** What decides whether a batch may be put away. */
export interface ShelfFacts {
  readonly state: BatchState;
  readonly pause?:
    | { readonly by: 'user' }
    | { readonly by: 'failure'; readonly failure: { readonly code: FailureCode } }
    | undefined;
}

/** Why a batch cannot be archived now, with what to do; undefined if it can. */
export function whyNotArchived({ state, pause }: ShelfFacts): string | undefined {
  if (state === 'running') return domainWords.nights.shelf.isRunning;
  // Nocturne keeps checking the folder, and would go on with a batch that nobody sees.
  const isByFolder = pause?.by === 'failure' && pauseOf(pause.failure.code)?.pauses === 'folder';
  return state === 'paused' && isByFolder ? domainWords.nights.shelf.goesOn : undefined;
}

/**
 * The same for deleting it: nothing that may have been paid for is forgotten before its outcome is known.
 * @param isWatched Nocturne still asks the gateway about takes that count as ended.
 */
export function whyNotDeleted(
  facts: ShelfFacts & Pick<StandingFacts, 'takes'> & { readonly rehearsal: boolean; readonly isWatched?: boolean },
): string | undefined {
  const { takes, rehearsal, isWatched } = facts;
  const whyNot = whyNotArchived(facts);
  // A rehearsal is free, and its gateway has ended with it.
  if (whyNot !== undefined || rehearsal) return whyNot;
  const unknown = takes['submit-unknown'];
  if (unknown > 0) return domainWords.nights.shelf.unknown(unknown);
  const sent = AT_GATEWAY.reduce((sum, status) => sum + takes[status], 0);
  if (sent > 0) return domainWords.nights.shelf.atGateway(sent);
  return isWatched === true ? domainWords.nights.shelf.isWatched : undefined;
}
