import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { importOf, type ModulePatch } from '../support/patch-modules.ts';

const RUN = fileURLToPath(new URL('run.ts', import.meta.url));

/** A night that breaks a promise. */
export interface BrokenNight {
  readonly seed: number;
  readonly breaks: string;
}

/**
 * The first of a number of nights, beginning with a seed, that breaks a promise while some modules of the engine are
 * patched; undefined if none does. Each process can be patched only once, so the nights have one of their own.
 */
export async function firstBroken(
  patches: readonly ModulePatch[],
  nights: number,
  seed: number,
): Promise<BrokenNight | undefined> {
  // As many mutants run at a time as there are processors.
  const options = ['--as-is', '--lanes', '1', '--nights', `${nights}`, '--seed', `${seed}`];
  const args = ['--import', importOf(patches), RUN, ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (status === 0) return undefined;
  const [, broken, breaks] = /The night of seed (\d+) breaks (.*)/u.exec(said) ?? [];
  // A run that ended in any other way has proved nothing.
  if (broken === undefined || breaks === undefined) throw new Error(`A run of nights ended with ${status}: ${said}`);
  return { seed: Number(broken), breaks };
}
