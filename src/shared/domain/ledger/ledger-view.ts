/** What the ledger asks the store for, and what it shows: for a batch, for a night, or for everything since a day. */
import type { Reason } from '../base/reason.ts';
import type { FailureCode } from '../base/failure.ts';
import type { Money } from '../base/money.ts';
import type { OperationPath } from '../operations/operations.ts';
import type { ForecastRecord } from '../task/forecast/forecast-record.ts';
import type { BatchPause, BatchRecord, BatchState } from '../task/batch.ts';
import type { Limit } from '../task/spending.ts';
import type { ShownTake } from '../task/task.ts';
import type { LedgerFigures, LedgerTakes } from './ledger-figures.ts';
import type { LedgerMoney, LedgerRequests, PaidRequest } from './ledger-money.ts';
import type { TakeFacts } from './take-stage.ts';

/** Which paid requests are meant: those of these batches, or only those of one night or one period among them. */
export interface LedgerScope {
  readonly batchIds: readonly string[];
  readonly night?: number;
  /** Milliseconds since the epoch. */
  readonly from?: number;
}

/** One night of the calendar. Times are milliseconds since the epoch. */
export interface NightSummary {
  readonly id: number;
  readonly beganAt: number;
  /** Absent while it runs, or was interrupted. */
  readonly endedAt?: number;
  /** When anything last happened in it; only for a night that has not ended and that no process works on. */
  readonly interruptedAt?: number;
  readonly batchIds: readonly string[];
  /** Nothing was paid for it: it ran on the built-in gateway. */
  readonly rehearsal: boolean;
  /** Takes that were verified in it. */
  readonly verified: number;
  /** Requests that were, or may have been, charged. */
  readonly requests: number;
  /** What they cost, by currency. */
  readonly costs: readonly { readonly amount: number; readonly currency: string }[];
}

/** One stretch of the timeline, from `at` on. */
export interface TimelinePoint {
  readonly at: number;
  readonly submitted: number;
  readonly verified: number;
  readonly failed: number;
  /** Takes at the gateway at its end. */
  readonly active: number;
  /** Requests that the gateway refused because they came too fast. */
  readonly limited: number;
}

/** A period in which a batch stood still. */
export interface TimelinePause {
  readonly batchId: string;
  readonly from: number;
  /** Absent while it lasts. */
  readonly to?: number;
  /** Absent where the user paused it. */
  readonly code?: FailureCode;
}

export interface Timeline {
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  readonly points: readonly TimelinePoint[];
  readonly pauses: readonly TimelinePause[];
}

/** A take in a group, for a list. */
export interface LedgerRow extends ShownTake {
  readonly key: number;
  readonly row: string;
  readonly take: number;
  readonly operation?: OperationPath;
  readonly label: string;
  /** Why it is in the group, in the gateway's words or the sheet's. */
  readonly reason?: string;
  /** Which text of the catalogue the reason is, like {@link Failure.reason}. */
  readonly said?: Reason;
  /** The user holds its row. */
  readonly isHeld?: true;
}

/** What happened in one stretch of time, as the store counts it; bucket -1 is everything before the first. */
export interface CountedStretch {
  readonly bucket: number;
  readonly kind: 'submitted' | 'limited' | 'accepted' | 'ended' | 'verified' | 'failed';
  readonly n: number;
}

/** A change of a batch's state. */
export interface BatchChange {
  readonly batchId: string;
  readonly at: number;
  readonly state: BatchState;
  readonly pause?: BatchPause;
}

/** What the store is asked for. Everything except the rows is a count: as quick for 100,000 rows as for ten. */
export interface LedgerViews {
  /** Every take of these batches, by its facts. */
  takes(batchIds: readonly string[]): Promise<readonly LedgerTakes[]>;
  requests(scope: LedgerScope): Promise<readonly LedgerRequests[]>;
  /** When the first request was sent and the last thing happened; undefined if nothing was sent. */
  span(scope: LedgerScope): Promise<{ readonly from: number; readonly to: number } | undefined>;
  stretches(scope: LedgerScope, from: number, to: number, stepMs: number): Promise<readonly CountedStretch[]>;
  changes(batchIds: readonly string[]): Promise<readonly BatchChange[]>;
  /** The first forecast for each of these batches: for the night, or since the beginning. */
  forecasts(scope: LedgerScope): Promise<readonly { readonly batchId: string; readonly forecast: ForecastRecord }[]>;
  /** Batches whose rows were removed: what was paid for them still counts. */
  removed(): Promise<readonly BatchRecord[]>;
  /**
   * Newest first.
   * @param isAtWork Whether a process works on the store: without one, an open night was interrupted.
   */
  nights(limit: number, isAtWork: boolean): Promise<readonly NightSummary[]>;
  night(id: number, isAtWork: boolean): Promise<NightSummary | undefined>;
  /** The takes of a batch with one of these facts, in order of the sheet. */
  rows(batchId: string, facts: readonly TakeFacts[], limit: number): Promise<readonly LedgerRow[]>;
  /** One by one, oldest first. */
  paidRequests(scope: LedgerScope): AsyncIterable<PaidRequest>;
}

/** A batch of a ledger, with its forecast beside what came of it, both for the same night or period. */
export interface LedgerBatchView extends Pick<BatchRecord, 'id' | 'name' | 'finishedAt'> {
  readonly rehearsal: boolean;
  readonly foretold?: {
    readonly requests: number;
    readonly cost: readonly Money[];
    /** Milliseconds since the epoch; absent if it could not be foretold. */
    readonly ends?: number;
    /** The limit of the batch that it was foretold under; absent where nobody noted it. */
    readonly limit?: Limit;
    readonly came: {
      readonly requests: number;
      readonly cost: readonly Money[];
      /** So many of the requests were for earlier versions of what is there now; absent if none was. */
      readonly earlier?: number;
      /** When it last ended in that time; absent if it did not, or went on. */
      readonly ended?: number;
      /** It ended, and ran on with rows that the forecast was not about, such as changed ones. */
      readonly ranAgain?: true;
    };
  };
}

/** A whole ledger. */
export interface Ledger extends LedgerFigures {
  /** The night that it is about, if it is about one. */
  readonly night?: NightSummary;
  readonly batches: readonly LedgerBatchView[];
  /** Its batches also ran at other times: what is planned counts all of it, what is spent counts this period alone. */
  readonly isPart: boolean;
  readonly money: LedgerMoney;
  /** Absent if nothing was sent yet. */
  readonly timeline?: Timeline;
}
