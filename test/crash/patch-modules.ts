import { registerHooks } from 'node:module';
import { MUTANTS, type ModulePatch } from './mutants.ts';

const asked = new URL(import.meta.url).searchParams.get('mutant');
if (asked !== null) patchModules(asked);

/**
 * Gives the engine of this thread a deliberate fault: the source of some of its modules is changed as they are loaded.
 * Must be called before the first of them is. Throws where a text to be replaced is not there exactly once.
 */
function patchModules(mutantName: string): void {
  const mutant = MUTANTS.find(({ name }) => name === mutantName);
  if (mutant === undefined) throw new Error(`Unknown mutant: ${mutantName}`);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const patches = mutant.patches.filter(({ module }) => url.endsWith(`/src/engine/${module}`));
      if (patches.length === 0) return loaded;
      const source = typeof loaded.source === 'string' ? loaded.source : Buffer.from(asBytes(loaded.source)).toString();
      return { ...loaded, source: patches.reduce(applyPatch, source) };
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
