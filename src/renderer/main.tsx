import './page-policy.ts';
import './page-language.ts';
import '@fontsource-variable/inter/opsz.css';
import './design/tokens.css';
import './design/base.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './App.tsx';
import { AppModelProvider, keepInWindow } from './state/app-context.ts';
import { AppModel, type Carried } from './state/app-model.ts';

/** The storage key for when a window was last open, so that a night that ended without one is shown first. */
const SEEN = 'seen at';
const SEEN_INTERVAL_MS = 10_000;
const seenAt = Number(localStorage.getItem(SEEN) ?? Number.NaN);
const noteSeen = (): void => keepInWindow(SEEN, String(Date.now()));

/**
 * The storage key for what a reloaded page, as in another language, gets from the previous one; only in this window.
 */
const CARRIED = 'carried';
const carried = sessionStorage.getItem(CARRIED);
sessionStorage.removeItem(CARRIED);

/** The storage key for how far the tour is. */
const TOUR = 'tour';

/** The storage key for what was said about sheets that were left before they were imported. */
const LEFT = 'left sheets';

const model = new AppModel({
  bridge: window.nocturne,
  schedule: (callback, delayMs) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  notices: { now: Date.now, isLooking: () => document.hasFocus() },
  keptTour: localStorage.getItem(TOUR) ?? undefined,
  keepTour: (text) => keepInWindow(TOUR, text),
  keptLeft: localStorage.getItem(LEFT) ?? undefined,
  // Throws where it does not fit: then less is kept.
  keepLeft: (text) => localStorage.setItem(LEFT, text),
  carried: carried === null ? undefined : (JSON.parse(carried) as Carried),
  ...(Number.isFinite(seenAt) ? { lastSeenAt: seenAt } : {}),
});
noteSeen();
setInterval(noteSeen, SEEN_INTERVAL_MS);
window.addEventListener('pagehide', noteSeen);
model.start();
window.addEventListener('beforeunload', () => {
  // A field that is applied when it loses the focus.
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  model.editing.sendWaiting();
  model.verdicts.sendWaiting();
  model.bringIn.keeping.leave();
  keepInWindow(CARRIED, JSON.stringify(model.carried()), sessionStorage);
});

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no root.');
const page = createRoot(root);
// The grid measures its text once, so the font must be loaded before. It comes from the disk and takes no time.
void document.fonts.load("13px 'Inter Variable'").finally(() =>
  page.render(
    <StrictMode>
      <AppModelProvider value={model}>
        <App />
      </AppModelProvider>
    </StrictMode>,
  ),
);
// For systems without a font for Chinese: a hundred faces, which nobody waits for.
void import('@fontsource-variable/noto-sans-sc/index.css');
