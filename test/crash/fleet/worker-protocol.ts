import type { DeathPoint } from '../child-protocol.ts';

/** Where a worker can be hit by name: `submit.leaves` is the last moment before the first byte of a paid request. */
export type WorkerPoint = DeathPoint | 'submit.leaves';

/** What a worker is to do when it passes a point for the `pass`-th time from now on. */
export interface Trap {
  readonly point: WorkerPoint;
  readonly pass: number;
  readonly act: 'die' | 'stop' | 'tell';
}

/** Its last report before it does so, a line of JSON among the other lines of its output. */
export interface Struck {
  readonly struck: WorkerPoint;
}
