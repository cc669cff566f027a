/**
 * What a forecast is based on: the requests that wait, what is known about their gateway, and what the run has to keep
 * to.
 */
import type { Money } from '../../base/money.ts';
import type { Profile } from '../../gateway/profile.ts';
import type { OperationPath } from '../../operations/operations.ts';
import type { Row } from '../../sheet/row.ts';
import type { Cap } from '../spending.ts';
import type { NightWork } from './simulate-night.ts';

/** Requests that ask for the same kind of thing: see `requestKindOf`. */
export interface WaitingKind {
  readonly operation: OperationPath;
  readonly model: string;
  readonly requestKind: number;
  /** One request of this kind is done in this batch. */
  readonly isVerified: boolean;
}

/** Rows that a run leaves out until the user says otherwise: they are held, or wait for a held row. */
export interface HeldWork {
  readonly rows: number;
  readonly requests: number;
  readonly operations: readonly OperationPath[];
}

/** The requests of a run that are still to be made, and what is at the gateway already. */
export interface WaitingWork extends Pick<NightWork, 'queue' | 'after' | 'inFlight'> {
  readonly kinds: readonly WaitingKind[];
  readonly rows: number;
  readonly held: HeldWork;
  /**
   * Finished takes of which gates have flagged a file or may yet flag one, and how often they have been made again so
   * far.
   */
  readonly flaggable: readonly { readonly operation: OperationPath; readonly made: number; readonly takes: number }[];
  /** Rows that an error keeps from running. */
  readonly invalidRows: number;
  /** Rows that ask for what a row before them asks for. */
  readonly repeated: readonly Pick<Row, 'operation' | 'takes'>[];
}

export const NOTHING_HELD: HeldWork = { rows: 0, requests: 0, operations: [] };

/** What is known about a gateway. */
export interface GatewayFacts {
  /** How long it took from submit to seen finished, in milliseconds, newest first. */
  readonly times: readonly {
    readonly operation: OperationPath;
    readonly model: string;
    readonly times: readonly number[];
  }[];
  /** How many bytes the files of one request had, on average. */
  readonly sizes: readonly { readonly operation: OperationPath; readonly bytes: number }[];
  /** The most that one request has recently cost according to the gateway, in each currency that it named. */
  readonly stated: readonly { readonly operation: OperationPath; readonly cost: Money }[];
}

/** For a gateway about which nothing is known. */
export const NO_FACTS: GatewayFacts = { times: [], sizes: [], stated: [] };

/** What the run has to keep to. */
export interface ForecastTerms {
  readonly limits: Profile['limits'];
  /** Empty for a rehearsal, which costs nothing. */
  readonly prices: Profile['prices'];
  readonly isRehearsal: boolean;
  readonly hasCanary: boolean;
  /** How often a take with a flagged file is rendered again at most. */
  readonly again: number;
  /** The spending limits, with what already counts against them. */
  readonly caps: readonly Cap[];
  /** The time zone whose calendar separates nights and months. */
  readonly zone: string;
  /** When the forecast is made and the run would begin, in milliseconds since the epoch. */
  readonly now: number;
  /** When the schedule is over; absent if it never is. */
  readonly finishBy?: number;
  /** The first time from `at` on at which something may be sent; Infinity if there is none. */
  readonly open: (at: number) => number;
  /** When the stretch that is open at `at` ends; Infinity if it does not. */
  readonly closes: (at: number) => number;
}
