import type { ContenderName, Figures } from './contender.ts';
import { roundsOf, scaled, type Bench, type Measure, type Settings } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import type { Goal, Line, Report } from './support/report.ts';
import { numberOf, runContender, runInTurn, withGateway } from './support/run-contender.ts';

interface Nights {
  readonly rows: number;
  readonly inFlight: number;
  /** Against the script that keeps nothing. */
  readonly cpu: Goal;
  readonly rivals: readonly ContenderName[];
}

/** What a task costs the processor, submit to done, against scripts without and with our promises; and the loop. */
export const engine = nightsOf({
  rows: 500,
  inFlight: 100,
  cpu: { id: '1a', bound: 'at most', value: 1 },
  rivals: ['script-night', 'durable-script-night'],
});

/** The same with five times as many tasks at the gateway. */
export const engineBusy = nightsOf({
  rows: 1500,
  inFlight: 500,
  cpu: { id: '1c', bound: 'at most', value: 0.8 },
  rivals: ['script-night'],
});

/** Runs nights of a contender against one gateway, each in a folder of its own. */
type RunNight = (name: ContenderName, more?: { readonly intervalMs: number }, tree?: string) => Promise<Figures>;

function nightsOf(nights: Nights): Bench {
  return {
    report: (settings) => withNights(nights, settings, (run) => compare(nights, settings, run)),
    withProbes: (settings, work) =>
      withNights(nights, settings, (run) =>
        work([{ measures: MEASURES, run: (tree) => run('our-night', undefined, tree) }]),
      ),
  };
}

function withNights<T>(
  { rows, inFlight }: Nights,
  settings: Settings,
  work: (run: RunNight) => Promise<T>,
): Promise<T> {
  const behaviour = {
    timeScale: 1,
    durations: { 'videogen-a': { law: 'lognormal', medianSeconds: 4, sigma: 0.35 } },
    media: { detail: 'tiny' },
    times: { format: 'milliseconds' },
  } as const;
  return inTemporaryFolder((folder) =>
    withGateway(folder, behaviour, (baseUrl) => {
      let night = 0;
      const common = { baseUrl, rows: scaled(rows, settings, 20), inFlight };
      const ours = { operation: 'videogen-a/video/generate', sampleEvery: 0 };
      return work((name, more, tree) =>
        runContender(name, { ...common, ...ours, ...more, folder: `${folder}/${(night += 1)}` }, tree),
      );
    }),
  );
}

function cpuPerTask(figures: Figures): number {
  return numberOf(figures, 'cpuMs') / numberOf(figures, 'tasks');
}

const MEASURES: readonly Measure[] = [
  { what: 'CPU', unit: 'ms/task', better: 'less', of: cpuPerTask },
  { what: 'mean latency', unit: 'ms', better: 'less', of: (figures) => numberOf(figures, 'latencyMs') },
  { what: 'polls', unit: 'per task', better: 'less', of: (figures) => numberOf(figures, 'polls') },
  { what: 'event-loop delay p99', unit: 'ms', better: 'less', of: (figures) => numberOf(figures, 'loopP99Ms') },
  { what: 'RSS', unit: 'MiB', better: 'less', of: (figures) => numberOf(figures, 'maxRssMiB') },
];

async function compare({ inFlight, rivals, cpu }: Nights, settings: Settings, run: RunNight): Promise<Report> {
  const intervalMs = await fairInterval(run);
  const rounds = roundsOf(settings);
  const [ours, script, durable] = await runInTurn(
    [() => run('our-night'), ...rivals.map((rival) => () => run(rival, { intervalMs }))],
    rounds,
  );
  if (ours === undefined || script === undefined) throw new Error('A contender gave nothing.');
  const at = `${inFlight} in flight`;
  const against = (name: string, rival: Figures): readonly Line[] =>
    MEASURES.map(({ what, unit, of }) => ({
      what: `${what}, ${at} / ${name}`,
      unit,
      ours: of(ours),
      rival: of(rival),
    }));
  const [, ...ofScript] = against('a script', script);
  return {
    title: `engine: submit to a verified, synced file, ${at}`,
    lines: [
      { what: `CPU, ${at} / a script`, unit: 'ms/task', ours: cpuPerTask(ours), rival: cpuPerTask(script), goal: cpu },
      ...ofScript,
      ...(durable === undefined ? [] : linesOfDurable(at, ours, durable)),
    ],
    notes: [
      'The script: p-queue, fetch and writeFile, asking at the fixed interval that gives our mean latency. It keeps and',
      'checks nothing. The durable script commits each state with SQLite before it goes on, hashes, syncs file and folder.',
      'The event loop: how late a timer rings, p99. The durable script commits on its loop, as a simple program does.',
      `${numberOf(ours, 'tasks')} tasks of about 4 s, ${rounds} rounds in turn; the rivals ask every ${intervalMs} ms.`,
    ],
  };
}

function linesOfDurable(at: string, ours: Figures, durable: Figures): readonly Line[] {
  const loop = { what: `event-loop delay p99, ${at}`, unit: 'ms', ours: numberOf(ours, 'loopP99Ms') };
  return [
    {
      what: `CPU, ${at} / a durable script`,
      unit: 'ms/task',
      ours: cpuPerTask(ours),
      rival: cpuPerTask(durable),
      goal: { id: '1b', bound: 'at most', value: 1 / 3 },
    },
    {
      what: `mean latency, ${at} / a durable script`,
      unit: 'ms',
      ours: numberOf(ours, 'latencyMs'),
      rival: numberOf(durable, 'latencyMs'),
    },
    { ...loop, goal: { id: '2', bound: 'at most', value: 4 } },
    {
      ...loop,
      what: `${loop.what} / commits on the loop`,
      rival: numberOf(durable, 'loopP99Ms'),
      goal: { id: '2', bound: 'at most', value: 1 / 5 },
    },
  ];
}

/**
 * The interval with which the script is as late as we are: half of it on average, and what its own loop and the network
 * add, which one night of it shows.
 */
async function fairInterval(run: RunNight): Promise<number> {
  const wantedMs = numberOf(await run('our-night'), 'latencyMs');
  const firstMs = Math.round(2 * wantedMs);
  const hadMs = numberOf(await run('script-night', { intervalMs: firstMs }), 'latencyMs');
  return Math.max(100, Math.round(firstMs + 2 * (wantedMs - hadMs)));
}
