/** Attempts that ended so were not charged; every other one was or may have been. */
const UNCHARGED: ReadonlySet<string> = new Set(['not-sent', 'rate-limited', 'held', 'rejected']);

/** True for a submit that was or may have been charged: also one that still waits for its answer. */
export function mayBeCharged(outcome: string | undefined): boolean {
  return outcome === undefined || !UNCHARGED.has(outcome);
}
