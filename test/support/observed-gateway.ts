import { createHash } from 'node:crypto';
import type { Charge } from '../../src/gateway-sim/charge-log.ts';
import { parseBehaviour, type BehaviourInput, type BehaviourProblem } from '../../src/gateway-sim/faults/behaviour.ts';
import { FaultBook } from '../../src/gateway-sim/faults/fault-book.ts';
import type { GatewayAccount, GatewayState } from '../../src/gateway-sim/gateway-state.ts';
import { CONTENT_TYPES, outputBytes, outputsOf, outputUrl } from '../../src/gateway-sim/media/planned-outputs.ts';
import { dataResultOf } from '../../src/gateway-sim/media/data-results.ts';
import { startGateway, type BuiltInGatewayOptions, type StartFailure } from '../../src/gateway-sim/start-gateway.ts';
import type { JsonObject } from '../../src/shared/domain/base/json.ts';
import { ok, type Result } from '../../src/shared/domain/base/result.ts';

/** The gateway's own knowledge of one file that a task gives. */
export interface GatewayOutput {
  readonly index: number;
  /** The URL that a poll would give now. */
  readonly url: string;
  readonly sha256: string;
  /** Length in bytes. */
  readonly bytes: number;
  readonly mediaType: string;
}

/** What the gateway has seen so far. */
export interface GatewayStats {
  /** Submit requests that reached the gateway, answered or not. */
  readonly submits: number;
  readonly charges: number;
  readonly polls: number;
  readonly downloads: number;
  /** Requests for media or to the second origin that carried the `aiKey` header: a client must never do that. */
  readonly keyLeaks: number;
  /** Submits refused because of their body: the text of each, the last 100. */
  readonly rejections: readonly string[];
}

/** A built-in gateway that a test can look into, and whose clock and behaviour it controls. */
export interface ObservedGateway {
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
  /** The data result of a task, for operations that give data, as a poll shows it once the task has finished. */
  dataResult(taskCode: string): JsonObject | undefined;
  /** When a task finishes, milliseconds since the epoch by the gateway's clock; undefined for an unknown code. */
  finishesAt(taskCode: string): number | undefined;
  stats(): GatewayStats;
  /** What each key has asked for, if limits are per key. */
  accounts(): ReadonlyMap<string, Readonly<GatewayAccount>>;
  /**
   * Changes the behaviour from now on; what the patch does not name stays. Rules in `faults` start counting again when
   * given. `pathPrefix` cannot be changed while the gateway runs: the base URL was handed out.
   */
  setBehaviour(patch: Omit<BehaviourInput, 'pathPrefix'>): Result<void, readonly BehaviourProblem[]>;
  /** Moves the gateway's clock on: tasks finish and URLs expire without waiting. */
  advance(ms: number): void;
}

/** Starts a built-in gateway as a rehearsal does, under a test's control. */
export async function startObservedGateway(
  options: BuiltInGatewayOptions = {},
): Promise<Result<ObservedGateway, StartFailure>> {
  const { now = Date.now } = options;
  let advancedMs = 0;
  const started = await startGateway({ ...options, now: () => now() + advancedMs });
  if (!started.ok) return started;
  const { baseUrl, state } = started.value;
  let behaviour = options.behaviour ?? {};
  return ok({
    baseUrl,
    otherOrigin: state.otherOrigin,
    close: () => started.value.close(),
    chargeLog: () => [...state.charges.entries],
    outputs: (taskCode) => describeOutputs(state, taskCode),
    dataResult(taskCode) {
      const task = state.tasks.find(taskCode);
      return task && task.failure === undefined ? dataResultOf(task) : undefined;
    },
    finishesAt: (taskCode) => state.tasks.find(taskCode)?.finishesAt,
    stats() {
      const { requests: _, rejections, ...counters } = state.counters;
      return { ...counters, charges: state.charges.entries.length, rejections: [...rejections] };
    },
    accounts: () => state.accounts,
    setBehaviour(patch) {
      const wanted = mergeBehaviour(behaviour, { ...patch, pathPrefix: state.behaviour.pathPrefix });
      const parsed = parseBehaviour(wanted);
      if (!parsed.ok) return parsed;
      behaviour = wanted;
      state.behaviour = parsed.value;
      if (patch.faults) state.faults = new FaultBook(parsed.value.faults, state.seed);
      return ok(undefined);
    },
    advance(ms) {
      advancedMs += ms;
    },
  });
}

function describeOutputs(gateway: GatewayState, taskCode: string): readonly GatewayOutput[] {
  const task = gateway.tasks.find(taskCode);
  if (!task) return [];
  return outputsOf(task, gateway.behaviour).map((output) => {
    const content = outputBytes(gateway, task, output);
    return {
      index: output.index,
      url: outputUrl(gateway, task, output),
      sha256: createHash('sha256').update(content).digest('hex'),
      bytes: content.length,
      mediaType: CONTENT_TYPES[output.format],
    };
  });
}

/** Lays a patch over a behaviour input: objects are merged key by key, everything else (lists, too) is replaced. */
export function mergeBehaviour(base: BehaviourInput, patch: BehaviourInput): BehaviourInput {
  return mergeObjects(base, patch);
}

type PlainObject = Readonly<Record<string, unknown>>;

function mergeObjects(base: PlainObject, patch: PlainObject): PlainObject {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, wanted] of Object.entries(patch)) {
    const current = merged[key];
    merged[key] =
      isPlainObject(current) && isPlainObject(wanted) && !('law' in wanted) ? mergeObjects(current, wanted) : wanted;
  }
  return merged;
}

function isPlainObject(candidate: unknown): candidate is PlainObject {
  return typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate);
}
