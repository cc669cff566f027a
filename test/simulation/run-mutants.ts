/**
 * `npm run simulate:mutants -- [--nights N] [--seed N] [--only TEXT]`: simulates nights of each mutant until one of
 * them breaks a promise. Ends with 1 if a mutant is not found within that many nights (10,000 by default).
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { DeliberateFault } from '../support/patch-modules.ts';
import { firstBroken } from './find-mutant.ts';
import { SIMULATED_MUTANTS } from './mutants.ts';

/** What a broken promise or an exception says, without its stack. */
const SHOWN = 140;

const { values } = parseArgs({
  options: {
    nights: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const nights = Number(values.nights);
const seed = Number(values.seed);

interface Found {
  /** How many nights it took; undefined if it was not found. */
  readonly nights: number | undefined;
  readonly says: string;
}

async function find({ patches }: DeliberateFault): Promise<Found> {
  const beganAt = performance.now();
  const broken = await firstBroken(patches, nights, seed);
  const seconds = ((performance.now() - beganAt) / 1000).toFixed(0);
  if (broken === undefined) return { nights: undefined, says: `NOT FOUND in ${seconds} s` };
  const sound = await firstBroken([], 1, broken.seed);
  if (sound !== undefined)
    throw new Error(`The sound engine breaks the night of seed ${sound.seed}, too: ${sound.breaks}`);
  const count = broken.seed - seed + 1;
  return { nights: count, says: `${count} nights, ${seconds} s: ${broken.breaks.slice(0, SHOWN)}` };
}

const left = SIMULATED_MUTANTS.filter(({ name }) => name.includes(values.only));
const all = left.length;
const found: number[] = [];
async function findOneByOne(): Promise<void> {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const { nights: count, says } = await find(mutant);
    if (count !== undefined) found.push(count);
    console.log(`${mutant.name}\n    ${says}`);
  }
}

// As many at a time as there are processors.
await Promise.all(Array.from({ length: availableParallelism() }, findOneByOne));
const sorted = found.toSorted((a, b) => a - b);
console.log(
  `\n${found.length} of ${all} found within ${nights} nights each, from seed ${seed};`,
  `half of them within ${sorted[Math.floor(sorted.length / 2)] ?? 0} nights, the last after ${sorted.at(-1) ?? 0}.`,
);
process.exitCode = found.length === all ? 0 : 1;
