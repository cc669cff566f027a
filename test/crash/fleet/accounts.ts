/** The accounts of a campaign: each at a gateway of its own, with its own ledger, watched from the gateway's side. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Charge } from '../../../src/gateway-sim/charge-log.ts';
import type { FaultRule } from '../../../src/gateway-sim/faults/fault-rules.ts';
import { startObservedGateway, type ObservedGateway } from '../../support/observed-gateway.ts';

/** What the user allows at each account, as its profile says it. */
export const LIMITS = { requestsPerSecond: 5, places: 4, downloads: 2 } as const;

/** One request as it arrived at a gateway. */
export interface Arrival {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly kind: 'submit' | 'poll' | 'media';
  /** When the last byte of its answer left, or its connection was cut. */
  endedAt?: number;
  isCut?: boolean;
}

export interface WatchedAccount {
  readonly name: string;
  readonly key: string;
  readonly origin: string;
  readonly gateway: ObservedGateway;
  /** The most paid requests that a night may make there; undefined: any number. */
  readonly cap: number | undefined;
  readonly arrivals: Arrival[];
}

/**
 * How long this process, with all gateways, stood still at a time: what arrives meanwhile is seen together, and late.
 */
const stalls = monitorEventLoopDelay({ resolution: 10 });

/** The longest stall since the last call, in milliseconds. */
export function takeLongestStall(): number {
  const longest = stalls.max / 1e6;
  stalls.reset();
  return longest;
}

/** Long enough that most faults find a request under way; some media are slow, too. */
const SLOW: readonly FaultRule[] = [
  { kind: 'slow', when: 'submit', delayMs: 350, probability: 0.8 },
  { kind: 'slow', when: 'download', delayMs: 250, probability: 0.6 },
];

/** Starts a gateway for each account; one that is capped lets a limited number of requests pass in a night. */
export async function startAccounts(
  count: number,
  seed: number,
  capOf: (n: number) => number | undefined,
): Promise<{ readonly accounts: readonly WatchedAccount[]; readonly close: () => Promise<void> }> {
  const accounts: WatchedAccount[] = [];
  for (let n = 1; n <= count; n += 1) {
    const key = `campaign-key-${n}-${seed}`;
    const started = await startObservedGateway({
      seed: seed + n,
      behaviour: { timeScale: 0.05, media: { detail: 'tiny' }, faults: [...SLOW] },
      acceptKey: (given) => given === key,
    });
    if (!started.ok) throw new Error(`A gateway did not start: ${JSON.stringify(started.error)}`);
    const gateway = started.value;
    const { origin } = new URL(gateway.baseUrl);
    accounts.push({ name: `a${n}`, key, origin, gateway, cap: capOf(n), arrivals: [] });
  }
  const stopWatching = watch(accounts);
  stalls.enable();
  return {
    accounts,
    async close() {
      stopWatching();
      stalls.disable();
      await Promise.all(accounts.map(({ gateway }) => gateway.close()));
    },
  };
}

/** The gateway loses the answers to the next paid requests; before or after it has charged for them. */
export function loseNextAnswer({ gateway }: WatchedAccount, charged: boolean): void {
  gateway.setBehaviour({ faults: [{ kind: 'lost', when: 'submit', charged, nth: [1] }, ...SLOW] });
}

/** The rows of a night: each asks for something that no other one asks for. */
export function rowOfCharge(charge: Pick<Charge, 'body'>): string {
  const { prompt, clip_id: clip } = charge.body;
  const text = typeof prompt === 'string' ? prompt : typeof clip === 'string' ? clip : '';
  return /\brow\d+n\d+\b/u.exec(text)?.[0] ?? text;
}

/** Paid requests whose answers have not left yet. */
export function openSubmits({ arrivals }: WatchedAccount): number {
  return arrivals.filter(({ kind, endedAt }) => kind === 'submit' && endedAt === undefined).length;
}

/** Files that are on their way. */
export function openMedia({ arrivals }: WatchedAccount): number {
  return arrivals.filter(({ kind, endedAt }) => kind === 'media' && endedAt === undefined).length;
}

/** Notes what arrives at the gateways of this process, as the HTTP server itself reports it. */
function watch(accounts: readonly WatchedAccount[]): () => void {
  const byPort = new Map(accounts.map((account) => [Number(new URL(account.origin).port), account]));
  const onStart = (message: unknown): void => {
    const { request, response } = message as { readonly request: IncomingMessage; readonly response: ServerResponse };
    const account = byPort.get(request.socket.localPort ?? 0);
    if (account === undefined) return;
    const kind = request.url?.startsWith('/media/') === true ? 'media' : request.method === 'POST' ? 'submit' : 'poll';
    const arrival: Arrival = { at: Date.now(), kind };
    account.arrivals.push(arrival);
    response.once('close', () => {
      arrival.endedAt = Date.now();
      arrival.isCut = !response.writableFinished;
    });
  };
  subscribe('http.server.request.start', onStart);
  return () => void unsubscribe('http.server.request.start', onStart);
}
