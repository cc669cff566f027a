import type { Clock } from './ports/base.ts';

/** Node fires a longer timer at once; for a later due time, the clock looks again on the way. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** The machine's clocks. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(delayMs, callback) {
    const timer = setTimeout(callback, Math.min(Math.max(0, delayMs), LONGEST_TIMER_MS));
    return () => {
      clearTimeout(timer);
    };
  },
};
