/** Where playback of a song or a film is, and what its controls do. */
import { useEffect, useRef, useState, type RefObject, type SyntheticEvent } from 'react';
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

export interface Playback {
  readonly isPlaying: boolean;
  /** In seconds. */
  readonly position: number;
  /** In seconds; 0 until it is known. */
  readonly length: number;
  readonly isMuted: boolean;
  /** It cannot be played. */
  readonly isBroken: boolean;
  readonly toggle: () => void;
  readonly toggleMuted: () => void;
  /** Goes to a place in seconds; while the length is not known, to a share of it (0 to 1), as soon as it is. */
  readonly seek: (position: number) => void;
  /** For the element that plays. */
  readonly events: Readonly<
    Record<
      'onPlay' | 'onPause' | 'onTimeUpdate' | 'onDurationChange' | 'onVolumeChange' | 'onError',
      (event: SyntheticEvent<HTMLMediaElement>) => void
    >
  >;
}

/**
 * The reference is for the element that plays.
 * @param isSmooth The position is updated with every frame, not four times a second as players do, which would jump
 * over a waveform.
 */
export function usePlayback<Media extends HTMLMediaElement>(
  isSmooth: boolean,
): readonly [RefObject<Media | null>, Playback] {
  const media = useRef<Media>(null);
  const wishedShare = useRef<number>(undefined);
  const [isPlaying, setPlaying] = useState(false);
  const [position, setPosition] = useState(0);
  const [length, setLength] = useState(0);
  const [isMuted, setMuted] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const speed = usePlaybackSpeed();
  useEffect(() => {
    if (media.current === null) return;
    // Another file in the same element begins at its default.
    media.current.defaultPlaybackRate = speed;
    media.current.playbackRate = speed;
  }, [speed]);
  const follows = isPlaying && isSmooth;
  useEffect(() => {
    if (!follows || matchMedia('(prefers-reduced-motion: reduce)').matches) return undefined;
    let frame = requestAnimationFrame(function follow() {
      setPosition(media.current?.currentTime ?? 0);
      frame = requestAnimationFrame(follow);
    });
    return () => cancelAnimationFrame(frame);
  }, [follows]);
  const playback: Playback = {
    isPlaying,
    position,
    length,
    isMuted,
    isBroken,
    toggle: () => {
      const element = media.current;
      if (element === null) return;
      if (!element.paused) element.pause();
      // A pause that follows at once also ends the attempt to play, but nothing is wrong with the file.
      else void element.play().catch((problem: unknown) => setBroken(!isInterruption(problem)));
    },
    toggleMuted: () => {
      if (media.current !== null) media.current.muted = !media.current.muted;
    },
    seek: (to) => {
      if (length === 0) wishedShare.current = to;
      else if (media.current !== null) media.current.currentTime = to;
    },
    events: {
      onPlay: ({ currentTarget }) => {
        silenceOthers(currentTarget);
        setPlaying(true);
      },
      onPause: () => setPlaying(false),
      onTimeUpdate: ({ currentTarget }) => setPosition(currentTarget.currentTime),
      onDurationChange: ({ currentTarget }) => {
        const { duration } = currentTarget;
        const isKnown = Number.isFinite(duration);
        setLength(isKnown ? duration : 0);
        // Another file begins without a length, and without the place wanted in the one before.
        if (isKnown && wishedShare.current !== undefined) currentTarget.currentTime = wishedShare.current * duration;
        wishedShare.current = undefined;
      },
      onVolumeChange: ({ currentTarget }) => setMuted(currentTarget.muted),
      onError: () => setBroken(true),
    },
  };
  return [media, playback];
}

/** Whether something that was to play was paused, or taken away, before it began. */
export function isInterruption(problem: unknown): boolean {
  return problem instanceof DOMException && problem.name === 'AbortError';
}

let playing: HTMLMediaElement | undefined;

/** Call it when something starts to play, or when nothing is to play: what played before stops. */
export function silenceOthers(media?: HTMLMediaElement): void {
  if (playing !== undefined && playing !== media) playing.pause();
  playing = media;
}

/** Relative to normal speed, the slowest first. */
const SPEEDS = [0.5, 1, 1.5, 2];
const speedStore = createStore(() => ({ speed: 1 }));

/** How fast songs and films are played: all at the same speed, until the window is closed. */
export function usePlaybackSpeed(): number {
  return useStore(speedStore, ({ speed }) => speed);
}

/** Changes to the next faster or slower speed; stays at the ends. */
export function changeSpeed(by: 1 | -1): void {
  const next = SPEEDS[SPEEDS.indexOf(speedStore.getState().speed) + by];
  if (next !== undefined) speedStore.setState({ speed: next });
}

/** Changes to the next faster speed; after the fastest, to the slowest. */
export function cycleSpeed(): void {
  const { speed } = speedStore.getState();
  speedStore.setState({ speed: SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length] ?? 1 });
}
