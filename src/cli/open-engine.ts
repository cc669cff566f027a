import { createEngine, incarnationFileOf, unsavedText, type Engine, type Unsaved } from '../engine/index.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import { Console, print } from './console.ts';
import { CommandFailure, EXIT } from './ending.ts';
import { dataDirOf, namedBatch } from './open-store.ts';
import type { CommonOptions } from './options.ts';

/** Opens the store as its owner. Throws {@link CommandFailure} if that is not possible. */
async function openEngine(options: CommonOptions): Promise<Engine> {
  const dataDir = dataDirOf(options);
  const opened = await createEngine({
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
  const engine = await openEngine(options);
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
  return withEngine(options, async (engine) => work(engine, await namedBatch(engine.store, named)));
}

/** The store's disk refused writes to the end: what that means is the last message. */
function sayUnsaved({ json, quiet }: CommonOptions, unsaved: readonly Unsaved[]): void {
  if (unsaved.length === 0) return;
  const console = new Console({ json: json === true, quiet: quiet === true });
  console.event('unsaved', { unsaved });
  for (const line of unsavedText(unsaved)) console.problem(line);
}
