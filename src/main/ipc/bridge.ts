/**
 * Main's end of the bridge: checks and answers what the window asks, and numbers the events that it sends to the
 * window.
 */
import {
  type EventName,
  INTERNAL_REPLY,
  type MainRouteName,
  refuse,
  type Reply,
  type RouteInput,
  type RouteName,
  type RouteOutput,
  routes,
  type News,
} from '../../shared/ipc/contract.ts';
import { SaidError, sayError } from '../../shared/domain/base/reason.ts';
import type { EngineHost } from '../engine-process/engine-host.ts';
import type { Additions, EngineEvent } from '../engine-process/engine-protocol.ts';
import type { Log } from '../shell/log.ts';
import { words } from '../../shared/words/words.ts';

const INPUT_MAX_CHARACTERS = 1_048_576;

/** One handler for each route that main answers itself; a missing or an extra one does not compile. */
export type MainHandlers = {
  readonly [R in MainRouteName]: (input: RouteInput<R>) => Promise<Reply<RouteOutput<R>>> | Reply<RouteOutput<R>>;
};

/** The handlers for one subject of the contract. */
export type HandlersOf<S> = Pick<MainHandlers, keyof S & MainRouteName>;

/** Who sent a request, as far as the router needs it. */
export interface RequestSender {
  readonly isTopFrame: boolean;
  /** Address of the frame that sent it. */
  readonly url: string;
}

export interface IpcRouterOptions {
  readonly handlers: MainHandlers;
  /** Answers every other route. */
  readonly engine: Pick<EngineHost, 'request'>;
  /** What main adds to their input where the contract says so. */
  readonly additions: { readonly [A in keyof Additions]: () => Additions[A] | Promise<Additions[A]> };
  /** True for an address of the application's own window. */
  readonly isOwnAddress: (url: string) => boolean;
  readonly log: Log;
}

/**
 * Makes the one function that answers everything a window may ask. It checks sender, route and input, in this order;
 * then main's handler answers, or the engine. Never rejects.
 */
export function createIpcRouter(
  options: IpcRouterOptions,
): (sender: RequestSender, route: unknown, input: unknown) => Promise<Reply<unknown>> {
  const { isOwnAddress, log } = options;
  return async (sender, route, input) => {
    if (!sender.isTopFrame || !isOwnAddress(sender.url)) {
      log('warning', 'request from a foreign frame rejected');
      return refuse('forbidden', words.desktop.window.foreignPage);
    }
    if (!isRoute(route)) {
      log('warning', 'request for an unknown route rejected');
      return refuse('not-found', words.desktop.window.noRoute);
    }
    if (sizeOf(input) > INPUT_MAX_CHARACTERS) {
      log('warning', `${route}: input of more than 1 MiB rejected`);
      return refuse('invalid-input', words.desktop.window.tooMuch);
    }
    const parsed = routes[route].input.safeParse(input);
    if (!parsed.success) {
      const where = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
      log('warning', `${route}: invalid input rejected`);
      return refuse('invalid-input', words.desktop.window.unreadable(where.slice(0, 5).join('; ')));
    }
    try {
      return await answer(options, route, parsed.data);
    } catch (error) {
      // The disk is full, say: no bug, and the user can do something about it.
      if (error instanceof SaidError) return refuse('refused', sayError(error));
      log('error', `${route}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return INTERNAL_REPLY;
    }
  };
}

/** The route's own schema has just parsed the input; the compiler cannot follow a union of routes. */
async function answer(options: IpcRouterOptions, name: RouteName, input: object | undefined): Promise<Reply<unknown>> {
  const { answeredBy, adds, output } = routes[name];
  const { handlers, engine, additions } = options;
  if (answeredBy === 'engine') {
    const whole = adds === undefined ? input : { ...input, ...(await additions[adds]()) };
    return engine.request(name as Exclude<RouteName, MainRouteName>, whole);
  }
  const reply = await handlers[name as MainRouteName](input as never);
  return reply.ok ? { ok: true, value: output.parse(reply.value) } : reply;
}

function isRoute(route: unknown): route is RouteName {
  return typeof route === 'string' && Object.hasOwn(routes, route);
}

/** Length as JSON; what JSON cannot represent is too much by definition. */
function sizeOf(input: unknown): number {
  try {
    return JSON.stringify(input)?.length ?? 0;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Events that are sent only once: a page that comes later asks for everything else, but would never learn of these. */
const SAID_ONCE: ReadonlySet<EventName> = new Set([
  'sheet.opened',
  'ledger.wanted',
  'batch.wanted',
  'about.wanted',
  'command.wanted',
  'diagnostics.wanted',
  'notice',
]);
/** At most this many events are kept during a long time without a window. */
const MOST_KEPT = 50;

/**
 * Sends events to the window, each with the next sequence number, so that the window notices a gap. Keeps those that
 * are said once until a page listens.
 */
export class EventFeed {
  readonly #send: (event: EventName, payload: unknown) => void;
  #sequence = 0;
  #isHeard = false;
  #kept: { readonly event: EventName; readonly payload: object }[] = [];

  readonly #now: () => number;

  /** `send` delivers to the open window, if any; `now` is in milliseconds since the epoch. */
  constructor(send: (event: EventName, payload: unknown) => void, now: () => number = Date.now) {
    this.#send = send;
    this.#now = now;
  }

  /** Number of the latest event: a page that is fetched now contains everything up to it. */
  get sequence(): number {
    return this.#sequence;
  }

  emit<E extends EventName>(event: E, payload: News<E>): void {
    this.#tell(event, payload);
  }

  /** Passes on what the engine tells the window. */
  pass({ event, payload }: EngineEvent): void {
    this.#tell(event, payload);
  }

  /** A page listens from now on, and gets what was kept for it. */
  heard(): void {
    this.#isHeard = true;
    for (const { event, payload } of this.#kept.splice(0)) this.#number(event, payload);
  }

  /** The page is gone, or a new one is still loading. */
  unheard(): void {
    this.#isHeard = false;
  }

  #tell(event: EventName, payload: object): void {
    if (this.#isHeard || !SAID_ONCE.has(event)) this.#number(event, payload);
    else {
      // It is shown once there is a window, with the time at which it came.
      const kept = event === 'notice' ? { ...payload, at: this.#now() } : payload;
      this.#kept = [...this.#kept, { event, payload: kept }].slice(-MOST_KEPT);
    }
  }

  #number(event: EventName, payload: object): void {
    this.#sequence += 1;
    this.#send(event, { ...payload, sequence: this.#sequence });
  }
}
