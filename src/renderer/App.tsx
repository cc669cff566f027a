import type { ReactNode } from 'react';
import { useStore } from 'zustand';
import { BatchScreen } from './batch/BatchScreen.tsx';
import { HelpScreen } from './help/HelpScreen.tsx';
import { SheetScreen } from './open-sheet/SheetScreen.tsx';
import { SettingsScreen } from './settings/SettingsScreen.tsx';
import { DropOverlay } from './shell/DropOverlay.tsx';
import { EngineBanner } from './shell/EngineBanner.tsx';
import { useFocusOnScreen, useKeptFocus, usePasteTable, useShellKeys } from './shell/keyboard.ts';
import { NoticeList } from './shell/NoticeList.tsx';
import { SideNav } from './shell/SideNav.tsx';
import { useChosenTheme } from './shell/theme.tsx';
import { useAppModel } from './state/app-context.ts';
import type { Screen } from './state/app-state.ts';
import { WelcomeScreen } from './welcome/WelcomeScreen.tsx';
import styles from './App.module.css';

/** The whole window. */
export function App() {
  const screen = useStore(useAppModel().navigation, (state) => state.screen);
  useChosenTheme();
  return <Shell screen={screen}>{screen !== undefined && <ScreenContent screen={screen} />}</Shell>;
}

function ScreenContent({ screen }: { readonly screen: Screen }) {
  switch (screen.kind) {
    case 'welcome':
      return <WelcomeScreen page={screen.page} from={screen.from} />;
    case 'sheet':
      return <SheetScreen />;
    case 'batch':
      return <BatchScreen key={screen.batchId} batchId={screen.batchId} />;
    case 'settings':
      return <SettingsScreen part={screen.part} keyFor={screen.part === 'keys' ? screen.keyFor : undefined} />;
    case 'help':
      return <HelpScreen part={screen.part} />;
  }
}

/** Everything around the screens: the side bar, the engine's state, notices, and the drop target for sheets. */
function Shell({ screen, children }: { readonly screen: Screen | undefined; readonly children: ReactNode }) {
  usePasteTable(screen);
  useShellKeys();
  useFocusOnScreen(screen);
  useKeptFocus();
  return (
    <>
      <div className={styles.shell}>
        <SideNav screen={screen} />
        <main className={styles.main} data-region="screen">
          <EngineBanner />
          <div className={styles.screen}>{children}</div>
        </main>
      </div>
      <NoticeList />
      <DropOverlay />
    </>
  );
}
