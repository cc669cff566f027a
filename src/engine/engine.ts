/** What the engine does with batches: the commands that start them, stop them and settle what is left open. */
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { assertNever, err, ok, present, type Result, listOf } from '../shared/domain/base/result.ts';
import { withStatusMeaning, type StatusAnswer, type StatusQuestion } from '../shared/domain/gateway/seen-status.ts';
import type { ConnectionReport } from '../shared/domain/gateway/learned/connection.ts';
import type { SeenBalance } from '../shared/domain/gateway/charges/stated-amount.ts';
import type { Profile } from '../shared/domain/gateway/profile.ts';
import type { CheckedSheet } from '../shared/domain/sheet/row.ts';
import {
  gatewayKey,
  settingsWithProfile,
  type BatchRecord,
  type BatchSettings,
  type SheetSettings,
} from '../shared/domain/task/batch.ts';
import { priorityAfterMove, type QueueMove } from '../shared/domain/task/batch-standing.ts';
import { isBucketAddress } from '../shared/domain/files/bucket-address.ts';
import { waitingUntil, type Schedule } from '../shared/domain/task/schedule.ts';
import type { LedgerViews } from '../shared/domain/ledger/ledger-view.ts';
import {
  accountNamed,
  accountsOf,
  withLimitsByName,
  withProfiles,
  type Account,
} from '../shared/domain/task/accounts/account.ts';
import type { BatchViews } from '../shared/domain/task/batch-view.ts';
import type { Money } from '../shared/domain/base/money.ts';
import type { FileReview, VerdictChange } from '../shared/domain/review/verdict.ts';
import { NO_PUT_FILES, type FilesPlace, type PutFiles } from '../shared/domain/places/files-place.ts';
import type { Limit, Spending, SpendingLimits } from '../shared/domain/task/spending.ts';
import { failure, type Failure } from '../shared/domain/base/failure.ts';
import { reason, thrownSays } from '../shared/domain/base/reason.ts';
import { FAMILIES } from '../shared/domain/operations/operations.ts';
import {
  ACTIVE_STATUSES,
  TASK_STATUSES,
  type Decision,
  type ShownTake,
  type Task,
  type TaskStatus,
} from '../shared/domain/task/task.ts';
import { Turns } from '../shared/domain/base/turns.ts';
import type { RowTurn, TaskEvent, TurnEvent } from '../shared/domain/task/task-event.ts';
import type { ChangeFeed, EngineChange } from './changes.ts';
import type { LivingSheets } from './edit/living/living-sheet.ts';
import type { SheetEditor } from './edit/sheet-editor.ts';
import type { Fleet, FleetMember } from './fleet-ports.ts';
import type { KeyOrigins } from './gateway/key-origins.ts';
import type { KeyRing } from './gateway/key-ring.ts';
import { testConnection } from './gateway/test-connection.ts';
import { SETTLED, statedFailures, type AdoptionRefusal } from './night/decisions.ts';
import { isRefusedByDisk } from './store/open/store-problem.ts';
import { Pace } from './night/expected-end.ts';
import { keepForetold } from './night/foretold.ts';
import { laneName } from './night/lanes.ts';
import { isStillAsked, removeDeleted, shelveBatch, withoutShelf } from './night/batches/shelf.ts';
import type { Scheduler, SettingsChange } from './night/scheduler.ts';
import type { FullPlaces } from './night/choose-submits.ts';
import type { Entry } from './night/task-journal.ts';
import { within, type Unsaved } from './night/night-end.ts';
import type { Clock, FilePlaces, MediaFolder, RowsNamed, TaskReader, TaskStore, WorkWatch } from './ports.ts';
import type { WordListFolder } from './sheet-files/lists/word-lists.ts';
import type { SheetRows } from './sheet-ports.ts';
import {
  fileReviewEntries,
  reviewEntries,
  reviewRefusal,
  type ReviewedFiles,
  type ReviewRefusal,
} from './review/file-review.ts';
import type { Sheets } from './sheets.ts';
import { exportBatch } from './store-view.ts';
import { FileTidier } from './review/tidy-files.ts';

/** A store that does not answer holds the end up for no longer than this. */
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
  /** Where other processes share the store. */
  readonly fleet?: FleetMember;
  readonly keys: KeyRing;
  readonly keyOrigins: () => KeyOrigins;
  /** How fast batches progress, by their ids; only batches that were taken up. */
  readonly paces: Map<string, Pace>;
  readonly changes: ChangeFeed;
  readonly clock: Clock;
  readonly onBug: (error: unknown) => void;
  readonly closeStore: () => Promise<void>;
  /** How long the longest question to the store has been waiting. */
  readonly storeWaitingMs: () => number;
  readonly isOlderCopy: boolean;
  /** See `EngineOptions.ceiling`. */
  readonly ceiling?: Limit;
  /** See `EngineOptions.windowPictures`. */
  readonly windowPictures?: string;
}

/** Nobody waits longer for small pictures at the end of a run. */
const PICTURES_WITHIN_MS = 20_000;

/** How often what was deleted is looked at. */
const LOOK_MS = 24 * 60 * 60_000;

/** How often what the user says of files is recorded anew where their tasks have just changed. */
const REVIEW_TRIES = 5;

/** The user's word about its turn means nothing to a take that is done. */
const NOT_DONE = TASK_STATUSES.filter((status) => status !== 'done');

/** The engine: everything that makes a night happen. The store is the only owner of the truth. */
export class Engine {
  /** Batches and their tasks, to read. Changes go through the engine: the night has to know about them. */
  readonly store: TaskReader;
  /** Batches and their rows as the window shows them. */
  readonly views: BatchViews;
  /** What the ledger is made of; read it with `readLedger`. */
  readonly ledger: LedgerViews;
  /** The rows of sheets, to read. */
  readonly rows: SheetRows;
  /** The files of sheets. */
  readonly sheets: Sheets;
  /** What has changed in the file of a batch. */
  readonly living: LivingSheets;
  /** Edits the sheets of batches. */
  readonly editor: SheetEditor;
  /** Moves the files of batches where they belong, and deletes rejected ones. */
  readonly files: FileTidier;
  /** The lists of words that cells draw from. */
  readonly lists: WordListFolder;
  /** When opened, the store was found to be an older copy, and what ran in it was paused: the user has to know. */
  readonly isOlderCopy: boolean;
  readonly #parts: EngineParts;
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #noPictures = new AbortController();
  #stopLooking: (() => void) | undefined;
  /** What the user says of files, and of the turn of rows, holds in the order in which it is said. */
  readonly #reviews = new Turns(1);
  readonly #rowTurns = new Turns(1);
  readonly #moves = new Turns(1);

  constructor(parts: EngineParts) {
    this.store = parts.store;
    this.views = parts.views;
    this.ledger = parts.ledger;
    this.rows = parts.rows;
    this.sheets = parts.sheets;
    this.living = parts.living;
    this.editor = parts.editor;
    this.lists = parts.lists;
    this.isOlderCopy = parts.isOlderCopy;
    this.#parts = parts;
    this.#scheduler = parts.scheduler;
    this.#clock = parts.clock;
    const { store, views, onBug } = parts;
    const record = (entries: readonly Entry[]): Promise<number> => this.#scheduler.decide(entries);
    this.files = new FileTidier({ store, views, isShared: this.isShared, record, onBug });
    this.onChange((change) => {
      const mayBeOver =
        (change.kind === 'batch' && change.batch.state !== 'running') || (change.kind === 'task' && change.isAfterEnd);
      if (mayBeOver) this.deletePutFiles();
    });
  }

  /**
   * Sets or removes the key for one origin. The key stays in memory, and goes to no other origin.
   * @param beforeSent Called once, right before the key leaves for the first time; if it throws, nothing is sent.
   * @param name Tells it from the other keys for the origin (see `Account`).
   */
  setKey(origin: string, key: string | undefined, beforeSent?: () => void, name?: string): void {
    this.#parts.keys.set(origin, key, beforeSent, name);
  }

  /** A text without a key in it: one that was entered since a sheet was imported may stand in what a row said. */
  withoutKeys(text: string): string {
    return this.#parts.keys.finder.hide(text);
  }

  /** Whether a gateway of this profile answers, and accepts the key. Costs nothing. The profile must have a base URL. */
  testConnection(access: Pick<Account, 'profile' | 'keyName'>): Promise<ConnectionReport> {
    const { keys, clock } = this.#parts;
    const { profile } = access;
    const beforeKeyIsSent = (): void => keys.beforeSent(access);
    return testConnection({ profile, key: keys.of(access), beforeKeyIsSent, keyFinder: keys.finder, clock });
  }

  /** What an account has left; undefined if its gateway does not say, or must not be asked just now. */
  balance(account: Pick<Account, 'profile' | 'keyName'>): Promise<SeenBalance | undefined> {
    return this.#scheduler.balance(account);
  }

  /** What an account of a batch has left, as last heard in this night; the first one, if none of several is named. */
  balanceOf(batchId: string, account?: string): SeenBalance | undefined {
    return this.#scheduler.balanceOf(batchId, account);
  }

  /** Whether other processes may share the store: workers then do what is to be done. */
  get isShared(): boolean {
    return this.#parts.fleet !== undefined;
  }

  /** The workers on the store and the accounts that each has; undefined where this process has the store for itself. */
  async fleet(): Promise<Fleet | undefined> {
    return this.#parts.fleet?.leases.fleet();
  }

  /** The account as leases name it, with the key that it has here; without one, up to the key. */
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

  /** Sets the key of a built-in gateway. It is no secret: sheets may contain it. */
  setRehearsalKey(origin: string, key: string): void {
    this.#parts.keys.setRehearsal(origin, key);
  }

  /** Calls the listener with every committed change until the returned function is called. */
  onChange(listener: (change: EngineChange) => void): () => void {
    return this.#parts.changes.listen(listener);
  }

  /** Makes a batch of a checked sheet; nothing starts. Rows with errors are kept and shown, but never run. */
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
    if (!isWhole(settings.folder)) throw new Error(`Not an absolute path: ${settings.folder}`);
    const batch = await this.#parts.store.createBatch({
      name,
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

  /** Sets or lifts the request limit of a batch, also while it runs: a lower limit holds from the next request on. */
  async setCap(batchId: string, maxSubmits: number | undefined): Promise<void> {
    await this.#set(batchId, 'maxSubmits', maxSubmits);
  }

  /** The same for what it may spend, by its profile's prices. */
  async setCostCap(batchId: string, maxCost: Money | undefined): Promise<void> {
    await this.#set(batchId, 'maxCost', maxCost);
  }

  /** Sets or lifts the limits of some accounts of a batch, by their names, also while it runs. */
  async setAccountLimits(batchId: string, limits: ReadonlyMap<string, Limit | undefined>): Promise<void> {
    if ((await this.store.batch(batchId)) === undefined) return;
    await this.configure(batchId, ({ settings }) => withLimitsByName(settings, limits));
  }

  /** Sets the length of a batch's fuse; undefined: as usual. */
  async setFuse(batchId: string, fuse: number | undefined): Promise<void> {
    await this.#set(batchId, 'fuse', fuse);
  }

  async #set<Name extends 'maxSubmits' | 'maxCost' | 'fuse'>(
    batchId: string,
    name: Name,
    value: BatchSettings[Name],
  ): Promise<void> {
    if ((await this.store.batch(batchId)) === undefined) return;
    await this.configure(batchId, ({ settings: before }) => {
      const { [name]: _, ...settings } = before;
      return { ...settings, ...present({ [name]: value }) } as BatchSettings;
    });
  }

  /** Sets when a batch may submit, also while it runs: that holds from the next request on. Without one, at any time. */
  async setSchedule(batchId: string, schedule: Schedule | undefined): Promise<void> {
    await this.configure(batchId, ({ settings: before }) => {
      const { schedule: _, ...settings } = before;
      return { ...settings, ...present({ schedule }) };
    });
  }

  /** Sets what may be spent in a night and in a month, by all batches but rehearsals: from the next request on. */
  async setLimits(limits: SpendingLimits): Promise<void> {
    await this.#scheduler.setLimits(limits);
  }

  /** What may be spent, and what was: in this night, in this month and in these batches. */
  async spending(batchIds: readonly string[] = []): Promise<Spending & { readonly limits: SpendingLimits }> {
    const [limits, spending] = await Promise.all([
      this.store.spendingLimits(),
      this.store.spending(this.#clock.now(), batchIds),
    ]);
    return { ...spending, limits };
  }

  /** Moves a batch among those that share an account with it: from its next request on. */
  moveInQueue(batchId: string, to: QueueMove): Promise<void> {
    // One after another: where a batch comes to depends on where those before it have come.
    return this.#moves.take(() => this.#moveInQueue(batchId, to));
  }

  async #moveInQueue(batchId: string, to: QueueMove): Promise<void> {
    const others = (await this.store.batches()).filter(({ id }) => id !== batchId);
    const running = others.filter(({ state }) => state === 'running').map(priorityOf);
    const among = { others: others.map(priorityOf), running };
    await this.configure(batchId, (batch) => {
      const { priority: _, ...settings } = batch.settings;
      const priority = priorityAfterMove(to, priorityOf(batch), among);
      if (priority === priorityOf(batch)) return undefined;
      return priority === 0 ? settings : { ...settings, priority };
    });
    // Which one is first depends on all of them.
    for (const batch of others)
      if (batch.settings.priority !== undefined) this.#parts.changes.tell({ kind: 'batch', batch });
  }

  /** Gives a batch a corrected profile, unless it must not take that one (`settingsWithProfile`). */
  async correctProfile(batchId: string, profile: Profile): Promise<void> {
    if ((await this.store.batch(batchId)) === undefined) return;
    await this.configure(batchId, ({ settings }) => {
      const corrected = settingsWithProfile(settings, profile);
      return corrected.ok ? corrected.value : undefined;
    });
  }

  /**
   * Changes the settings of a batch, and its name if one is given, also while it runs. A function gets the batch while
   * nothing else changes or starts it; if it returns undefined, everything stays as it is.
   */
  async configure(batchId: string, change: SettingsChange, name?: string): Promise<void> {
    const changed = (before: BatchRecord): BatchSettings | undefined => {
      const settings = typeof change === 'function' ? change(before) : change;
      if (settings !== undefined && !isWhole(settings.folder))
        throw new Error(`Not an absolute path: ${settings.folder}`);
      return settings;
    };
    await this.#scheduler.configure(batchId, changed, name);
  }

  /** Gives a batch another name, in every state. Its folder keeps its own: files there are known by their paths. */
  rename(batchId: string, name: string): Promise<void> {
    return this.configure(batchId, ({ settings }) => settings, name);
  }

  /** Puts a batch away: see {@link shelveBatch}. A start brings it back. */
  shelve(batchId: string, is: 'archived' | 'deleted'): Promise<Result<undefined, string>> {
    const { store, views } = this.#parts;
    const configure = (id: string, change: SettingsChange): Promise<void> => this.configure(id, change);
    return shelveBatch({ store, views, configure }, batchId, { is, at: this.#clock.now() });
  }

  /** Brings back a batch that was archived, or deleted within the last day. */
  bringBack(batchId: string): Promise<void> {
    return this.configure(batchId, withoutShelf);
  }

  /**
   * Removes what nobody can bring back any more, now and once a day: a window may stay open for weeks.
   * @param onRemoved Called with the ids of batches that are gone.
   */
  async removeDeleted(onRemoved: (batchIds: readonly string[]) => void): Promise<void> {
    const { store } = this.#parts;
    const configure = (id: string, change: SettingsChange): Promise<void> => this.configure(id, change);
    const now = this.#clock.now();
    const remove = (id: string): Promise<boolean> => this.#scheduler.removing(id, () => store.removeBatch(id, now));
    const isOlderCopy = this.isOlderCopy && this.#stopLooking === undefined;
    // The next look tries it again: nothing waits for the room.
    const looked = this.#scheduler.untilDone(removeDeleted({ store, configure }, remove, now, isOlderCopy));
    const removed = await looked.catch((error: unknown) => {
      if (!isRefusedByDisk(error)) this.#parts.onBug(error);
      return [];
    });
    if (removed.length > 0) onRemoved(removed);
    if (!this.#noPictures.signal.aborted)
      this.#stopLooking = this.#clock.setTimer(LOOK_MS, () => void this.removeDeleted(onRemoved));
  }

  /** Whether the gateway is still asked about takes of a batch that count as ended. */
  isStillAsked(batch: Pick<BatchRecord, 'id' | 'settings'>): Promise<boolean> {
    return isStillAsked(this.store, batch, this.#clock.now());
  }

  /**
   * Writes the user's answer about a status into the profiles of all batches of a batch's gateway, or of that of one of
   * its accounts. If the status means
   * failure, failures that were inferred from it are certain now; returns how many.
   */
  async answerStatus(
    batchId: string,
    question: Pick<StatusQuestion, 'family' | 'status'> & { readonly account?: string | undefined },
    answer: StatusAnswer,
  ): Promise<number> {
    const asked = await this.store.batch(batchId);
    const gateway = asked && gatewayKey(asked.id, asked.settings, question.account);
    let stated = 0;
    for (const { id, settings } of await this.store.batches()) {
      const isOf = ({ name }: Account): boolean => gatewayKey(id, settings, name) === gateway;
      if (!accountsOf(settings).some(isOf)) continue;
      await this.configure(id, ({ settings: now }) =>
        withProfiles(now, (account) =>
          isOf(account) ? withStatusMeaning(account.profile, question, answer) : account.profile,
        ),
      );
      if (answer !== 'failed') continue;
      const watched = await this.store.watchedTasks(id);
      const own = watched.filter(({ account }) => isOf(accountNamed(settings, account)));
      const entries = statedFailures(own, question, this.#clock.now());
      if (entries.length === 0) continue;
      await this.attach(id);
      stated += await this.#scheduler.decide(entries);
    }
    return stated;
  }

  /** Creates the media folder if it is missing and says what keeps files from being placed there, if anything. */
  async checkFolder(folder: string): Promise<Failure | undefined> {
    const prepared = await this.#parts.folder.prepare(folder, { mayMake: true, mayReplace: true });
    return prepared.ok ? undefined : prepared.error;
  }

  /** The user of this computer names a place for files of theirs: batches that have it may use it from now on. */
  allowFilesPlace(place: FilesPlace): Promise<void> {
    return this.#parts.files.allow(place);
  }

  /** Deletes what was put for batches that are over, in the background, where their place says so: also what a kill has left. */
  deletePutFiles(): void {
    this.#parts.files.deleteUnneeded();
  }

  /** Resolves when nothing of that is under way or about to be tried again. */
  putFilesDeleted(): Promise<void> {
    return this.#parts.files.deleted();
  }

  /** What has become of the files that were put for a batch at its place. */
  async putFilesOf({ id, settings }: Pick<BatchRecord, 'id' | 'settings'>): Promise<PutFiles> {
    return settings.filesPlace === undefined ? NO_PUT_FILES : this.#parts.files.putFor(id, settings.filesPlace);
  }

  /** Takes a batch up after the application was closed or killed: work in flight continues if the batch runs. */
  async attach(batchId: string): Promise<void> {
    this.#parts.paces.set(batchId, this.#parts.paces.get(batchId) ?? new Pace(this.#clock.now()));
    await this.#scheduler.attach(batchId);
  }

  /**
   * Begins to share the store with other processes, where it was opened so: takes accounts of which it has the keys, and
   * follows what others change.
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

  /** How often the user has paused a batch: see {@link start}. */
  pausesOf(batchId: string): number {
    return this.#scheduler.pausesOf(batchId);
  }

  /**
   * Starts a batch: for the first time, after a pause, or after an interruption.
   * @param pauses How often the user had paused it when asking for this, if that was earlier: a later pause holds.
   * @param only Of the accounts that stand still, those that go on; by default, all.
   */
  start(batchId: string, pauses = this.pausesOf(batchId), only?: readonly string[]): Promise<void> {
    return this.#start(batchId, pauses, false, only, true);
  }

  /** The same for some rows of it, which the user has changed: what was flagged in runs that have ended is left as it is. */
  startForRows(batchId: string, pauses = this.pausesOf(batchId)): Promise<void> {
    return this.#start(batchId, pauses);
  }

  async #start(
    batchId: string,
    pauses: number,
    unlessHeld = false,
    only?: readonly string[],
    forAll = false,
  ): Promise<void> {
    await this.attach(batchId);
    if (!unlessHeld) await this.#setCeiling(batchId);
    this.#parts.paces.get(batchId)?.restart(this.#clock.now());
    const { state, settings } = (await this.#parts.store.batch(batchId)) ?? {};
    if (settings?.shelf !== undefined) await this.bringBack(batchId);
    if (!unlessHeld || state === 'finished') {
      // Without a forecast the night is none the worse.
      await keepForetold(this.#parts.store, batchId, this.#clock.now()).catch((error: unknown) => {
        if (!isRefusedByDisk(error)) this.#parts.onBug(error);
      });
    }
    // What a move has left is over with the run; one that was told to run first before it began is not.
    if (state === 'finished' || (state === 'ready' && (settings?.priority ?? 0) <= 0))
      await this.moveInQueue(batchId, 'in-turn');
    await this.#scheduler.start(batchId, pauses, unlessHeld, only, forAll);
    // Not before: rows that the user has tried again are to find what was put for them.
    this.deletePutFiles();
    // It may have been put away until it ran: what runs is in use.
    const { shelf } = (await this.#parts.store.batch(batchId))?.settings ?? {};
    if (shelf !== undefined) await this.bringBack(batchId);
  }

  /** Where other processes send what this one starts, its ceiling goes with the batch; one of another process ends here. */
  async #setCeiling(batchId: string): Promise<void> {
    const { ceiling } = this.isShared ? this.#parts : {};
    await this.configure(batchId, ({ settings: before }) => {
      if (isDeepStrictEqual(before.ceiling, ceiling)) return undefined;
      const { ceiling: _, ...settings } = before;
      return { ...settings, ...present({ ceiling }) };
    });
  }

  /**
   * On a store that others share: says which folder is that of a batch that was never started, for whoever chose its path on
   * this computer. The first worker to look might see an empty mount point there. Where this computer does not see it, it is
   * left to the workers.
   */
  claimFolder(batchId: string): Promise<void> {
    return this.#scheduler.claimFolder(batchId);
  }

  /** Holds back new submits of a batch; what is rendering is still fetched. */
  async pause(batchId: string): Promise<void> {
    await this.attach(batchId);
    await this.#scheduler.pauseByUser(batchId);
  }

  /** Cancels everything in a batch, or in the rows with these keys, that has not ended; returns the number of tasks. */
  async cancel(batchId: string, keys?: readonly number[]): Promise<number> {
    await this.attach(batchId);
    const takes = await this.views.takesByStatus(batchId, [...ACTIVE_STATUSES], keys);
    return this.#scheduler.decide(takes.map(({ id }): Entry => ({ taskId: id, event: { kind: 'cancel-requested' } })));
  }

  /**
   * Holds rows, releases them, or has what waits of them go before all others of the batch. What is at the gateway goes on.
   * After a release the batch does, too, unless it is paused or was never started. Returns how many takes this changed.
   */
  async setTurn(batchId: string, rows: RowsNamed, turn: RowTurn): Promise<number> {
    const pauses = this.pausesOf(batchId);
    const { count, goesOn } = await this.#rowTurns.take(async () => {
      const state = (await this.store.batch(batchId))?.state;
      const isToGoOn = turn !== 'hold' && (state === 'running' || state === 'finished');
      if (isToGoOn) await this.attach(batchId);
      return { count: await this.#recordTurn(batchId, rows, turn), goesOn: isToGoOn };
    });
    if (goesOn && count > 0) await this.#start(batchId, pauses, true);
    return count;
  }

  async #recordTurn(batchId: string, rows: RowsNamed, turn: RowTurn): Promise<number> {
    const event = await this.#turnEvent(batchId, turn);
    // Before its takes are read: those that an edit makes meanwhile follow it already.
    await this.#parts.store.setTurn(batchId, rows, event);
    const takes =
      'keys' in rows
        ? await this.views.takesByStatus(batchId, NOT_DONE, rows.keys)
        : await this.#tasksIn(batchId, rows.ids, NOT_DONE);
    return this.#scheduler.decide(takes.map(({ id }): Entry => ({ taskId: id, event })));
  }

  async #turnEvent(batchId: string, turn: RowTurn): Promise<TurnEvent> {
    switch (turn) {
      case 'hold':
        return { kind: 'put-on-hold' };
      case 'release':
        return { kind: 'released' };
      case 'next': {
        const first = FAMILIES.map((family) => this.store.nextQueued(batchId, family, 1, Number.MAX_SAFE_INTEGER));
        const priorities = (await Promise.all(first)).flat().map(({ priority }) => priority);
        return { kind: 'put-first', priority: Math.max(0, ...priorities) + 1 };
      }
      default:
        return assertNever(turn);
    }
  }

  /**
   * Tries the failed tasks of a batch again, or the failed and cancelled ones of some rows, and starts the batch;
   * returns their number. Nothing is paid for again if the gateway may still have the result.
   */
  async retry(batchId: string, rowIds?: readonly string[]): Promise<number> {
    const pauses = this.pausesOf(batchId);
    await this.attach(batchId);
    const tasks = await this.#tasksIn(batchId, rowIds, rowIds === undefined ? ['failed'] : ['failed', 'cancelled']);
    // It may be running, and what is tried again waits for no start.
    if (tasks.length > 0) await this.#setCeiling(batchId);
    const count = await this.#scheduler.decide(
      tasks.map((task): Entry => ({ taskId: task.id, event: { kind: 'user-retry' } })),
    );
    if (count > 0) await this.#start(batchId, pauses);
    return count;
  }

  /**
   * Tries takes again that had failed or were cancelled when they were shown, once their batch goes on; returns their
   * number. Takes that have changed since stay as they are.
   * @param isFree Those that would be paid for stay as well.
   */
  async retryShown(
    batchId: string,
    takes: readonly ShownTake[],
    pauses = this.pausesOf(batchId),
    isFree = false,
  ): Promise<number> {
    await this.attach(batchId);
    const event = { kind: 'user-retry', ...(isFree ? { isFree } : {}) } as const;
    const count = await this.#decideShown(batchId, takes, event);
    if (count > 0) await this.#start(batchId, pauses, true);
    return count;
  }

  /** Settles the tasks of a row whose submit has an unknown outcome; returns their number. */
  async resolve(batchId: string, rowId: string, decision: Decision): Promise<Result<number, AdoptionRefusal>> {
    const pauses = this.pausesOf(batchId);
    await this.attach(batchId);
    const tasks = await this.#tasksIn(batchId, [rowId], ['submit-unknown']);
    const [first] = tasks;
    if (first === undefined) {
      return err({
        message: reason('nothingUnknown', rowId),
        remedy: reason('adoption.nothing'),
      });
    }
    if (decision.kind === 'resubmit') await this.#setCeiling(batchId);
    if (decision.kind !== 'adopt') {
      const kind = decision.kind === 'resubmit' ? 'user-resubmit' : 'written-off';
      const count = await this.#scheduler.decide(tasks.map((task): Entry => ({ taskId: task.id, event: { kind } })));
      if (decision.kind === 'resubmit') await this.#start(batchId, pauses);
      return ok(count);
    }
    const adopted = await this.#scheduler.adopt(first, decision.taskCode);
    if (!adopted.ok) return adopted;
    await this.#start(batchId, pauses);
    return ok(1);
  }

  /**
   * Resubmits or writes off takes whose submit had an unknown outcome when they were shown; returns their number. Takes
   * that have changed since stay as they are: the user did not decide about a later submit.
   */
  async settleShown(
    batchId: string,
    takes: readonly ShownTake[],
    decision: Exclude<Decision['kind'], 'adopt'>,
    pauses = this.pausesOf(batchId),
  ): Promise<number> {
    await this.attach(batchId);
    const kind = decision === 'resubmit' ? 'user-resubmit' : 'written-off';
    const count = await this.#decideShown(batchId, takes, { kind });
    if (count > 0 && decision === 'resubmit') await this.#start(batchId, pauses, true);
    return count;
  }

  /** Gives a take whose submit had an unknown outcome when shown the code under which the gateway accepted it. */
  async adoptShown(
    batchId: string,
    { id, attempts }: ShownTake,
    taskCode: string,
  ): Promise<Result<undefined, AdoptionRefusal>> {
    const pauses = this.pausesOf(batchId);
    await this.attach(batchId);
    const task = await this.store.task(id);
    const isAsShown = task?.batchId === batchId && task.attempts === attempts && task.status === 'submit-unknown';
    if (!isAsShown) return err(SETTLED);
    const adopted = await this.#scheduler.adopt(task, taskCode);
    if (adopted.ok) await this.#start(batchId, pauses, true);
    return adopted;
  }

  /**
   * Records what the user says of files of a row; returns their paths in the media folder. It sends nothing: rows that were
   * waiting for a pick are rendered once their batch runs.
   */
  async review(
    batchId: string,
    files: ReviewedFiles,
    change: VerdictChange,
  ): Promise<Result<readonly string[], ReviewRefusal>> {
    const recorded = await this.#recordReview(async () => {
      const entries = await reviewEntries(this.store, batchId, files, change);
      return entries.ok ? ok({ entries: entries.value }) : entries;
    });
    if (!recorded.ok) return recorded;
    await this.files.tidy(batchId);
    const paths = recorded.value.entries.map(async ({ outputId, path: before }) => {
      return (await this.views.outputFile(outputId))?.path ?? before;
    });
    return ok(await Promise.all(paths));
  }

  /** One after the other: which pick is the last, each reads of those before it. */
  #recordReview<Said extends { readonly entries: readonly Entry[] }>(
    read: () => Promise<Result<Said, ReviewRefusal>>,
  ): Promise<Result<Said, ReviewRefusal>> {
    return this.#reviews.take(() => this.#recordInTurn(read));
  }

  /** A worker, or a gate, may have written to a task at the same moment: said again, it changes nothing more. */
  async #recordInTurn<Said extends { readonly entries: readonly Entry[] }>(
    read: () => Promise<Result<Said, ReviewRefusal>>,
  ): Promise<Result<Said, ReviewRefusal>> {
    for (let tries = 1; tries <= REVIEW_TRIES; tries += 1) {
      const said = await read();
      if (!said.ok) return said;
      const { entries } = said.value;
      if ((await this.#scheduler.decide(entries)) === entries.length) return said;
    }
    return err(reviewRefusal(reason('review.changing'), 'sayAgain'));
  }

  /**
   * Records what the user says of one file, by its identity. A pick lets a batch that runs or is finished go on with the rows
   * that waited for it; one that is paused, or was never started, stays so.
   */
  reviewFile(outputId: string, review: FileReview): Promise<Result<undefined, ReviewRefusal>> {
    // Said as the window closes, it is recorded, and its file moved, before the night's end.
    return this.#scheduler.untilDone(this.#reviewFile(outputId, review));
  }

  async #reviewFile(outputId: string, review: FileReview): Promise<Result<undefined, ReviewRefusal>> {
    let pauses = 0;
    let isWaited = false;
    const recorded = await this.#recordReview(async () => {
      const found = await fileReviewEntries(this.store, outputId, review, this.#clock.now());
      if (!found.ok) return found;
      const { batchId, pickedFor } = found.value;
      pauses = this.pausesOf(batchId);
      isWaited ||= pickedFor !== undefined && (await this.awaitsPick(batchId, pickedFor));
      if (isWaited) await this.attach(batchId);
      return found;
    });
    if (!recorded.ok) return recorded;
    const { batchId, pickedFor } = recorded.value;
    void this.#scheduler.untilDone(this.files.tidySoon(batchId, outputId));
    // One that runs goes on by itself, under the fuse that it has. A start that failed is made up for by the next pick.
    const goesOn = pickedFor !== undefined && (await this.#hasEndedWithWork(batchId, isWaited));
    if (goesOn) await this.#start(batchId, pauses, true);
    return ok(undefined);
  }

  /** Brings rejected files of a batch where they belong before the night ends; what cannot be moved is told with its documents. */
  tidyBeforeEnd(batchId: string): void {
    this.#scheduler.untilDone(this.files.tidy(batchId)).catch(() => undefined);
  }

  /** Whether rows of a batch that runs or is finished wait for the user's pick of this row. */
  async awaitsPick(batchId: string, rowId: string): Promise<boolean> {
    const state = (await this.store.batch(batchId))?.state;
    if (state !== 'running' && state !== 'finished') return false;
    const waiting = await this.store.tasks(await this.store.taskIdsBlockedBy(batchId, rowId));
    return waiting.some(({ status, awaitsPick }) => status === 'queued' && awaitsPick === true);
  }

  /** @param isWaited Rows of it have just ceased to wait. */
  async #hasEndedWithWork(batchId: string, isWaited: boolean): Promise<boolean> {
    if ((await this.store.batch(batchId))?.state !== 'finished') return false;
    if (isWaited) return true;
    const left = await this.store.workLeft([batchId], this.#clock.now());
    return left.get(batchId)?.firstDueAt !== undefined;
  }

  /** Resolves when nothing more happens in a batch by itself. */
  settled(batchId: string): Promise<BatchRecord> {
    return this.#scheduler.settled(batchId);
  }

  /** True while the store answers: one that hangs, on a disk that no longer responds, holds everything up. */
  isStoreAnswering(withinMs: number): boolean {
    return this.#parts.storeWaitingMs() < withinMs;
  }

  /** How many changes of tasks wait to be written, and how long the longest question to the store has waited. */
  get backlog(): { readonly changes: number; readonly waitingMs: number } {
    return { changes: this.#scheduler.unwritten, waitingMs: this.#parts.storeWaitingMs() };
  }

  /** Until when the gateway of a batch asked to be left alone, in milliseconds since the epoch. */
  heldUntil(batchId: string): number | undefined {
    return this.#scheduler.heldUntil(batchId);
  }

  /** Families of which the gateway of a batch has as many takes as it may have; undefined if there are none. */
  fullPlaces(batchId: string): FullPlaces | undefined {
    return this.#scheduler.fullPlaces(batchId);
  }

  /** Why the gateway of a batch does not answer at the moment; the engine waits for it. */
  trouble(batchId: string): Failure | undefined {
    return this.#scheduler.trouble(batchId);
  }

  /** A batch as the night has it, while the store has not taken its present state: its disk is full. */
  unstored(batchId: string): BatchRecord | undefined {
    return this.#scheduler.unstored(batchId);
  }

  /** When a batch will end, or pause at its limit, at its present pace; undefined while nothing is known. */
  async expectedEnd(batchId: string): Promise<number | undefined> {
    const batch = this.unstored(batchId) ?? (await this.store.batch(batchId));
    if (batch?.state !== 'running' || waitingUntil(batch, this.#clock.now()) !== undefined) return undefined;
    const { maxSubmits } = batch.settings;
    const left = maxSubmits === undefined ? undefined : maxSubmits - (await this.store.submitsUsed(batchId));
    const end = this.#parts.paces.get(batchId)?.expectedEnd(await this.store.counts(batchId), this.#clock.now(), left);
    // A file that is tried again in an hour does not come sooner, however fast the others were.
    return end === undefined ? undefined : Math.max(end, this.#scheduler.lastRetryAt(batchId) ?? 0);
  }

  /**
   * Writes the manifest, the results sheet and the gallery into the batch's media folder.
   * @param withinMs How long making small pictures for the gallery may take; the next time goes on from there.
   * @param onFirst Called before the first of them is made.
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
      return (await exportBatch(this, batchId, undefined, how)) ?? untidy;
    } catch (error) {
      watch?.signal?.throwIfAborted();
      // A bug in the documents must stop neither the night nor the summary of the command line.
      this.#parts.onBug(error);
      return failure('INTERNAL', reason('documentsUnwritten', thrownSays(error)));
    }
  }

  /**
   * Ends the night: waits for submits under way and commits everything known, within `withinMs` if given. Returns what
   * could not be committed. The store can still be read.
   */
  async quiesce(withinMs?: number): Promise<readonly Unsaved[]> {
    // Whoever ends the night waits for its documents, and not for pictures.
    this.#noPictures.abort();
    this.#stopLooking?.();
    const takenBack = within(this.#clock, WAY_BACK_MS, this.editor.takeBackEnded(WAY_BACK_MS));
    const [unsaved] = await Promise.all([this.#scheduler.end(withinMs), takenBack]);
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

  async #decideShown(batchId: string, takes: readonly ShownTake[], event: TaskEvent): Promise<number> {
    return this.#scheduler.decide(
      takes.map(({ id, attempts }): Entry => ({ taskId: id, event, shown: { batchId, attempts } })),
    );
  }

  async #tasksIn(
    batchId: string,
    rowIds: readonly string[] | undefined,
    statuses: readonly TaskStatus[],
  ): Promise<readonly Task[]> {
    const tasks =
      rowIds === undefined
        ? await listOf(this.store.tasksByStatus(statuses, batchId))
        : (await Promise.all(rowIds.map(async (rowId) => this.store.tasksOfRow(batchId, rowId)))).flat();
    return tasks.filter((task) => statuses.includes(task.status));
  }
}

/** Where a media folder may be: anything else would depend on where a process runs. */
function isWhole(folder: string): boolean {
  return path.isAbsolute(folder) || isBucketAddress(folder);
}

function priorityOf({ settings }: BatchRecord): number {
  return settings.priority ?? 0;
}

/** Says how many items have been taken, and ends when that is wished; not after the last one. */
function* watched<T>(items: readonly T[], { signal, onProgress, onBound }: WorkWatch): Generator<T> {
  for (const [at, item] of items.entries()) {
    signal?.throwIfAborted();
    onProgress?.(at, items.length);
    yield item;
  }
  signal?.throwIfAborted();
  onBound?.();
}
