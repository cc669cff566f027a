/** Keeps the engine's process alive and speaks with it: requests, their answers, its changes, its crashes. */
import type { MessagePortMain } from 'electron';
import { assertNever } from '../shared/domain/result.ts';
import type { Reply } from '../shared/ipc/contract.ts';
import {
  engineRequests,
  fromEngine,
  type EngineInput,
  type EngineOutput,
  type EngineRequestName,
  type FromEngine,
  type ToEngine,
} from './engine-protocol.ts';
import type { Log } from './log.ts';
import { INTERNAL_REPLY, refuse } from './reply.ts';

/** A second crash within this time is a cause that a third start would not remove. */
const CRASH_WINDOW_MS = 60_000;

const STOPPED_TOO_EARLY =
  'The engine did not end in time. Paid requests that were under way are shown as “outcome unknown” next time; nothing is sent twice.';

/** What the engine tells without being asked. */
export type EngineNews = Extract<
  FromEngine,
  { kind: 'batchChanged' | 'listChanged' | 'sheetChanged' | 'sheetProgress' | 'fileChanged' | 'notice' }
>;

/** `read-only`: the store can be looked at; every command is refused by the process, with the reason. */
export type EngineState = 'starting' | 'ready' | 'restarted' | 'read-only' | 'failed';

/** A started process of the engine, as a port: Electron's utility process, or a stand-in in a test. */
export interface EngineProcess {
  post(message: ToEngine, ports?: readonly MessagePortMain[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, with the exit code. */
  onExit(listener: (code: number) => void): void;
  kill(): void;
}

/** A started process that reads a sheet for the engine. */
export interface SheetReaderProcess {
  /** To be given to the engine, which says through it what is to be read. */
  readonly port: MessagePortMain;
  kill(): void;
}

export interface EngineHostOptions {
  readonly storeFolder: string;
  /** Beside the settings, not in the store's folder: a copy of that folder that was put back is noticed by it. */
  readonly incarnationFile: string;
  readonly spawn: () => EngineProcess;
  readonly spawnSheetReader: () => SheetReaderProcess;
  /** The keys as they are now, handed to each new process. */
  readonly keys: () => { readonly origin: string; readonly key: string }[];
  readonly onState: (state: EngineState, message: string) => void;
  readonly onNews: (news: EngineNews) => void;
  readonly monotonicMs: () => number;
  readonly log: Log;
}

interface Waiting {
  readonly name: EngineRequestName;
  readonly input: unknown;
  readonly resolve: (reply: Reply<unknown>) => void;
  /** False while it waits for the process to be ready: then it was never seen by one that died. */
  sent: boolean;
}

/** The engine as main sees it. Requests wait for the start, and are answered in every case. */
export class EngineHost {
  readonly #options: EngineHostOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #sheetReaders = new Map<number, SheetReaderProcess>();
  #process: EngineProcess | undefined;
  #state: EngineState = 'starting';
  #message = '';
  #nextId = 1;
  #isReady = false;
  #isStopping = false;
  #lastCrashAtMs: number | undefined;
  #exited: () => void = () => undefined;

  constructor(options: EngineHostOptions) {
    this.#options = options;
  }

  /** What the window is told when it asks late. */
  get state(): { readonly state: EngineState; readonly message: string } {
    return { state: this.#state, message: this.#message };
  }

  /** Starts the process. */
  start(): void {
    const { spawn, storeFolder, incarnationFile, keys } = this.#options;
    const process = spawn();
    this.#process = process;
    this.#isReady = false;
    process.onMessage((message) => {
      if (this.#process === process) this.#receive(message);
    });
    process.onExit((code) => {
      if (this.#process === process) this.#exit(code);
    });
    process.post({ kind: 'start', storeFolder, incarnationFile, keys: keys() });
  }

  /** Starts the process anew where it failed or can only look at its store; else does nothing. */
  retry(): void {
    if (this.#isStopping || (this.#state !== 'failed' && this.#state !== 'read-only')) return;
    const former = this.#process;
    // It is not listened to any more: its end is no crash.
    this.#process = undefined;
    this.#killSheetReaders();
    this.#releaseSent();
    former?.kill();
    this.#lastCrashAtMs = undefined;
    this.#setState('starting', 'The engine is being started again.');
    this.start();
  }

  /** Asks the engine. The answer is `unavailable` where there is none that works. */
  async request<N extends EngineRequestName>(name: N, input: EngineInput<N>): Promise<Reply<EngineOutput<N>>> {
    if (this.#state === 'failed') return refuse('unavailable', this.#message);
    if (this.#isStopping && name !== 'engine.stop') return refuse('unavailable', 'Nocturne is closing.');
    const reply = await new Promise<Reply<unknown>>((resolve) => {
      const id = this.#nextId++;
      const waiting: Waiting = { name, input, resolve, sent: false };
      this.#waiting.set(id, waiting);
      if (this.#isReady) this.#send(id, waiting);
    });
    if (!reply.ok) return reply;
    const parsed = engineRequests[name].output.safeParse(reply.value);
    if (parsed.success) return { ok: true, value: parsed.data as EngineOutput<N> };
    this.#options.log('error', `${name}: the engine’s answer is not understood: ${parsed.error.message}`);
    return INTERNAL_REPLY;
  }

  /**
   * Lets the engine end in good order; waits at most `timeoutMs` for it. Whatever it was at is found again at the next
   * start; gives what could not be saved, in words for the user.
   */
  async stop(timeoutMs: number): Promise<readonly string[]> {
    this.#isStopping = true;
    // One that failed has nothing under way: it sends nothing, and ends with the application.
    if (this.#process === undefined || this.#state === 'failed') return [];
    let unsaved: readonly string[] = [];
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        unsaved = [STOPPED_TOO_EARLY];
        resolve();
      }, timeoutMs);
      this.#exited = () => {
        clearTimeout(timer);
        resolve();
      };
      void this.request('engine.stop', undefined).then((reply) => {
        if (reply.ok) unsaved = reply.value.unsaved;
      });
    });
    return unsaved;
  }

  #send(id: number, waiting: Waiting): void {
    waiting.sent = true;
    this.#process?.post({ kind: 'request', id, name: waiting.name, input: waiting.input });
  }

  #receive(message: unknown): void {
    const parsed = fromEngine.safeParse(message);
    if (!parsed.success) {
      this.#options.log('error', `a message of the engine is not understood: ${parsed.error.message}`);
      return;
    }
    const { data } = parsed;
    switch (data.kind) {
      case 'started':
        this.#becomeReady(data.readOnly);
        return;
      case 'refused':
        this.#fail(data.message);
        return;
      case 'reply':
        this.#waiting.get(data.id)?.resolve(data.reply);
        this.#waiting.delete(data.id);
        return;
      case 'sheetReaderWanted':
        this.#startSheetReader(data.id);
        return;
      case 'sheetReaderDone':
        this.#sheetReaders.get(data.id)?.kill();
        this.#sheetReaders.delete(data.id);
        return;
      case 'batchChanged':
      case 'listChanged':
      case 'sheetChanged':
      case 'sheetProgress':
      case 'fileChanged':
      case 'notice':
        this.#options.onNews(data);
        return;
      default:
        assertNever(data);
    }
  }

  #startSheetReader(id: number): void {
    const reader = this.#options.spawnSheetReader();
    this.#sheetReaders.set(id, reader);
    this.#process?.post({ kind: 'sheetReader', id }, [reader.port]);
  }

  #killSheetReaders(): void {
    for (const reader of this.#sheetReaders.values()) reader.kill();
    this.#sheetReaders.clear();
  }

  #becomeReady(readOnly: string | undefined): void {
    this.#isReady = true;
    const wasCrashed = this.#lastCrashAtMs !== undefined && this.#state === 'starting';
    if (readOnly !== undefined) this.#setState('read-only', readOnly);
    else if (wasCrashed)
      this.#setState(
        'restarted',
        'The engine had stopped and was started again. Rendering continued where it stopped.',
      );
    else this.#setState('ready', '');
    for (const [id, waiting] of this.#waiting) this.#send(id, waiting);
  }

  #exit(code: number): void {
    this.#process = undefined;
    this.#killSheetReaders();
    this.#isReady = false;
    this.#exited();
    this.#releaseSent();
    if (this.#isStopping || this.#state === 'failed') return;
    const now = this.#options.monotonicMs();
    const isRepeated = this.#lastCrashAtMs !== undefined && now - this.#lastCrashAtMs < CRASH_WINDOW_MS;
    this.#lastCrashAtMs = now;
    this.#options.log('error', `the engine’s process ended with code ${code}`);
    if (isRepeated) {
      this.#fail(
        `The engine stopped twice within a minute (last with code ${code}). Nothing is sent any more; the batches ` +
          'are as they were. Try again, or look into the log.',
      );
      return;
    }
    this.#setState('starting', 'The engine stopped and is being started again.');
    this.start();
  }

  /** What a dead process was asked is answered: whether it was carried out shows in the views that are asked for next. */
  #releaseSent(): void {
    for (const [id, waiting] of this.#waiting) {
      if (!waiting.sent) continue;
      this.#waiting.delete(id);
      const reply: Reply<unknown> =
        waiting.name === 'engine.stop'
          ? { ok: true, value: { unsaved: [] } }
          : refuse('unavailable', 'The engine stopped while it was at this. Look at the batch, then try again.');
      waiting.resolve(reply);
    }
  }

  #fail(message: string): void {
    this.#setState('failed', message);
    for (const { resolve } of this.#waiting.values()) resolve(refuse('unavailable', message));
    this.#waiting.clear();
  }

  #setState(state: EngineState, message: string): void {
    this.#state = state;
    this.#message = message;
    this.#options.onState(state, message);
  }
}
