/** Checks every request from a window in this order: sender, route, input; then calls the handler. Never rejects. */
import {
  INTERNAL_REPLY,
  type MainRouteName,
  refuse,
  type Reply,
  type RouteInput,
  type RouteName,
  type RouteOutput,
  routes,
} from '../../shared/ipc/contract.ts';
import type { Log } from '../shell/log.ts';

const INPUT_MAX_CHARACTERS = 1_048_576;

/** One handler for each route; a missing or an extra one does not compile. */
export type RouteHandlers = {
  readonly [R in RouteName]: (input: RouteInput<R>) => Promise<Reply<RouteOutput<R>>> | Reply<RouteOutput<R>>;
};

/** The handlers of one subject of the contract that main answers itself. */
export type HandlersOf<S> = Pick<RouteHandlers, keyof S & MainRouteName>;

/** Who sent a request, as far as the router needs it. */
export interface RequestSender {
  readonly isTopFrame: boolean;
  /** Address of the frame that sent it. */
  readonly url: string;
}

export interface IpcRouterOptions {
  readonly handlers: RouteHandlers;
  /** True for an address of the application's own window. */
  readonly isOwnAddress: (url: string) => boolean;
  readonly log: Log;
}

/** Makes the one function that answers everything a window may ask. */
export function createIpcRouter(
  options: IpcRouterOptions,
): (sender: RequestSender, route: unknown, input: unknown) => Promise<Reply<unknown>> {
  const { handlers, isOwnAddress, log } = options;
  return async (sender, route, input) => {
    if (!sender.isTopFrame || !isOwnAddress(sender.url)) {
      log('warning', 'request from a foreign frame rejected');
      return refuse('forbidden', 'This page may not ask Nocturne for anything.');
    }
    if (!isRoute(route)) {
      log('warning', 'request for an unknown route rejected');
      return refuse('not-found', 'There is no such route.');
    }
    if (sizeOf(input) > INPUT_MAX_CHARACTERS) {
      log('warning', `${route}: input of more than 1 MiB rejected`);
      return refuse('invalid-input', 'That is more than 1 MiB at once.');
    }
    const parsed = routes[route].input.safeParse(input);
    if (!parsed.success) {
      const where = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'input'}: ${issue.message}`);
      log('warning', `${route}: invalid input rejected`);
      return refuse('invalid-input', `Nocturne cannot read this request: ${where.slice(0, 5).join('; ')}`);
    }
    return answer(handlers, route, parsed.data, log);
  };
}

async function answer(handlers: RouteHandlers, route: RouteName, input: unknown, log: Log): Promise<Reply<unknown>> {
  // The route's own schema has just parsed the input; the compiler cannot follow a union of routes.
  const handle = handlers[route] as (input: unknown) => Promise<Reply<unknown>> | Reply<unknown>;
  try {
    const reply = await handle(input);
    if (!reply.ok) return reply;
    return { ok: true, value: routes[route].output.parse(reply.value) };
  } catch (error) {
    log('error', `${route}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    return INTERNAL_REPLY;
  }
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
