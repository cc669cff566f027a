import {
  createEngine,
  incarnationFileOf,
  unsavedText,
  type Engine,
  type MemberOptions,
  type NightWatch,
  type Unsaved,
} from '../engine/index.ts';
import { FAILURE_POLICIES } from '../shared/domain/base/failure.ts';
import { present } from '../shared/domain/base/result.ts';
import type { BatchRecord } from '../shared/domain/task/batch.ts';
import type { Limit } from '../shared/domain/task/spending.ts';
import { Console, KEY_OF_ENVIRONMENT, print } from './console.ts';
import { pauseText } from './describe.ts';
import { CommandFailure, endOf, EXIT, refusedBy } from './ending.ts';
import { dataDirOf, namedBatch, placeOf, serverOf } from './with-store.ts';
import type { CommonOptions } from './options/common-options.ts';

/** The part that one process is to play. */
interface EnginePart {
  /** The most that this process may spend in a night; without it, only the user's own limits apply. */
  readonly ceiling?: Limit;
  /** Only on a server: this process renders what is running there. */
  readonly fleet?: MemberOptions;
  /** Told about what this process does. */
  readonly watch?: NightWatch;
}

/**
 * Opens the store as its owner or, on a server, as one of several; {@link closeEngine} closes it. The check of earlier
 * edits is completed. Throws {@link CommandFailure} if that is not possible.
 */
export async function openEngine(options: CommonOptions, { ceiling, fleet, watch }: EnginePart = {}): Promise<Engine> {
  const dataDir = dataDirOf(options);
  const opened = await createEngine({
    dataDir,
    ...present({ server: serverOf(options), fleet }),
    incarnationFile: incarnationFileOf(dataDir),
    sparesReader: true,
    ...present({ ceiling, watch }),
    // As after a kill: the process that now has the store goes on with it.
    onStoreLost: (error) => process.exit(endOf(error, options.json === true)),
    onBug: (error) => {
      print(process.stderr, `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    },
  });
  if (!opened.ok) throw refusedBy(opened.error);
  const engine = opened.value;
  // A command that sends nothing writes documents, too.
  if (KEY_OF_ENVIRONMENT !== '') engine.keepOut(KEY_OF_ENVIRONMENT);
  try {
    if (engine.isOlderCopy) sayOlderCopy(options);
    await engine.editor.finishChecks();
    return engine;
  } catch (error) {
    await closeEngine(options, engine);
    throw error;
  }
}

/** Ends what runs, closes the store, and says what could not be saved. */
export async function closeEngine(options: CommonOptions, engine: Engine): Promise<void> {
  sayUnsaved(options, await engine.stop());
}

/** Opens the store, works, and closes it whatever happens. */
export async function withEngine<T>(options: CommonOptions, work: (engine: Engine) => Promise<T>): Promise<T> {
  const engine = await openEngine(options);
  try {
    return await work(engine);
  } finally {
    await closeEngine(options, engine);
  }
}

/**
 * The same with the batch that an argument names; the newest one without an argument. A batch of an older copy of the
 * store only continues with `resume`: the command that found the copy may have been about something else.
 */
export function withBatch<T>(
  options: CommonOptions & { readonly resumes?: true },
  named: string | undefined,
  work: (engine: Engine, batch: BatchRecord) => Promise<T>,
): Promise<T> {
  return withEngine(options, async (engine) => {
    refuseOlderCopy(engine, 'Nothing was done.');
    const batch = await namedBatch(engine.store, named);
    const pause = isOfOlderCopy(batch) ? pauseText(batch) : undefined;
    if (pause !== undefined && options.resumes !== true) {
      throw new CommandFailure(EXIT.paused, pause, `To continue it as it is: nocturne resume ${batch.id}`);
    }
    if (pause !== undefined) consoleOf(options).problem(`warning: ${pause}`);
    return work(engine, batch);
  });
}

/**
 * Ends a command that could pay if this opening has found the store to be an older copy: the user did not know that
 * when giving it. Giving the command again confirms it. `undone` says what did not happen.
 */
export function refuseOlderCopy(engine: Engine, undone: string): void {
  if (!engine.isOlderCopy) return;
  const remedy = 'Compare the store with the gateway’s own list of tasks, then run the command again.';
  throw new CommandFailure(EXIT.paused, undone, remedy);
}

/** Whether it has stood still since the store was found to be an older copy: only the user lets it go on. */
export function isOfOlderCopy({ pause }: BatchRecord): boolean {
  return pause?.by === 'failure' && pause.failure.code === 'STORE_RESTORED';
}

function sayOlderCopy(options: CommonOptions): void {
  const { title, remedy } = FAILURE_POLICIES.STORE_RESTORED;
  const where = `${title}: ${placeOf(options)}`;
  consoleOf(options).problem(`warning: ${where}. Nothing in it continues by itself.\n    → ${remedy}`);
}

/** The store's disk refused writes to the end: the last message says what that means. */
export function sayUnsaved(options: CommonOptions, unsaved: readonly Unsaved[]): void {
  if (unsaved.length === 0) return;
  const console = consoleOf(options);
  console.event('unsaved', { unsaved });
  for (const line of unsavedText(unsaved)) console.problem(line);
}

function consoleOf({ json, quiet }: CommonOptions): Console {
  return new Console({ json: json === true, quiet: quiet === true });
}
