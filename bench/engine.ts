import type { ContenderName, Figures } from './contender.ts';
import { roundsOf, scaled, type Bench, type Measure, type Settings } from './support/bench.ts';
import { fairInterval, isAsLate, type Polled } from './support/fair-interval.ts';
import { inTemporaryFolder, mean } from './support/measure.ts';
import type { Goal, Line, Report } from './support/report.ts';
import { mediansOf, numberOf, runContender, withGateway } from './support/run-contender.ts';

interface Nights {
  readonly rows: number;
  readonly inFlight: number;
  /** The median time that the gateway takes for a task. */
  readonly renderSeconds: number;
  /** Against the script that keeps nothing. */
  readonly cpu: Goal;
  readonly rivals: readonly Rival[];
}

type Rival = Extract<ContenderName, 'script-night' | 'durable-script-night' | 'floor-night'>;

/**
 * What a task costs the processor from submit to done, against scripts with and without our promises; and how late the
 * loop is.
 */
export const engine = nightsOf({
  rows: 800,
  inFlight: 100,
  renderSeconds: 1,
  cpu: { id: '1a', bound: 'at most', value: 1 },
  rivals: ['script-night', 'durable-script-night', 'floor-night'],
});

/** The same with five times as many tasks at the gateway. */
export const engineBusy = nightsOf({
  rows: 1500,
  inFlight: 500,
  renderSeconds: 4,
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
  { rows, inFlight, renderSeconds }: Nights,
  settings: Settings,
  work: (run: RunNight) => Promise<T>,
): Promise<T> {
  const behaviour = {
    timeScale: 1,
    durations: { 'videogen-a': { law: 'lognormal', medianSeconds: renderSeconds, sigma: 0.35 } },
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

async function compare(nights: Nights, settings: Settings, run: RunNight): Promise<Report> {
  const { inFlight, rivals, cpu, renderSeconds } = nights;
  const rounds = roundsOf(settings);
  const { ours, ofRivals } = await runAsLate(run, rivals, rounds);
  const script = ofRivals.get('script-night');
  if (script === undefined) throw new Error('The script gave nothing.');
  const [durable, floor] = [ofRivals.get('durable-script-night'), ofRivals.get('floor-night')];
  const at = `${inFlight} in flight`;
  return {
    title: `engine: submit to a verified, synced file, ${at}`,
    lines: [
      { what: `CPU, ${at} / a script`, unit: 'ms/task', ours: cpuPerTask(ours), rival: cpuPerTask(script), goal: cpu },
      ...MEASURES.filter(({ what }) => what !== 'CPU').map(({ what, unit, of }) => ({
        what: `${what}, ${at} / a script`,
        unit,
        ours: of(ours),
        rival: of(script),
      })),
      ...latencyLines(at, 'a script', ours, script),
      ...(durable === undefined ? [] : linesOfDurable(at, ours, durable)),
      ...(floor === undefined ? [] : linesOfFloor(at, ours, floor)),
    ],
    notes: [
      'All are built and keep what Node compiles, as the program that users run. The script: p-queue, fetch and writeFile. It',
      'keeps and checks nothing. The durable script commits each state with SQLite before it goes on, hashes, syncs file and',
      'folder. The floor: the requests dispatched bare, a small row a state in shared commits, each file synced and linked.',
      'The rivals ask at fixed intervals, found anew until they see an end as late as we do, within a tenth.',
      'The event loop: how late a timer rings, p99. The durable script commits on its loop, as a simple program does.',
      `${numberOf(ours, 'tasks')} tasks of about ${renderSeconds} s, ${rounds} rounds in turn. Intervals: ${rivals
        .map((name) => `${name} ${Math.round(numberOf(ofRivals.get(name) ?? {}, 'intervalMs'))} ms`)
        .join(', ')}.`,
    ],
  };
}

function latencyLines(at: string, name: string, ours: Figures, rival: Figures): readonly Line[] {
  return [['p99 of latency', 'latencyP99Ms'] as const, ['longest latency', 'latencyMaxMs'] as const].map(
    ([what, figure]) => ({
      what: `${what}, ${at} / ${name}`,
      unit: 'ms',
      ours: numberOf(ours, figure),
      rival: numberOf(rival, figure),
    }),
  );
}

function linesOfDurable(at: string, ours: Figures, durable: Figures): readonly Line[] {
  const loop = { what: `event-loop delay p99, ${at}`, unit: 'ms', ours: numberOf(ours, 'loopP99Ms') };
  return [
    ...cpuAndLatency(at, 'a durable script', ours, durable, { id: '1b', bound: 'at most', value: 1 / 3 }),
    { ...loop, goal: { id: '2', bound: 'at most', value: 4 } },
    {
      ...loop,
      what: `${loop.what} / commits on the loop`,
      rival: numberOf(durable, 'loopP99Ms'),
      goal: { id: '2', bound: 'at most', value: 1 / 5 },
    },
  ];
}

function linesOfFloor(at: string, ours: Figures, floor: Figures): readonly Line[] {
  return cpuAndLatency(at, 'the floor', ours, floor, { id: '1d', bound: 'at most', value: 1.3 });
}

function cpuAndLatency(at: string, name: string, ours: Figures, rival: Figures, goal: Goal): readonly Line[] {
  return [
    { what: `CPU, ${at} / ${name}`, unit: 'ms/task', ours: cpuPerTask(ours), rival: cpuPerTask(rival), goal },
    {
      what: `mean latency, ${at} / ${name}`,
      unit: 'ms',
      ours: numberOf(ours, 'latencyMs'),
      rival: numberOf(rival, 'latencyMs'),
    },
  ];
}

/** How often a night is run again because a rival was not as late as we are. */
const MOST_AGAIN = 2;

/**
 * The medians of nights run in turn. A rival's night counts if it was as late as ours were so far; otherwise it is run
 * again, up to {@link MOST_AGAIN} times in a row, and the closest counts.
 */
async function runAsLate(run: RunNight, rivals: readonly Rival[], rounds: number) {
  const ours: Figures[] = [];
  const known = new Map<Rival, Polled[]>(rivals.map((name) => [name, []]));
  const counted = new Map<Rival, Figures[]>(rivals.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    ours.push(await run('our-night'));
    const wantedMs = mean(ours.map((figures) => numberOf(figures, 'latencyMs')));
    const offBy = (figures: Figures): number => Math.abs(numberOf(figures, 'latencyMs') - wantedMs);
    for (const name of rivals) {
      const nights: Figures[] = [];
      const polled = known.get(name) ?? [];
      for (let again = 0; again <= MOST_AGAIN; again += 1) {
        const intervalMs = fairInterval(polled, wantedMs);
        const figures = { ...(await run(name, { intervalMs })), intervalMs };
        const night = { intervalMs, latencyMs: numberOf(figures, 'latencyMs') };
        nights.push(figures);
        polled.push(night);
        if (isAsLate(night, wantedMs)) break;
      }
      const closest = nights.toSorted((a, b) => offBy(a) - offBy(b))[0];
      if (closest !== undefined) counted.get(name)?.push(closest);
    }
  }
  return { ours: mediansOf(ours), ofRivals: new Map([...counted].map(([name, runs]) => [name, mediansOf(runs)])) };
}
