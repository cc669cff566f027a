/** Sends events to the window, each with the next sequence number, so that the window notices a gap. */
import type { EngineNews } from '../engine-process/engine-host.ts';
import type { EventName, EventPayload } from '../../shared/ipc/contract.ts';

type WithoutSequence<E extends EventName> = Omit<EventPayload<E>, 'sequence'>;

/** Events that are sent only once: a page that comes later asks for everything else, but would never learn of these. */
const SAID_ONCE: ReadonlySet<EventName> = new Set(['sheet.opened', 'notice']);
/** Of a long time without a window. */
const MOST_KEPT = 50;

/** Keeps these events until a page listens. */
export class EventFeed {
  readonly #send: (event: EventName, payload: unknown) => void;
  #sequence = 0;
  #isHeard = false;
  #kept: { readonly event: EventName; readonly payload: object }[] = [];

  /** `send` delivers to the open window, if any. */
  constructor(send: (event: EventName, payload: unknown) => void) {
    this.#send = send;
  }

  /** Number of the latest event: a page that is fetched now contains everything up to it. */
  get sequence(): number {
    return this.#sequence;
  }

  emit<E extends EventName>(event: E, payload: WithoutSequence<E>): void {
    if (this.#isHeard || !SAID_ONCE.has(event)) this.#number(event, payload);
    else this.#kept = [...this.#kept, { event, payload }].slice(-MOST_KEPT);
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

  #number(event: EventName, payload: object): void {
    this.#sequence += 1;
    this.#send(event, { ...payload, sequence: this.#sequence });
  }
}

/** Passes on what the engine sent. */
export function tellEngineNews(news: EngineNews, feed: EventFeed): void {
  switch (news.kind) {
    case 'batchChanged':
      feed.emit('batch.changed', payloadOf(news));
      return;
    case 'listChanged':
      feed.emit('batch.listChanged', {});
      return;
    case 'sheetChanged':
      feed.emit('sheet.changed', payloadOf(news));
      return;
    case 'sheetProgress':
      feed.emit('sheet.progress', payloadOf(news));
      return;
    case 'fileChanged':
      feed.emit('sheet.fileChanged', payloadOf(news));
      return;
    case 'notice':
      feed.emit('notice', { level: 'warning', title: news.title, message: news.message });
  }
}

function payloadOf<N extends EngineNews>(news: N): Omit<N, 'kind'> {
  const { kind: _, ...payload } = news;
  return payload;
}
