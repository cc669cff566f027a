/**
 * The health of a worker over HTTP, for the supervisor that restarts it, and its counts for Prometheus. It only reads
 * and costs nothing.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { whyNotFromHere } from '../../doors/http/guards.ts';
import { wrongUsage } from '../../ending.ts';
import { EXPOSITION_TYPE } from './exposition.ts';

const REQUEST_MS = 10_000;
const MOST_CONNECTIONS = 50;
const LOOPBACK = '127.0.0.1';

export interface HealthPlace {
  readonly host: string;
  readonly port: number;
}

/** Whether the worker does what it is for and, if not, why, in words. */
export interface Health {
  readonly isWell: boolean;
  readonly reasons: readonly string[];
  /** The same without addresses, folders and names, for a network. */
  readonly briefly: readonly string[];
}

export interface HealthSource {
  health(): Health;
  /** In Prometheus' text format. */
  metrics(): Promise<string>;
}

export interface HealthServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Where to listen: on a port of this machine alone, or on an address and a port. Throws {@link CommandFailure}. */
export function healthPlace(text: string): HealthPlace {
  const [, host = LOOPBACK, port = ''] = /^(?:(\[[0-9A-Fa-f:.]+\]|[^:[\]\s/]+):)?(\d{1,5})$/u.exec(text) ?? [];
  if (port === '' || Number(port) > 65_535) {
    throw wrongUsage(
      `--health ${text}: not a port, nor an address and a port.`,
      'Give --health 9464 for this machine alone, or --health 0.0.0.0:9464 for the network.',
    );
  }
  return { host: host.replace(/^\[|\]$/gu, ''), port: Number(port) };
}

/** Listens; says why it cannot. */
export async function openHealthServer(
  place: HealthPlace,
  source: HealthSource,
): Promise<Result<HealthServer, string>> {
  const isNear = isOfThisMachine(place);
  const server = createServer({ requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS }, (request, response) => {
    const refusal = isNear ? refusalOf(request) : undefined;
    // Nobody is told why: the message of an exception may contain anything.
    if (refusal === undefined) answer(request, response, source, isNear).catch(() => response.destroy());
    else send(response, refusal.status, JSON.stringify({ message: refusal.message }));
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(REQUEST_MS);
  const problem = await new Promise<string | undefined>((resolve) => {
    server.once('error', (error) => resolve(error.message));
    server.listen({ ...place, exclusive: true }, () => resolve(undefined));
  });
  if (problem !== undefined) return err(problem);
  // No connection is taken while the machine has no descriptor for one: the night goes on.
  server.on('error', () => undefined);
  const { port } = server.address() as AddressInfo;
  return ok({
    url: `http://${place.host.includes(':') ? `[${place.host}]` : place.host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  source: HealthSource,
  isNear: boolean,
): Promise<void> {
  const { url = '', method = '' } = request;
  const [path] = url.split('?', 1);
  const isKnown = path === '/healthz' || path === '/metrics';
  if (!isKnown) return send(response, 404, JSON.stringify({ message: 'Ask for /healthz or /metrics.' }));
  if (method !== 'GET' && method !== 'HEAD') {
    response.setHeader('Allow', 'GET, HEAD');
    return send(response, 405, JSON.stringify({ message: 'Ask with GET.' }));
  }
  if (path === '/metrics') return send(response, 200, await source.metrics(), EXPOSITION_TYPE);
  const { isWell, reasons, briefly } = source.health();
  const status = isWell ? 'ok' : 'unavailable';
  send(response, isWell ? 200 : 503, JSON.stringify({ status, reasons: isNear ? reasons : briefly }));
}

function isOfThisMachine({ host }: HealthPlace): boolean {
  return [LOOPBACK, 'localhost', '::1'].includes(host);
}

/**
 * If only this machine can ask, no browser page whose name was pointed here is answered; a network has names of its
 * own.
 */
function refusalOf({ url = '', rawHeaders, headers, socket }: IncomingMessage): ReturnType<typeof whyNotFromHere> {
  return whyNotFromHere({ url, rawHeaders, headers }, { port: socket.localPort ?? 0, origins: [] });
}

function send(response: ServerResponse, status: number, body: string, type = 'application/json'): void {
  response.writeHead(status, {
    'Content-Type': type,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(body);
}
