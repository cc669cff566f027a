/**
 * Goes through a film frame by frame. A player knows only moments: what it shows while it plays gives the length of a
 * frame.
 */

/** A film that has not been played yet is assumed to have 25 frames a second. */
const USUAL_FRAME_S = 1 / 25;

/** What has been shown of a film, in seconds. */
interface Seen {
  /** When the frame that was last shown begins. */
  readonly at: number;
  /** The shortest time from one shown frame to a later one: a player that is late skips some. */
  readonly length: number | undefined;
}

const seenFrames = new WeakMap<HTMLVideoElement, Seen>();

/** Learns from now on how long the frames of a film are. */
export function watchFrames(film: HTMLVideoElement): void {
  if (seenFrames.has(film)) return;
  seenFrames.set(film, { at: Number.NaN, length: undefined });
  const onFrame: VideoFrameRequestCallback = (_now, { mediaTime: at }) => {
    const before = seenFrames.get(film);
    const passed = at - (before?.at ?? Number.NaN);
    // After seeking, the distance between two frames says nothing.
    const isNext = passed > 0 && !film.paused;
    const length = isNext ? Math.min(passed, before?.length ?? passed) : before?.length;
    seenFrames.set(film, { at, length });
    film.requestVideoFrameCallback(onFrame);
  };
  film.requestVideoFrameCallback(onFrame);
}

/** Shows the next frame of a film, or the previous one, and stops there. */
export function stepFrame(film: HTMLVideoElement, by: 1 | -1): void {
  film.pause();
  const { at = Number.NaN, length = USUAL_FRAME_S } = seenFrames.get(film) ?? {};
  const now = film.currentTime;
  // The middle of a frame is safe from rounding. The last frame that was sought may not have been shown yet.
  const middle = now >= at && now < at + length ? at + length / 2 : Math.max(now, length / 2);
  // At its very end a film counts as ended, and would start again.
  const last = Number.isFinite(film.duration) ? film.duration - length / 2 : Number.POSITIVE_INFINITY;
  film.currentTime = Math.max(0, Math.min(middle + by * length, last));
}
