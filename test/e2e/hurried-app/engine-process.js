/** The engine's process, with its gateway for rehearsals: time passes five times faster than outside. */
// Requests are given up sooner by so much, too: a busy machine must still answer in time.
const SPEED = 5;

const { now } = Date;
const monotonic = performance.now.bind(performance);
const { setTimeout: pass } = globalThis;
const startedAt = now();
Date.now = () => startedAt + (now() - startedAt) * SPEED;
performance.now = () => monotonic() * SPEED;
/**
 * @param {(...given: unknown[]) => void} callback
 * @param {number} ms
 * @param {unknown[]} given
 */
globalThis.setTimeout = (callback, ms = 0, ...given) => pass(callback, ms / SPEED, ...given);
await import('../../../out/main/engine-process.js');
