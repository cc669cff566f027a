import { mkdirSync, rmSync } from 'node:fs';
import type { ContenderInput, ContenderName, Figures } from './contender.ts';
import { roundsOf, scaled, type Bench, type Measure, type Probe, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Line, Report } from './support/report.ts';
import { numberOf, runContender, runInTurn } from './support/run-contender.ts';

const TASKS = 100_000;
/** At the gateway, and updated in turn. */
const RENDERING = 10_000;
/** What 2,000 changes a second amount to in 50 ms. */
const GROUP = 100;
const RATE = 2000;
const TEXTS = 20;

/**
 * How many changes and jobs a second get safely to the disk, what they do to the loop, and how fast texts are found.
 */
export const storeUpdates: Bench = {
  report: (settings) => inFolders((run) => compare(settings, run)),
  withProbes: (settings, work) => inFolders((run) => work(probes(settings, run))),
};

type RunStore = (name: ContenderName, input: ContenderInput, tree?: string) => Promise<Figures>;

/** Each run has a folder of its own, gone afterwards. */
function inFolders<T>(work: (run: RunStore) => Promise<T>): Promise<T> {
  return inTemporaryFolder((all) => {
    let count = 0;
    return work(async (name, input, tree) => {
      const folder = `${all}/${(count += 1)}`;
      mkdirSync(folder);
      const figures = await runContender(name, { ...input, folder }, tree);
      rmSync(folder, { recursive: true });
      return figures;
    });
  });
}

/** The inputs of both sides. */
function inputsOf(settings: Settings) {
  const tasks = scaled(TASKS, settings, 1000);
  const rendering = scaled(RENDERING, settings, 500);
  return {
    updates: { tasks, rendering, updates: scaled(30_000, settings, 1000), group: GROUP, singles: 500 },
    bareUpdates: { tasks, updates: scaled(3000, settings, 500) },
    rate: { tasks: rendering, rendering, perSecond: RATE, seconds: 5 },
    jobs: { jobs: scaled(10_000, settings, 500), group: GROUP },
    tableJobs: { jobs: scaled(1500, settings, 100) },
    filter: { tasks, texts: TEXTS },
  };
}

function measure(what: string, unit: string, better: Measure['better'], figure: string): Measure {
  return { what, unit, better, of: (figures) => numberOf(figures, figure) };
}

function probes(settings: Settings, run: RunStore): readonly Probe[] {
  const inputs = inputsOf(settings);
  return [
    {
      run: (tree) => run('store-updates', inputs.updates, tree),
      measures: [
        measure('updates in groups', 'per s', 'more', 'perSecond'),
        measure('CPU of an update in a group', 'ms', 'less', 'cpuMs'),
      ],
    },
    {
      run: (tree) => run('our-paced-updates', inputs.rate, tree),
      measures: [
        measure(`event-loop delay p99 at ${RATE} updates/s`, 'ms', 'less', 'loopP99Ms'),
        measure(`CPU of 5 s at ${RATE} updates/s`, 'ms', 'less', 'cpuMs'),
      ],
    },
    { run: (tree) => run('our-jobs', inputs.jobs, tree), measures: [measure('jobs', 'per s', 'more', 'perSecond')] },
    {
      run: (tree) => run('our-filter', inputs.filter, tree),
      measures: [measure('text filter', 'ms', 'less', 'cpuMs')],
    },
  ];
}

async function compare(settings: Settings, run: RunStore): Promise<Report> {
  const inputs = inputsOf(settings);
  const rounds = roundsOf(settings);
  const figures = await runInTurn(
    [
      () => run('store-updates', inputs.updates),
      () => run('bare-updates', inputs.bareUpdates),
      () => run('our-paced-updates', inputs.rate),
      () => run('bare-paced-updates', inputs.rate),
      () => run('our-jobs', inputs.jobs),
      () => run('bare-jobs', inputs.tableJobs),
      () => run('queue-jobs', { jobs: 100_000 }),
      () => run('our-filter', inputs.filter),
      () => run('bare-filter', inputs.filter),
      () => run('bare-grouped-updates', inputs.updates),
      () => run('bare-grouped-jobs', inputs.jobs),
    ],
    rounds,
  );
  return {
    title: `store-updates: a store of ${inputs.updates.tasks.toLocaleString('en-GB')} tasks`,
    lines: linesOf(figures),
    notes: [
      `Ours: every change with its event, in groups of ${GROUP}; jobs in three states, each durable. The rivals: one small`,
      'table of SQLite and one commit each; jobs the way plainjob keeps them, which wants a SQLite of its own; p-queue in',
      `memory. All with synchronous=FULL; ${rounds} rounds in turn. A text is searched in all rows, and one has it.`,
      'The floor: that small table with one event for each step, in the same groups, in one thread. What it is above one',
      'commit each is the most that 4b and 3 can be on this disk.',
    ],
  };
}

function linesOf(figures: readonly Figures[]): readonly Line[] {
  const [updates, bare, paced, barePaced, jobs, bareJobs, queueJobs, filter, bareFilter, leastUpdates, leastJobs] =
    figures;
  if (!updates || !bare || !paced || !barePaced || !jobs || !bareJobs || !queueJobs || !filter || !bareFilter) {
    throw new Error('A contender gave nothing.');
  }
  if (!leastUpdates || !leastJobs) throw new Error('A floor gave nothing.');
  const line = (what: string, unit: string, figure: string, ours: Figures, rival: Figures) => ({
    what,
    unit,
    ours: numberOf(ours, figure),
    rival: numberOf(rival, figure),
  });
  const loop = `event-loop delay p99 at ${RATE} updates/s`;
  return [
    {
      ...line('updates in groups / SQLite, one commit each', 'per s', 'perSecond', updates, bare),
      goal: { id: '4b', bound: 'at least', value: 8 },
    },
    line('… / the floor', 'per s', 'perSecond', updates, leastUpdates),
    line('the floor / SQLite, one commit each', 'per s', 'perSecond', leastUpdates, bare),
    line('CPU of an update in a group / SQLite', 'ms', 'cpuMs', updates, bare),
    line('CPU of an update in a group / the floor', 'ms', 'cpuMs', updates, leastUpdates),
    {
      what: 'updates in groups / ours, one commit each',
      unit: 'per s',
      ours: numberOf(updates, 'perSecond'),
      rival: numberOf(updates, 'singlePerSecond'),
    },
    { what: loop, unit: 'ms', ours: numberOf(paced, 'loopP99Ms'), goal: { id: '5', bound: 'at most', value: 4 } },
    {
      ...line(`${loop} / commits on the loop`, 'ms', 'loopP99Ms', paced, barePaced),
      goal: { id: '5', bound: 'at most', value: 1 / 3 },
    },
    line(`updates/s of ${RATE}`, 'per s', 'perSecond', paced, barePaced),
    {
      ...line('jobs / a table of jobs', 'per s', 'perSecond', jobs, bareJobs),
      goal: { id: '3', bound: 'at least', value: 8 },
    },
    line('jobs / the floor', 'per s', 'perSecond', jobs, leastJobs),
    line('the floor / a table of jobs', 'per s', 'perSecond', leastJobs, bareJobs),
    {
      ...line('jobs / p-queue in memory', 'per s', 'perSecond', jobs, queueJobs),
      goal: { id: '3', bound: 'at least', value: 0.75 },
    },
    {
      ...line('text filter / LIKE', 'ms', 'wallMs', filter, bareFilter),
      goal: { id: '11', bound: 'at most', value: 1 / 400 },
    },
  ];
}
