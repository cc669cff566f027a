import { createContext, Script } from 'node:vm';

/** A world with nothing in it but the piece of work that is run there; made once, because making one takes milliseconds. */
const WORLD: { run: () => void } = { run: () => undefined };
const CONTEXT = createContext(WORLD);
const CALL = new Script('run()');

/**
 * Runs a short piece of work that must not take longer than `limitMs`, such as a pattern somebody typed: one that goes
 * astray is ended, wherever it is. Gives undefined then.
 */
export function runLimited<T>(run: () => T, limitMs: number): { readonly value: T } | undefined {
  let value: { readonly value: T } | undefined;
  WORLD.run = () => {
    value = { value: run() };
  };
  try {
    CALL.runInContext(CONTEXT, { timeout: limitMs });
  } catch (error) {
    if (isTimeout(error)) return undefined;
    throw error;
  } finally {
    WORLD.run = () => undefined;
  }
  return value;
}

/** The error is of the context's own world: it is no `Error` of this one. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
