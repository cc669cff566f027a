import { median } from './measure.ts';

/** What one side costs for each unit that the other costs: above 1, `here` is worse. */
export function costRatio(better: 'less' | 'more', here: number, there: number): number {
  // Even if both are 0.
  if (here === there) return 1;
  return better === 'less' ? here / there : there / here;
}

/** What a comparison of two commits says about one measure. */
export interface Judged {
  /** Median of the pairs' ratios; above 1, this tree costs more. */
  readonly ratio: number;
  /** Where the true ratio is likely to be. */
  readonly low: number;
  readonly high: number;
  readonly verdict: 'no loss' | 'loss' | 'not told apart';
}

/** How often the interval should contain the true median. */
const CONFIDENCE = 0.9;
/** A loss of less than this counts as none: none of our machines could distinguish it from the heat of the day. */
export const TOLERANCE = 1.05;

/**
 * Judges the cost ratios this / other of pairs that ran next to each other. The interval is that of the sign test for
 * the median: it assumes nothing about the noise except that it affects both sides alike, and a few outliers do not
 * move it. No loss: all of it is within the tolerance. Loss: all of it is above 1. Otherwise, and with too few pairs
 * for an interval, the verdict is “not told apart”. `isExact`: the figures have no noise, and one pair is enough.
 */
export function judge(ratios: readonly number[], isExact = false): Judged {
  const sorted = ratios.toSorted((a, b) => a - b);
  const ratio = median(ratios);
  const cut = isExact ? 0 : orderWithin(sorted.length);
  const low = sorted[cut ?? 0] ?? Number.NaN;
  const high = sorted.at(-1 - (cut ?? 0)) ?? Number.NaN;
  return { ratio, low, high, verdict: cut === undefined ? 'not told apart' : verdictOf(low, high) };
}

function verdictOf(low: number, high: number): Judged['verdict'] {
  if (high <= TOLERANCE) return 'no loss';
  return low > 1 ? 'loss' : 'not told apart';
}

/** How many of the sorted ratios may be left out at each end; undefined if even all of them are not enough. */
function orderWithin(count: number): number | undefined {
  let outside = 0.5 ** count;
  let binomial = 1;
  let cut: number | undefined;
  for (let k = 0; k < count / 2 && 1 - 2 * outside >= CONFIDENCE; k += 1) {
    cut = k;
    binomial = (binomial * (count - k)) / (k + 1);
    outside += binomial * 0.5 ** count;
  }
  return cut;
}
