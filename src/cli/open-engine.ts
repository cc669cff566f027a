import {
  createEngine,
  incarnationFileOf,
  StoreWriteError,
  unsavedText,
  type Engine,
  type StoreProblem,
  type Unsaved,
} from '../engine/index.ts';
import { FAILURE_POLICIES } from '../shared/domain/base/failure.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { Console, print } from './console.ts';
import { CommandFailure, endOf, EXIT } from './ending.ts';
import { dataDirOf, namedBatch } from './open-store.ts';
import type { CommonOptions } from './options.ts';

/** Opens the store as its owner. Throws {@link CommandFailure} if that is not possible. */
async function openEngine(options: CommonOptions): Promise<Engine> {
  const dataDir = dataDirOf(options);
  const opened = await createEngine({
    dataDir,
    incarnationFile: incarnationFileOf(dataDir),
    // As after a kill: whoever has the store now goes on with it.
    onStoreLost: (error) =>
      process.exit(endOf(error instanceof StoreWriteError ? refusalOf(error.problem) : error, options.json === true)),
    onBug: (error) => {
      print(process.stderr, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    },
  });
  if (opened.ok) return opened.value;
  throw refusalOf(opened.error);
}

function refusalOf({ kind, message, remedy }: StoreProblem): CommandFailure {
  return new CommandFailure(kind === 'owned' ? EXIT.storeOwned : EXIT.usage, message, remedy);
}

/** Opens the store, works, and closes it whatever happens. */
export async function withEngine<T>(options: CommonOptions, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(options);
  try {
    if (engine.isOlderCopy) sayOlderCopy(options);
    await engine.editor.finishChecks();
    return await work(engine);
  } finally {
    sayUnsaved(options, await engine.stop());
  }
}

/**
 * The same with the batch that an argument names; the newest one without an argument. Does nothing to the batch of an
 * older copy of the store, which the user did not know of when giving the command.
 */
export function withBatch<T>(
  options: CommonOptions,
  named: string | undefined,
  work: (engine: Engine, batch: BatchRecord) => Promise<T>,
): Promise<T> {
  return withEngine(options, async (engine) => {
    const batch = await namedBatch(engine.store, named);
    if (!engine.isOlderCopy) return work(engine, batch);
    throw new CommandFailure(
      EXIT.paused,
      `Nothing was done to batch ${batch.id}.`,
      'Once you have compared its rows with the gateway, give the command again.',
    );
  });
}

function sayOlderCopy({ json, quiet, ...options }: CommonOptions): void {
  const { title, remedy } = FAILURE_POLICIES.STORE_RESTORED;
  const console = new Console({ json: json === true, quiet: quiet === true });
  console.problem(`warning: ${title}: ${dataDirOf(options)}. Its batches are paused.\n    → ${remedy}`);
}

/** The store's disk refused writes to the end: what that means is the last message. */
function sayUnsaved({ json, quiet }: CommonOptions, unsaved: readonly Unsaved[]): void {
  if (unsaved.length === 0) return;
  const console = new Console({ json: json === true, quiet: quiet === true });
  console.event('unsaved', { unsaved });
  for (const line of unsavedText(unsaved)) console.problem(line);
}
