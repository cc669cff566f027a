import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '../../shared/domain/gateway/hosts.ts';
import type { Answer } from './answers.ts';
import { replyJson } from './answers.ts';
import type { Charge } from '../charge-log.ts';
import { isKeyValid, type GatewayState } from '../gateway-state.ts';
import type { GatewayOutput } from '../media/outputs.ts';
import { describeOutputs } from '../media/outputs.ts';

/** What the gateway has seen so far. */
export interface GatewayStats {
  /** Submit requests that reached the gateway, answered or not. */
  readonly submits: number;
  readonly charges: number;
  readonly polls: number;
  readonly downloads: number;
  /** Requests for media or to the second origin that carried the `aiKey` header: a client must never do that. */
  readonly keyLeaks: number;
  /** Submits refused for what their body holds: each one's text, the last 100. */
  readonly rejections: readonly string[];
}

/** The counters of a gateway, as of now. */
export function statsOf(gateway: GatewayState): GatewayStats {
  const { requests: _, rejections, ...counters } = gateway.counters;
  return { ...counters, charges: gateway.charges.entries.length, rejections: [...rejections] };
}

/**
 * The gateway's own knowledge over HTTP, beside the interface, for a rehearsal in another process. It is told to
 * whoever has a valid key (`aiKey`) and calls this machine by a name of its own: a web page whose host was bent to this
 * address has neither.
 *
 * - `GET /__gateway/charges[?after=SEQ]`: the charge log as a JSON array ({@link Charge}).
 * - `GET /__gateway/outputs?taskCode=CODE`: the files of one task as a JSON array ({@link GatewayOutput}).
 * - `GET /__gateway/stats`: {@link GatewayStats}.
 */
export function answerControl(
  gateway: GatewayState,
  { headers }: IncomingMessage,
  path: string,
  queryText: string,
): Answer {
  if (!isLoopbackHost((headers.host ?? '').replace(/:\d*$/u, ''))) {
    return replyJson(403, '{"error":"call this gateway as 127.0.0.1 or localhost"}');
  }
  const key = headers['aikey'];
  if (!isKeyValid(gateway, typeof key === 'string' ? key : undefined)) {
    return replyJson(401, '{"error":"send a valid key as aiKey"}');
  }
  const query = new URLSearchParams(queryText);
  if (path === '/__gateway/charges') {
    const charges: readonly Charge[] = gateway.charges.entries.slice(Number(query.get('after') ?? 0));
    return replyJson(200, JSON.stringify(charges));
  }
  if (path === '/__gateway/outputs') {
    const outputs: readonly GatewayOutput[] = describeOutputs(gateway, query.get('taskCode') ?? '');
    return replyJson(200, JSON.stringify(outputs));
  }
  if (path === '/__gateway/stats') return replyJson(200, JSON.stringify(statsOf(gateway)));
  return replyJson(404, '{"error":"known here: charges, outputs, stats"}');
}
