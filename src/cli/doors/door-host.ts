/** What the doors work with: the store, the engine while it is needed, the gateway, the cap, and the user's folders. */
import type { Engine } from '../../engine/index.ts';
import { startGateway, type RunningGateway } from '../../gateway-sim/start-gateway.ts';
import { KeyFinder } from '../../shared/domain/base/key-finder.ts';
import type { Limit } from '../../shared/domain/task/spending.ts';
import { rehearsalProfile } from '../../shared/domain/gateway/profile-presets.ts';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { finderOf, giveKeys, keysFor, type Gateways } from '../accounts.ts';
import { gatewayFailure } from '../commands/gateway.ts';
import type { Console } from '../console.ts';
import { CommandFailure, EXIT, wrongUsage } from '../ending.ts';
import { closeEngine, isOfOlderCopy, openEngine } from '../open-engine.ts';
import { dataDirOf, isWorkedOn, lookedAt } from '../with-store.ts';
import type { KeyOptions } from '../options/common-options.ts';
import { keepDocuments } from '../run-batch.ts';
import { tellOfNight, type Telling } from '../telling.ts';
import { lookingAt, refusal, type DoorAnswer, type Looking } from './door-answer.ts';

/** What the user said when starting a door. */
export interface HostOptions {
  readonly keyOptions: KeyOptions;
  /** The gateway of new batches; `rehearsal`: the built-in one, on which nothing is paid. */
  readonly gateways: Gateways | 'rehearsal';
  /** The most that may be spent from noon to noon; without a cap, nothing is spent. */
  readonly cap: Limit | undefined;
  /** An absolute path; each new batch gets a folder of its own in it. */
  readonly out: string | undefined;
  /** Absolute paths: sheets may be read from these folders, and new ones are written into the first. */
  readonly sheetFolders: readonly string[];
  readonly telling?: Telling | undefined;
}

/** Nothing is paid unless the user allows it: the engine itself enforces this, too. */
const NOTHING: Limit = { requests: 0 };
const REHEARSAL_KEY = 'rehearsal';

/** Opens the store when a command needs it, and releases it when nothing runs and nobody holds it. */
export class DoorHost {
  /** How many need the engine now: commands, batches that run, and callers that hold it. */
  #users = 0;
  #opening: Promise<Engine> | undefined;
  #engine: Engine | undefined;
  #closing: Promise<void> = Promise.resolve();
  #payments: Promise<unknown> = Promise.resolve();
  #readings: Promise<unknown> = Promise.resolve();
  #rehearsal: Promise<RunningGateway> | undefined;
  #isEnding = false;
  /** What is done at the end of each batch that runs, by its id. */
  readonly #followed = new Map<string, Promise<void>>();
  /** Finds the keys that were given: no answer contains one. */
  readonly keyFinder: KeyFinder;
  readonly console: Console;
  readonly options: HostOptions;

  constructor(console: Console, options: HostOptions) {
    const { gateways, keyOptions } = options;
    this.console = console;
    this.options = options;
    this.keyFinder = gateways === 'rehearsal' ? new KeyFinder([]) : finderOf(keysFor(gateways, keyOptions));
    console.hideKeys(this.keyFinder);
  }

  get dataDir(): string {
    return dataDirOf(this.options.keyOptions);
  }

  get isRehearsing(): boolean {
    return this.options.gateways === 'rehearsal';
  }

  /** The gateway of new batches. */
  async gateways(): Promise<Gateways> {
    const { gateways } = this.options;
    if (gateways !== 'rehearsal') return gateways;
    this.#rehearsal ??= startRehearsal();
    return { profile: rehearsalProfile((await this.#rehearsal).baseUrl) };
  }

  /**
   * Reads the store: from within while this process works on it, otherwise beside its owner.
   * @param whenNew The answer if there is no store yet: it is made with the first batch.
   */
  async look<T>(
    work: (looking: Looking) => Promise<DoorAnswer<T>>,
    whenNew: DoorAnswer<T> = NO_STORE,
  ): Promise<DoorAnswer<T>> {
    const engine = this.#engine;
    if (engine !== undefined) return this.#using(() => work(lookingAt(engine)));
    // Asked first: if the owner ended in between, finished batches would look interrupted.
    const isAtWork = isWorkedOn(this.options.keyOptions);
    const opened = lookedAt(this.options.keyOptions);
    if (!opened.ok && opened.error.kind === 'missing') return whenNew;
    if (!opened.ok) return refusal('refused', opened.error.message, opened.error.remedy);
    try {
      const { store, views, ledger } = opened.value;
      return await work({ store, views, ledger, isAtWork });
    } finally {
      opened.value.close();
    }
  }

  /**
   * Works with the engine, which is opened if it is not. Throws {@link CommandFailure} if another process has the
   * store.
   */
  work<T>(work: (engine: Engine) => Promise<T>): Promise<T> {
    return this.#using(async () => work(await this.#open()));
  }

  /** Opens the store now, and keeps it until the returned function is called. Throws {@link CommandFailure}. */
  async hold(): Promise<() => Promise<void>> {
    this.#users += 1;
    try {
      await this.#open();
    } catch (error) {
      await this.#release();
      throw error;
    }
    return () => this.#release();
  }

  /** Does what may pay, one after the other; refuses it if the user has given no cap. */
  payInTurn<T>(work: () => Promise<DoorAnswer<T>>): Promise<DoorAnswer<T>> {
    if (this.options.cap === undefined && !this.isRehearsing) return Promise.resolve(NEEDS_CAP);
    return this.inTurn(work);
  }

  /** Does what changes batches, one after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#payments.then(work);
    this.#payments = done.catch(() => undefined);
    return done;
  }

  /** Reads sheets one after the other: each is read by a process with half a gigabyte at most. */
  readInTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#readings.then(work);
    this.#readings = done.catch(() => undefined);
    return done;
  }

  /**
   * Gives the engine what a batch needs to be sent. Throws {@link CommandFailure} if the batch must not be sent.
   * @param asksHere This process asks the gateway, whoever sends the requests.
   */
  async prepare(engine: Engine, batch: BatchRecord, asksHere = false): Promise<void> {
    if (engine.isOlderCopy || isOfOlderCopy(batch)) {
      throw new CommandFailure(
        EXIT.paused,
        `The store is an older copy: batch ${batch.id} may have been paid for since.`,
        `Compare it with the gateway’s own list of tasks, then continue it in the window or with: nocturne resume ${batch.id}`,
      );
    }
    const gateways = await this.gateways();
    if (batch.settings.rehearsal) {
      if (this.isRehearsing && batch.settings.profile.baseUrl === gateways.profile.baseUrl) return;
      throw wrongUsage(
        `Batch ${batch.id} is a rehearsal, and its built-in gateway has ended.`,
        'Nothing was paid for. Rehearse again with a new batch, at a door that was started with --rehearse.',
      );
    }
    if (this.isRehearsing) {
      throw wrongUsage(
        `Batch ${batch.id} is not a rehearsal.`,
        'This door was started with --rehearse, and pays for nothing.',
      );
    }
    const { keyOptions } = this.options;
    const keys = keysFor(batch.settings, keyOptions);
    // If workers send the requests, they have the keys.
    if (keys.size === 0 && (asksHere || !engine.isShared)) {
      throw wrongUsage(
        'This door has no key.',
        'Start it again with NOCTURNE_AI_KEY set, or with --key-file FILE; or start the batch in the window.',
      );
    }
    await giveKeys(this.console, engine, batch.settings, keys, keyOptions);
  }

  /** Keeps the engine while a batch runs, writes the documents of its folder, and reports its end. */
  async follow(engine: Engine, batchId: string): Promise<void> {
    if (this.#followed.has(batchId)) return;
    this.#users += 1;
    const finishDocuments = keepDocuments(engine, batchId);
    const tellNow = await tellOfNight(this.console, engine, batchId, this.options.telling);
    const followed = engine.settled(batchId).then(async () => {
      const problem = this.#isEnding ? undefined : await finishDocuments();
      if (!this.#isEnding) await engine.putFilesDeleted();
      if (problem !== undefined)
        this.console.problem(`The media folder’s documents could not be written: ${problem.message}`);
      await tellNow(this.#isEnding);
    });
    const ended = async (): Promise<void> => {
      try {
        await followed;
      } catch (error) {
        this.console.problem(String(error));
      }
      this.#followed.delete(batchId);
      await this.#release();
    };
    this.#followed.set(batchId, ended());
  }

  /**
   * Ends what runs, as Ctrl-C does: nothing is lost.
   * @returns Whether something was running that only continues when somebody starts it again.
   */
  async end(): Promise<boolean> {
    this.#isEnding = true;
    await this.#payments;
    // A command may still be opening the store: nobody else closes it then.
    const engine = this.#engine ?? (await this.#opening?.catch(() => undefined));
    const batches = [...this.#followed.keys()];
    let isInterrupted = false;
    if (engine !== undefined) {
      await engine.quiesce();
      for (const batchId of batches) {
        await engine.exportBatch(batchId);
        // If there are workers, they go on with it.
        isInterrupted ||= !engine.isShared && (await engine.store.batch(batchId))?.state === 'running';
      }
      this.#engine = undefined;
      this.#opening = undefined;
      await closeEngine(this.options.keyOptions, engine);
    }
    await this.#closing;
    await (await this.#rehearsal)?.close();
    return isInterrupted;
  }

  async #using<T>(work: () => Promise<T>): Promise<T> {
    this.#users += 1;
    try {
      return await work();
    } finally {
      await this.#release();
    }
  }

  async #open(): Promise<Engine> {
    if (this.#isEnding) throw wrongUsage('This door is being closed.', 'Start it again, then repeat the command.');
    this.#opening ??= this.#openNow().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #openNow(): Promise<Engine> {
    await this.#closing.catch(() => undefined);
    const engine = await openEngine(this.options.keyOptions, { ceiling: this.options.cap ?? NOTHING });
    if (this.isRehearsing) {
      const { profile } = await this.gateways();
      engine.setRehearsalKey(new URL(profile.baseUrl).origin, REHEARSAL_KEY);
    }
    this.#engine = engine;
    return engine;
  }

  /** The store goes back once nobody needs it: the window may want it. */
  async #release(): Promise<void> {
    this.#users -= 1;
    if (this.#users > 0 || this.#engine === undefined || this.#isEnding) return;
    const engine = this.#engine;
    this.#engine = undefined;
    this.#opening = undefined;
    this.#closing = closeEngine(this.options.keyOptions, engine);
    await this.#closing;
  }
}

const NO_STORE = refusal('not-found', 'There are no batches yet.', 'Make one with create_batch.');

const NEEDS_CAP = refusal(
  'needs-cap',
  'This would cost money, and this door was started without a cap.',
  'Start the batch in the window, or start the door again with --max-cost AMOUNT or --max-requests N.',
);

async function startRehearsal(): Promise<RunningGateway> {
  const started = await startGateway({ acceptKey: (key) => key === REHEARSAL_KEY });
  if (!started.ok) throw gatewayFailure(started.error);
  return started.value;
}
