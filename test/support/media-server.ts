import { createServer } from 'node:http';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as the server saw it. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A real server whose answers a test writes itself, so that it can lie in every possible way. */
export interface MediaServer {
  readonly host: string;
  readonly requests: readonly SeenRequest[];
  url(path: string): string;
  /** What the server does from now on; `number` counts the requests since then, from 1. */
  answer(respond: (request: IncomingMessage, response: ServerResponse, number: number) => void): void;
  close(): Promise<void>;
}

/** Starts a server on the loopback address of this machine. */
export async function startMediaServer(): Promise<MediaServer> {
  const requests: SeenRequest[] = [];
  let respond: Parameters<MediaServer['answer']>[0] = (_, response) => response.writeHead(404).end();
  let number = 0;
  const server = createServer((request, response) => {
    requests.push({ path: request.url ?? '', headers: request.headers });
    number += 1;
    respond(request, response, number);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    host,
    requests,
    url: (path) => `http://${host}${path}`,
    answer(next) {
      respond = next;
      number = 0;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Serves bytes as an honest server does: length, ETag, ranges by If-Range. */
export function serveHonestly(request: IncomingMessage, response: ServerResponse, body: Buffer, etag = '"v1"'): void {
  const range = /^bytes=(\d+)-$/u.exec(request.headers.range ?? '');
  const start = Number(range?.[1] ?? 0);
  if (range === null || request.headers['if-range'] !== etag) {
    response.writeHead(200, { 'content-length': body.length, etag, 'accept-ranges': 'bytes' }).end(body);
  } else if (start >= body.length) {
    response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end();
  } else {
    const rest = body.subarray(start);
    const contentRange = `bytes ${start}-${body.length - 1}/${body.length}`;
    response.writeHead(206, { 'content-length': rest.length, 'content-range': contentRange, etag }).end(rest);
  }
}

/** Sends a beginning, waits until it is surely under way, and breaks the connection. */
export function cutAfter(response: ServerResponse, beginning: Buffer): void {
  response.write(beginning, () => setImmediate(() => response.socket?.destroy()));
}
