import type { Figures } from '../contender.ts';
import type { Measure, Probe } from './bench.ts';
import type { Goal, Line } from './report.ts';
import { numberOf, runContender } from './run-contender.ts';

export const ROWS = 100_000;
export const COLUMNS = 20;
/** Runs of a reader differ by far less than readers do. */
export const SHEET_ROUNDS = 2;

/** Goals for two readers of one sheet: ratios ours / rival. */
interface SheetGoals {
  readonly time?: Goal;
  readonly cpu?: Goal;
  readonly rss?: Goal;
}

/** Time, processor time and memory of two readers of one sheet. */
export function compareSheets(what: string, ours: Figures, rival: Figures, goals: SheetGoals = {}): readonly Line[] {
  const line = (name: string, unit: string, figure: string, goal: Goal | undefined): Line => ({
    what: `${what}${name}`,
    unit,
    ours: numberOf(ours, figure),
    rival: numberOf(rival, figure),
    ...(goal && { goal }),
  });
  return [
    line('', 'ms', 'wallMs', goals.time),
    line(', processor', 'ms', 'cpuMs', goals.cpu),
    line(', largest RSS', 'MiB', 'rssMiB', goals.rss),
  ];
}

/** Our reading of a sheet, and our way to committed rows. */
export function sheetProbes(path: string, folder: string): readonly Probe[] {
  return [
    { measures: measuresOf('rows'), run: (tree) => runContender('our-sheet', { path }, tree) },
    { measures: measuresOf('committed rows'), run: (tree) => runContender('our-import', { path, folder }, tree) },
  ];
}

function measuresOf(what: string): readonly Measure[] {
  const of = (figure: string) => (figures: Figures) => numberOf(figures, figure);
  return [
    { what, unit: 'ms', better: 'less', of: of('wallMs') },
    { what: `${what}, processor`, unit: 'ms', better: 'less', of: of('cpuMs') },
    { what: `${what}, largest RSS`, unit: 'MiB', better: 'less', of: of('rssMiB') },
  ];
}

/** Whether all readers found the same cells. */
export function agreement(format: string, readers: readonly Figures[], rounds: number): readonly string[] {
  const digests = new Set(readers.map((figures) => figures['digest']));
  return [
    `${format}: every cell is ${digests.size === 1 ? 'the same' : 'NOT THE SAME'} by all readers.`,
    `Medians of ${rounds} rounds in turn, each run in a new process.`,
  ];
}
