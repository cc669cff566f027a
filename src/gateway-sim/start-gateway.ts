import type { JsonObject } from '../shared/domain/json.ts';
import type { Result } from '../shared/domain/result.ts';
import type { BehaviourInput, BehaviourProblem } from './behaviour.ts';
import type { Charge } from './charge-log.ts';
import type { GatewayOutput } from './outputs.ts';

/** What the gateway has seen so far. */
export interface GatewayStats {
  /** Submit requests that reached the gateway, answered or not. */
  readonly submits: number;
  readonly charges: number;
  readonly polls: number;
  readonly downloads: number;
  /** Requests for media, on either origin, that carried the `aiKey` header: a client must never do that. */
  readonly keyLeaks: number;
  /** Submits refused for what their body holds; each one's text. The last 100 are kept. */
  readonly rejections: readonly string[];
}

/** A built-in gateway that is listening. */
export interface RunningGateway {
  /** With the fixed path prefix: `http://127.0.0.1:PORT/api`. */
  readonly baseUrl: string;
  /** The origin that cross-origin redirects lead to. */
  readonly otherOrigin: string;
  /** Stops listening and cuts what is still open. */
  close(): Promise<void>;
  /** All charges so far, oldest first. */
  chargeLog(): readonly Charge[];
  /** The files of a task, as they are or will be; empty for results that are data, or for an unknown code. */
  outputs(taskCode: string): readonly GatewayOutput[];
  /** The data result of a task as it is served, for operations that give data. */
  dataResult(taskCode: string): JsonObject | undefined;
  stats(): GatewayStats;
  /** Changes the behaviour from now on; what the patch does not name stays. Rules in `faults` start counting anew when given. */
  setBehaviour(patch: BehaviourInput): Result<void, readonly BehaviourProblem[]>;
  /** Moves the gateway's clock on: tasks finish and URLs expire without waiting. */
  advance(ms: number): void;
}

export interface GatewayOptions {
  /** 0, the default, takes a free one. */
  readonly port?: number;
  readonly host?: string;
  /** The same seed, behaviour and requests give the same codes, durations, faults and bytes. */
  readonly seed?: number;
  readonly behaviour?: BehaviourInput;
  /** Charges are appended here, one JSON document a line, before the submit is answered. */
  readonly chargeLogFile?: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Which keys are valid; replaces the behaviour's own list. */
  readonly acceptKey?: (key: string) => boolean;
}

/** Why the gateway did not start. */
export type StartFailure =
  | { readonly kind: 'behaviour-invalid'; readonly problems: readonly BehaviourProblem[] }
  | { readonly kind: 'port-unavailable'; readonly message: string }
  | { readonly kind: 'charge-log-unwritable'; readonly message: string };
