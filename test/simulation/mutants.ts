/**
 * Known bugs of time and order, put back on purpose: one file for each subject. Simulated nights that do not find every
 * one of them prove nothing about the sound engine.
 */
import { MUTANTS } from '../crash/mutants.ts';
import type { DeliberateFault } from '../support/patch-modules.ts';
import { HAD_ONCE } from './mutants/had-once.ts';
import { OF_BATCHES } from './mutants/of-batches.ts';
import { OF_EDITS } from './mutants/of-edits.ts';
import { OF_LIMITS } from './mutants/of-limits.ts';
import { OF_ORDER } from './mutants/of-order.ts';
import { OF_TIME } from './mutants/of-time.ts';
import { OF_TURNS } from './mutants/of-turns.ts';

/**
 * The mutants of the proof by kill that concern what is simulated. Files, their syncs and those of the disk are not.
 */
const OF_KILLS: ReadonlySet<string> = new Set([
  'claim committed after the POST',
  'resend at start-up',
  'interrupted submit called failed',
  'unblocks before the source is done',
  'submits the unresolved text',
  'forgets after a kill what waits for a row',
  'automatic retry of a lost POST',
]);

export const SIMULATED_MUTANTS: readonly DeliberateFault[] = [
  ...MUTANTS.filter(({ name }) => OF_KILLS.has(name)),
  ...HAD_ONCE,
  ...OF_ORDER,
  ...OF_LIMITS,
  ...OF_TIME,
  ...OF_TURNS,
  ...OF_EDITS,
  ...OF_BATCHES,
];
