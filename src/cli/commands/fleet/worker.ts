/** One of several processes that render what runs in a shared store. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { downloadQueue, FolderDocuments, StoreWriteError, type Engine, type FleetTurn } from '../../../engine/index.ts';
import type { Failure } from '../../../shared/domain/base/failure.ts';
import { present } from '../../../shared/domain/base/result.ts';
import { localTime, visibleLine } from '../../../shared/domain/base/text.ts';
import type { BatchRecord } from '../../../shared/domain/task/batch.ts';
import type { Console } from '../../console.ts';
import { EXIT, wrongUsage, type ExitCode } from '../../ending.ts';
import { clockWords } from '../../fleet/health/worker-standing.ts';
import { WorkerWatch } from '../../fleet/health/worker-watch.ts';
import { WorkerKeys } from '../../fleet/worker-keys.ts';
import { leaseNames } from '../../fleet/workers-view.ts';
import { openEngine, sayUnsaved } from '../../open-engine.ts';
import { placeOf, serverOf } from '../../with-store.ts';
import { wholeNumber, type KeyOptions } from '../../options/common-options.ts';
import { tellOfRows } from '../../row-teller.ts';
import { interruption } from '../../interruption.ts';

const ENDING = 'Ending: nothing new is sent; waiting for the answers to open requests. A second signal ends at once.';

export interface WorkerCommandOptions extends KeyOptions {
  readonly name?: string;
  readonly lease?: string;
  readonly health?: string;
}

/** How long a lease lasts unless `--lease` says otherwise. */
const LEASE_SECONDS = 30;

/** Renders what runs in the store with the accounts whose keys it has, until it is told to end. */
export async function workerCommand(console: Console, version: string, given: WorkerCommandOptions): Promise<ExitCode> {
  // For a worker, a named folder does not hold the store, only its lists and notes.
  const options = { ...given, ...present({ store: given.store ?? process.env['NOCTURNE_STORE'] }) };
  const server = serverOf(options);
  if (server === undefined) {
    throw wrongUsage(
      'A worker needs a store on a server.',
      'Name it with --store postgres://USER@HOST/DATABASE. A store in a folder needs no workers.',
    );
  }
  const leaseMs = (wholeNumber('--lease', options.lease, 3, 600) ?? LEASE_SECONDS) * 1000;
  const name = visibleLine(options.name ?? hostname(), 60);
  const keys = new WorkerKeys(console, options);
  const batches = new Map<string, BatchRecord>();
  const turns = new TurnTeller(console, batches);
  const hears: { found?: (batch: BatchRecord) => Promise<void> } = {};
  const watch = new WorkerWatch(version, leaseMs);
  const health = await watch.listen(options.health);
  if (health !== undefined) {
    console.event('health', { url: health.url });
    console.line(`${localTime(Date.now())}  Health and counts: ${health.url}/healthz, ${health.url}/metrics`);
  }
  // A restarted process counts as another worker.
  const holder = `${name} ${randomUUID()}`;
  const opened = openEngine(options, {
    watch: watch.counts,
    fleet: {
      holder,
      takesAccounts: true,
      onFound: async (batch) => hears.found?.(batch),
      onTurn: (turn) => {
        turns.tell(turn);
        watch.turned(turn);
      },
      queue: downloadQueue(server, (message) => tellOfQueue(console, message)),
      onFolder: (batch, problem) => tellOfFolder(console, batch, problem),
      leaseMs,
    },
  });
  const engine = await opened.catch(async (error: unknown) => {
    // A process that still listens does not end, and its supervisor would not start another one.
    await health?.close();
    throw error;
  });
  watch.opened(engine);
  const telling = new BatchTeller(console, engine, holder);
  hears.found = async (batch) => {
    batches.set(batch.id, batch);
    await keys.giveTo(engine, batch);
    watch.noted(engine, batch);
    telling.begin(batch);
  };
  const stopListening = engine.onChange((change) => {
    if (change.kind !== 'batch') return;
    batches.set(change.batch.id, change.batch);
    // It may have other accounts now.
    void keys.giveTo(engine, change.batch).then(() => watch.noted(engine, change.batch));
  });
  const ending = interruption(console, ENDING, true);
  try {
    console.line(`${localTime(Date.now())}  Worker ${name} on ${placeOf(options)}`);
    console.event('worker', { name, store: placeOf(options) });
    await engine.join();
    telling.takeUp();
    await ending.happened;
  } finally {
    stopListening();
    watch.ends();
    const unsaved = await engine.quiesce();
    await telling.end();
    await engine.stop();
    ending.stopListening();
    await health?.close();
    sayUnsaved(options, unsaved);
    console.event('ended', { unsaved: unsaved.length });
    console.line(`${localTime(Date.now())}  Ended${unsaved.length === 0 ? '; everything is kept.' : '.'}`);
  }
  return EXIT.done;
}

function tellOfQueue(console: Console, message: string): void {
  console.event('queue-problem', { message });
  const words = 'This worker cannot share out its downloads: it fetches only the files of its own accounts.';
  console.problem(`warning: ${words} ${visibleLine(message, 300)}`);
}

function tellOfFolder(console: Console, { id, name }: BatchRecord, problem: Failure | undefined): void {
  const message = problem?.message;
  console.event('folder', { batch: id, ...present({ message }) });
  const batch = `${id} (${visibleLine(name, 60)})`;
  if (message === undefined) console.line(`${localTime(Date.now())}  Files of ${batch} can be placed from here again`);
  else console.problem(`Files of ${batch} are left to other workers: ${visibleLine(message, 300)}`);
}

/**
 * Says which accounts the worker has whenever that changes, and, once for each kind of outage, why it cannot ask the
 * store.
 */
class TurnTeller {
  readonly #console: Console;
  /** The batches that it knows, by id. */
  readonly #batches: ReadonlyMap<string, BatchRecord>;
  #last = '';
  /** Why the store cannot be asked. */
  #away: string | undefined;
  #isClockOff = false;

  constructor(console: Console, batches: ReadonlyMap<string, BatchRecord>) {
    this.#console = console;
    this.#batches = batches;
  }

  tell(turn: FleetTurn): void {
    if ('problem' in turn) {
      const kind = turn.problem instanceof StoreWriteError ? turn.problem.problem.kind : 'unknown';
      if (kind === this.#away) return;
      this.#away = kind;
      const message = turn.problem instanceof Error ? turn.problem.message : String(turn.problem);
      this.#console.event('problem', { message });
      this.#console.problem(
        `${localTime(Date.now())}  The store cannot be reached, so nothing new is started: ${visibleLine(message, 300)}`,
      );
      return;
    }
    if (this.#away !== undefined) {
      this.#away = undefined;
      this.#console.event('answered', {});
      this.#console.line(`${localTime(Date.now())}  The store answers again`);
    }
    if (turn.isClockOff && !this.#isClockOff) {
      this.#console.event('problem', { message: clockWords(turn.aheadMs) });
      this.#console.problem(clockWords(turn.aheadMs));
    }
    this.#isClockOff = turn.isClockOff;
    const accounts = turn.held.map(({ account }) => account).toSorted();
    if (accounts.join() === this.#last) return;
    this.#last = accounts.join();
    const now = accounts.map(leaseNames(this.#batches.values())).join(', ');
    this.#console.event('accounts', { accounts });
    this.#console.line(`${localTime(Date.now())}  Accounts: ${now === '' ? 'none' : visibleLine(now, 1000)}`);
  }
}

/** Tells about the rows of the batches that come, and writes the documents of those that come to rest. */
class BatchTeller {
  readonly #console: Console;
  readonly #engine: Engine;
  readonly #stops: (() => void)[] = [];
  readonly #known = new Map<string, BatchRecord['state']>();
  readonly #documents: FolderDocuments;
  /** The batches whose documents a process that was killed may have left out of date. */
  readonly #left = new Set<string>();
  #written: Promise<unknown> = Promise.resolve();

  constructor(console: Console, engine: Engine, holder: string) {
    this.#console = console;
    this.#engine = engine;
    this.#documents = new FolderDocuments({
      write: async (batchId) => this.#write(batchId),
      marks: engine.documentMarks,
      by: holder,
      living: async () => (await engine.fleet())?.workers.map((worker) => worker.holder) ?? [],
      onProblem: (batchId, problem) => console.problem(`The documents of ${batchId}: ${problem.message}`),
    });
    this.#stops.push(
      engine.onChange((change) => {
        if (change.kind === 'batch') this.#note(change.batch);
      }),
      this.#documents.follow(engine),
    );
  }

  begin(batch: BatchRecord): void {
    if (this.#known.has(batch.id)) return;
    this.#known.set(batch.id, batch.state);
    this.#stops.push(tellOfRows(this.#console, this.#engine, batch.id));
    this.#console.line(`${localTime(Date.now())}  ${batch.id} (${visibleLine(batch.name, 60)}) is ${batch.state}`);
  }

  /** Writes, in the background, what a process that was killed has left out of date. */
  takeUp(): void {
    const batch = (batchId: string): Promise<BatchRecord | undefined> => {
      this.#left.add(batchId);
      return this.#engine.store.batch(batchId);
    };
    void this.#documents.takeUp({ batch });
  }

  /** Waits for what is being written. */
  async end(): Promise<void> {
    for (const stop of this.#stops) stop();
    await this.#documents.finish();
  }

  #note({ id, name, state }: BatchRecord): void {
    const before = this.#known.get(id);
    if (before === undefined || before === state) return;
    this.#known.set(id, state);
    this.#console.line(`${localTime(Date.now())}  ${id} (${visibleLine(name, 60)}) is ${state}`);
    // The process that rendered it may be gone.
    if (state !== 'running') this.#documents.outdate(id);
  }

  /** One batch at a time. Several workers may write the same documents: each is whole at any time. */
  #write(batchId: string): Promise<Failure | undefined> {
    const written = this.#written.then(async () =>
      this.#known.has(batchId) || this.#left.has(batchId) ? this.#engine.exportBatch(batchId) : undefined,
    );
    this.#written = written.catch(() => undefined);
    return written;
  }
}
