import type { Figures } from '../contender.ts';
import type { Report } from './report.ts';

/** How large and how often an entry measures. */
export interface Settings {
  readonly scale: number;
  readonly rounds: number | undefined;
  readonly sheetjs: string | undefined;
  readonly isLong: boolean;
}

/** What one run of our side shows, for a comparison of two commits. */
export interface Measure {
  readonly what: string;
  readonly unit: string;
  readonly better: 'less' | 'more';
  /** Not a number if an older commit did not measure it yet. */
  readonly of: (figures: Figures) => number;
}

/** One run of our side, in this tree or in another commit's. */
export interface Probe {
  readonly measures: readonly Measure[];
  readonly run: (tree: string) => Promise<Figures>;
  /** Simulated: there is no noise, so one run of each side is enough. */
  readonly isExact?: true;
}

/** An entry of the bench. */
export interface Bench {
  /** Measures ours against the rivals. */
  readonly report: (settings: Settings) => Promise<Report>;
  /** Prepares what our side needs during `work`. Absent if there is nothing by which to compare two commits. */
  readonly withProbes?: <T>(settings: Settings, work: (probes: readonly Probe[]) => Promise<T>) => Promise<T>;
  /** It runs what is built in `out`. */
  readonly isBuilt?: true;
}

/** A number of rows or files at the wanted scale; never fewer than `least`, because fewer would measure nothing. */
export function scaled(count: number, { scale }: Settings, least = 1): number {
  return Math.max(Math.min(least, count), Math.round(count * scale));
}

const DEFAULT_ROUNDS = 3;

/** How many rounds in turn; `enough` if an entry needs fewer. */
export function roundsOf({ rounds }: Settings, enough = DEFAULT_ROUNDS): number {
  return rounds ?? enough;
}
