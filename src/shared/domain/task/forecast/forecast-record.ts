import type { Stretch } from '../schedule.ts';
import type { Family, OperationPath } from '../../operations/operations.ts';
import type { Limit } from '../spending.ts';
import type { Money } from '../../base/money.ts';

/** Where the times of a forecast come from: what was seen at this gateway, what is usual, or some of each. */
export const FORECAST_SOURCES = ['learned', 'defaults', 'both'] as const;
export type ForecastSource = (typeof FORECAST_SOURCES)[number];

/** When a night ends: most likely, and between which times; milliseconds since the epoch. */
export interface ForecastEnd {
  readonly earliest: number;
  readonly likely: number;
  readonly latest: number;
}

/** Requests of an operation for which the profile names no price. */
export interface Unpriced {
  readonly operation: OperationPath;
  readonly requests: number;
}

/** What was foretold when a run of a batch began: kept with the batch, to be shown beside what came of it. */
export interface ForecastRecord {
  /** When it was foretold, in milliseconds since the epoch. */
  readonly at: number;
  readonly rows: number;
  /** Paid requests that the run makes, within its limits. */
  readonly requests: number;
  /** By currency; empty if nothing has a price. */
  readonly cost: readonly Money[];
  readonly unpriced: readonly Unpriced[];
  readonly diskBytes: number;
  readonly begins: number;
  /** Absent if it cannot be foretold: the windows never open long enough. */
  readonly ends?: ForecastEnd;
  readonly source: ForecastSource;
  /** The batch's own limit that it was foretold under; absent where nobody noted it. */
  readonly limit?: Limit;
  /** When something may be sent. */
  readonly windows: readonly Stretch[];
  readonly picture?: ForetoldPicture;
}

/** A night as a bar: equal parts from its beginning to its end. */
export interface ForetoldPicture {
  readonly from: number;
  readonly to: number;
  /** For each part, whether anything may be sent in it. */
  readonly open: readonly boolean[];
  /** For each family in use, how much of its places is taken in each part: 0 to 1. */
  readonly families: readonly { readonly family: Family; readonly busy: readonly number[] }[];
}
