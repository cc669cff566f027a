import { useEffect } from 'react';
import { useAppModel } from '../state/app-context.ts';
import type { Screen } from '../state/navigation-store.ts';
import { focusNextRegion, focusRegion, hasRegion, isReady } from './regions.ts';

/** Marks the button that Ctrl+Enter presses: what runs or starts things on a screen. */
export const RUN_SHORTCUT = { 'data-shortcut': 'run', 'aria-keyshortcuts': 'Control+Enter' } as const;

/** Some seconds: a sheet that takes longer does not come. */
const MOST_FRAMES = 300;

/** Keys that work on every screen. */
export function useShellKeys(): void {
  const model = useAppModel();
  useEffect(() => {
    const listening = new AbortController();
    const onKeyDown = (event: KeyboardEvent): void => {
      const { key, shiftKey, altKey } = event;
      const isCommand = event.ctrlKey || event.metaKey;
      const isInDialog = document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
      if (event.defaultPrevented || isInDialog || altKey) return;
      if (key === 'F6') focusNextRegion(shiftKey ? -1 : 1);
      else if (isCommand && key === ',') model.go({ kind: 'settings' });
      else if (isCommand && key === 'Enter') {
        document.querySelector<HTMLElement>('[data-shortcut="run"]:not(:disabled)')?.click();
      } else return;
      event.preventDefault();
    };
    window.addEventListener('keydown', onKeyDown, { signal: listening.signal });
    return () => listening.abort();
  }, [model]);
}

/** Gives the keyboard to a screen that has just come: to its grid, else to its heading. */
export function useFocusOnScreen(screen: Screen | undefined): void {
  const name = screen === undefined ? undefined : JSON.stringify(screen);
  useEffect(() => {
    if (name === undefined) return undefined;
    let frames = 0;
    const before = document.activeElement;
    let frame = requestAnimationFrame(function take() {
      frames += 1;
      const { activeElement } = document;
      // It has taken the keyboard itself already, or the user has gone on.
      if (activeElement?.closest('[data-region="screen"], [role="dialog"]')) return;
      if (frames > 1 && activeElement !== before && activeElement !== document.body) return;
      if (isReady('grid') && focusRegion('grid')) return;
      // A grid takes keys when it knows its rows and columns, and has measured the window.
      if (hasRegion('grid') && frames < MOST_FRAMES) frame = requestAnimationFrame(take);
      else focusRegion('screen');
    });
    return () => cancelAnimationFrame(frame);
  }, [name]);
}
