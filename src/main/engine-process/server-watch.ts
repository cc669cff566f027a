/**
 * A store on a server, seen from the engine's process: whether the server answers, who works on it, and what is at an
 * address.
 */
import { homedir, userInfo } from 'node:os';
import {
  lookAtServer,
  storeAddress,
  StoreWriteError,
  type Clock,
  type Engine,
  type Fleet,
  type StoreAddress,
  type StoreProblem,
} from '../../engine/index.ts';
import { present, type Result } from '../../shared/domain/base/result.ts';
import { localTime } from '../../shared/domain/base/text.ts';
import { gatewayOfLease } from '../../shared/domain/task/accounts/unheld-accounts.ts';
import type { StoreFound, ShownWorker } from '../../shared/ipc/store.ts';
import type { EngineRequestName, ServerAccess, ServerState } from './engine-protocol.ts';
import { storeProblemText } from './store-look.ts';
import { words } from '../../shared/words/words.ts';

/** How often the server is asked who works on the store. */
const ASK_EVERY_MS = 1_000;
/** A server that has said nothing for this long is shown as away in the window. */
const PATIENCE_MS = 4_000;

/**
 * An address with its password, as the driver needs it. Of this computer's own settings, only `~/.pgpass` is used: the
 * application's environment is not about this server.
 */
export function addressOf({ address, password }: ServerAccess): Result<StoreAddress, StoreProblem> {
  // Only for the thread of the connection: it is not a variable of the process.
  return storeAddress(address, { HOME: homedir(), USER: userInfo().username, ...present({ PGPASSWORD: password }) });
}

/** What is at an address; nothing there is changed. */
export function lookAt(access: ServerAccess): StoreFound {
  const nothing = { isNew: false, batches: 0, workers: [] };
  const address = addressOf(access);
  if (!address.ok) return { shown: '', ...nothing, problem: storeProblemText(address.error) };
  const { shown } = address.value;
  const looked = lookAtServer(address.value);
  if (!looked.ok) return { shown, ...nothing, problem: storeProblemText(looked.error) };
  const { server, schema, batches, fleet, problem } = looked.value;
  return {
    shown,
    server,
    ...present({ schema, problem: problem && storeProblemText(problem) }),
    isNew: schema === undefined,
    batches,
    workers: fleet === undefined ? [] : workerViews(fleet),
  };
}

/** The workers by the names that their users gave them: the rest distinguishes two starts of one worker. */
export function workerViews({ workers, leases }: Fleet): ShownWorker[] {
  return workers.map(({ holder, clockAheadMs }) => ({
    name: holder.replace(/ [0-9a-f-]{36}$/u, ''),
    gateways: leases.filter((lease) => lease.holder === holder).map(({ account }) => gatewayOfLease(account)),
    ...(clockAheadMs === undefined ? {} : { isClockOff: true }),
  }));
}

const WITHOUT_STORE: ReadonlySet<string> = new Set([
  ...(['key.set', 'engine.sleep', 'engine.wake', 'engine.stop', 'account.test'] as const),
  ...(['work.list', 'work.cancel'] as const),
  ...(['sheet.open', 'sheet.openTable', 'sheet.interpret', 'sheet.pasteSize'] as const),
] satisfies readonly EngineRequestName[]);

/** Whether a request can be answered by the store alone. */
export function needsStore(name: EngineRequestName): boolean {
  return !WITHOUT_STORE.has(name);
}

export interface ServerWatchOptions {
  readonly engine: Pick<Engine, 'fleet' | 'isStoreAnswering'>;
  /** The address, for messages. */
  readonly shown: string;
  readonly clock: Clock;
  readonly onState: (state: ServerState) => void;
  /** The server is there, but the store on it can no longer be used. */
  readonly onUnusable: (problem: StoreProblem) => void;
}

/** Watches the server as long as the process lives. */
export class ServerWatch {
  readonly #options: ServerWatchOptions;
  #awaySince: number | undefined;
  #workers: readonly ShownWorker[] | undefined;
  #told = '';

  constructor(options: ServerWatchOptions) {
    this.#options = options;
  }

  get shown(): string {
    return this.#options.shown;
  }

  /** Why nothing can be asked at the moment; undefined while the server answers. */
  get awayWords(): string | undefined {
    if (this.#awaySince === undefined) return undefined;
    return words.desktop.store.away(this.shown, localTime(this.#awaySince));
  }

  start(): void {
    void this.#ask();
  }

  async #ask(): Promise<void> {
    const { engine, clock, onUnusable } = this.#options;
    // Both of the store's threads must be silent: one alone may just be busy.
    let cancel = (): void => undefined;
    const wait = (): void => {
      cancel = clock.setTimer(PATIENCE_MS, () => {
        if (!engine.isStoreAnswering(PATIENCE_MS)) this.#isAway(clock.now() - PATIENCE_MS);
        wait();
      });
    };
    wait();
    try {
      const fleet = await engine.fleet();
      this.#awaySince = undefined;
      this.#workers = fleet && workerViews(fleet);
      this.#tell();
    } catch (error) {
      if (error instanceof StoreWriteError && error.problem.kind !== 'away') {
        onUnusable(error.problem);
        return;
      }
      this.#isAway(clock.now());
    } finally {
      cancel();
    }
    clock.setTimer(ASK_EVERY_MS, () => void this.#ask());
  }

  #isAway(since: number): void {
    this.#awaySince ??= since;
    this.#workers = undefined;
    this.#tell();
  }

  #tell(): void {
    const state: ServerState = {
      ...present({ awaySince: this.#awaySince }),
      ...(this.#workers === undefined ? {} : { workers: [...this.#workers] }),
    };
    const told = JSON.stringify(state);
    if (told === this.#told) return;
    this.#told = told;
    this.#options.onState(state);
  }
}
