/** Reads sheets for the engine's process, in processes that main starts and connects to it. */
import {
  sheetReaderOf,
  type FromSheetReader,
  type ReaderChannel,
  type SheetReader,
  type SheetReaderInput,
} from '../../engine/index.ts';
import type { FromEngine } from './engine-protocol.ts';

/** The part of a reader's port that is used: Electron's, or a stand-in in a test. */
export interface ReaderPort {
  on(event: 'message', listener: (event: { data: unknown }) => void): unknown;
  on(event: 'close', listener: () => void): unknown;
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

/** The application's reader of sheets. */
export class UtilitySheetReader implements SheetReader {
  readonly #tellMain: (message: FromEngine) => void;
  readonly #waiting = new Map<number, (port: ReaderPort | undefined) => void>();
  #nextId = 1;
  readonly #reader = sheetReaderOf((input) => this.#start(input));
  readonly read = this.#reader.read;
  readonly resultsDocument = this.#reader.resultsDocument;

  constructor(tellMain: (message: FromEngine) => void) {
    this.#tellMain = tellMain;
  }

  /** Main has started a reader. */
  give(id: number, port: ReaderPort | undefined): void {
    this.#waiting.get(id)?.(port);
    this.#waiting.delete(id);
  }

  async #start(input: SheetReaderInput): Promise<ReaderChannel> {
    const id = this.#nextId++;
    const port = await new Promise<ReaderPort | undefined>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#tellMain({ kind: 'sheetReaderWanted', id });
    });
    if (port === undefined) throw new Error('A reader of sheets came without a port.');
    return this.#channelOf(port, id, input);
  }

  #channelOf(port: ReaderPort, id: number, input: SheetReaderInput): ReaderChannel {
    let hasStarted = false;
    return {
      begin: () => {
        port.start();
        port.postMessage(input);
      },
      onMessage: (listener) =>
        port.on('message', ({ data }) => {
          hasStarted = true;
          listener(data as FromSheetReader);
        }),
      onEnd: (listener) =>
        port.on('close', () => {
          // A reader's thread says when its heap is full, but the system may end it without a word when there is no
          // memory left.
          listener(new Error(hasStarted ? 'its reader ended without an answer' : 'its reader did not start'));
        }),
      end: () => {
        port.close();
        this.#tellMain({ kind: 'sheetReaderDone', id });
      },
    };
  }
}
