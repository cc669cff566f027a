/** The result of a script that polls at a fixed interval. */
export interface Polled {
  readonly intervalMs: number;
  readonly latencyMs: number;
}

/** A rival that is later or earlier than we are by more than this is not compared. */
const TOLERANCE = 0.1;

/** Whether a script notices an end as late as we do. */
export function isAsLate({ latencyMs }: Polled, wantedMs: number): boolean {
  return Math.abs(latencyMs - wantedMs) <= TOLERANCE * wantedMs;
}

const LEAST_MS = 100;

/**
 * The interval with which a script is likely to be as late as we are, from its earlier results, in order. At first, the
 * average wait is taken to be half of the interval; then the line through the two closest nights decides, which
 * includes what the script's loop and the network add.
 */
export function fairInterval(before: readonly Polled[], wantedMs: number): number {
  const distance = ({ latencyMs }: Polled): number => Math.abs(latencyMs - wantedMs);
  const [near, other] = before.toSorted((a, b) => distance(a) - distance(b));
  if (near === undefined) return Math.max(LEAST_MS, Math.round(2 * wantedMs));
  const between = other === undefined ? undefined : slope(near, other);
  const guess =
    between === undefined
      ? near.intervalMs * (wantedMs / near.latencyMs)
      : near.intervalMs + (wantedMs - near.latencyMs) / between;
  // One odd night must not lead far away.
  const bounded = Math.min(Math.max(guess, near.intervalMs / 2), near.intervalMs * 2);
  return Math.max(LEAST_MS, Math.round(bounded));
}

/** Lateness for each millisecond of interval; undefined if the two nights do not show it. */
function slope(a: Polled, b: Polled): number | undefined {
  const rise = (a.latencyMs - b.latencyMs) / (a.intervalMs - b.intervalMs);
  return rise > 0.1 && rise < 2 ? rise : undefined;
}
