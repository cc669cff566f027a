/** How fast songs and films are played: all of them alike, until the window is closed. */
import { useStore } from 'zustand';
import { createStore } from 'zustand/vanilla';

/** As parts of the speed that they were made at, the slowest first. */
const SPEEDS = [0.5, 1, 1.5, 2];

const store = createStore(() => ({ speed: 1 }));

export function usePlaybackSpeed(): number {
  return useStore(store, ({ speed }) => speed);
}

/** The next faster one, or the next slower one; stays at the ends. */
export function changeSpeed(by: 1 | -1): void {
  const next = SPEEDS[SPEEDS.indexOf(store.getState().speed) + by];
  if (next !== undefined) store.setState({ speed: next });
}

/** The next faster one; after the fastest, the slowest. */
export function cycleSpeed(): void {
  const [slowest = 1] = SPEEDS;
  const next = SPEEDS[SPEEDS.indexOf(store.getState().speed) + 1] ?? slowest;
  store.setState({ speed: next });
}
