import { type Dispatcher, buildConnector } from 'undici';
import type { Clock } from '../ports/base.ts';
import type { RawAnswer } from '../ports/media-gateway.ts';
import { mayCarryPlainHttp } from '../../shared/domain/gateway/hosts.ts';
import { inEnglish, reason, type Saying, SaidError } from '../../shared/domain/base/reason.ts';
import type { Profile } from '../../shared/domain/gateway/profile.ts';

/** An answer's body is kept up to this length; longer ones are cut. */
const BODY_MAX_BYTES = 1024 * 1024;

/** A deadline that fires this late was slept through: by the machine, or by a process that was stopped. */
const LATE_MS = 1000;
/** The answer may have come during the sleep, so there is this much time to read it. */
const AFTER_SLEEP_MS = 5000;
/** Several timers may fire before sockets are read: what has arrived by the deadline is read within this time. */
const READ_MS = 100;

/** One HTTP request and its result. */
export type Exchange =
  /** `brokenBy` is set if the body is not whole. */
  | { readonly kind: 'answered'; readonly raw: RawAnswer; readonly brokenBy?: Saying }
  | { readonly kind: 'unanswered'; readonly wasSent: boolean; readonly reason: Saying };

export interface ExchangeOptions {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock;
  readonly deadlineMs: number;
  readonly signal: AbortSignal | undefined;
  /** Called right before the request's first byte leaves; if it throws, nothing is sent. */
  readonly beforeSent: () => void;
}

/**
 * Sends one request, once, and collects its answer until the deadline, which counts from now and covers everything:
 * even a gateway that sends one byte a second meets it. Never rejects.
 */
export function exchange(
  request: Dispatcher.DispatchOptions,
  { dispatcher, clock, deadlineMs, signal, beforeSent }: ExchangeOptions,
): Promise<Exchange> {
  return new Promise((resolve) => {
    const collector = new AnswerCollector(beforeSent, (result) => {
      cancelTimer();
      signal?.removeEventListener('abort', giveUp);
      resolve(result);
    });
    const giveUp = () => collector.giveUp(reason('aborted'));
    const pass = () => collector.giveUp(reason('deadline', Math.round(deadlineMs / 100) / 10));
    const dueAt = clock.monotonic() + deadlineMs;
    let cancelTimer = clock.setTimer(deadlineMs, () => {
      if (!collector.wasSent) {
        pass();
        return;
      }
      const isLate = clock.monotonic() - dueAt > LATE_MS;
      cancelTimer = clock.setTimer(isLate ? AFTER_SLEEP_MS : READ_MS, pass);
    });
    if (signal?.aborted === true) {
      giveUp();
      return;
    }
    signal?.addEventListener('abort', giveUp, { once: true });
    // The parser's own time-outs are off: every byte restarts them.
    dispatcher.dispatch({ ...request, headersTimeout: 0, bodyTimeout: 0 }, collector);
  });
}

/** Keeps the answer's bytes and knows whether the headers left: undici starts a request only on a connected socket. */
class AnswerCollector implements Dispatcher.DispatchHandler {
  readonly #beforeSent: () => void;
  readonly #settle: (result: Exchange) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #isSettled = false;
  #wasSent = false;
  #httpStatus = 0;
  #headers: Readonly<Record<string, string>> = {};
  #chunks: Uint8Array[] = [];
  #length = 0;

  constructor(beforeSent: () => void, settle: (result: Exchange) => void) {
    this.#beforeSent = beforeSent;
    this.#settle = settle;
  }

  get wasSent(): boolean {
    return this.#wasSent;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Given up before it was sent: stop before its first byte. Started twice: it would be sent twice.
    if (this.#isSettled || this.#wasSent) {
      controller.abort(new Error('The request is not sent.'));
      return;
    }
    try {
      this.#beforeSent();
    } catch (error) {
      this.giveUp(describeError(error));
      controller.abort(new Error('The request is not sent.'));
      return;
    }
    this.#wasSent = true;
    this.#controller = controller;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    httpStatus: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (httpStatus < 200) return;
    this.#httpStatus = httpStatus;
    this.#headers = Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : (value ?? '')]),
    );
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const room = BODY_MAX_BYTES - this.#length;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(kept);
    this.#length += kept.length;
    if (kept.length < chunk.length) this.giveUp(reason('cut.tooLong'));
  }

  onResponseEnd(): void {
    this.#finish({ kind: 'answered', raw: this.#raw(false) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.giveUp(describeError(error));
  }

  giveUp(why: Saying): void {
    if (this.#isSettled) return;
    if (this.#httpStatus === 0) this.#finish({ kind: 'unanswered', wasSent: this.#wasSent, reason: why });
    else this.#finish({ kind: 'answered', raw: this.#raw(true), brokenBy: why });
    this.#controller?.abort(new Error(inEnglish(why)));
  }

  #finish(result: Exchange): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#chunks = [];
    this.#settle(result);
  }

  #raw(truncated: boolean): RawAnswer {
    const body = new Uint8Array(this.#length);
    let offset = 0;
    for (const chunk of this.#chunks) {
      body.set(chunk, offset);
      offset += chunk.length;
    }
    return { httpStatus: this.#httpStatus, headers: this.#headers, body, truncated };
  }
}

/** An error in a few words, with its code: a failed attempt at several addresses has an empty message. */
function describeError(error: unknown): Saying {
  if (error instanceof SaidError) return error.said;
  if (!(error instanceof Error)) return String(error);
  const inner = error instanceof AggregateError ? (error.errors as readonly unknown[]) : [];
  const messages = [error.message, ...inner.map((one) => (one instanceof Error ? one.message : ''))];
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  const words = messages.filter((message) => message !== '').join('; ');
  return reason('system', code, words.includes(code) ? words : `${words} (${code})`.trim());
}

const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Connects to a gateway. Whatever the environment says, the key goes only to a server that proves to be the gateway.
 * Where plain http leads is known only once the socket is connected: a name may lead anywhere, and elsewhere the next
 * time.
 */
export function gatewayConnector({ allowPlainHttp }: Profile): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, rejectUnauthorized: true });
  return (options, callback) => {
    if (options.protocol === 'https:') {
      connect(options, callback);
      return;
    }
    connect(options, (error, socket) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const address = socket.remoteAddress ?? 'an unknown address';
      if (mayCarryPlainHttp(address, allowPlainHttp)) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(new SaidError(reason('plainHttp', address)), null);
    });
  };
}
