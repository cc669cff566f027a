/** The commands over HTTP, for programs on this machine: `nocturne serve`. */
import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Clock } from '../../../engine/index.ts';
import { err, ok, type Result } from '../../../shared/domain/base/result.ts';
import { isBucketAddress } from '../../../shared/domain/files/bucket-address.ts';
import { lookingAt, refusal, type DoorAnswer, type Refusal } from '../door-answer.ts';
import type { DoorCommand } from '../door-command.ts';
import { carryOut } from '../door-commands.ts';
import type { DoorHost } from '../door-host.ts';
import { viewOfBatch } from '../views.ts';
import { EventStream } from './event-stream.ts';
import { NO_TOKEN, tokenCheck, whyNotFromHere } from './guards.ts';
import { BodyReader } from './read-json.ts';

/** No program on the same machine takes longer to send a request. */
const REQUEST_MS = 30_000;
const HEADERS_MS = 10_000;
/** Connections that are not used, or not read from, for this long are closed. */
const IDLE_MS = 60_000;
const MOST_CONNECTIONS = 64;
const MOST_HEADER_BYTES = 16 * 1024;
/** Answers that are under way when the door closes have this long to finish. */
const CLOSE_MS = 5_000;

export interface HttpDoorOptions {
  readonly host: DoorHost;
  readonly commands: readonly DoorCommand[];
  /** The OpenAPI document as it is served. */
  readonly document: object;
  /** 0: a free one. */
  readonly port: number;
  readonly token: string;
  /** Origins that requests may name. */
  readonly origins: readonly string[];
  readonly clock: Clock;
  readonly onBug: (error: unknown) => void;
}

export interface HttpDoor {
  readonly url: string;
  /** Takes no more requests, and ends those that take too long. */
  close(): Promise<void>;
}

/** What an error answer says. */
interface Problem {
  readonly status: number;
  readonly message: string;
  readonly remedy: string;
  readonly kind?: Refusal['kind'];
  readonly fields?: Refusal['fields'];
}

const STATUS_OF: Readonly<Record<Refusal['kind'], number>> = {
  'invalid-input': 400,
  'not-found': 404,
  refused: 409,
  'needs-cap': 403,
  'over-cap': 409,
  'store-in-use': 503,
  internal: 500,
};
const NOT_THERE: Problem = { status: 404, message: 'There is nothing here.', remedy: 'See /openapi.json.' };

/** Listens on this machine alone; says why it cannot. The host must hold its store for as long. */
export async function openHttpDoor(options: HttpDoorOptions): Promise<Result<HttpDoor, string>> {
  const server = createServer({
    requestTimeout: REQUEST_MS,
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: 1_000,
    maxHeaderSize: MOST_HEADER_BYTES,
  });
  server.maxConnections = MOST_CONNECTIONS;
  server.setTimeout(IDLE_MS);
  const listening = await listen(server, options.port);
  if (!listening.ok) return listening;
  const port = listening.value;
  const engine = await options.host.work((one) => Promise.resolve(one));
  const events = new EventStream({
    changes: engine,
    describe: (batchId) => viewOfBatch(lookingAt(engine), batchId),
    clock: options.clock,
    hide: (text) => options.host.keyFinder.hide(text),
    onBug: options.onBug,
  });
  const asking = new Asking(options, port, events);
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    void asking.answer(request, response);
  };
  server.on('request', answer);
  server.on('checkContinue', answer);
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    else socket.destroy();
  });
  return ok({
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      events.close();
      const closed = new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
      server.closeIdleConnections();
      const cancel = options.clock.setTimer(CLOSE_MS, () => server.closeAllConnections());
      await closed;
      cancel();
    },
  });
}

function listen(server: Server, port: number): Promise<Result<number, string>> {
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(err(error.message)));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      resolve(ok((server.address() as AddressInfo).port));
    });
  });
}

/** Answers the requests of a server. */
class Asking {
  readonly #options: HttpDoorOptions;
  readonly #guards: Parameters<typeof whyNotFromHere>[1];
  readonly #events: EventStream;
  readonly #hasToken: (authorization: string | undefined) => boolean;
  readonly #bodies = new BodyReader();
  readonly #commands: ReadonlyMap<string, DoorCommand>;

  constructor(options: HttpDoorOptions, port: number, events: EventStream) {
    this.#options = options;
    this.#guards = { port, origins: options.origins };
    this.#events = events;
    this.#hasToken = tokenCheck(options.token);
    this.#commands = new Map(options.commands.map((command) => [`/v1/${command.name}`, command]));
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#answer(request, response);
    } catch (error) {
      // A client that went away is not a bug.
      if (request.destroyed || response.destroyed) return;
      this.#options.onBug(error);
      if (response.headersSent) response.destroy();
      else this.#problem(response, INTERNAL);
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const foreign = whyNotFromHere({ url, rawHeaders: request.rawHeaders, headers }, this.#guards);
    if (foreign !== undefined) return this.#problem(response, foreign);
    const [target = '', query = ''] = url.split('?', 2);
    if (target === '/health') {
      return method === 'GET' ? this.#json(response, { status: 'ok' }) : this.#wrongMethod(response, 'GET');
    }
    if (!this.#hasToken(headers.authorization)) return this.#problem(response, NO_TOKEN);
    const command = this.#commands.get(target);
    if (command !== undefined) {
      return method === 'POST' ? this.#command(command, request, response) : this.#wrongMethod(response, 'POST');
    }
    const file = /^\/v1\/files\/([\w-]{1,64})$/u.exec(target)?.[1];
    const isKnown = target === '/openapi.json' || target === '/v1/events' || file !== undefined;
    if (!isKnown) return this.#problem(response, NOT_THERE);
    if (method !== 'GET') return this.#wrongMethod(response, 'GET');
    if (file !== undefined) return this.#file(file, response);
    if (target === '/openapi.json') return this.#json(response, this.#options.document);
    const batchId = new URLSearchParams(query).get('batchId') ?? undefined;
    if (batchId !== undefined && !(await isThere(this.#options.host, batchId)))
      return this.#problem(response, NO_SUCH_BATCH);
    const last = headers['last-event-id'];
    const isAdded = this.#events.add(response, batchId, Array.isArray(last) ? last[0] : last);
    if (!isAdded) {
      const remedy = 'End one of the others; or ask for the state of a batch now and then.';
      this.#problem(response, { status: 503, message: 'There are too many readers of events.', remedy });
    }
  }

  async #command(command: DoorCommand, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.#bodies.read(request, response);
    if (!body.ok) return this.#problem(response, body.error);
    const answer = await carryOut(this.#options.host, command, body.value);
    if (answer.ok) this.#json(response, answer.value);
    else this.#problem(response, { ...answer.error, status: STATUS_OF[answer.error.kind] });
  }

  async #file(id: string, response: ServerResponse): Promise<void> {
    const located = await locate(this.#options.host, id);
    if (!located.ok) return this.#problem(response, { ...located.error, status: STATUS_OF[located.error.kind] });
    const { file, bytes, mediaType } = located.value;
    response.writeHead(200, {
      ...SAFE_HEADERS,
      'content-type': mediaType,
      'content-length': bytes,
      'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(path.basename(file))}`,
    });
    await pipeline(createReadStream(file, { end: Math.max(0, bytes - 1) }), response);
  }

  #json(response: ServerResponse, value: object, status = 200, type = 'application/json'): void {
    const text = this.#options.host.keyFinder.hide(JSON.stringify(value));
    response.writeHead(status, {
      ...SAFE_HEADERS,
      'content-type': `${type}; charset=utf-8`,
      'content-length': Buffer.byteLength(text),
      ...(status === 401 && { 'www-authenticate': 'Bearer' }),
    });
    response.end(text);
  }

  /** Closes the connection: nobody reads the rest of the request. */
  #problem(response: ServerResponse, { status, message, remedy, kind, fields }: Problem): void {
    if (!response.req.complete) response.shouldKeepAlive = false;
    const type = kind === undefined ? 'about:blank' : `urn:nocturne:problem:${kind}`;
    const document = { type, title: message, status, detail: message, remedy, ...(fields && { fields }) };
    this.#json(response, document, status, 'application/problem+json');
  }

  #wrongMethod(response: ServerResponse, allowed: string): void {
    response.setHeader('allow', allowed);
    this.#problem(response, {
      status: 405,
      message: `This is asked for with ${allowed}.`,
      remedy: 'See /openapi.json.',
    });
  }
}

const NO_SUCH_BATCH: Problem = {
  status: 404,
  kind: 'not-found',
  message: 'There is no such batch.',
  remedy: 'Ask for list_batches; or leave batchId out, to hear of all batches.',
};

async function isThere(host: DoorHost, batchId: string): Promise<boolean> {
  return host.work(async ({ store }) => (await store.batch(batchId)) !== undefined);
}

const INTERNAL: Problem = {
  status: 500,
  kind: 'internal',
  message: 'Something went wrong inside Nocturne.',
  remedy: 'Ask again; if it happens again, please report it with what the server has printed.',
};

/** No page in a browser may do anything with an answer. */
const SAFE_HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
};

interface LocatedFile {
  readonly file: string;
  readonly bytes: number;
  readonly mediaType: string;
}

/** A verified file below its media folder, once every link on the way has been followed. */
function locate(host: DoorHost, id: string): Promise<DoorAnswer<LocatedFile>> {
  const gone = refusal('not-found', 'There is no such file, or it is no longer in its folder.', 'Ask for list_files.');
  return host.look(async ({ views }) => {
    const output = await views.outputFile(id);
    if (output?.verified !== true || output.mediaType === undefined) return gone;
    if (isBucketAddress(output.folder)) {
      const where = `${output.folder}/${output.path}`;
      return refusal('not-found', `The file is not on this computer: it is ${where}.`, 'Get it from its bucket.');
    }
    try {
      const folder = await realpath(output.folder);
      const file = await realpath(path.join(folder, output.path));
      const found = await stat(file);
      if (!file.startsWith(folder + path.sep) || !found.isFile()) return gone;
      return ok({ file, bytes: found.size, mediaType: output.mediaType });
    } catch {
      return gone;
    }
  });
}
