import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { median } from '../support/measure.ts';
import { storeOfTasks } from '../support/task-fixture.ts';

const BUILT = fileURLToPath(new URL('../../out/cli/nocturne.js', import.meta.url));
/** What the kernel counts processor time in. */
const TICK_MS = 10;

/** The built command line. Input: `command`; `folder` of a store, where one is needed; `times`. */
export async function runOurCommand(input: ContenderInput): Promise<Figures> {
  if (textIn(input, 'command') === '--help') return Promise.resolve(runTimes([BUILT, '--help'], input));
  const folder = textIn(input, 'folder');
  await (await storeOfTasks(folder, 1000)).opened.close();
  return Promise.resolve(runTimes([BUILT, 'status', '--data', folder], input));
}

/** A Node that does nothing. Input: `times`. */
export function runBareNode(input: ContenderInput): Promise<Figures> {
  return Promise.resolve(runTimes(['-e', '0'], input));
}

/** Median time of a command, and its processor time where the system tells it. */
function runTimes(args: readonly string[], input: ContenderInput): Figures {
  const times = numberIn(input, 'times');
  const before = childCpuMs();
  const wallMs = Array.from({ length: times }, () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) throw new Error(`${args.join(' ')}: ${status}\n${String(stderr)}`);
    return performance.now() - started;
  });
  return { wallMs: median(wallMs), cpuMs: (childCpuMs() - before) / times };
}

/** Processor time of all children that have ended; 0 where the system does not say. */
function childCpuMs(): number {
  const path = '/proc/self/stat';
  if (!existsSync(path)) return 0;
  const stat = readFileSync(path, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
