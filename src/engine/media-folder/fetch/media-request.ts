import type { IncomingHttpHeaders } from 'node:http';
import { reason, type Saying } from '../../../shared/domain/base/reason.ts';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../ports/base.ts';
import { redirectTarget } from './answer-head.ts';
import { checkMediaUrl, literalAddress, type AddressPolicy } from './media-address.ts';
import { ForbiddenAddressError } from './media-dispatcher.ts';
import type { PartWriter } from './part-file.ts';

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly url: URL;
}

/** How a media request ended. */
export type RequestEnd =
  /** The body arrived completely, as far as HTTP can tell. */
  | { readonly kind: 'complete' }
  /** The head was enough; the body was not read. */
  | { readonly kind: 'not-taken' }
  /** Cut off: before the head, or within the body. `reason` is a clause. */
  | { readonly kind: 'cut'; readonly reason: Saying }
  /** More bytes than the limit allows. */
  | { readonly kind: 'too-large' }
  /** The address, or one that it redirects to, is never fetched from. `reason` is a clause. */
  | { readonly kind: 'refused'; readonly reason: Saying }
  | { readonly kind: 'interrupted' };

/** What a request needs from its surroundings. */
export interface RequestContext {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** True for text that contains a gateway's key, which goes to no file server and into no file. */
  readonly holdsKey: (text: string) => boolean;
  /** True if the host may have a private address. */
  readonly mayBeAt: AddressPolicy;
  /** The longest time without a byte. */
  readonly stallMs: number;
  /** The longest time in total. */
  readonly totalMs: number;
  readonly maxBytes: number;
}

/** Decides by the head what happens to the body: a writer takes it, undefined drops it. */
export type TakeBody = (head: AnswerHead) => Promise<PartWriter | undefined>;

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

type Hop = RequestEnd | { readonly kind: 'redirect'; readonly to: string };

/**
 * Makes one media request. Follows redirects itself, so that every hop is checked like the first address; a redirect
 * never reaches `takeBody`. Throws disk errors of the writer.
 */
export async function requestMedia(
  address: URL,
  headers: Readonly<Record<string, string>>,
  context: RequestContext,
  takeBody: TakeBody,
): Promise<RequestEnd> {
  const endsAt = context.clock.monotonic() + context.totalMs;
  let url = address;
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const literal = literalAddress(url);
    if (literal !== undefined && !context.mayBeAt(url, literal)) return refusedAddress(url.hostname, url.hostname);
    const hop = await requestHop(url, headers, context, endsAt, takeBody);
    if (hop.kind !== 'redirect') return hop;
    if (context.holdsKey(hop.to)) {
      return { kind: 'refused', reason: reason('transport.redirectsToKey') };
    }
    const next = checkMediaUrl(hop.to, url);
    if (!next.ok) return { kind: 'refused', reason: reason('redirectRefused', next.error) };
    url = next.value;
  }
  return { kind: 'cut', reason: reason('redirectedOften', MAX_REDIRECTS) };
}

function refusedAddress(host: string, address: string): RequestEnd {
  const place = host === address ? host : `${host} (${address})`;
  return { kind: 'refused', reason: reason('privateAddress', place, host) };
}

/** Checks that bytes keep coming, and that the request does not go on forever. */
interface StallWatch {
  /** Something arrived. */
  touch(): void;
  /** Whether the disk is holding the sender back, so that it is not to blame. */
  setHeld(isHeld: boolean): void;
  stop(): void;
}

function watchForStall(context: RequestContext, endsAt: number, giveUp: (why: Saying) => void): StallWatch {
  const { clock, stallMs } = context;
  let lastByteAt = clock.monotonic();
  let isHeld = false;
  const look = (): void => {
    const now = clock.monotonic();
    const stalledAt = (isHeld ? now : lastByteAt) + stallMs;
    if (now >= endsAt) giveUp(reason('transport.tooLong'));
    else if (now >= stalledAt) giveUp(reason('stalled', Math.round(stallMs / 1000)));
    else cancel = clock.setTimer(Math.min(endsAt, stalledAt) - now, look);
  };
  let cancel = clock.setTimer(Math.min(stallMs, endsAt - lastByteAt), look);
  return {
    touch() {
      lastByteAt = clock.monotonic();
    },
    setHeld(held) {
      isHeld = held;
      lastByteAt = clock.monotonic();
    },
    stop: () => cancel(),
  };
}

/** One request and its answer, as a promise: settled once, whatever else happens to the connection. */
function requestHop(
  url: URL,
  headers: Readonly<Record<string, string>>,
  context: RequestContext,
  endsAt: number,
  takeBody: TakeBody,
): Promise<Hop> {
  const { promise, settle } = settledOnce<Hop>();
  let controller: Dispatcher.DispatchController | undefined;
  let writer: PartWriter | undefined;
  let isHeld = false;
  let isOver = false;

  const finish = (outcome: Hop | Promise<never>, abort: boolean): void => {
    if (isOver) return;
    isOver = true;
    watch.stop();
    context.signal.removeEventListener('abort', interrupt);
    if (abort) controller?.abort(new Error('given up'));
    settle(outcome);
  };
  const giveUp = (hop: Hop): void => finish(hop, true);
  const interrupt = (): void => giveUp({ kind: 'interrupted' });
  const watch = watchForStall(context, endsAt, (reason) => giveUp({ kind: 'cut', reason }));

  /** Nothing more is read until `until` is done; its error ends the request. */
  const hold = async (until: Promise<void>): Promise<void> => {
    isHeld = true;
    watch.setHeld(true);
    controller?.pause();
    try {
      await until;
    } catch (error) {
      // After the end, whoever is waiting for the part gets the error.
      return isOver ? undefined : finish(Promise.reject(error), true);
    }
    isHeld = false;
    watch.setHeld(false);
    if (!isOver) controller?.resume();
  };
  const take = async (head: AnswerHead): Promise<void> => {
    writer = await takeBody(head);
    if (writer === undefined) giveUp({ kind: 'not-taken' });
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started;
      if (isOver) started.abort(new Error('given up'));
    },
    onResponseStart(_, status, answerHeaders) {
      if (isOver || status < 200) return;
      watch.touch();
      const to = REDIRECTS.has(status) ? redirectTarget(answerHeaders) : undefined;
      if (to !== undefined) return giveUp({ kind: 'redirect', to });
      void hold(take({ status, headers: answerHeaders, url }));
    },
    onResponseData(_, chunk) {
      if (isOver || writer === undefined) return;
      watch.touch();
      if (writer.bytes + chunk.length > context.maxBytes) return giveUp({ kind: 'too-large' });
      const isFull = writer.push(chunk);
      if (isFull && !isHeld) void hold(writer.drained());
    },
    onResponseEnd() {
      finish({ kind: 'complete' }, false);
    },
    onResponseError(_, error) {
      if (error instanceof ForbiddenAddressError) finish(refusedAddress(url.hostname, error.address), false);
      else finish({ kind: 'cut', reason: describeTransportError(error) }, false);
    },
  };

  context.signal.addEventListener('abort', interrupt, { once: true });
  if (context.signal.aborted) interrupt();
  else {
    const path = `${url.pathname}${url.search}`;
    context.dispatcher.dispatch({ origin: url.origin, path, method: 'GET', headers: { ...headers } }, handler);
  }
  return promise;
}

/** A promise with its resolve and reject; Node 20 has no `Promise.withResolvers`. */
function settledOnce<T>(): { readonly promise: Promise<T>; readonly settle: (outcome: T | Promise<never>) => void } {
  let settle!: (outcome: T | Promise<never>) => void;
  const promise = new Promise<T>((resolve) => (settle = resolve));
  return { promise, settle };
}

/** A text for the user, if the code is known; the code decides, never a message. */
function describeTransportError(error: Error): Saying {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  switch (code) {
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return reason('transport.noHost');
    case 'ECONNREFUSED':
      return reason('transport.refused');
    case 'UND_ERR_CONNECT_TIMEOUT':
    case 'ETIMEDOUT':
      return reason('transport.notInTime');
    case 'UND_ERR_SOCKET':
    case 'ECONNRESET':
    case 'EPIPE':
      return reason('transport.brokeOff');
    case 'CERT_HAS_EXPIRED':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
      return reason('notTrusted', code);
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return reason('transport.fewerBytes');
    default:
      return code === '' ? reason('transport.notHttp') : reason('connectionFailed', code);
  }
}
