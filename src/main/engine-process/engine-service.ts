/** Answers main's requests to the engine. Runs in the engine's process. */
import { err, ok, present } from '../../shared/domain/base/result.ts';
import {
  systemClock,
  unsavedText,
  whyNotOwnFolder,
  type AdoptionRefusal,
  type Engine,
  type FolderDocuments,
  type WorkWatch,
} from '../../engine/index.ts';
import { type BatchRecord, profileForBatch } from '../../shared/domain/task/batch.ts';
import { withKindReleased } from '../../shared/domain/task/canary.ts';
import { withTags } from '../../shared/domain/base/tags.ts';
import { visibleLine } from '../../shared/domain/base/text.ts';
import { FAMILIES } from '../../shared/domain/operations/operations.ts';
import { AT_GATEWAY } from '../../shared/domain/task/batch-standing.ts';
import { parseOutputId } from '../../shared/domain/task/task.ts';
import type { BatchView, ShownOutcome } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { BringInService } from '../services/bring-in-service.ts';
import { failureText } from '../../shared/domain/base/failure.ts';
import { SaidError, say, sayError } from '../../shared/domain/base/reason.ts';
import { limitOf, spendingIn } from './views/spending-views.ts';
import { noSuchBatch, type BatchReader, type ServiceContext } from './batch-reader.ts';
import type { EngineHandlers, EngineInput, TellWindow } from './engine-protocol.ts';
import { FileTotals } from '../services/batch-files.ts';
import { filesPlaceHandlers } from './files-place-service.ts';
import { LivingSheetService } from '../services/living-sheet-service.ts';
import type { RehearsalGateway } from './rehearsal-gateway.ts';
import { SheetService } from '../services/sheet-service.ts';
import { StoreReader } from './store-reader.ts';
import { Works } from './works.ts';
import { domainWords } from '../../shared/words/domain-words.ts';
import { words } from '../../shared/words/words.ts';

/** How long to wait for submits' answers when the application closes: longer than profiles allow by default. */
const STOP_WITHIN_MS = 150_000;
/** Somebody waits for the page to open: small pictures that are still missing then are made the next time. */
const PICTURES_WITHIN_MS = 5_000;
/** Batches that are named one by one when their documents could not be written. */
const NAMED = 5;

export interface EngineServiceOptions {
  readonly engine: Engine;
  readonly rehearsal: RehearsalGateway;
  readonly documents: FolderDocuments;
  /** The folder of the engine's store. */
  readonly storeFolder: string;
  /**
   * Where the store is, if workers render it on a server: this process carries out its user's decisions, and no more.
   */
  readonly server?: string;
  /** The server does not answer. */
  readonly isStoreAway?: () => boolean;
  /** Work that somebody waits for. */
  readonly works?: Works;
  readonly tell?: TellWindow;
  /**
   * Called at each step of the ending, with what would be left undone if it were cut off then, in lines for the user.
   */
  readonly onStopping?: (leftUndone: readonly string[]) => void;
  /** Called with what kept a batch from going on. */
  readonly onBug?: (error: unknown) => void;
}

/** Carries out main's requests on the engine. */
export class EngineService {
  readonly #engine: Engine;
  readonly #rehearsal: RehearsalGateway;
  readonly #documents: FolderDocuments;
  readonly #works: Works;
  readonly #living: LivingSheetService;
  readonly #isStoreAway: () => boolean;
  readonly #onStopping: (leftUndone: readonly string[]) => void;
  readonly #tell: TellWindow;
  readonly #onBug: (error: unknown) => void;

  readonly handlers: EngineHandlers;
  readonly batches: BatchReader;
  readonly sheets: SheetService;

  constructor({
    engine,
    rehearsal,
    documents,
    storeFolder,
    works = new Works({ clock: systemClock }),
    server,
    isStoreAway = () => false,
    tell = () => undefined,
    onStopping = () => undefined,
    onBug = () => undefined,
  }: EngineServiceOptions) {
    this.#isStoreAway = isStoreAway;
    this.#engine = engine;
    this.#rehearsal = rehearsal;
    this.#documents = documents;
    this.#onStopping = onStopping;
    this.#tell = tell;
    this.#onBug = onBug;
    const totals = new FileTotals(async (batchId) => engine.views.taskFiles(batchId));
    const { store, views, ledger } = engine;
    const reader = new StoreReader({
      store,
      views,
      ledger,
      totals,
      storeFolder,
      ...present({ server }),
      isAtWork: true,
      engine,
      withoutKeys: (text) => engine.withoutKeys(text),
      works,
    });
    this.#works = works;
    this.batches = reader.batches;
    const context: ServiceContext = {
      engine,
      batches: this.batches,
      run: (batchId, pauses) => this.#run(batchId, () => engine.startForRows(batchId, pauses)),
      tell,
    };
    const bringIn = new BringInService({ ...context, rehearsal, onCreated: (batchId) => totals.begin(batchId) });
    this.sheets = new SheetService(context);
    this.#living = new LivingSheetService({ ...context, sheets: this.sheets });
    this.handlers = {
      ...reader.handlers,
      ...bringIn.handlers,
      ...this.#living.handlers,
      ...this.sheets.handlers,
      ...filesPlaceHandlers(context),
      ...this.#commands,
    };
    engine.onChange(totals.follow);
    // The process that renders writes the documents.
    if (!engine.isShared) documents.follow(engine);
  }

  readonly #commands = {
    'spending.set': async ({ night, month }) => {
      await this.#engine.setLimits(present({ night: limitOf(night), month: limitOf(month) }));
      return ok(await spendingIn(this.#engine.store));
    },
    'batch.start': ({ batchId, submits }) =>
      this.#run(
        batchId,
        (pauses) => this.#engine.start(batchId, pauses),
        async () => whyNotStarted((await this.#engine.store.batch(batchId))?.taskCount ?? 0, submits),
      ),
    'batch.schedule': ({ batchId, schedule }) =>
      this.#change(batchId, () => this.#engine.config.setSchedule(batchId, schedule ?? undefined)),
    'batch.order': ({ batchId, to }) => this.#change(batchId, () => this.#engine.config.moveInQueue(batchId, to)),
    'batch.shelve': async ({ batchId, to }) => {
      if ((await this.#engine.store.batch(batchId)) === undefined) return noSuchBatch();
      if (to === 'back') await this.#engine.config.bringBack(batchId);
      else {
        const shelved = await this.#engine.config.shelve(batchId, to);
        if (!shelved.ok) return refuse('refused', shelved.error);
      }
      return this.batches.reply(batchId);
    },
    'batch.tag': ({ batchId, tags }) =>
      this.#change(batchId, () => this.#engine.config.configure(batchId, ({ settings }) => withTags(settings, tags))),
    'batch.pauseAll': async () => {
      const running = (await this.#engine.store.batches()).filter(({ state }) => state === 'running');
      await Promise.all(running.map(({ id }) => this.#engine.pause(id)));
      return ok({ batches: running.length });
    },
    'batch.pause': ({ batchId }) => this.#change(batchId, () => this.#engine.pause(batchId)),
    'batch.resume': ({ batchId, profiles, releases, account }) =>
      this.#run(batchId, async (pauses) => {
        const batch = this.#engine.standing.unstored(batchId) ?? (await this.#engine.store.batch(batchId));
        // This account has gone on by now, and nobody has said anything about the others.
        if (account !== undefined && batch?.stops?.[account] === undefined) return;
        // A pause that asks for a corrected profile ends with that profile.
        const profile = profileForBatch(batch?.settings, profiles, account);
        if (profile !== undefined) await this.#engine.config.correctProfile(batchId, profile);
        if (releases === 'kind') await this.#engine.config.configure(batchId, withKindReleased);
        await this.#engine.start(batchId, pauses, account === undefined ? undefined : [account]);
      }),
    'batch.cancel': ({ batchId }) => this.#change(batchId, () => this.#engine.decisions.cancel(batchId)),
    'batch.retry': ({ batchId, takes, isFree }) =>
      this.#countRun(batchId, takes.length, (pauses) =>
        this.#engine.decisions.retryShown(batchId, takes, pauses, isFree),
      ),
    'batch.cancelRows': async ({ batchId, rows }) => {
      if ((await this.#engine.store.batch(batchId)) === undefined) return noSuchBatch();
      return ok({ tasks: await this.#engine.decisions.cancel(batchId, rows) });
    },
    'batch.turn': async ({ batchId, rows, turn }) => {
      if ((await this.#engine.store.batch(batchId)) === undefined) return noSuchBatch();
      return ok({ tasks: await this.#engine.decisions.setTurn(batchId, { keys: rows }, turn) });
    },
    'file.review': (input) => this.#review(input),
    'files.delete': async ({ batchId, fileIds }, watch) => {
      const deleted = await this.#engine.files.deleteRejected(batchId, new Set(fileIds), watch);
      if (!deleted.ok) return refuse('refused', failureText(deleted.error));
      const { problem, ...sum } = deleted.value;
      return ok({ ...sum, ...present({ problem: problem && failureText(problem) }) });
    },
    'batch.adopt': (input) => this.#adopt(input),
    'batch.settle': (input) => this.#settle(input),
    'batch.answerStatus': async ({ batchId, question, answer }) => {
      if ((await this.#engine.store.batch(batchId)) === undefined) return noSuchBatch();
      return ok({ tasks: await this.#engine.config.answerStatus(batchId, question, answer) });
    },
    'batch.folder': ({ batchId }) => this.#folder(batchId),
    'batch.export': ({ batchId }, watch) => this.#export(batchId, watch),
    'account.test': async (access) => ok(await this.#engine.testConnection(present(access))),
    'account.balance': async (access) => ok(await this.#engine.balance(present(access))),
    'gateway.balance': async ({ profile }) =>
      ok(profile.baseUrl === '' ? undefined : await this.#engine.balance({ profile })),
    'key.set': ({ origin, key, name }) => {
      this.#engine.setKey(origin, key, undefined, name);
      return ok(undefined);
    },
    'engine.sleep': () => {
      this.#engine.sleep();
      return ok(undefined);
    },
    'engine.wake': () => {
      this.#engine.wake();
      return ok(undefined);
    },
    'engine.stop': async () => {
      this.#living.close();
      // This work may be at a large file: only the end of the store waits for it.
      const ended = this.#works.end();
      // Nothing is under way here, and what the user said was refused.
      if (this.#isStoreAway()) return ok({ unsaved: [] });
      this.#onStopping(this.#engine.isShared ? [] : [words.desktop.engine.cutOff]);
      // The night ends first: its last answers belong in the documents too.
      const unsaved = unsavedText(await this.#engine.quiesce(STOP_WITHIN_MS));
      const unwritten = await this.#documents.refreshAll(async (left) => {
        this.#onStopping([...unsaved, ...(await this.#unwrittenText(left))]);
      });
      const undocumented = await this.#unwrittenText(unwritten);
      this.#onStopping([...unsaved, ...undocumented]);
      await ended;
      // An edit that was under way may have been cancelled since, and not be taken back.
      const left = unsavedText(await this.#engine.stop(STOP_WITHIN_MS));
      await this.#rehearsal.close();
      return ok({ unsaved: [...left, ...undocumented] });
    },
  } satisfies Partial<EngineHandlers>;

  /** Nothing more is sent from now on; `engine.stop` waits for the night's end and reports it. */
  beginToEnd(): void {
    // Once the night has ended, nothing is recorded: what a killed process left where it does not belong is tidied up
    // before.
    for (const batchId of this.#documents.outdated) this.#engine.tidyBeforeEnd(batchId);
    this.#engine.quiesce(STOP_WITHIN_MS).catch(() => undefined);
  }

  async #unwrittenText(batchIds: readonly string[]): Promise<readonly string[]> {
    if (batchIds.length === 0) return [];
    const names = await Promise.all(
      batchIds.slice(0, NAMED).map(async (id) => visibleLine((await this.#engine.store.batch(id))?.name ?? id, 60)),
    );
    return [words.desktop.engine.unwritten(names, batchIds.length - names.length)];
  }

  /** Takes up every batch where the last run of the application left it. */
  async takeUp(): Promise<void> {
    await this.#engine.removeDeleted((batchIds) => {
      this.#documents.forget(batchIds);
      this.#tell('batch.listChanged', {});
    });
    /** What cannot go on by itself; the others do. */
    const left = new Map<string, unknown>();
    await this.#engine.editor.finishChecks((batchId, error) => left.set(batchId, error));
    if (!this.#engine.isShared) await this.#attachAll(left);
    for (const [batchId, error] of left) await this.#tellLeft(batchId, error);
    if (this.#engine.isShared) return;
    this.#engine.deletePutFiles();
    void this.#documents.takeUp(this.#engine.store);
    await this.#living.takeUp();
  }

  /** Has the night go on with every batch that is under way; those for which that fails are added to `left`. */
  async #attachAll(left: Map<string, unknown>): Promise<void> {
    const isUnderWay = ({ state }: BatchRecord): boolean => state === 'running' || state === 'paused';
    const batches = (await this.#engine.store.batches()).filter(({ id }) => !left.has(id));
    for (const batch of [...batches.filter(isUnderWay), ...batches.filter((one) => !isUnderWay(one))]) {
      const { id, settings } = batch;
      try {
        // A gateway that cannot be restarted keeps its batch waiting: the rows say that it does not answer.
        if (isUnderWay(batch) && settings.rehearsal) await this.#provideGateway(batch);
        if (isUnderWay(batch) || (await this.#isWatched(batch))) await this.#engine.attach(id);
      } catch (error) {
        left.set(id, error);
      }
    }
  }

  async #tellLeft(batchId: string, error: unknown): Promise<void> {
    this.#onBug(error);
    const name = (await this.#engine.store.batch(batchId))?.name ?? batchId;
    const title = words.desktop.engine.notTakenUp(visibleLine(name, 60));
    const message = error instanceof SaidError ? sayError(error) : domainWords.problems.internal;
    this.#tell('notice', { level: 'error', title, message, batchId });
  }

  /**
   * Whether a batch has ended with failures that were only inferred and may still turn out to be results, or with
   * something that came late and was not completely fetched.
   */
  async #isWatched({ id, state, settings }: BatchRecord): Promise<boolean> {
    // The gateway of a rehearsal has ended with it.
    if (state !== 'finished' || settings.rehearsal) return false;
    const { tasks, settling = 0 } = (await this.#engine.views.batchSummary(id)) ?? {};
    const isUnderWay = FAMILIES.some((family) => AT_GATEWAY.some((status) => (tasks?.[family][status] ?? 0) > 0));
    if (isUnderWay || settling > 0) return true;
    return this.#engine.isStillAsked({ id, settings });
  }

  async #change(batchId: string, change: () => Promise<unknown>): Promise<Reply<BatchView>> {
    if ((await this.#engine.store.batch(batchId)) === undefined) return noSuchBatch();
    await change();
    return this.batches.reply(batchId);
  }

  /**
   * Carries out what lets a batch run, with its gateway ready to answer. `change` gets how often the user had paused
   * the batch when asking for this: a pause that comes while this waits for an edit takes precedence.
   */
  async #run(
    batchId: string,
    change: (pauses: number) => Promise<unknown>,
    whyNot: () => Promise<string | undefined> = () => Promise.resolve(undefined),
  ): Promise<Reply<BatchView>> {
    const pauses = this.#engine.pausesOf(batchId);
    const batch = await this.#engine.store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    const problem = await this.#provideGateway(batch);
    if (problem !== undefined) return refuse('refused', problem, 'gateway');
    const changed = await this.#engine.editor.between(batchId, async () => {
      const refusal = await whyNot();
      return refusal === undefined ? ok(await change(pauses)) : err(refusal);
    });
    return changed.ok ? this.batches.reply(batchId) : refuse('refused', changed.error);
  }

  /** The same with this many takes, as shown; `change` returns how many of them were still as shown. */
  async #countRun(
    batchId: string,
    shown: number,
    change: (pauses: number) => Promise<number>,
  ): Promise<Reply<ShownOutcome>> {
    let tasks = 0;
    const reply = await this.#run(batchId, async (pauses) => {
      tasks = await change(pauses);
    });
    return reply.ok ? ok({ tasks, left: shown - tasks }) : reply;
  }

  /** Makes sure that a rehearsal's gateway is running; returns why it is not. */
  async #provideGateway(batch: BatchRecord): Promise<string | undefined> {
    if (!batch.settings.rehearsal) return undefined;
    const access = await this.#rehearsal.ensure();
    if (!access.ok) return access.error;
    const { origin, key, profile } = access.value;
    this.#engine.setRehearsalKey(origin, key);
    // Its former port may have been taken: then the batch continues at the new one.
    await this.#engine.config.configure(batch.id, ({ settings }) =>
      settings.profile.baseUrl === profile.baseUrl ? undefined : { ...settings, profile },
    );
    return undefined;
  }

  async #review({ fileId, ...review }: EngineInput<'file.review'>): Promise<Reply<undefined>> {
    // What waited for a pick in a rehearsal is rendered on its gateway, which is not running yet after a restart.
    const taskId = review.picked === true ? parseOutputId(fileId)?.taskId : undefined;
    const task = taskId === undefined ? undefined : await this.#engine.store.task(taskId);
    const goesOn = task !== undefined && (await this.#engine.reviews.awaitsPick(task.batchId, task.rowId));
    const batch = goesOn ? await this.#engine.store.batch(task.batchId) : undefined;
    const problem = batch && (await this.#provideGateway(batch));
    if (problem !== undefined) return refuse('refused', problem);
    const reviewed = await this.#engine.reviews.reviewFile(fileId, review);
    return reviewed.ok ? ok(undefined) : refuse('refused', words.desktop.withRemedy(reviewed.error));
  }

  async #adopt({ batchId, take, taskCode }: EngineInput<'batch.adopt'>): Promise<Reply<undefined>> {
    const batch = await this.#engine.store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    const problem = await this.#provideGateway(batch);
    if (problem !== undefined) return refuse('refused', problem);
    const adopted = await this.#engine.decisions.adoptShown(batchId, take, taskCode);
    return adopted.ok ? ok(undefined) : refuse('refused', adoptionText(adopted.error));
  }

  async #settle({ batchId, takes, decision }: EngineInput<'batch.settle'>): Promise<Reply<ShownOutcome>> {
    const settle = (pauses?: number): Promise<number> =>
      this.#engine.decisions.settleShown(batchId, takes, decision, pauses);
    if (decision === 'resubmit') return this.#countRun(batchId, takes.length, settle);
    if ((await this.#engine.store.batch(batchId)) === undefined) return noSuchBatch();
    const tasks = await settle();
    return ok({ tasks, left: takes.length - tasks });
  }

  async #folder(batchId: string): Promise<Reply<{ folder: string }>> {
    const batch = await this.#engine.store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    const { settings } = batch;
    const whyNot = this.#engine.isShared ? await whyNotOwnFolder(settings) : undefined;
    return whyNot === undefined ? ok({ folder: settings.folder }) : refuse('refused', say(whyNot));
  }

  async #export(batchId: string, watch?: WorkWatch): Promise<Reply<{ folder: string }>> {
    const folder = await this.#folder(batchId);
    if (!folder.ok) return folder;
    const problem = await this.#engine.exportBatch(batchId, PICTURES_WITHIN_MS, undefined, watch);
    return problem === undefined ? folder : refuse('refused', failureText(problem));
  }
}

/** Edits that were under way when the user was asked may need more paid requests than the user saw. */
function whyNotStarted(submits: number, shown: number | undefined): string | undefined {
  if (shown === undefined || submits <= shown) return undefined;
  return words.desktop.batch.asksMore(submits, shown);
}

function adoptionText({ message, remedy }: AdoptionRefusal): string {
  return words.desktop.withRemedy({ message: say(message), remedy: say(remedy) });
}
