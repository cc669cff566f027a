import type { FleetMember } from '../../ports/fleet.ts';
import type { Clock } from '../../ports/base.ts';

/** A lease that nobody renews is over after this long. */
const LEASE_MS = 30_000;
/** The holder stops earlier than the store by this share of a lease, whatever became of its last query. */
const MARGIN_SHARE = 1 / 6;
/** From one turn to the next: three are missed before a lease ends. */
const TURN_SHARE = 7 / 30;

export interface LeaseTimes {
  /** How long a lease lasts in the store. */
  readonly leaseMs: number;
  /** How long the right that it gives lasts here. */
  readonly rightMs: number;
  /** After how long it is renewed. */
  readonly turnMs: number;
}

/** The times of one worker's leases, in milliseconds. */
export function leaseTimes({ leaseMs = LEASE_MS }: Pick<FleetMember, 'leaseMs'>): LeaseTimes {
  return {
    leaseMs,
    rightMs: Math.round(leaseMs * (1 - MARGIN_SHARE)),
    turnMs: Math.round(leaseMs * TURN_SHARE),
  };
}

/**
 * Until when a right holds, in milliseconds by the monotonic clock and by the wall clock. Only one of the two counts the
 * time that a computer sleeps.
 */
export interface HeldUntil {
  until: number;
  untilWall: number;
}

/** Whether a right has not ended by itself. */
export function holdsStill(clock: Clock, { until, untilWall }: HeldUntil): boolean {
  return clock.monotonic() < until && clock.now() < untilWall;
}
