/** How far the night is, for places with little room: the tray, the taskbar and the dock. */
import { localTime } from '../../shared/domain/base/text.ts';
import { undecidedIn } from '../../shared/domain/task/batch-standing.ts';
import { finishesInPause, takesOf } from '../../shared/domain/telling/night-news.ts';
import type { BatchView } from '../../shared/ipc/batches.ts';
import { words } from '../../shared/words/words.ts';

/** `none`: nothing is shown. `error`: somebody is needed. */
export interface NightProgress {
  readonly mode: 'none' | 'normal' | 'paused' | 'error';
  /** From 0 to 1. */
  readonly fraction: number;
  /** Takes that have not ended. */
  readonly left: number;
  /** One line: `Rendering: 34 of 60 takes, until about 04:10`. */
  readonly text: string;
  /** Batches that can be paused, and those that the user paused. */
  readonly running: readonly string[];
  readonly paused: readonly string[];
}

/** Counts every batch that runs, or is paused and was not put away. */
export function nightProgress(batches: readonly BatchView[]): NightProgress {
  const open = batches.filter(({ state, shelf }) => state === 'running' || (state === 'paused' && shelf === undefined));
  const running = open.filter(({ state }) => state === 'running');
  const takes = open.map((batch) => takesOf(batch.counts));
  const all = takes.reduce((sum, one) => sum + Object.values(one).reduce((of, count) => of + count, 0), 0);
  const ended = takes.reduce((sum, { done, failed, cancelled }) => sum + done + failed + cancelled, 0);
  const needsSomeone = open.some(
    ({ pause, counts, settling }) =>
      pause?.by === 'failure' || pause?.disk !== undefined || undecidedIn({ takes: takesOf(counts), settling }) > 0,
  );
  const isGoingOn = open.some((batch) => finishesInPause({ ...batch, takes: takesOf(batch.counts) }));
  const ends = running.map(({ expectedEnd }) => expectedEnd);
  const end = ends.includes(undefined) ? undefined : Math.max(...ends.filter((at) => at !== undefined));
  const until = end === undefined || running.length === 0 ? undefined : localTime(end);
  const told = words.desktop.tray;
  const mode = open.length === 0 ? 'none' : needsSomeone ? 'error' : running.length > 0 ? 'normal' : 'paused';
  const waits = running.map(({ waitsUntil }) => waitsUntil);
  const opensAt = waits.includes(undefined) ? undefined : Math.min(...waits.filter((at) => at !== undefined));
  const atWork = opensAt === undefined ? told.rendering : told.waits(localTime(opensAt));
  const word = running.length > 0 ? atWork : isGoingOn ? told.finishing : told.paused;
  return {
    mode,
    fraction: all === 0 ? 0 : ended / all,
    left: all - ended,
    text: mode === 'none' ? told.idle : told.progress(word, ended, all, until, needsSomeone),
    running: running.map(({ id }) => id),
    paused: open.filter(({ state, pause }) => state === 'paused' && pause?.by === 'user').map(({ id }) => id),
  };
}
