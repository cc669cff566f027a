import type { Clock } from '../../src/engine/ports/base.ts';

/**
 * A clock that runs `speed` times faster than the machine's, so that back-offs of seconds pass in a moment. Its wall
 * time depends on nothing but the real one: it goes on where it was when the previous process died.
 */
export function fastClock(speed: number, epochMs: number): Clock {
  return {
    now: () => Math.round(epochMs + (Date.now() - epochMs) * speed),
    monotonic: () => performance.now() * speed,
    setTimer(delayMs, callback) {
      const timer = setTimeout(callback, Math.max(0, delayMs / speed));
      return () => {
        clearTimeout(timer);
      };
    },
  };
}
