import { roundsOf, scaled, type Bench, type Measure, type Settings } from './support/bench.ts';
import type { Report } from './support/report.ts';
import { numberOf, runInTurn, withRows, type RunRows } from './support/run-contender.ts';

const FEW = 100;
const MANY = 100_000;
/** A sheet that the block fits into, row by row. */
const PASTED = 2_000;
/** Hardly noticeable: a sheet with 100,000 rows feels like one with 100. */
const GOAL = { bound: 'at most', value: 3 } as const;

const measure = (what: string, figure: string): Measure => ({
  what,
  unit: 'ms',
  better: 'less',
  of: (figures) => numberOf(figures, figure),
});

const MEASURES: readonly Measure[] = [
  measure('one cell, checked and on the disk', 'cellMs'),
  measure('one row inserted in the middle', 'insertMs'),
  measure('a block of 2,000 × 5 cells', 'pasteMs'),
  measure('all rows checked anew', 'recheckMs'),
  measure('longest block meanwhile', 'recheckBlockMs'),
  measure('a cell of every row cleared', 'clearMs'),
  measure('longest block meanwhile', 'clearBlockMs'),
];

/** What an edit costs in a large sheet compared with a small one. */
export const edit: Bench = {
  report: (settings) => withRows('our-edit', (run) => compare(settings, run)),
  withProbes: (settings, work) =>
    withRows('our-edit', (run) =>
      work([{ measures: MEASURES, run: (tree) => run(scaled(MANY, settings, 5000), tree) }]),
    ),
};

async function compare(settings: Settings, run: RunRows): Promise<Report> {
  const rounds = roundsOf(settings);
  const rows = scaled(MANY, settings, 5000);
  const [many, few, pasted] = await runInTurn([() => run(rows), () => run(FEW), () => run(PASTED)], rounds);
  if (many === undefined || few === undefined || pasted === undefined) throw new Error('A contender gave nothing.');
  const line = (what: string, figure: string, rival = few) => ({
    what,
    unit: 'ms',
    ours: numberOf(many, figure),
    rival: numberOf(rival, figure),
    goal: GOAL,
  });
  return {
    title: `edit: a sheet of ${rows.toLocaleString('en-GB')} rows / of ${FEW}`,
    lines: [
      line('one cell, checked and on the disk', 'cellMs'),
      line('one row inserted in the middle', 'insertMs'),
      line('a block of 2,000 × 5 cells / in a sheet of 2,000 rows', 'pasteMs', pasted),
      {
        what: 'longest block while all rows are checked anew',
        unit: 'ms',
        ours: numberOf(many, 'recheckBlockMs'),
        goal: { bound: 'at most', value: 50 },
      },
      { what: 'all rows checked anew', unit: 'ms', ours: numberOf(many, 'recheckMs') },
      {
        what: 'longest block while a cell of every row is cleared',
        unit: 'ms',
        ours: numberOf(many, 'clearBlockMs'),
        goal: { bound: 'at most', value: 100 },
      },
      { what: 'a cell of every row cleared', unit: 'ms', ours: numberOf(many, 'clearMs') },
    ],
    notes: [
      `Each edit with its checks across rows, one transaction (many rows: part by part), synchronous=FULL; medians of ${rounds} rounds in turn.`,
    ],
  };
}
