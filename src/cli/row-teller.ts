/** What a run prints on the way: rows that come to rest or wait, and a gateway that does not answer. */
import type { Engine } from '../engine/index.ts';
import { remedyOf, troubleTitle } from '../shared/domain/base/failure.ts';
import { haveSameContent, isStuck } from '../shared/domain/task/outputs.ts';
import { settlesItself, TERMINAL_STATUSES, type Task } from '../shared/domain/task/task.ts';
import { localTime, visibleLine } from '../shared/domain/base/text.ts';
import type { Console } from './console.ts';
import { pauseText, stopTexts } from './describe.ts';

/** Only this many rows are listed one by one. */
const ROWS_TOLD = 20;

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
  let told: string | undefined;
  let toldPause: string | undefined;
  const toldStops = new Set<string>();
  const tellOfRetry = retryTeller(console);
  return engine.onChange((change) => {
    if (change.kind === 'batch') {
      if (change.batch.id !== batchId) return;
      const trouble = engine.trouble(batchId);
      const { state, pause, stops } = change.batch;
      console.event('batch', {
        batch: batchId,
        state,
        ...(pause === undefined ? {} : { pause }),
        ...(stops === undefined ? {} : { stops }),
        ...(trouble === undefined ? {} : { waitsFor: trouble.message }),
      });
      // What to do about the pause is said at the end: by then, it may have ended by itself.
      const [why] = pauseText(change.batch)?.split('\n') ?? [];
      if (why !== undefined && why !== toldPause) console.line(`${localTime(Date.now())}  ${why}`);
      toldPause = why;
      for (const text of stopTexts(change.batch)) {
        const [stopped = ''] = text.split('\n');
        if (!toldStops.has(stopped)) console.line(`${localTime(Date.now())}  ${stopped}`);
        toldStops.add(stopped);
      }
      // Printed once for each outage: the gateway is asked again and again, and the user needs to know only that.
      if (trouble !== undefined && told === undefined) {
        console.problem(
          trouble.code === 'OUTPUT_UNVERIFIABLE'
            ? `${visibleLine(trouble.message, 300)}\n    → Nocturne waits and continues automatically.`
            : `${troubleTitle(trouble)}: ${visibleLine(trouble.message, 300)}\n    → Nocturne waits and continues automatically. Check that the base URL is right.`,
        );
      }
      told = trouble?.message;
      return;
    }
    if (change.kind !== 'task') return;
    const { task } = change;
    if (task.batchId !== batchId) return;
    tellOfRetry(task);
    const isUnknown = task.status === 'submit-unknown' && !settlesItself(task);
    if (!TERMINAL_STATUSES.has(task.status) && !isUnknown) return;
    if (task.status === 'done' && task.sameAddressAs !== undefined) {
      const rows = `${visibleLine(task.rowId, 60)} and ${visibleLine(task.sameAddressAs, 60)}`;
      console.problem(
        `warning: the gateway gave the same address for rows ${rows}; one of the files may be the wrong one.`,
      );
    }
    if (task.status === 'done' && haveSameContent(task.outputs)) {
      const row = visibleLine(task.rowId, 60);
      console.problem(`warning: the gateway gave the same file twice for row ${row}; one of its files may be missing.`);
    }
    console.event('task', {
      row: task.rowId,
      take: task.take,
      operation: task.operation,
      status: task.status,
      ...(task.superseded === undefined ? {} : { superseded: task.superseded }),
      ...(task.taskCode === undefined ? {} : { taskCode: task.taskCode }),
      files: task.outputs.flatMap((output) =>
        output.state === 'verified' && output.path !== undefined ? [output.path] : [],
      ),
      ...(task.failure === undefined ? {} : { failure: { code: task.failure.code, message: task.failure.message } }),
    });
  });
}
