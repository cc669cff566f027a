/** The window's side of the contract: requests are typed, replies and events are parsed. */
import { ok } from '../shared/domain/base/result.ts';
import {
  type Bridge,
  type EventName,
  type EventPayload,
  events,
  refuse,
  type RefusedField,
  type Reply,
  type RouteInput,
  type RouteName,
  type RouteOutput,
  routes,
} from '../shared/ipc/contract.ts';

/** The arguments of a request: its input, if it has one. */
export type RouteArguments<R extends RouteName> = RouteInput<R> extends undefined ? [] : [input: RouteInput<R>];

/** Asks from a form, which itself shows what is refused about these fields. */
export type AskFrom = <R extends RouteName>(
  fields: readonly RefusedField[],
  route: R,
  ...input: RouteArguments<R>
) => Promise<Reply<RouteOutput<R>>>;

/** One event with its payload, discriminated by `name`. */
export type AppEvent = { [E in EventName]: { readonly name: E; readonly payload: EventPayload<E> } }[EventName];

export interface IpcClient {
  /** Asks the application. It never rejects: errors come in the reply. */
  request<R extends RouteName>(route: R, ...input: RouteArguments<R>): Promise<Reply<RouteOutput<R>>>;
  /** Calls back for every event, and `onUnreadable` for one that the contract does not know. Returns a way to stop. */
  subscribe(listener: (event: AppEvent) => void, onUnreadable: () => void): () => void;
}

/** Wraps the bridge that the preload script exposes to the window. */
export function createIpcClient(bridge: Bridge): IpcClient {
  return {
    async request(route, ...input) {
      const reply = await ask(bridge, route, input[0]);
      if (!reply.ok) return reply;
      const parsed = routes[route].output.safeParse(reply.value);
      if (parsed.success) return ok(parsed.data as RouteOutput<typeof route>);
      return refuse('internal', `The answer to “${route}” was not understood. Please report it.`);
    },
    subscribe(listener, onUnreadable) {
      return bridge.subscribe((name, payload) => {
        const parsed = Object.hasOwn(events, name) ? events[name].safeParse(payload) : undefined;
        if (parsed?.success === true) listener({ name, payload: parsed.data } as AppEvent);
        else onUnreadable();
      });
    },
  };
}

async function ask(bridge: Bridge, route: RouteName, input: unknown): Promise<Reply<unknown>> {
  try {
    return await bridge.request(route, input);
  } catch {
    return refuse('unavailable', 'Nocturne’s engine could not be reached. Close the window and open it again.');
  }
}

/** Notices that events were missed: their numbers have no gaps, whatever they are about. */
export class EventSequence {
  #last: number | undefined;

  /** Takes the number of the next event. False if an earlier one was missed: read everything again. */
  follows(sequence: number): boolean {
    const isNext = this.#last === undefined || sequence === this.#last + 1;
    this.#last = sequence;
    return isNext;
  }
}
