/**
 * `npm run simulate -- [--nights N] [--seconds S] [--seed N] [--lanes N] [--replay FILE] [--coverage] [--as-is]`: whole
 * nights, each from one seed, on a simulated clock, gateway, network, disk and user; in as many threads as there are
 * processors, or `--lanes`. The first night that breaks a promise is made as small as possible, written to a file, and
 * ends the run; with `--as-is`, it is only reported.
 */
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Coverage } from './coverage.ts';
import { endSeeds, lastSeeds, passInLanes, seedsFrom } from './lanes.ts';
import { makePlan } from './make-plan.ts';
import { runNight } from './night.ts';
import type { NightPlan } from './plan.ts';
import { nightText, readReplay, writeReplay } from './replay-file.ts';
import { shrink } from './shrink.ts';
import { SimDisk } from './sim-disk.ts';
import type { Violation } from './watch.ts';

const FOLDER = join(import.meta.dirname, '../../test-results/simulation');
const NIGHTS = 200;
/** As many as there are, if only a time ends them. */
const ALL_SEEDS = 1_000_000_000;
const HOUR_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    nights: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
    lanes: { type: 'string' },
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

/** Reports a night that failed, as small as it gets, and how to see it again. */
async function tell(plan: NightPlan, first: Violation): Promise<void> {
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
  const report = await runNight(readReplay(file), { disk });
  coverage.add(report.coverage);
  console.log(report.tail.join('\n'));
  for (const { rule, detail } of report.violations) console.log(`\n${rule}: ${detail}`);
  return report.violations.length === 0;
}

/** How many nights, if no time ends them. */
function mostNights(): number {
  const { nights, seconds, seed } = values;
  if (nights !== undefined) return wholeNumber('nights', nights);
  if (seconds !== undefined) return ALL_SEEDS;
  return seed === undefined ? NIGHTS : 1;
}

async function simulate(first: number): Promise<boolean> {
  const most = mostNights();
  const wanted = values.lanes === undefined ? availableParallelism() : wholeNumber('lanes', values.lanes);
  const lanes = Math.max(1, Math.min(wanted, most));
  const seeds = seedsFrom(first, most, lanes);
  console.log(`Nights from seed ${first}`);
  process.once('uncaughtExceptionMonitor', () => {
    console.error(`Nights under way: of seeds ${lastSeeds(seeds).join(', ')}`);
  });
  const forMs = values.seconds === undefined ? undefined : wholeNumber('seconds', values.seconds) * 1000;
  const timer = forMs === undefined ? undefined : setTimeout(() => endSeeds(seeds), forMs);
  const beganAt = performance.now();
  const used = process.cpuUsage();
  const { nights, turns, simulatedMs, coverage: counts, broken } = await passInLanes(seeds, lanes);
  clearTimeout(timer);
  coverage.add({ counts });
  if (broken !== undefined) {
    const plan = makePlan(broken);
    const [violation] = (await runNight(plan, { disk })).violations;
    if (violation === undefined) throw new Error(`The night of seed ${broken} breaks a promise, but not again.`);
    await tell(plan, violation);
    return false;
  }
  // Processor time, because a busy machine says nothing about a night.
  const { user, system } = process.cpuUsage(used);
  const tookS = (user + system) / 1e6;
  const seconds = (performance.now() - beganAt) / 1000;
  console.log(
    `${nights} nights, seeds ${first} to ${first + nights - 1}, in ${seconds.toFixed(1)} s and ${lanes} lanes; in each second of a`,
    `processor ${(nights / tookS).toFixed(1)} nights, ${(simulatedMs / HOUR_MS / tookS).toFixed(1)} simulated hours`,
    `and ${Math.round(turns / tookS)} turns. No promise was broken.`,
  );
  return true;
}

const seed = values.seed === undefined ? randomInt(1_000_000_000) : wholeNumber('seed', values.seed);
const isSound = values.replay === undefined ? await simulate(seed) : await replay(values.replay);
if (values.coverage === true) {
  console.log(coverage.report().join('\n'));
}
process.exitCode = isSound ? 0 : 1;
