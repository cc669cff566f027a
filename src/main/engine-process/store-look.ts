/** A store that the engine does not work on: opened as far as it can be read, and shown; or replaced by a backup. */
import { say, systemSays } from '../../shared/domain/base/reason.ts';
import {
  lookAtStore,
  restoreStore,
  salvageStore,
  type StoreProblem,
  type StoreView,
  type WorkWatch,
} from '../../engine/index.ts';
import { ok } from '../../shared/domain/base/result.ts';
import type { BatchViews } from '../../shared/domain/task/batch-view.ts';
import type { TaskFiles } from '../../shared/domain/task/views/exported-row.ts';
import { asSentence } from '../../shared/domain/base/text.ts';
import { refuse, type News, type Reply } from '../../shared/ipc/contract.ts';
import type { EngineHandlers, EngineRequestName, ToEngine } from './engine-protocol.ts';
import { FileTotals } from '../services/batch-files.ts';
import { StoreReader } from './store-reader.ts';
import { isEndOf, Works } from './works.ts';
import { words } from '../../shared/words/words.ts';

/** Answers requests that change nothing; refuses every other with the reason. */
export class StoreLook {
  readonly #reader: StoreReader;
  readonly #works: Works;
  readonly #problem: StoreProblem;

  private constructor({ store, views, ledger }: StoreView, storeFolder: string, problem: StoreProblem, works: Works) {
    const totals = new FileTotals((batchId) => readableFiles(views, batchId));
    // Batches only run if another process works on the store.
    const isAtWork = problem.kind === 'owned';
    this.#reader = new StoreReader({ store, views, ledger, totals, storeFolder, isAtWork, works });
    this.#works = works;
    this.#problem = problem;
  }

  /** Opens the store in a folder; undefined if not even its batches can be read. `problem` is why it is only read. */
  static async open(storeFolder: string, problem: StoreProblem, works: Works): Promise<StoreLook | undefined> {
    try {
      const looked = lookAtStore(storeFolder);
      const view = looked.ok ? looked.value : salvageStore(storeFolder);
      if (view === undefined) return undefined;
      const look = new StoreLook(view, storeFolder, problem, works);
      return (await look.#hasBatches()) ? look : undefined;
    } catch {
      return undefined;
    }
  }

  /** Carries out a request with parsed input. Says so if damage keeps the data from being read. */
  async answer(name: EngineRequestName, input: unknown, watch: WorkWatch = {}): Promise<Reply<unknown>> {
    if (name === 'engine.stop') {
      await this.#works.end();
      return ok({ unsaved: [] });
    }
    if (name === 'key.set') return ok(undefined);
    const handlers: Partial<EngineHandlers> = this.#reader.handlers;
    // The request's own schema has parsed the input; the compiler cannot follow a union of requests.
    const handle = handlers[name] as
      | ((input: unknown, watch: WorkWatch) => Promise<Reply<unknown>> | Reply<unknown>)
      | undefined;
    if (handle === undefined) return refuse('refused', storeProblemText(this.#problem));
    try {
      return await handle(input, watch);
    } catch (error) {
      if (isEndOf(error, watch.signal)) throw error;
      return refuse('unavailable', words.desktop.store.partUnreadable(say(systemSays(error))));
    }
  }

  async #hasBatches(): Promise<boolean> {
    const list = await this.#reader.handlers['batch.list']();
    return list.value.length > 0;
  }
}

/** A store's problem and what to do about it, as sentences. */
export function storeProblemText({ said, help }: StoreProblem): string {
  return words.desktop.withRemedy({ message: asSentence(say(said)), remedy: say(help) });
}

/** The files of a batch; none if damage keeps them from being counted: the batch itself can still be shown. */
async function readableFiles(views: BatchViews, batchId: string): Promise<readonly TaskFiles[]> {
  try {
    return await views.taskFiles(batchId);
  } catch {
    return [];
  }
}

/**
 * Puts a backup in place of the store, in a process that has nothing else to do, and says what came of it.
 * @param now Milliseconds since the epoch.
 */
export async function restoreBackup(
  { storeFolder, file }: Omit<Extract<ToEngine, { kind: 'restore' }>, 'kind'>,
  now: number,
): Promise<{ readonly isRestored: boolean; readonly notice: News<'notice'> }> {
  const restored = await restoreStore(storeFolder, file, now);
  if (!restored.ok) {
    const message = storeProblemText(restored.error);
    return { isRestored: false, notice: { level: 'error', title: words.desktop.restore.notDone, message } };
  }
  const { batches, paused, aside, brought, problem } = restored.value;
  const { done, batchesInIt, batchesPaused, compare, keptAside } = words.desktop.restore;
  const message = words.common.sentences([
    batchesInIt(batches),
    ...(paused === 0 ? [] : [batchesPaused(paused)]),
    ...(problem === undefined ? [] : [storeProblemText(problem)]),
    ...(batches === 0 ? [] : [compare]),
    ...brought,
    ...(aside.length === 0 ? [] : [keptAside(aside)]),
  ]);
  return { isRestored: true, notice: { level: 'warning', title: done, message } };
}
