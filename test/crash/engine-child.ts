/**
 * One life of the engine: imports the sheet or goes on with it, asks the user about what is unknown, and ends when
 * nothing is left to do, unless it is made to die earlier. A real store, a real folder, a real gateway over HTTP.
 */
import { listOf } from '../../src/shared/domain/base/result.ts';
import { settlesItself } from '../../src/shared/domain/task/task.ts';
import { channel } from 'node:diagnostics_channel';
import { existsSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import type { ChildOrder, ChildReport, DeathPoint, EndedRow, UserAnswer } from './child-protocol.ts';
import { CRASH_KEY } from './child-protocol.ts';
import { fastClock } from '../support/fast-clock.ts';
import { say } from '../../src/shared/domain/base/reason.ts';

const TASKS_OF_A_ROW = 1;
/**
 * A life that takes longer is hanging: a request that was lost three times is sent again after 12 minutes, here 38 s.
 */
const LIFE_MAX_MS = 50_000;
const ADOPTIONS_MAX = 50;
const ADOPTION_PAUSE_MS = 20;

const order = JSON.parse(process.argv[2] ?? '') as ChildOrder;
enableCompileCache();
const { createEngine } = await import('../../src/engine/index.ts');
const { watchCrashPoints } = await import('../../src/engine/crash-point.ts');

function report(what: ChildReport): void {
  writeSync(1, `${JSON.stringify(what)}\n`);
}

let passes = 0;
let inFlight = 0;

function pass(point: DeathPoint): void {
  if (point === 'submit.before-intent') inFlight += 1;
  if (point === 'submit.answer-committed') inFlight -= 1;
  if (point === 'submit.before-intent' || point === 'submit.answer-committed') {
    report({ kind: 'in-flight', count: inFlight });
  }
  if (point !== order.dieAt?.point) return;
  passes += 1;
  if (passes !== order.dieAt.pass) return;
  report({ kind: 'dying' });
  process.kill(process.pid, 'SIGKILL');
}

watchCrashPoints(pass);
channel('undici:request:bodySent').subscribe((message) => {
  const { request } = message as { readonly request: { readonly method: string } };
  if (request.method === 'POST') pass('submit.bytes-left');
});

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function askUser(unknown: readonly string[]): Promise<UserAnswer> {
  report({ kind: 'asks', unknown });
  const line = await lines.next();
  if (line.done === true) throw new Error('Nobody answers.');
  return JSON.parse(line.value) as UserAnswer;
}

report({ kind: 'opening' });
const opened = await createEngine({
  dataDir: order.dataDir,
  clock: fastClock(order.speed, order.epochMs),
  onBug: (error) => {
    report({ kind: 'bug', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  },
});
if (!opened.ok) throw new Error(opened.error.message);
const engine = opened.value;
engine.setKey(new URL(order.profile.baseUrl).origin, CRASH_KEY);

const batchId = (
  (await engine.store.batches())[0] ??
  (await engine.createBatch({
    name: 'night',
    sheet: { headers: ['row', 'operation', 'prompt'], rows: order.rows, problems: [] },
    settings: { folder: order.folder, profile: order.profile, filename: '{row}', rehearsal: true },
  }))
).id;

/** The rows that only the user can settle. */
async function unknownRows(): Promise<readonly string[]> {
  const unknown = await listOf(engine.store.tasksByStatus(['submit-unknown'], batchId));
  return unknown.filter((task) => !settlesItself(task)).map((task) => task.rowId);
}

/** Rows that the user gave up and wants again: a kill may have come between these two steps. */
async function writtenOffRows(): Promise<readonly string[]> {
  const failed = await listOf(engine.store.tasksByStatus(['failed'], batchId));
  return failed.filter((task) => task.failure?.code === 'WRITTEN_OFF').map((task) => task.rowId);
}

async function settle(unknown: readonly string[]): Promise<void> {
  for (const { row, decision } of await askUser(unknown)) {
    let resolved = await engine.decisions.resolve(batchId, row, decision);
    // A gateway in trouble cannot prove a task code now; a user would try again, too.
    for (let tries = 1; !resolved.ok && tries < ADOPTIONS_MAX; tries += 1) {
      await new Promise((resolve) => {
        setTimeout(resolve, ADOPTION_PAUSE_MS);
      });
      resolved = await engine.decisions.resolve(batchId, row, decision);
    }
    if (!resolved.ok) throw new Error(`Row ${row} cannot be settled: ${say(resolved.error.message)}`);
    if (resolved.value !== TASKS_OF_A_ROW) throw new Error(`Row ${row}: ${resolved.value} tasks were settled.`);
  }
}

/**
 * How long this thread was ready to run while another ran instead, and the same for the thread of the store, for which
 * it waits: that is the other thread that had to wait longest. Only where the system reports it.
 */
function waitedMs(): number {
  const threads = '/proc/self/task';
  if (!existsSync(threads)) return 0;
  const waited = readdirSync(threads).map((id) => ({ id, ms: threadWaitedMs(`${threads}/${id}/schedstat`) }));
  const own = waited.find(({ id }) => Number(id) === process.pid)?.ms ?? 0;
  return own + Math.max(0, ...waited.filter(({ id }) => Number(id) !== process.pid).map(({ ms }) => ms));
}

function threadWaitedMs(schedule: string): number {
  try {
    return Number(readFileSync(schedule, 'utf8').split(' ')[1] ?? 0) / 1e6;
  } catch {
    // The thread has ended meanwhile.
    return 0;
  }
}

async function endedRows(): Promise<readonly EndedRow[]> {
  return (
    await Promise.all(
      order.rows.map(async (row) =>
        (await engine.store.tasksOfRow(batchId, row.id)).map((task): EndedRow => ({
          row: row.id,
          status: task.status,
          ...(task.failure === undefined ? {} : { failure: task.failure.message }),
        })),
      ),
    )
  ).flat();
}

async function giveUp(): Promise<never> {
  const batch = await engine.store.batch(batchId);
  report({ kind: 'bug', message: `It hangs: ${JSON.stringify([batch?.state, batch?.pause, await endedRows()])}` });
  process.exit(1);
}

setTimeout(() => void giveUp(), LIFE_MAX_MS).unref();

await engine.attach(batchId);
const unsettled = new Set<string>();
engine.onChange((change) => {
  if (change.kind !== 'task') return;
  const { rowId, status } = change.task;
  if (status === 'submit-unknown') {
    unsettled.add(rowId);
    report({ kind: 'unknown', row: rowId });
  } else if (unsettled.delete(rowId)) {
    report({ kind: 'settled', row: rowId });
  }
});
const unknownAtStart = (await unknownRows()).filter((row) => !unsettled.has(row));
for (const row of unknownAtStart) unsettled.add(row);
await engine.start(batchId);
report({ kind: 'started', recovery: { ms: performance.now(), waitedMs: waitedMs() }, unknown: unknownAtStart });
if (order.settle === 'at-start' && unknownAtStart.length > 0) await settle(unknownAtStart);

for (;;) {
  const batch = await engine.settled(batchId);
  const unknown = await unknownRows();
  const writtenOff = await writtenOffRows();
  if (unknown.length > 0) await settle(unknown);
  else if (writtenOff.length > 0) await engine.decisions.retry(batchId, writtenOff);
  else if (batch.state === 'finished') break;
  // The user comes by, reads why the night paused, and lets it go on.
  await engine.start(batchId);
}

const rows = await endedRows();
await engine.stop();
report({ kind: 'ended', rows });
process.exit(0);
