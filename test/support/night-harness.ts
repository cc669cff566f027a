import { listOf, present } from '../../src/shared/domain/base/result.ts';
import { onTestFinished } from 'vitest';
import { KeyFinder } from '../../src/shared/domain/base/key-finder.ts';
import type { FileMeasurer } from '../../src/engine/ports/file-looks.ts';
import type { FilePlaces } from '../../src/engine/ports/file-places.ts';
import type { TaskStore } from '../../src/engine/ports/task-store.ts';
import { Scheduler } from '../../src/engine/night/scheduler.ts';
import { openStore } from '../../src/engine/store/open/open-store.ts';
import { promisedStore, type PromisedStore } from '../../src/engine/store/thread/promised.ts';
import { isRefusedByDisk } from '../../src/engine/store/open/store-problem.ts';
import type { BatchSettings } from '../../src/shared/domain/task/batch.ts';
import { kindOfMediaType } from '../../src/shared/domain/files/media-type.ts';
import type { OperationPath } from '../../src/shared/domain/operations/operations.ts';
import { profileSchema } from '../../src/shared/domain/gateway/profile.ts';
import type { Row } from '../../src/shared/domain/sheet/row.ts';
import type { Limit } from '../../src/shared/domain/task/spending.ts';
import type { Task, TaskStatus } from '../../src/shared/domain/task/task.ts';
import { FakeClock } from './fake-clock.ts';
import { ScriptedFolder } from './scripted-folder.ts';
import { ScriptedGateway } from './scripted-gateway.ts';
import { postgresAddress } from './postgres.ts';
import type { StoreAddress } from '../../src/engine/store/postgres/store-address.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A key that no content may hold. */
export const SECRET = 'sk-secret-of-the-night-1234';

const STATUS = { '0': 'queued', '1': 'running', '2': 'succeeded', '3': 'failed' };

/** A profile with stated status values; limits as a test wants them. */
export function profileWith(limits: object = {}) {
  return profileSchema.parse({
    baseUrl: 'https://gateway.example/api',
    status: { musicgen: STATUS, 'videogen-a': STATUS, 'videogen-b': STATUS },
    limits: { requestsPerSecond: 50, ...limits },
  });
}

export function row(id: string, line: number, different: Partial<Row> = {}): Row {
  const operation: OperationPath = 'musicgen/music/generate';
  return {
    id,
    line,
    operation,
    body: { prompt: `a song about ${id}` },
    takes: 1,
    priority: 0,
    filename: undefined,
    note: undefined,
    skip: false,
    cells: { row: id },
    ...different,
  };
}

export function rows(count: number, different: Partial<Row> = {}): Row[] {
  return Array.from({ length: count }, (_, i) => row(`r${i + 1}`, i + 2, different));
}

/** A night on a real store, with a clock, a gateway and a folder that a test controls. */
export class NightHarness {
  readonly clock: FakeClock;
  readonly gateway: ScriptedGateway;
  readonly folder: ScriptedFolder;
  readonly dataDir: string;
  readonly bugs: unknown[] = [];
  /** The listener for changes of tasks. */
  onTaskChanged: (task: Task) => void = () => undefined;
  onBatchChanged: () => void = () => undefined;
  /** Where files on this computer are put, from the next process on. */
  files: FilePlaces | undefined;
  /** Measures files for the gates; by default, that fails. */
  measurer: FileMeasurer = {
    measure: ({ mediaType, bytes, sha256 }) =>
      Promise.resolve({ kind: kindOfMediaType(mediaType), bytes, sha256, decoded: { not: 'no-ffmpeg' } }),
  };
  key: string | undefined = 'fingerprint';
  /** Gateways of other accounts, by their base URLs. */
  readonly gateways = new Map<string, ScriptedGateway>();
  /** The fingerprints of keys that have names. */
  readonly keys = new Map<string, string | undefined>();
  store!: TaskStore;
  scheduler!: Scheduler;
  opened!: PromisedStore;
  #close: () => void = () => undefined;

  readonly #server: StoreAddress | undefined;

  /** @param isOnServer Whether its store is on PostgreSQL. */
  constructor(isOnServer = false) {
    this.clock = new FakeClock();
    this.gateway = new ScriptedGateway();
    this.folder = new ScriptedFolder();
    this.dataDir = temporaryFolder();
    this.#server = isOnServer ? postgresAddress(this.dataDir) : undefined;
    this.open();
    onTestFinished(() => {
      this.#close();
    });
  }

  /** A new process on the same store: nothing of the previous one is left but what it committed. */
  open(wrap: (store: TaskStore) => TaskStore = (store) => store, ceiling?: Limit): void {
    this.clock.forgetTimers();
    this.#close();
    const opened = openStore(this.dataDir, { random: { next: () => 0.5 }, ...present({ server: this.#server }) });
    if (!opened.ok) throw new Error(opened.error.message);
    this.opened = promisedStore(opened.value);
    this.store = wrap(this.opened.store);
    this.#close = () => {
      opened.value.close();
    };
    this.scheduler = new Scheduler({
      store: this.store,
      folder: this.folder,
      files: this.files,
      clock: this.clock,
      random: { next: () => 0.5 },
      ceiling,
      gatewayFor: ({ profile }) => this.gateways.get(profile.baseUrl) ?? this.gateway,
      keyFingerprint: ({ keyName = '' }) => (this.keys.has(keyName) ? this.keys.get(keyName) : this.key),
      holdsKey: (text) => new KeyFinder([SECRET]).holds(text),
      measurer: { measure: (file, signal) => this.measurer.measure(file, signal) },
      onTaskChanged: (task) => this.onTaskChanged(task),
      onBatchChanged: () => this.onBatchChanged(),
      onBug: (error) => this.bugs.push(error),
      isRefusedByDisk,
    });
  }

  /** Ends the process: another one may own the store. */
  close(): void {
    this.clock.forgetTimers();
    this.#close();
    this.#close = () => undefined;
  }

  /** A batch of rows, not started yet. */
  async bringIn(sheetRows: readonly Row[], settings: Partial<BatchSettings> = {}): Promise<string> {
    return (
      await this.store.createBatch({
        name: 'night',
        headers: ['row', 'operation', 'prompt'],
        settings: { folder: '/media', profile: profileWith(), filename: '{row}', rehearsal: false, ...settings },
        createdAt: this.clock.now(),
        rows: sheetRows,
        problems: [],
      })
    ).id;
  }

  async tasks(batchId: string): Promise<readonly Task[]> {
    return listOf(
      this.store.tasksByStatus(
        ['queued', 'submitting', 'submit-unknown', 'rendering', 'downloading', 'done', 'failed', 'cancelled'],
        batchId,
      ),
    );
  }

  /** Statuses of all tasks, in order of line and take. */
  async statuses(batchId: string): Promise<readonly TaskStatus[]> {
    return (await this.tasks(batchId)).map((task) => task.status);
  }

  async state(batchId: string): Promise<string | undefined> {
    return (await this.store.batch(batchId))?.state;
  }

  /** Lets time pass until the batch is at rest. */
  async untilRest(batchId: string): Promise<void> {
    await this.clock.advanceUntil(
      async () => (await this.state(batchId)) === 'finished' || (await this.state(batchId)) === 'paused',
    );
  }
}
