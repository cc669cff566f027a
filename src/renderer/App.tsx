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

/** The whole window: the screens, and around them the side bar, the engine's state, notices, and the drop target. */
export function App() {
  const screen = useStore(useAppModel().navigation, (state) => state.screen);
  useChosenTheme();
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
          <div className={styles.screen}>{screen !== undefined && <ScreenContent screen={screen} />}</div>
        </main>
      </div>
      <NoticeList />
      <DropOverlay />
    </>
  );
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
