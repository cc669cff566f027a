/** What can be asked of a store without changing it: the same for one that an engine works on and one that is only looked at. */
import { dirname, resolve } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { gatherEvidence } from '../engine/evidence.ts';
import type { TaskReader } from '../engine/ports.ts';
import { backupStore } from '../engine/store/backup-store.ts';
import type { BatchViews, RowView } from '../shared/domain/batch-view.ts';
import type { Failure } from '../shared/domain/failure.ts';
import { askedSince } from '../shared/domain/row-lock.ts';
import type { Task } from '../shared/domain/task.ts';
import type { Reply } from '../shared/ipc/contract.ts';
import type { BatchView, RowView as RowViewOut, UnknownSummary } from '../shared/ipc/views.ts';
import { answerText } from './answer-text.ts';
import type { EngineInput, EngineOutput, EngineRequestName } from './engine-protocol.ts';
import { toBatchView, toRowDetail, toRowView } from './engine-views.ts';
import { toRowEvidence } from './evidence-view.ts';
import { locateFile } from './file-locator.ts';
import type { FileTotals } from './file-totals.ts';
import { refuse } from './reply.ts';
import { replaceFile } from './replace-file.ts';

/** Requests that change nothing in the store. */
export const READING_REQUESTS = [
  'batch.list',
  'batch.get',
  'batch.unknown',
  'row.detail',
  'row.evidence',
  'rows.page',
  'file.locate',
  'evidence.write',
  'store.backup',
] as const satisfies readonly EngineRequestName[];

type Handler<N extends EngineRequestName> = (
  input: EngineInput<N>,
) => Promise<Reply<EngineOutput<N>>> | Reply<EngineOutput<N>>;
export type ReadingHandlers = { readonly [N in (typeof READING_REQUESTS)[number]]: Handler<N> };

export interface StoreReaderOptions {
  readonly store: TaskReader;
  readonly views: BatchViews;
  readonly totals: FileTotals;
  /** The folder that the store is in. */
  readonly storeFolder: string;
  /** False where nothing works on the store: a batch that was running then stands still. */
  readonly isAtWork: boolean;
  /** What only a running engine knows of a batch. */
  readonly expectedEnd?: (batchId: string) => number | undefined;
  readonly trouble?: (batchId: string) => Failure | undefined;
}

export const NO_SUCH_BATCH = refuse('not-found', 'There is no such batch.');

/** Answers from a store. */
export class StoreReader {
  readonly #options: StoreReaderOptions;

  constructor(options: StoreReaderOptions) {
    this.#options = options;
  }

  readonly handlers: ReadingHandlers = {
    'batch.list': () => done(this.#options.store.batches().flatMap((batch) => this.view(batch.id) ?? [])),
    'batch.get': ({ batchId }) => this.reply(batchId),
    'batch.unknown': ({ batchId, rows }) => this.#unknown(batchId, rows),
    'row.detail': ({ batchId, row }) => this.#rowDetail(batchId, row),
    'row.evidence': ({ batchId, row }) => {
      if (this.#options.store.batch(batchId) === undefined) return NO_SUCH_BATCH;
      return done(toRowEvidence(gatherEvidence(this.#options.store, batchId, [row])));
    },
    'rows.page': (input) => this.#rowPage(input),
    'file.locate': async ({ fileId }) => {
      const file = this.#options.views.outputFile(fileId);
      const located = file === undefined ? undefined : await locateFile(file);
      return located === undefined ? refuse('not-found', 'This file is not in its folder any more.') : done(located);
    },
    'evidence.write': (input) => this.#writeEvidence(input),
    'store.backup': ({ file }) => this.#backup(file),
  };

  /** The head of a batch; undefined where there is none. */
  view(batchId: string): BatchView | undefined {
    const { views, totals, isAtWork, expectedEnd, trouble } = this.#options;
    const summary = views.batchSummary(batchId);
    if (summary === undefined) return undefined;
    const view = toBatchView(summary, {
      ...totals.of(batchId),
      expectedEnd: expectedEnd?.(batchId),
      // What a batch that does not run waits for is said by its pause.
      waitsFor: summary.batch.state === 'running' ? trouble?.(batchId) : undefined,
    });
    return view.state === 'running' && !isAtWork ? { ...view, state: 'paused' } : view;
  }

  /** Lines of the grid. */
  rowViews(batchId: string, rows: readonly RowView[]): RowViewOut[] {
    const since = this.#askedSince(batchId);
    return rows.map((row) => toRowView(row, since));
  }

  reply(batchId: string): Reply<BatchView> {
    const view = this.view(batchId);
    return view === undefined ? NO_SUCH_BATCH : done(view);
  }

  /** Takes whose submit's outcome is unknown, of some rows or of all. */
  unknownTasks(batchId: string, rows: readonly string[] | undefined): readonly Task[] {
    const tasks = [...this.#options.store.tasksByStatus(['submit-unknown'], batchId)];
    if (rows === undefined) return tasks;
    const wanted = new Set(rows);
    return tasks.filter((task) => wanted.has(task.rowId));
  }

  #unknown(batchId: string, rows: readonly string[] | undefined): Reply<UnknownSummary> {
    const batch = this.#options.store.batch(batchId);
    if (batch === undefined) return NO_SUCH_BATCH;
    const tasks = this.unknownTasks(batchId, rows);
    const amounts = new Map<string, number>();
    let takesWithoutPrice = 0;
    for (const { operation } of tasks) {
      const price = batch.settings.profile.prices[operation];
      if (price === undefined) takesWithoutPrice += 1;
      else amounts.set(price.currency, (amounts.get(price.currency) ?? 0) + price.amount);
    }
    const cost = [...amounts].map(([currency, amount]) => ({ currency, amount }));
    return done({ rows: new Set(tasks.map((task) => task.rowId)).size, takes: tasks.length, cost, takesWithoutPrice });
  }

  async #writeEvidence({
    batchId,
    rows,
    file,
  }: EngineInput<'evidence.write'>): Promise<Reply<EngineOutput<'evidence.write'>>> {
    const { store } = this.#options;
    const batch = store.batch(batchId);
    if (batch === undefined) return NO_SUCH_BATCH;
    const evidence = gatherEvidence(store, batchId, rows);
    const document = { batch: batch.id, name: batch.name, gatheredAt: new Date().toISOString(), evidence };
    const problem = await this.#replace(file, async (path) => {
      await writeFile(path, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600 });
      return undefined;
    });
    return problem === undefined ? done({ takes: evidence.length }) : refuse('refused', problem);
  }

  async #backup(file: string): Promise<Reply<undefined>> {
    const problem = await this.#replace(file, async (path) => {
      const copied = await backupStore(this.#options.storeFolder, path);
      return copied.ok ? undefined : `${copied.error.message} ${copied.error.remedy}`;
    });
    return problem === undefined ? done(undefined) : refuse('refused', problem);
  }

  /** Never into the store's own folder, where a file of another name could become part of it. */
  async #replace(file: string, write: (path: string) => Promise<string | undefined>): Promise<string | undefined> {
    const { storeFolder } = this.#options;
    if (dirname(resolve(file)) === resolve(storeFolder))
      return `${storeFolder} is the store itself: choose another folder.`;
    return replaceFile(file, write);
  }

  #rowDetail(batchId: string, row: string): Reply<EngineOutput<'row.detail'>> {
    const detail = this.#options.views.rowDetail(batchId, row);
    if (detail === undefined) return refuse('not-found', 'There is no such row in this batch.');
    return done(toRowDetail(detail, this.#askedSince(batchId), (taskId) => this.#lastAnswer(taskId)));
  }

  #askedSince(batchId: string): number {
    const batch = this.#options.store.batch(batchId);
    return batch === undefined ? 0 : askedSince(batch.settings.profile, Date.now());
  }

  #lastAnswer(taskId: number): string | undefined {
    const { store } = this.#options;
    const raw =
      store.pollAnswer(taskId) ?? store.attempts(taskId).findLast((attempt) => attempt.raw !== undefined)?.raw;
    return raw === undefined ? undefined : answerText(raw);
  }

  #rowPage({ batchId, ...query }: EngineInput<'rows.page'>): Reply<EngineOutput<'rows.page'>> {
    const page = this.#options.views.rowPage(batchId, query);
    return done({ total: page.total, rows: this.rowViews(batchId, page.rows) });
  }
}

function done<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}
