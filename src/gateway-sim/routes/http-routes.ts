import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Operation } from '../../shared/domain/operations/operations.ts';
import { OPERATIONS, RESULT_OPERATIONS } from '../../shared/domain/operations/operations.ts';
import type { Answer } from './answers.ts';
import { failureEnvelope, replyJson, send, successEnvelope } from './answers.ts';
import { refuseAccess, type GatewayState } from '../gateway-state.ts';
import { serveMedia } from './media-server.ts';
import { answerPoll } from './answer-poll.ts';
import { answerSubmit } from './answer-submit.ts';

const SUBMIT_ROUTES: ReadonlyMap<string, Operation> = new Map(
  OPERATIONS.map((operation) => [`/${operation.path}`, operation]),
);

/** Handles one request to the gateway's own origin: the interface and the files. */
export async function route(gateway: GatewayState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Never parsed as a URL: that would resolve the dots of a code such as `../x`.
  const [path = '', query = ''] = (request.url ?? '').split('?', 2);
  if (path.startsWith('/media/')) return serveMedia(gateway, request, response);
  const { pathPrefix } = gateway.behaviour;
  const answer = path.startsWith(`${pathPrefix}/`)
    ? await answerInterface(gateway, request, path.slice(pathPrefix.length), query)
    : notThere(gateway, path);
  if (answer) await send(response, answer);
}

/** Handles one request to the second origin, which only redirects lead to: it serves only files. */
export function routeElsewhere(gateway: GatewayState, request: IncomingMessage, response: ServerResponse): void {
  if ((request.url ?? '').startsWith('/media/')) return serveMedia(gateway, request, response);
  if (request.headers['aikey'] !== undefined) gateway.counters.keyLeaks += 1;
  response.writeHead(404, { 'Content-Length': 0 });
  response.end();
  return undefined;
}

/** Undefined if the client disconnected before its body was complete. */
async function answerInterface(
  gateway: GatewayState,
  request: IncomingMessage,
  path: string,
  query: string,
): Promise<Answer | undefined> {
  const key = request.headers['aikey'];
  const common = { key: typeof key === 'string' ? key : undefined };
  const operation = SUBMIT_ROUTES.get(path);
  if (operation) {
    if (request.method !== 'POST') return wrongMethod(gateway, 'POST');
    const body = await readBody(request, gateway.behaviour.limits.bodyMaxBytes);
    if (body === undefined) return undefined;
    const ownKey = request.headers[gateway.behaviour.idempotency.header.toLowerCase()];
    const idempotencyKey = typeof ownKey === 'string' ? ownKey : undefined;
    const contentType = request.headers['content-type'];
    return answerSubmit(gateway, { ...common, operation, contentType, idempotencyKey, body });
  }
  if (path === gateway.behaviour.balance.path) {
    if (request.method !== 'GET') return wrongMethod(gateway, 'GET');
    return answerBalance(gateway, common.key);
  }
  const poll = matchPoll(gateway, path, query);
  if (!poll) return notThere(gateway, path);
  if (request.method !== 'GET') return wrongMethod(gateway, 'GET');
  return answerPoll(gateway, { ...common, ...poll });
}

/** What the account has left after its charges. */
function answerBalance(gateway: GatewayState, key: string | undefined): Answer {
  const { balance, cost, envelope } = gateway.behaviour;
  const price = typeof cost.amount === 'number' ? cost.amount : 1;
  const left = balance.before - gateway.charges.entries.length * price;
  const answer = replyJson(200, successEnvelope(envelope, JSON.stringify({ [balance.field]: left })));
  return refuseAccess(gateway, key) ?? answer;
}

function matchPoll(
  gateway: GatewayState,
  path: string,
  query: string,
): { resultPath: string; taskCode: string | undefined } | undefined {
  const { resultPaths, taskCode } = gateway.behaviour;
  for (const known of [...RESULT_OPERATIONS.map((result) => `/${result.path}`), ...Object.values(resultPaths)]) {
    if (path === known) {
      const code = taskCode.in === 'query' ? new URLSearchParams(query).get(taskCode.name) : null;
      return { resultPath: known, taskCode: code ?? undefined };
    }
    if (taskCode.in === 'path' && path.startsWith(`${known}/`)) {
      return { resultPath: known, taskCode: decoded(path.slice(known.length + 1)) };
    }
  }
  return undefined;
}

function decoded(segment: string): string | undefined {
  if (segment.includes('/')) return undefined;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

function notThere(gateway: GatewayState, path: string): Answer {
  return replyJson(404, failureEnvelope(gateway.behaviour.envelope, 404, `no such path: ${path.slice(0, 200)}`));
}

function wrongMethod(gateway: GatewayState, allowed: string): Answer {
  return replyJson(405, failureEnvelope(gateway.behaviour.envelope, 405, `use ${allowed}`), { Allow: allowed });
}

async function readBody(request: IncomingMessage, mostBytes: number): Promise<Buffer | 'too-large' | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      // The body is still read to its end, so that the client gets the answer; it is just not kept.
      if (length <= mostBytes) chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return length <= mostBytes ? Buffer.concat(chunks) : 'too-large';
}
