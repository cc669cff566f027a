/**
 * The process in which the cases of a campaign run, started by run-jobs.ts. Says on its standard output, one JSON text a
 * line and each written before it goes on, which case begins and what came of it: whoever hangs has been named before.
 */
import { mkdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as soon } from 'node:timers/promises';
import { SeededRandom } from '../../src/gateway-sim/random.ts';
import type { FuzzJob, RunnerEvent, RunnerInput } from './run-jobs.ts';
import type { FuzzTarget } from './target.ts';
import { loadTarget } from './targets.ts';

const { jobs, scratch, mostRssBytes } = JSON.parse(process.argv[2] ?? '') as RunnerInput;
/** What earlier cases left behind is no fault of a later one: it is collected before it adds up. */
const COLLECT_BYTES = 150 * 1024 * 1024;
process.on('uncaughtException', (error) => end({ kind: 'uncaught', detail: describe(error) }));
process.on('unhandledRejection', (reason) => end({ kind: 'uncaught', detail: describe(reason) }));

// Before the clock runs: what a target loads is no part of its cases.
const loaded = await Promise.all(jobs.map(async (job) => ({ job, target: await loadTarget(job.target) })));
say({ kind: 'started' });
for (const { job, target } of loaded) await runJob(job, target);
say({ kind: 'finished' });
process.exit(0);

async function runJob(job: FuzzJob, target: FuzzTarget): Promise<void> {
  const folder = join(scratch, target.name);
  mkdirSync(folder, { recursive: true });
  const endAt = job.forMs === undefined ? Infinity : performance.now() + job.forMs;
  for (let index = job.first; index < job.first + job.count && performance.now() < endAt; index += 1) {
    say({ kind: 'case', target: target.name, index });
    const input = inputOf(target, job, index);
    say({ kind: 'made' });
    await runCase(target, input, folder);
  }
  say({ kind: 'job-done', target: target.name });
}

function inputOf(target: FuzzTarget, { seed, file }: FuzzJob, index: number): Uint8Array {
  return file === undefined ? target.makeInput(new SeededRandom(seed, target.name, index)) : readFileSync(file);
}

async function runCase(target: FuzzTarget, input: Uint8Array, folder: string): Promise<void> {
  // A process begins with the peak of the one that started it, and what made the input is no part of the case either.
  const rssBefore = peakRss();
  const { heapUsed, external } = process.memoryUsage();
  if (heapUsed + external > COLLECT_BYTES) globalThis.gc?.();
  try {
    await target.check(input, folder);
  } catch (error) {
    say({ kind: 'thrown', detail: describe(error) });
  }
  // What was left alone shows once the case gives way.
  await soon();
  for (const prototype of [Object.prototype, Array.prototype, String.prototype]) {
    const added = Object.keys(prototype);
    if (added.length > 0) end({ kind: 'uncaught', detail: `A prototype was given ${added.join(', ')}.` });
  }
  const peak = peakRss();
  if (peak > Math.max(mostRssBytes, rssBefore))
    end({ kind: 'memory', detail: `${Math.round(peak / 2 ** 20)} MiB were resident.` });
}

function peakRss(): number {
  return process.resourceUsage().maxRSS * 1024;
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function end(event: RunnerEvent): never {
  say(event);
  process.exit(1);
}

function say(event: RunnerEvent): void {
  const line = Buffer.from(`${JSON.stringify(event)}\n`);
  for (let at = 0; at < line.length;) {
    try {
      at += writeSync(1, line, at);
    } catch (error) {
      // The pipe is full until whoever started this has read some of it.
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}
