/** Everything that can be read from a store without changing it, whether or not an engine works on it. */
import { ok } from '../../shared/domain/base/result.ts';
import { dirname, resolve } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { backupStore, gatherEvidence, type TaskReader } from '../../engine/index.ts';
import { replaceWhole } from '../../engine/whole-file.ts';
import type { BatchSummary, BatchViews } from '../../shared/domain/task/batch-view.ts';
import type { Failure } from '../../shared/domain/base/failure.ts';
import { statusQuestions, type StatusQuestion } from '../../shared/domain/gateway/seen-status.ts';
import type { ShownTake } from '../../shared/domain/task/task.ts';
import type { BatchView, ShownTakes, UnknownSummary } from '../../shared/ipc/batches.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { RowView } from '../../shared/ipc/rows.ts';
import { answerText, toRowEvidence } from '../services/evidence-view.ts';
import type { EngineHandlers, EngineInput, EngineOutput } from './engine-protocol.ts';
import { toBatchView, toRowDetail, toRowView } from './engine-views.ts';
import { locateFile, type FileTotals } from '../services/batch-files.ts';

export interface StoreReaderOptions {
  readonly store: TaskReader;
  readonly views: BatchViews;
  readonly totals: FileTotals;
  /** The folder of the store. */
  readonly storeFolder: string;
  /** False if nothing works on the store: a batch that was running then stands still. */
  readonly isAtWork: boolean;
  /** What only a running engine knows about a batch. */
  readonly expectedEnd?: (batchId: string) => number | undefined;
  readonly trouble?: (batchId: string) => Failure | undefined;
  readonly heldUntil?: (batchId: string) => number | undefined;
}

export const NO_SUCH_BATCH = refuse('not-found', 'There is no such batch.');

/** Answers from a store. */
export class StoreReader {
  readonly #options: StoreReaderOptions;

  constructor(options: StoreReaderOptions) {
    this.#options = options;
  }

  /** The requests that change nothing in the store. */
  readonly handlers = {
    'batch.list': () => ok(this.#options.store.batches().flatMap((batch) => this.view(batch.id) ?? [])),
    'batch.get': ({ batchId }) => this.reply(batchId),
    'batch.unknown': ({ batchId, rows }) => this.#unknown(batchId, rows),
    'batch.retryable': ({ batchId, rows }) => {
      const { store, views } = this.#options;
      if (store.batch(batchId) === undefined) return NO_SUCH_BATCH;
      return ok({ takes: views.takesByStatus(batchId, ['failed', 'cancelled'], rows).map(shownTake) });
    },
    'row.detail': ({ batchId, key }) => this.#rowDetail(batchId, key),
    'row.evidence': ({ batchId, key }) => {
      const { store, views } = this.#options;
      if (store.batch(batchId) === undefined) return NO_SUCH_BATCH;
      return ok(toRowEvidence(gatherEvidence(store, batchId, views.tasksEverOfKeys(batchId, [key]))));
    },
    'rows.page': (input) => this.#rowPage(input),
    'rows.get': ({ batchId, keys }) => ok({ rows: this.rows(batchId, keys) }),
    'file.locate': async ({ fileId }) => {
      const file = this.#options.views.outputFile(fileId);
      const located = file === undefined ? undefined : await locateFile(file);
      return located === undefined ? refuse('not-found', 'This file is no longer in its folder.') : ok(located);
    },
    'evidence.write': (input) => this.#writeEvidence(input),
    'store.backup': ({ file }) => this.#backup(file),
  } satisfies Partial<EngineHandlers>;

  /** The head of a batch; undefined if there is none. */
  view(batchId: string): BatchView | undefined {
    const { store, views, totals, isAtWork, expectedEnd, trouble, heldUntil } = this.#options;
    const summary = views.batchSummary(batchId);
    if (summary === undefined) return undefined;
    const view = toBatchView(summary, {
      ...totals.of(batchId),
      expectedEnd: expectedEnd?.(batchId),
      // The pause of a batch that does not run says what it waits for.
      waitsFor: summary.batch.state === 'running' ? trouble?.(batchId) : undefined,
      heldUntil: summary.batch.state === 'running' ? heldUntil?.(batchId) : undefined,
      statusQuestions: openQuestions(store, summary),
    });
    return view.state === 'running' && !isAtWork ? { ...view, state: 'paused' } : view;
  }

  reply(batchId: string): Reply<BatchView> {
    const view = this.view(batchId);
    return view === undefined ? NO_SUCH_BATCH : ok(view);
  }

  /** Rows with their cells. */
  rows(batchId: string, keys: readonly number[]): RowView[] {
    return this.#options.views.rowsByKeys(batchId, keys, true).map(toRowView);
  }

  #unknown(batchId: string, keys: readonly number[] | undefined): Reply<UnknownSummary> {
    const batch = this.#options.store.batch(batchId);
    if (batch === undefined) return NO_SUCH_BATCH;
    const takes = this.#options.views.takesByStatus(batchId, ['submit-unknown'], keys);
    const amounts = new Map<string, number>();
    let takesWithoutPrice = 0;
    for (const { operation } of takes) {
      const price = batch.settings.profile.prices[operation];
      if (price === undefined) takesWithoutPrice += 1;
      else amounts.set(price.currency, (amounts.get(price.currency) ?? 0) + price.amount);
    }
    const cost = [...amounts].map(([currency, amount]) => ({ currency, amount }));
    const rows = new Set(takes.map(({ row }) => row)).size;
    return ok({ rows, takes: takes.length, cost, takesWithoutPrice, shown: takes.map(shownTake) });
  }

  async #writeEvidence({
    batchId,
    rows,
    file,
  }: EngineInput<'evidence.write'>): Promise<Reply<EngineOutput<'evidence.write'>>> {
    const { store, views } = this.#options;
    const batch = store.batch(batchId);
    if (batch === undefined) return NO_SUCH_BATCH;
    const tasks = rows === undefined ? undefined : views.tasksEverOfKeys(batchId, rows);
    const evidence = gatherEvidence(store, batchId, tasks);
    const document = { batch: batch.id, name: batch.name, gatheredAt: new Date().toISOString(), evidence };
    const problem = await this.#replace(file, async (path) => {
      await writeFile(path, `${JSON.stringify(document, undefined, 2)}\n`, { mode: 0o600 });
      return undefined;
    });
    return problem === undefined ? ok({ takes: evidence.length }) : refuse('refused', problem);
  }

  async #backup(file: string): Promise<Reply<undefined>> {
    const problem = await this.#replace(file, async (path) => {
      const copied = await backupStore(this.#options.storeFolder, path);
      return copied.ok ? undefined : `${copied.error.message} ${copied.error.remedy}`;
    });
    return problem === undefined ? ok(undefined) : refuse('refused', problem);
  }

  /** Never into the store's own folder, where a file with another name could become part of it. */
  async #replace(file: string, write: (path: string) => Promise<string | undefined>): Promise<string | undefined> {
    const { storeFolder } = this.#options;
    if (dirname(resolve(file)) === resolve(storeFolder))
      return `${storeFolder} is the store itself: choose another folder.`;
    return replaceFile(file, write);
  }

  #rowDetail(batchId: string, key: number): Reply<EngineOutput<'row.detail'>> {
    const detail = this.#options.views.rowDetail(batchId, key);
    if (detail === undefined) return refuse('not-found', 'There is no such row in this batch.');
    return ok(toRowDetail(detail, (taskId) => this.#lastAnswer(taskId)));
  }

  #lastAnswer(taskId: number): string | undefined {
    const { store } = this.#options;
    const raw =
      store.pollAnswer(taskId) ?? store.attempts(taskId).findLast((attempt) => attempt.raw !== undefined)?.raw;
    return raw === undefined ? undefined : answerText(raw);
  }

  #rowPage({ batchId, ...query }: EngineInput<'rows.page'>): Reply<EngineOutput<'rows.page'>> {
    const { keys, rows } = this.#options.views.viewPage(batchId, query);
    return ok({ keys: Float64Array.from(keys), rows: rows.map(toRowView) });
  }
}

function shownTake({ id, attempts }: ShownTake): ShownTakes[number] {
  return { id, attempts };
}

/** Requested after a failure: the gateway of a rehearsal is known. */
function openQuestions(store: TaskReader, { batch, tasks }: BatchSummary): readonly StatusQuestion[] {
  const hasFailed = Object.values(tasks).some(({ failed }) => failed > 0);
  if (batch.settings.rehearsal || !hasFailed) return [];
  return statusQuestions(store.seenStatuses(batch.id), batch.settings.profile);
}

/**
 * Writes a file that the user chose, for this user alone; it is put in place once it is whole. `write` returns what
 * keeps it from writing, if anything does.
 */
export async function replaceFile(
  file: string,
  write: (path: string) => Promise<string | undefined>,
): Promise<string | undefined> {
  let problem: string | undefined;
  const writePart = async (part: string): Promise<void> => {
    problem = await write(part);
    if (problem !== undefined) throw new Error(problem);
  };
  try {
    await replaceWhole(file, writePart, 0o600);
    return undefined;
  } catch (error) {
    return problem ?? `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}
