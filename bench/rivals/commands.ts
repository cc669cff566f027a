import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ContenderInput, Figures } from '../contender.ts';
import { numberIn, textIn } from '../support/input.ts';
import { median } from '../support/measure.ts';
import { storeOfTasks } from '../support/task-fixture.ts';

const BUILT = fileURLToPath(new URL('../../out/cli/nocturne.js', import.meta.url));
/** Where the command line is in the program that `npm run package` leaves. */
const PACKAGED = fileURLToPath(new URL('../../dist/linux-unpacked/resources/cli/bin', import.meta.url));
/** The unit in which the kernel counts processor time. */
const TICK_MS = 10;

/** The built command line. Input: `command`; `folder` of a store, if one is needed; `times`. */
export function runOurCommand(input: ContenderInput): Promise<Figures> {
  return runCommand([process.execPath, BUILT], input);
}

/** The same for the command line as shipped, with the Node and the script that start it. */
export function runPackagedCommand(input: ContenderInput): Promise<Figures> {
  return runCommand([path.join(PACKAGED, 'nocturne')], input);
}

/** A Node that does nothing. Input: `times`. */
export function runBareNode(input: ContenderInput): Promise<Figures> {
  return Promise.resolve(runTimes([process.execPath, '-e', '0'], input));
}

/** The same for the Node that is shipped. */
export function runPackagedNode(input: ContenderInput): Promise<Figures> {
  return Promise.resolve(runTimes([path.join(PACKAGED, 'node'), '-e', '0'], input));
}

async function runCommand(program: readonly string[], input: ContenderInput): Promise<Figures> {
  if (textIn(input, 'command') === '--help') return runTimes([...program, '--help'], input);
  const folder = textIn(input, 'folder');
  await (await storeOfTasks(folder, 1000)).opened.close();
  return runTimes([...program, 'status', '--data', folder], input);
}

/** The median time of a command, and its processor time if the system reports it. */
function runTimes([program = '', ...args]: readonly string[], input: ContenderInput): Figures {
  const times = numberIn(input, 'times');
  const before = childCpuMs();
  const wallMs = Array.from({ length: times }, () => {
    const started = performance.now();
    const { status, stderr } = spawnSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${status}\n${String(stderr)}`);
    return performance.now() - started;
  });
  return { wallMs: median(wallMs), cpuMs: (childCpuMs() - before) / times };
}

/** Processor time of all children that have ended; 0 if the system does not report it. */
function childCpuMs(): number {
  const source = '/proc/self/stat';
  if (!existsSync(source)) return 0;
  const stat = readFileSync(source, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) * TICK_MS;
}
