import { useEffect, useEffectEvent, useRef } from 'react';
import { FOCUSABLE, focusPlaceOf, focusWhole, noteFocus, takesFocus, type FocusPlace } from './focus-place.ts';
import { commandButton, commandOfKey, carryOutCommand } from './commands.ts';
import { useAppModel } from '../state/app-context.ts';
import type { Screen } from '../state/app-state.ts';

/** Marks the button that runs or starts things on a screen. */
export const RUN_SHORTCUT = commandButton('run');

/** Some seconds: a grid that takes longer will not come. */
const MOST_FRAMES = 300;

/** Listens to the window; `isFirst` also hears events that a part of the window keeps to itself. */
export function useWindowEvent<K extends keyof WindowEventMap>(
  types: readonly K[],
  listener: (event: WindowEventMap[K]) => void,
  isFirst = false,
): void {
  const onEvent = useEffectEvent(listener as (event: Event) => void);
  const names = types.join(' ');
  useEffect(() => {
    const listening = new AbortController();
    for (const name of names.split(' ')) {
      window.addEventListener(name, (event) => onEvent(event), { capture: isFirst, signal: listening.signal });
    }
    return () => listening.abort();
  }, [names, isFirst]);
}

/** Keeps what was typed, by `keep`, when its screen goes by itself or the window closes: neither can ask. */
export function useKeptTyping(keep: () => void): void {
  const model = useAppModel();
  const onLeaving = useEffectEvent(keep);
  useWindowEvent(['beforeunload'], keep, true);
  useEffect(() => model.beforeLeaving(() => onLeaving()), [model]);
}

/** What takes typed text, and so every key without Ctrl; the grid does, too, if a cell can be written. */
export const TAKES_TEXT = 'input, textarea, select, [contenteditable]';

/** Whether a dialog is open: it gets all keys, and no command is carried out behind it. */
export function isInDialog(): boolean {
  return document.querySelector('[role="dialog"], [role="alertdialog"]') !== null;
}

/** Shortcuts that work on every screen: those of the commands, and the way around the window. */
export function useShellKeys(): void {
  const model = useAppModel();
  useWindowEvent(['keydown'], (event) => {
    const { key, shiftKey, altKey, target } = event;
    if (event.defaultPrevented || isInDialog() || altKey) return;
    if (key === 'F6') focusNextRegion(shiftKey ? -1 : 1);
    else {
      const isTyped = key.length === 1 && !event.ctrlKey && !event.metaKey;
      if (isTyped && target instanceof Element && target.closest(TAKES_TEXT) !== null) return;
      const command = commandOfKey(event);
      if (command === undefined || !carryOutCommand(model, command)) return;
    }
    event.preventDefault();
  });
}

/** Focuses a screen that has just appeared: its grid, otherwise its heading. */
export function useFocusOnScreen(screen: Screen | undefined): void {
  const name = screen === undefined ? undefined : JSON.stringify(screen);
  useEffect(() => {
    if (name === undefined) return undefined;
    let frames = 0;
    const before = document.activeElement;
    let frame = requestAnimationFrame(function take() {
      frames += 1;
      const { activeElement } = document;
      // The screen has already taken the focus itself, or the user has moved it.
      if (activeElement?.closest('[data-region="screen"], [role="dialog"]')) return;
      if (frames > 1 && activeElement !== before && activeElement !== document.body) return;
      if (isReady('grid') && focusRegion('grid')) return;
      // A grid accepts keys once it knows its rows and columns and has measured the window.
      if (hasRegion('grid') && frames < MOST_FRAMES) frame = requestAnimationFrame(take);
      else focusRegion('screen');
    });
    return () => cancelAnimationFrame(frame);
  }, [name]);
}

/** Keeps the focus where the user works: when what had it is removed, its neighbour takes it. */
export function useKeptFocus(): void {
  const last = useRef<FocusPlace>(undefined);
  useWindowEvent(
    ['focusin', 'pointerdown'],
    ({ type, target }) => {
      if (type === 'focusin') {
        if (target instanceof HTMLElement) noteFocus(target);
        last.current = target instanceof HTMLElement ? focusPlaceOf(target) : undefined;
      }
      // A click on nothing takes the focus away on purpose.
      else if (!(target instanceof Node && last.current?.element.contains(target) === true)) last.current = undefined;
    },
    true,
  );
  useEffect(() => {
    const removal = new MutationObserver(() => {
      if (last.current === undefined || document.activeElement !== document.body) return;
      const { element, take } = last.current;
      if (element.isConnected) return;
      last.current = undefined;
      // When a panel has closed, the grid takes the focus.
      if (!take() && element.closest('[data-region="panel"]') !== null) focusRegion('grid');
    });
    removal.observe(document.body, { childList: true, subtree: true });
    return () => removal.disconnect();
  }, []);
}

/** Opens a pasted table if nothing else takes it: outside of fields, and not on a batch, whose grid takes it. */
export function usePasteTable(screen: Screen | undefined): void {
  const model = useAppModel();
  useWindowEvent(['paste'], ({ target }) => {
    const isTaken = target instanceof Element && target.closest('input, textarea, [contenteditable], [role="dialog"]');
    if (screen !== undefined && screen.kind !== 'batch' && !isTaken) void model.bringIn.paste();
  });
}

/** The parts of the window that F6 goes through, in this order: marked by `data-region`. */
const REGIONS = ['side', 'screen', 'tools', 'grid', 'panel', 'start', 'hint'] as const;
type Region = (typeof REGIONS)[number];

function hasRegion(region: Region): boolean {
  return document.querySelector(`[data-region="${region}"]`) !== null;
}

/** True if an element takes typed text. */
function isReady(region: Region): boolean {
  return document.querySelector(`[data-region="${region}"][data-ready="true"]`) !== null;
}

/** Focuses a part of the window: a screen by its heading, a panel as a whole. False if it is not there. */
export function focusRegion(region: Region): boolean {
  const place = document.querySelector<HTMLElement>(`[data-region="${region}"]`);
  if (place === null) return false;
  if (region === 'panel') return focusWhole(place);
  if (region !== 'screen') return [...place.querySelectorAll<HTMLElement>(FOCUSABLE)].some(takesFocus);
  const heading = place.querySelector('h1');
  return heading !== null && focusWhole(heading);
}

/** Goes to the next part of the window, or to the previous one. */
function focusNextRegion(step: 1 | -1): void {
  const here = document.activeElement?.closest<HTMLElement>('[data-region]')?.dataset['region'];
  const at = REGIONS.findIndex((region) => region === here);
  for (let steps = 1; steps <= REGIONS.length; steps += 1) {
    const next = REGIONS[(Math.max(at, step === 1 ? -1 : 0) + step * steps + 2 * REGIONS.length) % REGIONS.length];
    if (next !== undefined && focusRegion(next)) return;
  }
}
