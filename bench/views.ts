import { roundsOf, scaled, type Bench, type Measure } from './support/bench.ts';
import { numberOf, runInTurn, withRows } from './support/run-contender.ts';

const ROWS = 100_000;

const ASKED: readonly { readonly name: string; readonly what: string }[] = [
  { name: 'page', what: 'a page from the middle' },
  { name: 'filter', what: 'a filter by status and operation' },
  { name: 'search', what: 'a text that one row has' },
  { name: 'commonSearch', what: 'a text that all rows have' },
  { name: 'sorted', what: 'the last page by label' },
  { name: 'export', what: 'an export' },
];

const MEASURES: readonly Measure[] = ASKED.map(({ name, what }) => ({
  what,
  unit: 'ms',
  better: 'less',
  of: (figures) => numberOf(figures, `${name}Ms`),
}));

/** What the window asks of a large batch, and how long that blocks the engine's loop. */
export const views: Bench = {
  report: (settings) =>
    withRows('our-views', async (run) => {
      const rows = scaled(ROWS, settings, 5000);
      const rounds = roundsOf(settings);
      const [ours] = await runInTurn([() => run(rows)], rounds);
      if (ours === undefined) throw new Error('Our side gave nothing.');
      return {
        title: `views: a batch of ${rows.toLocaleString('en-GB')} rows`,
        lines: ASKED.flatMap(({ name, what }) => [
          { what, unit: 'ms', ours: numberOf(ours, `${name}Ms`) },
          {
            what: `${what}: longest block of the loop`,
            unit: 'ms',
            ours: numberOf(ours, `${name}BlockMs`),
            goal: { id: '17', bound: 'at most', value: 50 },
          },
        ]),
        notes: [`The slowest of five of each, the first of them with nothing in memory; medians of ${rounds} rounds.`],
      };
    }),
  withProbes: (settings, work) =>
    withRows('our-views', (run) =>
      work([{ measures: MEASURES, run: (tree) => run(scaled(ROWS, settings, 5000), tree) }]),
    ),
};
