/** Answers what main asks of the engine. Runs in the engine's process. */
import { join } from 'node:path';
import type { Engine, EngineChange } from '../engine/compose.ts';
import { unsavedText } from '../engine/unsaved-text.ts';
import { settingsWithProfile, type BatchRecord } from '../shared/domain/batch.ts';
import type { Profile } from '../shared/domain/profile.ts';
import type { Reply } from '../shared/ipc/contract.ts';
import type { BatchView } from '../shared/ipc/views.ts';
import { BringIn, type BringInRequestName } from './bring-in-service.ts';
import type { GatheredChange } from './change-coalescer.ts';
import { failureText } from './failure-text.ts';
import type { EngineInput, EngineOutput, EngineRequestName, FromEngine } from './engine-protocol.ts';
import { FileTotals } from './file-totals.ts';
import type { FolderDocuments } from './folder-documents.ts';
import { LivingSheetService, type LivingSheetRequestName } from './living-sheet-service.ts';
import type { RehearsalGateway } from './rehearsal-gateway.ts';
import { refuse } from './reply.ts';
import { SheetService, type SheetRequestName } from './sheet-service.ts';
import { NO_SUCH_BATCH, StoreReader, type ReadingHandlers } from './store-reader.ts';

/** How long the answers of submits are waited for when the application closes: main waits a little longer. */
const STOP_WITHIN_MS = 30_000;
/** More changed rows than this, and the window asks for its page again. */
const ROWS_SENT = 500;

export type EngineHandlers = {
  readonly [N in EngineRequestName]: (
    input: EngineInput<N>,
  ) => Promise<Reply<EngineOutput<N>>> | Reply<EngineOutput<N>>;
};

export interface EngineServiceOptions {
  readonly engine: Engine;
  readonly rehearsal: RehearsalGateway;
  readonly documents: FolderDocuments;
  /** The folder that the engine's store is in. */
  readonly storeFolder: string;
  /** Told now and then how many rows were read of a sheet that is being opened. */
  readonly onSheetProgress?: (rows: number) => void;
  /** Told of a watched file of a batch that has changed. */
  readonly onFileChanged?: (batchId: string, name: string) => void;
}

/** The requests of main, carried out on the engine. */
export class EngineService {
  readonly #engine: Engine;
  readonly #rehearsal: RehearsalGateway;
  readonly #totals: FileTotals;
  readonly #documents: FolderDocuments;
  readonly #reader: StoreReader;
  readonly #living: LivingSheetService;

  readonly handlers: EngineHandlers;

  constructor({ engine, rehearsal, documents, storeFolder, onSheetProgress, onFileChanged }: EngineServiceOptions) {
    this.#engine = engine;
    this.#rehearsal = rehearsal;
    this.#documents = documents;
    this.#totals = new FileTotals((batchId) => engine.views.taskFiles(batchId));
    this.#reader = new StoreReader({
      store: engine.store,
      views: engine.views,
      totals: this.#totals,
      storeFolder,
      isAtWork: true,
      expectedEnd: (batchId) => engine.expectedEnd(batchId),
      trouble: (batchId) => engine.trouble(batchId),
    });
    const bringIn = new BringIn({
      engine,
      rehearsal,
      listsFolder: join(storeFolder, 'lists'),
      onCreated: (batchId) => this.#totals.begin(batchId),
      reply: (batchId) => this.#reader.reply(batchId),
      onProgress: onSheetProgress ?? (() => undefined),
    });
    const sheets = new SheetService({ engine, run: (batchId) => this.#run(batchId, () => engine.start(batchId)) });
    this.#living = new LivingSheetService({
      engine,
      reply: (batchId) => this.#reader.reply(batchId),
      sheet: (batchId) => sheets.sheet(batchId),
      release: (batchId, keys) => sheets.release(batchId, keys),
      onFileChanged: onFileChanged ?? (() => undefined),
    });
    this.handlers = {
      ...this.#reader.handlers,
      ...bringIn.handlers,
      ...this.#living.handlers,
      ...sheets.handlers,
      ...this.#commands,
    };
    engine.onChange((change) => this.#follow(change));
  }

  readonly #commands: Omit<
    EngineHandlers,
    keyof ReadingHandlers | BringInRequestName | LivingSheetRequestName | SheetRequestName
  > = {
    'batch.start': ({ batchId }) => this.#run(batchId, () => this.#engine.start(batchId)),
    'batch.pause': ({ batchId }) => this.#change(batchId, () => this.#engine.pause(batchId)),
    'batch.resume': ({ batchId, profile }) =>
      this.#run(batchId, () => {
        this.#takeProfile(batchId, profile);
        this.#engine.start(batchId);
      }),
    'batch.cancel': ({ batchId }) => this.#change(batchId, () => this.#engine.cancel(batchId)),
    'batch.retry': ({ batchId, rows }) => this.#countRun(batchId, () => this.#engine.retry(batchId, rows)),
    'batch.cancelRows': ({ batchId, rows }) => {
      if (this.#engine.store.batch(batchId) === undefined) return NO_SUCH_BATCH;
      return { ok: true, value: { tasks: this.#engine.cancel(batchId, rows) } };
    },
    'batch.resolve': (input) => this.#resolve(input),
    'batch.settle': (input) => this.#settle(input),
    'batch.export': ({ batchId }) => this.#export(batchId),
    'key.set': ({ origin, key }) => {
      this.#engine.setKey(origin, key);
      return done(undefined);
    },
    'engine.stop': async () => {
      this.#living.close();
      // The night ends first: its last answers belong into the documents, too.
      await this.#engine.quiesce(STOP_WITHIN_MS);
      await this.#documents.refreshAll();
      const unsaved = await this.#engine.stop(STOP_WITHIN_MS);
      await this.#rehearsal.close();
      return done({ unsaved: [...unsavedText(unsaved)] });
    },
  };

  /** Takes every batch up where the last run of the application left it. */
  async takeUp(): Promise<void> {
    await this.#engine.editor.finishChecks();
    const unfinished = this.#engine.store.batches().filter(({ state }) => state === 'running' || state === 'paused');
    if (!unfinished.some((batch) => batch.settings.rehearsal)) this.#rehearsal.forgetCharges();
    for (const batch of unfinished) {
      // A gateway that cannot be started again keeps its batch waiting: the rows say that it does not answer.
      if (batch.settings.rehearsal) await this.#provideGateway(batch);
      this.#engine.attach(batch.id);
    }
    this.#living.takeUp();
  }

  /** What a batch's change looks like to the window; undefined for a batch that is gone. */
  describeChange({ batchId, rows }: GatheredChange): Extract<FromEngine, { kind: 'batchChanged' }> | undefined {
    const batch = this.#reader.view(batchId);
    if (batch === undefined) return undefined;
    const rowsStale = rows.size > ROWS_SENT;
    const changed = rowsStale ? [] : this.#engine.views.rowsByIds(batchId, [...rows]);
    return { kind: 'batchChanged', batch, rows: this.#reader.rowViews(batchId, changed), rowsStale };
  }

  /** Keeps what is derived from the store in step with it. */
  #follow(change: EngineChange): void {
    if (change.kind === 'task') {
      this.#totals.note(change.task);
      this.#documents.outdate(change.task.batchId);
      return;
    }
    if (change.kind === 'sheet') {
      // Rows may have other names now.
      this.#documents.outdate(change.batchId);
      return;
    }
    const { id, state } = change.batch;
    if (state === 'finished' || state === 'paused') void this.#documents.refresh(id);
  }

  #change(batchId: string, change: () => void): Reply<BatchView> {
    if (this.#engine.store.batch(batchId) === undefined) return NO_SUCH_BATCH;
    change();
    return this.#reader.reply(batchId);
  }

  /** A pause that says to correct the profile ends with the corrected one. */
  #takeProfile(batchId: string, profile: Profile): void {
    const batch = this.#engine.store.batch(batchId);
    const settings = batch && settingsWithProfile(batch.settings, profile);
    if (settings !== undefined) this.#engine.configure(batchId, settings);
  }

  /** Carries out what lets a batch run, with its gateway there to answer. */
  async #run(batchId: string, change: () => void): Promise<Reply<BatchView>> {
    const batch = this.#engine.store.batch(batchId);
    if (batch === undefined) return NO_SUCH_BATCH;
    const problem = await this.#provideGateway(batch);
    if (problem !== undefined) return refuse('refused', problem);
    await this.#engine.editor.settle(batchId);
    return this.#change(batchId, change);
  }

  async #countRun(batchId: string, change: () => number): Promise<Reply<{ tasks: number }>> {
    let tasks = 0;
    const reply = await this.#run(batchId, () => {
      tasks = change();
    });
    return reply.ok ? done({ tasks }) : reply;
  }

  /** Sees to it that a rehearsal's gateway is there; gives why it is not. */
  async #provideGateway(batch: BatchRecord): Promise<string | undefined> {
    if (!batch.settings.rehearsal) return undefined;
    const access = await this.#rehearsal.ensure();
    if (!access.ok) return access.error;
    const { origin, key, profile } = access.value;
    this.#engine.setRehearsalKey(origin, key);
    // As they are by now: it took a moment.
    const { settings } = this.#engine.store.batch(batch.id) ?? batch;
    if (settings.profile.baseUrl !== profile.baseUrl) {
      // Its port of last time was taken: the batch goes on at the new one.
      this.#engine.configure(batch.id, { ...settings, profile });
    }
    return undefined;
  }

  async #resolve({ batchId, row, decision }: EngineInput<'batch.resolve'>): Promise<Reply<{ tasks: number }>> {
    const batch = this.#engine.store.batch(batchId);
    if (batch === undefined) return NO_SUCH_BATCH;
    const problem = await this.#provideGateway(batch);
    if (problem !== undefined) return refuse('refused', problem);
    const tasks = await this.#engine.resolve(batchId, row, decision);
    return tasks.ok ? done({ tasks: tasks.value }) : refuse('refused', `${tasks.error.message} ${tasks.error.remedy}`);
  }

  /** Settles several rows, each as if it were alone: what was settled before a failure stays settled. */
  async #settle({ batchId, rows, decision }: EngineInput<'batch.settle'>): Promise<Reply<{ tasks: number }>> {
    if (this.#engine.store.batch(batchId) === undefined) return NO_SUCH_BATCH;
    const wanted = new Set(this.#reader.unknownTasks(batchId, rows).map((task) => task.rowId));
    let tasks = 0;
    for (const row of wanted) {
      const settled = await this.#resolve({ batchId, row, decision });
      if (!settled.ok) return settled;
      tasks += settled.value.tasks;
    }
    return done({ tasks });
  }

  async #export(batchId: string): Promise<Reply<{ folder: string }>> {
    const batch = this.#engine.store.batch(batchId);
    if (batch === undefined) return NO_SUCH_BATCH;
    const problem = await this.#engine.exportBatch(batchId);
    return problem === undefined ? done({ folder: batch.settings.folder }) : refuse('refused', failureText(problem));
  }
}

function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}
