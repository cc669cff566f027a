import type { Operation } from '../shared/domain/operations/operations.ts';
import { RESULT_OPERATIONS } from '../shared/domain/operations/operations.ts';
import type { Answer } from './routes/answers.ts';
import { failureEnvelope, replyJson } from './routes/answers.ts';
import type { Behaviour } from './faults/behaviour.ts';
import { scoped } from './faults/behaviour.ts';
import type { ChargeLog } from './charge-log.ts';
import type { FaultBook } from './faults/faults.ts';
import type { RateLimits } from './faults/limits.ts';
import type { RenderedFiles } from './media/outputs.ts';
import type { TaskBook } from './tasks.ts';

/** All that one running gateway knows. Only `behaviour`, `faults` and the counters are ever replaced. */
export interface GatewayState {
  readonly seed: number;
  readonly now: () => number;
  readonly acceptKey: ((key: string) => boolean) | undefined;
  readonly tasks: TaskBook;
  readonly charges: ChargeLog;
  readonly limits: RateLimits;
  readonly counters: Counters;
  readonly rendered: RenderedFiles;
  behaviour: Behaviour;
  faults: FaultBook;
  origin: string;
  otherOrigin: string;
}

export interface Counters {
  requests: number;
  submits: number;
  polls: number;
  downloads: number;
  keyLeaks: number;
  readonly rejections: string[];
}

/** The result operation that serves an operation, with its first slash. */
export function resultPathOf(behaviour: Behaviour, operation: Operation): string {
  const own = scoped(behaviour.resultPaths, operation.path);
  if (own !== undefined) return own;
  const usual = RESULT_OPERATIONS.find((result) => result.family === operation.family);
  if (!usual) throw new Error(`No result operation for ${operation.family}`);
  return `/${usual.path}`;
}

/** Refuses a request for its key or for its pace; undefined lets it through. */
export function refuseAccess(gateway: GatewayState, key: string | undefined): Answer | undefined {
  const { auth, envelope, limits } = gateway.behaviour;
  gateway.counters.requests += 1;
  const revoked = auth.revokedAfter !== null && gateway.counters.requests > auth.revokedAfter;
  if (revoked || !isKeyValid(gateway, key)) {
    return replyJson(auth.http, failureEnvelope(envelope, auth.code, auth.info));
  }
  const earlyMs = gateway.limits.takeRequest(limits, gateway.now());
  return earlyMs > 0 ? refusePace(gateway, earlyMs) : undefined;
}

/** Whether a request's key is one that this gateway takes. */
export function isKeyValid(gateway: GatewayState, key: string | undefined): boolean {
  if (!key) return false;
  if (gateway.acceptKey) return gateway.acceptKey(key);
  return gateway.behaviour.auth.keys?.includes(key) ?? true;
}

/** The answer to a request that came `earlyMs` too early. */
export function refusePace(gateway: GatewayState, earlyMs: number): Answer {
  const { limits, envelope } = gateway.behaviour;
  const waitSeconds = limits.retryAfterSeconds ?? Math.ceil(earlyMs / 1000);
  const headers: Record<string, string> = {};
  if (limits.retryAfter === 'seconds') headers['Retry-After'] = `${waitSeconds}`;
  if (limits.retryAfter === 'date') {
    headers['Retry-After'] = new Date(gateway.now() + waitSeconds * 1000).toUTCString();
  }
  return replyJson(limits.http, failureEnvelope(envelope, limits.code, limits.info), headers);
}
