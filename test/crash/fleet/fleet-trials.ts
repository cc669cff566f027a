import type { TrialReport } from '../trials.ts';
import { withFleet } from './fleet.ts';
import { FLEET_MUTANTS, FLEET_TRIALS, type FleetMutant, type FleetTrial } from './fleet-mutants.ts';
import { fleetNight } from './fleet-night.ts';
import type { FleetViolation } from './fleet-oracle.ts';
import { faultyProgram, soundProgram } from './programs.ts';
import { LEASE_SECONDS, type Program } from './workers.ts';

/** Whether a fault reveals a mutant depends on what it hits: this many nights, each with other faults, are enough. */
const NIGHTS_OF_MUTANT = 4;
/** How often a fault may find nothing to hit before it is given up. */
const IN_VAIN_MAX = 3;

/**
 * Each kind of night with the sound program, which has to keep every promise, and then with each mutant of it, which
 * must not.
 * @param isWanted Called with the name of a mutant, or with that of a kind of night after `sound, `.
 */
export async function tryFleetMutants(
  seed: string,
  onTrial: (trial: TrialReport) => void,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly TrialReport[]> {
  const reports: TrialReport[] = [];
  const tell = (report: TrialReport): void => {
    reports.push(report);
    onTrial(report);
  };
  for (const [name, trial] of Object.entries<FleetTrial>(FLEET_TRIALS)) {
    if (isWanted(`sound, ${name}`)) {
      const sound = await violationsOf(seed, trial, soundProgram());
      const isPassed = sound.length === 0;
      tell({ name: `sound, ${name}`, isPassed, detail: isPassed ? 'every promise was kept' : inWords(sound) });
    }
    for (const mutant of FLEET_MUTANTS.filter((one) => one.trial === name && isWanted(one.name))) {
      tell(await nightsOf(mutant, seed, trial));
    }
  }
  return reports;
}

/** Runs night after night until the mutant is found. */
async function nightsOf(mutant: FleetMutant, seed: string, trial: FleetTrial): Promise<TrialReport> {
  for (let night = 1; ; night += 1) {
    const ofNight = night === 1 ? seed : `${seed}/${night}`;
    const report = found(mutant, await violationsOf(ofNight, trial, faultyProgram(mutant.patches)));
    if (report.isPassed || night === NIGHTS_OF_MUTANT) return report;
  }
}

function found({ name, foundBy }: FleetMutant, violations: readonly FleetViolation[]): TrialReport {
  const own = violations.filter(({ oracle }) => foundBy.includes(oracle));
  if (own.length > 0) return { name, isPassed: true, detail: inWords(own.slice(0, 1)) };
  return {
    name,
    isPassed: false,
    detail: `NOT CAUGHT by ${foundBy.join(', ')}; seen: ${inWords(violations) || 'nothing'}`,
  };
}

async function violationsOf(seed: string, trial: FleetTrial, program: Program): Promise<readonly FleetViolation[]> {
  const { workers, accounts, rows, cap, lagMs, leaseSeconds = LEASE_SECONDS, timeScale } = trial;
  return withFleet({ seed, workers, accounts, program, leaseSeconds }, async (fleet) => {
    if (timeScale !== undefined) for (const { gateway } of fleet.accounts) gateway.setBehaviour({ timeScale });
    if (lagMs !== undefined) for (const { proxy } of fleet.workers) proxy.lag(lagMs);
    const left = [...trial.faults];
    let inVain = 0;
    const { violations } = await fleetNight(fleet, {
      seed,
      number: 1,
      rows,
      lanes: 1,
      leaseSeconds,
      next: () => (inVain > IN_VAIN_MAX ? undefined : left[0]),
      onHit: () => void left.shift(),
      onVain: () => void (inVain += 1),
      ...(cap !== undefined && { cap }),
    });
    return violations;
  });
}

function inWords(violations: readonly FleetViolation[]): string {
  return violations
    .map(({ oracle, detail }) => `${oracle}: ${detail}`)
    .join('; ')
    .slice(0, 1500);
}
