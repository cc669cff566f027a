/**
 * The store as a command that only reads finds it: built separately from the engine, which takes far longer to load.
 */
import path from 'node:path';
import {
  defaultDataDir,
  isStoreOwned,
  lookAtStore,
  problemOfLook,
  storeAddress,
  type StoreAddress,
  type StoreView,
  type TaskReader,
} from '../engine/index.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { print } from './console.ts';
import { CommandFailure, refusedBy, wrongUsage } from './ending.ts';
import type { CommonOptions } from './options/common-options.ts';

/** The store folder that a command works on. */
export function dataDirOf(options: CommonOptions): string {
  return options.data === undefined ? defaultDataDir() : path.resolve(options.data);
}

/** The server that has the store, if `--store` or NOCTURNE_STORE names one. Throws {@link CommandFailure}. */
export function serverOf(options: CommonOptions): StoreAddress | undefined {
  // A named folder takes precedence over the environment.
  const named = options.store ?? (options.data === undefined ? process.env['NOCTURNE_STORE'] : undefined);
  if (named === undefined || named === '') return undefined;
  const address = storeAddress(named);
  if (!address.ok) throw wrongUsage(address.error.message, address.error.remedy);
  return address.value;
}

/** Where the store is, for messages. */
export function placeOf(options: CommonOptions): string {
  return serverOf(options)?.shown ?? dataDirOf(options);
}

/** The store as it is on the disk or the server. */
export function lookedAt(options: CommonOptions): ReturnType<typeof lookAtStore> {
  return lookAtStore(dataDirOf(options), serverOf(options));
}

/** Whether a process is at work on the store at this moment. */
export function isWorkedOn(options: CommonOptions): boolean {
  return isStoreOwned(dataDirOf(options), serverOf(options));
}

/**
 * Refuses a command that works on the files of a store: a server keeps its own.
 * @param instead What to do instead, with the name of the store's schema.
 */
export function refuseServer(options: CommonOptions, instead: (schema: string) => string): void {
  const server = serverOf(options);
  if (server === undefined) return;
  throw wrongUsage(`${server.shown} is on a server, which keeps its own files.`, instead(server.schema));
}

/** Opens the store beside its owner to read it, and closes it whatever happens. */
export async function withStore<T>(options: CommonOptions, work: (opened: StoreView) => Promise<T>): Promise<T> {
  const opened = lookedAt(options);
  if (!opened.ok) throw wrongUsage(opened.error.message, opened.error.remedy);
  const { newer } = opened.value;
  if (newer !== undefined) {
    print(process.stderr, `warning: ${newer.message} It is only read. → ${newer.remedy}\n`);
  }
  try {
    return await work(opened.value);
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    if (newer === undefined) throw refusedBySystem(error, placeOf(options)) ?? error;
    throw wrongUsage(`This part of the store cannot be read: ${wordsOf(error)}`, newer.remedy);
  } finally {
    opened.value.close();
  }
}

/** The disk's or the server's answer to a question; undefined for a bug. */
function refusedBySystem(error: unknown, place: string): CommandFailure | undefined {
  const problem = problemOfLook(error, place);
  return problem && refusedBy(problem);
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The batch that an argument names by id or name; without one, the newest in use. Throws {@link CommandFailure}. */
export async function namedBatch(store: TaskReader, named: string | undefined): Promise<BatchRecord> {
  const batches = await store.batches();
  const newest = batches.findLast(({ settings }) => settings.shelf === undefined) ?? batches.at(-1);
  const batch = named === undefined ? newest : findBatch(batches, named);
  if (batch !== undefined) return batch;
  throw wrongUsage(
    named === undefined ? 'There are no batches yet.' : `There is no batch ${JSON.stringify(named)}.`,
    batches.length === 0
      ? 'Import a sheet with: nocturne run SHEET --out DIR'
      : `List the batches with: nocturne status. The latest is ${newest?.id}.`,
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
