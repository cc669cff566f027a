/**
 * What the window sees of batches and of the rows in their grids: read from a store, whether or not an engine works on
 * it.
 */
import { say } from '../../shared/domain/base/reason.ts';
import { listOf, ok, present } from '../../shared/domain/base/result.ts';
import { missingFiles, type Engine, type StoreView } from '../../engine/index.ts';
import { atTodaysPrices, type BatchSpending } from '../../shared/domain/task/spending.ts';
import { costsOf, priceOf } from '../../shared/domain/sheet/row.ts';
import { accountsOf } from '../../shared/domain/task/accounts/account.ts';
import type { SeenBalance } from '../../shared/domain/gateway/charges/stated-amount.ts';
import { statusQuestions } from '../../shared/domain/gateway/seen-status.ts';
import {
  gatewayKey,
  type AccountStops,
  type BatchPause,
  type BatchRecord,
  type BatchSettings,
  type Shelf,
} from '../../shared/domain/task/batch.ts';
import { removableFrom } from '../../shared/domain/task/batch-standing.ts';
import type { BatchSummary, RowPosition } from '../../shared/domain/task/batch-view.ts';
import type { RowCells, RowSummary } from '../../shared/domain/task/views/row-summary.ts';
import { failedBehind, type Task } from '../../shared/domain/task/task.ts';
import { troubleTitle } from '../../shared/domain/base/failure.ts';
import { placeText } from '../../shared/domain/places/files-place.ts';
import { waitingUntil } from '../../shared/domain/task/schedule.ts';
import { whyLocked } from '../../shared/domain/task/row-status.ts';
import type { BatchView, Retried, ShownTakes, UnknownSummary } from '../../shared/ipc/batches.ts';
import { refuse, type Reply, type RouteOutput, type News } from '../../shared/ipc/contract.ts';
import { MOST_FOUND, type FoundRowView, type RowView } from '../../shared/ipc/rows.ts';
import type { FileTotals } from '../services/batch-files.ts';
import type { GatheredChange } from './report-changes.ts';
import type { EngineHandlers, TellWindow } from './engine-protocol.ts';
import { words } from '../../shared/words/words.ts';
import { toFileView, toViewedFileView, toFailureView, toShownTake } from './views/to-file-view.ts';
import { spentIn, foretoldOfFinished, foretoldView, mostPrices, spendingIn, sumView } from './views/spending-views.ts';

/** With more changed rows than this, the window asks for its page again. */
export const ROWS_TOLD = 500;

/** How takes end that a retry is for. */
const ENDED_WITHOUT = ['failed', 'cancelled'] as const;

export function noSuchBatch() {
  return refuse('not-found', words.desktop.batch.unknown);
}

export interface BatchReaderOptions extends Pick<StoreView, 'store' | 'views' | 'ledger'> {
  readonly totals: FileTotals;
  /** False if nothing works on the store: a batch that was running then stands still. */
  readonly isAtWork: boolean;
  /** Knows more about the batches that it works on. */
  readonly engine?: Pick<Engine, 'expectedEnd'> & {
    readonly standing: Pick<Engine['standing'], 'trouble' | 'heldUntil' | 'fullPlaces' | 'unstored' | 'balanceOf'>;
  };
}

/** Reads batches and rows for the window. */
export class BatchReader {
  readonly #options: BatchReaderOptions;
  /** Counts the searches over all batches: only the latest goes on. */
  #search = 0;

  constructor(options: BatchReaderOptions) {
    this.#options = options;
  }

  readonly handlers = {
    'batch.list': async () => {
      const batches = await this.#options.store.batches();
      const views = await Promise.all(batches.map(({ id }) => this.view(id, batches)));
      return ok(views.filter((view) => view !== undefined));
    },
    'batch.get': ({ batchId }) => this.reply(batchId),
    'batch.unknown': ({ batchId, rows }) => this.#unknown(batchId, rows),
    'batch.retryable': async ({ batchId, rows }) => {
      const { store, views } = this.#options;
      if ((await store.batch(batchId)) === undefined) return noSuchBatch();
      return ok({ takes: (await views.takesByStatus(batchId, ['failed', 'cancelled'], rows)).map(toShownTake) });
    },
    'batch.missingFiles': async ({ batchId }) => ok({ files: await missingFiles(this.#options, batchId) }),
    'batch.failures': async ({ batchId }) => ok({ reasons: [...(await this.#options.views.failures(batchId))] }),
    'batch.retryCost': ({ batchId, takes }) => this.#retryCost(batchId, takes),
    'spending.get': async () => ok(await spendingIn(this.#options.store)),
    'rows.page': async ({ batchId, ...query }) => {
      const { keys, rows } = await this.#options.views.viewPage(batchId, query);
      return ok({ keys: Float64Array.from(keys), rows: rows.map(toRowView) });
    },
    'rows.get': async ({ batchId, keys }) => ok({ rows: await this.rows(batchId, keys) }),
    'rows.search': ({ text }) => this.#findRows(text),
    'rows.common': async ({ batchId, header }) =>
      ok({ texts: [...(await this.#options.views.commonTexts(batchId, header))] }),
    'files.found': async ({ batchId, filter }) => ok({ files: await this.#options.views.filesFound(batchId, filter) }),
    'files.get': async ({ batchId, fileIds }) =>
      ok({ files: (await this.#options.views.filesByIds(batchId, fileIds)).map(toViewedFileView) }),
  } satisfies Partial<EngineHandlers>;

  /**
   * The head of a batch; undefined if there is none.
   * @param listed All batches, if they have just been read.
   */
  async view(batchId: string, listed?: readonly BatchRecord[]): Promise<BatchView | undefined> {
    const { store, views, ledger, totals, isAtWork, engine } = this.#options;
    // Its state in the night, if the disk refuses to store it: the user's pause applies all the same.
    const unstored = engine?.standing.unstored(batchId);
    const summary = await views.batchSummary(batchId);
    if (summary === undefined) return undefined;
    const { batch, tasks, settling, rows, submitsUsed, draftSubmits, waitsForFirst } = summary;
    const { state, pause, stops, startedAt, runStartedAt, finishedAt } = unstored ?? batch;
    const { id, name, settings, createdAt } = batch;
    const { rehearsal, folder, profile, maxSubmits, maxCost, fuse, canary, picks, schedule, gates, filesPlace } =
      settings;
    const isRunning = state === 'running';
    // A batch that does not run waits for what its pause says.
    const waitsFor = isRunning ? engine?.standing.trouble(batchId) : undefined;
    const questions = await openQuestions(store, summary);
    return {
      id,
      name,
      state: isRunning && !isAtWork ? 'paused' : state,
      pause: pause && pauseView(pause),
      rehearsal,
      folder,
      gateway: rehearsal ? words.desktop.batch.builtInGateway : originOf(profile.baseUrl),
      profile: profile.name,
      isCheapestFirst: settings.accounts?.choice === 'cheapest' ? true : undefined,
      createdAt,
      // After a retry, the last run alone, or all runs with the days in between, would look like the length of the
      // night.
      runStartedAt: runStartedAt === startedAt ? runStartedAt : undefined,
      finishedAt: state === 'finished' ? finishedAt : undefined,
      rowCount: batch.rowCount,
      taskCount: batch.taskCount,
      rows,
      draftSubmits,
      counts: tasks,
      settling,
      waitsForFirst: isRunning && isAtWork ? waitsForFirst : undefined,
      ...(await totals.of(batchId)),
      hadOtherFolder: settings.hadOtherFolder,
      submitsUsed,
      maxSubmits,
      maxCost,
      fuse,
      ...(await this.#spentOf(batch, stops)),
      canary: canary === undefined ? undefined : true,
      picks,
      gates: gates && { on: { ...gates.on }, ...present({ again: gates.again }) },
      filesPlace: filesPlace && placeText(filesPlace),
      foretold:
        batch.forecast &&
        (state === 'finished' ? await foretoldOfFinished(ledger, batch) : foretoldView(batch.forecast, settings)),
      expectedEnd: await engine?.expectedEnd(batchId),
      schedule,
      priority: settings.priority,
      isFirst: await this.#isFirst(batch, listed),
      shelf: shelfView(settings.shelf),
      tags: settings.tags && [...settings.tags],
      sheetId: settings.sheetId,
      waitsUntil: isAtWork ? waitingUntil({ state, settings }, Date.now()) : undefined,
      waitsFor: waitsFor && { ...toFailureView(waitsFor), title: troubleTitle(waitsFor) },
      heldUntil: isRunning ? engine?.standing.heldUntil(batchId) : undefined,
      fullPlaces: isRunning ? engine?.standing.fullPlaces(batchId) : undefined,
      requestsPerSecond: settings.accounts === undefined ? profile.limits.requestsPerSecond : undefined,
      balance: rehearsal || settings.accounts !== undefined ? undefined : engine?.standing.balanceOf(batchId),
      statusQuestions: questions.length === 0 ? undefined : questions,
    };
  }

  /**
   * How much of its limit a batch has spent, and how much in all; nothing for a store of an older version that is read
   * as it is.
   */
  async #spentOf(
    { id, state, settings }: BatchRecord,
    stops: AccountStops | undefined,
  ): Promise<Pick<BatchView, 'spent' | 'charged' | 'unpriced' | 'accounts'>> {
    const { maxCost: limit, rehearsal, accounts } = settings;
    const isPaid = state !== 'ready' && !rehearsal;
    const balanceOf = (name: string): SeenBalance | undefined => this.#options.engine?.standing.balanceOf(id, name);
    const unspent = accounts && { accounts: accountViews(settings, stops, balanceOf) };
    if (limit === undefined && !isPaid) return { ...unspent };
    const spending = await this.#options.store.spending(Date.now(), [id]).catch(() => undefined);
    const ofBatch = spending?.batches.get(id);
    if (ofBatch === undefined) return { ...unspent };
    const { spent } = ofBatch;
    const ofLimit = limit && atTodaysPrices(spent, limit, (operation) => priceOf(mostPrices(settings), operation));
    const { cost: charged, unpriced } = sumView(ofLimit ?? spent);
    return {
      ...(accounts && { accounts: accountViews(settings, stops, balanceOf, ofBatch.accounts) }),
      ...(limit && { spent: spentIn(spent, limit, mostPrices(settings)) }),
      ...(isPaid && charged.length > 0 && { charged }),
      ...(isPaid && unpriced > 0 && { unpriced }),
    };
  }

  /** True if no other batch that can still submit has as high a priority; otherwise undefined. */
  async #isFirst(
    { id, settings: { priority = 0 } }: BatchRecord,
    listed?: readonly BatchRecord[],
  ): Promise<true | undefined> {
    if (priority === 0) return undefined;
    const all = listed ?? (await this.#options.store.batches());
    const others = all.filter((one) => one.id !== id && one.state !== 'finished');
    return others.every(({ settings }) => (settings.priority ?? 0) < priority) ? true : undefined;
  }

  async reply(batchId: string): Promise<Reply<BatchView>> {
    const view = await this.view(batchId);
    return view === undefined ? noSuchBatch() : ok(view);
  }

  /** Rows with their cells. */
  async rows(batchId: string, keys: readonly number[]): Promise<RowView[]> {
    return (await this.#options.views.rowsByKeys(batchId, keys, true)).map(toRowView);
  }

  /** What the window is told about a change of a batch; undefined for a batch that is gone. */
  async changed({ batchId, rows }: GatheredChange): Promise<News<'batch.changed'> | undefined> {
    const batch = await this.view(batchId);
    if (batch === undefined) return undefined;
    const rowsStale = rows.size > ROWS_TOLD;
    const changed = rowsStale ? [] : await this.#options.views.rowsByIds(batchId, [...rows]);
    return { batch, rows: changed.map(toRowView), rowsStale };
  }

  async #findRows(text: string): Promise<Reply<RouteOutput<'rows.search'>>> {
    const { store, views } = this.#options;
    this.#search += 1;
    const own = this.#search;
    const rows: FoundRowView[] = [];
    for (const { id: batchId } of inOrderOfSearch(await store.batches())) {
      let from: RowPosition | undefined;
      do {
        if (own !== this.#search) return ok({ rows, hasMore: true });
        const page = await views.rowsWith(batchId, text, from, MOST_FOUND + 1 - rows.length);
        rows.push(...page.rows.map((found) => ({ batchId, ...found })));
        if (rows.length > MOST_FOUND) return ok({ rows: rows.slice(0, MOST_FOUND), hasMore: true });
        from = page.next;
      } while (from !== undefined);
    }
    return ok({ rows, hasMore: false });
  }

  async #retryCost(batchId: string, takes: ShownTakes): Promise<Reply<RouteOutput<'batch.retryCost'>>> {
    const { store } = this.#options;
    const batch = await store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    const tasks = new Map((await listOf(store.tasksByStatus(ENDED_WITHOUT, batchId))).map((task) => [task.id, task]));
    // Each take counts once.
    const counted = new Set(takes.map(({ id }) => id));
    const followers = (shown: ShownTakes): readonly Task[] => {
      const rows = shown.flatMap(({ id, isHeld }) => (isHeld === true ? [] : (tasks.get(id)?.rowId ?? [])));
      const found = failedBehind([...tasks.values()], rows).filter(({ id }) => !counted.has(id));
      for (const { id } of found) counted.add(id);
      return found;
    };
    const ended = await this.#options.views.takesByStatus(batchId, ENDED_WITHOUT);
    const known = new Map(ended.map((take) => [take.id, take]));
    const part = (isRefused: boolean): Retried => {
      const shown = takes.filter(({ id }) => (known.get(id)?.isRefused === true) === isRefused);
      const paid = shown.flatMap(({ id }) => known.get(id) ?? []).filter(({ isHeld }) => isHeld !== true);
      const inferred = paid.filter(({ isInferred }) => isInferred === true).length;
      const anew = paid.filter(({ isInferred, isFetched }) => isInferred !== true && isFetched !== true);
      const behind = followers(shown);
      const { costs, takesWithoutPrice } = costsOf(
        [...anew, ...behind].map(({ operation }) => ({ operation, takes: 1 })),
        mostPrices(batch.settings),
      );
      const fetched = paid.length - anew.length - inferred;
      return { shown, following: behind.length, cost: costs, takesWithoutPrice, inferred, fetched };
    };
    return ok({ others: part(false), refused: part(true) });
  }

  async #unknown(batchId: string, keys: readonly number[] | undefined): Promise<Reply<UnknownSummary>> {
    const batch = await this.#options.store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    const takes = await this.#options.views.takesByStatus(batchId, ['submit-unknown'], keys);
    const { costs, takesWithoutPrice } = costsOf(
      // Nothing is sent for what is held.
      takes.filter(({ isHeld }) => isHeld !== true).map(({ operation }) => ({ operation, takes: 1 })),
      mostPrices(batch.settings),
    );
    const rows = new Set(takes.map(({ row }) => row)).size;
    return ok({ rows, takes: takes.length, cost: costs, takesWithoutPrice, shown: takes.map(toShownTake) });
  }
}

/** Batches as the window lists them: the newest first, and those that were put away at the end. */
function inOrderOfSearch(batches: readonly BatchRecord[]): readonly BatchRecord[] {
  const isAway = ({ settings }: BatchRecord): number => (settings.shelf === undefined ? 0 : 1);
  return batches.toSorted((a, b) => isAway(a) - isAway(b) || b.createdAt - a.createdAt);
}

function shelfView(shelf: Shelf | undefined): BatchView['shelf'] {
  // Nobody reads about a removed batch.
  if (shelf === undefined || shelf.is === 'removed') return undefined;
  return { is: shelf.is, at: shelf.at, until: removableFrom(shelf) };
}

/** What the services of the engine's process share. */
export interface ServiceContext {
  readonly engine: Engine;
  readonly batches: BatchReader;
  /** Starts a batch once its gateway is there to answer. */
  readonly run: (batchId: string, pauses: number) => Promise<Reply<BatchView>>;
  readonly tell: TellWindow;
}

/** One line of the grid. */
export function toRowView(summary: RowSummary): RowView {
  const { progress, cancelWanted: _, taskCodes: __, sheet, files, earlier, failure, problem, ...view } = summary;
  return {
    ...view,
    takesDone: progress.done,
    files: files.map((file) => toFileView(file)),
    earlier: earlier && { ...earlier, files: earlier.files.map((file) => toFileView(file)) },
    failure: failure && toFailureView(failure),
    problem: problem?.said === undefined ? problem?.message : say(problem.said),
    locked: whyLocked([summary]),
    ...(sheet && cellsView(sheet)),
  };
}

function cellsView({
  problems,
  ...cells
}: RowCells): Pick<RowView, 'cells' | 'cutCells' | 'editedCells' | 'cellProblems'> {
  return {
    ...cells,
    cellProblems: problems.flatMap(({ column, severity, message, remedy }) =>
      column === undefined ? [] : [{ column, severity, message, remedy }],
    ),
  };
}

function accountViews(
  settings: BatchSettings,
  stops: AccountStops | undefined,
  balanceOf: (name: string) => SeenBalance | undefined,
  spending?: BatchSpending['accounts'],
): NonNullable<BatchView['accounts']> {
  return accountsOf(settings).map(({ name, profile, keyName, limit = {} }) => {
    const stop = stops?.[name];
    const spent = spending?.get(name)?.spent;
    const cost = limit.cost && spent && spentIn(spent, limit.cost, profile.prices);
    return {
      name,
      profile: profile.name,
      gateway: originOf(profile.baseUrl),
      keyName,
      limit,
      requests: spent?.requests,
      spent: cost,
      stop: stop && toFailureView(stop),
      balance: balanceOf(name),
    };
  });
}

function pauseView(pause: BatchPause): NonNullable<BatchView['pause']> {
  const disk = pause.disk && toFailureView(pause.disk);
  return pause.by === 'user' ? { by: 'user', disk } : { by: 'failure', failure: toFailureView(pause.failure), disk };
}

/** For display; empty if the profile names no gateway. */
function originOf(baseUrl: string): string {
  return URL.canParse(baseUrl) ? new URL(baseUrl).origin : '';
}

/** Requested after a failure: the gateway of a rehearsal is known. */
async function openQuestions(
  store: StoreView['store'],
  { batch, tasks }: BatchSummary,
): Promise<NonNullable<BatchView['statusQuestions']>> {
  const hasFailed = Object.values(tasks).some(({ failed }) => failed > 0);
  if (batch.settings.rehearsal || !hasFailed) return [];
  const { id, settings } = batch;
  // What was seen belongs to a gateway: accounts that share one have the same questions.
  const ofGateways = new Map(accountsOf(settings).map((account) => [gatewayKey(id, settings, account.name), account]));
  const asked = [...ofGateways.values()].map(async ({ name, profile }) => {
    const questions = statusQuestions(await store.seenStatuses(id, name), profile);
    return settings.accounts === undefined ? questions : questions.map((one) => ({ ...one, account: name }));
  });
  return (await Promise.all(asked)).flat();
}
