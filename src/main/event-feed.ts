/** Sends events to the window, each with the next sequence number, so that it notices a gap. */
import type { EventName, EventPayload } from '../shared/ipc/contract.ts';

type WithoutSequence<E extends EventName> = Omit<EventPayload<E>, 'sequence'>;

export class EventFeed {
  readonly #send: (event: EventName, payload: unknown) => void;
  #sequence = 0;

  /** `send` delivers to the window that is open, if any. */
  constructor(send: (event: EventName, payload: unknown) => void) {
    this.#send = send;
  }

  /** Number of the latest event: a page taken now holds everything up to it. */
  get sequence(): number {
    return this.#sequence;
  }

  emit<E extends EventName>(event: E, payload: WithoutSequence<E>): void {
    this.#sequence += 1;
    this.#send(event, { ...payload, sequence: this.#sequence });
  }
}
