/** Answers main's requests about a batch's file: re-import, watching, results. Runs in the engine's process. */
import type { WorkWatch } from '../../engine/index.ts';
import { ok } from '../../shared/domain/base/result.ts';
import { basename } from 'node:path';
import type { BatchRecord } from '../../shared/domain/task/batch.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import type { BatchSheetView } from '../../shared/ipc/editing.ts';
import { toDifferenceView } from './difference-view.ts';
import type { EngineHandlers, EngineInput, EngineOutput } from '../engine-process/engine-protocol.ts';
import { noSuchBatch, type ServiceContext } from '../engine-process/batch-reader.ts';
import type { SheetService } from './sheet-service.ts';
import { words } from '../../shared/words/words.ts';

export interface LivingSheetServiceOptions extends ServiceContext {
  readonly sheets: SheetService;
}

/** Compares batches with their files, and watches the files if the user wants that. */
export class LivingSheetService {
  readonly #options: LivingSheetServiceOptions;
  /** What ends the watching of a batch's file, by batch id. */
  readonly #watched = new Map<string, () => void>();

  constructor(options: LivingSheetServiceOptions) {
    this.#options = options;
    options.engine.onChange((change) => {
      if (change.kind !== 'batch') return;
      const { batch } = change;
      if (this.#watched.has(batch.id) !== isFollowed(batch)) this.#follow(batch);
    });
  }

  readonly handlers = {
    'sheet.compare': ({ batchId, path }, watch) => this.#compare(batchId, path, watch),
    'sheet.apply': (input, watch) => this.#apply(input, watch),
    'sheet.watch': async ({ batchId, isWatched }) => this.#setWatched(batchId, isWatched),
    'results.write': ({ batchId, into }, watch) => this.#writeResults(batchId, into, watch),
  } satisfies Partial<EngineHandlers>;

  /** Again watches the files that were being watched when the application ended. */
  async takeUp(): Promise<void> {
    for (const batch of await this.#options.engine.store.batches()) this.#follow(batch);
  }

  close(): void {
    for (const stop of this.#watched.values()) stop();
    this.#watched.clear();
  }

  async #compare(
    batchId: string,
    path: string | undefined,
    watch?: WorkWatch,
  ): Promise<Reply<EngineOutput<'sheet.compare'>>> {
    const { engine } = this.#options;
    if ((await engine.store.batch(batchId)) === undefined) return noSuchBatch();
    const compared = await engine.living.compare(batchId, path, watch);
    if (!compared.ok) return refuse('refused', compared.error);
    const batch = await engine.store.batch(batchId);
    return batch === undefined ? noSuchBatch() : ok(toDifferenceView(compared.value, batch));
  }

  async #apply(input: EngineInput<'sheet.apply'>, watch?: WorkWatch): Promise<Reply<EngineOutput<'sheet.apply'>>> {
    const { engine, batches, run } = this.#options;
    const { differenceId, start: releases, ...options } = input;
    const batchId = engine.living.get(differenceId)?.batchId;
    if (batchId === undefined) return refuse('not-found', words.desktop.sheet.comparisonGone);
    const pauses = engine.pausesOf(batchId);
    // Starting it would let all of its rows run, and none of that was shown.
    if (releases && (await engine.store.batch(batchId))?.state === 'ready')
      return refuse('refused', words.desktop.sheet.applyFirst);
    const applied = await engine.sheets.applyDifference(batchId, differenceId, { ...options, releases }, watch);
    if (!applied.ok) return refuse('refused', applied.error);
    const batch = await engine.store.batch(batchId);
    if (batch !== undefined) this.#follow(batch);
    const view = releases ? await run(batchId, pauses) : await batches.reply(batchId);
    return view.ok ? ok({ batch: view.value, tasks: applied.value.tasks }) : view;
  }

  async #setWatched(batchId: string, isWatched: boolean): Promise<Reply<BatchSheetView>> {
    const { engine, sheets } = this.#options;
    const batch = await engine.store.batch(batchId);
    if (batch === undefined) return noSuchBatch();
    if (isWatched && batch.sheetPath === undefined) {
      return refuse('refused', words.desktop.sheet.notWatched);
    }
    await engine.editor.noteWatched(batchId, isWatched);
    const watched = await engine.store.batch(batchId);
    if (watched !== undefined) this.#follow(watched);
    return sheets.sheet(batchId);
  }

  async #writeResults(
    batchId: string,
    into: EngineInput<'results.write'>['into'],
    watch?: WorkWatch,
  ): Promise<Reply<EngineOutput<'results.write'>>> {
    const { engine } = this.#options;
    if ((await engine.store.batch(batchId)) === undefined) return noSuchBatch();
    const written = await engine.sheets.writeResults(batchId, into, watch);
    return written.ok ? ok({ ...written.value, notes: [...written.value.notes] }) : refuse('refused', written.error);
  }

  /** Starts or stops watching the batch's file. */
  #follow(batch: BatchRecord): void {
    const { id, sheetPath, sheet } = batch;
    this.#watched.get(id)?.();
    this.#watched.delete(id);
    if (!isFollowed(batch) || sheetPath === undefined) return;
    const { engine, tell } = this.#options;
    const told = { batchId: id, name: basename(sheetPath) };
    const stop = engine.sheets.watch(sheetPath, sheet.source, () => tell('sheet.fileChanged', told));
    this.#watched.set(id, stop);
  }
}

/** Whether its file is watched: nobody works with a batch that is put away. */
function isFollowed({ settings, sheet, sheetPath }: BatchRecord): boolean {
  return settings.shelf === undefined && sheet.isWatched && sheetPath !== undefined;
}
