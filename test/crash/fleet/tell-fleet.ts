/** What the campaign over a fleet says while it runs, and at its end. */
import { availableParallelism } from 'node:os';
import { buildWorker } from '../built-child.ts';
import { runFleetCampaign, type FleetCampaignReport } from './fleet-campaign.ts';
import type { RowEnd } from './fleet-oracle.ts';
import { tryFleetMutants } from './fleet-trials.ts';
import { soundProgram } from './programs.ts';

const ROW_ENDS: readonly RowEnd[] = ['done', 'unknown, charged', 'unknown, not charged', 'failed', 'not begun'];
const WORKERS = 4;
const ACCOUNTS = 5;
/** A short campaign is one small night. */
const SHORT_ROWS = 80;
const LONG_ROWS = 300;
const SHORT_HITS = 20;

export interface FleetProof {
  readonly passed: number;
  readonly failed: number;
}

/** Runs the campaign and reports on it. */
export async function proveFleet(hits: number, seed: string): Promise<FleetProof> {
  const again = `npm run test:crash -- --fleet --kills ${hits} --seed ${seed}`;
  console.log(`Proof by kill over a fleet: ${hits} faults that hit, seed ${seed} (again: ${again})`);
  await buildWorker();
  const startedAt = performance.now();
  const isShort = hits <= SHORT_HITS;
  const report = await runFleetCampaign({
    hits,
    seed,
    program: soundProgram(),
    rows: isShort ? SHORT_ROWS : LONG_ROWS,
    workers: isShort ? 3 : WORKERS,
    accounts: isShort ? 3 : ACCOUNTS,
    onHit: ({ fault, worker, what, tasks }, count) => {
      const at = Math.round((performance.now() - startedAt) / 1000);
      const where = [fault.point, worker].filter((one) => one !== undefined).join(', ');
      console.log(
        `  ${`${at} s`.padStart(6)}  ${count}. ${fault.kind} ${where}: ${what}; ${tasks.length} rows in flight`,
      );
    },
    onNight: (number, night) => {
      const ends = ROW_ENDS.map((end) => `${[...night.ends.values()].filter((one) => one === end).length} ${end}`);
      console.log(`  night ${number}: ${night.hits.length} hits, ${night.inVain} in vain; rows: ${ends.join(', ')}`);
      const { beyondPace, mayBeBeyond, beyondPlaces } = night.limits;
      const pace = `${beyondPace.toFixed(1)} of ${mayBeBeyond.toFixed(1)} that may only seem so`;
      console.log(`    requests beyond an account's pace ${pace}, places beyond its own ${beyondPlaces}`);
      for (const why of night.pauses) console.log(`    paused: ${why}`);
      for (const { oracle, detail } of night.violations) console.log(`    BROKEN  ${oracle}: ${detail}`);
    },
  });
  tell(report);
  const broken = report.nights.filter(({ violations }) => violations.length > 0).length;
  if (broken > 0) console.log(`    again:  ${again}`);
  console.log(`  in ${Math.round((performance.now() - startedAt) / 1000)} s on ${availableParallelism()} processors`);
  return { passed: report.nights.length - broken, failed: broken + (report.isWhole ? 0 : 1) };
}

/**
 * Runs the mutants of a fleet, each in the night in which it must be found, and the sound program in the same nights.
 * @param only Only mutants with this in their names are tried.
 */
export async function proveFleetMutants(seed: string, only = ''): Promise<FleetProof> {
  const which = only === '' ? '' : ` --only ${JSON.stringify(only)}`;
  console.log(`Mutants of a fleet (again: npm run test:crash -- --fleet --mutants${which} --seed ${seed})`);
  await buildWorker();
  const trials = await tryFleetMutants(
    seed,
    ({ isPassed, name, detail }) => {
      console.log(`  ${isPassed ? 'ok  ' : 'FAIL'} ${name} | ${detail}`);
    },
    (name) => name.includes(only),
  );
  const passed = trials.filter(({ isPassed }) => isPassed).length;
  return { passed, failed: trials.length - passed };
}

function tell({ kinds, nights }: FleetCampaignReport): void {
  console.log(`\n  ${'fault'.padEnd(20)} hits   rows hit that ended ${ROW_ENDS.join(' / ')}`);
  for (const [kind, { hits, ends }] of kinds) {
    console.log(
      `  ${kind.padEnd(20)} ${String(hits).padStart(4)}   ${ROW_ENDS.map((end) => ends.get(end) ?? 0).join(' / ')}`,
    );
  }
  const all = nights.flatMap(({ ends }) => [...ends.values()]);
  const counts = ROW_ENDS.map((end) => `${all.filter((one) => one === end).length} ${end}`);
  console.log(
    `  ${nights.reduce((sum, { hits }) => sum + hits.length, 0)} in ${nights.length} nights; of all ${all.length} rows ${counts.join(', ')}`,
  );
}
