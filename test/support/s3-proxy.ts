/** An HTTP proxy in front of an S3 server, which does what other servers and networks do: refuses, cuts, changes. */
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Seen {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export type S3Fault =
  /** The proxy answers, as S3 would; the request does not reach the server. */
  | {
      readonly kind: 'refuse';
      readonly status: number;
      readonly code?: string;
      readonly headers?: Record<string, string>;
    }
  /** The server has done it, and the answer says this, with status 200. */
  | { readonly kind: 'say-instead'; readonly code: string }
  /** The server has done it, and its answer is lost. */
  | { readonly kind: 'lose-answer' }
  /** The connection ends in the middle of the body; nothing reaches the server. */
  | { readonly kind: 'cut-body' }
  /** These headers do not reach the server. */
  | { readonly kind: 'without'; readonly headers: readonly string[] }
  /** These headers do not come back. */
  | { readonly kind: 'answer-without'; readonly headers: readonly string[] }
  /** One byte of the body is changed. */
  | { readonly kind: 'damage' };

/** What is done with a request; what this waits for happens before the request reaches the server. */
export type S3Faults = (request: S3Seen, number: number) => S3Fault | undefined | Promise<S3Fault | undefined>;

export interface S3Proxy {
  readonly url: string;
  readonly seen: readonly S3Seen[];
  /** What is done with each request from now on. */
  fault(choose: S3Faults): void;
  close(): Promise<void>;
}

function errorXml(code: string): string {
  return `<?xml version="1.0"?><Error><Code>${code}</Code></Error>`;
}

export async function startS3Proxy(server: string): Promise<S3Proxy> {
  const target = new URL(server);
  const seen: S3Seen[] = [];
  let choose: S3Faults = () => undefined;
  let number = 0;

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url: path = '/', headers } = request;
    const one = { method, path, headers };
    seen.push(one);
    number += 1;
    const fault = await choose(one, number);
    if (fault?.kind === 'cut-body') {
      request.once('data', () => request.socket.destroy());
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    if (fault?.kind === 'refuse') {
      const { status, code, headers: more = {} } = fault;
      const xml = code === undefined || method === 'HEAD' ? '' : errorXml(code);
      response.writeHead(status, { ...more, 'content-length': Buffer.byteLength(xml) }).end(xml);
      return;
    }
    if (fault?.kind === 'damage' && body.length > 0) body[0] = (body[0] ?? 0) ^ 1;
    const without = fault?.kind === 'without' ? fault.headers : [];
    const sent = Object.fromEntries(Object.entries(headers).filter(([name]) => !without.includes(name)));
    const behind = httpRequest({ host: target.hostname, port: target.port, method, path, headers: sent }, (answer) => {
      if (fault?.kind === 'lose-answer') {
        answer.resume().once('end', () => request.socket.destroy());
        return;
      }
      if (fault?.kind === 'say-instead') {
        answer.resume().once('end', () => response.end(errorXml(fault.code)));
        return;
      }
      const hidden = fault?.kind === 'answer-without' ? fault.headers : [];
      const shown = Object.entries(answer.headers).filter(([name]) => !hidden.includes(name));
      response.writeHead(answer.statusCode ?? 500, Object.fromEntries(shown));
      answer.pipe(response);
    });
    behind.on('error', () => request.socket.destroy());
    behind.end(body);
  }

  const proxy = createServer((request, response) => {
    pass(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    seen,
    fault(next) {
      choose = next;
      number = 0;
    },
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve());
        proxy.closeAllConnections();
      }),
  };
}
