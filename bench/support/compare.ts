import type { Bench, Measure, Probe, Settings } from './bench.ts';
import { throwIfInterrupted } from './child.ts';
import { formatFigure, printTable } from './report.ts';
import { THIS_TREE } from './trees.ts';
import { costRatio, judge } from './verdict.ts';
import { median } from './measure.ts';

/** Both sides of one measure, pair by pair. */
interface Compared {
  readonly measure: Measure;
  readonly isExact: boolean;
  readonly here: number[];
  readonly there: number[];
}

/** Compares this tree with another commit's by one entry, and prints what a change costs. */
export async function compareTrees(
  name: string,
  bench: Bench,
  other: string,
  pairs: number,
  settings: Settings,
): Promise<void> {
  console.log(`\n## ${name}\n`);
  if (bench.withProbes === undefined) {
    console.log('Nothing of ours alone is measured here.');
    return;
  }
  try {
    const compared = await bench.withProbes(settings, async (probes) => {
      const all: Compared[] = [];
      for (const probe of probes) all.push(...(await runInPairs(probe, other, pairs)));
      return all;
    });
    printTable([['what', 'unit', 'here', 'there', 'cost here / there', 'likely', ''], ...compared.map(cellsOf)]);
  } catch (error) {
    throwIfInterrupted();
    console.log(`Not compared: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** The sides take turns to go first, so that a machine that slows down favours neither. */
async function runInPairs(probe: Probe, other: string, pairs: number): Promise<readonly Compared[]> {
  const isExact = probe.isExact === true;
  const compared = probe.measures.map((measure): Compared => ({ measure, isExact, here: [], there: [] }));
  for (let pair = 0; pair < (isExact ? 1 : pairs); pair += 1) {
    const order = pair % 2 === 0 ? (['here', 'there'] as const) : (['there', 'here'] as const);
    for (const side of order) {
      const figures = await probe.run(side === 'here' ? THIS_TREE : other);
      for (const one of compared) one[side].push(one.measure.of(figures));
    }
  }
  return compared;
}

function cellsOf({ measure, isExact, here, there }: Compared): readonly string[] {
  if (there.some(Number.isNaN))
    return [measure.what, measure.unit, formatFigure(median(here)), '–', '–', '–', 'not measured there'];
  const costs = here.map((figure, i) => costRatio(measure.better, figure, there[i] ?? Number.NaN));
  const { ratio, low, high, verdict } = judge(costs, isExact);
  return [
    measure.what,
    measure.unit,
    formatFigure(median(here)),
    formatFigure(median(there)),
    `${formatFigure(ratio)}×`,
    `${formatFigure(low)} to ${formatFigure(high)}`,
    verdict,
  ];
}
