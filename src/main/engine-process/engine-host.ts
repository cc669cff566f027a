/** Keeps the engine's process alive and talks to it: requests, their answers, its changes, its crashes and hangs. */
import type { MessagePortMain } from 'electron';
import { assertNever, ok, present } from '../../shared/domain/base/result.ts';
import { INTERNAL_REPLY, refuse, type Reply } from '../../shared/ipc/contract.ts';
import {
  engineRequests,
  fromEngine,
  type EngineEvent,
  type EngineInput,
  type EngineOutput,
  type EngineRequestName,
  type ServerAccess,
  type ServerState,
  type ToEngine,
} from './engine-protocol.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Language } from '../../shared/words/domain-words.ts';
import type { Log } from '../shell/log.ts';
import { Stopping } from './stopping.ts';
import { words } from '../../shared/words/words.ts';

/** After a second crash within this time, a third start would not help either. */
const CRASH_WINDOW_MS = 60_000;

/** `read-only`: the store can be read; the process refuses every command, with the reason. */
export type EngineState = 'starting' | 'ready' | 'restarted' | 'read-only' | 'failed';

/** A started process of the engine, as a port: Electron's utility process, or a stand-in in a test. */
export interface EngineProcess {
  post(message: ToEngine, ports?: readonly MessagePortMain[]): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, with the exit code. */
  onExit(listener: (code: number) => void): void;
  /** Ends it at once, even if it hangs. */
  kill(): void;
}

/** A started process that reads a sheet for the engine. */
export interface SheetReaderProcess {
  /** A port for the engine, which says through it what to read. */
  readonly port: MessagePortMain;
  kill(): void;
}

export interface EngineHostOptions {
  readonly storeFolder: string;
  /** The server that has the store now, for each new process; undefined: it is in the folder. */
  readonly server?: () => ServerAccess | undefined;
  /** Called with what a process has learnt about that server. */
  readonly onServer?: (state: ServerState) => void;
  /** Beside the settings, not in the store's folder: otherwise a restored copy of that folder would go unnoticed. */
  readonly incarnationFile: string;
  /** Where the window keeps small pictures of files. */
  readonly windowPictures?: string;
  /** The window is told that a backup is in place of the store. */
  readonly isRestoreTold: boolean;
  /** The language in which the processes speak. */
  readonly language: () => Language;
  readonly spawn: () => EngineProcess;
  readonly spawnSheetReader: () => SheetReaderProcess;
  /** The keys as they are now, for each new process. */
  readonly keys: () => { readonly origin: string; readonly name?: string; readonly key: string }[];
  readonly onState: (state: EngineState, message: string) => void;
  /** Called with what the window is to be told. */
  readonly onEvent: (told: EngineEvent) => void;
  readonly monotonicMs: () => number;
  /** Calls `tick` every `ALIVE_EVERY_MS` of this process’s own time: the machine's sleep does not count as silence. */
  readonly everyTick: (tick: () => void) => void;
  readonly log: Log;
}

interface Waiting {
  readonly name: EngineRequestName;
  readonly input: unknown;
  readonly resolve: (reply: Reply<unknown>) => void;
  /** False while it waits for the process to be ready: a process that dies before that has never seen it. */
  sent: boolean;
}

/** The engine as main sees it. Requests wait for the start, and are always answered. */
export class EngineHost {
  readonly #options: EngineHostOptions;
  readonly #waiting = new Map<number, Waiting>();
  readonly #heartbeat = new Heartbeat();
  readonly #sheetReaders = new Map<number, SheetReaderProcess>();
  #process: EngineProcess | undefined;
  #state: EngineState = 'starting';
  #message = '';
  #nextId = 1;
  #isReady = false;
  /** Set once the process is to end: for good, or to be replaced by one on another store. */
  #stopping: Stopping | undefined;
  /** What that end leaves undone: whoever asks for the end again waits for the same promise. */
  #end: Promise<readonly string[]> | undefined;
  #isClosing = false;
  #lastCrashAtMs: number | undefined;
  /** The message for when the replacement process is ready. */
  #restarted: string | undefined;
  #exited: () => void = () => undefined;

  constructor(options: EngineHostOptions) {
    this.#options = options;
    options.everyTick(() => this.#tick());
  }

  /** What a window gets that asks later. */
  get state(): { readonly state: EngineState; readonly message: string } {
    return { state: this.#state, message: this.#message };
  }

  /** Starts the process. */
  start(): void {
    const { spawn, storeFolder, incarnationFile, windowPictures, keys, isRestoreTold, language } = this.#options;
    const process = spawn();
    this.#process = process;
    this.#heartbeat.heard();
    process.onMessage((message) => {
      if (this.#process === process) this.#receive(message);
    });
    process.onExit((code) => {
      if (this.#process === process) this.#exit(code);
    });
    const server = this.#options.server?.();
    const place = { storeFolder, ...present({ server, windowPictures }) };
    process.post({ kind: 'speak', language: language() });
    process.post({ kind: 'start', ...place, incarnationFile, keys: keys(), isRestoreTold });
  }

  /** Makes the process speak a language from now on. */
  speak(language: Language): void {
    this.#process?.post({ kind: 'speak', language });
  }

  /** Restarts the process if it failed or can only read its store; otherwise does nothing. */
  retry(): void {
    if (this.#stopping !== undefined || (this.#state !== 'failed' && this.#state !== 'read-only')) return;
    this.#abandon();
    this.#lastCrashAtMs = undefined;
    this.#heartbeat.forgive();
    this.#startAnew(words.desktop.engine.beingRestarted);
  }

  /** Asks the engine. The answer is `unavailable` if no engine works. */
  async request<N extends EngineRequestName>(name: N, input: EngineInput<N>): Promise<Reply<EngineOutput<N>>> {
    if (this.#state === 'failed') return refuse('unavailable', this.#message);
    if (this.#stopping !== undefined && name !== 'engine.stop')
      return refuse('unavailable', words.desktop.engine.closing);
    const reply = await new Promise<Reply<unknown>>((resolve) => {
      const id = this.#nextId++;
      const waiting: Waiting = { name, input, resolve, sent: false };
      this.#waiting.set(id, waiting);
      if (this.#isReady) this.#send(id, waiting);
    });
    if (!reply.ok) return reply;
    const parsed = engineRequests[name].output.safeParse(reply.value);
    if (parsed.success) return ok(parsed.data as EngineOutput<N>);
    this.#options.log('error', `${name}: the engine’s answer is not understood: ${parsed.error.message}`);
    return INTERNAL_REPLY;
  }

  /**
   * Ends the engine in good order, has `change` choose another store, and starts an engine on that store. Returns what
   * was left undone, in words for the user; undefined if nothing was chosen because another choice is under way or the
   * application is ending.
   */
  async moveTo(change: () => void): Promise<readonly string[] | undefined> {
    if (this.#stopping !== undefined) return undefined;
    const isGivenUp = this.#state === 'failed';
    this.#setState('starting', words.desktop.engine.movesToOther);
    const leftUndone = isGivenUp ? [] : await (this.#end = this.#endProcess());
    if (this.#isClosing) return undefined;
    this.#stopping = undefined;
    this.#end = undefined;
    this.#abandon();
    for (const { resolve } of this.#waiting.values()) resolve(refuse('unavailable', words.desktop.engine.movedToOther));
    this.#waiting.clear();
    change();
    this.#lastCrashAtMs = undefined;
    this.#heartbeat.forgive();
    this.#startAnew(words.desktop.engine.opens);
    return leftUndone;
  }

  /**
   * Lets the engine end in good order; waits as long as it makes progress. The next start finds whatever it was doing.
   * Returns what was left undone, in words for the user.
   */
  stop(): Promise<readonly string[]> {
    this.#isClosing = true;
    return (this.#end ??= this.#endProcess());
  }

  async #endProcess(): Promise<readonly string[]> {
    const isFollower = this.#state === 'read-only' || this.#options.server?.() !== undefined;
    const stopping = new Stopping(isFollower ? [] : [words.desktop.engine.cutOff]);
    this.#stopping = stopping;
    // A failed engine has nothing under way: it sends nothing, and ends with the application.
    if (this.#process === undefined || this.#state === 'failed') return [];
    await new Promise<void>((resolve) => {
      this.#exited = resolve;
      void this.request('engine.stop', undefined).then((reply) => {
        if (reply.ok) stopping.stepped(reply.value.unsaved);
        this.#abandon();
        this.#exited();
      });
    });
    return stopping.leftUndone;
  }

  #send(id: number, waiting: Waiting): void {
    waiting.sent = true;
    this.#process?.post({ kind: 'request', id, name: waiting.name, input: waiting.input });
  }

  /** Counts the silence of a process that should speak; ends the process when it has been silent for too long. */
  #tick(): void {
    if (this.#process === undefined || this.#state === 'failed') return;
    if (this.#stopping !== undefined) {
      if (this.#stopping.tick()) this.#cutOff();
      return;
    }
    const isAtWork = (): boolean =>
      !this.#isReady ||
      [...this.#waiting.values()].some(({ name, sent }) => sent && engineRequests[name].kind !== 'quick');
    const seconds = this.#heartbeat.tick(isAtWork);
    if (seconds !== undefined) this.#endHang(seconds);
  }

  #cutOff(): void {
    this.#options.log('error', 'the engine’s process did not come to its end and was ended');
    this.#abandon();
    this.#exited();
  }

  #endHang(seconds: number): void {
    this.#options.log('error', `the engine’s process was silent for ${seconds} s and was ended`);
    this.#abandon();
    if (this.#heartbeat.hung(this.#options.monotonicMs())) {
      this.#fail(words.desktop.engine.hangs);
      return;
    }
    const { hung, hungAndBack } = words.desktop.engine;
    this.#startAnew(hung(seconds), hungAndBack(seconds));
  }

  /** Ends the process and stops listening to it: its end is not a crash. */
  #abandon(): void {
    const former = this.#process;
    this.#forget();
    former?.kill();
  }

  /**
   * The process is gone. Answers everything that it was asked: the views that are requested next show whether it was
   * carried out.
   */
  #forget(): void {
    this.#process = undefined;
    this.#isReady = false;
    for (const reader of this.#sheetReaders.values()) reader.kill();
    this.#sheetReaders.clear();
    for (const [id, { sent, resolve }] of this.#waiting) {
      if (!sent) continue;
      this.#waiting.delete(id);
      resolve(refuse('unavailable', words.desktop.engine.stoppedMeanwhile));
    }
  }

  #startAnew(now: string, afterwards?: string): void {
    this.#restarted = afterwards;
    this.#setState('starting', now);
    this.start();
  }

  #receive(message: unknown): void {
    this.#heartbeat.heard();
    this.#stopping?.heard();
    const parsed = fromEngine.safeParse(message);
    if (!parsed.success) {
      this.#options.log('error', `a message of the engine is not understood: ${parsed.error.message}`);
      return;
    }
    const { data } = parsed;
    switch (data.kind) {
      case 'alive':
      case 'restored':
      case 'looked':
        return;
      case 'server':
        this.#options.onServer?.(data.state);
        return;
      case 'stopping':
        this.#stopping?.stepped(data.leftUndone);
        return;
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
      case 'event':
        this.#options.onEvent(data.told);
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

  #becomeReady(readOnly: string | undefined): void {
    this.#isReady = true;
    if (readOnly !== undefined) this.#setState('read-only', readOnly);
    else if (this.#restarted !== undefined) this.#setState('restarted', this.#restarted);
    else this.#setState('ready', '');
    for (const [id, waiting] of this.#waiting) this.#send(id, waiting);
  }

  #exit(code: number): void {
    this.#forget();
    this.#exited();
    if (this.#stopping !== undefined || this.#state === 'failed') return;
    const now = this.#options.monotonicMs();
    const isRepeated = this.#lastCrashAtMs !== undefined && now - this.#lastCrashAtMs < CRASH_WINDOW_MS;
    this.#lastCrashAtMs = now;
    this.#options.log('error', `the engine’s process ended with code ${code}`);
    if (isRepeated) {
      this.#fail(words.desktop.engine.crashes(code));
      return;
    }
    this.#startAnew(words.desktop.engine.crashed, words.desktop.engine.crashedAndBack);
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
