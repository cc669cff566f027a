import { spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import type { ContenderInput, ContenderName, Figures } from '../contender.ts';
import { median } from './measure.ts';

const CONTENDER = fileURLToPath(new URL('../contender.ts', import.meta.url));
const COMMAND_LINE = fileURLToPath(new URL('../../src/cli/nocturne.ts', import.meta.url));
const FILE_SERVER = fileURLToPath(new URL('../file-server.ts', import.meta.url));

/** Runs one contender in a separate process, so that neither its garbage nor its warm code helps or hurts another. */
export async function runContender(name: ContenderName, input: ContenderInput): Promise<Figures> {
  const child = spawn(process.execPath, ['--expose-gc', CONTENDER, name, JSON.stringify(input)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = '';
  for await (const line of createInterface({ input: child.stdout })) last = line;
  await exited(child);
  if (child.exitCode !== 0) throw new Error(`${name} ended with ${child.exitCode ?? child.signalCode}`);
  return JSON.parse(last) as Figures;
}

/** Runs contenders in turn, `rounds` times, so that a busy moment of the machine hits all; returns the medians. */
export async function runInTurn(
  contenders: readonly (() => Promise<Figures>)[],
  rounds: number,
): Promise<readonly Figures[]> {
  const runs: Figures[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [i, run] of contenders.entries()) runs[i]?.push(await run());
  }
  return runs.map(mediansOf);
}

function mediansOf(runs: readonly Figures[]): Figures {
  const names = Object.keys(runs[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = runs.map((run) => run[name]);
      const numbers = values.filter((value) => typeof value === 'number');
      return [name, numbers.length === values.length ? median(numbers) : values[0]];
    }),
  ) as Figures;
}

/** A numeric figure. */
export function numberOf(figures: Figures, name: string): number {
  const value = figures[name];
  if (typeof value !== 'number') throw new Error(`No figure ${name}`);
  return value;
}

/** Runs the built-in gateway in a separate process during `work`, so that its cost does not count as ours. */
export async function withGateway<T>(
  folder: string,
  behaviour: BehaviourInput,
  work: (baseUrl: string) => Promise<T>,
): Promise<T> {
  const file = path.join(folder, 'behaviour.json');
  writeFileSync(file, JSON.stringify(behaviour));
  return withServer([COMMAND_LINE, 'gateway', '--quiet', '--behaviour', file], work);
}

/** Runs the bench's file server in a separate process during `work`. */
export function withFileServer<T>(work: (baseUrl: string) => Promise<T>): Promise<T> {
  return withServer([FILE_SERVER], work);
}

async function withServer<T>(args: readonly string[], work: (baseUrl: string) => Promise<T>): Promise<T> {
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    for await (const line of createInterface({ input: server.stdout })) {
      const { baseUrl } = JSON.parse(line) as { readonly baseUrl: string };
      return await work(baseUrl);
    }
    throw new Error('The server did not start.');
  } finally {
    server.kill();
    await exited(server);
  }
}

function exited(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}
