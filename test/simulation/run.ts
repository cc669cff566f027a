/**
 * `npm run simulate -- [--nights N] [--seconds S] [--seed N] [--replay FILE] [--coverage] [--as-is]`: whole nights, each from one
 * seed, on a simulated clock, gateway, network, disk and user. The first night that breaks a promise is made as small
 * as possible, written down, and ends the run; with `--as-is`, it is only told of.
 */
import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { makePlan } from './make-plan.ts';
import { runNight, type NightReport } from './night.ts';
import type { NightPlan } from './plan.ts';
import { nightText, readReplay, writeReplay } from './replay-file.ts';
import { shrink } from './shrink.ts';
import { SimDisk } from './sim-disk.ts';

const FOLDER = join(import.meta.dirname, '../../test-results/simulation');
const NIGHTS = 200;
const HOUR_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    nights: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    replay: { type: 'string' },
    coverage: { type: 'boolean' },
    'as-is': { type: 'boolean' },
  },
});

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,10}$/u.test(text)) return Number(text);
  console.error(`--${name} must be a whole number, and is ${text}`);
  process.exit(2);
}

const disk = new SimDisk();
const coverage = new Coverage();
const totals = { nights: 0, turns: 0, simulatedMs: 0 };

async function tryNight(plan: NightPlan): Promise<NightReport> {
  const report = await runNight(plan, { disk });
  totals.nights += 1;
  totals.turns += report.turns;
  totals.simulatedMs += report.simulatedMs;
  coverage.add(report.coverage);
  return report;
}

/** Tells of a night that failed, as small as it gets, and how it is seen again. */
async function tell(plan: NightPlan, { violations: [first] }: NightReport): Promise<void> {
  if (first === undefined) return;
  console.log(`\nThe night of seed ${plan.seed} breaks “${first.rule}”: ${first.detail}`);
  if (values['as-is'] === true) return;
  console.log('Making it smaller …');
  const fails = async (smaller: NightPlan): Promise<boolean> => {
    const { violations } = await runNight(smaller, { disk });
    return violations[0]?.rule === first.rule;
  };
  const smallest = await shrink(plan, fails);
  const { violations, tail } = await runNight(smallest, { disk });
  const [breaks = first] = violations;
  const file = join(FOLDER, `seed-${plan.seed}.json`);
  writeReplay(file, { breaks, plan: smallest });
  console.log(`\n${tail.join('\n')}\n\n${nightText(smallest)}\n\n${breaks.rule}: ${breaks.detail}`);
  console.log(`\nAgain: npm run simulate -- --replay ${file}`);
}

async function replay(file: string): Promise<boolean> {
  const report = await tryNight(readReplay(file));
  console.log(report.tail.join('\n'));
  for (const { rule, detail } of report.violations) console.log(`\n${rule}: ${detail}`);
  return report.violations.length === 0;
}

async function simulate(first: number): Promise<boolean> {
  const { nights, seconds, seed } = values;
  const isOpenEnded = seconds !== undefined && nights === undefined;
  const few = seed === undefined ? NIGHTS : 1;
  const most = isOpenEnded ? Number.POSITIVE_INFINITY : nights === undefined ? few : wholeNumber('nights', nights);
  const forMs = seconds === undefined ? Number.POSITIVE_INFINITY : wholeNumber('seconds', seconds) * 1000;
  const beganAt = performance.now();
  const used = process.cpuUsage();
  for (let n = 0; n < most && performance.now() - beganAt < forMs; n += 1) {
    const plan = makePlan(first + n);
    const report = await tryNight(plan);
    if (report.violations.length === 0) continue;
    await tell(plan, report);
    return false;
  }
  // Of a processor: a busy machine says nothing about a night.
  const { user, system } = process.cpuUsage(used);
  const tookS = (user + system) / 1e6;
  const last = first + totals.nights - 1;
  console.log(
    `${totals.nights} nights, seeds ${first} to ${last}; in each second of a processor`,
    `${(totals.nights / tookS).toFixed(1)} nights, ${(totals.simulatedMs / HOUR_MS / tookS).toFixed(1)} simulated hours`,
    `and ${Math.round(totals.turns / tookS)} turns. No promise was broken.`,
  );
  return true;
}

const seed = values.seed === undefined ? randomInt(1_000_000_000) : wholeNumber('seed', values.seed);
const isSound = values.replay === undefined ? await simulate(seed) : await replay(values.replay);
if (values.coverage === true) {
  for (const [what, count] of coverage.counts) console.log(`${String(count).padStart(9)}  ${what}`);
  for (const what of coverage.missing) console.log(`    never  ${what}`);
}
process.exitCode = isSound ? 0 : 1;
