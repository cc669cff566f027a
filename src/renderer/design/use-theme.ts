import { useSyncExternalStore } from 'react';
import type { SettingsView } from '../../shared/ipc/contract.ts';

export type ShownTheme = 'light' | 'dark';

const PREFERS_LIGHT = '(prefers-color-scheme: light)';

/** The theme to show for what the user chose; follows the system where they left it to the system. */
export function useShownTheme(chosen: SettingsView['theme'] | undefined): ShownTheme {
  const isLight = useSyncExternalStore(subscribe, prefersLight);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return isLight ? 'light' : 'dark';
}

/** The theme that the page's colours have now. It changes a moment after the choice: read colours by this one. */
export function useAppliedTheme(): string | undefined {
  return useSyncExternalStore(observeTheme, appliedTheme);
}

function observeTheme(onChange: () => void): () => void {
  const observer = new MutationObserver(onChange);
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  return () => observer.disconnect();
}

function appliedTheme(): string | undefined {
  return document.documentElement.dataset['theme'];
}

function subscribe(onChange: () => void): () => void {
  const query = window.matchMedia(PREFERS_LIGHT);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

function prefersLight(): boolean {
  return window.matchMedia(PREFERS_LIGHT).matches;
}
