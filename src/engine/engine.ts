/**
 * The engine as its callers see it: it takes up, starts and pauses batches. What the user sets, decides or says about
 * files is in `commands`.
 */
import { present } from '../shared/domain/base/result.ts';
import type { ConnectionReport } from '../shared/domain/gateway/learned/connection.ts';
import type { SeenBalance } from '../shared/domain/gateway/charges/stated-amount.ts';
import type { CheckedSheet } from '../shared/domain/sheet/row.ts';
import { type BatchRecord, type BatchSettings, type SheetSettings } from '../shared/domain/task/batch.ts';
import { waitingUntil } from '../shared/domain/task/schedule.ts';
import type { LedgerViews } from '../shared/domain/ledger/ledger-view.ts';
import { type Account } from '../shared/domain/task/accounts/account.ts';
import type { BatchViews } from '../shared/domain/task/batch-view.ts';
import { NO_PUT_FILES, type FilesPlace, type PutFiles } from '../shared/domain/places/files-place.ts';
import type { Limit, Spending, SpendingLimits } from '../shared/domain/task/spending.ts';
import { failure, type Failure } from '../shared/domain/base/failure.ts';
import { reason, thrownSays } from '../shared/domain/base/reason.ts';
import type { ChangeFeed, EngineChange } from './change-feed.ts';
import { BatchConfig, isFullAddress } from './commands/batch-config.ts';
import { BatchStarts } from './commands/batch-starts.ts';
import { DeletedBatches } from './commands/deleted-batches.ts';
import { FileReviews } from './commands/file-reviews.ts';
import { TakeDecisions } from './commands/take-decisions.ts';
import { writeLast } from './commands/folder-documents.ts';
import type { LivingSheets } from './edit/living/living-sheet.ts';
import type { SheetEditor } from './edit/sheet-editor.ts';
import type { Fleet, FleetMember } from './ports/fleet.ts';
import type { KeyOrigins } from './gateway/key-origins.ts';
import type { KeyRing } from './gateway/key-ring.ts';
import { testConnection } from './gateway/test-connection.ts';
import { isRefusedByDisk } from './store/open/store-problem.ts';
import type { Pace } from './night/expected-end.ts';
import { laneName } from './night/lanes.ts';
import { isStillAsked } from './night/batches/shelf.ts';
import type { Scheduler } from './night/scheduler.ts';
import type { NightStanding } from './night/batches/standing.ts';
import type { Entry } from './night/task-journal.ts';
import { within, type Unsaved } from './night/night-end.ts';
import type { Clock, WorkWatch } from './ports/base.ts';
import type { FilePlaces } from './ports/file-places.ts';
import type { MediaFolder } from './ports/media-folder.ts';
import type { DocumentMarks, TaskReader, TaskStore } from './ports/task-store.ts';
import type { WordListFolder } from './sheet-files/lists/word-lists.ts';
import type { SheetRows } from './ports/sheet-store.ts';
import type { Sheets } from './sheets.ts';
import { exportBatch } from './store-view.ts';
import { FileTidier, type FilingDisk } from './review/tidy-files.ts';

/** How long a store that does not answer, or takes no way back, delays the end after all else has ended. */
const WAY_BACK_MS = 5_000;

/** The parts of the engine (see compose.ts). */
export interface EngineParts {
  readonly store: TaskStore;
  readonly views: BatchViews;
  readonly ledger: LedgerViews;
  readonly rows: SheetRows;
  readonly sheets: Sheets;
  readonly living: LivingSheets;
  readonly editor: SheetEditor;
  readonly lists: WordListFolder;
  readonly scheduler: Scheduler;
  readonly folder: MediaFolder;
  readonly files: FilePlaces;
  /** See `FileTidierOptions.disk`. */
  readonly filing?: FilingDisk;
  /** Present if other processes share the store. */
  readonly fleet?: FleetMember;
  readonly keys: KeyRing;
  readonly keyOrigins: () => KeyOrigins;
  /** How fast each batch progresses, by its id; only batches that were taken up. */
  readonly paces: Map<string, Pace>;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly onBug: (error: unknown) => void;
  readonly closeStore: () => Promise<void>;
  /** How long the oldest pending request to the store has been waiting. */
  readonly storeWaitingMs: () => number;
  readonly isOlderCopy: boolean;
  /** See `EngineOptions.ceiling`. */
  readonly ceiling?: Limit;
  /** See `EngineOptions.windowPictures`. */
  readonly windowPictures?: string;
}

/** How long small pictures may delay the end of a run. */
const PICTURES_WITHIN_MS = 20_000;

/** The engine: everything that makes a night happen. The store is the only owner of the truth. */
export class Engine {
  /** Batches and their tasks, read-only. Changes go through the engine, because the night has to know about them. */
  readonly store: TaskReader;
  /** Batches and their rows as the window shows them. */
  readonly views: BatchViews;
  /** What the ledger is made of; read it with `readLedger`. */
  readonly ledger: LedgerViews;
  /** Which documents are out of date. */
  readonly documentMarks: DocumentMarks;
  /** The rows of sheets, read-only. */
  readonly rows: SheetRows;
  /** The files of sheets. */
  readonly sheets: Sheets;
  /** What has changed in the file of a batch. */
  readonly living: LivingSheets;
  /** Edits the sheets of batches. */
  readonly editor: SheetEditor;
  /** Moves the files of batches to where they belong, and deletes rejected ones. */
  readonly files: FileTidier;
  /** The word lists that cells draw from. */
  readonly lists: WordListFolder;
  /** Changes the settings of batches, their names, and their places in the queue and on the shelf. */
  readonly config: BatchConfig;
  /** Carries out what the user decides about takes. */
  readonly decisions: TakeDecisions;
  /** Records what the user says about files. */
  readonly reviews: FileReviews;
  /** How batches stand in the night, beyond what the store has of them. */
  readonly standing: NightStanding;
  /**
   * The store was found to be an older copy when it was opened, and what ran in it was paused: the user has to know.
   */
  readonly isOlderCopy: boolean;
  readonly #parts: EngineParts;
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #starts: BatchStarts;
  readonly #removal: DeletedBatches;
  readonly #noPictures = new AbortController();

  constructor(parts: EngineParts) {
    this.store = parts.store;
    this.views = parts.views;
    this.ledger = parts.ledger;
    this.documentMarks = parts.store;
    this.rows = parts.rows;
    this.sheets = parts.sheets;
    this.living = parts.living;
    this.editor = parts.editor;
    this.lists = parts.lists;
    this.standing = parts.scheduler.standing;
    this.isOlderCopy = parts.isOlderCopy;
    this.#parts = parts;
    this.#scheduler = parts.scheduler;
    this.#clock = parts.clock;
    const { store, views, onBug } = parts;
    const record = (entries: readonly Entry[]): Promise<number> => this.#scheduler.decide(entries);
    this.files = new FileTidier({ store, views, isShared: this.isShared, record, onBug, disk: parts.filing });
    const ceiling = this.isShared ? parts.ceiling : undefined;
    this.config = new BatchConfig({ ...parts, ceiling, attach: (batchId) => this.attach(batchId) });
    const { config } = this;
    const onFailed = (error: unknown): void => {
      if (!isRefusedByDisk(error)) onBug(error);
    };
    const starts = new BatchStarts({ ...parts, config, onFailed, onStarted: () => this.deletePutFiles() });
    this.#starts = starts;
    this.#removal = new DeletedBatches({ ...parts, config, onFailed });
    this.decisions = new TakeDecisions({ ...parts, config, starts });
    this.reviews = new FileReviews({ ...parts, files: this.files, starts });
    this.onChange((change) => {
      const mayBeOver =
        (change.kind === 'batch' && change.batch.state !== 'running') || (change.kind === 'task' && change.isAfterEnd);
      if (mayBeOver) this.deletePutFiles();
    });
  }

  /**
   * Sets or removes the key for one origin. The key is kept in memory only, and goes to no other origin.
   * @param beforeSent Called once, right before the key leaves for the first time; if it throws, nothing is sent.
   * @param name Distinguishes the key from others for the same origin (see `Account`).
   */
  setKey(origin: string, key: string | undefined, beforeSent?: () => void, name?: string): void {
    this.#parts.keys.set(origin, key, beforeSent, name);
  }

  /** Keeps a key out of everything that is kept and shown, although this process sends nothing with it. */
  keepOut(key: string): void {
    this.#parts.keys.keepOut(key);
  }

  /**
   * The text with every key in it hidden: a row may contain a key that was entered only after its sheet was imported.
   */
  withoutKeys(text: string): string {
    return this.#parts.keys.finder.hide(text);
  }

  /**
   * Tests whether the gateway of this profile answers and accepts the key. Costs nothing. The profile must have a base
   * URL.
   */
  testConnection(access: Pick<Account, 'profile' | 'keyName'>): Promise<ConnectionReport> {
    const { keys, clock } = this.#parts;
    const { profile } = access;
    const beforeKeyIsSent = (): void => keys.beforeSent(access);
    return testConnection({ profile, key: keys.of(access), beforeKeyIsSent, keyFinder: keys.finder, clock });
  }

  /** The balance of an account; undefined if its gateway does not state one, or must not be asked just now. */
  balance(account: Pick<Account, 'profile' | 'keyName'>): Promise<SeenBalance | undefined> {
    return this.#scheduler.balance(account);
  }

  /** Whether other processes may share the store: workers then do the work. */
  get isShared(): boolean {
    return this.#parts.fleet !== undefined;
  }

  /** The workers on the store and the accounts that each holds; undefined if this process has the store to itself. */
  async fleet(): Promise<Fleet | undefined> {
    return this.#parts.fleet?.leases.fleet();
  }

  /**
   * The account's name in leases: the origin of its gateway, and the fingerprint of the key that it has here, if any.
   */
  laneName({ profile, keyName }: Pick<Account, 'profile' | 'keyName'>): string {
    return laneName(
      new URL(profile.baseUrl).origin,
      this.#parts.keys.fingerprintOf({ profile, ...present({ keyName }) }),
    );
  }

  /** Which gateway a key belongs to, as noted beside the store. */
  keyOrigins(): KeyOrigins {
    return this.#parts.keyOrigins();
  }

  /** Sets the key of a built-in gateway. This key is no secret: sheets may contain it. */
  setRehearsalKey(origin: string, key: string): void {
    this.#parts.keys.setRehearsal(origin, key);
  }

  /** Calls the listener with every committed change until the returned function is called. */
  onChange(listener: (change: EngineChange) => void): () => void {
    return this.#parts.changes.listen(listener);
  }

  /**
   * Creates a batch from a checked sheet without starting anything. Rows with errors are kept and shown, but never run.
   * A known key in the name is blotted out, as in the sheet.
   */
  async createBatch(
    input: {
      readonly sheet: CheckedSheet;
      readonly sheetPath?: string;
      readonly name: string;
      readonly sheetSettings?: SheetSettings;
      readonly settings: BatchSettings;
    },
    watch: WorkWatch = {},
  ): Promise<BatchRecord> {
    const { sheet, sheetPath, name, sheetSettings, settings } = input;
    if (!isFullAddress(settings.folder)) throw new Error(`Not an absolute path: ${settings.folder}`);
    const batch = await this.#parts.store.createBatch({
      name: this.withoutKeys(name),
      ...(sheetPath === undefined ? {} : { sheetPath }),
      headers: sheet.headers,
      ...(sheetSettings === undefined ? {} : { sheet: sheetSettings }),
      settings,
      createdAt: this.#clock.now(),
      rows: watched(sheet.rows, watch),
      problems: sheet.problems,
      ...(sheet.unusedCells === undefined ? {} : { unusedCells: sheet.unusedCells }),
    });
    this.#parts.changes.tell({ kind: 'batch', batch });
    return batch;
  }

  /** Sets what all batches except rehearsals may spend in a night and in a month, from the next request on. */
  async setLimits(limits: SpendingLimits): Promise<void> {
    await this.#scheduler.setLimits(limits);
  }

  /** The spending limits, and what was spent in this night, in this month and by these batches. */
  async spending(batchIds: readonly string[] = []): Promise<Spending & { readonly limits: SpendingLimits }> {
    const [limits, spending] = await Promise.all([
      this.store.spendingLimits(),
      this.store.spending(this.#clock.now(), batchIds),
    ]);
    return { ...spending, limits };
  }

  /**
   * Removes deleted batches that can no longer be restored, now and once a day: a window may stay open for weeks.
   * @param onRemoved Called with the ids of the removed batches.
   */
  removeDeleted(onRemoved: (batchIds: readonly string[]) => void): Promise<void> {
    return this.#removal.remove(onRemoved);
  }

  /** Whether the gateway is still asked about takes of a batch that count as ended. */
  isStillAsked(batch: Pick<BatchRecord, 'id' | 'settings'>): Promise<boolean> {
    return isStillAsked(this.store, batch, this.#clock.now());
  }

  /**
   * Creates the media folder if it is missing, and returns what prevents files from being placed there, if anything.
   */
  async checkFolder(folder: string): Promise<Failure | undefined> {
    const prepared = await this.#parts.folder.prepare(folder, { mayMake: true, mayReplace: true });
    return prepared.ok ? undefined : prepared.error;
  }

  /** The user of this computer names a place for their files: batches with this place may use it from now on. */
  allowFilesPlace(place: FilesPlace): Promise<void> {
    return this.#parts.files.allow(place);
  }

  /**
   * Deletes, in the background, the files that were put for batches that are over, if their place says so; also those
   * that a kill left behind.
   */
  deletePutFiles(): void {
    this.#parts.files.deleteUnneeded();
  }

  /** Resolves when no such deletion is under way or about to be tried again. */
  putFilesDeleted(): Promise<void> {
    return this.#parts.files.deleted();
  }

  /** What has become of the files that were put for a batch at its place. */
  async putFilesOf({ id, settings }: Pick<BatchRecord, 'id' | 'settings'>): Promise<PutFiles> {
    return settings.filesPlace === undefined ? NO_PUT_FILES : this.#parts.files.putFor(id, settings.filesPlace);
  }

  /** Takes up a batch after the application was closed or killed: work in flight continues if the batch is running. */
  attach(batchId: string): Promise<void> {
    return this.#starts.attach(batchId);
  }

  /**
   * Begins to share the store with other processes, if it was opened for that: takes accounts whose keys this process
   * has, and follows what others change.
   */
  join(): Promise<void> {
    return this.#scheduler.join();
  }

  /** The computer is about to sleep: nothing new is sent until it is awake. */
  sleep(): void {
    this.#scheduler.sleep();
  }

  /** The computer is awake again: what is rendering is asked about before anything new is sent. */
  wake(): void {
    this.#scheduler.wake();
  }

  /** How often the user has paused a batch or put it away: see {@link start}. */
  pausesOf(batchId: string): number {
    return this.#scheduler.pausesOf(batchId);
  }

  /**
   * Starts a batch: for the first time, after a pause, or after an interruption.
   * @param pauses What {@link pausesOf} returned when the user asked for this, if that was earlier: what they said later
   *   wins.
   * @param only Which of the accounts that stand still go on; by default, all.
   */
  start(batchId: string, pauses = this.pausesOf(batchId), only?: readonly string[]): Promise<void> {
    return this.#starts.start(batchId, pauses, { only, forAll: true });
  }

  /**
   * Starts a batch for some of its rows, which the user has changed: what was flagged in earlier runs stays as it is.
   */
  startForRows(batchId: string, pauses = this.pausesOf(batchId)): Promise<void> {
    return this.#starts.start(batchId, pauses);
  }

  /**
   * On a shared store: records which folder belongs to a batch that was never started, because its path was chosen on
   * this computer. The first worker to look might find only an empty mount point there. If this computer cannot see the
   * folder, that is left to the workers.
   */
  claimFolder(batchId: string): Promise<void> {
    return this.#scheduler.claimFolder(batchId);
  }

  /** Holds back new submits of a batch; what is rendering is still fetched. */
  async pause(batchId: string): Promise<void> {
    await this.attach(batchId);
    await this.#scheduler.pauseByUser(batchId);
  }

  /**
   * Moves rejected files of a batch to where they belong before the night ends; what cannot be moved is reported with
   * its documents.
   */
  tidyBeforeEnd(batchId: string): void {
    this.#scheduler.untilDone(this.files.tidy(batchId)).catch(() => undefined);
  }

  /** Resolves when nothing more will happen in a batch by itself. */
  settled(batchId: string): Promise<BatchRecord> {
    return this.#scheduler.settled(batchId);
  }

  /** True while the store answers. A store that hangs, on a disk that no longer responds, holds everything up. */
  isStoreAnswering(withinMs: number): boolean {
    return this.#parts.storeWaitingMs() < withinMs;
  }

  /** How many changes of tasks wait to be written, and how long the oldest pending request to the store has waited. */
  get backlog(): { readonly changes: number; readonly waitingMs: number } {
    return { changes: this.#scheduler.unwritten, waitingMs: this.#parts.storeWaitingMs() };
  }

  /** When a batch will end, or pause at its limit, at its present pace; undefined while that is not known. */
  async expectedEnd(batchId: string): Promise<number | undefined> {
    const batch = this.standing.unstored(batchId) ?? (await this.store.batch(batchId));
    if (batch?.state !== 'running' || waitingUntil(batch, this.#clock.now()) !== undefined) return undefined;
    const { maxSubmits } = batch.settings;
    const left = maxSubmits === undefined ? undefined : maxSubmits - (await this.store.submitsUsed(batchId));
    const end = this.#parts.paces.get(batchId)?.expectedEnd(await this.store.counts(batchId), this.#clock.now(), left);
    // A file that is tried again in an hour will not come sooner, however fast the others were.
    return end === undefined ? undefined : Math.max(end, this.standing.lastRetryAt(batchId) ?? 0);
  }

  /**
   * Writes the manifest, the results sheet and the gallery into the batch's media folder.
   * @param withinMs How long making small pictures for the gallery may take; the next export continues from there.
   * @param onFirst Called before the first picture is made.
   */
  async exportBatch(
    batchId: string,
    withinMs = PICTURES_WITHIN_MS,
    onFirst?: () => void,
    watch?: WorkWatch,
  ): Promise<Failure | undefined> {
    try {
      const untidy = await this.files.tidy(batchId);
      const { signal } = this.#noPictures;
      const { windowPictures: windowFolder } = this.#parts;
      const how = { clock: this.#clock, signal, withinMs, windowFolder, onFirst, watch };
      const write = (): Promise<Failure | undefined> => exportBatch(this, batchId, undefined, how);
      // Nobody else writes for a store that is this process's own.
      return (await (this.isShared ? writeLast(this.#parts.store, batchId, write) : write())) ?? untidy;
    } catch (error) {
      watch?.signal?.throwIfAborted();
      // A bug in the documents must stop neither the night nor the summary of the command line.
      const isRefused = isRefusedByDisk(error);
      if (!isRefused) this.#parts.onBug(error);
      return failure(isRefused ? 'DISK_DENIED' : 'INTERNAL', reason('documentsUnwritten', thrownSays(error)));
    }
  }

  /**
   * Ends the night: waits for submits under way and commits everything known, within `withinMs` if given. Returns what
   * could not be committed. The store can still be read.
   */
  async quiesce(withinMs?: number): Promise<readonly Unsaved[]> {
    // Ending the night waits for its documents, but not for pictures.
    this.#noPictures.abort();
    this.#removal.close();
    const unsaved = await this.#scheduler.end(withinMs);
    // Only now: the user may end an edit for as long as the night waits for its answers.
    await within(this.#clock, WAY_BACK_MS, this.editor.takeBackEnded(WAY_BACK_MS));
    return [...unsaved, ...this.editor.owedWaysBack()];
  }

  /** Ends gracefully and closes the store; returns what could not be committed, like {@link Engine.quiesce}. */
  async stop(withinMs?: number): Promise<readonly Unsaved[]> {
    this.files.close();
    await this.#parts.files.close();
    const unsaved = await this.quiesce(withinMs);
    await this.#parts.folder.close();
    await this.#parts.closeStore();
    return unsaved;
  }
}

/** Yields the items and reports progress. It can be aborted until the last item has been taken. */
function* watched<T>(items: readonly T[], { signal, onProgress, onBound }: WorkWatch): Generator<T> {
  for (const [at, item] of items.entries()) {
    signal?.throwIfAborted();
    onProgress?.(at, items.length);
    yield item;
  }
  signal?.throwIfAborted();
  onBound?.();
}
