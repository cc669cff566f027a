/** Where the engine is put together: the one file that knows every adapter. */
import path from 'node:path';
import { gatewayKey, type BatchRecord, type BatchSettings, type SheetSettings } from '../shared/domain/task/batch.ts';
import type { BatchViews } from '../shared/domain/task/batch-view.ts';
import {
  type Decision,
  ACTIVE_STATUSES,
  TERMINAL_STATUSES,
  type ShownTake,
  type Task,
  type TaskStatus,
} from '../shared/domain/task/task.ts';
import { failure, type Failure } from '../shared/domain/task/failure.ts';
import type { ReferenceSource } from '../shared/domain/cells/reference.ts';
import { err, ok, type Result } from '../shared/domain/base/result.ts';
import { checkSheet } from '../shared/domain/sheet/check-sheet.ts';
import type { CheckedSheet } from '../shared/domain/sheet/row.ts';
import type { SheetProblem } from '../shared/domain/sheet/problems.ts';
import { withStatusMeaning, type StatusAnswer, type StatusQuestion } from '../shared/domain/gateway/seen-status.ts';
import type { CheckOptions } from '../shared/domain/sheet/sheet-checker.ts';
import { isBlank, type RawSheet, type SheetSource } from '../shared/domain/sheet/sheet-raw.ts';
import type { TaskEvent } from '../shared/domain/task/task-event.ts';
import type { BodyPreview } from '../shared/ipc/editing.ts';
import { LivingSheets, type AppliedDifference } from './edit/living/living-sheet.ts';
import type { ApplyOptions } from './edit/living/plan-difference.ts';
import { SheetEditor } from './edit/sheet-editor.ts';
import { createMediaFolder } from './media-folder/media-folder.ts';
import { readResult } from './gateway/read-record.ts';
import { createMediaGateway } from './gateway/undici-media-gateway.ts';
import { KeyRing } from './gateway/key-ring.ts';
import type { Clock, MediaFolder, Random, TaskReader, TaskStore } from './ports.ts';
import type { SheetStore } from './sheet-ports.ts';
import { SETTLED, type AdoptionRefusal, statedFailures } from './night/decisions.ts';
import { Pace } from './night/expected-end.ts';
import { referenceSourceOf, rowSource } from './night/row-source.ts';
import { Scheduler } from './night/scheduler.ts';
import type { Entry } from './night/task-journal.ts';
import type { Unsaved } from './night/unsaved.ts';
import { rawSheetOfTable, readClipboardTable, type ClipboardText } from './sheet-files/clipboard/read-clipboard.ts';
import { KnownLists } from './sheet-files/lists/word-lists.ts';
import { forkedSheetReader, loadSheet, type LoadedSheet } from './sheet-files/reader-process/load-sheet.ts';
import type { ReadSheetOptions } from './sheet-files/read/read-sheet.ts';
import type { ReadProgress, SheetReader } from './sheet-files/reader-process/sheet-reader.ts';
import { watchFile } from './sheet-files/watch-file.ts';
import {
  writeOwnResults,
  writeResults,
  type ResultsTarget,
  type WrittenResults,
} from './sheet-files/results/write-results.ts';
import { pauseOlderCopy } from './store/open/older-copy.ts';
import { openStore } from './store/open/open-store.ts';
import { isRefusedByDisk, type StoreProblem } from './store/open/store-problem.ts';
import { exportBatch } from './store-view.ts';
import { systemClock } from './system-clock.ts';

export interface EngineOptions {
  /** Absolute path of the store's folder; made where it is missing. */
  readonly dataDir: string;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Where the store's last opening is noted (see `incarnationFileOf`); without it an older copy goes unnoticed. */
  readonly incarnationFile?: string;
  /** Who reads the files of sheets; a process of its own for each where nobody is named. */
  readonly sheetReader?: SheetReader;
  /** Told of exceptions where none is expected. */
  readonly onBug?: (error: unknown) => void;
}

/** What changed: a task of a row, the batch itself, or its sheet. */
export type EngineChange =
  | { readonly kind: 'task'; readonly task: Task }
  | { readonly kind: 'batch'; readonly batch: BatchRecord }
  /** Its sheet was edited. */
  | { readonly kind: 'sheet'; readonly batchId: string };

/** The engine: everything that makes a night happen, with the store as the one owner of the truth. */
export class Engine {
  readonly views: BatchViews;
  /** To look into. What is to change, is changed by the engine: the night has to know. */
  readonly store: TaskReader;
  readonly sheets: SheetStore;
  readonly living: LivingSheets;
  readonly editor: SheetEditor;
  readonly #scheduler: Scheduler;
  readonly #clock: Clock;
  readonly #keys = new KeyRing();
  readonly #listeners = new Set<(change: EngineChange) => void>();
  readonly #paces = new Map<string, Pace>();
  readonly #tasks: Pick<TaskStore, 'createBatch'>;
  readonly #closeStore: () => void;
  readonly #onBug: (error: unknown) => void;
  readonly #folder: MediaFolder;
  readonly #sheetReader: SheetReader;

  constructor(
    opened: { store: TaskStore; views: BatchViews; sheets: SheetStore; close: () => void },
    options: EngineOptions,
  ) {
    const clock = options.clock ?? systemClock;
    this.#folder = createMediaFolder({
      clock,
      holdsKey: (text) => this.#keys.finder.holds(text),
      holdsKeyPlainly: (bytes) => this.#keys.isPlainlyIn(bytes),
    });
    this.#sheetReader = options.sheetReader ?? forkedSheetReader();
    this.#onBug = options.onBug ?? (() => undefined);
    this.store = opened.store;
    this.#tasks = opened.store;
    this.views = opened.views;
    this.sheets = opened.sheets;
    this.#clock = clock;
    this.#closeStore = opened.close;
    const lists = new KnownLists(path.join(options.dataDir, 'lists'));
    this.living = new LivingSheets({
      store: opened.store,
      sheets: opened.sheets,
      views: opened.views,
      clock,
      read: (file, reading) => this.readSheet(file, reading),
      checkOptions: async (batch) => ({ ...this.#checkOptions(batch), lists: await lists.current() }),
    });
    this.editor = new SheetEditor({
      store: opened.store,
      sheets: opened.sheets,
      clock,
      keyFinder: () => this.#keys.finder,
      lists: () => lists.current(),
      onChanged: (batchId) => this.#noteEdit(batchId),
    });
    this.#scheduler = new Scheduler({
      store: opened.store,
      folder: this.#folder,
      clock,
      random: options.random ?? { next: Math.random },
      gatewayFor: (profile) =>
        createMediaGateway({
          profile,
          clock,
          key: () => this.#keys.of(profile) ?? '',
          beforeKeyIsSent: () => this.#keys.beforeSent(profile),
          keyFinder: () => this.#keys.finder,
        }),
      keyFingerprint: (profile) => this.#keys.fingerprintOf(profile),
      holdsKey: (text) => this.#keys.finder.holds(text),
      onTaskChanged: (task) => {
        const isEnd = TERMINAL_STATUSES.has(task.status) && task.superseded !== true;
        if (isEnd) this.#paces.get(task.batchId)?.ended(task.family, clock.now());
        this.#tell({ kind: 'task', task });
      },
      onBatchChanged: (batch) => {
        this.#tell({ kind: 'batch', batch });
      },
      onBug: this.#onBug,
      isRefusedByDisk,
    });
  }

  /**
   * Gives the key for one origin, or takes it away. It stays in memory, and goes to no other origin.
   * @param beforeSent Called once, right before the key leaves for the first time; where it throws, nothing is sent.
   */
  setKey(origin: string, key: string | undefined, beforeSent?: () => void): void {
    this.#keys.set(origin, key, beforeSent);
  }

  /** Gives the key of a built-in gateway, which is no secret: sheets may hold it. */
  setRehearsalKey(origin: string, key: string): void {
    this.#keys.setRehearsal(origin, key);
  }

  /**
   * Reads and checks a sheet; in what way, where it is not to be recognised. A key that is known here is blotted out of
   * it, and its row blocked.
   */
  openSheet(file: string, reading: ReadSheetOptions = {}): Promise<LoadedSheet> {
    return loadSheet(file, { ...reading, reader: this.#sheetReader, keyFinder: this.#keys.finder });
  }

  /** Reads a sheet's file, apart and with limits, without checking it; or says why the whole file is refused. */
  readSheet(
    file: string,
    reading: ReadSheetOptions = {},
    onProgress?: (progress: ReadProgress) => void,
  ): Promise<Result<RawSheet, SheetProblem>> {
    return this.#sheetReader.read(file, reading, onProgress);
  }

  /** The table in a clipboard as a sheet; undefined where there is none in it: a single line is a header at most. */
  readTable(content: ClipboardText, name: string): Result<RawSheet, SheetProblem> | undefined {
    const table = readClipboardTable(content);
    const lines = table.filter((line) => !line.every(isBlank));
    return lines.length > 1 ? rawSheetOfTable(table, name) : undefined;
  }

  /** Checks a sheet that was read. A key that is known here is blotted out of it, and its row blocked. */
  checkSheet(sheet: RawSheet, options: CheckOptions = {}): CheckedSheet {
    return checkSheet(sheet, { ...options, keyFinder: this.#keys.finder });
  }

  /** Writes what came of the rows of a batch's file beside them; gives where, or why it cannot be done. */
  async writeResults(batchId: string, into: ResultsTarget['into']): Promise<Result<WrittenResults, string>> {
    const batch = this.store.batch(batchId);
    if (batch !== undefined && batch.sheetPath === undefined) {
      return writeOwnResults(into, batch.headers, this.views.exportRows(batchId));
    }
    const found = await this.living.results(batchId);
    if (!found.ok) return found;
    const { file, source, results } = found.value;
    return writeResults({ original: file, source, into }, results, this.#sheetReader);
  }

  /**
   * Takes a difference over (see {@link LivingSheets.apply}), and tells of it. `releases`: the rows that it asks submits
   * for are let run, so many `tasks`; it does not set the batch going.
   */
  applyDifference(
    batchId: string,
    differenceId: string,
    { releases, ...options }: ApplyOptions & { readonly releases: boolean },
  ): Promise<Result<AppliedDifference & { readonly tasks: number }, string>> {
    return this.editor.exclusively(batchId, async (release) => {
      const applied = await this.living.apply(differenceId, options);
      if (!applied.ok) return applied;
      return ok({ ...applied.value, tasks: releases ? await release(applied.value.keys) : 0 });
    });
  }

  /** The body of a row as it stands in its sheet and as it will be sent; undefined where there is no such row. */
  previewRow(batchId: string, key: number): Promise<Result<BodyPreview | undefined, string>> {
    return this.editor.preview(batchId, key, (rowId) => this.#sourceOf(batchId, rowId));
  }

  /** Tells of changes of a batch's file that have come to rest, until the returned function is called. */
  watchFile(file: string, known: SheetSource | undefined, onChanged: () => void): () => void {
    return watchFile({ path: file, clock: this.#clock, known: known?.sha256, onChanged });
  }

  /** Tells of every committed change until the returned function is called. */
  onChange(listener: (change: EngineChange) => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Makes a batch of a checked sheet; nothing starts. Rows with errors are kept and shown, never run. */
  createBatch(input: {
    readonly sheet: CheckedSheet;
    readonly sheetPath?: string;
    readonly name: string;
    readonly sheetSettings?: SheetSettings;
    readonly settings: BatchSettings;
  }): BatchRecord {
    const { sheet, sheetPath, name, sheetSettings, settings } = input;
    if (!path.isAbsolute(settings.folder)) throw new Error(`Not an absolute path: ${settings.folder}`);
    const batch = this.#tasks.createBatch({
      name,
      ...(sheetPath === undefined ? {} : { sheetPath }),
      headers: sheet.headers,
      ...(sheetSettings === undefined ? {} : { sheet: sheetSettings }),
      settings,
      createdAt: this.#clock.now(),
      rows: sheet.rows,
      problems: sheet.problems,
      ...(sheet.unusedCells === undefined ? {} : { unusedCells: sheet.unusedCells }),
    });
    this.#tell({ kind: 'batch', batch });
    return batch;
  }

  /**
   * Changes the settings of a batch, and its name where one is given, also while it runs: a limit that is lowered is kept
   * to with the next request.
   */
  configure(batchId: string, settings: BatchSettings, name?: string): void {
    if (!path.isAbsolute(settings.folder)) throw new Error(`Not an absolute path: ${settings.folder}`);
    this.#scheduler.configure(batchId, settings, name);
  }

  /**
   * Takes the user's answer about a status into the profiles of all batches of a batch's gateway. Failures that were
   * inferred from it are certain where it means one; gives their number.
   */
  answerStatus(batchId: string, question: Pick<StatusQuestion, 'family' | 'status'>, answer: StatusAnswer): number {
    const asked = this.store.batch(batchId);
    const gateway = asked && gatewayKey(asked.id, asked.settings);
    let stated = 0;
    for (const { id, settings } of this.store.batches()) {
      if (gatewayKey(id, settings) !== gateway) continue;
      this.configure(id, { ...settings, profile: withStatusMeaning(settings.profile, question, answer) });
      if (answer !== 'failed') continue;
      const entries = statedFailures(this.store.watchedTasks(id), question, this.#clock.now());
      if (entries.length === 0) continue;
      this.attach(id);
      stated += this.#scheduler.decide(entries);
    }
    return stated;
  }

  /** Makes the media folder where it is missing and says what keeps files from being placed there, if anything. */
  checkFolder(folder: string): Promise<Failure | undefined> {
    return this.#folder.prepare(folder, { mayMake: true, mayReplace: true });
  }

  /** Takes a batch up after the application was closed or killed: what was in flight goes on where the batch runs. */
  attach(batchId: string): void {
    this.#paces.set(batchId, this.#paces.get(batchId) ?? new Pace(this.#clock.now()));
    this.#scheduler.attach(batchId);
  }

  /** Sets a batch going: the first time, after a pause, or after it was interrupted. */
  start(batchId: string): void {
    this.attach(batchId);
    this.#paces.get(batchId)?.restart(this.#clock.now());
    this.#scheduler.start(batchId);
  }

  /** Keeps new submits of a batch back; what is rendering is still fetched. */
  pause(batchId: string): void {
    this.attach(batchId);
    this.#scheduler.pauseByUser(batchId);
  }

  /** Cancels everything of a batch, or of the rows with these keys, that has not ended; gives the number of tasks. */
  cancel(batchId: string, keys?: readonly number[]): number {
    this.attach(batchId);
    const takes = this.views.takesByStatus(batchId, [...ACTIVE_STATUSES], keys);
    return this.#scheduler.decide(takes.map(({ id }): Entry => ({ taskId: id, event: { kind: 'cancel-requested' } })));
  }

  /**
   * Sets the failed tasks of a batch going again, or the failed and cancelled ones of some rows, and the batch with them;
   * gives their number. Nothing is paid again where the gateway may still have the result.
   */
  retry(batchId: string, rowIds?: readonly string[]): number {
    this.attach(batchId);
    const tasks = this.#tasksIn(batchId, rowIds, rowIds === undefined ? ['failed'] : ['failed', 'cancelled']);
    const count = this.#scheduler.decide(
      tasks.map((task): Entry => ({ taskId: task.id, event: { kind: 'user-retry' } })),
    );
    if (count > 0) this.start(batchId);
    return count;
  }

  /**
   * Sets takes going again that had failed or were cancelled when they were shown, and their batch with them; gives their
   * number. What has changed since is left as it is.
   */
  retryShown(batchId: string, takes: readonly ShownTake[]): number {
    this.attach(batchId);
    const count = this.#decideShown(batchId, takes, { kind: 'user-retry' });
    if (count > 0) this.start(batchId);
    return count;
  }

  /** Settles the tasks of a row whose submit's outcome is unknown; gives their number. */
  async resolve(batchId: string, rowId: string, decision: Decision): Promise<Result<number, AdoptionRefusal>> {
    this.attach(batchId);
    const tasks = this.#tasksIn(batchId, [rowId], ['submit-unknown']);
    const [first] = tasks;
    if (first === undefined) {
      return err({
        message: `Row ${rowId} has no request whose outcome is unknown.`,
        remedy: 'There is nothing to settle.',
      });
    }
    if (decision.kind !== 'adopt') {
      const kind = decision.kind === 'resubmit' ? 'user-resubmit' : 'written-off';
      const count = this.#scheduler.decide(tasks.map((task): Entry => ({ taskId: task.id, event: { kind } })));
      if (decision.kind === 'resubmit') this.start(batchId);
      return ok(count);
    }
    const adopted = await this.#adopt(first, decision.taskCode);
    return adopted.ok ? ok(1) : adopted;
  }

  /**
   * Submits takes again, or writes them off, whose submit's outcome was unknown when they were shown; gives their number.
   * What has changed since is left as it is: another submit of it was not spoken of.
   */
  settleShown(batchId: string, takes: readonly ShownTake[], decision: Exclude<Decision['kind'], 'adopt'>): number {
    this.attach(batchId);
    const kind = decision === 'resubmit' ? 'user-resubmit' : 'written-off';
    const count = this.#decideShown(batchId, takes, { kind });
    if (count > 0 && decision === 'resubmit') this.start(batchId);
    return count;
  }

  /** Gives a take whose submit's outcome was unknown when it was shown the code that the gateway accepted it under. */
  async adoptShown(
    batchId: string,
    { id, attempts }: ShownTake,
    taskCode: string,
  ): Promise<Result<undefined, AdoptionRefusal>> {
    this.attach(batchId);
    const task = this.store.task(id);
    const isAsShown = task?.batchId === batchId && task.attempts === attempts && task.status === 'submit-unknown';
    return isAsShown ? this.#adopt(task, taskCode) : err(SETTLED);
  }

  /** Resolves when nothing more happens in a batch by itself. */
  settled(batchId: string): Promise<BatchRecord> {
    return this.#scheduler.settled(batchId);
  }

  /** Until when the gateway of a batch asked to be left alone, in milliseconds since the epoch. */
  heldUntil(batchId: string): number | undefined {
    return this.#scheduler.heldUntil(batchId);
  }

  /** Why the gateway of a batch does not answer at the moment; it is waited for. */
  trouble(batchId: string): Failure | undefined {
    return this.#scheduler.trouble(batchId);
  }

  /** Nothing is left of a batch but files that are asked for again in minutes or hours. */
  isLeftWithRetries(batchId: string): boolean {
    return this.#scheduler.isLeftWithRetries(batchId);
  }

  /** When a batch will end, or pause at its limit, at its present pace; undefined while nothing can be said. */
  expectedEnd(batchId: string): number | undefined {
    const batch = this.store.batch(batchId);
    if (batch?.state !== 'running') return undefined;
    const { maxSubmits } = batch.settings;
    const left = maxSubmits === undefined ? undefined : maxSubmits - this.store.submitsUsed(batchId);
    const end = this.#paces.get(batchId)?.expectedEnd(this.store.counts(batchId), this.#clock.now(), left);
    // What is asked for again in an hour is not there sooner, however fast the others were.
    return end === undefined ? undefined : Math.max(end, this.#scheduler.lastRetryAt(batchId) ?? 0);
  }

  /** Writes manifest, results sheet and gallery into the batch's media folder. */
  async exportBatch(batchId: string): Promise<Failure | undefined> {
    try {
      return await exportBatch(this, batchId, undefined, this.#clock.now());
    } catch (error) {
      // A bug in the documents takes nothing else along: neither the night, nor what the command line has to sum up.
      this.#onBug(error);
      return failure('INTERNAL', `The documents could not be written: ${String(error)}`);
    }
  }

  /**
   * Ends the night: submits under way are waited for, everything known is committed, within `withinMs` where that is
   * given. Gives what could not be committed. The store can still be read.
   */
  quiesce(withinMs?: number): Promise<readonly Unsaved[]> {
    return this.#scheduler.end(withinMs);
  }

  /** Ends gracefully and closes the store; gives what could not be committed, as {@link Engine.quiesce}. */
  async stop(withinMs?: number): Promise<readonly Unsaved[]> {
    const unsaved = await this.quiesce(withinMs);
    await this.#folder.close();
    this.#closeStore();
    return unsaved;
  }

  async #adopt(task: Task, taskCode: string): Promise<Result<undefined, AdoptionRefusal>> {
    const adopted = await this.#scheduler.adopt(task, taskCode);
    if (adopted.ok) this.start(task.batchId);
    return adopted;
  }

  #decideShown(batchId: string, takes: readonly ShownTake[], event: TaskEvent): number {
    return this.#scheduler.decide(
      takes.map(({ id, attempts }): Entry => ({ taskId: id, event, shown: { batchId, attempts } })),
    );
  }

  #tasksIn(batchId: string, rowIds: readonly string[] | undefined, statuses: readonly TaskStatus[]): readonly Task[] {
    const tasks =
      rowIds === undefined
        ? [...this.store.tasksByStatus(statuses, batchId)]
        : rowIds.flatMap((rowId) => this.store.tasksOfRow(batchId, rowId));
    return tasks.filter((task) => statuses.includes(task.status));
  }

  /** What the sheet of a batch is checked with when it is read again. */
  #checkOptions({ sheet, settings }: BatchRecord): CheckOptions {
    const { mapping, defaultOperation, variables, choices } = sheet;
    return {
      mapping,
      variables,
      choices,
      prices: settings.profile.prices,
      ...(defaultOperation === undefined ? {} : { defaultOperation }),
      keyFinder: this.#keys.finder,
    };
  }

  /** What a row that is done gives to others, as far as the store knows it. */
  #sourceOf(batchId: string, rowId: string): ReferenceSource | undefined {
    const source = rowSource(this.store, batchId, rowId);
    return source.kind === 'done' ? referenceSourceOf(this.store, { resultOf: readResult }, source.task) : undefined;
  }

  #noteEdit(batchId: string): void {
    this.#scheduler.sheetChanged(batchId);
    this.#tell({ kind: 'sheet', batchId });
  }

  #tell(change: EngineChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // A bug of whoever listens: the change is made, and the others are told.
        this.#onBug(error);
      }
    }
  }
}

/** Opens the store and builds the engine on it. The problem says what keeps it from opening and what to do. */
export function createEngine(options: EngineOptions): Result<Engine, StoreProblem> {
  const opened = openStore(options.dataDir, { random: options.random ?? { next: Math.random } });
  if (!opened.ok) return err(opened.error);
  const { incarnationFile, dataDir, clock = systemClock } = options;
  if (incarnationFile !== undefined) pauseOlderCopy(opened.value, incarnationFile, dataDir, clock.now());
  return ok(new Engine(opened.value, options));
}
