import { roundsOf, scaled, type Bench, type Measure, type Settings } from './support/bench.ts';
import { numberOf, runContender, runInTurn } from './support/run-contender.ts';

const NIGHTS = 1000;
const GOAL = { bound: 'at least', value: 100 } as const;

const MEASURES: readonly Measure[] = [
  { what: 'simulated nights', figure: 'nightsPerS' },
  { what: 'simulated hours', figure: 'hoursPerS' },
  { what: 'turns', figure: 'turnsPerS' },
].map(({ what, figure }) => ({ what, unit: 'per s', better: 'more', of: (figures) => numberOf(figures, figure) }));

function run(settings: Settings, tree?: string) {
  return runContender('our-simulation', { nights: scaled(NIGHTS, settings, 50) }, tree);
}

/** How many simulated nights fit into a second of one processor: the cost of a proof of time and order. */
export const simulation: Bench = {
  report: async (settings) => {
    const rounds = roundsOf(settings);
    const [figures] = await runInTurn([() => run(settings)], rounds);
    if (figures === undefined) throw new Error('Our side gave nothing.');
    return {
      title: 'simulation: whole nights, in each second of one processor',
      lines: MEASURES.map(({ what, unit, of }, i) => ({
        what,
        unit,
        ours: of(figures),
        ...(i === 0 ? { goal: GOAL } : {}),
      })),
      notes: [`Seeds 1 to ${scaled(NIGHTS, settings, 50)}, warm; medians of ${rounds} rounds.`],
    };
  },
  withProbes: (settings, work) => work([{ measures: MEASURES, run: (tree) => run(settings, tree) }]),
};
