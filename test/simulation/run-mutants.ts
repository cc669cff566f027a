/**
 * `npm run simulate:mutants -- [--nights N] [--seed N] [--only TEXT]`: simulates nights of each mutant until one of them
 * breaks a promise. Ends with 1 if a mutant is not found within so many nights (10,000).
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { importOf, type ModulePatch } from '../support/patch-modules.ts';
import { SIMULATED_MUTANTS, type SimulatedMutant } from './mutants.ts';

const RUN = fileURLToPath(new URL('run.ts', import.meta.url));
/** What a broken promise or an exception says, without its stack. */
const SHOWN = 140;

const { values } = parseArgs({
  options: {
    nights: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});

interface Found {
  readonly mutant: SimulatedMutant;
  /** How many nights it took, and what was broken; undefined if it was not found. */
  readonly nights?: number;
  readonly breaks?: string;
}

/** The first night that breaks a promise, as its seed and what is broken; undefined if none does. */
async function firstBroken(patches: readonly ModulePatch[], nights: string, seed: string) {
  // Mutants are as many at a time as there are processors.
  const args = ['--import', importOf(patches), RUN, '--as-is', '--lanes', '1', '--nights', nights, '--seed', seed];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (said += piece));
  const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
  if (status === 0) return undefined;
  const [, broken, how] = /The night of seed (\d+) breaks (.*)/u.exec(said) ?? [];
  // A run that ended otherwise has proved nothing.
  if (broken === undefined || how === undefined) throw new Error(`A run of nights ended with ${status}: ${said}`);
  return { seed: broken, how };
}

async function find(mutant: SimulatedMutant): Promise<Found> {
  const broken = await firstBroken(mutant.patches, values.nights, values.seed);
  if (broken === undefined) return { mutant };
  const sound = await firstBroken([], '1', broken.seed);
  if (sound !== undefined)
    throw new Error(`The sound engine breaks the night of seed ${sound.seed}, too: ${sound.how}`);
  return { mutant, nights: Number(broken.seed) - Number(values.seed) + 1, breaks: broken.how };
}

const left = SIMULATED_MUTANTS.filter(({ name }) => name.includes(values.only));
let missed = 0;
async function findOneByOne(): Promise<void> {
  for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
    const { nights, breaks } = await find(mutant);
    if (nights === undefined) missed += 1;
    const how = nights === undefined ? 'NOT FOUND' : `${nights} nights: ${breaks?.slice(0, SHOWN)}`;
    console.log(`${mutant.name}\n    ${how}`);
  }
}

const all = left.length;
await Promise.all(Array.from({ length: availableParallelism() }, findOneByOne));
console.log(`\n${all - missed} of ${all} found within ${values.nights} nights each, from seed ${values.seed}.`);
process.exitCode = missed === 0 ? 0 : 1;
