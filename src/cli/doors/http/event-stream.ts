/** What changes, as server-sent events (WHATWG HTML): to a few readers, from bounded memory. */
import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Clock, Engine } from '../../../engine/index.ts';

/** Changes are gathered for this long. */
const INTERVAL_MS = 250;
const HEARTBEAT_MS = 15_000;
const MOST_READERS = 16;
/** If more rows change, it is only said that they did. */
const ROWS_NAMED = 100;
/** How much is kept for readers who come back. */
const KEPT_CHARACTERS = 1024 * 1024;
/** A reader that is this far behind is cut off, and comes back with the id of the last event that it has. */
const MOST_BEHIND_BYTES = 256 * 1024;

interface KeptEvent {
  readonly number: number;
  readonly batchId: string;
  readonly text: string;
}

interface Reader {
  readonly response: ServerResponse;
  readonly batchId: string | undefined;
}

export interface EventStreamOptions {
  readonly changes: Pick<Engine, 'onChange'>;
  /** A batch as the events describe it; undefined if it is gone. */
  readonly describe: (batchId: string) => Promise<object | undefined>;
  readonly clock: Clock;
  /** Hides keys in what is sent. */
  readonly hide: (text: string) => string;
  readonly onBug: (error: unknown) => void;
}

/** Gathers changes from the first reader on, and sends them to all readers. */
export class EventStream {
  readonly #options: EventStreamOptions;
  /** Distinguishes this process: event numbers of another one mean nothing here. */
  readonly #epoch = randomBytes(6).toString('hex');
  readonly #readers = new Set<Reader>();
  readonly #pending = new Map<string, { readonly rows: Set<string>; isMore: boolean }>();
  #kept: KeptEvent[] = [];
  #keptCharacters = 0;
  #last = 0;
  #stopListening: (() => void) | undefined;
  #cancelHeartbeat = (): void => undefined;
  #cancelFlush: (() => void) | undefined;
  #isFlushing = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
  }

  /**
   * Sends a reader everything from now on, or from after the event that it names. If that event is no longer known, the
   * reader is told to ask for everything again (`reset`).
   * @returns False if there are too many.
   */
  add(response: ServerResponse, batchId: string | undefined, lastEventId: string | undefined): boolean {
    if (this.#readers.size >= MOST_READERS) return false;
    this.#listen();
    const reader: Reader = { response, batchId };
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    response.on('close', () => this.#readers.delete(reader));
    this.#readers.add(reader);
    this.#write(reader, 'retry: 3000\n\n');
    const missed = lastEventId === undefined ? [] : this.#after(lastEventId);
    if (missed === undefined) {
      this.#write(reader, `id: ${this.#epoch}-${this.#last}\nevent: reset\ndata: {}\n\n`);
      return true;
    }
    for (const event of missed) this.#tell(reader, event);
    return true;
  }

  /** Ends every reader. */
  close(): void {
    this.#stopListening?.();
    this.#cancelHeartbeat();
    this.#cancelFlush?.();
    for (const { response } of this.#readers) response.end();
  }

  /** What came after an event; undefined if that is no longer known. */
  #after(lastEventId: string): readonly KeptEvent[] | undefined {
    const [epoch, digits = ''] = lastEventId.split('-');
    const number = Number(digits);
    const first = this.#last - this.#kept.length;
    const isKnown = epoch === this.#epoch && /^\d{1,15}$/u.test(digits) && number >= first && number <= this.#last;
    return isKnown ? this.#kept.filter((event) => event.number > number) : undefined;
  }

  #listen(): void {
    if (this.#stopListening !== undefined) return;
    this.#stopListening = this.#options.changes.onChange((change) => {
      switch (change.kind) {
        case 'task':
          this.#note(change.task.batchId, change.task.rowId);
          break;
        case 'batch':
          this.#note(change.batch.id);
          break;
        case 'sheet':
          this.#note(change.batchId, undefined, true);
          break;
        case 'removed':
          // Nothing is left to read about the batch.
          break;
      }
    });
    this.#beat();
  }

  #beat(): void {
    this.#cancelHeartbeat = this.#options.clock.setTimer(HEARTBEAT_MS, () => {
      for (const reader of this.#readers) this.#write(reader, ': still here\n\n');
      this.#beat();
    });
  }

  #note(batchId: string, row?: string, isMore = false): void {
    const change = this.#pending.get(batchId) ?? { rows: new Set<string>(), isMore: false };
    if (row !== undefined && change.rows.size < ROWS_NAMED) change.rows.add(row);
    else if (row !== undefined && !change.rows.has(row)) change.isMore = true;
    if (isMore) change.isMore = true;
    this.#pending.set(batchId, change);
    this.#flushLater();
  }

  /** Not while the store is being asked: otherwise a slow store would be asked the same questions again and again. */
  #flushLater(): void {
    if (this.#isFlushing || this.#pending.size === 0) return;
    this.#cancelFlush ??= this.#options.clock.setTimer(INTERVAL_MS, () => {
      this.#cancelFlush = undefined;
      this.#isFlushing = true;
      void this.#flush()
        .catch(this.#options.onBug)
        .finally(() => {
          this.#isFlushing = false;
          this.#flushLater();
        });
    });
  }

  async #flush(): Promise<void> {
    const changes = [...this.#pending];
    this.#pending.clear();
    for (const [batchId, { rows, isMore }] of changes) {
      const batch = await this.#options.describe(batchId);
      if (batch === undefined) continue;
      const data = this.#options.hide(JSON.stringify({ batch, rows: [...rows], hasMoreRows: isMore }));
      this.#last += 1;
      const event = {
        number: this.#last,
        batchId,
        text: `id: ${this.#epoch}-${this.#last}\nevent: batch\ndata: ${data}\n\n`,
      };
      this.#keep(event);
      for (const reader of this.#readers) this.#tell(reader, event);
    }
  }

  #keep(event: KeptEvent): void {
    this.#kept.push(event);
    this.#keptCharacters += event.text.length;
    while (this.#keptCharacters > KEPT_CHARACTERS) {
      const [oldest] = this.#kept.splice(0, 1);
      if (oldest === undefined) return;
      this.#keptCharacters -= oldest.text.length;
    }
  }

  #tell(reader: Reader, { batchId, text }: KeptEvent): void {
    if (reader.batchId === undefined || reader.batchId === batchId) this.#write(reader, text);
  }

  #write({ response }: Reader, text: string): void {
    if (response.destroyed) return;
    response.write(text);
    if (response.writableLength > MOST_BEHIND_BYTES) response.destroy();
  }
}
