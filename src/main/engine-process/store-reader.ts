/** Everything that can be read from a store without changing it: what the window sees, and copies for the user. */
import { ok } from '../../shared/domain/base/result.ts';
import { dirname, resolve } from 'node:path';
import { writeFile } from 'node:fs/promises';
import { backupStore, gatherEvidence } from '../../engine/index.ts';
import { replaceWhole } from '../../engine/whole-file.ts';
import { refuse, type Reply } from '../../shared/ipc/contract.ts';
import { locateFile } from '../services/batch-files.ts';
import { answerText, toRowEvidence } from '../services/evidence-view.ts';
import { BatchReader, NO_SUCH_BATCH, type BatchReaderOptions } from './batch-reader.ts';
import type { EngineHandlers, EngineInput, EngineOutput } from './engine-protocol.ts';
import { toRowDetail } from './row-detail.ts';

export interface StoreReaderOptions extends BatchReaderOptions {
  /** The folder of the store. */
  readonly storeFolder: string;
}

/** Answers from a store. */
export class StoreReader {
  readonly #options: StoreReaderOptions;
  readonly batches: BatchReader;
  /** The requests that change nothing in the store. */
  readonly handlers;

  constructor(options: StoreReaderOptions) {
    this.#options = options;
    this.batches = new BatchReader(options);
    this.handlers = { ...this.batches.handlers, ...this.#rest };
  }

  readonly #rest = {
    'row.detail': ({ batchId, key }) => {
      const detail = this.#options.views.rowDetail(batchId, key);
      if (detail === undefined) return refuse('not-found', 'There is no such row in this batch.');
      return ok(toRowDetail(detail, (taskId) => this.#lastAnswer(taskId)));
    },
    'row.evidence': ({ batchId, key }) => {
      const { store, views } = this.#options;
      if (store.batch(batchId) === undefined) return NO_SUCH_BATCH;
      return ok(toRowEvidence(gatherEvidence(store, batchId, views.tasksEverOfKeys(batchId, [key]))));
    },
    'file.locate': async ({ fileId }) => {
      const file = this.#options.views.outputFile(fileId);
      const located = file === undefined ? undefined : await locateFile(file);
      return located === undefined ? refuse('not-found', 'This file is no longer in its folder.') : ok(located);
    },
    'evidence.write': (input) => this.#writeEvidence(input),
    'store.backup': ({ file }) => this.#backup(file),
  } satisfies Partial<EngineHandlers>;

  #lastAnswer(taskId: number): string | undefined {
    const { store } = this.#options;
    const raw =
      store.pollAnswer(taskId) ?? store.attempts(taskId).findLast((attempt) => attempt.raw !== undefined)?.raw;
    return raw === undefined ? undefined : answerText(raw);
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
