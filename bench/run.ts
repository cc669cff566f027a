/**
 * `npm run bench` measures everything, `npm run bench -- NAME …` a part, `--compare REF` what this tree costs against
 * another commit. Not a test: a busy machine fails nothing.
 */
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { commands } from './commands.ts';
import { csv } from './csv.ts';
import { download } from './download.ts';
import { edit } from './edit.ts';
import { engine, engineBusy } from './engine.ts';
import { gallery } from './gallery.ts';
import { fleet, fleetLarge, fleetPaced } from './fleet.ts';
import { largeNight } from './large-night.ts';
import { memory } from './memory.ts';
import { packaged } from './packaged.ts';
import { poll } from './poll.ts';
import { simulation } from './simulation.ts';
import { storeUpdates } from './store-updates.ts';
import type { Bench } from './support/bench.ts';
import { interrupt } from './support/child.ts';
import { compareTrees } from './support/compare.ts';
import { parseOptions, USAGE, type BenchOptions } from './support/options.ts';
import { printReport, tableOfGoals, type Report } from './support/report.ts';
import { buildContenders, buildTree, THIS_TREE, withCommit } from './support/trees.ts';
import { TOLERANCE } from './support/verdict.ts';
import { views } from './views.ts';
import { window } from './window.ts';
import { xlsx } from './xlsx.ts';

const ENTRIES: Readonly<Record<string, Bench>> = {
  engine,
  'engine-busy': engineBusy,
  'store-updates': storeUpdates,
  csv,
  xlsx,
  edit,
  views,
  download,
  poll,
  simulation,
  memory,
  commands,
  window,
  gallery,
  packaged,
  'large-night': largeNight,
  fleet,
  'fleet-paced': fleetPaced,
  'fleet-large': fleetLarge,
};

/** Goals that no entry measures, and where to find them. */
const ELSEWHERE = ['15, the whole test command on 2 cores: ≤ 9 min. `npm test` prints the seconds of each step.'];

type Named = readonly (readonly [name: string, bench: Bench])[];

async function measureAll(wanted: Named, options: BenchOptions): Promise<void> {
  if (wanted.some(([, { isBuilt }]) => isBuilt)) await buildTree(THIS_TREE);
  await buildContenders([THIS_TREE]);
  const before = machine();
  const reports: Report[] = [];
  const startedMs = performance.now();
  for (const [, { report }] of wanted) {
    const reportMs = performance.now();
    const found = await report(options);
    printReport(found, (performance.now() - reportMs) / 1000);
    reports.push(found);
  }
  const minutes = ((performance.now() - startedMs) / 60_000).toFixed(1);
  const goals = tableOfGoals(reports);
  if (goals.length > 0) console.log(`\n## Goals, measured in ${minutes} min\n\n${goals.join('\n')}`);
  if (options.goals !== undefined)
    writeFileSync(options.goals, [`Before: ${before}. After: ${machine()}.`, '', ...goals, ''].join('\n'));
  console.log(`\nNot measured here:\n${ELSEWHERE.map((goal) => `  ${goal}`).join('\n')}`);
}

async function compareAll(wanted: Named, ref: string, options: BenchOptions): Promise<void> {
  await withCommit(ref, async (tree, commit) => {
    if (wanted.some(([, { isBuilt }]) => isBuilt)) for (const each of [THIS_TREE, tree]) await buildTree(each);
    await buildContenders([THIS_TREE, tree]);
    console.log(`Here: this tree. There: ${commit.slice(0, 12)} (${ref}), with this tree's packages.`);
    for (const [name, bench] of wanted) await compareTrees(name, bench, tree, options.pairs, options);
    console.log(
      `\nMedians of ${options.pairs} pairs in turn. Cost above 1: here is worse. Likely: where the true ratio lies, nine times in ten.\n` +
        `No loss: all of that is below ${TOLERANCE}. Loss: all of it is above 1. Else the machine was too noisy: more --pairs.`,
    );
  });
}

/** Includes the load: on a busy machine only processor time says much. */
function machine(): string {
  return (
    `${new Date().toISOString().slice(0, 16)}, Node ${process.versions.node}, ${process.platform} ${process.arch}, ` +
    `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB, ` +
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(' ')}`
  );
}

const parsed = parseOptions(process.argv.slice(2), Object.keys(ENTRIES));
if (parsed.ok) {
  const options = parsed.value;
  const wanted = Object.entries(ENTRIES).filter(([name]) => options.names.length === 0 || options.names.includes(name));
  // Code that waits for a child then cleans up its temporary folders.
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.once(signal, () => {
      process.exitCode = code;
      interrupt();
    });
  }
  try {
    console.log(machine());
    if (options.compareWith === undefined) await measureAll(wanted, options);
    else await compareAll(wanted, options.compareWith, options);
    console.log(machine());
  } catch (error) {
    if (process.exitCode === undefined) throw error;
    console.error('Interrupted.');
  }
} else {
  console.error(`${parsed.error}\n${USAGE}`);
  process.exitCode = 2;
}
