/** The engine's process, with its gateway for rehearsals: time passes as many times faster than outside as main says. */
let speed = Number(process.argv.at(-1));

const startedAt = Date.now();
const monotonic = performance.now.bind(performance);
const { setTimeout: pass } = globalThis;
const { parentPort } = process;
const emit = parentPort.emit.bind(parentPort);
/** Who waits as long waits for an answer, which a busy machine does not give sooner because the clock is fast. */
const PATIENCE_MS = 10_000;
/** What had passed when the speed last changed, and when that was. */
let passed = 0;
let changedAt = monotonic();

const elapsed = () => passed + (monotonic() - changedAt) * speed;
Date.now = () => Math.round(startedAt + elapsed());
performance.now = elapsed;
/**
 * @param {(...given: unknown[]) => void} callback
 * @param {number} ms
 * @param {unknown[]} given
 */
globalThis.setTimeout = (callback, ms = 0, ...given) => pass(callback, ms < PATIENCE_MS ? ms / speed : ms, ...given);
/**
 * The engine does not get to see what is said about its time.
 * @param {string} name
 * @param {{ data?: { speed?: number } }} event
 */
parentPort.emit = (name, event) => {
  if (event?.data?.speed === undefined) return emit(name, event);
  passed = elapsed();
  changedAt = monotonic();
  ({ speed } = event.data);
  return true;
};
await import('../../../out/main/engine-process.js');
