import { onTestFinished } from 'vitest';
import type { DownloadQueue, LeaseStore } from '../../src/engine/ports/fleet.ts';
import { Scheduler } from '../../src/engine/night/scheduler.ts';
import type { Clock } from '../../src/engine/ports/base.ts';
import type { FetchRequest, MediaFolder } from '../../src/engine/ports/media-folder.ts';
import type { FileMeasurer } from '../../src/engine/ports/file-looks.ts';
import type { MediaGateway } from '../../src/engine/ports/media-gateway.ts';
import type { TaskChange } from '../../src/engine/ports/task-change.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import type { StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { isRefusedByDisk, storeProblem, StoreWriteError } from '../../src/engine/store/open/store-problem.ts';
import { promisedStore, type PromisedStore } from '../../src/engine/store/thread/promised.ts';
import type { Failure } from '../../src/shared/domain/base/failure.ts';
import { err, listOf, present } from '../../src/shared/domain/base/result.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import { TASK_STATUSES, type Task } from '../../src/shared/domain/task/task.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { Unsaved } from '../../src/engine/night/night-end.ts';
import { FakeClock } from './fake-clock.ts';
import { profileWith } from './night-harness.ts';
import { ScriptedFolder } from './scripted-folder.ts';
import { ScriptedGateway } from './scripted-gateway.ts';
import { temporaryFolder } from './temporary-folder.ts';
import type { UnreliableQueue } from './unreliable-queue.ts';

/** One process of several: it can stand still, lose its way to the store, and end without a word. */
export class FleetProcess {
  readonly name: string;
  readonly scheduler: Scheduler;
  /** Whether it reaches the store. */
  isCutOff = false;
  /** Whether it may ask about leases: without that, it does not learn that it has lost one. */
  hasNoLeases = false;
  /** Questions to the store that never get an answer. */
  readonly lost = new Set<string>();
  /** How many commits of paid requests are made while their answers are lost. */
  unconfirmed = 0;
  /** How long the answer to a commit of paid requests takes. */
  confirmsAfterMs = 0;
  /** How long each way to the store takes. */
  wayMs = 0;
  /** How far its clock is ahead. */
  readonly aheadMs: number;
  /** Rows that it has sent. */
  readonly posts: string[] = [];
  /** What it asked its gateways about. */
  readonly polls: string[] = [];
  /** Files that it has begun to fetch, and the most at once. */
  readonly fetched: FetchRequest[] = [];
  fetchesAtOnce = 0;
  /** How often it has looked for parts to delete. */
  sweeps = 0;
  /** Why it cannot place files. */
  folderProblem: Failure | undefined;
  /** What it has said about folders. */
  readonly toldOfFolders: (Failure | undefined)[] = [];
  /** Since when its clock runs at a quarter of its speed, if it does. */
  #slowSince: number | undefined;
  readonly #clock: FakeClock;
  #isGone = false;
  #isStopped = false;
  #waiting: (() => void)[] = [];

  constructor(fleet: FleetNight, name: string, takesAccounts: boolean, aheadMs: number) {
    this.name = name;
    this.aheadMs = aheadMs;
    this.#clock = fleet.clock;
    const { store, leases } = fleet.openOwn();
    const clock: Clock = {
      now: () => fleet.clock.now() - this.#behindMs + this.aheadMs,
      monotonic: () => fleet.clock.monotonic() - this.#behindMs,
      setTimer: (delayMs, callback) => fleet.clock.setTimer(delayMs, () => void this.#when(callback)),
    };
    this.scheduler = new Scheduler({
      store: this.#through(store, () => this.isCutOff),
      fleet: {
        leases: this.#through(leases, () => this.isCutOff || this.hasNoLeases),
        holder: name,
        takesAccounts,
        ...present({ queue: fleet.queue && this.#queue(fleet.queue) }),
        onFolder: (_, problem) => this.toldOfFolders.push(problem),
      },
      folder: this.#folder(fleet.folder),
      clock,
      random: { next: () => 0.5 },
      gatewayFor: ({ profile }) => this.#gateway(fleet.gatewayAt(profile.baseUrl)),
      keyFingerprint: ({ keyName = '' }) => (fleet.keyless.has(`${name} ${keyName}`) ? undefined : `key-of-${keyName}`),
      holdsKey: () => false,
      ...present({ measurer: fleet.measurers.get(name) }),
      onTaskChanged: () => undefined,
      onBatchChanged: () => undefined,
      onBug: (error) => fleet.bugs.push(error),
      isRefusedByDisk,
    });
  }

  /** As if stopped by a debugger, or by a computer that has no time for it: what arrives meanwhile waits. */
  stop(): void {
    this.#isStopped = true;
  }

  goOn(): void {
    this.#isStopped = false;
    for (const go of this.#waiting.splice(0)) go();
  }

  /** Its clock is slow, but it does not know that: it is sure of its leases. */
  slowDown(): void {
    this.#slowSince ??= this.#clock.monotonic();
  }

  /** Its clock is right again. */
  catchUp(): void {
    this.#slowSince = undefined;
  }

  get #behindMs(): number {
    return this.#slowSince === undefined ? 0 : (this.#clock.monotonic() - this.#slowSince) * 0.75;
  }

  /** Its process ends at once; what it has sent may still arrive. */
  kill(): void {
    this.#isGone = true;
  }

  get isGone(): boolean {
    return this.#isGone;
  }

  async end(): Promise<readonly Unsaved[]> {
    const unsaved = await this.scheduler.end();
    this.#isGone = true;
    return unsaved;
  }

  async #when(go: () => void): Promise<void> {
    if (this.#isGone) return;
    if (this.#isStopped) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (!this.#isGone) go();
  }

  /** Nothing reaches a process that is gone. */
  async #arrive(): Promise<void> {
    if (this.#isGone) await new Promise(() => undefined);
    while (this.#isStopped) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#isGone) await new Promise(() => undefined);
  }

  async #ask<T>(work: () => T | Promise<T>, isAway: () => boolean = () => false): Promise<T> {
    const reach = async (): Promise<void> => {
      const { wayMs } = this;
      if (wayMs > 0) await new Promise<void>((resolve) => void this.#clock.setTimer(wayMs, resolve));
      await this.#arrive();
      if (isAway()) throw new StoreWriteError(storeProblem('full', 'The store is away.'), undefined);
    };
    await reach();
    const answer = await work();
    await reach();
    return answer;
  }

  async #confirmation(name: string, [changes]: readonly unknown[]): Promise<void> {
    if (name !== 'commit' || !(changes as readonly TaskChange[]).some(({ openAttempt }) => openAttempt)) return;
    const { confirmsAfterMs } = this;
    if (confirmsAfterMs > 0) await new Promise<void>((resolve) => void this.#clock.setTimer(confirmsAfterMs, resolve));
    if (this.unconfirmed === 0) return;
    this.unconfirmed -= 1;
    throw new StoreWriteError(storeProblem('full', 'The answer of the store was lost.'), undefined);
  }

  /** Questions to the store, and their answers. */
  #through<Part extends TaskStore | LeaseStore>(part: Part, isAway: () => boolean): Part {
    const methods = Object.entries(part as unknown as Record<string, (...args: readonly unknown[]) => unknown>);
    const ask = this.#ask.bind(this);
    const { lost } = this;
    return Object.fromEntries(
      methods.map(([name, method]) => [
        name,
        name === 'tasksByStatus'
          ? async function* (...args: readonly unknown[]) {
              yield* await ask(
                () => listOf(method(...args) as AsyncIterable<unknown>),
                () => isAway() || lost.has(name),
              );
            }
          : (...args: readonly unknown[]) =>
              ask(
                async () => {
                  const answer = await method(...args);
                  await this.#confirmation(name, args);
                  return answer;
                },
                () => isAway() || lost.has(name),
              ),
      ]),
    ) as unknown as Part;
  }

  #queue(queue: DownloadQueue): DownloadQueue {
    return {
      open: () => queue.open(),
      offer: (ids) => (this.isCutOff || this.#isGone ? Promise.resolve() : queue.offer(ids)),
      receive: async (limit) => (this.isCutOff || this.#isGone ? [] : queue.receive(limit)),
      close: () => queue.close(),
    };
  }

  /** The shared folder, as this process sees it. */
  #folder(folder: ScriptedFolder): MediaFolder {
    let atOnce = 0;
    return {
      prepare: async (path, needs) =>
        this.folderProblem === undefined ? folder.prepare(path, needs) : err(this.folderProblem),
      fetch: async (request, profile, journal, signal) => {
        if (this.folderProblem !== undefined) return { kind: 'disk-failed', failure: this.folderProblem };
        this.fetched.push(request);
        atOnce += 1;
        this.fetchesAtOnce = Math.max(this.fetchesAtOnce, atOnce);
        try {
          return await folder.fetch(request, profile, journal, signal);
        } finally {
          await this.#arrive();
          atOnce -= 1;
        }
      },
      writeDocument: (request, journal) => folder.writeDocument(request, journal),
      sweep: (path, isWanted) => {
        this.sweeps += 1;
        return folder.sweep(path, isWanted);
      },
      close: () => folder.close(),
    };
  }

  #gateway(gateway: ScriptedGateway): MediaGateway {
    return {
      origin: gateway.origin,
      submit: async (call) => {
        await this.#arrive();
        this.posts.push(rowOf(new TextDecoder().decode(call.body)));
        const report = await gateway.submit(call);
        await this.#arrive();
        return report;
      },
      poll: (operation, taskCode, signal, mayLeave) => {
        this.polls.push(taskCode);
        return this.#ask(() => gateway.poll(operation, taskCode, signal, mayLeave));
      },
      balance: () => gateway.balance(),
      resultOf: (answer) => gateway.resultOf(answer),
      close: () => Promise.resolve(),
    };
  }
}

/** Several processes on one store, on one clock, with the gateways that they share. */
export class FleetNight {
  readonly clock = new FakeClock();
  readonly folder = new ScriptedFolder();
  readonly bugs: unknown[] = [];
  /** What measures files for the gates, by the names of processes; the other processes look at no files. */
  readonly measurers = new Map<string, FileMeasurer>();
  /** Names of processes, with the keys that they do not have. */
  readonly keyless = new Set<string>();
  readonly store: TaskStore;
  readonly leases: LeaseStore;
  readonly workers: FleetProcess[] = [];
  /** Spreads the downloads of the workers that are made from now on. */
  queue: UnreliableQueue | undefined;
  readonly #gateways = new Map<string, ScriptedGateway>();

  readonly #server: StoreAddress | undefined;

  /** @param server The server that has the store: then each process has a connection of its own. */
  constructor(server?: StoreAddress) {
    this.#server = server;
    onTestFinished(() => {
      for (const worker of this.workers) worker.kill();
      this.clock.forgetTimers();
    });
    ({ store: this.store, leases: this.leases } = this.#open());
  }

  /** The store as a process sees it. */
  openOwn(): Pick<PromisedStore, 'store' | 'leases'> {
    return this.#server === undefined ? this : this.#open();
  }

  #open(): PromisedStore {
    const [random, now] = [{ next: () => 0.5 }, () => this.clock.now()];
    const opened = openStore(temporaryFolder(), { random, now, server: this.#server, isShared: true });
    if (!opened.ok) throw new Error(opened.error.message);
    onTestFinished(() => opened.value.close());
    return promisedStore(opened.value);
  }

  gatewayAt(baseUrl: string): ScriptedGateway {
    const gateway = this.#gateways.get(baseUrl) ?? new ScriptedGateway(new URL(baseUrl).origin);
    this.#gateways.set(baseUrl, gateway);
    return gateway;
  }

  get gateways(): readonly ScriptedGateway[] {
    return [...this.#gateways.values()];
  }

  /** A new process; it begins at once. */
  async worker(name: string, takesAccounts = true, wayMs = 0, aheadMs = 0): Promise<FleetProcess> {
    const worker = new FleetProcess(this, name, takesAccounts, aheadMs);
    this.workers.push(worker);
    worker.wayMs = wayMs;
    const joined = worker.scheduler.join().catch((error: unknown) => this.bugs.push(error));
    if (wayMs === 0) await joined;
    return worker;
  }

  async bringIn(rows: readonly Row[], settings: Partial<BatchSettings> = {}): Promise<string> {
    const { id } = await this.store.createBatch({
      name: 'night',
      headers: ['row', 'operation', 'prompt'],
      settings: { folder: '/media', profile: profileWith(), filename: '{row}', rehearsal: false, ...settings },
      createdAt: this.clock.now(),
      rows,
      problems: [],
    });
    return id;
  }

  /** Started by a process that takes no accounts, as the window of a user would. */
  async start(batchId: string): Promise<void> {
    await this.store.setBatchState(batchId, 'running', undefined, this.clock.now());
  }

  async tasks(batchId: string): Promise<readonly Task[]> {
    return listOf(this.store.tasksByStatus([...TASK_STATUSES], batchId));
  }

  async state(batchId: string): Promise<string | undefined> {
    return (await this.store.batch(batchId))?.state;
  }

  async untilFinished(batchId: string, limitMs?: number): Promise<void> {
    await this.clock.advanceUntil(async () => (await this.state(batchId)) === 'finished', limitMs);
  }

  /** The rows that were sent, each as often as it was. */
  sent(): readonly string[] {
    return this.gateways.flatMap(({ submits }) => submits.map(({ body }) => rowOf(body)));
  }

  async holders(): Promise<Readonly<Record<string, string>>> {
    const { leases } = await this.leases.fleet();
    return Object.fromEntries(leases.map(({ account, holder }) => [account, holder]));
  }
}

/** The row that a request is for: the last word of its prompt. */
export function rowOf(body: string): string {
  return /(r\d+)"/u.exec(body)?.[1] ?? body;
}
