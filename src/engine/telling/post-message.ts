/** One POST of a message to a server: no redirect, a deadline, and only the status of the answer. */
import { Agent, buildConnector, request } from 'undici';
import type { Clock } from '../ports/base.ts';
import { reason, type Reason } from '../../shared/domain/base/reason.ts';
import { mayCarryPlainHttp } from '../../shared/domain/gateway/hosts.ts';

const DEADLINE_MS = 15_000;
const CONNECT_TIMEOUT_MS = 10_000;

export interface Post {
  readonly url: string;
  readonly allowPlainHttp: boolean;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** `passing`: it may succeed a little later. */
export type Posted =
  | { readonly isOk: true; readonly said: Reason }
  | { readonly isOk: false; readonly said: Reason; readonly isPassing: boolean };

/** Sends it once. Never rejects; what is said about a failure contains no header and no path. */
export async function post({ url, allowPlainHttp, headers, body }: Post, clock: Clock): Promise<Posted> {
  const ending = new AbortController();
  let isLate = false;
  const cancel = clock.setTimer(DEADLINE_MS, () => {
    isLate = true;
    ending.abort();
  });
  const agent = new Agent({ connect: connector(allowPlainHttp), headersTimeout: 0, bodyTimeout: 0, pipelining: 0 });
  try {
    const answer = await request(url, { method: 'POST', headers, body, signal: ending.signal, dispatcher: agent });
    // The rest is not read: a server may send without end.
    answer.body.on('error', () => undefined).destroy();
    return meaningOf(answer.statusCode);
  } catch (error) {
    const said = isLate ? reason('told.late', DEADLINE_MS / 1000) : saidBy(error);
    return { isOk: false, isPassing: !(error instanceof PlainHttpRefused), said };
  } finally {
    cancel();
    await agent.destroy();
  }
}

function meaningOf(status: number): Posted {
  if (status >= 200 && status < 300) return { isOk: true, said: reason('told.accepted', status) };
  if (status >= 300 && status < 400) {
    return { isOk: false, isPassing: false, said: reason('told.leadsElsewhere', status) };
  }
  const isPassing = status >= 500 || status === 408 || status === 425 || status === 429;
  return { isOk: false, isPassing, said: reason('told.refused', status) };
}

class PlainHttpRefused extends Error {
  override readonly name = 'PlainHttpRefused';
  readonly said: Reason;

  constructor(said: Reason) {
    super();
    this.said = said;
  }
}

/** Where plain http leads is known only once the socket is connected: a name may lead anywhere. */
function connector(allowPlainHttp: boolean): buildConnector.connector {
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, allowH2: false, rejectUnauthorized: true });
  return (options, callback) => {
    connect(options, (error, socket) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const where = socket.remoteAddress;
      if (options.protocol === 'https:' || mayCarryPlainHttp(where ?? '', allowPlainHttp)) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      callback(new PlainHttpRefused(reason('told.plainHttp', where ?? reason('told.someAddress'))), null);
    });
  };
}

/** In a few words. The message of an error may quote an address whose path is a secret; its code does not. */
function saidBy(error: unknown): Reason {
  if (error instanceof PlainHttpRefused) return error.said;
  const inner = error instanceof AggregateError ? (error.errors[0] as unknown) : error;
  const code = inner instanceof Error && 'code' in inner && typeof inner.code === 'string' ? inner.code : undefined;
  return reason('told.notReached', code ?? '');
}
