import {
  createEngine,
  incarnationFileOf,
  lookAtStore,
  unsavedText,
  type Engine,
  type StoreView,
  type TaskReader,
  type Unsaved,
} from '../engine/index.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { Console, print } from './console.ts';
import { CommandFailure, EXIT } from './ending.ts';
import { dataDirOf } from './given.ts';
import type { CommonOptions } from './options.ts';

/** Opens the store as its owner. Throws {@link CommandFailure} if that is not possible. */
function openEngine(options: CommonOptions): Engine {
  const dataDir = dataDirOf(options);
  const opened = createEngine({
    dataDir,
    incarnationFile: incarnationFileOf(dataDir),
    onBug: (error) => {
      print(process.stderr, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    },
  });
  if (opened.ok) return opened.value;
  const { kind, message, remedy } = opened.error;
  throw new CommandFailure(kind === 'owned' ? EXIT.storeOwned : EXIT.usage, message, remedy);
}

/** Opens the store, works, and closes it whatever happens. */
export async function withEngine<T>(options: CommonOptions, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = openEngine(options);
  try {
    await engine.editor.finishChecks();
    return await work(engine);
  } finally {
    sayUnsaved(options, await engine.stop());
  }
}

/** The same with the batch that an argument names; the newest one without an argument. */
export function withBatch<T>(
  options: CommonOptions,
  named: string | undefined,
  work: (engine: Engine, batch: BatchRecord) => Promise<T>,
): Promise<T> {
  return withEngine(options, (engine) => work(engine, namedBatch(engine.store, named)));
}

/** The store's disk refused writes to the end: what that means is the last message. */
function sayUnsaved({ json, quiet }: CommonOptions, unsaved: readonly Unsaved[]): void {
  if (unsaved.length === 0) return;
  const console = new Console({ json: json === true, quiet: quiet === true });
  console.event('unsaved', { unsaved });
  for (const line of unsavedText(unsaved)) console.problem(line);
}

/** Opens the store beside its owner to read it, and closes it whatever happens. */
export async function withStore<T>(options: CommonOptions, work: (opened: StoreView) => Promise<T>): Promise<T> {
  const opened = lookAtStore(dataDirOf(options));
  if (!opened.ok) throw new CommandFailure(EXIT.usage, opened.error.message, opened.error.remedy);
  try {
    return await work(opened.value);
  } finally {
    opened.value.close();
  }
}

/** The batch that an argument names by id or name; without one, the newest. Throws {@link CommandFailure}. */
export function namedBatch(store: TaskReader, named: string | undefined): BatchRecord {
  const batches = store.batches();
  const batch = named === undefined ? batches.at(-1) : findBatch(batches, named);
  if (batch !== undefined) return batch;
  throw new CommandFailure(
    EXIT.usage,
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
