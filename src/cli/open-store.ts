/** The store as a command that only looks finds it: built apart from the engine, which takes far longer to load. */
import path from 'node:path';
import { defaultDataDir, lookAtStore, type StoreView, type TaskReader } from '../engine/index.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { print } from './console.ts';
import { CommandFailure, wrongUsage } from './ending.ts';
import type { CommonOptions } from './options.ts';

/** The store folder that a command works on. */
export function dataDirOf(options: CommonOptions): string {
  return options.data === undefined ? defaultDataDir() : path.resolve(options.data);
}

/** Opens the store beside its owner to read it, and closes it whatever happens. */
export async function withStore<T>(options: CommonOptions, work: (opened: StoreView) => Promise<T>): Promise<T> {
  const opened = lookAtStore(dataDirOf(options));
  if (!opened.ok) throw wrongUsage(opened.error.message, opened.error.remedy);
  const { newer } = opened.value;
  if (newer !== undefined) {
    print(process.stderr, `warning: ${newer.message} It is only read. → ${newer.remedy}\n`);
  }
  try {
    return await work(opened.value);
  } catch (error) {
    if (newer === undefined || error instanceof CommandFailure) throw error;
    throw wrongUsage(`This part of the store cannot be read: ${wordsOf(error)}`, newer.remedy);
  } finally {
    opened.value.close();
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The batch that an argument names by id or name; without one, the newest. Throws {@link CommandFailure}. */
export async function namedBatch(store: TaskReader, named: string | undefined): Promise<BatchRecord> {
  const batches = await store.batches();
  const batch = named === undefined ? batches.at(-1) : findBatch(batches, named);
  if (batch !== undefined) return batch;
  throw wrongUsage(
    named === undefined ? 'There are no batches yet.' : `There is no batch ${JSON.stringify(named)}.`,
    batches.length === 0
      ? 'Import a sheet with: nocturne run SHEET --out DIR'
      : `List the batches with: nocturne status. The latest is ${batches.at(-1)?.id}.`,
  );
}

/**
 * Finds a batch by its id, its name, or the beginning of its id. If several have the name, the newest is taken; a
 * beginning that fits several finds none.
 */
export function findBatch(batches: readonly BatchRecord[], idOrName: string): BatchRecord | undefined {
  const exact = batches.find((batch) => batch.id === idOrName) ?? batches.findLast((batch) => batch.name === idOrName);
  if (exact !== undefined || idOrName === '') return exact;
  const begun = batches.filter((batch) => batch.id.startsWith(idOrName));
  return begun.length === 1 ? begun[0] : undefined;
}
