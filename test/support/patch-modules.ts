import { registerHooks } from 'node:module';

/** One replacement in the source of a module; `find` must be there exactly once. */
export interface ModulePatch {
  /** Path below `src/engine`. */
  readonly module: string;
  readonly find: string;
  readonly replace: string;
}

/** A bug that is put back on purpose, to see that the proof named after it finds it. */
export interface DeliberateFault {
  readonly name: string;
  readonly patches: readonly ModulePatch[];
}

const asked = new URL(import.meta.url).searchParams.get('patches');
if (asked !== null) patchModules(JSON.parse(asked) as readonly ModulePatch[]);

/** What `node --import` loads, so that a process and each of its threads have a deliberate fault. */
export function importOf(patches: readonly ModulePatch[]): string {
  const url = new URL(import.meta.url);
  url.searchParams.set('patches', JSON.stringify(patches));
  return url.href;
}

/**
 * Gives the engine of this thread a deliberate fault: the source of some of its modules is changed as they are loaded.
 * Must be called before the first of them is loaded. Throws if a text to be replaced is not there exactly once.
 */
function patchModules(patches: readonly ModulePatch[]): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const own = patches.filter(({ module }) => url.endsWith(`/src/engine/${module}`));
      if (own.length === 0) return loaded;
      const source = typeof loaded.source === 'string' ? loaded.source : Buffer.from(asBytes(loaded.source)).toString();
      return { ...loaded, source: own.reduce(applyPatch, source) };
    },
  });
}

/** The source with one replacement made. */
export function applyPatch(source: string, { module, find, replace }: ModulePatch): string {
  const parts = source.split(find);
  if (parts.length !== 2) {
    throw new Error(`The mutant no longer fits ${module}, where ${parts.length - 1} places read: ${find}`);
  }
  return parts.join(replace);
}

function asBytes(source: unknown): Uint8Array {
  if (source instanceof Uint8Array) return source;
  throw new Error('A module was loaded without its source.');
}
