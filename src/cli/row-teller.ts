/** What a run prints on the way: rows that come to rest or wait, and a gateway that does not answer. */
import type { Engine } from '../engine/index.ts';
import { remedyOf, troubleTitle, type Failure } from '../shared/domain/base/failure.ts';
import { present } from '../shared/domain/base/result.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { MOST_OUTPUTS } from '../shared/domain/gateway/poll-answer.ts';
import { haveSameContent, isStuck } from '../shared/domain/task/outputs.ts';
import { settlesItself, TERMINAL_STATUSES, type Task } from '../shared/domain/task/task.ts';
import { localTime, visibleLine } from '../shared/domain/base/text.ts';
import type { Console } from './console.ts';
import { pauseText, stopTexts } from './describe.ts';

/** Only this many rows are listed one by one. */
const ROWS_TOLD = 20;
/** An outage that comes and goes, as one row's error does among the answers for others, is told of again after this. */
const OUTAGE_TOLD_AGAIN_MS = 30 * 60_000;

/** Reports files that are tried again in minutes or hours: to people, once per row and only for the first rows. */
export function retryTeller(console: Pick<Console, 'event' | 'line'>): (task: Task) => void {
  const toldOf = new Map<number, number>();
  return ({ id, rowId, take, status, outputs, failure, dueAt }) => {
    if (status !== 'downloading' || failure === undefined || !isStuck({ outputs })) return;
    const before = toldOf.get(id);
    if (before !== undefined && before >= dueAt) return;
    toldOf.set(id, dueAt);
    const { code, message } = failure;
    console.event('retry', { row: rowId, take, at: new Date(dueAt).toISOString(), failure: { code, message } });
    if (before !== undefined || toldOf.size > ROWS_TOLD) return;
    console.line(
      `row ${visibleLine(rowId, 40)}: trying again at ${localTime(dueAt)}: ${visibleLine(message, 300)}\n    → ${remedyOf(code, status)}`,
    );
  };
}

/**
 * With `--json`, an event for every row that rests, waits for the user or retries a file; for people, what to look at.
 */
export function tellOfRows(console: Console, engine: Engine, batchId: string): () => void {
  const tellOfBatch = batchTeller(console);
  const tellOfRetry = retryTeller(console);
  return engine.onChange((change) => {
    if (change.kind === 'batch' && change.batch.id === batchId)
      tellOfBatch(change.batch, engine.standing.trouble(batchId));
    if (change.kind !== 'task' || change.task.batchId !== batchId) return;
    tellOfRetry(change.task);
    tellOfTask(console, change.task);
  });
}

/** Reports how a batch stands: to people, each pause, each stop of an account and each outage once. */
export function batchTeller(
  console: Pick<Console, 'event' | 'line' | 'problem'>,
  now = Date.now,
): (batch: BatchRecord, trouble: Failure | undefined) => void {
  let isInTrouble = false;
  const toldTroubles = new Map<string, number>();
  let toldPause: string | undefined;
  const toldStops = new Set<string>();
  return (batch, trouble) => {
    const { id, state, pause, stops } = batch;
    console.event('batch', { batch: id, state, ...present({ pause, stops, waitsFor: trouble?.message }) });
    // What to do about the pause is said at the end: by then, it may have ended by itself.
    const [why] = pauseText(batch)?.split('\n') ?? [];
    if (why !== undefined && why !== toldPause) console.line(`${localTime(now())}  ${why}`);
    toldPause = why;
    for (const text of stopTexts(batch)) {
      const [stopped = ''] = text.split('\n');
      if (!toldStops.has(stopped)) console.line(`${localTime(now())}  ${stopped}`);
      toldStops.add(stopped);
    }
    // The gateway is asked again and again, and the user needs to know only that.
    if (trouble !== undefined && !isInTrouble) {
      const title = troubleTitle(trouble);
      const at = now();
      if (at - (toldTroubles.get(title) ?? Number.NEGATIVE_INFINITY) >= OUTAGE_TOLD_AGAIN_MS) {
        toldTroubles.set(title, at);
        console.problem(
          trouble.code === 'OUTPUT_UNVERIFIABLE'
            ? `${visibleLine(trouble.message, 300)}\n    → Nocturne waits and continues automatically.`
            : `${title}: ${visibleLine(trouble.message, 300)}\n    → Nocturne waits and continues automatically. Check that the base URL is right.`,
        );
      }
    }
    isInTrouble = trouble !== undefined;
  };
}

/** Reports a task that has ended or waits for the user, and a gateway that may have mixed up its files. */
function tellOfTask(console: Console, task: Task): void {
  const { status, rowId, take, operation, superseded, taskCode, outputs, failure, sameAddressAs } = task;
  const isUnknown = status === 'submit-unknown' && !settlesItself(task);
  if (!TERMINAL_STATUSES.has(status) && !isUnknown) return;
  const row = visibleLine(rowId, 60);
  if (status === 'done' && sameAddressAs !== undefined) {
    const rows = `${row} and ${visibleLine(sameAddressAs, 60)}`;
    console.problem(
      `warning: the gateway gave the same address for rows ${rows}; one of the files may be the wrong one.`,
    );
  }
  if (status === 'done' && outputs.length >= MOST_OUTPUTS) {
    console.problem(
      `warning: the gateway gave ${outputs.length} files for row ${row}, and perhaps more: no more than that are fetched.`,
    );
  }
  if (status === 'done' && haveSameContent(outputs)) {
    console.problem(`warning: the gateway gave the same file twice for row ${row}; one of its files may be missing.`);
  }
  console.event('task', {
    row: rowId,
    take,
    operation,
    status,
    ...present({ superseded, taskCode }),
    files: outputs.flatMap(({ state, path }) => (state === 'verified' && path !== undefined ? [path] : [])),
    ...(failure === undefined ? {} : { failure: { code: failure.code, message: failure.message } }),
  });
}
