import { localTime } from '../shared/domain/base/text.ts';
import type { Engine } from '../engine/index.ts';
import type { BatchSummary } from '../shared/domain/task/batch-view.ts';
import { FAMILIES, type Family } from '../shared/domain/operations/operations.ts';
import { TASK_STATUSES } from '../shared/domain/task/task.ts';
import { liveLines, type Console } from './console.ts';
import { statusCounts, summaryOf, waitFact, waitText } from './describe.ts';

const REDRAW_MS = 200;
/** Without a terminal, prints a line now and then as a sign of life. */
const LINE_MS = 15_000;
const BAR_WIDTH = 28;

/**
 * Shows the progress of a batch: a bar per family on a terminal, a line now and then elsewhere, events with `--json`.
 */
export function showProgress(console: Console, engine: Engine, batchId: string): () => void {
  const linesLater = liveLines(console);
  let last = '';
  let isShowing = false;
  let isStopped = false;
  const show = async (): Promise<void> => {
    const summary = await summaryOf(engine.views, batchId);
    const end = await engine.expectedEnd(batchId);
    const waits = waitText(summary.batch);
    const lines = await linesLater;
    if (isStopped) return;
    if (lines !== undefined) console.live(progressLines(summary, end, waits).join('\n'), lines);
    const line = statusCounts(summary);
    const news = `${line} ${waits ?? ''}`;
    if (lines !== undefined || news === last) return;
    last = news;
    console.line(`${localTime(Date.now())}  ${line}${endText(end, waits)}`);
    console.event('progress', {
      batch: batchId,
      tasks: summary.tasks,
      ...(end === undefined ? {} : { expectedEnd: new Date(end).toISOString() }),
      ...waitFact(summary.batch, Date.now()),
    });
  };
  /** A store that cannot answer is reported at the end of the run: missing progress is no reason to end the run. */
  const look = (): void => {
    if (isShowing) return;
    isShowing = true;
    show()
      .catch(() => undefined)
      .finally(() => (isShowing = false));
  };
  const timer = setInterval(look, console.isTerminal ? REDRAW_MS : LINE_MS);
  look();
  return () => {
    isStopped = true;
    clearInterval(timer);
    console.clearLive();
  };
}

/** One bar for each family in use, and a line for all of them. Pure: returns the text only. */
export function progressLines(
  summary: BatchSummary,
  expectedEnd: number | undefined,
  waits?: string,
): readonly string[] {
  const used = FAMILIES.filter((family) => totalOf(summary, family) > 0);
  return [
    ...used.map((family) => {
      const total = totalOf(summary, family);
      const { done } = summary.tasks[family];
      return `${family.padEnd(11)} ${bar(done / total)} ${String(done).padStart(String(total).length)}/${total}`;
    }),
    `${statusCounts(summary)}${endText(expectedEnd, waits)}`,
  ];
}

function totalOf(summary: BatchSummary, family: Family): number {
  return TASK_STATUSES.reduce((sum, status) => sum + summary.tasks[family][status], 0);
}

function bar(share: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
}

function endText(end: number | undefined, waits: string | undefined): string {
  if (waits !== undefined) return ` · waits until ${waits}`;
  return end === undefined ? '' : ` · ends about ${localTime(end)}`;
}
