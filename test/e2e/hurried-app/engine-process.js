/**
 * The engine's process, with its gateway for rehearsals: time passes faster than outside, by the factor that main
 * gives.
 */
let speed = Number(process.argv.at(-1));

const startedAt = Date.now();
const monotonic = performance.now.bind(performance);
const { setTimeout: pass } = globalThis;
const { parentPort } = process;
const emit = parentPort.emit.bind(parentPort);
/** A wait this long is for an answer, which a busy machine does not give sooner because the clock is fast. */
const PATIENCE_MS = 10_000;
/** How much time had passed when the speed last changed, and when that was. */
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
 * The engine does not see the messages about its time.
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
