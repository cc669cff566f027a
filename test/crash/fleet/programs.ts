import { fileURLToPath } from 'node:url';
import { importOf, type ModulePatch } from '../../support/patch-modules.ts';
import { BUILT_CHILD_CACHE, BUILT_WORKER } from '../built-child.ts';
import type { Program } from './workers.ts';

const SOURCE_WORKER = fileURLToPath(new URL('worker-child.ts', import.meta.url));

/** As `buildWorker` leaves it. */
export function soundProgram(): Program {
  return { args: [BUILT_WORKER], env: { ...process.env, NODE_COMPILE_CACHE: BUILT_CHILD_CACHE } };
}

/** From sources, where patches find what they replace. */
export function faultyProgram(patches: readonly ModulePatch[]): Program {
  return { args: ['--import', importOf(patches), SOURCE_WORKER], env: process.env };
}
