import type { MutantTrial, Mutant } from './mutants.ts';
import type { Violation } from './oracle.ts';
import { traceNight } from './trace.ts';
import { runWorld, type WorldReport } from './world.ts';

/** The result for one mutant, or for the sound engine in the mutant's place. */
export interface TrialReport {
  readonly name: string;
  readonly isPassed: boolean;
  /** Who found the mutant and how, or what went wrong. */
  readonly detail: string;
}

/**
 * Runs the same night with the sound engine and with the mutant: the first has to keep every promise, and the named
 * judge has to find the second.
 */
export async function tryMutant(seed: string, { name }: Mutant, trial: MutantTrial): Promise<TrialReport> {
  const { recipe, deaths, foundBy } = trial;
  const sound = await soundWorld(seed, trial);
  if (sound.violations.length > 0) {
    return { name, isPassed: false, detail: `the sound engine fails there, too: ${tell(sound.violations)}` };
  }
  const faulty = await runWorld({ seed, recipe, deaths, mutant: name });
  const found = faulty.violations.filter(({ oracle }) => oracle === foundBy);
  return found.length > 0
    ? { name, isPassed: true, detail: tell(found.slice(0, 1)) }
    : { name, isPassed: false, detail: `NOT CAUGHT by ${foundBy}; seen: ${tell(faulty.violations) || 'nothing'}` };
}

const soundWorlds = new Map<string, Promise<WorldReport>>();

/** The sound engine in the night of a trial: once for all mutants that are tried in the same night. */
function soundWorld(seed: string, { recipe, deaths }: MutantTrial): Promise<WorldReport> {
  const night = JSON.stringify({ seed, recipe, deaths });
  const world = soundWorlds.get(night) ?? runWorld({ seed, recipe, deaths });
  soundWorlds.set(night, world);
  return world;
}

/** Watches the system calls of the sound engine. */
export async function traceSound(seed: string): Promise<TrialReport> {
  const { posts, short, streamed, violations, unseen, broken } = await traceNight(seed);
  const wrong = [...violations, ...unseen, ...broken.map(({ oracle, detail }) => `${oracle}: ${detail}`)];
  return {
    name: 'no byte before its fsync',
    isPassed: wrong.length === 0,
    detail:
      wrong.length === 0
        ? `${posts} POSTs, ${short} short files and ${streamed} streamed, each after its fsync`
        : wrong.join('; '),
  };
}

/** Watches the system calls of a mutant, which have to be in the wrong order. */
export async function traceMutant(seed: string, { name }: Mutant): Promise<TrialReport> {
  const { violations } = await traceNight(seed, name);
  const [first] = violations;
  return first === undefined
    ? { name, isPassed: false, detail: 'NOT CAUGHT by the order of system calls' }
    : { name, isPassed: true, detail: `order of system calls: ${first}` };
}

function tell(violations: readonly Violation[]): string {
  return violations.map(({ oracle, detail }) => `${oracle}: ${detail}`).join('; ');
}
