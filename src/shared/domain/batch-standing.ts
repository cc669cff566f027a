import { countText } from './count-text.ts';
import type { BatchPause, BatchState } from './batch.ts';
import type { RowViewStatus } from './row-status.ts';
import type { TaskStatus } from './task.ts';

/** How a batch stands, as it is shown: `done` alone is green, kept for nights of which every row came home. */
export type StandingTone = 'ready' | 'running' | 'paused' | 'needs-you' | 'failed' | 'stopped' | 'done';

export interface BatchStanding {
  readonly tone: StandingTone;
  /** On its own: `Running`, `Finished, 3 failed`, `Paused – needs you`. */
  readonly words: string;
}

export interface StandingFacts {
  readonly state: BatchState;
  readonly pause?: Pick<BatchPause, 'by'> | undefined;
  /** Takes by status. */
  readonly takes: Readonly<Record<TaskStatus, number>>;
  /** Rows by status. */
  readonly rows: Readonly<Record<RowViewStatus, number>>;
}

/** How a batch stands: the same words wherever a batch is named, in the window and on the command line. */
export function batchStanding({ state, pause, takes, rows }: StandingFacts): BatchStanding {
  const needsYou = takes['submit-unknown'] > 0 || (state === 'paused' && pause?.by === 'failure');
  const word = stateWord(state, takes);
  if (state !== 'ready' && needsYou) return { tone: 'needs-you', words: `${word} – needs you` };
  switch (state) {
    case 'ready':
    case 'running':
    case 'paused':
      return { tone: state, words: word };
    case 'finished': {
      if (takes.failed > 0) return { tone: 'failed', words: `${word}, ${countText(takes.failed)} failed` };
      if (takes.cancelled > 0) return { tone: 'stopped', words: word };
      if (rows.invalid > 0) return { tone: 'failed', words: `${word}, ${countText(rows.invalid)} invalid` };
      return { tone: 'done', words: word };
    }
  }
}

function stateWord(state: BatchState, takes: StandingFacts['takes']): string {
  switch (state) {
    case 'ready':
      return 'Ready';
    case 'running':
      return 'Running';
    case 'paused':
      return 'Paused';
    case 'finished':
      // Takes that the user cancelled were not rendered: that is another end than the one that was planned.
      return takes.cancelled > 0 ? 'Stopped' : 'Finished';
  }
}
