import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';
import type { Clock } from '../../src/engine/ports/base.ts';
import type { FaultGate, NetworkFault, Passage, RequestKind } from './fault-proxy-faults.ts';
import { openGate } from './fault-proxy-faults.ts';

/** Chooses the fault of a request: the `nth` of its kind, counted from 1. `random` is drawn from the proxy's seed. */
export type FaultPlan = (kind: RequestKind, nth: number, random: () => number) => NetworkFault | undefined;

export interface FaultProxyOptions {
  /** Where the gateway listens. */
  readonly gatewayOrigin: string;
  readonly clock: Clock;
  readonly seed: number;
  readonly plan: FaultPlan;
  /** Where the gateway’s files are said to be, instead of here: an origin of at most 26 characters. */
  readonly fileOrigin?: string;
}

/** A line to a gateway, which does to every request what its plan says. */
export interface FaultProxy {
  readonly origin: string;
  /** Requests so far, by kind. */
  readonly requests: Readonly<Record<RequestKind, number>>;
  /** How many requests met a fault so far. */
  readonly faults: Readonly<Record<RequestKind, number>>;
  setPlan(plan: FaultPlan): void;
  /** From now on every connection is refused, and those that are open are gone. */
  refuse(): void;
  /** Listens again. */
  accept(): Promise<void>;
  close(): Promise<void>;
}

/** What all connections of a proxy share. */
interface Line {
  readonly gateway: { readonly host: string; readonly port: number };
  readonly clock: Clock;
  readonly random: () => number;
  readonly chooseFault: (requestLine: string) => NetworkFault | undefined;
  /**
   * The gateway names its own address in its answers; here that is replaced by the proxy's, which has the same length.
   */
  readonly readdress: (bytes: Buffer) => Buffer;
}

/**
 * Starts a TCP proxy in front of a gateway on this machine. It understands no more of HTTP than the request line, and
 * that a new request begins with the first bytes of the client after an answer: the engine never pipelines.
 */
export async function startFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const { clock } = options;
  let { plan } = options;
  const random = seededRandom(options.seed);
  const requests = { submit: 0, poll: 0, download: 0 };
  const faults = { submit: 0, poll: 0, download: 0 };
  const open = new Set<Socket>();
  const { hostname: host, port: gatewayPort } = new URL(options.gatewayOrigin);
  let server = await listenOn(0);
  const { port } = server.address() as AddressInfo;
  const line: Line = {
    gateway: { host, port: Number(gatewayPort) },
    clock,
    random,
    chooseFault: (requestLine) => {
      const kind = kindOf(requestLine);
      requests[kind] += 1;
      const fault = plan(kind, requests[kind], random);
      if (fault !== undefined) faults[kind] += 1;
      return fault;
    },
    readdress: readdressing(options, port),
  };
  const serve = (client: Socket): void => {
    open.add(client);
    client.on('close', () => open.delete(client));
    carry(client, line);
  };
  server.on('connection', serve);
  return {
    origin: `http://127.0.0.1:${port}`,
    requests,
    faults,
    setPlan: (wanted) => {
      plan = wanted;
    },
    refuse: () => {
      server.close();
      for (const socket of open) socket.destroy();
    },
    accept: async () => {
      server = await listenOn(port);
      server.on('connection', serve);
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Where a proxy may listen: below the ports that systems hand out by themselves. While the proxy refuses, its port is
 * given to nobody else, and a client that keeps trying it is never connected to itself.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 31_999;

/** Listens on a port; 0 takes a free one. It has five digits, like those that a system hands out to a gateway. */
async function listenOn(port: number): Promise<Server> {
  for (let tries = 0; ; tries += 1) {
    const server = createServer({ noDelay: true });
    server.listen(port === 0 ? randomInt(FIRST_PORT, LAST_PORT + 1) : port, '127.0.0.1');
    try {
      await once(server, 'listening');
      return server;
    } catch (error) {
      if (port !== 0 || tries === 20) throw error;
    }
  }
}

function kindOf(requestLine: string): RequestKind {
  if (requestLine.startsWith('POST ')) return 'submit';
  return requestLine.startsWith('GET /media/') ? 'download' : 'poll';
}

/** Turns the gateway's addresses into the proxy's, or into those of the place where its files are said to be. */
function readdressing({ gatewayOrigin, fileOrigin }: FaultProxyOptions, port: number): (bytes: Buffer) => Buffer {
  const files = `${gatewayOrigin}/media/`;
  if (fileOrigin === undefined) return replacing(gatewayOrigin, `http://127.0.0.1:${port}`);
  return replacing(files, `${`${fileOrigin}/`.padEnd(files.length - 1, 'x')}/`);
}

/** Replaces one text by another of the same length; one that is split over two reads would stay as it was. */
function replacing(text: string, by: string): (bytes: Buffer) => Buffer {
  return (bytes) => {
    if (!bytes.includes(text)) return bytes;
    return Buffer.from(bytes.toString('latin1').replaceAll(text, by), 'latin1');
  };
}

/** Carries one connection of the engine to the gateway and back, exchange by exchange. */
function carry(client: Socket, line: Line): void {
  const { clock } = line;
  let upstream: Socket | undefined;
  let gate: FaultGate | undefined;
  let isAnswering = false;
  let isClosing = false;
  const timers = new Set<() => void>();

  const after = (ms: number, callback: () => void): void => {
    const cancel = clock.setTimer(ms, () => {
      timers.delete(cancel);
      callback();
    });
    timers.add(cancel);
  };
  const lines = { up: delayLine(clock, after), down: delayLine(clock, after) };
  const gone = (): void => {
    for (const cancel of timers) cancel();
    timers.clear();
    upstream?.destroy();
    client.destroy();
  };
  const openUpstream = (): Socket => {
    const socket = connect({ ...line.gateway, noDelay: true });
    socket.on('data', (bytes: Buffer) => gate?.('down', line.readdress(bytes)));
    socket.on('error', gone);
    // The gateway ends its side: so does the proxy, when all that is under way has arrived.
    socket.on('end', () => passage.end());
    return socket;
  };
  const passage: Passage = {
    pass: (direction, bytes, delayMs) =>
      lines[direction](delayMs, () => {
        if (direction === 'up') (upstream ??= openUpstream()).write(bytes);
        else if (!isClosing) {
          isAnswering = true;
          client.write(bytes);
        }
      }),
    end: () =>
      lines.down(0, () => {
        isClosing = true;
        client.end(() => upstream?.destroy());
      }),
    reset: () => {
      client.resetAndDestroy();
    },
    sendBeside: (bytes) => {
      const beside = connect(line.gateway, () => beside.write(bytes));
      beside.on('data', () => beside.destroy()).on('error', () => undefined);
    },
    after,
    random: line.random,
  };
  client.on('data', (bytes: Buffer) => {
    if (isClosing) return;
    if (gate === undefined || (isAnswering && isRequest(bytes) && !isSwallowing)) {
      isAnswering = false;
      const [requestLine = ''] = bytes.toString('latin1', 0, 200).split('\r\n', 1);
      const fault = line.chooseFault(requestLine);
      isSwallowing = fault?.kind === 'slow-close';
      gate = openGate(fault, passage);
    }
    gate('up', bytes);
  });
  let isSwallowing = false;
  client.on('error', () => undefined);
  client.on('close', gone);
}

function isRequest(bytes: Buffer): boolean {
  return /^(?:GET|POST) /.test(bytes.toString('latin1', 0, 5));
}

/** Hands things on after a time, and in the order in which they came. */
function delayLine(clock: Clock, after: (ms: number, callback: () => void) => void) {
  const waiting: { readonly at: number; readonly act: () => void }[] = [];
  let isWaiting = false;
  const release = (): void => {
    isWaiting = false;
    const [first] = waiting;
    if (first === undefined) return;
    const leftMs = first.at - clock.monotonic();
    if (leftMs <= 0) {
      waiting.shift();
      first.act();
      return release();
    }
    isWaiting = true;
    after(leftMs, release);
  };
  return (delayMs: number, act: () => void): void => {
    waiting.push({ at: clock.monotonic() + delayMs, act });
    if (!isWaiting) release();
  };
}

/** Numbers in [0, 1) from a seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
