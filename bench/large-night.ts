import type { Bench, Measure, Settings } from './support/bench.ts';
import { scaled } from './support/bench.ts';
import { inTemporaryFolder } from './support/measure.ts';
import { numberOf, runContender, withGateway } from './support/run-contender.ts';
import type { Figures } from './contender.ts';

const FEW = 1000;
const MANY = 10_000;
const LONG = 100_000;
/** A comparison of two commits needs many nights. */
const COMPARED = 5000;

const MEASURES: readonly Measure[] = [
  { what: 'RSS', unit: 'MiB', better: 'less', of: (figures) => numberOf(figures, 'nightRssMiB') },
  {
    what: 'CPU',
    unit: 'ms/task',
    better: 'less',
    of: (figures) => numberOf(figures, 'cpuMs') / numberOf(figures, 'tasks'),
  },
];

/** How much more memory a night of 10,000 rows, or one of 100,000, needs than one of 1,000, and how long it takes. */
export const largeNight: Bench = {
  report: (settings) =>
    withNights(async (run) => {
      const few = await run(scaled(FEW, settings, 20));
      const many = await run(scaled(settings.isLong ? LONG : MANY, settings, 100));
      const tasks = numberOf(many, 'tasks');
      const rows = tasks.toLocaleString('en-GB');
      return {
        title: `large-night: ${rows} rows, through the whole engine`,
        lines: [
          {
            what: `RSS of ${rows} rows beyond that of ${numberOf(few, 'tasks').toLocaleString('en-GB')}`,
            unit: 'MiB',
            ours: numberOf(many, 'nightRssMiB') - numberOf(few, 'nightRssMiB'),
            goal: { id: '17', bound: 'at most', value: 20 },
          },
          {
            what: `RSS, ${rows} rows`,
            unit: 'MiB',
            ours: numberOf(many, 'nightRssMiB'),
            rival: numberOf(few, 'nightRssMiB'),
          },
          { what: 'throughput', unit: 'tasks/s', ours: (tasks / numberOf(many, 'wallMs')) * 1000 },
          {
            what: 'exceptions',
            unit: 'tasks',
            ours: numberOf(many, 'exceptions'),
            goal: { bound: 'at most', value: 0 },
          },
        ],
        notes: [
          'The largest resident set of the process that runs the night; the batch was made by another. One night each,',
          `all operations, 100 in flight a family. ${settings.isLong ? '--scale 0.1 takes a tenth of the rows.' : 'The goal is for 100,000 rows, which --long takes.'}`,
        ],
      };
    }),
  withProbes: (settings: Settings, work) =>
    withNights((run) => work([{ measures: MEASURES, run: (tree) => run(scaled(COMPARED, settings, 100), tree) }])),
};

type RunNight = (rows: number, tree?: string) => Promise<Figures>;

function withNights<T>(work: (run: RunNight) => Promise<T>): Promise<T> {
  return inTemporaryFolder((folder) =>
    withGateway(
      folder,
      { timeScale: 0.001, media: { detail: 'tiny' }, times: { format: 'milliseconds' } },
      (baseUrl) => {
        let night = 0;
        return work(async (rows, tree) => {
          const own = `${folder}/${(night += 1)}`;
          const input = { baseUrl, folder: own, rows, inFlight: 100, operation: 'all' };
          await runContender('our-prepared-night', input, tree);
          return runContender('our-waiting-night', input, tree);
        });
      },
    ),
  );
}
