/** The timeline of a night: from what the store counts in each stretch of time, and from the changes of its batches. */
import type { BatchChange, CountedStretch, Timeline, TimelinePause, TimelinePoint } from './ledger-view.ts';

/** A window cannot show more points than this. */
const MOST_POINTS = 120;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** Lengths that people can read easily. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 6, 12, 24].map((hours) => hours * HOUR_MS),
];
const DAY_MS = 24 * HOUR_MS;

/** The length of the stretches of a timeline, in milliseconds. */
export function stepOf(from: number, to: number): number {
  const least = Math.max(0, to - from) / MOST_POINTS;
  return STEPS_MS.find((step) => step >= least) ?? Math.ceil(least / DAY_MS) * DAY_MS;
}

/** Counts by stretch as points, one for each stretch, with what was at the gateway at the end of each. */
export function timelineOf(
  { from, to, stepMs }: Pick<Timeline, 'from' | 'to' | 'stepMs'>,
  stretches: readonly CountedStretch[],
  changes: readonly BatchChange[],
): Timeline {
  const count = Math.max(1, Math.ceil((to - from + 1) / stepMs));
  const counted = new Map<string, number>();
  for (const { bucket, kind, n } of stretches) {
    const place = `${kind} ${Math.min(Math.max(bucket, -1), count - 1)}`;
    counted.set(place, (counted.get(place) ?? 0) + n);
  }
  const at = (kind: CountedStretch['kind'], bucket: number): number => counted.get(`${kind} ${bucket}`) ?? 0;
  let active = at('accepted', -1) - at('ended', -1);
  const points = Array.from({ length: count }, (_, bucket): TimelinePoint => {
    active += at('accepted', bucket) - at('ended', bucket);
    return {
      at: from + bucket * stepMs,
      submitted: at('submitted', bucket),
      verified: at('verified', bucket),
      failed: at('failed', bucket),
      active: Math.max(0, active),
      limited: at('limited', bucket),
    };
  });
  return { from, to, stepMs, points, pauses: pausesIn(changes, from, to) };
}

/** When batches stood still within a period. A pause that turns into another one counts as two. */
function pausesIn(changes: readonly BatchChange[], from: number, to: number): readonly TimelinePause[] {
  const open = new Map<string, TimelinePause>();
  const pauses: TimelinePause[] = [];
  const end = (batchId: string, at: number): void => {
    const pause = open.get(batchId);
    if (pause !== undefined) pauses.push({ ...pause, to: at });
    open.delete(batchId);
  };
  for (const { batchId, at, state, pause } of changes) {
    end(batchId, at);
    if (state !== 'paused') continue;
    const code = pause?.by === 'failure' ? { code: pause.failure.code } : {};
    open.set(batchId, { batchId, from: at, ...code });
  }
  return [...pauses, ...open.values()]
    .filter((pause) => pause.from <= to && (pause.to ?? to) >= from)
    .map((pause) => ({ ...pause, from: Math.max(from, pause.from) }))
    .toSorted((a, b) => a.from - b.from);
}
