/**
 * The command line as it is installed, for one life of a worker, with one addition: on order, it dies or stands still
 * at a named point, or only reports that it has reached it.
 */
import { writeSync } from 'node:fs';
import { channel } from 'node:diagnostics_channel';
import { watchCrashPoints, type CrashPointName } from '../../../src/engine/crash-point.ts';
import type { Struck, Trap, WorkerPoint } from './worker-protocol.ts';

let trap: Trap | undefined;
let passes = 0;

function pass(point: WorkerPoint): void {
  if (trap === undefined || point !== trap.point) return;
  passes += 1;
  if (passes < trap.pass) return;
  const { act } = trap;
  trap = undefined;
  const struck: Struck = { struck: point };
  // Written before it happens, because a process that stands still says nothing more.
  writeSync(1, `${JSON.stringify(struck)}\n`);
  if (act === 'die') process.kill(process.pid, 'SIGKILL');
  if (act === 'stop') process.kill(process.pid, 'SIGSTOP');
}

process.on('message', (order: Trap | null) => {
  trap = order ?? undefined;
  passes = 0;
});
// It lives as long as the command does.
process.channel?.unref();

watchCrashPoints((name: CrashPointName) => pass(name));
for (const [name, point] of [
  ['undici:client:sendHeaders', 'submit.leaves'],
  ['undici:request:bodySent', 'submit.bytes-left'],
] as const) {
  channel(name).subscribe((message) => {
    const { request } = message as { readonly request: { readonly method: string } };
    if (request.method === 'POST') pass(point);
  });
}

const { runProgram } = await import('../../../src/cli/program.ts');
process.exitCode = await runProgram(process.argv.slice(2), new URL('../../../package.json', import.meta.url));
