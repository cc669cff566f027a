import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { operationOf } from '../shared/domain/operations/operations.ts';
import { err, ok } from '../shared/domain/base/result.ts';
import type { Result } from '../shared/domain/base/result.ts';
import type { Behaviour, BehaviourInput, BehaviourProblem } from './faults/behaviour.ts';
import { parseBehaviour } from './faults/behaviour.ts';
import type { Charge } from './charge-log.ts';
import { ChargeLog } from './charge-log.ts';
import { FaultBook } from './faults/fault-book.ts';
import { type GatewayState, RateLimits } from './gateway-state.ts';
import { route, routeElsewhere } from './routes/http-routes.ts';
import { RenderedFiles } from './media/render.ts';
import { TaskBook } from './tasks.ts';

/** A built-in gateway that is listening. */
export interface RunningGateway {
  /** With the fixed path prefix: `http://127.0.0.1:PORT/api`. */
  readonly baseUrl: string;
  /** Everything the gateway knows. A caller may replace its behaviour and its faults. */
  readonly state: GatewayState;
  /** Stops listening and closes all open connections. */
  close(): Promise<void>;
}

export interface BuiltInGatewayOptions {
  /** 0, the default, takes a free port. */
  readonly port?: number;
  readonly host?: string;
  /** The same seed, behaviour and requests give the same codes, durations, faults and bytes. */
  readonly seed?: number;
  readonly behaviour?: BehaviourInput;
  /** The file for charges, one JSON document per line, written before the submit is answered. */
  readonly chargeLogFile?: string;
  /** Charges of an earlier, successful run: with the same seed, the gateway still knows their tasks. */
  readonly chargedBefore?: readonly Omit<Charge, 'seq'>[];
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** The valid keys; replaces the behaviour's own list. */
  readonly acceptKey?: (key: string) => boolean;
}

/** Why the gateway did not start. */
export type StartFailure =
  | { readonly kind: 'behaviour-invalid'; readonly problems: readonly BehaviourProblem[] }
  | { readonly kind: 'port-unavailable'; readonly message: string }
  | { readonly kind: 'charge-log-unwritable'; readonly message: string };

/** Long, so that no idle connection closes just as a client submits on it: that looks like a lost answer. */
const KEEP_ALIVE_MS = 10 * 60 * 1000;
const RENDERED_BYTES_KEPT = 16 * 1024 * 1024;

/**
 * Starts the built-in gateway: the whole interface with real media, and a behaviour for everything the interface leaves
 * open. It serves the user's rehearsals and the tests. By default it listens on the loopback interface.
 */
export async function startGateway(options: BuiltInGatewayOptions = {}): Promise<Result<RunningGateway, StartFailure>> {
  const { port = 0, host = '127.0.0.1' } = options;
  const behaviour = parseBehaviour(options.behaviour ?? {});
  if (!behaviour.ok) return err({ kind: 'behaviour-invalid', problems: behaviour.error });
  const charges = openChargeLog(options.chargeLogFile);
  if (!charges.ok) return charges;
  const gateway = newState(options, behaviour.value, charges.value);
  const server = createServer(
    { keepAlive: true, noDelay: true },
    (request, response) => void route(gateway, request, response),
  );
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const elsewhere = createServer((request, response) => routeElsewhere(gateway, request, response));
  for (const [listener, wantedPort] of [
    [server, port],
    [elsewhere, 0],
  ] as const) {
    const failure = await listen(listener, wantedPort, host);
    if (failure === undefined) continue;
    await Promise.all([stop(server), stop(elsewhere)]);
    charges.value.close();
    return err({ kind: 'port-unavailable', message: failure });
  }
  for (const charge of options.chargedBefore ?? []) takeUp(gateway, charge);
  gateway.origin = originOf(server, host);
  gateway.otherOrigin = originOf(elsewhere, host);
  return ok({
    baseUrl: gateway.origin + gateway.behaviour.pathPrefix,
    state: gateway,
    close: async () => {
      await Promise.all([stop(server), stop(elsewhere)]);
      gateway.charges.close();
    },
  });
}

function takeUp(gateway: GatewayState, charge: Omit<Charge, 'seq'>): void {
  const { body, bodySha256, at: now } = charge;
  const operation = operationOf(charge.operation);
  gateway.tasks.add({ operation, body, bodySha256, now, failure: undefined }, gateway.behaviour);
  gateway.charges.append(charge);
}

function openChargeLog(path: string | undefined): Result<ChargeLog, StartFailure> {
  try {
    return ok(new ChargeLog(path));
  } catch (error) {
    return err({ kind: 'charge-log-unwritable', message: error instanceof Error ? error.message : String(error) });
  }
}

function newState(options: BuiltInGatewayOptions, behaviour: Behaviour, charges: ChargeLog): GatewayState {
  const { seed = 1, now = Date.now, acceptKey } = options;
  return {
    seed,
    now,
    acceptKey,
    tasks: new TaskBook(seed),
    charges,
    chargedKeys: new Map(),
    limits: new RateLimits(),
    accounts: new Map(),
    counters: { requests: 0, submits: 0, polls: 0, downloads: 0, keyLeaks: 0, rejections: [] },
    rendered: new RenderedFiles(RENDERED_BYTES_KEPT),
    behaviour,
    faults: new FaultBook(behaviour.faults, seed),
    origin: '',
    otherOrigin: '',
  };
}

/** The error's message if the server cannot listen. */
function listen(server: Server, port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    server.once('error', (error) => resolve(error.message));
    server.listen(port, host, () => resolve(undefined));
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    if (!server.listening) return resolve();
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function originOf(server: Server, host: string): string {
  const { port } = server.address() as AddressInfo;
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}
