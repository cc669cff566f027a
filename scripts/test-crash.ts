/**
 * Proof by kill: the engine dies at named points and at any time, until its nights are over, and the gateway's own
 * charge log and files say whether it kept its promises. Mutants show that the proof would notice.
 *
 *   npm run test:crash -- [--kills N] [--seed TEXT] [--lanes N] [--report FILE]
 *   npm run test:crash -- --fleet [--kills N | --mutants [--only TEXT]] [--seed TEXT]     the same with workers that share a store on a server
 *   npm run test:crash -- --night SEED --recipe NAME --deaths LIST     one night again, as printed where it failed
 */
import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildChild } from '../test/crash/built-child.ts';
import { formatPlan, parseDeaths, POINTS, runCampaign, type CampaignReport } from '../test/crash/campaign.ts';
import type { Recovery } from '../test/crash/child-protocol.ts';
import { proveFleet, proveFleetMutants } from '../test/crash/fleet/tell-fleet.ts';
import { MUTANTS } from '../test/crash/mutants.ts';
import { RECIPES, type RecipeName } from '../test/crash/recipes.ts';
import { whyNoTrace } from '../test/crash/trace.ts';
import { traceMutant, traceSound, tryMutant, type TrialReport } from '../test/crash/trials.ts';
import { TEST_HOUR, zoneAt } from '../test/support/zone-at.ts';
import { runWorld, type WorldPlan, type WorldReport } from '../test/crash/world.ts';

/** Every point of death at least once; `--kills 1000` is for an overnight run. */
const DEFAULT_KILLS = 30;
const DEFAULT_LANES = 2;
/** The mutant of a fleet whose night needs no fault. */
const FLEET_MUTANT = 'permission by job';
/** Faults of a fleet that belong to every proof; `--fleet --kills 300` is the long one. */
const FLEET_HITS = 8;

// Every life is a process of its own: the types are stripped only once for all of them.
process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '../node_modules/.cache/compiled');
process.env['TZ'] = zoneAt(TEST_HOUR);

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: `${DEFAULT_KILLS}` },
    fleet: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    only: { type: 'string' },
    seed: { type: 'string' },
    lanes: { type: 'string', default: `${DEFAULT_LANES}` },
    report: { type: 'string' },
    night: { type: 'string' },
    recipe: { type: 'string', default: 'plain' },
    deaths: { type: 'string', default: 'none' },
  },
});

function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1) throw new Error(`--${name} takes a whole number from 1 on: ${text}`);
  return number;
}

function tellBroken(plan: WorldPlan, report: WorldReport): void {
  for (const { oracle, detail } of report.violations) console.log(`    BROKEN  ${oracle}: ${detail}`);
  console.log(`    again:  npm run test:crash -- ${formatPlan(plan).join(' ')}`);
}

async function replay(seed: string, recipe: string, deaths: string): Promise<boolean> {
  if (!Object.hasOwn(RECIPES, recipe)) throw new Error(`No such recipe: ${recipe}`);
  const plan: WorldPlan = { seed, recipe: recipe as RecipeName, deaths: parseDeaths(deaths) };
  const report = await runWorld(plan);
  console.log(`${report.deaths.length} of ${plan.deaths.length} kills struck: ${report.deaths.join(', ')}`);
  if (report.violations.length > 0) tellBroken(plan, report);
  else console.log('Every promise was kept.');
  return report.violations.length === 0;
}

function tellCampaign(report: CampaignReport): void {
  const count = (oracle: string): number =>
    report.broken.flatMap((night) => night.report.violations).filter((violation) => violation.oracle === oracle).length;
  const sorted = report.recoveries.toSorted((a, b) => a.ms - b.ms);
  const kills = [...report.kills.values()].reduce((sum, n) => sum + n, 0);
  console.log(`\n  ${'point'.padEnd(30)} kills`);
  for (const point of POINTS) console.log(`  ${point.padEnd(30)} ${String(report.kills.get(point) ?? 0).padStart(5)}`);
  console.log(`  ${'all'.padEnd(30)} ${String(kills).padStart(5)}, in ${report.nights} nights\n`);
  console.log(`  duplicate charges  ${count('duplicate charge')}`);
  console.log(`  lost rows          ${count('lost row')}`);
  console.log(`  wrong files        ${count('wrong file')}`);
  console.log(`  recovery           p50 ${ms(sorted[sorted.length >> 1])}, longest ${ms(sorted.at(-1))}`);
  console.log(
    `  unknown            ${report.unknownByKill} by kills, never more than were under way; ` +
      `of all unknown, ${report.unknownCharged} had been charged`,
  );
  console.log(`  parts left behind  ${report.leftoverParts}, cleared away at the next start`);
  for (const point of report.missed) console.log(`  NOT REACHED OFTEN ENOUGH: ${point}`);
}

function ms(recovery: Recovery | undefined): string {
  if (recovery === undefined) return 'none';
  return `${Math.round(recovery.ms)} ms (${Math.round(recovery.waitedMs)} of them waiting for a processor)`;
}

function tellTrial(trial: TrialReport): TrialReport {
  console.log(`  ${trial.isPassed ? 'ok  ' : 'FAIL'} ${trial.name} | ${trial.detail}`);
  return trial;
}

/** Every mutant, and the order of system calls; what cannot be checked on this machine is reported and left out. */
async function runTrials(seed: string, lanes: number): Promise<readonly TrialReport[]> {
  const trials = MUTANTS.flatMap((mutant) => {
    const { trial } = mutant;
    return trial === undefined ? [] : [() => tryMutant(`${seed}/mutant`, mutant, trial)];
  });
  const obstacle = whyNoTrace();
  if (obstacle === undefined) {
    trials.push(() => traceSound(`${seed}/trace`));
    const traced = MUTANTS.filter(({ isTraced }) => isTraced === true);
    trials.push(...traced.map((mutant) => () => traceMutant(`${seed}/trace`, mutant)));
  } else {
    console.log(`  left out: the order of system calls, and the mutants that only it can find: ${obstacle}`);
  }
  const reports: TrialReport[] = [];
  const lane = async (): Promise<void> => {
    for (let trial = trials.shift(); trial !== undefined; trial = trials.shift())
      reports.push(tellTrial(await trial()));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return reports;
}

async function prove(): Promise<boolean> {
  const seed = values.seed ?? `${randomInt(2 ** 31)}`;
  const kills = wholeNumber('kills', values.kills);
  console.log(
    `Proof by kill: ${kills} kills, seed ${seed} (again: npm run test:crash -- --kills ${kills} --seed ${seed})`,
  );
  const startedAt = performance.now();
  const lanes = wholeNumber('lanes', values.lanes);
  const campaign = await runCampaign({
    kills,
    seed,
    lanes,
    onNight: (plan, report, killsSoFar) => {
      console.log(`  night ${plan.seed}, ${plan.recipe}: ${report.deaths.length} kills, ${killsSoFar} so far`);
      if (report.violations.length > 0) tellBroken(plan, report);
    },
  });
  tellCampaign(campaign);
  console.log('\nMutants, and the order of system calls:');
  const trials = await runTrials(seed, lanes);
  // Windows cannot suspend a process and let it go on.
  const fleets =
    process.platform === 'linux'
      ? [await proveFleet(FLEET_HITS, seed), await proveFleetMutants(seed, FLEET_MUTANT)]
      : [];
  const fleet = {
    passed: fleets.reduce((sum, one) => sum + one.passed, 0),
    failed: fleets.reduce((sum, one) => sum + one.failed, 0),
  };
  const passed =
    campaign.nights - campaign.broken.length + trials.filter((trial) => trial.isPassed).length + fleet.passed;
  const failed =
    campaign.broken.length + campaign.missed.length + trials.filter((trial) => !trial.isPassed).length + fleet.failed;
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify({ passed, failed }));
  console.log(`\n${passed} passed, ${failed} failed in ${Math.round((performance.now() - startedAt) / 1000)} s`);
  return failed === 0;
}

if (values.fleet) {
  const seed = values.seed ?? `${randomInt(2 ** 31)}`;
  const hits = wholeNumber('kills', values.kills);
  const counts = await (values.mutants ? proveFleetMutants(seed, values.only) : proveFleet(hits, seed));
  if (values.report !== undefined) writeFileSync(values.report, JSON.stringify(counts));
  process.exit(counts.failed === 0 ? 0 : 1);
}
await buildChild();
const isKept = values.night === undefined ? await prove() : await replay(values.night, values.recipe, values.deaths);
process.exitCode = isKept ? 0 : 1;
