import { setTimeout as sleep } from 'node:timers/promises';

const TURN_MS = 10;

/**
 * Calls `work` this many times a second, spread over turns of the loop like answers from a network. A contender that
 * does not keep up gets the same work per turn and takes longer.
 */
export async function atRate(perSecond: number, seconds: number, work: (nth: number) => void): Promise<void> {
  const aTurn = Math.ceil((perSecond * TURN_MS) / 1000);
  const startedMs = performance.now();
  for (let done = 0; done < perSecond * seconds;) {
    const due = Math.min(perSecond * seconds, ((performance.now() - startedMs) * perSecond) / 1000);
    const upTo = Math.min(due, done + aTurn);
    for (; done < upTo; done += 1) work(done);
    await sleep(done < due ? 0 : TURN_MS);
  }
}
