import { countText } from '../base/text.ts';
import type { BatchPause, BatchState } from './batch.ts';
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
  /** How many of those with an unknown outcome settle themselves; absent if none does. */
  readonly settling?: number | undefined;
  /** Rows by status. */
  readonly rows: Readonly<Record<RowViewStatus, number>>;
  /** Until when it waits for its schedule, in words; absent if it does not. */
  readonly waitsUntil?: string | undefined;
}

/** Takes with an unknown outcome that wait for the user's decision: all but those that settle themselves. */
export function undecidedIn({ takes, settling = 0 }: Pick<StandingFacts, 'takes' | 'settling'>): number {
  return Math.max(0, takes['submit-unknown'] - settling);
}

/** How a batch stands, in the same words wherever a batch is named, in the window and on the command line. */
export function batchStanding({ state, pause, takes, settling, rows, waitsUntil }: StandingFacts): BatchStanding {
  const isInNeed = state === 'paused' && (pause?.by === 'failure' || pause?.disk !== undefined);
  // At rest, what still waits does so for the user: its row is held, or one that it refers to needs them.
  const isLeftWaiting = state === 'finished' && takes.queued > 0;
  const needsYou = undecidedIn({ takes, settling }) > 0 || isInNeed || isLeftWaiting;
  const isWaiting = state === 'running' && waitsUntil !== undefined;
  const word = isWaiting ? `Waits until ${waitsUntil}` : STATE_WORDS[state];
  if (state !== 'ready' && needsYou) return { tone: 'needs-you', words: `${word} – needs you` };
  switch (state) {
    case 'ready':
    case 'running':
    case 'paused':
      return { tone: isWaiting ? 'ready' : state, words: word };
    case 'finished': {
      // The user cancelled these takes, some or all that were left; the words say how many.
      const cancelled = takes.cancelled > 0 ? `, ${countText(takes.cancelled)} cancelled` : '';
      if (takes.failed > 0) return { tone: 'failed', words: `${word}, ${countText(takes.failed)} failed${cancelled}` };
      if (takes.cancelled > 0) return { tone: 'cancelled', words: `${word}${cancelled}` };
      if (rows.invalid > 0) return { tone: 'failed', words: `${word}, ${countText(rows.invalid)} invalid` };
      return { tone: 'done', words: word };
    }
  }
}

const STATE_WORDS: Readonly<Record<BatchState, string>> = {
  ready: 'Ready',
  running: 'Running',
  paused: 'Paused',
  finished: 'Finished',
};
