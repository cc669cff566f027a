/**
 * The whole screen for what is looked at: the window's own frame and bars disappear, and so do the review's controls
 * while nothing is pressed or moved.
 */
import { useEffect, useRef, useState } from 'react';
import { useWindowEvent } from '../shell/keyboard.ts';

export interface FullScreenView {
  readonly isFull: boolean;
  /** Nothing has been pressed or moved for a while: what covers the picture fades. */
  readonly isIdle: boolean;
  readonly toggle: () => void;
  /** Goes back to the window, in answer to Escape; false if it was there already. */
  readonly leave: () => boolean;
}

const IDLE_MS = 2_500;

/**
 * The page itself fills the screen, not one element of it: what opens above it, such as a question, must be visible.
 */
export function useFullScreen(): FullScreenView {
  const [isFull, setFull] = useState(() => document.fullscreenElement !== null);
  const [isIdle, setIdle] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const wake = (): void => {
    clearTimeout(timer.current);
    setIdle(false);
    timer.current = setTimeout(() => setIdle(true), IDLE_MS);
  };
  useWindowEvent(['pointermove', 'pointerdown', 'keydown'], wake, true);
  useEffect(() => {
    const onChange = (): void => setFull(document.fullscreenElement !== null);
    document.addEventListener('fullscreenchange', onChange);
    return () => {
      document.removeEventListener('fullscreenchange', onChange);
      clearTimeout(timer.current);
      leaveFullScreen();
    };
  }, []);
  return {
    isFull,
    isIdle: isFull && isIdle,
    toggle: () => toggleFullScreen(document.documentElement),
    leave: () => {
      const wasFull = document.fullscreenElement !== null;
      leaveFullScreen();
      return wasFull;
    },
  };
}

/** Lets an element fill the screen, or leaves that. The system may refuse: then everything stays as it is. */
export function toggleFullScreen(element: Element): void {
  if (document.fullscreenElement === element) leaveFullScreen();
  else element.requestFullscreen().catch(() => undefined);
}

function leaveFullScreen(): void {
  if (document.fullscreenElement !== null) document.exitFullscreen().catch(() => undefined);
}
