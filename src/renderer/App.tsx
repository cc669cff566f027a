import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { words } from '../shared/words/words.ts';
import { EngineBanner, useNoStore } from './shell/EngineBanner.tsx';
import { useKeptFocus, useShellKeys } from './shell/keyboard.ts';
import { useMenuBar } from './shell/menu-bar.ts';
import { SideNav } from './shell/SideNav.tsx';
import { useChosenTheme } from './shell/theme.tsx';
import { useAppModel, useBatches } from './state/app-context.ts';
import { windowTitle } from './state/batches-store.ts';
import styles from './App.module.css';

/** The whole window: the screens, and around them the side bar, the engine's state, notices, and the drop target. */
export function App() {
  const screen = useStore(useAppModel().navigation, (state) => state.screen);
  const noStore = useNoStore(screen);
  const loaded = useScreens();
  const screens = loaded === 'failed' ? undefined : loaded;
  useChosenTheme();
  useShellKeys();
  useMenuBar();
  useKeptFocus();
  useWindowTitle();
  useWholeTexts();
  return (
    <>
      <div className={styles.shell}>
        <SideNav
          screen={screen}
          store={screens !== undefined && <screens.StorePanel />}
          notices={screens !== undefined && <screens.ShownNotices />}
        >
          {screens !== undefined && <screens.NoticeCentre />}
        </SideNav>
        <main className={styles.main} data-region="screen">
          <EngineBanner />
          {screens !== undefined && <screens.StoreBanner />}
          <div className={styles.screen}>
            {screens !== undefined &&
              (noStore === undefined ? (
                <screens.CurrentScreen screen={screen} />
              ) : (
                <screens.NoStoreScreen message={noStore} />
              ))}
            {loaded === 'failed' && (
              <p role="alert">
                {words.shell.notLoaded}{' '}
                <button type="button" onClick={() => globalThis.location.reload()}>
                  {words.shell.engine.tryAgain}
                </button>
              </p>
            )}
          </div>
        </main>
      </div>
      {screens !== undefined && (
        <>
          <screens.AfterNightWarning />
          <screens.DropOverlay />
          <screens.ShelfDialogs />
          <screens.Overlays />
          <screens.TourHints />
        </>
      )}
    </>
  );
}

/** Shell and taskbar show the page's title as the window's. */
function useWindowTitle(): void {
  const title = windowTitle(useBatches());
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** What is cut off in its line is said in whole by a tooltip, while the pointer is on it. */
function useWholeTexts(): void {
  useEffect(() => {
    const ours = new WeakSet<Element>();
    const show = ({ target }: PointerEvent): void => {
      const cut = target instanceof Element ? target.closest<HTMLElement>('.cut') : null;
      const titled = cut?.closest('[title]') ?? undefined;
      // A tooltip of its own says more.
      if (cut === null || (titled !== undefined && !(titled === cut && ours.has(cut)))) return;
      ours.add(cut);
      if (cut.scrollWidth > cut.clientWidth) cut.title = cut.textContent;
      else cut.removeAttribute('title');
    };
    document.addEventListener('pointerover', show);
    return () => document.removeEventListener('pointerover', show);
  }, []);
}

type Screens = typeof import('./screens.tsx');

/** The screens, once they are loaded: after the first frame, which does not wait for them. */
function useScreens(): Screens | 'failed' | undefined {
  const [screens, setScreens] = useState<Screens>();
  const [hasFailed, setHasFailed] = useState(false);
  useEffect(() => {
    import('./screens.tsx').then(setScreens, () => setHasFailed(true));
  }, []);
  return hasFailed ? 'failed' : screens;
}
