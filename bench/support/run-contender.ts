import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { BehaviourInput } from '../../src/gateway-sim/faults/behaviour.ts';
import type { ContenderInput, ContenderName, Figures } from '../contender.ts';
import { lastLineOf, withServer } from './child.ts';
import { inTemporaryFolder, median } from './measure.ts';
import { CONTENDERS_BUILT, THIS_TREE } from './trees.ts';

/**
 * Runs one contender in a separate process, so that neither its garbage nor its warm code helps or hurts another. Each
 * tree brings the contender that knows how to drive its own sources, built if {@link buildContenders} built it.
 */
export async function runContender(name: ContenderName, input: ContenderInput, tree = THIS_TREE): Promise<Figures> {
  const built = path.join(tree, CONTENDERS_BUILT, 'contender.js');
  const file = existsSync(built) ? built : sourceOf(tree);
  return JSON.parse(await lastLineOf(process.execPath, contenderArgs(file, name, input))) as Figures;
}

function sourceOf(tree: string): string {
  return path.join(tree, 'bench', 'contender.ts');
}

/**
 * The same on a desktop of its own, for contenders with a window. `folder` is where it keeps its files. They measure
 * other processes, so they are not built themselves.
 */
export async function runWindow(
  name: ContenderName,
  input: ContenderInput & { readonly folder: string },
  tree = THIS_TREE,
): Promise<Figures> {
  const desktop = path.join(THIS_TREE, 'scripts', 'with-desktop.ts');
  const args = [desktop, process.execPath, ...contenderArgs(sourceOf(tree), name, input)];
  return JSON.parse(
    await lastLineOf(process.execPath, args, { env: { ...process.env, TMPDIR: input.folder } }),
  ) as Figures;
}

function contenderArgs(file: string, name: ContenderName, input: ContenderInput): readonly string[] {
  return ['--expose-gc', file, name, JSON.stringify(input)];
}

/** Runs our side on this many rows. */
export type RunRows = (rows: number, tree?: string) => Promise<Figures>;

/** Runs one contender as often as `work` wants, each time in a new folder. */
export function withRows<T>(name: ContenderName, work: (run: RunRows) => Promise<T>): Promise<T> {
  return inTemporaryFolder((folder) => {
    let run = 0;
    return work((rows, tree) => {
      const own = `${folder}/${(run += 1)}`;
      mkdirSync(own);
      return runContender(name, { folder: own, rows }, tree);
    });
  });
}

/** Runs contenders in turn, `rounds` times, so that a busy moment of the machine affects all; returns the medians. */
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

/** The median of each figure that is a number. */
export function mediansOf(runs: readonly Figures[]): Figures {
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
  work: (baseUrl: string, pid: number) => Promise<T>,
): Promise<T> {
  const file = path.join(folder, 'behaviour.json');
  writeFileSync(file, JSON.stringify(behaviour));
  return serve([path.join(THIS_TREE, 'src/cli/nocturne.ts'), 'gateway', '--quiet', '--behaviour', file], work);
}

/** Runs the bench's file server in a separate process during `work`. */
export function withFileServer<T>(work: (baseUrl: string) => Promise<T>): Promise<T> {
  return serve([path.join(THIS_TREE, 'bench/file-server.ts')], work);
}

function serve<T>(args: readonly string[], work: (baseUrl: string, pid: number) => Promise<T>): Promise<T> {
  return withServer(process.execPath, args, (line, pid) =>
    work((JSON.parse(line) as { readonly baseUrl: string }).baseUrl, pid),
  );
}
